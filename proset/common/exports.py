"""Names that a package exports and loads when they are asked for, listed once: in the stub beside its ``__init__``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def exports(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make ``__getattr__``, ``__dir__`` and ``__all__`` of a package from ``__init__.pyi``.

    The stub is what type checkers and editors read: lines ``from .module import name as name``, and
    ``from . import module as module`` for a module itself. Importing the package loads none of them.

    Parameters
    ----------
    package, file : str
        The ``__name__`` and ``__file__`` of the package.

    Returns
    -------
    tuple
        The two functions and the list of names, in alphabetical order.

    Examples
    --------
    >>> import proset.explain
    >>> load, names, public = exports("proset.explain", proset.explain.__file__)
    >>> load("batch_map").__module__
    'proset.explain.maps.map'
    >>> "batch_map" in public and set(public) <= set(names())
    True
    """
    lines = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
    homes = {entry.name: line.module for line in lines if isinstance(line, ast.ImportFrom) for entry in line.names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        return import_module(f"{package}.{name}") if home is None else getattr(import_module(f"{package}.{home}"), name)

    def names() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return load, names, sorted(homes)
