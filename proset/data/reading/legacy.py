"""Guessing the encoding of a text that is no Unicode, and saying how sure the guess is.

What the words look like decides (:mod:`proset.data.reading.plausibility`). :mod:`chardet` knows how often letters
follow each other and chooses where several encodings look right.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

import chardet

from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.encodings import RIVALS, Script, encoding_words
from proset.data.reading.plausibility import decoded, plausibility

WESTERN = "cp1252"
# A guess outside this list is nearly always Western text that was mistaken for something rare.
_BELIEVED = frozenset(
    {"cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8-r", "cp932", "euc_jp", "cp949", "gb18030"}
    | {"big5", "cp874", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"}
)
_LIKE = {  # what holds an encoding, or differs from it in rare letters only
    "koi8-u": "koi8-r", "koi8-t": "koi8-r", "big5hkscs": "big5", "mac-cyrillic": "cp1251", "tis-620": "cp874",
    "iso8859-5": "cp1251", "iso8859-7": "cp1253", "shift_jis": "cp932", "euc_kr": "cp949",
    "gbk": "gb18030", "gb2312": "gb18030",
}  # fmt: skip
_LATIN = Script(WESTERN, "LATIN")
_JAPANESE = Script("euc_jp", "CJK", ((0xA1, 0xA5), (0xB0, 0xCF)))
_OTHER_LATIN = ("cp1250", "cp850", "mac-roman")
_USUAL_SIGNS = frozenset("°²³µ€£§“”„‘’–—…•®™½\xa0")  # occur in Western tables without any word beyond ASCII
_SURE, _LIKELY = 0.8, 0.5
_CLOSE, _CLEAR, _VERY_CLEAR = 1.7, 2.0, 2.5
"""Factors by which other letters have to follow each other more likely than Western European ones."""
_SHOWN = 24


@dataclass(frozen=True)
class Guess:
    """An encoding, and what else a text may be.

    Attributes
    ----------
    encoding : str
        Python's name.
    sample : str
        A word of the text in this encoding.
    rival : str or None
        Another encoding that makes as good words; None if there is none.
    other : str
        The word in that encoding.
    sure : bool
        Whether the words look right and there is no rival; of UTF-8, whether all of the text is.
    """

    encoding: str
    sample: str = ""
    rival: str | None = None
    other: str = ""
    sure: bool = True

    def issue(self) -> Issue:
        """Say that an encoding was guessed, and what would change with another where that is doubtful."""
        name = f"{encoding_words(self.encoding)}, {self.encoding}"
        if self.sure:
            text = f"The file is not Unicode; it was read as {name}. If letters look wrong, read it again with another."
            return Issue("encoding", text, severity=Severity.INFO)
        if self.encoding.startswith("utf-8"):
            text = f"The file is {name}, but for a few places such as '{shown(self.sample, _SHOWN)}': they were pasted"
            text += " from a file in another encoding, or the file was cut off."
            return Issue("doubtful_encoding", text)
        text = f"The encoding of the file is doubtful. It was read as {name}: '{shown(self.sample, _SHOWN)}'."
        if self.rival is not None:
            text += f" As {encoding_words(self.rival)}, {self.rival}, it is '{shown(self.other, _SHOWN)}'."
        return Issue("doubtful_encoding", f"{text} If that looks wrong, read the file again with another encoding.")


def guess_legacy(evidence: bytes) -> Guess:
    """Guess an encoding from words that are not UTF-8; Western European unless others are likely.

    Parameters
    ----------
    evidence : bytes
        Words that hold bytes beyond ASCII, one on each line.

    Returns
    -------
    Guess
        The encoding and what else it may be.

    Examples
    --------
    >>> guess_legacy("Größe".encode("cp1252")).encoding, guess_legacy("Москва".encode("cp1251")).encoding
    ('cp1252', 'cp1251')
    """
    pieces = evidence.split(b"\n")
    confidence = _confidence(evidence)
    western = plausibility(pieces, _LATIN)
    west = WESTERN if decoded(evidence, WESTERN) is not None else "latin-1"
    close = 0.9 * max(confidence.values(), default=0.0)
    guess = next((name for name in confidence if name in _BELIEVED and confidence[name] >= close), "")
    if guess in _BELIEVED and _script(guess) is not _LATIN and _is_better(pieces, guess, western):
        return _with_rival(pieces, guess, confidence)
    sister, lead = _sister(evidence, west, confidence)
    looks = plausibility(pieces, _LATIN, sister) if sister else 0.0
    if looks >= _LIKELY and decoded(evidence, sister) != decoded(evidence, west):
        signs_in_words = looks > western
        if len(pieces) > 1 and (signs_in_words or lead >= _CLEAR):
            return _of_two(pieces, sister, west, sure=signs_in_words or (lead >= _VERY_CLEAR and len(pieces) > 2))
        if lead >= _CLOSE and western >= _LIKELY:
            return _of_two(pieces, west, sister, sure=False)
    chosen = west
    if western < _LIKELY:
        believed = guess if guess in _BELIEVED and len(pieces) > 1 and decoded(evidence, guess) is not None else west
        chosen = _best_of_others(pieces, confidence) or believed
    return _with_rival(pieces, chosen, confidence)


def _confidence(evidence: bytes) -> dict[str, float]:
    """Return what chardet makes of a text, the likeliest encoding first, under Python's names."""
    found: dict[str, float] = {}
    for entry in chardet.detect_all(evidence):
        try:
            name = codecs.lookup(entry["encoding"] or "").name
        except LookupError:
            continue
        found.setdefault(name if name in _BELIEVED else _LIKE.get(name, name), float(entry["confidence"]))
    return found


def _sister(evidence: bytes, west: str, confidence: dict[str, float]) -> tuple[str, float]:
    """Return the likeliest encoding with other Latin letters, and how much likelier than Western European it is."""
    known = max(*(confidence.get(name, 0.0) for name in (WESTERN, "iso8859-1", "iso8859-15")), 1e-9)
    # Turkish differs in six letters only, which are hardly used elsewhere: as likely is likelier
    leads = {name: confidence.get(name, 0.0) / known for name in ("cp1250", "iso8859-2")}
    leads["cp1254"] = _CLEAR * confidence.get("cp1254", 0.0) / known
    best = max(leads, key=lambda name: leads[name])
    return (best, leads[best]) if decoded(evidence, best) is not None and leads[best] > 0 else ("", 0.0)


def _of_two(pieces: Sequence[bytes], chosen: str, other: str, *, sure: bool) -> Guess:
    """Return an encoding with its rival, if there is doubt."""
    differs = next((piece for piece in pieces if decoded(piece, other) != decoded(piece, chosen)), pieces[0])
    if sure:
        return Guess(chosen, _shown(differs, chosen))
    return Guess(chosen, _shown(differs, chosen), other, _shown(differs, other), sure=False)


def _script(encoding: str) -> Script:
    """Return what the letters of an encoding look like; Latin unless others are known."""
    name = _LIKE.get(encoding, encoding)
    return _JAPANESE if name == "euc_jp" else next((script for script in RIVALS if script.encoding == name), _LATIN)


def _is_better(pieces: Sequence[bytes], guess: str, western: float) -> bool:
    """Tell whether a guess of chardet is to be believed; a single word must not look Western as well."""
    own = plausibility(pieces, _script(guess), guess)
    return own >= _LIKELY and (western < _LIKELY or (len(pieces) > 1 and own >= western))


def _best_of_others(pieces: Sequence[bytes], confidence: dict[str, float]) -> str | None:
    """Return the encoding in which words that are not Western look best, if any."""
    if sum(byte > 0x7F for piece in pieces for byte in piece) < 2:
        return None
    marks = {script.encoding: plausibility(pieces, script) for script in RIVALS}
    marks |= {name: plausibility(pieces, _LATIN, name) for name in _OTHER_LATIN}
    best = max(marks, key=lambda name: (marks[name], confidence.get(name, 0.0)))
    return best if marks[best] >= _SURE else None


def _with_rival(pieces: Sequence[bytes], chosen: str, confidence: dict[str, float]) -> Guess:
    """Look for another encoding that makes as good words of a text."""
    own = plausibility(pieces, _script(chosen), chosen)
    if chosen == WESTERN and own >= _SURE and _USUAL_SIGNS.issuperset(_foreign(pieces, chosen)):
        return Guess(chosen, _shown(pieces[0], chosen))
    known = confidence.get(chosen, 0.0)
    names = [script.encoding for script in RIVALS] + [WESTERN, *_OTHER_LATIN]
    marks = {
        name: plausibility(pieces, _script(name), name)
        for name in names
        if _LIKE.get(chosen, chosen) != name and (2 * confidence.get(name, 0.0) >= max(known, 0.01) or own < _SURE)
    }
    for name in sorted(marks, key=lambda name: (-marks[name], -confidence.get(name, 0.0), names.index(name))):
        differs = next((piece for piece in pieces if decoded(piece, name) != decoded(piece, chosen)), None)
        latin = {_script(name), _script(chosen)} == {_LATIN}
        if marks[name] >= max(_SURE, own) and differs is not None and not (latin and own >= _SURE):
            return Guess(chosen, _shown(differs, chosen), name, _shown(differs, name), sure=False)
    return Guess(chosen, _shown(pieces[0], chosen), sure=own >= _LIKELY)


def _foreign(pieces: Sequence[bytes], encoding: str) -> str:
    """Return the characters beyond ASCII."""
    return "".join(filter(lambda letter: letter > "\x7f", b"".join(pieces).decode(encoding, "replace")))


def _shown(piece: bytes, encoding: str) -> str:
    """Return a word in an encoding."""
    return (decoded(piece, encoding) or "").strip(" \"'")
