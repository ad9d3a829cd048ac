"""Quality of the model, and the rule that decides."""
