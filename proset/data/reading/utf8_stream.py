"""Reading a text in any encoding as UTF-8, piece by piece."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.escaped import Unescaper
from proset.data.reading.mended_utf8 import UTF8, MendingDecoder
from proset.data.reading.source import BLOCK, read_block
from proset.data.reading.wrapped import unwrap

_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_LINE = 1 << 22


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
    wrapped : bool
        Whether quotes around whole lines are taken off.
    escaped : bool
        Whether quote marks with a backslash before them become doubled ones.
    skip : int
        Number of characters to leave out at the beginning, after that.

    Attributes
    ----------
    tail : bytes
        The last characters read so far, without white space after them.
    n_mended : int
        Places replaced so far because no text can hold them: halves of surrogate pairs, bytes that are no UTF-8.
    """

    def __init__(
        self,
        raw: BinaryIO,
        encoding: str,
        *,
        name: str,
        wrapped: bool = False,
        escaped: bool = False,
        skip: int = 0,
    ) -> None:
        super().__init__()
        self._raw, self._encoding, self._name, self._skip = raw, encoding, name, skip
        self._decoder = (
            MendingDecoder(marked=encoding == "utf-8-sig")
            if encoding in UTF8
            else codecs.getincrementaldecoder(encoding)()
        )
        self._wrapped, self._held = wrapped, ""
        self._unescaper = Unescaper() if escaped else None
        self._buffer = b""
        self._offset = 0
        self._begun = self._ended = False
        self.tail = b""
        self.n_mended = 0

    def readable(self) -> bool:
        """Return True: this stream is there to be read."""
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with UTF-8 and return the bytes written, 0 at the end; TableError if they do not fit."""
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
        text = self._decoded(block)
        if text and not self._begun:
            self._begun, text = True, text.removeprefix("\ufeff")
        if self._wrapped:
            text = self._unwrapped(text)
        if self._unescaper is not None:
            text = self._unescaper.add(text, final=self._ended)
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

    def _decoded(self, block: bytes) -> str:
        """Decode some bytes, of UTF-8 with a few places that are none."""
        decoder = self._decoder
        before = decoder.n_bad if isinstance(decoder, MendingDecoder) else 0
        try:
            text = decoder.decode(block, final=self._ended)
        except UnicodeError as error:  # of which a UnicodeDecodeError is one
            raise self._other_encoding(shown(getattr(error, "reason", error))) from error
        if isinstance(decoder, MendingDecoder):
            self.n_mended += decoder.n_bad - before
            if decoder.is_hopeless or (self._ended and not decoder.is_utf8):
                raise self._other_encoding("it holds bytes of something else")
        return text

    def _other_encoding(self, reason: str) -> TableError:
        """Return the refusal of a text that is written in another encoding than was said."""
        return TableError(
            f"'{self._name}' is not written in {self._encoding}: {reason}.",
            hint="Choose another encoding.",
            option="encoding",
        )

    def _unwrapped(self, text: str) -> str:
        """Take the quotes off whole lines; the last one waits for its end."""
        text = self._held + text
        cut = len(text) if self._ended or len(text) > _LONGEST_LINE else max(text.rfind("\n"), text.rfind("\r")) + 1
        self._held = text[cut:]
        return unwrap(text[:cut])
