"""Tables and data sets: reading, column roles, splitting and encoding."""
