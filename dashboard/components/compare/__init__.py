"""Several systems beside each other."""
