"""The verdict on a model: what it adds to stating how common each class is, weighed on the held-out rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.metrics import losses_of, pairwise_auc
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.intervals import auc_interval, go_together, mean_interval
from proset.study.verdict import LITTLE, ClassVerdict, Repeated, Verdict, VerdictKind

if TYPE_CHECKING:
    from proset.study.study import Study

_LITTLE_UNLESS_MORE_RIGHT = 0.2  # the same if it is not right more often than the most common class, beyond luck
_RANKS = 0.6  # ROC-AUC from which on a model ranks better than chance, if luck is out of the question
_FROM_GOOD_TO_BAD = (
    VerdictKind.GOOD, VerdictKind.UNEVEN, VerdictKind.LITTLE, VerdictKind.UNSURE, VerdictKind.NOTHING, VerdictKind.WORSE
)  # fmt: skip
_PERFECT_GAIN, _PERFECT_SHARE, _PERFECT_ROWS = 0.95, 0.995, 20  # beyond, a column may give the answer away


def judge_model(study: Study, rule: DecisionRule = MOST_PROBABLE) -> Verdict:
    """Say what a model adds to stating the class shares, from its held-out rows and, if they are few, from others too.

    Parameters
    ----------
    rule : DecisionRule
        How cases are decided; probabilities are judged in the same way whatever it says.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> verdict = judge_model(fit_sample("iris_2f"))
    >>> str(verdict.kind), verdict.n_rows, [entry.rows for entry in verdict.classes]
    ('good', 45, [15, 15, 15])
    """
    rows = pd.Index(study.split.held_out)
    judged = study.judged(rule).loc[rows]
    position = pd.Index(study.classes)
    counts = np.bincount(
        position.get_indexer(pd.Index(study.labels.reindex(study.split.train))), minlength=len(position)
    )
    said = position.get_indexer(pd.Index(judged["predicted"]))
    verdict = weigh(
        position.get_indexer(pd.Index(judged["actual"])),
        study.probabilities.loc[rows].to_numpy(),
        np.where(judged["left"], -1, said),
        classes=study.classes,
        marginals=counts / counts.sum(),
        uses_features=bool(len(study.feature_weights) and len(study.prototypes)),
        own_rule=rule != MOST_PROBABLE,
        groups=study.groups_of(rows),
    )
    return verdict if study.left_out is None or not len(study.left_out) else _with_repeated(verdict, study, rule)


def _with_repeated(verdict: Verdict, study: Study, rule: DecisionRule) -> Verdict:
    """Add what repeated cross-validation says, which then is the verdict."""
    left_out = study.left_out
    assert left_out is not None
    rows = pd.Index(left_out.rows)
    actual = pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[rows]))
    counts = np.bincount(actual, minlength=len(study.classes))
    found = [
        weigh(
            actual,
            probabilities,
            np.where(rule.leaves(quantile), -1, rule.choose(probabilities)),
            classes=study.classes,
            marginals=counts / counts.sum(),
            uses_features=verdict.uses_features,
            own_rule=rule != MOST_PROBABLE,
            groups=study.groups_of(rows),
        )
        for probabilities, quantile in zip(left_out.probabilities, left_out.quantile, strict=True)
    ]
    kinds = tuple(one.kind for one in found)
    # Of two that are said equally often, the less kind one.
    most = max(reversed(_FROM_GOOD_TO_BAD), key=kinds.count)
    same = sorted((one for one in found if one.kind is most), key=lambda one: one.gain)
    middle = same[(len(same) - 1) // 2]
    relabelled = int((study.labels.loc[rows] != study.table_labels.loc[rows]).sum())
    repeated = Repeated(left_out.n_folds, kinds, middle, relabelled)
    return replace(verdict, kind=most, suspicious=middle.suspicious, too_sure=middle.too_sure, repeated=repeated)


def weigh(
    actual: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    said: NDArray[np.int64],
    *,
    classes: tuple[str, ...],
    marginals: NDArray[np.float64],
    uses_features: bool = True,
    own_rule: bool = False,
    groups: NDArray[np.int64] | None = None,
) -> Verdict:
    """Compare estimates and decisions for held-out rows with what stating the class shares would give.

    Parameters
    ----------
    actual : int array of shape (n,)
        Position of the class of each row.
    probabilities : float array of shape (n, K)
        Estimates; each row sums to one.
    said : int array of shape (n,)
        Position of the class that is said of each row; -1 where a person decides.
    classes : tuple of K str
        Their names.
    marginals : float array of shape (K,)
        Share of each class in the training rows.
    uses_features : bool
        Whether the model looks at the case at all.
    own_rule : bool
        Whether another rule decides than the most probable class.
    groups : int array of shape (n,) or None
        Number of the group of each row, where rows come in groups: intervals are then those of as many groups.

    Examples
    --------
    >>> actual = np.array([0, 1] * 20)
    >>> estimates = np.where(actual[:, None] == [0, 1], 0.8, 0.2)
    >>> verdict = weigh(actual, estimates, actual, classes=("no", "yes"), marginals=np.array([0.5, 0.5]))
    >>> str(verdict.kind), round(verdict.gain, 3), verdict.n_right
    ('good', 0.678, 40)
    """
    losses, naive = (
        losses_of(estimates)
        for estimates in (probabilities[np.arange(len(actual)), actual], np.asarray(marginals)[actual])
    )
    gain, low, high = _gain(losses, naive, groups)
    decided = said >= 0
    of_decided = None if groups is None else groups[decided]
    best = int(np.argmax(marginals))
    right, naive_right = (said == actual)[decided], (actual == best)[decided]
    verdict = Verdict(
        kind=VerdictKind.UNSURE,
        n_rows=len(actual),
        log_loss=float(losses.mean()) if len(actual) else math.nan,
        naive_log_loss=float(naive.mean()) if len(actual) else math.nan,
        gain=gain,
        low=low,
        high=high,
        roc_auc=pairwise_auc(actual, probabilities),
        n_decided=int(decided.sum()),
        n_right=int(right.sum()),
        naive_class=classes[best],
        naive_right=int(naive_right.sum()),
        more_right_by_luck=mean_interval(right.astype(float) - naive_right, of_decided)[0] <= 0.0,
        classes=_by_class(actual[decided], said[decided], classes, of_decided),
        uses_features=uses_features,
        too_sure=gain <= 0.0 and uses_features and _ranks(actual, probabilities, groups),
        suspicious=_suspicious(gain, right, naive_right),
        own_rule=own_rule,
    )
    return replace(verdict, kind=_kind(verdict))


def _kind(verdict: Verdict) -> VerdictKind:
    """Name the verdict; good only what holds for every class and is beyond luck."""
    if verdict.n_rows == 0:
        return VerdictKind.UNSURE
    if not verdict.uses_features:
        return VerdictKind.NOTHING
    if verdict.gain <= 0.0:
        return VerdictKind.WORSE if verdict.high < 0.0 or verdict.too_sure else VerdictKind.NOTHING
    if not verdict.low > 0.0:
        return VerdictKind.UNSURE if not verdict.high <= LITTLE else VerdictKind.NOTHING
    no_more_right = not verdict.own_rule and verdict.more_right_by_luck and verdict.gain < _LITTLE_UNLESS_MORE_RIGHT
    if verdict.gain < LITTLE or no_more_right:
        return VerdictKind.LITTLE
    return VerdictKind.UNEVEN if verdict.weak_classes else VerdictKind.GOOD


def _suspicious(gain: float, right: NDArray[np.bool_], naive_right: NDArray[np.bool_]) -> bool:
    """Tell whether a model is as good as one gets by knowing the answer."""
    if len(right) < _PERFECT_ROWS or naive_right.mean() >= _PERFECT_SHARE:
        return False
    return bool(right.all() or (gain >= _PERFECT_GAIN and right.mean() >= _PERFECT_SHARE))


def _by_class(
    actual: NDArray[np.int64], said: NDArray[np.int64], classes: tuple[str, ...], groups: NDArray[np.int64] | None
) -> tuple[ClassVerdict, ...]:
    """Count the decided rows of each class."""
    return tuple(
        ClassVerdict(
            name,
            rows=int((actual == k).sum()),
            found=int(((actual == k) & (said == k)).sum()),
            said=int((said == k).sum()),
            n_rows=len(actual),
            beyond_luck_of_groups=None if groups is None else go_together(actual == k, said == k, groups),
        )
        for k, name in enumerate(classes)
    )


def _gain(
    losses: NDArray[np.float64], naive: NDArray[np.float64], groups: NDArray[np.int64] | None
) -> tuple[float, float, float]:
    """Return the share of the naive loss that is taken away, and its interval (of a ratio, by the delta method)."""
    if not len(losses) or naive.mean() <= 0.0:
        return math.nan, math.nan, math.nan
    gain = float(1.0 - losses.mean() / naive.mean())
    # Linear in the rows: how much each of them departs from the loss that the ratio would give it.
    low, high = mean_interval((naive - losses - gain * naive) / naive.mean(), groups)
    return gain, gain + low, min(1.0, gain + high)


def _ranks(actual: NDArray[np.int64], probabilities: NDArray[np.float64], groups: NDArray[np.int64] | None) -> bool:
    """Tell whether the classes are ranked better than chance, by more than so many rows do by luck."""
    counts = np.bincount(actual, minlength=probabilities.shape[1])
    counts = counts[counts > 0]
    if len(counts) < 2:
        return False
    if groups is not None:
        ranked = auc_interval(actual, probabilities, groups)
        return ranked.value > _RANKS and ranked.low > 0.5
    # Of the two smallest classes, by which the ranks of Mann and Whitney scatter most.
    one, other = np.sort(counts)[:2]
    luck = math.sqrt((one + other + 1) / (12.0 * one * other))
    return pairwise_auc(actual, probabilities) > max(_RANKS, 0.5 + 2.0 * luck)
