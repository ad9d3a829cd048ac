"""Plain functions of pages about a number."""
