"""The guided story: its steps, and what they say of a model."""
