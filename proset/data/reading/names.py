"""Column names as everything after reading can rely on: never empty, never twice."""

from __future__ import annotations

from collections.abc import Sequence

from proset.common.words import shown
from proset.data.issues import Issue, Severity


def clean_names(raw: Sequence[str]) -> tuple[tuple[str, ...], tuple[Issue, ...]]:
    """Give every column a name of its own.

    Parameters
    ----------
    raw : sequence of str
        Names as they stand in the file.

    Returns
    -------
    names : tuple of str
        Trimmed; an empty one becomes "column 3", the second of two equal ones "name (2)".
    issues : tuple of Issue
        One for each name that had to change in a way a person may notice.

    Examples
    --------
    >>> clean_names([" age ", "", "age"])[0]
    ('age', 'column 2', 'age (2)')
    """
    plain = [" ".join(name.replace("\ufeff", "").split()) for name in raw]
    taken = {name for name in plain if name}
    names: dict[str, None] = {}
    numbers: dict[str, int] = {}
    issues: list[Issue] = []
    for position, name in enumerate(plain, 1):
        if not name:
            chosen = _free(f"column {position}", taken, numbers)
            text = f"Column {position} has no name in the file and is called '{chosen}'."
            issues.append(Issue("unnamed_column", text, chosen, Severity.INFO))
        elif name in names:
            chosen = _free(name, taken, numbers)
            text = f"The name '{shown(name)}' occurs more than once; column {position} is called '{shown(chosen)}'."
            issues.append(Issue("duplicate_column", text, chosen))
        else:
            chosen = name
        taken.add(chosen)
        names[chosen] = None
    return tuple(names), tuple(issues)


def numbered_names(width: int) -> tuple[str, ...]:
    """Name columns by their position.

    Examples
    --------
    >>> numbered_names(2)
    ('column 1', 'column 2')
    """
    return tuple(f"column {position}" for position in range(1, width + 1))


def replaced_characters(count: int, what: str) -> tuple[Issue, ...]:
    """Say how many values, such as "cell(s)", hold characters that no text can hold; nothing if none does."""
    if not count:
        return ()
    text = f"{count:,} {what} hold characters that no text can hold; '\ufffd' stands for each of them."
    return (Issue("replaced_characters", text),)


def _free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """Return the name, with a number behind it if it is taken; `numbers` remembers the last one of each name."""
    chosen, number = name, numbers.get(name, 1)
    while chosen in taken:
        number += 1
        chosen = f"{name} ({number})"
    numbers[name] = number
    return chosen
