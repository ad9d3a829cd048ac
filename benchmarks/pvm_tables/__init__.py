"""Table 2 of the paper on the prototype vector machine, and its handwritten digits, published beside ours."""
