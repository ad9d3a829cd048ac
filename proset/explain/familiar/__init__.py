"""What a model knows and what is new to it."""
