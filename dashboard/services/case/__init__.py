"""One case as frames and words."""
