"""What people ask of the next model: asked on any page, listed where one fits, and taken back there."""
