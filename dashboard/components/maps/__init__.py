"""Maps and surfaces, and what is chosen on them."""
