"""Weights of evidence of the values of columns, each column alone, in the units of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.notebook import Displayed
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.value_evidence import ValueEvidence, learn_evidence
from proset.explain.maps.feature_axes import find_feature
from proset.explain.subject import Explained, Subject, study_of, subject_of
from proset.study import Study


@dataclass(frozen=True, eq=False)
class FeatureEvidence(Displayed):
    """One column of the table.

    Attributes
    ----------
    name : str
        The column.
    kind : {"number", "date", "values"}
        Whether `places` are numbers, days since 1970, or values as text.
    places : tuple
        Values, ascending where they have an order. Weights are straight between numbers and level beyond them.
    weights : DataFrame
        One row per place, one column per class: by how much the log-odds of the class are higher among training rows
        with about this value than among all, shrunken towards 0 where they are few. Of two classes, one has what the
        other has with the opposite sign.
    used : bool
        Whether the model looks at these weights; otherwise they are only shown.
    """

    name: str
    kind: str
    places: tuple[Any, ...]
    weights: pd.DataFrame
    used: bool


@dataclass(frozen=True, eq=False)
class ValueEvidences(Displayed):
    """Several columns.

    Attributes
    ----------
    features : tuple of FeatureEvidence
        In the order asked for.
    classes : tuple of str
        Names of the classes, in the order of the probabilities.
    """

    features: tuple[FeatureEvidence, ...]
    classes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one line per column, value and class: ``feature``, ``value``, ``class``, ``weight``, ``used``."""
        lines = [
            (one.name, str(place), name, weight, one.used)
            for one in self.features
            for place, weights in zip(one.places, one.weights.itertuples(index=False), strict=True)
            for name, weight in zip(self.classes, weights, strict=True)
        ]
        return pd.DataFrame(lines, columns=["feature", "value", "class", "weight", "used"])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "classes": list(self.classes),
            "features": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "places": list(one.places),
                    "weights": {str(name): one.weights[name].tolist() for name in one.weights.columns},
                    "used": one.used,
                }
                for one in self.features
            ],
        }


def value_evidence(
    explained: Explained, *, features: Sequence[str | int] | None = None, n_features: int = 9
) -> ValueEvidences:
    """Return the weights of evidence of the values of columns, in the units of the table.

    Parameters
    ----------
    explained : Study
        Its training rows say what values tell. A model with ``Scale.EVIDENCE`` looks at these weights itself; beside
        another one they are what can be had from the table column by column.
    features : sequence of str or int, or None
        Which columns, in this order; None: those that the model uses, by descending weight, then those that tell most.
    n_features : int
        Columns at most, if `features` is None.

    Raises
    ------
    TypeError
        If `explained` is no study.
    ProsetError
        If there is no such column, or it does not vary.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = value_evidence(fit_sample("iris_2f"), n_features=1)
    >>> one = found.features[0]
    >>> one.name, one.weights["setosa"].iloc[[0, -1]].gt(0.0).tolist()
    ('sepal length (cm)', [True, False])
    """
    study = study_of(explained, "value_evidence")
    subject = subject_of(study)
    learned = _learned(study, subject)
    looked_at = set(subject.manager.get_active_features().tolist())
    if features is None:
        told = sorted(learned, key=lambda name: -learned[name].told)
        names = list(dict.fromkeys([*subject.by_weight, *told]))[:n_features]
    else:
        names = [subject.features[find_feature(subject, name)] for name in features]
    found = (_in_units(study, name, learned[name], looked_at) for name in names)
    return ValueEvidences(tuple(found), study.classes)


def _learned(study: Study, subject: Subject) -> dict[str, ValueEvidence]:
    """Return the evidence that the design of a study holds, and of other columns what the same rows tell."""
    found = dict(study.design.evidence)
    others = {
        name: own for name, own in zip(subject.features, subject.own, strict=True) if len(own) and name not in found
    }
    if others:
        X = study.encode(study.split.train).X.astype(np.float64)
        labels = study.labels.reindex(study.split.train).to_numpy(dtype=str)
        found |= learn_evidence({name: X[:, own] for name, own in others.items()}, labels)
    return found


def _in_units(study: Study, name: str, evidence: ValueEvidence, looked_at: set[int]) -> FeatureEvidence:
    """Return the evidence of one column with values as the table writes them."""
    columns = [(j, column) for j, column in enumerate(study.design.columns) if column.source == name]
    encoder, first = study.design.encoder(name), columns[0][1]
    weights = pd.DataFrame(evidence.of_each(np.asarray(evidence.weights), study.classes), columns=list(study.classes))
    if isinstance(encoder, LevelEncoder):
        kind, order = "values", list(encoder.shown_order)
        places: list[Any] = [encoder.slots[place] for place in order]
        weights = weights.iloc[order].reset_index(drop=True)
    else:
        kind, knots = "date" if first.role is Role.DATE else "number", np.asarray(evidence.knots)
        places = first.to_table(knots).tolist() if kind == "date" else encoder.decode(knots)
    used = any(j in looked_at for j, column in columns if column.evidence_for is not None)
    return FeatureEvidence(name, kind, tuple(places), weights, used)
