"""The steps of the stories: which page each opens, with which case and values, and what it says of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.services.addresses.parts import Written
from dashboard.services.story import say
from dashboard.services.story.place import StoryPlace
from dashboard.texts.story import STORIES, TITLES

if TYPE_CHECKING:
    from dashboard.services.story.ground import Ground


@dataclass(frozen=True)
class StoryStep:
    """One kind of step.

    Attributes
    ----------
    page : str
        Name of the page that it is on.
    says : callable
        Returns its sentences, given the ground; empty ones are left out.
    opens : callable
        Returns case and values of the page, as they stand in an address.
    shows : str
        What it speaks of, as a browser finds it on the page: an audience sees that right below the bar.
    """

    page: str
    shows: str
    says: Callable[[Ground], Iterable[str]]
    opens: Callable[[Ground], Written] = field(default=lambda ground: {})


def _case(ground: Ground) -> Written:
    return {} if ground.case is None else {"row": ground.case.text}


def _prototype(ground: Ground) -> Written:
    line = ground.prototype
    return {} if line is None else {"prototype": f"{line['batch']}-{line['row']}"}


def _change(ground: Ground) -> Written:
    edits = say.smallest_change(ground)
    return _case(ground) | ({} if edits is None else {"edit": edits})


def _farthest(ground: Ground) -> Written:
    return {} if ground.farthest is None else {"row": ground.farthest.text}


STEPS = {
    "about": StoryStep("data", "st-key-roles-editor", say.about),
    "quality": StoryStep("quality", "st-key-quality-confusion", say.quality),
    "map": StoryStep("map", "st-key-map-chart", say.alike, _case),
    "prototype": StoryStep("prototypes", "st-key-prototypes-all", say.votes, _prototype),
    "case": StoryStep("case", "case-values", say.case, _case),
    "unused": StoryStep("features", "st-key-features-weights", say.unused, _case),
    "change": StoryStep("case", "st-key-case-whatif", say.change, _change),
    "far": StoryStep("case", "st-key-case-banner", say.far, _farthest),
    "surface": StoryStep("surface", "st-key-surface-", say.elsewhere, _case),
    "review": StoryStep("review", "st-key-review-", say.review),
    "report": StoryStep("report", "st-key-report-file", say.report),
}
"""All kinds of steps, by name."""


def step_of(place: StoryPlace) -> StoryStep:
    """Return a step.

    Examples
    --------
    >>> step_of(StoryPlace("cancer", 5)).page
    'case'
    """
    return STEPS[STORIES[place.story].steps[place.step - 1]]


def title_of(place: StoryPlace, ground: Ground | None = None) -> str:
    """Return the title of a step; where the model gets no case wrong it promises none.

    Examples
    --------
    >>> title_of(StoryPlace("cancer", 5))
    'One case'
    """
    name = STORIES[place.story].steps[place.step - 1]
    if name == "case":
        name = "one" if ground is None else "case" if len(ground.wrong) else "close"
    return TITLES[name]


def sentences(place: StoryPlace, ground: Ground) -> str:
    """Return what a step says of a model.

    Examples
    --------
    >>> from dashboard.services.story.ground import Ground
    >>> from proset.study import fit_sample
    >>> study = fit_sample("penguins")
    >>> sentences(StoryPlace("penguins", 1), Ground("penguins", study)).partition(".")[0]
    '344 penguins, 10 columns'
    """
    return " ".join(filter(None, step_of(place).says(ground)))


def opening(place: StoryPlace, ground: Ground) -> Written:
    """Return case and values of the page of a step, as they stand in an address.

    Examples
    --------
    >>> from dashboard.services.data.fitted import stored_study
    >>> from dashboard.services.story.ground import Ground
    >>> opening(StoryPlace("cancer", 5), Ground("cancer", stored_study("cancer")))
    {'row': '298'}
    """
    return step_of(place).opens(ground)
