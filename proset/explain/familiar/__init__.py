"""Familiarity and novelty of cases."""
