"""Common ground of all rooms: errors, files replaced in one step, checked JSON, words, safe cells and frames."""
