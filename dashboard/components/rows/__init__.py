"""Lists of prototypes and of new rows."""
