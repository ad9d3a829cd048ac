"""UTF-8 with a few places that are none: a name pasted from elsewhere, a file that was cut within a character."""

from __future__ import annotations

import codecs
import re

UTF8 = ("utf-8", "utf-8-sig")
_FEW = 20
"""Places that are mended in any file; in a long one, one in a thousand characters beyond ASCII."""
_GOOD_FOR_EACH = 4
"""Characters beyond ASCII for each such place, below which the text may be no UTF-8 at all."""
_REPLACEMENT = "\ufffd"
_AROUND = 11
_WORD = re.compile(f"[^\r\n,;\t]{{0,{_AROUND}}}{_REPLACEMENT}[^\r\n,;\t]{{0,{_AROUND}}}")


class MendingDecoder:
    """A decoder of UTF-8 that puts U+FFFD where bytes are none, and counts these places.

    Parameters
    ----------
    marked : bool
        Whether a mark at the beginning of the file proves that it is UTF-8.

    Attributes
    ----------
    n_good, n_bad : int
        Characters beyond ASCII, and places that were replaced, so far.
    sample : str
        The first such place with what stands around it.
    """

    def __init__(self, *, marked: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._marked, self._end, self._before = marked, b"", ""
        self.n_good = self.n_bad = 0
        self.sample = ""

    def decode(self, block: bytes, *, final: bool = False) -> str:
        r"""Decode some bytes.

        Examples
        --------
        >>> decoder = MendingDecoder()
        >>> decoder.decode("Köln, K".encode() + b"\xf6ln")
        'Köln, K�ln'
        >>> decoder.n_good, decoder.n_bad
        (1, 1)
        """
        text = self._decoder.decode(block, final)
        known = self._end + block
        self._end = known[-2:]
        if not text.isascii():
            replaced = text.count(_REPLACEMENT)
            self.n_good += len(text) - len(text.encode("ascii", "ignore")) - replaced
            self.n_bad += replaced - known.count(_REPLACEMENT.encode())  # the character itself may stand in the file
            if self.n_bad and not self.sample:
                self.sample = "".join(_WORD.findall(self._before + text)[:1])
        self._before = text[-_AROUND:] or self._before
        return text

    @property
    def is_hopeless(self) -> bool:
        """True where more is replaced than a few places, whatever may follow."""
        return self.n_bad > max(_FEW, self.n_good // 1000)

    @property
    def is_utf8(self) -> bool:
        """True where the whole text, as far as it was decoded, is UTF-8 but for few places."""
        return not self.is_hopeless and (self._marked or self.n_good >= _GOOD_FOR_EACH * self.n_bad)
