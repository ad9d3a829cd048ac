"""Compile what fitting, scoring and explaining spend their time on, so that nobody's first click waits for it."""

import numpy as np

from proset import ClassifierModel, explain
from proset.compare import prepare_systems

X = np.arange(8.0)[:, None]
model = ClassifierModel(lambda_v=1e-6, random_state=0).fit(X, X[:, 0] > 3.5)
model.predict_proba(X)
explain.shap_values(model, X[:1], X[-1], exact_up_to=0)
prepare_systems()
