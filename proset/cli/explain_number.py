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
_MOST_MOVES = 3
_SLIGHT = 0.05  # of the spread of a prototype: adjustments below go without words
_CSV = ".csv"


def explain_number(study: NumberStudy, case: Case, output: Path | None, *, everything: bool) -> None:
    """Print the answer for one case and what it is made of; write all prototypes to a CSV if that is asked for."""
    from proset.explain import number_answer
    from proset.study import search_words

    if output is not None and output.suffix.lower() != _CSV:
        raise ProsetError("The answer of a model of a number is written as CSV.", hint="Use .csv.")
    found = number_answer(study.model, case.encoded.X, _stated(study, case), name=shown(case.name))
    lines = prototype_lines(study, found)
    _print(study, found, lines, everything=everything)
    if study.search is not None:
        say("\nThe model")
        say(wrapped(f"  {search_words(study.search)}"))
    if output is not None:
        _write(lines, output)
        complain(f"report written to {output}")


def prototype_lines(study: NumberStudy, found: NumberAnswer) -> pd.DataFrame:
    """Return what each prototype says of a case, by row id, and how much each column of the table adjusts it.

    Returns
    -------
    DataFrame
        One line per prototype by descending impact: ``row``, those of ``NumberAnswer.prototypes`` without ``sample``,
        then ``adjusted for NAME`` for each column in use.
    """
    import pandas as pd

    table = found.prototypes.drop(columns="sample")
    table.insert(0, "row", study.split.train[found.prototypes["sample"].to_numpy(dtype="int64")])
    moves = _by_column(study, found)
    return pd.concat([table, moves.rename(columns=lambda name: f"adjusted for {name}")], axis=1)


def _by_column(study: NumberStudy, found: NumberAnswer) -> pd.DataFrame:
    """Return the adjustments by column of the table: those of a category's levels together."""
    sources = [column.source for column in study.design.columns]
    used = [name for name in study.used_columns if name in sources]
    return found.adjustments.set_axis(sources, axis=1).T.groupby(level=0, sort=False).sum().T[used]


def _stated(study: NumberStudy, case: Case) -> float | None:
    """Return the number that the row itself has; None where it has none, or what it has is no number."""
    import math

    from proset.common.errors import RoleError
    from proset.data.number_target import target_numbers

    try:
        value = float(target_numbers(case.frame, study.roles).iloc[0])
    except RoleError:  # a new row need not have the target, and may hold anything there
        return None
    return None if math.isnan(value) else value


def _print(study: NumberStudy, found: NumberAnswer, lines: pd.DataFrame, *, everything: bool) -> None:
    """Print the words, then who says what."""
    target = shown(str(study.roles.target))
    say(f"{found.name}: {target}")
    say(wrapped(f"  {found.words}"))
    say(f"  The mean is {number(found.mean)}.")
    if found.stated is not None:
        where = "inside" if found.lower <= found.stated <= found.upper else "outside"
        say(f"  The row itself has {number(found.stated)}, {where} the interval.")
    say(wrapped(f"  {_familiar(study, found)}"))
    say("\nWhat the answer is made of")
    count = len(lines) if everything else min(len(lines), _SHOWN_PROTOTYPES)
    for place in range(count):
        line = found.prototypes.iloc[place]
        mark = "*" if line["dominant"] else " "
        say(wrapped(f"{mark} {percent(float(line['share'])):>8}  {_said_by(study, found, place)}"))
    rest = found.prototypes.iloc[count:]
    if len(rest):
        more = count_words(len(rest), "more prototype" if count else "prototype")
        say(f"  {percent(float(rest['share'].sum())):>8}  {more} (--all lists them)")
    say(f"  {percent(found.everybody):>8}  what everybody is told: the numbers of all training rows")
    if found.prototypes["dominant"].head(count).any():
        say("  * holds the median, whatever became of all others")


def _familiar(study: NumberStudy, found: NumberAnswer) -> str:
    """Say how familiar the case is beside the held-out rows."""
    from proset.engine.evidence.familiarity import familiarity_quantile

    if not len(found.prototypes):
        return "The model has no prototypes: it says of every case what it says of everybody."
    import numpy as np

    quantile = float(familiarity_quantile(np.array([found.familiarity]), study.reference)[0])
    what = "held-out rows" if len(study.split.held_out) else "training rows"
    return f"It is as familiar as, or more than, {percent(quantile)} of the {what}."


def _said_by(study: NumberStudy, found: NumberAnswer, place: int) -> str:
    """Say what one prototype says, and why not its own number: the columns that adjust it most."""
    from proset.explain.numbers.number_facts import rough

    line, parts = found.prototypes.iloc[place], _by_column(study, found).iloc[place]
    least = _SLIGHT * float(line["spread"])
    largest = parts[parts.abs() > least].abs().nlargest(_MOST_MOVES).index
    moves = [f"{_signed(float(parts[name]))} for {shown(name)}" for name in largest]
    others = parts.drop(largest)
    if abs(rest := float(others.sum())) > least:
        moves.append(f"{_signed(rest)} for {count_words(int((others != 0.0).sum()), 'other column')}")
    row = int(study.split.train[int(line["sample"])])
    who = shown(study.names_of(study.table.frame.loc[[row]])[0])
    own = f"{who} has {number(float(line['target']))}"
    said = f"so it says {number(float(line['says']))}, give or take {rough(float(line['spread']))}"
    return f"{own}{''.join(f', {move}' for move in moves)}: {said}"


def _signed(value: float) -> str:
    """Write a difference with its sign."""
    return f"{'+' if value >= 0 else '-'}{number(float(f'{abs(value):.3g}'))}"


def _write(lines: pd.DataFrame, output: Path) -> None:
    """Write all prototypes as CSV."""
    from proset.common.cells import write_csv

    with replacing(output) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        write_csv(lines, stream)
