"""Shows figures: the gallery page, and the frame that all pages share."""
