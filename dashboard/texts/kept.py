"""Words about what is kept, and where."""

from __future__ import annotations

GONE = (
    "This study was deleted in another window. What you see is still here, in this window only; save it on the Fit "
    "page to have it as a file."
)
NOT_KEPT = "What you do now may not come back after a reload."
PARTED = "Your own changes go on as a study of their own; both are kept."
OTHER_WINDOW = "another window"
RETURNED = (
    "This window had lost its connection, and what it held goes on in another window that was opened meanwhile. Here "
    "the page was opened again from what is kept; what you clicked last may have to be clicked again."
)
NOT_READ = "The study cannot be opened."
WORK_NOT_READ = "The search that was stopped cannot go on."
FILE_NOT_READ = "The file itself cannot be read again; its table is here."
MODEL_NOT_READ = "One model of this study cannot be opened."
SEARCH_CUT = "The {noun} under way was cut off; what it had finished is kept. Go on with it on the Fit page."
GIVEN_WAY = (
    "The search that was stopped before this one, with other settings, can no longer go on: one stopped search of a "
    "table is kept, the latest."
)
WORK_CUT = "The {noun} under way was cut off before it had finished anything. Start it again on the Fit page."
ELSEWHERE = (
    "Work on this study is under way in another window; its model comes here when the study is continued from Start."
)
FILE = "The file is kept in {place}, with what you choose and fit, until you delete it on Start."
STAYS = "The file and your work on it are kept: a reload brings them back, and Start lists them."
NOT_HELD = "The address names a study that is not kept here, or was deleted. Open another one, or the file again."

CONTINUE, OPEN_NOW, MORE = "Continue", "open now", "More"
NAME, RENAME, DUPLICATE, DELETE = "Name", "Rename", "Duplicate", "Delete"
ALL = "Show all {count:,} studies"
DELETED = "**{name}** is deleted."
UNDO, REMOVE = "Undo", "Remove for ever"
UNKNOWN_SIZE = "an unknown size"
PLACE = (
    "Kept in {place} on the machine that this runs on, {size} in all: files that were opened, what was chosen, models "
    "and searches that have not ended. Rows of new data, edited cases and results of other work end with their window. "
    "Delete a study, then remove it for ever, and its files are gone. PROSET_WORKSPACE=none keeps nothing."
)

CLOSING_OR_RELOADING = (
    "You can go on working on the other pages meanwhile. Closing or reloading this page ends the work."
)
CLOSING = "You can go on working on the other pages meanwhile. A reload does not end the work; closing this page does."
SEARCH_STAYS = "What a search has finished by then is kept."
STOPPED_UNTIL = "It is kept until this page is closed or reloaded."
STOPPED_KEPT = "It is kept with this study."
HELD = (
    "Your file is held for this browser tab only: reloading the page closes it. To keep the work, save the study on "
    "the Fit page."
)
RELOAD = "A reload closes a file that was open: open it again, or a study that was saved from it."
START = "What you have worked on before is on Start."
