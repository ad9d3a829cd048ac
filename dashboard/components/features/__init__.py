"""Which features matter, and whether that holds."""
