"""Quality of chosen rows beside that of all rows, so that nobody takes one for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.frames import with_index
from proset.common.words import count_words, shown
from proset.explain.slices.groups import quality_by
from proset.explain.slices.slice import FEWEST_ROWS
from proset.report.document import Block, ReportTable, Words

if TYPE_CHECKING:
    from proset.explain.slices.groups import QualityBy
    from proset.explain.slices.slice import Slice
    from proset.study import DecisionRule, Study

_LONGEST = 300


def slice_words(study: Study, chosen: Slice, rule: DecisionRule) -> str:
    """Say how many of the chosen rows are wrong, and how many of all.

    Examples
    --------
    >>> from proset.explain.slices.conditions import Condition
    >>> from proset.explain.slices.slice import Slice
    >>> from proset.study import fit_sample
    >>> from proset.study.decision import MOST_PROBABLE
    >>> study = fit_sample("iris_2f")
    >>> long = Slice((Condition.between("sepal length (cm)", low=6.5),))
    >>> slice_words(study, long, MOST_PROBABLE).partition("; ")[2]
    'wrong of all: 6 of 45 (held-out rows).'
    """
    return _words(_measured(study, chosen, rule), chosen)


def slice_blocks(study: Study, chosen: Slice, rule: DecisionRule) -> tuple[Block, ...]:
    """Show the quality of the chosen rows, of all others, and of all rows together."""
    found = _measured(study, chosen, rule)
    words = Words((_words(found, chosen),))
    if int(found.frame["rows"].iloc[0]) < FEWEST_ROWS:
        return (words,)
    table = with_index(found.frame.rename(columns={"log_loss": "log-loss"}))
    said = f"Share: of the rows that is wrong, with its 95 % interval. Rows: {found.which}."
    return words, ReportTable(table, shares=("share", "low", "high"), caption=said)


def _measured(study: Study, chosen: Slice, rule: DecisionRule) -> QualityBy:
    """Measure this model itself, as the rest of a report does, where rows were held out."""
    return quality_by(study, chosen, rule=rule, itself=len(study.split.held_out) > 0)


def _words(found: QualityBy, chosen: Slice) -> str:
    """Say how many are wrong, or why nothing can be said."""
    counts = found.frame[["rows", "wrong"]].to_numpy()
    (n, wrong), (n_all, all_wrong) = counts[0].tolist(), counts[-1].tolist()
    what = shown(chosen.words, _LONGEST)
    name = f"'{shown(chosen.name)}' ({what})" if chosen.name else f"the slice {what}"
    of_all = f"wrong of all: {all_wrong:,} of {n_all:,} ({found.which})."
    if not n:
        return f"No row that can be right or wrong is in {name}; {of_all}"
    few = "" if n >= FEWEST_ROWS else f" {count_words(n, 'row')} {'is' if n == 1 else 'are'} too few to say more."
    return f"Wrong in {name}: {wrong:,} of {n:,}; {of_all}{few}"
