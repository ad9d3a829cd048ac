"""The encodings that are offered and looked for: one list, under names that people know."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

ENCODINGS = MappingProxyType(
    {
        "utf-8": "Unicode (UTF-8)",
        "utf-8-sig": "Unicode (UTF-8 with a mark at the beginning)",
        "utf-16": "Unicode (UTF-16, Excel's 'Unicode text')",
        "cp1252": "Western European (Windows-1252)",
        "latin-1": "Western European (ISO 8859-1, Latin-1)",
        "iso8859-15": "Western European with € (ISO 8859-15, Latin-9)",
        "mac-roman": "Western European (Mac)",
        "cp850": "Western European (DOS 850)",
        "cp437": "Western European (DOS 437)",
        "cp1250": "Central European (Windows-1250)",
        "iso8859-2": "Central European (ISO 8859-2, Latin-2)",
        "cp1257": "Baltic (Windows-1257)",
        "cp1251": "Cyrillic (Windows-1251)",
        "koi8-r": "Cyrillic (KOI8-R)",
        "iso8859-5": "Cyrillic (ISO 8859-5)",
        "cp866": "Cyrillic (DOS 866)",
        "cp1253": "Greek (Windows-1253)",
        "iso8859-7": "Greek (ISO 8859-7)",
        "cp1254": "Turkish (Windows-1254)",
        "iso8859-9": "Turkish (ISO 8859-9, Latin-5)",
        "cp1255": "Hebrew (Windows-1255)",
        "cp1256": "Arabic (Windows-1256)",
        "cp874": "Thai (Windows-874)",
        "cp1258": "Vietnamese (Windows-1258)",
        "gb18030": "Chinese, simplified (GBK, GB18030)",
        "big5": "Chinese, traditional (Big5)",
        "shift_jis": "Japanese (Shift-JIS)",
        "cp932": "Japanese (Shift-JIS of Windows, 932)",
        "euc_jp": "Japanese (EUC-JP)",
        "euc_kr": "Korean (EUC-KR)",
        "cp949": "Korean (Windows-949)",
        "utf-16-le": "Unicode (UTF-16, low byte first)",
        "utf-16-be": "Unicode (UTF-16, high byte first)",
        "utf-32": "Unicode (UTF-32)",
    }
)
"""Python's name of an encoding and what people call it; a person can name any other that Python knows."""


@dataclass(frozen=True)
class Script:
    """An encoding that may be meant where bytes are no Unicode, and what its common letters look like.

    Attributes
    ----------
    encoding : str
        Python's name.
    letters : str
        How the Unicode names of its letters begin.
    common : tuple of (int, int)
        First bytes of its common characters, from and to, where a character takes two bytes.
    """

    encoding: str
    letters: str
    common: tuple[tuple[int, int], ...] = ()


RIVALS = (
    Script("cp1251", "CYRILLIC"),
    Script("koi8-r", "CYRILLIC"),
    Script("cp1253", "GREEK"),
    Script("cp1255", "HEBREW"),
    Script("cp1256", "ARABIC"),
    Script("cp874", "THAI"),
    Script("gb18030", "CJK", ((0xA1, 0xA3), (0xB0, 0xD7))),
    Script("big5", "CJK", ((0xA1, 0xA3), (0xA4, 0xC6))),
    Script("cp932", "CJK", ((0x81, 0x83), (0x88, 0x98))),
    Script("cp949", "HANGUL", ((0xA1, 0xA3), (0xB0, 0xC8))),
)
"""One encoding per script, two where two are usual: what a short text may be instead of Western European."""


def encoding_words(name: str) -> str:
    """Return what people call an encoding.

    Examples
    --------
    >>> encoding_words("gb18030"), encoding_words("cp037")
    ('Chinese, simplified (GBK, GB18030)', 'cp037')
    """
    return ENCODINGS.get(name, name)
