"""Prototype methods that stand beside proset for comparison, and one interface for all of them.

Examples
--------
>>> from proset.companions import SYSTEMS
>>> [system.title for system in SYSTEMS.values()][:3]
['proset', 'Prototype vector machine', 'Sparse multi-prototype']
"""

from proset.common.exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
