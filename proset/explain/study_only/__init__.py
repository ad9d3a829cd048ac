"""Explanations that need a study: they divide its table anew and fit again, which a model alone cannot."""
