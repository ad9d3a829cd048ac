"""How good the model is, and the rule that decides."""
