"""The review: cases that a person looks through, in what order, each by a model that has not seen it."""
