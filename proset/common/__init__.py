"""What every room uses: errors, files replaced in one step, checked JSON, words, and safe cells and frames."""
