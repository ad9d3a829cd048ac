"""Features that matter, and whether that holds."""
