"""``proset explain`` where the target is a number: the answer in words, and the cases behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.quality import wrapped
from proset.cli.terminal import complain, say
from proset.common.errors import ProsetError
from proset.common.files import replacing
from proset.common.words import count_words, number, percent, shown

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.answers import NumberAnswer
    from proset.study import NumberStudy
    from proset.study.case import Case

_SHOWN_PROTOTYPES = 5
_CSV = ".csv"


def explain_number(study: NumberStudy, case: Case, output: Path | None, *, everything: bool) -> None:
    """Print the answer for one case and what it is made of; write all prototypes to a CSV if that is asked for."""
    from proset.explain import number_answer
    from proset.study import search_words

    if output is not None and output.suffix.lower() != _CSV:
        raise ProsetError("The answer of a model of a number is written as CSV.", hint="Use .csv.")
    found = number_answer(study, case)
    _print(study, found, everything=everything)
    if study.search is not None:
        say("\nThe model")
        say(wrapped(f"  {search_words(study.search)}"))
    if output is not None:
        _write(prototype_lines(found), output)
        complain(f"report written to {output}")


def prototype_lines(found: NumberAnswer) -> pd.DataFrame:
    """Return what each prototype says of a case, and how much each column of the table adjusts it.

    Returns
    -------
    DataFrame
        One line per prototype by descending impact: ``row`` and the other columns of ``NumberAnswer.prototypes``, then
        ``adjusted for NAME`` for each column that adjusts any of them.
    """
    import pandas as pd

    moves = found.adjustments.loc[:, (found.adjustments != 0.0).any()]
    lines = found.prototypes.rename(columns={"sample": "row"})
    return pd.concat([lines, moves.rename(columns=lambda name: f"adjusted for {name}")], axis=1)


def _print(study: NumberStudy, found: NumberAnswer, *, everything: bool) -> None:
    """Print the words, then who says what."""
    say(f"{shown(found.name)}: {shown(str(study.roles.target))}")
    say(wrapped(f"  {found.words}"))
    if found.stated is not None:
        where = "inside" if found.lower <= found.stated <= found.upper else "outside"
        say(f"  The row itself has {number(found.stated)}, {where} that interval.")
    say(wrapped(f"  {_familiar(study, found)}"))
    say("\nWhat the answer is made of")
    count = len(found.prototypes) if everything else min(len(found.prototypes), _SHOWN_PROTOTYPES)
    for place in range(count):
        line = found.prototypes.iloc[place]
        mark = "*" if line["dominant"] else " "
        say(wrapped(f"{mark} {percent(float(line['share'])):>11}  {found.said_by(place)}"))
    rest = found.prototypes.iloc[count:]
    if len(rest):
        more = count_words(len(rest), "more prototype" if count else "prototype")
        say(f"  {percent(float(rest['share'].sum())):>11}  {more} (--all lists them)")
    say(f"  {percent(found.everybody):>11}  what everybody is told: the numbers of all training rows")
    if found.prototypes["dominant"].head(count).any():
        say("  * holds the median, whichever of the others were taken away")


def _familiar(study: NumberStudy, found: NumberAnswer) -> str:
    """Say how familiar the case is beside the held-out rows."""
    from proset.engine.evidence.familiarity import familiarity_quantile

    if not len(found.prototypes):
        return "The model has no prototypes: it says of every case what it says of everybody."
    import numpy as np

    quantile = float(familiarity_quantile(np.array([found.familiarity]), study.reference)[0])
    what = "held-out rows" if len(study.split.held_out) else "training rows"
    if quantile <= 0.0:
        return f"None of the {what} is as unfamiliar: few known cases are like it."
    return f"{percent(quantile)} of the {what} are at most as familiar."


def _write(lines: pd.DataFrame, output: Path) -> None:
    """Write all prototypes as CSV."""
    from proset.common.cells import write_csv

    with replacing(output) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        write_csv(lines, stream)
