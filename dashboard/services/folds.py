"""Which folded parts of a page are open: one value of the page, so that it stands in the address."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.services.params import Param


@dataclass(frozen=True)
class Folds(Param[tuple[str, ...]]):
    """The open parts of a page, in the order of the page.

    Attributes
    ----------
    parts : tuple of str
        All parts that can be opened and closed.

    Examples
    --------
    >>> folds = Folds("unfold", ("known",), parts=("known", "whatif", "sum"))
    >>> folds.read("sum,known"), folds.read(""), folds.read("moon"), folds.write(("known", "sum"))
    (('known', 'sum'), (), None, 'known,sum')
    >>> folds.with_part(("known",), "whatif", opened=True), folds.with_part(("known",), "known", opened=False)
    (('known', 'whatif'), ())
    """

    parts: tuple[str, ...] = ()

    def read(self, text: str) -> tuple[str, ...] | None:
        """Return the parts that a text names; None if it names one that there is not."""
        named = {name for name in text.split(",") if name}
        return tuple(name for name in self.parts if name in named) if named <= set(self.parts) else None

    def write(self, value: tuple[str, ...]) -> str:
        """Return the names of the open parts."""
        return ",".join(value)

    @property
    def allowed(self) -> str:
        """The parts."""
        return f"a list of {', '.join(self.parts)}"

    def with_part(self, value: tuple[str, ...], part: str, *, opened: bool) -> tuple[str, ...]:
        """Return which parts are open once one of them is opened or closed."""
        return tuple(name for name in self.parts if (opened if name == part else name in value))
