"""The version of this installation."""

from importlib.metadata import version

__version__ = version("proset-dashboard")
