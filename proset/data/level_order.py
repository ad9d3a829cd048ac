"""Evident order of words: numbers, ranges of numbers and well-known scales; and answers that stand beside a scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

NO_ANSWER = frozenset(
    {"don't know", "dont know", "do not know", "i don't know", "don't know/refused", "don't know / refused", "dk"}
    | {"don't know/no answer", "don't know / no answer", "can't say", "cannot say", "not sure/don't know", "refused"}
    | {"refused to answer", "declined to answer", "prefer not to say", "prefer not to answer", "rather not say"}
    | {"not applicable", "does not apply", "weiss nicht", "ich weiss nicht", "weiss nicht / keine angabe"}
    | {"keine antwort", "verweigert", "antwort verweigert", "möchte ich nicht sagen", "nicht zutreffend", "entfällt"}
    | {"ne sait pas", "je ne sais pas", "sans réponse", "sans objet", "no sabe", "no contesta", "ns/nc"}
)
"""Answers that forms offer beside the values, as :func:`plain` has them; as answers, they may say something."""

_SCALES = (
    "strongly disagree, disagree, somewhat disagree, slightly disagree,"
    " neither agree nor disagree|neither|neutral|undecided, slightly agree, somewhat agree, agree, strongly agree",
    "never, almost never, rarely|seldom, occasionally, sometimes, often|frequently, very often, almost always, always",
    "none, very low, low, rather low, medium|moderate|middle|average|normal, rather high, high, very high",
    "very small, small, medium, large, very large",
    "none, mild, moderate, severe, very severe",
    "very dissatisfied, dissatisfied, somewhat dissatisfied, neither satisfied nor dissatisfied|neither|neutral,"
    " somewhat satisfied, satisfied, very satisfied",
    "very unlikely, unlikely, neither|neutral, likely, very likely",
    "not at all important, slightly important, moderately important, important, very important, extremely important",
    "not at all, a little|slightly, somewhat, moderately, quite a bit, very, very much, extremely",
    "very poor, poor, fair, average, good, very good, excellent",
    "very bad, bad, fair|neutral|ok, good, very good",
    "stimme gar nicht zu|stimme überhaupt nicht zu, stimme nicht zu, stimme eher nicht zu,"
    " neutral|teils/teils|teils-teils|weder noch|unentschieden, stimme eher zu, stimme zu,"
    " stimme voll zu|stimme voll und ganz zu",
    "trifft gar nicht zu|trifft überhaupt nicht zu, trifft nicht zu, trifft eher nicht zu,"
    " neutral|teils/teils|teils-teils, trifft eher zu, trifft zu, trifft voll zu|trifft voll und ganz zu",
    "nie|niemals, fast nie, selten, gelegentlich|manchmal, oft|häufig, sehr oft|sehr häufig, fast immer, immer",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "sehr klein, klein, mittel, gross, sehr gross",
    "xxs, xs, s, m, l, xl, xxl, xxxl",
)
"""Words from little to much; those between bars stand for the same."""
_PLACES = tuple(
    {word: place for place, words in enumerate(scale.split(", ")) for word in words.split("|")} for scale in _SCALES
)
_AMOUNT = r"[$€£]?\s?(\d+(?:[.,]\d+)*)\s?(%|[a-zµ$€£²³]{1,8}(?:/[a-z]{1,6})?)?"
_FORMS = tuple(
    (re.compile(form), below, above)
    for form, below, above in (
        (rf"(?:under|below|less than|up to|unter|bis|<=?|≤)\s?{_AMOUNT}", True, False),
        (rf"{_AMOUNT} (?:or|and) (?:less|under|below)", True, False),
        (rf"(?:over|above|more than|über|ab|>=?|≥)\s?{_AMOUNT}", False, True),
        (rf"{_AMOUNT}\s?(?:\+|(?:or|and) (?:more|over|older|above))", False, True),
        (rf"[\[(]{_AMOUNT}, ?{_AMOUNT}[\])]", False, False),
        (rf"{_AMOUNT}\s?(?:-|–|—|to under|to|bis unter|bis)\s?{_AMOUNT}", False, False),
        (_AMOUNT, False, False),
    )
)
_NUMBERED = re.compile(r"(\d{1,2})(?:\s?[-–—=:.)(]\s?[^\d\s].*)?")
_MULTIPLES = {"k", "m", "tsd", "mio", "million", "thousand"}

_Ranks = list[tuple[float, float]]


def plain(word: str) -> str:
    """Return a word as words are compared: in lower case, with a plain apostrophe and single blanks.

    Examples
    --------
    >>> plain("Don\u2019t  know"), plain("Weiß nicht")
    ("don't know", 'weiss nicht')
    """
    return " ".join(word.casefold().replace("\u2019", "'").split())


def evident_order(words: Sequence[str]) -> tuple[int, ...] | None:
    """Return the places of words from least to most, answers that say nothing last; None if no order is evident.

    Examples
    --------
    >>> evident_order(("4", "3", "10")), evident_order(("no", "3"))
    ((1, 0, 2), None)
    >>> evident_order(("11+", "1-5", "6-10")), evident_order(("often", "refused", "never"))
    ((1, 2, 0), (2, 0, 1))
    """
    spelled = [plain(word) for word in words]
    told = [word for word in spelled if word not in NO_ANSWER]
    ranks = _of_numbers(told) or _of_scale(told) or _of_ranges(told) or _of_numbered(told)
    if not ranks:
        return None
    known = iter(ranks)
    keys = [(word in NO_ANSWER, (0.0, 0.0) if word in NO_ANSWER else next(known)) for word in spelled]
    return tuple(sorted(range(len(words)), key=keys.__getitem__))


def in_evident_order(words: Sequence[str]) -> list[str]:
    """Return words in their evident order; as they are if there is none.

    Examples
    --------
    >>> in_evident_order(["high", "low"]), in_evident_order(["red", "blue"])
    (['low', 'high'], ['red', 'blue'])
    """
    order = evident_order(words)
    return list(words) if order is None else [words[place] for place in order]


def _of_numbers(words: Sequence[str]) -> _Ranks | None:
    """Rank numbers."""
    values = pd.to_numeric(pd.Series(words, dtype="str"), errors="coerce").to_numpy(dtype=np.float64)
    return [(value, value) for value in values.tolist()] if np.isfinite(values).all() else None


def _of_scale(words: Sequence[str]) -> _Ranks | None:
    """Rank the words of one scale; two short ones, such as "m" and "s", may mean anything."""
    if len(words) < 2 or (len(words) == 2 and min(map(len, words)) < 3):
        return None
    places = next((known for known in _PLACES if known.keys() >= set(words)), None)
    return None if places is None else [(float(places[word]), 0.0) for word in words]


def _of_ranges(words: Sequence[str]) -> _Ranks | None:
    """Rank ranges of numbers, and numbers beside them, in one unit."""
    ranks, units = [], set()
    for word in words:
        found = next(((hit, below, above) for form, below, above in _FORMS if (hit := form.fullmatch(word))), None)
        if found is None:
            return None
        hit, below, above = found
        low, high = _number(hit[1]), _number(hit[hit.re.groups - 1])
        units |= {unit.removesuffix("s") for unit in hit.groups()[1::2] if unit}
        ranks.append((-math.inf if below else low, math.inf if above else high))
    ascend = all(low <= high for low, high in ranks)
    return ranks if ascend and len(units) < 2 and not units & _MULTIPLES else None


def _of_numbered(words: Sequence[str]) -> _Ranks | None:
    """Rank words that begin with a number of their own, such as "1 - never"."""
    hits = [_NUMBERED.fullmatch(word) for word in words]
    places = [float(hit[1]) for hit in hits if hit is not None]
    return [(place, 0.0) for place in places] if len(set(places)) == len(words) else None


def _number(text: str) -> float:
    """Read a number whose thousands may be parted."""
    if re.fullmatch(r"[1-9]\d{0,2}([.,]\d{3})+", text):
        return float(re.sub(r"[.,]", "", text))
    whole, _, rest = text.replace(",", ".").partition(".")
    return float(f"{whole}.{rest.replace('.', '')}")
