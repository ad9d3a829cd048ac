"""Cards of the bundled data sets before they are opened: the size, and a small map of a quick fit.

The file beside this one is made by ``tools/thumbnails.py``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proset.common.words import count_words
from proset.data.samples import SAMPLES

FILE = Path(__file__).with_name("examples.json")
_FIRST = ("cancer", "digits", "penguins", "heart", "concrete", "cars")
ORDER = (*_FIRST, *(name for name in SAMPLES if name not in _FIRST))
"""Real tables first, each with a question of its own."""


@dataclass(frozen=True)
class Example:
    """Contents of a card.

    Attributes
    ----------
    rows, features, classes : int
        How many there are; no classes where the target is a number.
    picture : str
        SVG: the map of the first batch of a quick fit; two features where such a fit finds no prototypes; of a number,
        what is stated above what is.
    shows : str
        What the picture shows.
    fingerprint : str
        Of the table that was fitted.
    """

    rows: int
    features: int
    classes: int
    picture: str
    shows: str
    fingerprint: str

    @property
    def words(self) -> str:
        """Size of the table, such as ``150 cases, 2 features, 3 classes``."""
        target = count_words(self.classes, "class", "classes") if self.classes else "a number"
        return ", ".join((count_words(self.rows, "case"), count_words(self.features, "feature"), target))


@cache
def examples() -> dict[str, Example]:
    """Return what cards show, by the name of the data set.

    Examples
    --------
    >>> examples()["iris_2f"].words
    '150 cases, 2 features, 3 classes'
    """
    return {name: Example(**entry) for name, entry in json.loads(FILE.read_text(encoding="utf-8")).items()}
