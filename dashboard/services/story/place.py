"""A step of a story as it stands in an address, and the short links that open one."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.services.addresses.held import NAME as OPEN
from dashboard.services.addresses.parts import Params, Written, last, quote
from dashboard.services.params import Flag, Param
from dashboard.texts.story import STORIES


@dataclass(frozen=True)
class StoryPlace:
    """One step of one story.

    Attributes
    ----------
    story : str
        Name of the bundled table that it is about.
    step : int
        From 1.

    Examples
    --------
    >>> StoryPlace.read("cancer.3"), StoryPlace.read("cancer.9"), StoryPlace.read("moon.1"), StoryPlace.read("cancer")
    (StoryPlace(story='cancer', step=3), None, None, None)
    >>> StoryPlace("cancer", 1).moved(-1), StoryPlace("cancer", 7).moved(1).text
    (None, 'cancer.8')
    """

    story: str
    step: int

    @classmethod
    def read(cls, text: str) -> StoryPlace | None:
        """Return the step that a text from an address names; None if there is none."""
        story, _, step = text.partition(".")
        digits = step.isascii() and step.isdecimal() and len(step) < 4
        if story not in STORIES or not digits or not 1 <= int(step) <= len(STORIES[story].steps):
            return None
        return cls(story, int(step))

    @property
    def text(self) -> str:
        """Name of the step in an address."""
        return f"{self.story}.{self.step}"

    def moved(self, by: int) -> StoryPlace | None:
        """Return the step so many further; None beyond either end."""
        return StoryPlace.read(f"{self.story}.{self.step + by}")

    def short(self) -> Written:
        """Return the query parameters of a link that opens the step, read-only, whatever was open."""
        return {STORY.name: self.text, READ.name: READ.write(True)}


@dataclass(frozen=True)
class OneStep(Param[StoryPlace | None]):
    """A step of a story, or none."""

    def read(self, text: str) -> StoryPlace | None:
        """Return the step."""
        return StoryPlace.read(text)

    def write(self, value: StoryPlace | None) -> str:
        """Return its name."""
        return "" if value is None else value.text

    @property
    def allowed(self) -> str:
        """Stories and steps in words."""
        return ", ".join(f"{name}.1 to {name}.{len(words.steps)}" for name, words in STORIES.items())


STORY = OneStep("story", None)
"""The step that is shown; stands in the address of every page."""
DUE = Flag("story.due", False)
"""Set while the page and the case of the step are still to be opened; never in an address."""
READ = Flag("read", False)
"""Read-only; stands in every address of such a session."""
PRESENTER = Flag("presenter", False)
"""Everything is drawn for an audience, after a reload, too; stands in every address of such a session."""


def in_full(given: Params, notes: list[str]) -> tuple[Params, bool]:
    """Return an address that names its table, and whether it was a short link to a step.

    Parameters
    ----------
    given : mapping
        Parameter name to its texts, as they came.
    notes : list of str
        Gets a sentence if it asks for a step that there is not, and for nothing else.

    Examples
    --------
    >>> in_full({"story": ["cancer.2"]}, [])
    ({'story': ['cancer.2'], 'data': ['cancer'], 'fit': ['1']}, True)
    >>> notes = []
    >>> in_full({"story": ["cancer.99"]}, notes), notes[0].partition(", which")[0]
    (({}, False), "The address asks for step 'cancer.99' of a story")
    """
    if STORY.name not in given or "data" in given or OPEN in given:
        return given, False
    text = last(given, STORY.name)
    place = StoryPlace.read(text)
    if place is None:
        notes.append(
            f"The address asks for step '{quote(text)}' of a story, which is none of {STORY.allowed}; nothing was "
            "opened. A story is begun on Start."
        )
        return {name: texts for name, texts in given.items() if name != STORY.name}, False
    return {**given, "data": [place.story], "fit": ["1"]}, True


def other_story(place: StoryPlace, sample: str | None) -> str:
    """Return what is said of a step whose story is about another table than the open one; empty if it is not.

    Examples
    --------
    >>> other_story(StoryPlace("cancer", 2), "cancer"), other_story(StoryPlace("cancer", 2), "wine")
    ('', "The address asks for step 'cancer.2' of a story about another table than the open one; it was left out.")
    """
    if place.story == sample:
        return ""
    return (
        f"The address asks for step '{place.text}' of a story about another table than the open one; it was left out."
    )
