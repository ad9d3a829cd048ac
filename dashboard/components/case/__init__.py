"""One case, part by part."""
