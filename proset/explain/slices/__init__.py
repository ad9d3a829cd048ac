"""Parts of a table by conditions in the user's columns: named ones, and those where a model is wrong more often."""
