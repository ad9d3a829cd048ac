"""What a person looks through, and in which order: rows judged by models that have not seen them."""
