"""Doctests of modules whose extra is not installed are left out."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("tensorflow") else ["proset/engine/objective/tensorflow_backend.py"]
