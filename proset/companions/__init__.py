"""Prototype methods that stand beside proset for comparison, and one interface for all of them."""
