"""One folder per source, one script per figure, and what several scripts share."""
