"""Parts of a model: features and prototypes."""
