"""The guided story: what its steps say, with places for what the model at hand says of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StoryWords:
    """Words of one story.

    Attributes
    ----------
    title : str
        Its name, as a link says it.
    one, many : str
        Names of a row of its table.
    steps : tuple of str
        Its steps in their order, by the names that have a title in :data:`TITLES`.
    """

    title: str
    one: str
    many: str
    steps: tuple[str, ...]


_FIRST = ("about", "quality", "map", "prototype", "case", "unused")
STORIES = {
    "cancer": StoryWords("Breast cancer", "tumour", "tumours", (*_FIRST, "change", "review")),
    "digits": StoryWords("Handwritten digits", "picture", "pictures", (*_FIRST, "far", "review")),
    "penguins": StoryWords("Penguins", "penguin", "penguins", (*_FIRST, "surface", "report")),
}
"""The stories, by the bundled table that each is about."""

TITLES = {
    "about": "What it is about",
    "quality": "How often it is right",
    "map": "What it finds alike",
    "prototype": "Who votes",
    "one": "One case",
    "case": "A case it gets wrong",
    "close": "Its closest call",
    "unused": "What it does not look at",
    "change": "What would change its mind",
    "far": "Where it knows little",
    "surface": "What it would say elsewhere",
    "review": "Who is right?",
    "report": "What leaves the room",
}
"""Titles of steps; `one` until it is known whether the model gets a case wrong, `close` where it gets none wrong."""

# What it is about
ABOUT = "{rows} {many}, {columns}. From these the model is to say '{target}': {classes}."
ABOUT_HELD = "{held} were put aside before it learned: whatever is said of its quality rests on them."
ABOUT_NONE_HELD = "None were put aside, so all that follows is about {many} it has learned from."
ABOUT_DO = "Below, each column shows how far it tells the classes apart by itself."

# How often it is right
RIGHT = "Of {count} {part} it gets {right} right and {wrong} wrong."
ALL_RIGHT = (
    "It gets all {count} {part} right. That is what it did, not a promise: the intervals say how far it may be off."
)
LEFT = "{left} it leaves to a person."
MOST_ERRORS = "No error is more frequent than '{actual}' taken for '{predicted}': {count}."
RIGHT_DO = "Click a cell of the matrix, and its cases are listed."
NOBODY = "No {one} has a class to compare with, so nothing can be said of quality."

# What it finds alike
ALIKE = "Every dot is a case. Near means alike to the model, by the {used} it uses, as far as two axes can show it."
LARGE = "The large marks are {count}{batch}: known cases that vote."
OF_BATCH = " of batch 1"
SELECTED = "Selected at first: {name}, '{actual}' in the table, '{predicted}' to the model."
MAP_DO = "Click any other dot to see who speaks for it."
NO_PROTOTYPES = "This model has no prototypes: it states how frequent each class is, whatever the case."

# Who votes
VOTES = "{name} is one of {count}. It votes for '{target}', the more the more alike a case is."
SETTLES = "It helps to settle {settled} of {cases}; {wrong} of these {is_are} wrong."
SETTLES_NONE = "It settles none of {cases} by itself or with few others."
WITHOUT = "Without it {changed} would change."
VOTES_DO = "The cards show those that settle most; whoever distrusts one can say so."

# One case
IS_WRONG = "{name} is '{actual}'. The model says '{predicted}' with {share}, and is wrong."
IS_CLOSE = "It gets none of {count} {part} wrong. {name} is the closest call: '{predicted}' with {share}, and right."
IS_LEFT = "{name} is '{actual}'. The rule leaves it to a person; most probable is '{predicted}' with {share}."
IS_UNKNOWN = "The class of {name} is not known. The model says '{predicted}' with {share}."
NO_CASE = "There is no case to look at."
BECAUSE = "No prototype adds more to that than {name}: {share}."
CASE_DO = "Below, its values stand beside theirs: here people begin to argue."

# What it does not look at
USES = "It uses {used} of {all} columns, and does without the rest."
USES_ALL = "It uses all {all} columns."
USES_NONE = "It uses none of {all} columns."
OF_CASE = "Of {name}: {contradictions}"
NO_CONTRADICTION = (
    "Of {name} no unused column contradicts '{said}', and no other class has more of its nearest known cases."
)
UNUSED_DO = "If a column should have counted, this is the page to ask why."

# What would change its mind
CHANGE_DO = "The step opens with that change made under 'What if': drag further, or take it back."
NO_CHANGE_DO = "Under 'What if' any value can be changed, several at once."
CHANGE_SAY = "A person who knows the case can tell whether such a value could be."

# Where it knows little
FAR = "{name} is the least familiar of {count} {part}. {standing}"
FAR_SAYS = "It still has to say something: '{predicted}' with {share}, {verdict}."
FAR_SAY = "How familiar a case is stands beside every answer."
RIGHT_WORD, WRONG_WORD, LEFT_WORD, UNKNOWN_WORD = (
    "which is right",
    "which is wrong",
    "left to a person",
    "the right answer is not known",
)

# What it would say elsewhere
SURFACE = (
    "Colours say what the model would. At first '{x}' runs to the right, '{y}' upwards, and all else is as in {name}."
)
SURFACE_FAR = "Beyond the contour a case is less familiar than most {part}: little is known there."
SURFACE_DO = "Set another model beside it, and see where the two differ."
SURFACE_ONE = "The model looks at one column at most, so there is no surface to draw."

# Who is right?
REVIEW = "Here experts say case by case who is right, the table or the model: a name first, then keys 1 to 6."
REVIEW_UNTOUCHED = (
    "{count} held-out {many} are never put up for judgement, so that before and after can be compared honestly."
)
REVIEW_DO = "What they say can go into the next fit."

# What leaves the room
REPORT = "All of this leaves as one file that opens without a network: {parts} and more."
REPORT_SAY = "It names data, settings, seeds and versions, so that somebody else can make the same model again."

# The bar
STEP = "{step} of {steps}"
WAITING = "The model is being fitted; the story begins when it is there."
NEXT, BACK, LEAVE, RETURN = "Next", "Back", "Leave", "Return to {page}"
OWN = "Now with my file"
LINK, LINK_SAYS = "Link", "Opens this step, read-only: nothing done there is kept."
LARGER, USUAL = "Presenter", "Usual"
LARGER_HELP = "Larger type and no menu; Page Down and Page Up move on, as remote controls send them."

# Read-only
READ_ONLY = "Read-only: nothing done here is kept."
MINE = "Make it mine"
MINE_HELP = "From here on it is kept like everything else, with what was said so far."
MINE_NOT_KEPT = "From here on it is an ordinary window; this server keeps nothing."
