"""An explained case in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from proset.common.words import percent
from proset.engine.evidence.familiarity import familiarity_words

_PARTS: Mapping[str, str] = {
    "train": "training row",
    "held_out": "held-out row",
    "unlabelled": "row",
    "new": "new row",
}


def estimate_sentence(
    part: str, *, actual: str | None, probabilities: pd.Series, predicted: str, left: bool = False
) -> str:
    """Say what the model says, and whether the table says the same.

    Parameters
    ----------
    part : {"train", "held_out", "unlabelled", "new"}
        Where the case comes from.
    actual : str or None
        The class in the table, if there is one.
    probabilities : Series
        Estimated probabilities, index class.
    predicted : str
        The class that the decision rule says.
    left : bool
        Whether the rule leaves the case to a person.

    Examples
    --------
    >>> estimate_sentence("held_out", actual="b", probabilities=pd.Series({"a": 0.9, "b": 0.1}), predicted="a")
    "The model says 'a' with 90.0 %, then 'b' with 10.0 %. The table says 'b': this held-out row is misclassified."
    """
    ranked = probabilities.sort_values(ascending=False, kind="stable")
    text = f"The model says '{ranked.index[0]}' with {percent(ranked.iloc[0])}"
    if len(ranked) > 1:
        text += f", then '{ranked.index[1]}' with {percent(ranked.iloc[1])}"
    if left:
        known = "" if actual is None else f" The table says '{actual}'."
        return f"{text}. The decision rule leaves this {_PARTS[part]} to a person.{known}"
    if predicted != ranked.index[0]:
        text += f". The decision rule says '{predicted}', which has {percent(ranked[predicted])}"
    if actual is None:
        return f"{text}. This {_PARTS[part]} has no label to compare with."
    if actual == predicted:
        return f"{text}. The table says the same of this {_PARTS[part]}."
    return f"{text}. The table says '{actual}': this {_PARTS[part]} is misclassified."


def evidence_sentence(report: pd.DataFrame, *, first: str, marginal_share: float) -> str:
    """Say what drives the estimate: the dominant set, or why there is none.

    Parameters
    ----------
    report : DataFrame
        The prototypes' rows of the explanation report, by descending impact.
    first : str
        The class with the highest estimate.
    marginal_share : float
        Part of the whole estimate that comes from the class shares of the training rows, in [0, 1].

    Examples
    --------
    >>> rows = pd.DataFrame({"dominant set": [1, 1, 0], "target": ["a", "b", "a"]})
    >>> sentence = evidence_sentence(rows, first="a", marginal_share=0.1)
    >>> sentence.split(": ")[0]
    "The 2 most influential of 3 prototypes (1 'a', 1 'b') settle it"
    >>> sentence.split(": ")[1]
    "even if the other one were of another class, 'a' would still come first."
    """
    if report.empty:
        return "The model has no prototypes: the estimate is the share of each class among the training rows."
    if marginal_share > 0.5:
        return (
            f"No prototype is close: {percent(marginal_share)} of the estimate is only the share of each class "
            "among the training rows."
        )
    dominant = report[report["dominant set"].eq(1).fillna(False)]
    if dominant.empty:
        all_of = "Its one prototype leaves" if len(report) == 1 else f"All {len(report):,} prototypes together leave"
        return f"{all_of} the two leading classes level, so nothing settles it."
    others = len(report) - len(dominant)
    found = dominant["target"].value_counts()
    classes = ", ".join(f"{count:,} '{name}'" for name, count in found.items())
    if others == 0:
        if others == 0 and len(report) == 1:
            return f"The model's only prototype, '{found.index[0]}', settles it for '{first}'."
        return f"It takes all {len(report):,} prototypes ({classes}) to settle it for '{first}'."
    whose = f" ({classes})" if len(found) > 1 else f", {'all of them ' if len(dominant) > 1 else ''}'{found.index[0]}',"
    rest = "the other one were" if others == 1 else f"all {others:,} others were"
    settle = (
        f"The most influential of {len(report):,} prototypes{whose} settles it"
        if len(dominant) == 1
        else f"The {len(dominant):,} most influential of {len(report):,} prototypes{whose} settle it"
    )
    return f"{settle}: even if {rest} of another class, '{first}' would still come first."


def self_sentence(report: pd.DataFrame, row: int | None) -> list[str]:
    """Point out that the case is one of the prototypes, hence no fresh evidence.

    Parameters
    ----------
    report : DataFrame
        The prototypes' rows of the explanation report; ``sample`` holds table row ids.
    row : int or None
        The case's row id; None if it is not in the table.

    Returns
    -------
    list of str
        One sentence, or none.

    Examples
    --------
    >>> self_sentence(pd.DataFrame({"sample": [4, 7]}), 7)
    ['This case is itself one of the prototypes, so it votes for its own class.']
    """
    if row is None or not report["sample"].eq(row).fillna(False).any():
        return []
    return ["This case is itself one of the prototypes, so it votes for its own class."]


def familiarity_sentence(quantile: float) -> str:
    """Say how well the model knows cases like this one.

    Parameters
    ----------
    quantile : float
        Share of the held-out rows that are at most as familiar, in [0, 1].

    Examples
    --------
    >>> familiarity_sentence(0.61)
    'This case is familiar: at least as familiar as 61.0 % of the reference cases.'
    """
    return f"This case is {familiarity_words(quantile)}."
