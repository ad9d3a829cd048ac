"""Addresses, written and read."""
