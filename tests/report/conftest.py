"""The studies of the explanations."""

from explain.conftest import empty_study, mixed_study

__all__ = ["empty_study", "mixed_study"]
