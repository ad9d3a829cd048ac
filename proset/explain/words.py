"""An explained case in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.words import count_words, percent
from proset.explain.phrases import similarity_words

if TYPE_CHECKING:
    from proset.study.base import StudyBase

_PARTS: Mapping[str, str] = {
    "train": "training row",
    "held_out": "held-out row",
    "unlabelled": "row",
    "new": "new row",
}


def estimate_sentence(
    part: str,
    *,
    actual: str | None,
    probabilities: pd.Series,
    predicted: str,
    left: bool = False,
    stated: str | None = None,
) -> str:
    """Say what the model says, and whether the table says the same.

    Parameters
    ----------
    part : {"train", "held_out", "unlabelled", "new"}
        Where the case comes from.
    actual : str or None
        The class that the case counts as, if there is one: that of the table, or the one that people gave it.
    probabilities : Series
        Estimated probabilities, index class.
    predicted : str
        The class that the decision rule says.
    left : bool
        Whether the rule leaves the case to a person.
    stated : str or None
        The class in the table where it is another one, or where the row was left out and counts as none.

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
        known = "" if actual is None and stated is None else f" {_of_table(actual, stated)}."
        leaning = "" if predicted == ranked.index[0] else f", which leans to '{predicted}',"
        return f"{text}. The decision rule{leaning} leaves this {_PARTS[part]} to a person.{known}"
    if predicted != ranked.index[0]:
        text += f". The decision rule says '{predicted}', which has {percent(ranked[predicted])}"
    if actual is None:
        without = f"This {_PARTS[part]} has no label to compare with" if stated is None else _of_table(None, stated)
        return f"{text}. {without}."
    if actual != predicted:
        return f"{text}. {_of_table(actual, stated)}: this {_PARTS[part]} is misclassified."
    if stated is not None:
        return f"{text}. {_of_table(actual, stated)}, as the model does."
    return f"{text}. The table says the same of this {_PARTS[part]}."


def _of_table(actual: str | None, stated: str | None) -> str:
    """Say what the table says, and where a row counts as something else, as what."""
    if stated is None:
        return f"The table says '{actual}'"
    other = "but the row was left out" if actual is None else f"people said '{actual}'"
    return f"The table says '{stated}', {other}"


def evidence_sentence(report: pd.DataFrame, *, first: str, share: float, least: float, shares_decide: bool) -> str:
    """Say what drives the estimate: the dominant set, or why there is none.

    Parameters
    ----------
    report : DataFrame
        The prototypes' rows of the explanation report, by descending impact.
    first : str
        The class with the highest estimate.
    share : float
        Its estimate, in [0, 1].
    least : float
        What would be left of it if all prototypes outside the dominant set spoke for another class: what decides which
        class comes first does not make it certain.
    shares_decide : bool
        Whether that class comes first by the class shares of the training rows, whatever all prototypes say.

    Examples
    --------
    >>> rows = pd.DataFrame({"dominant set": [1, 1, 0], "target": ["a", "b", "a"], "similarity": [0.9, 0.4, 0.1]})
    >>> sentence = evidence_sentence(rows, first="a", share=0.66, least=0.52, shares_decide=False)
    >>> sentence.split(": ")[0]
    "The 2 most influential of 3 prototypes (1 'a', 1 'b') decide which class comes first"
    >>> sentence.split(": ")[1]
    "'a', with 66.0 %, and still with 52.0 % if the other one spoke for another class."
    """
    if report.empty:
        return "The model has no prototypes."  # what follows says where the estimate comes from
    if shares_decide:
        which = "the only prototype" if len(report) == 1 else f"the most influential of {len(report):,} prototypes"
        similarity = similarity_words(float(report["similarity"].iloc[0]))
        return (
            f"The class shares decide which class comes first, whatever prototypes say: '{first}', with"
            f" {percent(share)}; {which}, '{report['target'].iloc[0]}', has similarity {similarity}."
        )
    dominant = report[report["dominant set"].eq(1).fillna(False)]
    if dominant.empty:
        all_of = "Its one prototype leaves" if len(report) == 1 else f"All {len(report):,} prototypes together leave"
        return f"{all_of} the two leading classes level, so nothing decides which comes first."
    return _decisive(report, dominant, f"'{first}', with {percent(share)}", percent(least))


def _decisive(report: pd.DataFrame, dominant: pd.DataFrame, outcome: str, least: str) -> str:
    """Say how many prototypes decide which class comes first, and how sure it would be without the others."""
    others, found = len(report) - len(dominant), dominant["target"].value_counts()
    classes = ", ".join(f"{count:,} '{name}'" for name, count in found.items())
    if others == 0 and len(report) == 1:
        return f"The model's only prototype decides which class comes first: {outcome}."
    # Where all are of the class that comes first, it is named as what comes out.
    whose = "" if outcome.startswith(f"'{found.index[0]}', ") and len(found) == 1 else f" ({classes})"
    if others == 0:
        return f"It takes all {len(report):,} prototypes{whose} to decide which class comes first: {outcome}."
    which = (
        f"The most influential of {len(report):,} prototypes{whose} decides"
        if len(dominant) == 1
        else f"The {len(dominant):,} most influential of {len(report):,} prototypes{whose} decide"
    )
    rest = "the other one" if others == 1 else f"all {others:,} others"
    return f"{which} which class comes first: {outcome}, and still with {least} if {rest} spoke for another class."


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


def prototype_names(prototypes: pd.DataFrame) -> pd.Series:
    """Name prototypes, lines of an explanation report; with their batch where a row is one in several.

    Examples
    --------
    >>> lines = pd.DataFrame({"sample name": ["row 4", "row 9", "row 4"], "batch": [1, 1, 2]})
    >>> prototype_names(lines).tolist()
    ['row 4, batch 1', 'row 9', 'row 4, batch 2']
    """
    names = prototypes["sample name"].astype("str")
    repeated = names.duplicated(keep=False)
    return names.where(~repeated, names + ", batch " + prototypes["batch"].astype("str"))


def rows_kept_words(study: StudyBase) -> str:
    """Say of how many rows the prototypes of a model are, where a row is one in several batches; else nothing.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> kept = pd.DataFrame({"batch": [1, 1, 2], "row": [4, 9, 4]})
    >>> rows_kept_words(SimpleNamespace(prototypes=kept, split=SimpleNamespace(train=range(20))))
    'The 3 prototypes are 2 of the 20 training rows: a row counts once in each batch that keeps it.'
    """
    rows, n = study.prototypes["row"].nunique(), len(study.prototypes)
    if rows == n:
        return ""
    of = f"{rows:,} of the {count_words(len(study.split.train), 'training row')}"
    return f"The {n:,} prototypes are {of}: a row counts once in each batch that keeps it."


def kept_words(study: StudyBase) -> tuple[str, ...]:
    """Say how many prototypes a model keeps and at how many features it looks, in a sentence or two.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> none = SimpleNamespace(prototypes=pd.DataFrame({"row": []}))
    >>> kept_words(none)
    ('It keeps no prototype and looks at no feature.',)
    """
    if study.prototypes.empty:
        return ("It keeps no prototype and looks at no feature.",)
    looks = f"{len(study.used_columns):,} of {count_words(len(study.roles.features), 'feature')}"
    kept = f"It keeps {count_words(len(study.prototypes), 'prototype')} and looks at {looks}."
    return tuple(filter(None, (kept, rows_kept_words(study))))
