"""Measured comparisons; every table in README.md names the command that makes it."""
