"""Facts that a story tells, found in the model at hand when a step asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef, Part, part_rows
from dashboard.services.prototypes import CARDS, card_places, measured_rows
from dashboard.texts.story import STORIES, StoryWords
from proset.common.lazy import lazy_property
from proset.explain.evidence import Keep, compute_now
from proset.explain.structure.prototype_table import prototypes
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.structure.prototype_table import PrototypeTable
    from proset.study import Study


class Ground:
    """A model that a story is about.

    Parameters
    ----------
    story : str
        Name of the story.
    rule : DecisionRule
        Decides what is said of a case.
    keep : callable
        Keeps what was found for a case; see :class:`proset.explain.evidence.Evidence`.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> ground = Ground("penguins", fit_sample("penguins"))
    >>> ground.part_words, len(ground.lines) == len(ground.study.split.held_out)
    ('held-out rows', True)
    """

    def __init__(self, story: str, study: Study, rule: DecisionRule = MOST_PROBABLE, keep: Keep = compute_now) -> None:
        self.study, self.rule, self._keep = study, rule, keep
        self.words: StoryWords = STORIES[story]

    @lazy_property
    def part(self) -> Part:
        """The rows that the story speaks of: held-out ones, all if none were held out."""
        return Part.HELD_OUT if len(self.study.split.held_out) else Part.ALL

    @property
    def part_words(self) -> str:
        """The part in words."""
        return f"{self.part.row}s"

    @lazy_property
    def lines(self) -> pd.DataFrame:
        """Lines of these rows as the rule judges them."""
        return part_rows(self.study.judged(self.rule), self.part)

    @lazy_property
    def wrong(self) -> pd.DataFrame:
        """Lines of the misclassified rows, the most confident first."""
        return self.lines[self.lines["wrong"]].sort_values("confidence", ascending=False, kind="stable")

    @lazy_property
    def table(self) -> PrototypeTable:
        """All prototypes on these rows, as the page of prototypes measures them."""
        rows = measured_rows(self.study.judged(self.rule), self.part, len(self.study.prototypes))
        return prototypes(self.study, rows, rule=self.rule)

    @lazy_property
    def prototype(self) -> pd.Series | None:
        """The prototype of the first card; None without any."""
        places = [] if self.study.prototypes.empty else card_places(self.table, CARDS.usual)
        return self.table.frame.iloc[places[0]] if places else None

    @lazy_property
    def case(self) -> CaseRef | None:
        """The most confident error, or else the closest call; None where there is no row at all."""
        lines = self.wrong if len(self.wrong) else self.lines.sort_values("confidence", kind="stable")
        return CaseRef.in_table(lines.index[0]) if len(lines) else None

    @lazy_property
    def farthest(self) -> CaseRef | None:
        """The least familiar row."""
        lines = self.lines.sort_values("familiarity", kind="stable")
        return CaseRef.in_table(lines.index[0]) if len(lines) else None

    def evidence(self, case: CaseRef) -> CaseEvidence:
        """Return what is known of a case."""
        return CaseEvidence(self.study, case, rule=self.rule, keep=self._keep)
