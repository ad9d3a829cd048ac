"""Likeness of bytes to words in an encoding: letters of one script, capitals in front, signs where signs stand."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from proset.data.reading.encodings import Script

_LETTERS = {"CJK": ("CJK", "HIRAGANA", "KATAKANA", "FULLWIDTH", "IDEOGRAPHIC"), "HANGUL": ("HANGUL", "CJK")}
_BETWEEN = frozenset("’·\xad‘\u200b")  # what may stand inside a word
_BEHIND = frozenset("²³¹ºª™®”’»“%…:")  # what may follow a letter or a digit at once
_BEFORE = frozenset("“„‘‚«»¿¡°µ§–—ºª•#")  # what may stand right before a letter
_FEW_FOREIGN = 4
_COMMON = 0.8
"""Share of East Asian characters that are common ones, at least."""


def plausibility(pieces: Sequence[bytes], script: Script, encoding: str | None = None) -> float:
    """Return the share of words that look right in an encoding.

    Parameters
    ----------
    pieces : sequence of bytes
        Different words with bytes beyond ASCII.
    script : Script
        What its letters look like.
    encoding : str or None
        One that has the same letters; None means that of the script.

    Returns
    -------
    float
        In [0, 1]; 0 if the bytes do not fit the encoding.

    Examples
    --------
    >>> cyrillic = Script("cp1251", "CYRILLIC")
    >>> plausibility(["Köln".encode("cp1252")], cyrillic), plausibility(["Дом".encode("cp1251")], cyrillic)
    (0.0, 1.0)
    """
    texts = [decoded(piece, encoding or script.encoding) for piece in pieces]
    if not pieces or any(text is None for text in texts):
        return 0.0
    if script.common and _common(pieces, script, encoding or script.encoding) < _COMMON:
        return 0.0
    return sum(_looks_right(text or "", script.letters) for text in texts) / len(texts)


def decoded(piece: bytes, encoding: str) -> str | None:
    """Decode, or return None."""
    try:
        return piece.decode(encoding)
    except UnicodeDecodeError:
        return None


def _looks_right(text: str, letters: str) -> bool:
    """Tell whether the characters of a piece of text stand where they do in a language."""
    padded = f" {text} "
    foreign = ascii_letters = 0
    for before, letter, behind in zip(padded, padded[1:], padded[2:], strict=False):
        if not letter.isalpha():
            foreign, ascii_letters = (foreign, ascii_letters) if unicodedata.combining(letter) else (0, 0)
            if ord(letter) > 0x7F and not _stands_right(before, letter, behind):
                return False
            continue
        if ord(letter) <= 0x7F:
            ascii_letters += 1
        elif not _is_of(letter, letters):
            return False
        else:
            foreign += 1
        if letters == "LATIN" and foreign >= _FEW_FOREIGN and foreign > ascii_letters + 2 and not behind.isalpha():
            return False
        if before.islower() and letter.isupper() and max(before, letter) > "\x7f":
            return False
        if letters != "LATIN" and before.isalpha() and (ord(before) > 0x7F) != (ord(letter) > 0x7F):
            return False
    return True


@lru_cache(maxsize=4096)
def _is_of(letter: str, letters: str) -> bool:
    """Tell whether a letter belongs to a script."""
    return unicodedata.name(letter, "").startswith(_LETTERS.get(letters, (letters,)))


def _stands_right(before: str, sign: str, behind: str) -> bool:
    """Tell whether a sign that is no letter stands where such signs do."""
    kind = unicodedata.category(sign)
    if kind in ("Cc", "Cn", "Co", "Cs"):
        return False
    if kind.startswith(("M", "Z")) or ord(sign) >= 0x2E80 or sign in _BETWEEN:  # marks on letters, blanks, East Asian
        return True
    if min(before, behind) > "\x7f" and not before.isspace() and not behind.isspace():
        return False  # three signs or letters beyond ASCII in a row, one of them a sign
    return (not before.isalpha() or sign in _BEHIND) and (not behind.isalpha() or sign in _BEFORE)


def _common(pieces: Sequence[bytes], script: Script, encoding: str) -> float:
    """Return the share of characters of two bytes that are common ones."""
    common = total = 0
    low = 0x40 if encoding in ("big5", "cp932", "shift_jis") else 0xA1
    for piece in pieces:
        at = 0
        while at < len(piece):
            first = piece[at]
            second = piece[at + 1] if first > 0x80 and at + 1 < len(piece) else 0
            at += 2 if first > 0x80 else 1
            if first > 0x80:
                total += 1
                common += second >= low and any(start <= first <= end for start, end in script.common)
    return common / total if total else 0.0
