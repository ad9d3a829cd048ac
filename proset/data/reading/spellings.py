"""Words of a column that differ only in the blanks around them, which reading takes off: they become one value."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity

JOINED_SPELLINGS = "joined_spellings"
"""Code of the finding."""

_MOST_WORDS = 1_000
_LONGEST_WORD = 200
_SAMPLE, _FEW = 1_000, 500


@dataclass
class Spellings:
    """Spellings of the words of one column in its file, while they are few enough to be categories.

    Attributes
    ----------
    plain : set of str or None
        Words that occur without blanks around them; None once the column has too many words to be a category.
    padded : dict of str to set of str
        By word, how it is spelled with blanks around it.
    """

    plain: set[str] | None = field(default_factory=set)
    padded: dict[str, set[str]] = field(default_factory=dict)

    def add(self, values: pa.Array, trimmed: pa.Array | None = None) -> None:
        """Take over the words of one batch.

        Parameters
        ----------
        values : pyarrow.Array of str, shape (n,)
            As they stand in the file.
        trimmed : pyarrow.Array of str, shape (n,), or None
            Without the blanks around them; None takes these off, while words are still counted.

        Examples
        --------
        >>> spellings = Spellings()
        >>> spellings.add(pa.array(["a", "a ", " b"]), pa.array(["a", "a", "b"]))
        >>> spellings.joined()
        {'a': ('a ', 'a')}
        """
        if self.plain is None:
            return
        trimmed = pc.utf8_trim_whitespace(values) if trimmed is None else trimmed
        if len(values) >= _SAMPLE and len(pc.unique(trimmed[:_SAMPLE])) > _FEW:
            self.plain = None
            return
        same = pc.equal(values, trimmed)
        if pc.all(same).as_py() is not False:
            self.plain.update(_words(values))
        else:
            self.plain.update(_words(values.filter(same)))
            for spelling, word in _padded(values.filter(pc.invert(same)), values, trimmed):
                self.padded.setdefault(word, set()).add(spelling)
        if len(self.plain) + sum(map(len, self.padded.values())) > _MOST_WORDS:
            self.plain = None

    def joined(self) -> dict[str, tuple[str, str]]:
        """Return two spellings of each word that has several; blanks alone are no word."""
        if self.plain is None:
            return {}
        every = {
            word: [*sorted(spellings), *([word] if word in self.plain else [])]
            for word, spellings in sorted(self.padded.items())
        }
        return {word: (found[0], found[-1]) for word, found in every.items() if word and len(found) > 1}

    def issues(self, name: str, missing: frozenset[str] = frozenset()) -> list[Issue]:
        """Say which spellings of a column became one value; words that stand for a missing value are told elsewhere.

        Examples
        --------
        >>> spellings = Spellings({"a"}, {"a": {"a "}})
        >>> spellings.issues("kind")[0].message
        "Column 'kind': 'a ' and 'a' differ only in the blanks around them and are read as one value."
        """
        pairs = [pair for word, pair in self.joined().items() if word not in missing]
        if not pairs:
            return []
        one, other = (shown(spelling, 40) for spelling in pairs[0])
        text = f"Column '{shown(name)}': '{one}' and '{other}' differ only in the blanks around them and are read as"
        text += " one value"
        if len(pairs) > 1:
            text += f"; so are two spellings or more of {count_words(len(pairs) - 1, 'other value')}"
        return [Issue(JOINED_SPELLINGS, f"{text}.", name, Severity.INFO)]


def _words(values: pa.Array) -> list[str]:
    """Return the different texts that are short enough to be told apart by a person."""
    words: list[str] = _short(pc.unique(values)).to_pylist()
    return words


def _padded(padded: pa.Array, values: pa.Array, trimmed: pa.Array) -> list[tuple[str, str]]:
    """Return the different spellings with blanks around them, each with what was left of it."""
    different = _short(pc.unique(padded))
    words = trimmed.take(pc.index_in(different, value_set=values))
    return list(zip(different.to_pylist(), words.to_pylist(), strict=True))


def _short(texts: pa.Array) -> pa.Array:
    """Return the texts that are short enough, without missing ones."""
    return texts.filter(pc.less_equal(pc.utf8_length(texts), _LONGEST_WORD))
