"""Keys of the keyboard that press a button; Streamlit prints them on it. R and C are its own."""

NEXT, PREVIOUS, WHAT_IF, MAP, HELP = "J", "K", "W", "M", "H"
STORY_NEXT, STORY_BACK, LEAVE, PRESENTER = "G", "B", "L", "P"
"""Keys of a story; those of Review are others, so that both hold at once."""
PAGE_DOWN, PAGE_UP = "PageDown", "PageUp"
"""Keys that the remote control of a presenter sends."""
