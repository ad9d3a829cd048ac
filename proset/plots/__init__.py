"""Figures: each function takes one result of the engine and returns a plotly figure.

Examples
--------
>>> from proset import plots
>>> plots.plot_batch_map.__module__
'proset.plots.batch_map'
"""

from proset.common.exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
