"""What the Data page shows."""
