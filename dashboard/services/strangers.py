"""Words that a stranger may have written, such as names of columns, classes and files, made safe to be shown."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
JOINER = "\u2060"
"""Word joiner: takes no room, is not seen, and keeps what stands on both sides of it from being read as one."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&@=^])")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Streamlit looks for these in the finished text, where a backslash that stood before is gone: addresses, which it makes
# into links; names between colons, which it makes into pictures; and arrows and dashes.
_JOINED = re.compile(
    r"(?<=http)(?=s?:)|(?<=https)(?=:)|(?<=www)(?=\.)|(?<=xmpp)(?=:)|(?<=mailto)(?=:)|(?=@)|(?<=:)(?=(?:100|1234|(?!\d+:)[\w+\-/]+):)"
    r"|(?<=[<>=\-~])(?=[<>=\-~])",
    re.IGNORECASE,
)


def whole(text: object) -> str:
    r"""Return text that can be sent: halves of characters, as a damaged file may hold them, are replaced.

    Examples
    --------
    >>> whole("caf\udce9") == "caf\ufffd"
    True
    """
    return _SURROGATE.sub(REPLACEMENT, str(text))


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
