"""The review queue: what a case shows, what a person says of it, and which case comes next."""
