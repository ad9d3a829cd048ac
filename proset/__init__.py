"""Prototype set models: a classifier whose every estimate is a sum of known cases.

Examples
--------
>>> import proset
>>> proset.ClassifierModel(lambda_v=1e-2)
ClassifierModel(lambda_v=0.01)
"""

from proset.common.exports import exports
from proset.common.notebook import rendered_by

__getattr__, __dir__, __all__ = exports(__name__, __file__)
rendered_by("proset.report.notebook:notebook_html")
