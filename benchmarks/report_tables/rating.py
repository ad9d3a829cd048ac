"""The report's threshold rule: which classifier is best on a problem, and which of the others are equivalent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

RATINGS = ("best", "equivalent", "worse", "worst")


@dataclass(frozen=True)
class Score:
    """What the rule looks at, of one classifier on one problem.

    Attributes
    ----------
    log_loss : float
        On test data.
    threshold : float
        Mean and standard deviation of the log-loss over folds, added, where it was best.
    naive : float
        Log-loss on test data of the model that always states the class shares.
    """

    log_loss: float
    threshold: float
    naive: float


def rate(scores: Mapping[str, Score]) -> dict[str, str]:
    """Rate the classifiers on one problem.

    Numbers are compared with two decimals, as the report prints them. A classifier that is no better than the class
    shares is "worst": the report calls it a constant estimator. Of several that are best, the lowest threshold counts.

    Parameters
    ----------
    scores : mapping of str to Score
        By classifier.

    Returns
    -------
    dict of str to str
        "best", "equivalent", "worse" or "worst" by classifier.

    Examples
    --------
    >>> rate({"a": Score(0.43, 0.57, 1.1), "b": Score(0.48, 0.54, 1.1), "c": Score(0.63, 0.62, 1.1)})
    {'a': 'best', 'b': 'equivalent', 'c': 'worse'}
    """
    losses = {name: round(score.log_loss, 2) for name, score in scores.items()}
    lowest = min(losses.values())
    threshold = min(round(score.threshold, 2) for name, score in scores.items() if losses[name] == lowest)
    ratings = {}
    for name, loss in losses.items():
        if loss >= round(scores[name].naive, 2):
            ratings[name] = "worst"
        elif loss == lowest:
            ratings[name] = "best"
        else:
            ratings[name] = "equivalent" if loss <= threshold else "worse"
    return ratings


def count(ratings: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many problems have each rating, by classifier: table 1.1."""
    classifiers = next(iter(ratings.values()))
    counted = {name: Counter(of_problem[name] for of_problem in ratings.values()) for name in classifiers}
    return {name: {rating: found[rating] for rating in RATINGS} for name, found in counted.items()}


def within(log_loss: float, threshold: float) -> bool:
    """Whether a log-loss does not exceed a threshold, both with two decimals."""
    return round(log_loss, 2) <= round(threshold, 2)
