"""Findings about how the values of a column were read."""

from __future__ import annotations

import re

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity
from proset.data.reading.evidence import DOUBTFUL, MISSING, ColumnEvidence
from proset.data.reading.values import DATE_SHAPES, NUMBER_SHAPES, Plan, ValueType

_MOSTLY = 0.8
_PADDED = re.compile(r"[+-]?0[0-9]+[.,][0-9]+")
_SHORT_DATE = re.compile(r"[0-9]{4}\.(?:[0-9]\.[0-9]{1,2}|[0-9]{2}\.[0-9])")


def column_issues(
    name: str, evidence: ColumnEvidence, plan: Plan, *, decimal: str, settled: bool = False
) -> tuple[Issue, ...]:
    """List what is worth knowing about a column.

    Parameters
    ----------
    evidence : ColumnEvidence
        What its texts look like.
    plan : Plan
        How they were read.
    decimal : str
        Decimal mark of the file.
    settled : bool
        Whether there is no doubt about it: a person gave it, or the file holds numbers rather than texts.

    Returns
    -------
    tuple of Issue
        Each names the column, the count, and what was done.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from proset.data.reading.values import decide
    >>> evidence = ColumnEvidence()
    >>> evidence.add(pa.array(["1", "2", "3", "4", "x"]), np.arange(1, 6))
    >>> column_issues("dose", evidence, decide(evidence, "."), decimal=".")[0].message.split(". ")[0]
    "Column 'dose': 1 of 5 values is not a number (row 5: 'x'), so it is read as words"
    """
    if plan.kind is ValueType.EMPTY:
        return ()
    if plan.kind in (ValueType.NUMBER, ValueType.INTEGER):
        found = [*_missing(name, evidence, plan), *_numbers(name, evidence, plan, decimal)]
        found += _padded(name, evidence, plan)
        found += [] if settled else _maybe_thousands(name, evidence, plan)
    elif plan.kind is ValueType.DATE:
        found = [*_missing(name, evidence, plan), *_zones(name, evidence), *_dates(name, evidence)]
    elif plan.kind is ValueType.TEXT:
        found = [*_missing(name, evidence, plan), *_text(name, evidence, decimal)]
        found += evidence.spellings.issues(name, frozenset(MISSING))
    else:
        found = _missing(name, evidence, plan)
    return tuple(found)


def _missing(name: str, evidence: ColumnEvidence, plan: Plan) -> list[Issue]:
    """Say which texts were taken for missing values and which were not."""
    label = shown(name)
    issues = []
    is_text = plan.kind is ValueType.TEXT
    markers = evidence.count("missing") + (0 if is_text else evidence.count("doubtful"))
    doubtful = set(evidence.markers) & set(DOUBTFUL)
    taken = [text for text in evidence.markers if not (is_text and text in doubtful)]
    if markers:
        listed = ", ".join(f"'{text}' ({evidence.markers[text]})" for text in sorted(taken))
        text = f"Column '{label}': {count_words(markers, 'value is', 'values are')} read as missing: {listed}."
        issues.append(Issue("missing_markers", text, name, Severity.INFO))
    if is_text and doubtful:
        listed = ", ".join(f"'{text}' ({evidence.markers[text]})" for text in sorted(doubtful))
        count = evidence.count("doubtful")
        kept = count_words(count, "value is", "values are")
        text = f"Column '{label}': {kept} kept as a category, but may mean missing: {listed}."
        issues.append(Issue("kept_marker", text, name, Severity.INFO))
    if evidence.spaces:
        held = count_words(evidence.spaces, "value holds", "values hold")
        text = f"Column '{label}': {held} only blanks: read as missing."
        issues.append(Issue("blank_values", text, name, Severity.INFO))
    return issues


def _numbers(name: str, evidence: ColumnEvidence, plan: Plan, decimal: str) -> list[Issue]:
    """Say what became of infinite values, other decimal marks and thousands marks."""
    label = shown(name)
    issues = []
    if count := evidence.count("infinite"):
        read = count_words(count, "infinite value is", "infinite values are")
        text = f"Column '{label}': {read} read as missing, first in {_at(evidence, 'infinite')}."
        issues.append(Issue("infinite", text, name))
    if plan.decimal != decimal:
        spoken = "comma" if plan.decimal == "," else "point"
        text = f"Column '{label}' is read with a decimal {spoken}, unlike the rest of the file."
        issues.append(Issue("decimal_mark", text, name, Severity.INFO))
    grouped = "comma3" if plan.decimal == "." else "point3"
    if count := evidence.count(grouped):
        other = "," if plan.decimal == "." else "."
        text = (
            f"Column '{label}': {count_words(count, 'value')} such as {_at(evidence, grouped)} "
            f"{'is' if count == 1 else 'are'} read as thousands. "
            f"If the mark is the decimal mark, read the file again with '{other}' as decimal mark."
        )
        issues.append(Issue("thousands", text, name, Severity.INFO))
    return issues


def _maybe_thousands(name: str, evidence: ColumnEvidence, plan: Plan) -> list[Issue]:
    """Say that decimals may be thousands: each has three digits behind its mark, and no value shows what it is."""
    grouped, proofs, other = (
        ("point3", ("point", "groups_point", "spaced_point"), ",")
        if plan.decimal == "."
        else ("comma3", ("comma", "groups_comma", "spaced_comma"), ".")
    )
    count = evidence.count(grouped)
    if not count or evidence.count(*proofs):
        return []
    plain = evidence.count("integer")  # nobody writes 1.234 and 350 with the same number of decimals
    text = (
        f"Column '{shown(name)}': {count_words(count, 'value')} such as {_at(evidence, grouped)} "
        f"{'is' if count == 1 else 'are'} read as decimals with three digits"
        f"{', beside ' + count_words(plain, 'whole number') if plain else ''}. "
        f"If the mark stands between thousands, read the file again with '{other}' as decimal mark."
    )
    return [Issue("maybe_thousands", text, name, Severity.WARNING if plain else Severity.INFO)]


def _padded(name: str, evidence: ColumnEvidence, plan: Plan) -> list[Issue]:
    """Say that decimals begin with zeros that no number needs, as codes do."""
    padded = _first(evidence, NUMBER_SHAPES[plan.decimal], _PADDED)
    if not padded:
        return []
    text = (
        f"Column '{shown(name)}': values such as {padded} begin with zeros, as codes do, and are read as numbers. If"
        " they name something, do not use the column as a number."
    )
    return [Issue("padded_numbers", text, name)]


def _first(evidence: ColumnEvidence, shapes: tuple[str, ...], pattern: re.Pattern[str]) -> str:
    """Show the first of the values kept of some shapes that looks like a pattern; empty where none does."""
    found = [one for shape in shapes for one in evidence.examples.get(shape, []) if pattern.fullmatch(one[1])]
    return f"row {min(found)[0]}: '{shown(min(found)[1], 40)}'" if found else ""


def _dates(name: str, evidence: ColumnEvidence) -> list[Issue]:
    """Say that the order of day and month is an assumption, where it is."""
    label = shown(name)
    if short := _first(evidence, ("year_first",), _SHORT_DATE):
        text = (
            f"Column '{label}': values such as {short} are read as dates, year first. Versions and numbers of chapters"
            " look the same; check that they are dates."
        )
        return [Issue("maybe_no_dates", text, name, Severity.INFO)]
    if not evidence.count("either_first") or evidence.count("day_first", "month_first"):
        return []
    example = _at(evidence, "either_first")
    text = f"Column '{label}': day and month could be swapped in every date ({example}); the day is read first."
    return [Issue("ambiguous_dates", text, name)]


def _zones(name: str, evidence: ColumnEvidence) -> list[Issue]:
    """Say that times were moved to UTC, by which some may be of another day."""
    if not evidence.n_moved:
        return []
    moved = count_words(evidence.n_moved, "time has", "times have")
    text = (
        f"Column '{shown(name)}': {moved} a zone, first in {_at(evidence, 'moved')}, and"
        f" {'was' if evidence.n_moved == 1 else 'were'} moved to UTC; late or early in the day that is another date."
    )
    return [Issue("moved_to_utc", text, name, Severity.INFO)]


def _text(name: str, evidence: ColumnEvidence, decimal: str) -> list[Issue]:
    """Say why a column that looks like numbers or dates is text."""
    label = shown(name)
    present = evidence.shapes.total() - evidence.count("blank", "missing", "doubtful")
    if present == 0:
        return []
    best = max((decimal, "," if decimal == "." else "."), key=lambda mark: evidence.count(*NUMBER_SHAPES[mark]))
    numbers = evidence.count(*NUMBER_SHAPES[best])
    if evidence.count("grouped_code") and numbers + evidence.count("grouped_code") == present:
        return [_digits(name, evidence)]
    if numbers == present:
        return (
            [_digits(name, evidence)] if evidence.count("code", "huge", "long") else [_other_mark(name, evidence, best)]
        )
    if numbers >= _MOSTLY * present:
        return [_stray(name, evidence, NUMBER_SHAPES[best], present, "number")]
    if evidence.count("day_first") and evidence.count("month_first"):
        text = (
            f"Column '{label}': some dates have the day first ({_at(evidence, 'day_first')}), some the month "
            f"({_at(evidence, 'month_first')}), so it is read as words."
        )
        return [Issue("mixed_dates", text, name)]
    for shapes in DATE_SHAPES.values():
        if evidence.count(*shapes) >= _MOSTLY * present:
            return [_stray(name, evidence, shapes, present, "date")]
    return []


def _digits(name: str, evidence: ColumnEvidence) -> Issue:
    """Say that digits are kept as a code."""
    label = shown(name)
    if codes := [shape for shape in ("code", "grouped_code") if evidence.count(shape)]:
        example = _at(evidence, codes[0])
        text = f"Column '{label}': values such as {example} begin with a zero, so it is read as words (a code)."
        return Issue("leading_zeros", text, name, Severity.INFO)
    example = _at(evidence, "huge" if evidence.count("huge") else "long")
    text = f"Column '{label}': values such as {example} have too many digits for a number, so it is read as words."
    return Issue("long_numbers", text, name, Severity.INFO)


def _other_mark(name: str, evidence: ColumnEvidence, mark: str) -> Issue:
    """Say that a column only reads as numbers with the decimal mark that the person ruled out."""
    label = shown(name)
    shape = next(shape for shape in NUMBER_SHAPES[mark] if evidence.count(shape) and shape not in ("integer", "code"))
    text = (
        f"Column '{label}' reads as numbers only with the decimal mark '{mark}' ({_at(evidence, shape)}), "
        "so it is read as words."
    )
    return Issue("decimal_mark", text, name)


def _stray(name: str, evidence: ColumnEvidence, wanted: tuple[str, ...], present: int, what: str) -> Issue:
    """Name the first values that spoil a column."""
    label = shown(name)
    absent = ("blank", "missing", "doubtful")
    others = [shape for shape in evidence.shapes if shape not in wanted and shape not in absent]
    listed = sorted(example for shape in others for example in evidence.examples[shape])[:3]
    first = ", ".join(f"row {row}: '{shown(text, 40)}'" for row, text in listed)
    count = evidence.count(*others)
    are, way_out = (f"are not {what}s", "they mean missing, count them")
    if count == 1:
        are, way_out = (f"is not a {what}", "it means missing, count it")
    text = (
        f"Column '{label}': {count} of {present} values {are} ({first}), so it is read as words. If {way_out} as"
        " missing."
    )
    return Issue("stray_text", text, name)


def _at(evidence: ColumnEvidence, shape: str) -> str:
    """Show the first value of a shape."""
    row, text = min(evidence.examples[shape])
    return f"row {row}: '{shown(text, 40)}'"
