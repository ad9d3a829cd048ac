"""Quality of a model on rows whose class is known."""
