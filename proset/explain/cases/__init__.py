"""One case: its prototypes, its neighbours, what if, and the smallest change."""
