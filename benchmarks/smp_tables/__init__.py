"""Table 1 of the paper on sparse multi-prototype classification, published beside ours."""
