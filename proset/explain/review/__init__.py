"""Cases to look through, and how suspicious each label is."""
