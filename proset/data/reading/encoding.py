"""Finding the text encoding of a file.

Unicode is decided by proof: a byte-order mark, the zero bytes that UTF-16 leaves in plain text, or the whole file being
valid UTF-8, but for a few places at most. Only what is left is guessed, from the words that hold letters beyond ASCII.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.encodings import ENCODINGS
from proset.data.reading.legacy import Guess, guess_legacy
from proset.data.reading.mended_utf8 import UTF8, MendingDecoder
from proset.data.reading.source import BLOCK

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Python calls them text encodings, but they spell program text or host names, letter by letter; no file is written so.
_NO_FILE_IS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "unicode_escape"}
)
# a bar may be the second byte of an East Asian character
_FOREIGN_WORDS = re.compile(rb"[^\r\n,;\t]*[\x80-\xff][^\r\n,;\t]*")
_MAX_EVIDENCE = 1 << 15
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1b"))


def find_encoding(blocks: Iterable[bytes], *, name: str = "table") -> Guess:
    """Find the encoding of a text from its bytes, and what else it may be.

    Parameters
    ----------
    blocks : iterable of bytes
        The content, in order. Everything is looked at unless the beginning already decides.
    name : str
        What to call the file in a message.

    Returns
    -------
    Guess
        Under Python's name of the codec; sure where the encoding is proved. UTF-8 with a few places that are none is
        not sure.

    Raises
    ------
    TableError
        If the bytes are no text.

    Examples
    --------
    >>> find_encoding(["Größe;Ort".encode("utf-8")])
    Guess(encoding='utf-8', sample='', rival=None, other='', sure=True)
    >>> find_encoding(["Größe;Ort".encode("cp1252")]).encoding
    'cp1252'
    """
    decoder, found, words = MendingDecoder(), "utf-8", dict[bytes, None]()
    for position, block in enumerate(blocks):
        if position == 0:
            found = _by_beginning(block)
            if found not in UTF8:
                return Guess(found)
            decoder = MendingDecoder(marked=found == "utf-8-sig")
        _refuse_binary(block, name)
        if not decoder.is_hopeless:
            decoder.decode(block)
        if decoder.n_bad and sum(map(len, words)) <= _MAX_EVIDENCE:
            words.update(dict.fromkeys(_FOREIGN_WORDS.findall(_whole_lines(block, first=position == 0))))
        elif decoder.is_hopeless:
            break
    if not decoder.is_hopeless:
        decoder.decode(b"", final=True)
    if decoder.n_bad == 0:
        return Guess(found)
    return Guess(found, decoder.sample, sure=False) if decoder.is_utf8 else guess_legacy(_evidence(words))


def _evidence(words: Iterable[bytes]) -> bytes:
    """Return words on a line each, not too many; cut at the end of a word, for a character may take several bytes."""
    evidence = b"\n".join(words)
    if len(evidence) > _MAX_EVIDENCE:
        return evidence[: max(evidence.rfind(b"\n", 0, _MAX_EVIDENCE), 0)] or evidence[:_MAX_EVIDENCE]
    return evidence


def _whole_lines(block: bytes, *, first: bool) -> bytes:
    """Return the beginning of a block without the lines that it cuts, for a character may take several bytes."""
    part = block[: _MAX_EVIDENCE * 8]
    start = 0 if first else part.find(b"\n") + 1
    is_cut = len(part) < len(block) or len(block) >= BLOCK
    end = part.rfind(b"\n") + 1 if is_cut else len(part)
    return part[start:end] if start < end else part


def _by_beginning(block: bytes) -> str:
    """Name the encoding that a byte-order mark or the pattern of zero bytes gives away, else UTF-8."""
    for mark, encoding in _MARKS:
        if block.startswith(mark):
            return encoding
    head = block[: min(len(block), 4096) // 2 * 2]
    if len(head) >= 4:
        even, odd = head[::2].count(0) / len(head[::2]), head[1::2].count(0) / len(head[1::2])
        if odd > 0.2 and even < 0.01:
            return "utf-16-le"
        if even > 0.2 and odd < 0.01:
            return "utf-16-be"
    return "utf-8"


def _refuse_binary(block: bytes, name: str) -> None:
    """Refuse bytes that no text holds."""
    control = len(block) - len(block.translate(None, _CONTROL))
    if b"\0" in block or control > 0.01 * len(block) + 2:
        raise TableError(
            f"'{name}' is a binary file, not a table of text.",
            hint="Save the table as CSV, Excel (.xlsx) or Parquet and try again.",
        )


def check_encoding(encoding: str) -> str:
    """Check the name of an encoding that a person gave.

    Parameters
    ----------
    encoding : str
        Any name that Python knows.

    Returns
    -------
    str
        Python's own name of it.

    Raises
    ------
    TableError
        If there is no such text encoding.

    Examples
    --------
    >>> check_encoding("UTF8")
    'utf-8'
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(encoding)  # refuses codecs such as 'base64' that do not make text
    except (LookupError, UnicodeError, ValueError) as error:
        raise _no_encoding(encoding) from error
    if name in _NO_FILE_IS:
        raise _no_encoding(encoding)
    return name


def _no_encoding(encoding: str) -> TableError:
    """Refuse what is no encoding of a text file, and list some that are."""
    return TableError(
        f"There is no text encoding '{shown(encoding)}'.",
        hint=f"Use one of: {', '.join(ENCODINGS)}.",
        option="encoding",
    )
