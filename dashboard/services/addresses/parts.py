"""Parts that every kind of address has: the case, the cases that are looked through, and a page's own values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.services.addresses.cases import read_cases, write_cases
from dashboard.services.cases import CaseRef, CaseSet
from dashboard.services.params import Param, names

Params = Mapping[str, Sequence[str]]
Written = dict[str, str | list[str]]

VIEW = frozenset({"row", "cases"})
"""Parameters that an address of either kind has on every page."""
_LONGEST_QUOTE = 40


@dataclass(frozen=True)
class View:
    """Case, list of cases and values of a page, whatever the table.

    Attributes
    ----------
    case : CaseRef or None
        The selected case.
    cases : CaseSet or None
        The cases that are looked through; None for the usual ones.
    own : mapping of str to object
        Values of the page, by name.
    """

    case: CaseRef | None = None
    cases: CaseSet | None = None
    own: Mapping[str, Any] = field(default_factory=dict)

    def write(self, params: Sequence[Param[Any]] = ()) -> Written:
        """Return the query parameters; what is usual is left out."""
        written: Written = {}
        if self.case is not None:
            written["row"] = self.case.text
        if self.cases is not None and (texts := write_cases(self.cases)):
            written["cases"] = texts
        for param in params:
            if self.own.get(param.name, param.usual) != param.usual:
                written[param.name] = param.write(self.own[param.name])
        return written


NOTHING = View()
"""Nothing in particular is looked at."""


def read_view(given: Params, params: Sequence[Param[Any]], has: Callable[[CaseRef], bool], notes: list[str]) -> View:
    """Check what an address says of the case, the cases and the page.

    Parameters
    ----------
    given : mapping
        Parameter name to its texts, as they came.
    has : callable
        Tells whether there is such a case.
    notes : list of str
        Gets one sentence for each part that was left out.

    Examples
    --------
    >>> notes = []
    >>> read_view({"row": ["3"]}, (), lambda case: False, notes).case is None, notes
    (True, ["The address asks for row '3', which this data set does not have; no case is selected."])
    """
    case = _read_case(last(given, "row"), has, notes)
    own = read_values(given, {param.name: param for param in params}, notes)
    cases = None
    if "cases" in given:
        cases = read_cases(given["cases"], has)
        if cases is None:
            notes.append("The address names a list of cases that cannot be used; the usual one is shown.")
    return View(case, cases, own)


def unknown(given: Params, known: Iterable[str], params: Sequence[Param[Any]]) -> list[str]:
    """Return a sentence for everything that an address says and nobody knows."""
    every = set(known) | VIEW | names(params)
    return [
        f"The address says '{quote(key)}', which is not known here; it was left out."
        for key in given
        if key not in every
    ]


def read_values(given: Params, params: Mapping[str, Param[Any]], notes: list[str]) -> dict[str, Any]:
    """Read values; what is not allowed is left out with a note."""
    found: dict[str, Any] = {}
    for key, param in params.items():
        if param.name in given:
            text = last(given, param.name)
            value = param.read(text)
            if value is not None:
                found[key] = value
            else:
                notes.append(
                    f"The address says {param.name} = '{quote(text)}', which is not {param.allowed}; "
                    "the usual value is used."
                )
    return found


def last(params: Params, name: str) -> str:
    """Return the last text given for a parameter, or an empty one."""
    values = params.get(name, ())
    return values[-1] if values else ""


def quote(text: str) -> str:
    """Shorten what a stranger may have written."""
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."


def _read_case(text: str, has: Callable[[CaseRef], bool], notes: list[str]) -> CaseRef | None:
    """Read a case that there is."""
    if not text:
        return None
    case = CaseRef.read(text)
    if case is not None and has(case):
        return case
    notes.append(f"The address asks for row '{quote(text)}', which this data set does not have; no case is selected.")
    return None
