"""Collects what a surface stands on: from a study, a model, or any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from proset.common.errors import ProsetError
from proset.common.words import listed
from proset.engine.model import ClassifierModel
from proset.explain.maps.batch_parts import wide_rows
from proset.explain.maps.feature_axes import ranked
from proset.explain.maps.grounds import FloatArray, IntArray, Names, SurfaceGround, knows_familiarity
from proset.explain.maps.known_cases import MappedCases, known_cases, said_of
from proset.explain.subject import Cases, Subject, matrix_of, subject_of
from proset.study import Study


def ground_of(
    explained: Any,
    *,
    estimator: Any = None,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    held_out: Cases | None = None,
) -> SurfaceGround:
    """Collect what a surface needs; see :func:`proset.explain.maps.surfaces.surface` for what is passed.

    Raises
    ------
    ProsetError
        If something does not fit together.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0]])
    >>> ground = ground_of(LogisticRegression().fit(X, ["a", "b"]), cases=X)
    >>> ground.classes, ground.name, ground.ranked
    (('a', 'b'), 'LogisticRegression', (0, 1))
    """
    if not isinstance(explained, (ClassifierModel, Study)):
        return _other_ground(explained, cases, y)
    subject = subject_of(explained)
    if isinstance(explained, Study):
        drawn = explained.split.measured
        known = known_cases(explained, drawn if cases is None else cases)
        data: NDArray[np.floating] = explained.encode().X
        reference = np.asarray(explained.reference, dtype=np.float64)
    else:
        known = known_cases(explained, cases, y)
        data = known.X if len(known.X) else _prototype_rows(subject)
        reference = np.zeros(0)
    if held_out is not None:
        reference = np.sort(subject.manager.familiarity(matrix_of(explained, held_out).X))
    if knows_familiarity(estimator):
        usual = explained.split.measured if isinstance(explained, Study) else held_out
        reference = (
            np.sort(estimator.familiarity(matrix_of(explained, usual).X).raw) if usual is not None else reference
        )
    weights, columns = subject.manager.get_feature_weights()
    wide = np.zeros(subject.manager.num_features)
    wide[columns] = weights.max(axis=0, initial=0.0)
    if estimator is not None:
        known = MappedCases(_said_by(estimator, known, subject.classes), known.X)
    return SurfaceGround(
        explained=explained,
        named=subject,
        classes=subject.classes,
        manager=subject.manager if estimator is None else None,
        estimator=estimator,
        order=_order(estimator, subject.classes),
        weights=wide,
        ranked=tuple(ranked(subject, subject.heaviest_columns)),
        data=data,
        cases=known,
        reference=reference,
        name="proset" if estimator is None else _kind(estimator),
    )


def _other_ground(estimator: Any, cases: Cases | None, y: ArrayLike | None) -> SurfaceGround:
    """Collect what is known of a classifier that is no proset model."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"A surface needs a classifier with predict_proba, not a {type(estimator).__name__}.")
    if not hasattr(estimator, "classes"):
        check_is_fitted(estimator)
    if cases is None:
        raise ProsetError("A classifier alone has no rows.", hint="Pass cases: a matrix of shape (n, D).")
    index = cases.index if isinstance(cases, pd.DataFrame) else None
    X = np.asarray(cases, dtype=np.float64)
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])]
    classes = _classes(estimator)
    rows = pd.RangeIndex(len(X)) if index is None else index
    deviations = X.std(axis=0)
    return SurfaceGround(
        explained=estimator,
        named=Names(tuple(names), tuple(np.array([j]) for j in range(len(names)))),
        classes=classes,
        manager=None,
        estimator=estimator,
        order=np.arange(len(classes)),
        weights=np.divide(1.0, deviations, out=np.zeros(len(deviations)), where=deviations > 0),
        ranked=tuple(range(len(names))),
        data=X,
        cases=MappedCases(said_of(np.asarray(estimator.predict_proba(cases)), rows, classes, y), X),
        reference=np.zeros(0),
        name=_kind(estimator),
    )


def _said_by(estimator: Any, known: MappedCases, classes: tuple[str, ...]) -> pd.DataFrame:
    """Return what another classifier says of cases of a study or a model."""
    estimates = np.zeros((len(known.X), len(classes)))
    if len(known.X):
        estimates[:, _order(estimator, classes)] = estimator.predict_proba(known.X)
    said = said_of(estimates, known.facts.index, classes, None).drop(columns=["part", "actual"])
    facts = known.facts.assign(**{str(name): said[name] for name in said.columns})
    right = (facts["actual"] == facts["predicted"]).astype("boolean")
    return facts.assign(correct=right.mask(facts["actual"].isna()))


def _classes(estimator: Any) -> tuple[str, ...]:
    """Return the names of a classifier's classes."""
    own = getattr(estimator, "classes", None)
    return tuple(str(name) for name in (estimator.classes_ if own is None else own))


def _order(estimator: Any, classes: tuple[str, ...]) -> IntArray:
    """Return where the classes of another classifier stand among those of a study or a model."""
    if estimator is None:
        return np.arange(len(classes))
    own = _classes(estimator)
    foreign = [name for name in own if name not in classes]
    if foreign:
        raise ProsetError(
            f"The other classifier has classes that this one lacks: {listed(foreign)}.",
            hint="Fit it to the same labels.",
        )
    return np.array([classes.index(name) for name in own], dtype=np.int64)


def _kind(estimator: Any) -> str:
    """Return what a classifier is called: the last step of a pipeline, the model within a result."""
    inner = getattr(estimator, "model", estimator)
    steps = getattr(inner, "steps", None)
    return type(steps[-1][1] if steps else inner).__name__


def _prototype_rows(subject: Subject) -> FloatArray:
    """Return all prototypes of a model as rows; without any, the origin."""
    rows = [wide_rows(batch, subject.manager.num_features) for batch in subject.manager.batches if batch is not None]
    return np.concatenate(rows) if rows else np.zeros((1, subject.manager.num_features))
