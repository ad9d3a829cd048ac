"""Explanations of a study in the columns and units of the table it came from."""
