"""Explanations of a fitted prototype set for one sample, in terms of the feature matrix."""
