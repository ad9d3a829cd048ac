"""The prototype vector machine (Bien and Tibshirani): classes covered with balls around a few of their points."""

from __future__ import annotations

from proset.companions.protocol import NoPrototypeWarning
from proset.companions.pvm.classifier import PVMClassifier
from proset.companions.pvm.metrics import KernelDistance
from proset.companions.pvm.tangent import TangentDistance

__all__ = ["KernelDistance", "NoPrototypeWarning", "PVMClassifier", "TangentDistance"]
