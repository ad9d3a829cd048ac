"""What a model gets right and wrong on rows whose class is known."""
