"""How messages spell what came from a stranger."""

from __future__ import annotations

LONGEST = 60
"""Characters of a name or value that a message quotes at most, unless it says otherwise."""


def shown(text: object, longest: int = LONGEST) -> str:
    r"""Return a stranger's text the way a message can quote it: on one line, and not longer than it helps.

    Parameters
    ----------
    text : object
        A name, a value or a line of a file; anything but text is spelled by ``str``.
    longest : int
        Characters to keep, at least 2.

    Returns
    -------
    str
        White space, line breaks among it, is one blank; characters that cannot be printed or stored (control
        characters, lone surrogates) are U+FFFD; an ellipsis stands for what was cut off.

    Examples
    --------
    >>> shown("Dear\n all")
    'Dear all'
    >>> shown("x" * 200_000, 8)
    'xxxxxxx…'
    """
    head = " ".join(str(text)[: 8 * longest].split())
    cut = len(head) > longest or len(str(text)) > 8 * longest
    head = "".join(mark if mark.isprintable() else "\ufffd" for mark in head[: longest - 1 if cut else longest])
    return head + "…" if cut else head
