"""References for a case: the reference point, a typical case of a class, or any row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.services.params import Param
from proset.common.errors import StudyError
from proset.common.words import shown
from proset.explain.attribution.medoid import ClassMedoid, class_medoid
from proset.explain.attribution.reference import ReferencePoint, choose_reference_point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from proset.study import Study

POINT = "point"
AUTO = ""
"""Nothing is chosen: the page knows what a comparison starts from."""
_CLASS, _ROW = "class-", "row-"
_MOST_DIGITS = 18


@dataclass(frozen=True)
class ReferenceParam(Param[str]):
    """The name of a reference: ``point``, ``class-0`` (first class; its name is a stranger's word) or ``row-17``.

    Examples
    --------
    >>> param = ReferenceParam("reference", POINT)
    >>> param.read("class-2"), param.read("row-17"), param.read("row-x"), param.read("row-017")
    ('class-2', 'row-17', None, None)
    """

    allowed = "'point', 'class-' and the position of a class from 0, or 'row-' and the number of a row"

    def read(self, text: str) -> str | None:
        """Return the text if it has one of the three forms; whether there is such a row, :func:`reference` asks."""
        return text if text == POINT or _number(text, _CLASS) is not None or _number(text, _ROW) is not None else None


REFERENCE = ReferenceParam("reference", AUTO, of_model=True)


def _number(text: str, prefix: str) -> int | None:
    """Return the number after a prefix; None if there is none, or another way to write it."""
    digits = text.removeprefix(prefix)
    if not text.startswith(prefix) or not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        return None
    return int(digits) if str(int(digits)) == digits else None


@dataclass(frozen=True, eq=False)
class Reference:
    """One thing that cases can be compared with.

    Attributes
    ----------
    text : str
        As the address names it.
    row : int
        Row id of the table.
    label : str
        For a list to choose from, such as ``"typical case of 'benign' (row 12)"``; quotes a stranger's words as
        messages do.
    x : float64 array of shape (D,)
        Its row of the matrix: explanations take the whole object as their reference.
    """

    text: str
    row: int
    label: str
    x: NDArray[np.float64]

    @property
    def index(self) -> int:
        """Row id, under the name that explanations look for."""
        return self.row

    @property
    def words(self) -> str:
        """The label within a sentence."""
        return {POINT: "the ", "class": "a "}.get(self.text.partition("-")[0], "") + self.label


def references(study: Study) -> tuple[Reference, ...]:
    """List the references that a page offers: the chosen point, then a typical case of each class.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = references(fit_sample("iris_2f"))
    >>> [option.text for option in found]
    ['point', 'class-0', 'class-1', 'class-2']
    """
    return reference(study, POINT), *(reference(study, f"{_CLASS}{k}") for k in range(len(study.classes)))


def reference(study: Study, text: str) -> Reference:
    """Return the reference that an address names.

    Parameters
    ----------
    text : str
        As :class:`ReferenceParam` allows.

    Raises
    ------
    StudyError
        If the table has no such row, or the model no such class.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> reference(fit_sample("iris_2f"), "row-17").label
    'row 17'
    """
    row, place = _number(text, _ROW), _number(text, _CLASS)
    if row is not None:
        return Reference(text, row, f"row {row}", study.encode([row]).X[0].astype("float64"))
    found: ReferencePoint | ClassMedoid
    if place is None:
        found, label = choose_reference_point(study), "reference point"
        ranked = len(found.ranking)
    elif place >= len(study.classes):
        raise StudyError(f"The model has no class number {place}.", hint="Choose another case to compare with.")
    else:
        name = study.classes[place]
        found, label = class_medoid(study, class_name=name), f"typical case of '{shown(name)}'"
        ranked = len(found.distances)
    some = f", found among {ranked:,} of {found.n_cases:,} rows" if ranked < found.n_cases else ""
    return Reference(text, int(found.index), f"{label} (row {found.index}{some})", found.x)
