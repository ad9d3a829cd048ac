"""Numbers as people read them."""

from __future__ import annotations


def power_words(value: float) -> str:
    """Write a number as a short power of ten.

    Examples
    --------
    >>> power_words(0.001), power_words(2e7), power_words(0.011)
    ('1e-3', '2e7', '1.1e-2')
    """
    digits, power = f"{value:.1e}".split("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"
