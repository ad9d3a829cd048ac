"""What Compare shows."""
