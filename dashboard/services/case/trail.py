"""The way back from a case that was opened from another one."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.services.cases import CaseRef

_LONGEST = 30


@dataclass(frozen=True)
class Trail:
    """Steps from case to case, the latest last.

    Attributes
    ----------
    steps : tuple of (CaseRef, CaseRef)
        From where to where.

    Examples
    --------
    >>> one, two = CaseRef.in_table(1), CaseRef.in_table(2)
    >>> trail = Trail().went(one, two)
    >>> trail.back(two), trail.back(one), trail.returned(two).steps
    (CaseRef(source=<CaseSource.TABLE: 'table'>, row=1), None, ())
    """

    steps: tuple[tuple[CaseRef, CaseRef], ...] = ()

    def went(self, start: CaseRef, end: CaseRef) -> Trail:
        """Return the trail after a step, which may start elsewhere than the last one ended."""
        return Trail((*self.steps, (start, end))[-_LONGEST:])

    def back(self, here: CaseRef) -> CaseRef | None:
        """Return from where one came to a case; None if it was not opened from another."""
        return next((start for start, end in reversed(self.steps) if end == here), None)

    def returned(self, here: CaseRef) -> Trail:
        """Return the trail after going back from a case."""
        last = max((i for i, (_, end) in enumerate(self.steps) if end == here), default=len(self.steps))
        return Trail(self.steps[:last])
