"""Right and wrong in words."""
