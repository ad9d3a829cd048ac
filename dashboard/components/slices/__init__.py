"""Slices on pages: the choice in the frame, the editor, and where the model goes wrong."""
