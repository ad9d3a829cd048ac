"""The tables of the paper on gradient boosting mapping, published beside ours."""
