"""Times of the day in text: they are taken as words, so that 23:00 is no nearer to 22:00 than to noon."""

from __future__ import annotations

import re

from proset.common.words import listed, shown
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import CellKind, Profile

CLOCK_TIME = "clock_time"
"""Code of the finding."""

_TIME = re.compile(r"(?:[01]?\d|2[0-4])(?:(?::[0-5]\d){1,2}|(?:\.[0-5]\d){2})(?:\.0+)?")


def clock_issues(profile: Profile, role: Role) -> list[Issue]:
    """Say that times of the day count as words, each as different from the others as any.

    Points between the parts are taken for a time only where there are two of them: 18.30 may be an amount.

    Examples
    --------
    >>> import pandas as pd
    >>> from proset.data.profile import profile_column
    >>> times = profile_column(pd.Series(["18.00.00", "19.00.00", "18.00.00"], name="Time"))
    >>> clock_issues(times, Role.CATEGORICAL)[0].message[:57]
    "'Time' looks like times of the day, such as '18.00.00'. E"
    """
    if role is not Role.CATEGORICAL or profile.kind is not CellKind.TEXT or profile.counts is None:
        return []
    words = [str(word).strip() for word in profile.counts.index]
    if not words or not all(_TIME.fullmatch(word) for word in words):
        return []
    return [
        Issue(
            CLOCK_TIME,
            f"'{shown(profile.name)}' looks like times of the day, such as {listed(words[:1])}. Each is taken as a"
            " word: the model does not know which are close to each other. If that matters, write numbers into"
            " the file, such as hours: 18.5 for 18:30.",
            column=profile.name,
            severity=Severity.INFO,
        )
    ]
