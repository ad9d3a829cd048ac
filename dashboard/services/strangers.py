"""Words that a stranger may have written, such as names of columns, classes and files, made safe to be shown."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
JOINER = "\u2060"
"""Word joiner: takes no room, is not seen, and keeps what stands on both sides of it from being read as one."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&@=^])")
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LEFTWARD = re.compile(f"[{_LETTERS}]+(?:[^\\w\u2066-\u2069]+[{_LETTERS}]+)*")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Streamlit looks for these in the finished text, where a backslash that stood before is gone: addresses, which it makes
# into links; names between colons, which it makes into pictures; and arrows and dashes.
_JOINED = re.compile(
    r"(?<=http)(?=s?:)|(?<=https)(?=:)|(?<=www)(?=\.)|(?<=xmpp)(?=:)|(?<=mailto)(?=:)|(?=@)|(?<=:)(?=(?:100|1234|(?!\d+:)[\w+\-/]+):)"
    r"|(?<=[<>=\-~])(?=[<>=\-~])",
    re.IGNORECASE,
)


def whole(text: object) -> str:
    r"""Return text that can be sent and read: halves of characters, as a damaged file may hold them, are replaced.

    What is written from right to left is set apart, or the browser would turn the numbers beside it round.

    Examples
    --------
    >>> whole("caf\udce9") == "caf\ufffd"
    True
    >>> whole("\u05d7\u05dd 5 \u2192 7") == "\u2067\u05d7\u05dd\u2069 5 \u2192 7"
    True
    """
    return _LEFTWARD.sub("\u2067\\g<0>\u2069", _SURROGATE.sub(REPLACEMENT, str(text)))


def plain(text: object) -> str:
    r"""Return text on one line that Markdown shows as it is: it does not format, link, load or draw anything.

    Examples
    --------
    >>> plain("price_$ [click](x)")
    'price\\_\\$ \\[click\\]\\(x\\)'
    >>> plain("www.evil.example") == "www\u2060\\.evil\\.example"
    True
    """
    words = _JOINED.sub(JOINER, " ".join(whole(text).split()))
    return _MARKDOWN.sub(r"\\\1", words)
