"""Shares and their sum as text that adds up."""

from __future__ import annotations

from collections.abc import Sequence

from proset.common.words import percent


def added_percents(shares: Sequence[float]) -> tuple[list[str], str]:
    """Return shares in per cent and their sum, such that what is written adds up.

    The sum is rounded, not a sum of rounded numbers; where the parts do not add up to it, the last one gives way.

    Parameters
    ----------
    shares : sequence of float
        In [0, 1], at least one.

    Returns
    -------
    parts : list of str
        One text per share.
    total : str
        Their sum.

    Examples
    --------
    >>> added_percents([0.4514, 0.2193])
    (['45.1 %', '22.0 %'], '67.1 %')
    >>> added_percents([0.9999, 0.0001])
    (['over 99.9 %', 'under 0.1 %'], '100 %')
    """
    parts, total = [percent(share) for share in shares], percent(sum(shares))
    if not all(text[0].isdigit() for text in (*parts, total)):
        return parts, total
    tenths = [round(1000 * share) for share in shares]
    tenths[-1] = max(0, round(1000 * sum(shares)) - sum(tenths[:-1]))
    return [*parts[:-1], percent(tenths[-1] / 1000)], total
