"""The part of an open table that is in the workspace."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Keeping:
    """The part of an open table that is in the workspace already.

    Attributes
    ----------
    version : int
        Of what is chosen.
    choices, view : str
        As they were written last.
    models : set of str
        Ids of the models that were written.
    folds : set of str
        Ids of the models whose training rows are judged by models that have not seen them, as it was written.
    mine : bool
        Whether this window made the study, so that it may take it back.
    work : str or None
        Work under way as it was written last.
    written_at : float
        When that was, in seconds.
    """

    version: int
    choices: str
    view: str
    models: set[str] = field(default_factory=set)
    folds: set[str] = field(default_factory=set)
    mine: bool = False
    work: str | None = None
    written_at: float = 0.0

    @property
    def is_as_begun(self) -> bool:
        """True if nothing but work was ever added to it."""
        return self.mine and self.version == 1 and not self.models
