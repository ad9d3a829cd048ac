"""What a fitted prototype set says about one sample, in terms of the feature matrix."""
