"""Finding the text encoding of a file, and reading it as UTF-8 whatever it is.

Unicode is decided by proof: a byte-order mark, the zero bytes that UTF-16 leaves in plain text, or the whole file being
valid UTF-8. Only what is left is guessed, from the words that hold letters beyond ASCII.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable
from typing import BinaryIO

import chardet

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.source import BLOCK, read_block

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A guess outside this list is nearly always Western text that was mistaken for something rare.
_BELIEVED = frozenset(
    {"cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8-r", "shift_jis", "cp932", "euc_jp", "euc_kr"}
    | {"cp949", "gb18030", "gb2312", "gbk", "big5", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"}
)
# Python calls them text encodings, but they spell program text or host names, letter by letter; no file is written so.
_NO_FILE_IS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "unicode_escape"}
)
_USUAL = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1", "cp1250", "cp1251", "iso8859-15", "mac_roman"),
    *("shift_jis", "gb18030", "big5", "euc_kr", "ascii"),
)
_FOREIGN_WORDS = re.compile(rb"[^\r\n,;\t|]*[\x80-\xff][^\r\n,;\t|]*")
_HALF = re.compile("[\ud800-\udfff]")
_MAX_EVIDENCE = 1 << 15
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1b"))
_TRY_ENCODING = "Name the right one with encoding=, for example 'cp1252' or 'latin-1'."


def detect_encoding(blocks: Iterable[bytes], *, name: str = "table") -> str:
    """Find the encoding of a text from its bytes.

    Parameters
    ----------
    blocks : iterable of bytes
        The content, in order. Everything is looked at unless the beginning already decides.
    name : str
        What to call the file in a message.

    Returns
    -------
    str
        One of Python's codec names: ``"utf-8"``, ``"utf-8-sig"``, ``"utf-16"``, ``"utf-16-le"``, ``"utf-16-be"``,
        ``"utf-32"``, or a one-byte or East Asian encoding.

    Raises
    ------
    TableError
        If the bytes are no text.

    Examples
    --------
    >>> detect_encoding(["Größe;Ort".encode("cp1252")])
    'cp1252'
    >>> detect_encoding(["Größe;Ort".encode("utf-8")])
    'utf-8'
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    found, words = "utf-8", dict[bytes, None]()
    still_utf8 = True
    for position, block in enumerate(blocks):
        if position == 0:
            found = _by_beginning(block)
            if found not in ("utf-8", "utf-8-sig"):
                return found
        _refuse_binary(block, name)
        if still_utf8:
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                still_utf8 = False
        if not still_utf8:
            words.update(dict.fromkeys(_FOREIGN_WORDS.findall(block[: _MAX_EVIDENCE * 8])))
            if sum(map(len, words)) > _MAX_EVIDENCE:
                break
    if still_utf8 and not decoder.getstate()[0]:
        return found
    return _guess_legacy(b"\n".join(words)[:_MAX_EVIDENCE])


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


def _guess_legacy(evidence: bytes) -> str:
    """Guess an encoding from words that are not UTF-8; Western European unless others are likely."""
    if evidence.count(b"\n") >= 1:
        guess = chardet.detect(evidence)["encoding"]
        try:
            known = codecs.lookup(guess or "").name
            if known in _BELIEVED and evidence.decode(known):
                return known
        except (LookupError, UnicodeDecodeError):
            pass
    try:
        evidence.decode("cp1252")
    except UnicodeDecodeError:  # five bytes mean nothing in cp1252 but something in Latin-1
        return "latin-1"
    return "cp1252"


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
    return TableError(f"There is no text encoding '{shown(encoding)}'.", hint=f"Use one of: {', '.join(_USUAL)}.")


class Utf8Stream(io.RawIOBase):
    """A file in any encoding, read as UTF-8 without its byte-order mark and without its first characters.

    Parameters
    ----------
    raw : BinaryIO
        The bytes as they are.
    encoding : str
        Their encoding.
    name : str
        What to call the file in a message.
    skip : int
        Number of characters to leave out at the beginning.

    Attributes
    ----------
    tail : bytes
        The last characters read so far, without white space after them.
    n_mended : int
        Characters replaced so far because no text can hold them (halves of surrogate pairs).
    """

    def __init__(self, raw: BinaryIO, encoding: str, *, name: str, skip: int = 0) -> None:
        super().__init__()
        self._raw, self._encoding, self._name, self._skip = raw, encoding, name, skip
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._buffer = b""
        self._offset = 0
        self._begun = self._ended = False
        self.tail = b""
        self.n_mended = 0

    def readable(self) -> bool:
        """Return True: this stream is there to be read."""
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with UTF-8.

        Parameters
        ----------
        target : bytearray or memoryview
            Where to write.

        Returns
        -------
        int
            Bytes written; 0 at the end.

        Raises
        ------
        TableError
            If the bytes do not fit the encoding.
        """
        while self._offset >= len(self._buffer) and not self._ended:
            self._buffer, self._offset = self._next(), 0
        part = self._buffer[self._offset : self._offset + len(target)]
        target[: len(part)] = part
        self._offset += len(part)
        return len(part)

    def _next(self) -> bytes:
        """Decode one block."""
        block = read_block(self._raw, self._name, BLOCK)
        self._ended = not block
        try:
            text = self._decoder.decode(block, final=self._ended)
        except UnicodeError as error:  # of which a UnicodeDecodeError is one
            reason = getattr(error, "reason", error)
            raise TableError(
                f"'{self._name}' is not written in {self._encoding}: {shown(reason)}.", hint=_TRY_ENCODING
            ) from error
        if text and not self._begun:
            self._begun, text = True, text.removeprefix("\ufeff")
        if self._skip:
            text, self._skip = text[self._skip :], max(0, self._skip - len(text))
        try:
            coded = text.encode()
        except UnicodeEncodeError:  # half of a pair, which UTF-7 can spell
            text, mended = _HALF.subn("\ufffd", text)
            self.n_mended += mended
            coded = text.encode()
        self.tail = coded.rstrip()[-8:] or self.tail
        return coded
