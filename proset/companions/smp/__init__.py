"""Sparse multi-prototype classification (Garg, Xiao and Dekel): few prototypes per class with few coordinates."""

from proset.companions.protocol import NoPrototypeWarning
from proset.companions.smp.model import SMPClassifier
from proset.companions.smp.search import SMPClassifierCV
from proset.companions.smp.words import UnscaledFeaturesWarning

__all__ = ["NoPrototypeWarning", "SMPClassifier", "SMPClassifierCV", "UnscaledFeaturesWarning"]
