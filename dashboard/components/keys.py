"""Keys of the keyboard that press a button; Streamlit prints them on it. R and C are its own."""

NEXT, PREVIOUS, WHAT_IF, MAP, HELP = "J", "K", "W", "M", "H"
