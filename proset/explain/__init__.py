"""Explanations of a model, or of a study in the columns and units of the table it came from.

One file has one frozen dataclass and the function that makes it; the functions below can be called as
``explain.NAME``. Each takes a fitted :class:`~proset.ClassifierModel` with matrices, or a :class:`~proset.Study` with
row ids; see :mod:`proset.explain.subject`. What needs the table is in :mod:`proset.explain.study_only` and
refuses a model. No module is named like a function, so that importing one never hides the other.

Examples
--------
>>> from proset import explain
>>> explain.batch_map.__module__
'proset.explain.maps.map'
"""

from proset.common.exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
