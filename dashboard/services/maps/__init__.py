"""Maps and surfaces: choices and words."""
