"""All that knows pandas, and every check of the caller's arguments."""
