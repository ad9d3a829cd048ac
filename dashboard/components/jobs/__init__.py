"""Long work: its progress and its buttons."""
