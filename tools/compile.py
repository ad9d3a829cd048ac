"""Compile what fitting, scoring and explaining spend their time on, so that nobody's first click waits for it."""

import warnings

import numpy as np

from proset import ClassifierModel, explain
from proset.companions.systems import SYSTEMS

X = np.arange(8.0)[:, None]
model = ClassifierModel(lambda_v=1e-6, random_state=0).fit(X, X[:, 0] > 3.5)
model.predict_proba(X)
explain.shap_values(model, X[:1], X[-1], exact_up_to=0)

rows = np.random.default_rng(0).normal(size=(60, 2))
warnings.simplefilter("ignore")  # so few rows are no problem to solve well
for key in ("pvm", "smp", "gbmap"):
    for tuned in (False, True):
        companion = SYSTEMS[key].make(tuned=tuned).fit(rows, rows[:, 0] > 0.0)
        companion.predict_proba(rows)
        companion.familiarity(rows)
        companion.distance(rows)
