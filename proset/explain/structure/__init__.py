"""What a model consists of, column by column and prototype by prototype, and whether that lasts."""
