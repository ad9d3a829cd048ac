"""The bar of the guided story."""
