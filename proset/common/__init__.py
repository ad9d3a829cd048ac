"""What every room uses: errors, files replaced in one step, checked JSON."""
