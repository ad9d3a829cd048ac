"""Several systems on the rows of a study of a number: each states quantiles, and all are measured by them."""
