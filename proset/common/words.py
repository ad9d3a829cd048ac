"""Numbers in words, and a stranger's words in a message."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

LONGEST = 60
"""Characters of a stranger's text that a message quotes."""
_GROUPED = 5  # digits from which thousands are set apart


def power_words(value: float) -> str:
    """Return a number as a short power of ten.

    Examples
    --------
    >>> power_words(0.001), power_words(2e7), power_words(0.011), power_words(0.0)
    ('1e-3', '2e7', '1.1e-2', '0')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"


def seconds_words(seconds: float) -> str:
    """Return a length of time: seconds below two minutes, minutes above, never less than a second.

    Examples
    --------
    >>> seconds_words(0.2), seconds_words(75), seconds_words(300)
    ('1 s', '75 s', '5 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60):,} min"


def count_words(count: int, one: str, many: str | None = None) -> str:
    """Return a number with the word that fits it; the plural is `one` and an s unless stated.

    Examples
    --------
    >>> count_words(1, "row"), count_words(1_000, "row"), count_words(3, "batch", "batches")
    ('1 row', '1,000 rows', '3 batches')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def number(value: float) -> str:
    """Return a number as people write it: four significant digits, no exponent where it can be avoided.

    Thousands are set apart from five digits on: a year is no amount.

    Examples
    --------
    >>> number(1234567.0), number(1936.0), number(0.01234), number(float("nan"))
    ('1,234,567', '1936', '0.01234', 'missing')
    """
    if math.isnan(value):
        return "missing"
    if float(value).is_integer() and abs(value) < 1e9:
        return grouped(f"{int(value)}")
    if 1000 <= abs(value) < 1e9:
        return grouped(f"{value:.1f}".removesuffix(".0"))
    return f"{value:.4g}"


def grouped(digits: str) -> str:
    """Set thousands apart in a decimal number of five digits and more before the point.

    Examples
    --------
    >>> grouped("-12345.25"), grouped("1234.5")
    ('-12,345.25', '1234.5')
    """
    whole, point, rest = digits.partition(".")
    return f"{int(whole):,}{point}{rest}" if len(whole.lstrip("-")) >= _GROUPED else digits


def rough(value: float) -> str:
    """Return a number with three significant digits, which is what anybody reads of an error, a width or a weight.

    Examples
    --------
    >>> rough(4.76369), rough(17263.56), rough(0.00012345), rough(float("nan"))
    ('4.76', '17,300', '0.000123', 'missing')
    """
    return number(float(f"{value:.3g}"))


def measure(value: float) -> str:
    """Return a measure of quality with three decimals; what is nearly 0 or 1 is not called 0 or 1.

    Examples
    --------
    >>> measure(0.4591), measure(0.9996), measure(1.0), measure(0.0002), measure(float("nan"))
    ('0.459', '> 0.999', '1.000', '< 0.001', 'not defined')
    """
    if math.isnan(value):
        return "not defined"
    if 0.0 < value < 0.0005:
        return "< 0.001"
    return "> 0.999" if 0.9995 <= value < 1.0 else f"{value:.3f}"


def plus_minus(value: float, digits: int) -> str:
    """Write a difference with its sign and so many decimals.

    Examples
    --------
    >>> plus_minus(0.01234, 4), plus_minus(-2.0, 1)
    ('+0.0123', '−2.0')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def alike(values: Iterable[float], digits: int = 3, *, sign: bool = False) -> list[str]:
    """Write the numbers of one list or figure with the same decimals: so many digits for the largest of them.

    What would read as 0 and is more says so, unless `sign` is wanted.

    Examples
    --------
    >>> alike([0.56, 0.0879]), alike([2.25, 0.00316, 0.0]), alike([0.65, -0.0605], sign=True)
    (['0.560', '0.088'], ['2.25', '< 0.01', '0.00'], ['+0.650', '−0.060'])
    >>> alike([12345.6, 0.4, float("nan")])
    ['12,346', '< 1', 'missing']
    """
    every = list(values)
    decimals = common_decimals(every, digits)
    return [to_decimals(value, decimals, sign=sign) for value in every]


def common_decimals(values: Iterable[float], digits: int = 3) -> int:
    """Return how many decimals the numbers of one list get: so many digits for the largest of them.

    Examples
    --------
    >>> common_decimals([0.56, 0.0879]), common_decimals([12345.6, 0.4]), common_decimals([])
    (3, 0, 0)
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return max(0, digits - 1 - math.floor(math.log10(largest))) if largest > 0.0 else 0


def to_decimals(value: float, decimals: int, *, sign: bool = False) -> str:
    """Write a number with so many decimals, as :func:`alike` does.

    Examples
    --------
    >>> to_decimals(12.3456, 1), to_decimals(0.0001, 2), to_decimals(0.0001, 2, sign=True)
    ('12.3', '< 0.01', '+0.00')
    """
    if math.isnan(value):
        return number(value)
    text = grouped(f"{abs(value):.{decimals}f}")
    if sign:
        return f"{'−' if value < 0 else '+'}{text}" if value else "0"
    if value and not float(text.replace(",", "")):
        return f"< {10.0**-decimals:.{decimals}f}" if value > 0 else text
    return f"-{text}" if value < 0 else text


def unbroken(text: str) -> str:
    """Let numbers stay with their per cent sign where a line ends.

    Examples
    --------
    >>> unbroken("52.6 % of all") == "52.6\N{NO-BREAK SPACE}% of all"
    True
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def percent(share: float) -> str:
    """Return a share, in [0, 1], in per cent: how pages, reports, hover boxes and the command line all write it.

    One decimal; only exactly 0 and 1 read as 0 % and 100 %.

    Examples
    --------
    >>> percent(0.526), percent(0.0001), percent(0.99991), percent(1.0), percent(float("nan"))
    ('52.6 %', 'under 0.1 %', 'over 99.9 %', '100 %', 'not defined')
    """
    if math.isnan(share):
        return "not defined"
    if share == 0.0 or 1.0 <= share < 1.0 + 1e-9:  # a sum of shares may miss 1 by a rounding error
        return f"{100 * share:.0f} %"
    text = f"{100 * share:.1f}"
    if text in ("0.0", "-0.0"):
        return "under 0.1 %"
    return "over 99.9 %" if text == "100.0" and share < 1.0 else f"{text} %"


def leading(share: float) -> str:
    """Return the share of the class that comes first, in per cent: it is never written as half where it is more.

    Examples
    --------
    >>> leading(0.5003), leading(0.5), leading(0.51)
    ('over 50 %', '50.0 %', '51.0 %')
    """
    text = percent(share)
    return "over 50 %" if share > 0.5 and text == percent(0.5) else text


def listed(names: Iterable[object], *, most: int = 3) -> str:
    """Return names as a message lists them: the first few, quoted and shown, then how many more there are.

    Examples
    --------
    >>> listed(["age", "sex"]), listed("abcde")
    ("'age', 'sex'", "'a', 'b', 'c' and 2 more")
    """
    every = list(names)
    first = ", ".join(f"'{shown(name)}'" for name in every[:most])
    return f"{first} and {len(every) - most:,} more" if len(every) > most else first


def in_a_row(parts: Sequence[str]) -> str:
    """Return parts of a sentence in a row.

    Examples
    --------
    >>> in_a_row(["age"]), in_a_row(["age", "sex"]), in_a_row(["age", "sex", "ward"])
    ('age', 'age and sex', 'age, sex and ward')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def shown(text: object, longest: int = LONGEST) -> str:
    r"""Return a stranger's text as a message may quote it: on one line, of bounded length, nothing in it invisible.

    Parameters
    ----------
    text : object
        A column name, a class, a cell, a file name or whatever else was not written by this program.
    longest : int
        Most characters returned, at least 2; a longer text loses its end and gets an ellipsis.

    Returns
    -------
    str
        Line breaks, control characters, direction marks, zero-width characters and lone surrogates read as escapes
        such as ``\n`` or ``\u202e``. Always valid UTF-8.

    Examples
    --------
    >>> shown("a\nb"), shown("left\u202eright"), shown("a long name", longest=7)
    ('a\\nb', 'left\\u202eright', 'a long…')
    """
    words = str(text)
    seen = visible(words[: longest + 1])  # cut before the escapes, so that a text of 200 MB costs nothing
    if len(words) <= longest and len(seen) <= longest:
        return seen
    return seen[: longest - 1].rstrip() + "…"


def visible(text: str) -> str:
    r"""Return a text of one line in which nothing is invisible and nothing is a command to a terminal.

    Examples
    --------
    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )
