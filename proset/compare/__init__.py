"""Several systems on the rows of one study: quality, features in use, disagreements, costs.

:func:`compare` does the work and returns a :class:`Comparison`, which can be written and read; everything else is
derived from it on demand. A comparison never refers to its study: what needs the table takes `study`, the one that was
compared, and `comparison`. No module is named like a function, so that importing one never hides the other.

Examples
--------
>>> from proset import compare as comparing
>>> comparing.metric_table.__module__
'proset.compare.table'
"""

from proset.common.exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
