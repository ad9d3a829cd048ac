"""What stands in an address."""
