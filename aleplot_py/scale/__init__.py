"""Effects of data larger than memory: files, plans and frames in parts, on one machine or many."""
