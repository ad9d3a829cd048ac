"""Explanations of a model, or of a study in the columns and units of the table it came from.

One file has one frozen dataclass and the function that makes it; the functions below can be called as
``explain.NAME``. Each takes a fitted :class:`~proset.ClassifierModel` with matrices, or a :class:`~proset.Study` with
row ids; see :mod:`proset.explain.subject`. What needs the table is in :mod:`proset.explain.study_only` and
refuses a model. No module is named like a function, so that importing one never hides the other.

Parameters
----------
explained
    A fitted model or study.
cases, case
    Several, or one: a matrix or its row beside a model; row ids, an id, or a row as a DataFrame beside a study. Without
    `cases` a study takes its held-out rows, or its training rows if none are held out, unless it is said otherwise.
y
    Beside a model, the classes of the cases; a case without a known class is neither right nor wrong.
known, held_out
    Beside a model, the rows it was fitted to and rows to compare with; a study knows both.
rule
    Decides what is said of a case.

Attributes
----------
classes
    Names of the K classes in the order of the probabilities.
which, index
    The cases that a result is about, such as ``"held-out rows"``, and their row ids or the index of their matrix.

Examples
--------
>>> from proset import explain
>>> explain.batch_map.__module__
'proset.explain.maps.map'
"""

from proset.common.exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
