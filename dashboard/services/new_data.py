"""New rows of a person: read, estimated, and put in the order in which somebody should look at them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.texts import new as text
from proset.bulk.one_file import output_rows
from proset.common.errors import TableError
from proset.common.frames import free_names
from proset.common.spread import spread_out
from proset.common.words import count_words, listed, shown
from proset.data.date_cells import no_dates
from proset.data.day_hours import CLOCK, HourOfDay, read_clock
from proset.data.guarded import read_table_guarded
from proset.data.issues import Role
from proset.data.missing_words import declare
from proset.data.reading.dialect import LONGEST_WORD, MOST_WORDS, MissingWord
from proset.data.table import Table, read_table
from proset.explain.familiar.case_standing import Standing, standing
from proset.explain.familiar.shift import Drift, drift
from proset.study.find_row import identifier_text
from proset.study.new_rows import PROBABILITY_PREFIX

if TYPE_CHECKING:
    from proset.study import DecisionRule, Study
    from proset.study.any_study import AnyStudy

_MOST_NAMED = 3

PLACE = "new data"
"""Place on the page where a file was refused."""
MOST_TRIED = 500
"""Held-out rows that stand in for a file, where a person has none."""
MOST_PAIRS = 2_000_000_000
"""Pairs of a new and a known row up to which a page compares all of them; under ten seconds."""


class Near(StrEnum):
    """In which columns the figure asks how near known cases are."""

    ALL = "all"
    MODEL = "model"


NEAR_COLUMNS = {Near.ALL: "novelty_quantile_all", Near.MODEL: "novelty_quantile"}
"""The column of :class:`~proset.explain.familiar.case_standing.Standing` for each."""


class NewRowOrder(StrEnum):
    """In which order new rows are listed."""

    UNUSUAL = "unusual"
    FAMILIARITY = "familiarity"
    NEARNESS = "nearness"
    CONFIDENCE = "confidence"
    FILE = "file"


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows that a person has brought.

    Attributes
    ----------
    table : Table
        As it was read; row ids from 1.
    """

    table: Table

    @property
    def frame(self) -> pd.DataFrame:
        """The rows."""
        return self.table.frame

    @property
    def key(self) -> str:
        """Tells it from other files."""
        return self.table.fingerprint


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """New rows with what a model says of them.

    Attributes
    ----------
    lines : DataFrame
        Index row id, in the order of the file: the identifier if there is one, ``estimate`` (the class that the rule
        says), ``left`` (whether it leaves the row to a person), ``confidence``, ``familiarity``, ``nearness``,
        ``nearness in all columns`` (quantiles), ``in words``, ``note``.
    output : DataFrame
        The same numbers as ``proset score --novelty`` writes.
    found : Standing
        Where each row stands.
    drift : Drift
        All of them beside the held-out rows.
    left_out : tuple of str
        Features that the rows lack; the model does not use them.
    """

    lines: pd.DataFrame
    output: pd.DataFrame
    found: Standing
    drift: Drift
    left_out: tuple[str, ...]


# Numbers with a decimal point, and with a decimal comma; the other mark may stand between thousands.
_STYLES = tuple(
    re.compile(rf"(?=.*\d)[+-]?(?:\d{{1,3}}(?:\{apart}\d{{3}})+|\d*)(?:\{mark}\d*)?(?:[eE][+-]?\d+)?")
    for mark, apart in (".,", ",.")
)


class StrayWordsError(TableError):
    """Some cells of a column that the model takes for numbers or dates hold neither.

    Attributes
    ----------
    words : tuple of MissingWord
        These words, each with its column.
    """

    def __init__(self, message: str, words: tuple[MissingWord, ...]) -> None:
        super().__init__(message, column=words[0].column, hint="Count them as missing, or correct these cells.")
        self.words = words


def read_rows(
    study: AnyStudy, data: bytes, name: str, *, missing: Sequence[MissingWord] = (), **options: Any
) -> NewRows:
    """Read a file of new rows, in a process with a budget, as the table of the study was read.

    Parameters
    ----------
    missing : sequence of MissingWord
        What means "missing" in this file, besides what does in the table of the study.
    **options
        How the file is written, as for :func:`~proset.data.table.read_table`.

    Raises
    ------
    TableError
        If it cannot be read, or holds no row; StrayWordsError if words stand among the numbers or dates of a column.
    """
    table = read_table_guarded(data, name=name, **options)
    table = declare(table, missing, known=study.table.dialect)
    stray = _stray_words(study, table)
    if stray:
        at = [
            f"row {row} of '{shown(word.column)}' holds '{shown(word.text, 40)}'" for word, row in stray[:_MOST_NAMED]
        ]
        numeric = {study.roles.by_column[str(word.column)] is Role.NUMERIC for word, _ in stray}
        what = "numbers or dates" if len(numeric) > 1 else "numbers" if True in numeric else "dates"
        left = len(stray) - _MOST_NAMED
        more = f", and {count_words(left, 'more such text')}" if left > 0 else ""
        raise StrayWordsError(
            f"Cells cannot be read as the {what} that the model takes: {'; '.join(at)}{more}.",
            tuple(word for word, _ in stray),
        )
    return NewRows(table)


def rows_to_try(study: AnyStudy) -> NewRows:
    """Return held-out rows, evenly spread and without their target, as a file would bring them.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> rows_to_try(fit_sample("iris_2f")).table.name
    '45 held-out rows'
    """
    taken = spread_out(study.split.held_out, MOST_TRIED)
    made = [entry.name for entry in study.table.derived]  # made of the other columns again
    frame = study.table.frame.loc[taken].drop(columns=[study.roles.target, *made])
    return NewRows(read_table(frame, name=count_words(len(taken), "held-out row")))


def _stray_words(study: AnyStudy, table: Table) -> list[tuple[MissingWord, int]]:
    """Return the words among the numbers or dates of a column, each with its first row; not where all are words."""
    used, found = set(study.used_columns), []
    made_of = [entry for entry in study.table.derived if entry.name in used]
    clocks = {entry.column for entry in made_of if isinstance(entry, HourOfDay) and entry.form == CLOCK}
    counted = {name for entry in made_of for name in entry.columns} - clocks
    for name, role in study.roles.by_column.items():
        column = table.frame.get(name)
        if column is None or name not in used | counted | clocks or not isinstance(column.dtype, pd.StringDtype):
            continue
        texts = column.dropna().str.strip().drop_duplicates()
        if role is Role.NUMERIC:
            # Of numbers with both decimal marks those with the one that fewer have.
            odd = min((texts[[style.fullmatch(text) is None for text in texts]] for style in _STYLES), key=len)
        elif name in clocks:
            odd = texts[read_clock(texts)[1]]
        elif role is Role.DATE or name in counted:
            odd = texts[no_dates(texts, study.table.profiles[name].date_format)]
        else:
            continue
        if len(odd) < len(texts):
            few = list(zip(odd.index.tolist(), odd, strict=True))[:MOST_WORDS]
            found += [(MissingWord(text, name), row) for row, text in few if 0 < len(text) <= LONGEST_WORD]
    return found


def score_rows(study: Study, rows: NewRows, rule: DecisionRule) -> ScoredRows:
    """Estimate new rows and say where they stand.

    Parameters
    ----------
    rows : NewRows
        From :func:`read_rows`.

    Raises
    ------
    DesignError
        If the rows lack columns that the model uses, or hold something else than the training rows.
    TableError
        If there are too many rows to compare with all training rows at once.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import DecisionRule, fit_study
    >>> table = load_sample("iris_2f")
    >>> scored = score_rows(fit_study(table, sample_roles("iris_2f")), NewRows(table), DecisionRule())
    >>> scored.lines.columns.tolist()[:3], len(scored.lines), scored.left_out
    (['estimate', 'left', 'confidence'], 150, ())
    """
    _check_size(study, rows)
    found = standing(study, rows.frame)
    output = output_rows(study, rows.frame, near=found.novelty)
    shares = output[[PROBABILITY_PREFIX + name for name in study.classes]].to_numpy(dtype=np.float64)
    said = np.asarray(rule.choose(shares), dtype=np.int64)
    near = found.novelty
    lines = pd.DataFrame(
        {
            "estimate": np.asarray(study.classes, dtype=object)[said],
            "left": rule.leaves(found.quantile),
            "confidence": shares[np.arange(len(said)), said],
            "familiarity": found.quantile,
            "nearness": near.quantile,
            "nearness in all columns": near.quantile_all,
            "in words": found.to_frame()["in words"].to_numpy(),
            "note": output["note"].to_numpy(),
        },
        index=rows.frame.index,
    ).astype({"estimate": "str"})
    identifier = study.roles.identifier
    if identifier is not None and identifier in rows.frame.columns:
        label = free_names([identifier], [*lines.columns, "row"], word="identifier")[0]
        lines.insert(0, label, identifier_text(rows.frame[identifier]))
    return ScoredRows(lines, output, found, drift(study, found, groups=study.groups_in(rows.frame)), near.left_out)


def _check_size(study: Study, rows: NewRows) -> None:
    """Refuse what would keep a page busy for long."""
    known = len(study.split.train)
    if len(rows.frame) * known > MOST_PAIRS:
        raise TableError(
            f"The file has {len(rows.frame):,} rows; with {known:,} training rows, at most {MOST_PAIRS // known:,} are "
            "compared on this page.",
            hint="Score it with 'proset score MODEL FILE --novelty', which takes files of any size, or open a part.",
        )


def ordered(lines: pd.DataFrame, order: NewRowOrder) -> pd.DataFrame:
    """Return the lines of scored rows in an order; equal ones stay in the order of the file.

    Examples
    --------
    >>> lines = pd.DataFrame(
    ...     {"familiarity": [0.5, 0.1], "nearness": 0.5, "nearness in all columns": [0.0, 0.2]}, index=[1, 2])
    >>> ordered(lines, NewRowOrder.UNUSUAL).index.tolist(), ordered(lines, NewRowOrder.FAMILIARITY).index.tolist()
    ([1, 2], [2, 1])
    """
    if order is NewRowOrder.FILE:
        return lines
    if order is NewRowOrder.UNUSUAL:
        places = lines[["familiarity", "nearness", "nearness in all columns"]]
        # Rows beyond all held-out ones tie at zero; among them, those come first that are so in more ways.
        return lines.iloc[np.lexsort((places.mean(axis=1), places.min(axis=1)))]
    return lines.sort_values(str(order), kind="stable")


def drift_note(found: Drift) -> str:
    """Return how the figure of drift is read, and which rows are not in it.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> drift_note(drift(study, study.table.frame.loc[study.split.held_out])).split(". ")[0]
    'Drawn: the 34 of 45 rows that equal no training row'
    """
    said = "Dotted: how high each bar would be without drift. The first bar holds the most unusual rows."
    if not found.copies:
        return said
    if not found.n_rows:
        return "Nothing is drawn: all rows equal training rows."
    return f"Drawn: the {found.n_rows:,} of {found.n_rows + found.copies:,} rows that equal no training row. {said}"


def summary(study: Study, scored: ScoredRows) -> str:
    """Say how many rows are said to be what.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import DecisionRule, fit_study
    >>> table = load_sample("iris_2f")
    >>> study = fit_study(table, sample_roles("iris_2f"))
    >>> summary(study, score_rows(study, NewRows(table), DecisionRule())).split(":")[0]
    '150 rows'
    """
    lines = scored.lines
    counts = lines.loc[~lines["left"], "estimate"].value_counts()
    said = [f"{counts[name]:,} '{name}'" for name in study.classes if name in counts.index]
    if lines["left"].any():
        said.append(f"{int(lines['left'].sum()):,} left to a person")
    return f"{count_words(len(lines), 'row')}: {', '.join(said)}."


def noted_words(lines: pd.DataFrame) -> str:
    """Say in how many new rows, of classes or of a number, something had to be assumed; empty if in none."""
    count = int((lines["note"] != "").sum())
    return text.ASSUMED.format(rows=count_words(count, "row")) if count else ""


def assumed_words(scored: ScoredRows) -> str:
    """Say what was not there; empty if everything was."""
    said = [noted_words(scored.lines)]
    if scored.left_out:
        said.append(
            f"The file lacks {listed(scored.left_out)}, which the model does not use; nearness in all columns is "
            "measured without."
        )
    return " ".join(filter(None, said))
