"""Tables, lists and sentences of the Compare page."""
