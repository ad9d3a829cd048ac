"""Several systems on one table: the same folds, what each uses, where they disagree, and what they cost."""
