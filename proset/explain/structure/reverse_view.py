"""The reverse view: what one prototype decides, what is like it, and what would change without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.engine.evidence.dominant_sets import dominant_sets
from proset.engine.evidence.impacts import Impacts, impacts
from proset.engine.evidence.without import without_each
from proset.engine.metrics import log_loss
from proset.explain.judged.judged_cases import JudgedCases, judge_cases
from proset.explain.plain_values import AllPlain
from proset.explain.subject import Cases, Explained
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.engine.set_manager import Batch, SetManager

_LIKE_IT = 10


@dataclass(frozen=True, eq=False)
class PrototypeView(AllPlain, Displayed):
    """One prototype, measured on n cases.

    Attributes
    ----------
    batch, row : int
        Which one: its batch from 1, and its row id (row of the training data beside a model).
    name, target : str
        What the row is called, and its class.
    weight : float
        Its weight.
    which : str
        Which cases it is measured on, such as ``"held-out rows"``.
    n_cases, n_decided, n_wrong : int
        How many cases there are, how many can be right or wrong, and how many are wrong.
    decides : DataFrame
        The cases in whose dominant set it is, by descending ``share``. Index: case; columns ``actual``, ``predicted``,
        ``correct``, ``left``, ``similarity`` (in [0, 1]), ``impact``, ``share`` (of the estimate, in [0, 1]),
        ``first`` (whether no prototype has more impact).
    prototypes : DataFrame
        Other prototypes of its batch, the most similar first. Index: row; columns ``name``, ``class``, ``weight``,
        ``similarity``.
    known : DataFrame
        The most similar known cases: training rows of a study, the given cases beside a model. Index: case; columns
        ``name``, ``class`` (missing where unknown), ``similarity``, ``prototype`` (whether it is one, in any batch).
    log_loss, log_loss_without : float
        Mean log-loss of the cases with and without it, the other prototypes as they are; nan without known classes.
    changed : DataFrame
        The cases decided otherwise without it. Index: case; columns ``actual``, ``before``, ``after``.
    """

    batch: int
    row: int
    name: str
    target: str
    weight: float
    which: str
    n_cases: int
    n_decided: int
    n_wrong: int
    decides: pd.DataFrame
    prototypes: pd.DataFrame
    known: pd.DataFrame
    log_loss: float
    log_loss_without: float
    changed: pd.DataFrame
    classes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the cases in whose dominant set it is."""
        return self.decides.copy()


def prototype_view(
    explained: Explained,
    batch: int,
    row: int,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    rule: DecisionRule = MOST_PROBABLE,
    n_similar: int = _LIKE_IT,
) -> PrototypeView:
    """Show what one prototype decides, what is like it, and what would change without it.

    Without it means: the same model with this one prototype left out. That is exact and needs no fit; a model that was
    fitted without the row would have other weights, too.

    Parameters
    ----------
    batch : int
        Batch of the prototype, from 1.
    row : int
        Its row id; beside a model, its row in the training data.
    cases : array-like of shape (n, D), iterable of int, or None
        On which it is measured; see :func:`~proset.explain.structure.prototype_table.prototypes`.
    n_similar : int
        Number of prototypes, and of known cases, named as similar.

    Raises
    ------
    StudyError
        If the model has no such prototype.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> first = study.prototypes.iloc[0]
    >>> view = prototype_view(study, 1, int(first["row"]))
    >>> view.target == first["class"], view.n_cases, view.known["similarity"].is_monotonic_decreasing
    (True, 45, True)
    """
    judged = judge_cases(explained, cases, y, rule)
    manager = judged.subject.manager
    part = impacts(manager, judged.matrix.X)
    rows = explained.split.train[part.sample_index] if isinstance(explained, Study) else part.sample_index
    here = np.flatnonzero((part.batch == batch) & (rows == row))
    if not len(here):
        raise StudyError(
            f"Batch {batch} has no prototype from row {row}.",
            hint="The table of all prototypes lists what there is.",
        )
    j = int(here[0])
    names = np.asarray(judged.subject.classes, dtype=object)
    without = next(without_each(part, _unnormalized(judged), manager.marginals, only=[j]))
    seen = np.flatnonzero(judged.actual >= 0)
    return PrototypeView(
        batch=batch,
        row=row,
        name=_row_names(explained, [row])[0],
        target=str(names[part.target[j]]),
        weight=float(part.weight[j]),
        which=judged.which,
        n_cases=len(judged),
        n_decided=int(judged.decided.sum()),
        n_wrong=int(judged.wrong.sum()),
        decides=_decides(judged, part, j),
        prototypes=_like_prototypes(explained, part, rows, j, n_similar),
        known=_like_known(explained, judged, part, rows, j, n_similar),
        log_loss=float(log_loss(judged.probabilities[seen, judged.actual[seen]])),
        log_loss_without=float(log_loss(without[seen, judged.actual[seen]])),
        changed=_changed(judged, rule.choose(without), names),
        classes=judged.subject.classes,
    )


def _unnormalized(judged: JudgedCases) -> NDArray[np.float64]:
    """Return the unnormalised class probabilities (2.5)."""
    return judged.probabilities * (1.0 + judged.familiarity)[:, None]


def _row_names(explained: Explained, rows: list[int]) -> list[str]:
    """Name rows the way a person knows them."""
    if isinstance(explained, Study):
        return explained.names_of(explained.table.frame.loc[rows])
    return [f"row {row}" for row in rows]


def _decides(judged: JudgedCases, part: Impacts, j: int) -> pd.DataFrame:
    """Return the cases in whose dominant set the prototype is."""
    members = dominant_sets(part.impact, part.target, judged.subject.manager.marginals)[:, j]
    frame = judged.frame().assign(
        similarity=part.similarity[:, j],
        impact=part.impact[:, j],
        share=part.impact[:, j] / (1.0 + judged.familiarity),
        first=part.impact[:, j] == part.impact.max(axis=1),
    )
    return frame[members].sort_values("share", ascending=False, kind="stable")


def _changed(judged: JudgedCases, after: NDArray[np.intp], names: NDArray[np.object_]) -> pd.DataFrame:
    """Return the cases that would be decided otherwise; those that a person decides stay with the person."""
    other = (after != judged.predicted) & ~judged.left
    frame = judged.frame()[["actual", "predicted"]].rename(columns={"predicted": "before"})
    return frame.assign(after=pd.array(names[after], dtype="str"))[other]


def _kernel(batch: Batch, position: int, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarity (2.3) of rows with one prototype, by differences, so that no digits are lost."""
    apart = (X[:, batch.active_features] - batch.prototypes[position]) * batch.feature_weights.astype(np.float64)
    return np.exp(-0.5 * np.square(apart).sum(axis=1))


def _like_prototypes(explained: Explained, part: Impacts, rows: NDArray[Any], j: int, n_similar: int) -> pd.DataFrame:
    """Return the other prototypes of the batch, the most similar first."""
    manager, classes = _manager(explained)
    batch = manager.batches[int(part.batch[j]) - 1]
    others = np.flatnonzero((part.batch == part.batch[j]) & (np.arange(len(part)) != j))
    similarity = np.zeros(0)
    if batch is not None:
        apart = (batch.prototypes - batch.prototypes[part.position[j]]) * batch.feature_weights.astype(np.float64)
        similarity = np.exp(-0.5 * np.square(apart).sum(axis=1))[part.position[others]]
    order = np.argsort(-similarity, kind="stable")[:n_similar]
    chosen = others[order]
    return pd.DataFrame(
        {
            "name": pd.array(_row_names(explained, rows[chosen].tolist()), dtype="str"),
            "class": pd.array(classes[part.target[chosen]], dtype="str"),
            "weight": part.weight[chosen],
            "similarity": similarity[order],
        },
        index=pd.Index(rows[chosen], name="row"),
    )


def _like_known(
    explained: Explained, judged: JudgedCases, part: Impacts, rows: NDArray[Any], j: int, n_similar: int
) -> pd.DataFrame:
    """Return the known cases that are most similar to the prototype, itself left out where that can be told."""
    manager, _ = _manager(explained)
    batch = manager.batches[int(part.batch[j]) - 1]
    frame = judged.frame()[["actual"]]
    X = judged.matrix.X
    if isinstance(explained, Study):
        encoded = explained.encode(explained.split.train)
        X, frame = encoded.X.astype(np.float64), explained.labels.loc[pd.Index(encoded.rows)].to_frame("actual")
    similarity = np.zeros(0) if batch is None else _kernel(batch, int(part.position[j]), X)
    order = np.argsort(-similarity, kind="stable")
    if isinstance(explained, Study):
        order = order[frame.index[order] != rows[j]]
    chosen = frame.iloc[order[:n_similar]]
    is_one = chosen.index.isin(rows) if isinstance(explained, Study) else np.zeros(len(chosen), dtype=bool)
    return pd.DataFrame(
        {
            "name": pd.array(_row_names(explained, chosen.index.tolist()), dtype="str"),
            "class": chosen["actual"].astype("str").to_numpy(),
            "similarity": similarity[order[:n_similar]],
            "prototype": is_one,
        },
        index=pd.Index(chosen.index, name="row"),
    )


def _manager(explained: Explained) -> tuple[SetManager, NDArray[np.object_]]:
    """Return what scores, and the names of the classes."""
    model = explained.model if isinstance(explained, Study) else explained
    return model.set_manager_, np.asarray([str(name) for name in model.classes_], dtype=object)
