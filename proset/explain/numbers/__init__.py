"""Explanations of a model whose target is a number."""
