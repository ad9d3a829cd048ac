"""Figures: each function takes one result of the engine and returns a plotly figure."""
