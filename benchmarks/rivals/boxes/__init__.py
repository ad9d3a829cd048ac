"""The contestants: each module runs in its own environment, one process per fit, and knows nothing of the others."""
