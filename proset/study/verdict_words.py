"""The verdict on a model in short sentences; and what to do next, which is never to try settings on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from proset.common.words import count_words, listed, percent, shown
from proset.study.verdict import LITTLE, ClassVerdict, Verdict, VerdictKind

if TYPE_CHECKING:
    from proset.study.study import Study

_NEXT_TO_NOTHING = 0.05
_LISTED = 3
_SHORT = {
    VerdictKind.GOOD: "it adds to them, for every class",
    VerdictKind.UNEVEN: "it adds to them, not for every class",
    VerdictKind.LITTLE: "it adds little",
    VerdictKind.UNSURE: "one cannot tell",
    VerdictKind.NOTHING: "it adds nothing",
    VerdictKind.WORSE: "it is worse",
}
_ROW = "row"  # what was left out in turn, where others are held-out rows
_SEARCH = "Run a search: it compares settings on the training rows alone"
_COLUMNS = (
    "Compare says if another system finds more in these columns; if none does, other columns or more rows may help"
)
_APART, _TIMES, _SURE = 0.05, 2.0, 0.001  # shares of a class: difference, ratio, and chance of as much


def verdict_sentences(verdict: Verdict, *, counts: bool = True) -> tuple[str, ...]:
    """Say what a model adds to the class shares, for which classes, and what speaks against it.

    Parameters
    ----------
    counts : bool, default True
        Say for how many of the rows held out the model is right; False where that has been said.

    Returns
    -------
    tuple of str
        The verdict first; then right and wrong in numbers of rows, each class that fails, and doubts.

    Examples
    --------
    >>> from proset.study.judging import weigh
    >>> actual, shares = np.array([0, 1] * 20), np.array([0.5, 0.5])
    >>> estimates = np.where(actual[:, None] == [0, 1], 0.8, 0.2)
    >>> estimates[:2] = [[0.4, 0.6], [0.6, 0.4]]
    >>> verdict = weigh(actual, estimates, estimates.argmax(axis=1), classes=("a", "b"), marginals=shares)
    >>> for sentence in verdict_sentences(verdict):
    ...     print(sentence)
    The model adds to the class shares, for every class. It takes away 62.8 % (55.7 % to 69.9 %) of their log-loss.
    It is right for 38 of 40 held-out rows (95.0 %); always saying 'a' would be right for 20 (50.0 %), 18 rows fewer.
    This rests on 40 held-out rows only: others may say otherwise.
    """
    if verdict.repeated is not None:
        texts = [*_judged(verdict.repeated.middle, _ROW), *_how_often(verdict, counts=counts), *_relabelled(verdict)]
    else:
        texts = _judged(verdict, "held-out row", counts=counts)
        if verdict.few and verdict.uses_features:
            texts.append(f"This rests on {count_words(verdict.n_rows, 'held-out row')} only: others may say otherwise.")
    if verdict.suspicious:
        texts.append(
            "So few errors are rare in real data: make sure that no column gives the answer away, such as one that is "
            "filled in when the class is known."
        )
    return tuple(texts)


def basis_sentences(verdict: Verdict) -> tuple[str, ...]:
    """Return those of the sentences that say what repeated cross-validation has counted, and how often it says so.

    Empty where the verdict rests on the held-out rows.
    """
    if verdict.repeated is None or not verdict.uses_features:
        return ()
    middle = verdict.repeated.middle
    counted = [_right(middle, _ROW)] if middle.n_decided and middle.uses_features else []
    return (*counted, *_how_often(verdict, counts=False), *_relabelled(verdict))


def _relabelled(verdict: Verdict) -> list[str]:
    """Say how many rows of repeated cross-validation have the class that people gave them."""
    changed = 0 if verdict.repeated is None else verdict.repeated.n_relabelled
    if not changed:
        return []
    they = "counts as the class that people gave it" if changed == 1 else "count as the classes people gave them"
    return [f"{changed:,} of these rows {they}, here as in learning."]


def advice(verdict: Verdict, *, searched: bool) -> str:
    """Say what may make the model better; empty if nothing needs to be.

    Parameters
    ----------
    searched : bool
        Whether the settings come from a search.

    Examples
    --------
    >>> from proset.study.judging import weigh
    >>> nobody = np.zeros(0, dtype=int)
    >>> none = weigh(nobody, np.zeros((0, 2)), nobody, classes=("a", "b"), marginals=np.array([0.5, 0.5]))
    >>> advice(none, searched=False)
    'Hold out some rows, so that there is something to judge by.'
    """
    if verdict.n_rows == 0:
        return "Hold out some rows, so that there is something to judge by."
    if verdict.kind is VerdictKind.GOOD:
        return ""
    if verdict.kind is VerdictKind.UNSURE:
        return "More rows, or a larger share of them held out, would tell."
    return better_words(searched=searched)


def better_words(*, searched: bool) -> str:
    """Say what may make a model better that adds too little, of classes or of a number.

    Examples
    --------
    >>> better_words(searched=True)
    'Compare says if another system finds more in these columns; if none does, other columns or more rows may help.'
    """
    return f"{_COLUMNS}." if searched else f"{_SEARCH}. {_COLUMNS}."


def shares_apart(study: Study) -> str:
    """Say if a class is much more common, or rarer, among the held-out rows than among those that were learned.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> shares_apart(fit_sample("iris_2f"))
    ''
    """
    learned, held_out = (
        study.table_labels.loc[pd.Index(rows)].dropna() for rows in (study.split.train, study.split.held_out)
    )
    sizes = len(learned), len(held_out)
    if not all(sizes):
        return ""
    found = []
    for name in study.classes:
        counts = [int((side == name).sum()) for side in (learned, held_out)]
        was, now = (count / size for count, size in zip(counts, sizes, strict=True))
        if abs(now - was) >= _APART and max(was, now) >= _TIMES * min(was, now):
            table = np.array([counts, np.subtract(sizes, counts)])
            if fisher_exact(table).pvalue < _SURE / len(study.classes):
                found.append((abs(now - was), name, was, now))
    if not found:
        return ""
    _, name, was, now = max(found)
    what = "later" if study.split.settings.by_time else "held-out"
    return (
        f"'{shown(name)}' is {percent(now)} of the held-out rows and {percent(was)} of those that were learned from:"
        f" {what} rows differ from them, and settings cannot make up for that."
    )


def _judged(verdict: Verdict, row: str, *, counts: bool = True) -> list[str]:
    """Return the verdict itself and what it rests on; `row` is what a row that was not seen is called."""
    texts = [_first(verdict, row)]
    if verdict.n_decided and verdict.uses_features:
        texts += [*([_right(verdict, row)] if counts else []), *_of_classes(verdict, row)]
    return texts


def _how_often(verdict: Verdict, *, counts: bool) -> list[str]:
    """Say how often repeated cross-validation says the same, and what the rows held out say."""
    found = verdict.repeated
    if found is None or not verdict.uses_features:
        return []
    times, rows = len(found.kinds), count_words(found.middle.n_rows, "row")
    why = f"because only {count_words(verdict.n_rows, 'row was', 'rows were')} held out"
    said = (
        f"So say {found.n_same:,} of {times:,} cross-validations with these settings: each of {rows} was left out in"
        f" turn, in {found.n_folds} parts, {why}"
    )
    if times == 1:  # along time there is one way to cut the rows
        said = f"So says a cross-validation along time with these settings: {rows} by models of earlier rows, {why}"
    counted = {kind: found.kinds.count(kind) for kind in _SHORT if kind is not found.middle.kind}
    others = ", ".join(f"'{_SHORT[kind]}' ({count:,})" for kind, count in counted.items() if count)
    apart = " that are not left to a person" if verdict.n_decided < verdict.n_rows else ""
    rows = f"{count_words(verdict.n_decided, 'held-out row')}{apart}"
    held_out = f"This model itself is right for {verdict.n_right:,} of {rows}."
    often = f"{said}; the others say {others}." if others else f"{said}."
    if times > 1:
        often += " The counts are those of the middle one."
    return [often, held_out] if counts else [often]


def _first(verdict: Verdict, row: str) -> str:
    """Return the verdict itself."""
    if verdict.n_rows == 0:
        return "No row was held out, so there is nothing to judge the model by."
    if not verdict.uses_features:
        return "The model uses no feature: it only states how common each class is."
    took = f"takes away {_gain(verdict)} of their log-loss{' in cross-validation' if row == _ROW else ''}"
    if verdict.kind is VerdictKind.GOOD:
        return f"The model adds to the class shares, for every class. It {took}."
    if verdict.kind is VerdictKind.UNEVEN:
        return f"The model adds to the class shares, but does not work for every class. It {took}."
    if verdict.kind is VerdictKind.LITTLE:
        little = "next to nothing" if verdict.gain < _NEXT_TO_NOTHING else "little"
        return f"The model adds {little} to the class shares: it {took}."
    if verdict.kind is VerdictKind.UNSURE:
        doubt = "One cannot tell whether the model adds to the class shares: what it adds may be luck."
        return f"{doubt} {_range(verdict, row)}"
    return _no_better(verdict, row)


def _no_better(verdict: Verdict, row: str) -> str:
    """Return the verdict on a model whose probabilities are no better than the class shares."""
    where = "on rows left out" if row == _ROW else "on held-out rows"
    above = (
        f"{where} its log-loss is {percent(-verdict.gain)} above theirs"
        if verdict.gain < 0.0
        else f"{where} its log-loss is not lower than theirs beyond luck"
    )
    if verdict.too_sure:
        return (
            "The model ranks cases better than chance, but its probabilities are too sure of themselves and no better "
            f"than the class shares: {above}. Trust the order of cases, not the percentages."
        )
    if verdict.kind is VerdictKind.WORSE:
        return f"The model is worse than stating the class shares: {above}."
    doubt = f" With so few rows this may be luck. {_range(verdict, row)}" if verdict.high > LITTLE else ""
    if verdict.n_right > verdict.naive_right and not verdict.more_right_by_luck:
        often = f"is right more often than always saying '{shown(verdict.naive_class)}'"
        return f"The model {often}, but its probabilities add nothing to the class shares: {above}.{doubt}"
    return f"The model adds nothing to the class shares: {above}.{doubt}"


def _gain(verdict: Verdict) -> str:
    """Return the share of the log-loss that is taken away, with its interval if that has a width."""
    ends = percent(max(0.0, verdict.low)), percent(verdict.high)
    said = percent(verdict.gain)
    return said if ends[0] == ends[1] else f"{said} ({ends[0]} to {ends[1]})"


def _range(verdict: Verdict, row: str) -> str:
    """Say between what the difference to the class shares may lie."""
    rows = count_words(verdict.n_rows, row)
    if not math.isfinite(verdict.low):
        return f"There is only {rows}."
    below = f"{percent(max(0.0, verdict.high))} below"
    return f"With {rows}, its log-loss may lie anywhere from {percent(-verdict.low)} above theirs to {below}."


def _right(verdict: Verdict, row: str) -> str:
    """Return how often the model is right, and how often one is who always says the most common class."""
    right, naive = verdict.n_right, verdict.naive_right
    more = abs(right - naive)
    than = f"{count_words(more, 'row')} {'fewer' if right > naive else 'more'}" if more else "as many"
    luck = "; that may be luck" if right > naive and verdict.more_right_by_luck else ""
    left = verdict.n_rows - verdict.n_decided
    apart = " that are not left to a person" if left else ""
    begin = "In cross-validation it" if row == _ROW else "It"
    return (
        f"{begin} is right for {right:,} of {count_words(verdict.n_decided, row)}{apart} "
        f"({percent(verdict.accuracy)}); always saying '{shown(verdict.naive_class)}' would be right for {naive:,} "
        f"({percent(verdict.naive_accuracy)}), {than}{luck}."
    )


def _of_classes(verdict: Verdict, row: str) -> list[str]:
    """Return a sentence for each way in which classes fail, and the classes."""
    rest = list(verdict.classes)

    def take(which: str) -> list[ClassVerdict]:
        taken = [entry for entry in rest if getattr(entry, which)]
        rest[:] = [entry for entry in rest if entry not in taken]
        return taken

    texts = []
    if never := take("never_said"):
        texts.append(f"It never says {_counted(never, row)}.")
    if below := take("below_chance"):
        texts.append(f"It finds {_names(below)} less often than chance would.")
    for entry in (missed := take("mostly_missed"))[:_LISTED]:
        lost = entry.rows - entry.found
        texts.append(
            f"It misses {lost:,} of the {count_words(entry.rows, 'row')} of '{shown(entry.name)}' "
            f"({percent(1.0 - entry.recall)})."
        )
    if len(missed) > _LISTED:
        more = count_words(len(missed) - _LISTED, "more class", "more classes")
        texts.append(f"It misses most rows of {more}, too.")
    if not verdict.own_rule and (wrong := [entry for entry in verdict.classes if entry.mostly_wrong and entry.found]):
        texts.append(f"Where it says {_names(wrong)}, it is wrong more often than right.")
    if thin := [entry for entry in rest if entry.rows and not entry.beyond_chance]:
        texts.append(f"That it finds {_names(thin)} may be luck.")
    if absent := [entry for entry in verdict.classes if not entry.rows]:
        which = "it" if len(absent) == 1 else "them"
        texts.append(f"No {row} is {_names(absent, 'or')}, so nothing can be said about {which}.")
    return texts


def _names(entries: Sequence[ClassVerdict], word: str = "and") -> str:
    """Return names of classes; a few of many."""
    if len(entries) > _LISTED:
        return listed(entry.name for entry in entries)
    *first, last = (f"'{shown(entry.name)}'" for entry in entries)
    return f"{', '.join(first)} {word} {last}" if first else last


def _counted(entries: Sequence[ClassVerdict], row: str) -> str:
    """Return names of classes that are never said, and how many rows these have."""
    return f"{_names(entries, 'or')} ({count_words(sum(entry.rows for entry in entries), row)})"
