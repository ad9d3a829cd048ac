"""Quality of a model on cases that it has not seen: measures, decisions, curves and calibration in one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.engine.metrics import losses_of
from proset.explain.judged.calibration_bins import Calibration, calibration_of
from proset.explain.judged.curves import RankingCurves, curves_of
from proset.explain.judged.judged_cases import judge_known_cases
from proset.explain.plain_values import plain_array, plain_fields, plain_rows
from proset.explain.subject import Cases, Explained
from proset.study.decision import MOST_PROBABLE, DecisionRule, confusion
from proset.study.intervals import Measured, auc_interval, balanced_interval, mean_interval, share_interval
from proset.study.judging import weigh

if TYPE_CHECKING:
    from proset.study.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Quality(Displayed):
    """Quality of estimates and decisions on n cases with a known class.

    Attributes
    ----------
    n_rows, n_left : int
        How many have a known class, and how many of these the rule leaves to a person.
    rule : DecisionRule
        How cases are decided; accuracy, balanced accuracy and confusion follow from it, the others do not.
    log_loss, accuracy : Measured
        Mean of -log(probability of the actual class); share of the decided cases that are right.
    roc_auc, balanced_accuracy : Measured
        Mean over all pairs of classes of how well they are ranked; mean over the classes of the share found.
    n_groups : int or None
        Groups that the cases belong to, where a study keeps groups together: all intervals are then by groups.
    verdict : Verdict
        What the model adds to stating the class shares of its training rows.
    confusion : DataFrame of int64, shape (K, K)
        Decided cases by actual class (index) and class said (columns).
    curves : RankingCurves
        Each class against all others.
    calibration : Calibration
        Of the most probable class.
    """

    which: str
    n_rows: int
    n_left: int
    rule: DecisionRule
    log_loss: Measured
    accuracy: Measured
    roc_auc: Measured
    balanced_accuracy: Measured
    n_groups: int | None
    verdict: Verdict
    confusion: pd.DataFrame
    curves: RankingCurves
    calibration: Calibration
    classes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the measures: index ``measure``, columns ``value``, ``low``, ``high`` (95 %) and ``naive``."""
        naive = self.verdict
        lines = {
            "log-loss": (*_three(self.log_loss), naive.naive_log_loss),
            "ROC-AUC": (*_three(self.roc_auc), 0.5),
            "balanced accuracy": (*_three(self.balanced_accuracy), math.nan),
            "accuracy": (*_three(self.accuracy), naive.naive_accuracy),
            "log-loss taken away": (naive.gain, naive.low, naive.high, 0.0),
        }
        frame = pd.DataFrame.from_dict(lines, orient="index", columns=["value", "low", "high", "naive"])
        return frame.rename_axis("measure")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values; the confusion as a list per actual class, in their order."""
        return {
            **plain_fields(self, "which", "n_rows", "n_left", "n_groups", "curves", "calibration", "classes"),
            "rule": self.rule.words,
            "measures": plain_rows(self.to_frame()),
            "confusion": plain_array(self.confusion.to_numpy()),
        }


def quality(
    explained: Explained, cases: Cases | None = None, y: ArrayLike | None = None, *, rule: DecisionRule = MOST_PROBABLE
) -> Quality:
    """Measure a model on cases with a known class.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model; row ids beside a study, None for its held-out rows (its training rows, on which every
        model looks better than it is, if none are held out).

    Raises
    ------
    StudyError
        If the rule is made for another number of classes.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = quality(fit_sample("iris_2f"))
    >>> found.n_rows, int(found.confusion.to_numpy().sum()), found.accuracy.low < found.accuracy.value
    (45, 45, True)
    """
    judged = judge_known_cases(explained, cases, y, rule)
    known = judged.actual >= 0
    actual, probabilities, classes = judged.actual[known], judged.probabilities[known], judged.subject.classes
    manager = judged.subject.manager
    groups = None if judged.groups is None else judged.groups[known]
    decided = judged.decided[known]
    right, by_group = (judged.actual == judged.predicted)[known][decided], None if groups is None else groups[decided]
    verdict = weigh(
        actual,
        probabilities,
        np.where(judged.left, -1, judged.predicted)[known],
        classes=classes,
        marginals=manager.marginals,
        uses_features=bool(len(manager.get_active_features()) and manager.get_num_prototypes()),
        own_rule=rule != MOST_PROBABLE,
        groups=groups,
    )
    return Quality(
        which=judged.which,
        n_rows=len(actual),
        n_left=int((judged.left & known).sum()),
        rule=rule,
        log_loss=_log_loss(probabilities[np.arange(len(actual)), actual], groups),
        accuracy=share_interval(right, by_group),
        roc_auc=auc_interval(actual, probabilities, groups),
        balanced_accuracy=balanced_interval(actual[decided], right, by_group),
        n_groups=None if groups is None else len(np.unique(groups)),
        verdict=verdict,
        confusion=confusion(judged.frame().reset_index(drop=True), classes),
        curves=curves_of(judged),
        calibration=calibration_of(judged),
        classes=classes,
    )


def _three(measured: Measured) -> tuple[float, float, float]:
    """Return a measure with its interval."""
    return measured.value, measured.low, measured.high


def _log_loss(of_actual: NDArray[np.float64], groups: NDArray[np.int64] | None) -> Measured:
    """Return the mean loss with its interval; none from fewer than two cases or groups."""
    if not len(of_actual):
        return Measured(math.nan)
    losses = losses_of(of_actual)
    low, high = mean_interval(losses, groups)
    mean = float(losses.mean())
    return Measured(mean, max(0.0, low), high) if math.isfinite(high) else Measured(mean)
