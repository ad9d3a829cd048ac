"""The queue itself: what the browser needs to draw the cases at hand, and what it says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.client import queue_state, review_queue_component
from dashboard.components.figure_panel import is_dark
from dashboard.components.review import choices
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.references import reference
from dashboard.services.review import said
from dashboard.services.review.case import Drawing, draw_case
from dashboard.services.review.queue import AT, OPENLY, QueueChoice
from dashboard.services.review.small_map import small_map
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.texts.review_words import WORDS
from proset.common.errors import ProsetError, StudyError
from proset.plots import style
from proset.workspace.verdicts import Judgement, row_hash

if TYPE_CHECKING:
    from proset.explain.review.listed import ReviewQueue
    from proset.study import Study
    from proset.study.unseen import Unseen

KEY = "review.queue"
_REFUSED = "review refused"
_AHEAD, _BEHIND = 10, 2
_SECONDS = 0.35
"""Time for cases that are not drawn yet, beyond the one at hand; others come with the next step."""
_HIDDEN = ("estimate", "label", "error")


@dataclass(frozen=True, eq=False)
class Desk:
    """All that the queue is about.

    Attributes
    ----------
    study : Study
        The model that is reviewed.
    unseen : Unseen or None
        Its training rows, judged by models that have not seen them.
    queue : ReviewQueue
        All that can be reviewed.
    choice : QueueChoice
        What of it comes, and in which order.
    rows : tuple of int
        The rows that come, in their order.
    """

    study: Study
    unseen: Unseen | None
    queue: ReviewQueue
    choice: QueueChoice
    rows: tuple[int, ...]

    def knower(self, row: int) -> Study:
        """Return the study whose model judges a row."""
        if self.unseen is not None and row in self.unseen.fold_of_row.index:
            return self.unseen.study_of_row(row)
        return self.study


def show(session: Session, desk: Desk, below: Callable[[], None]) -> None:
    """Draw the queue, and below it what follows from each verdict; they answer without the rest of the page."""
    st.fragment(_show)(session, desk, below)


def _show(session: Session, desk: Desk, below: Callable[[], None]) -> None:
    """Take what was said, and hand over what comes next."""
    sent = queue_state(widgets.says(KEY) if widgets.is_drawn(KEY) else None)
    acked = _take(session, desk, sent.log)
    if sent.at is not None and sent.at in desk.rows:
        session.put(AT, sent.at)
    returned = review_queue_component(KEY, _data(session, desk, acked))
    # In the first run of a session, after a restart, what was sent comes with the drawing only.
    more = [one for one in returned.log if one not in sent.log]
    moved = returned.at in desk.rows and returned.at != session.get(AT)
    if more:
        _take(session, desk, more)
    if moved and returned.at is not None:
        session.put(AT, returned.at)
    below()  # first, for a button in it that was pressed
    if more or moved:
        st.rerun()


# --- what is said -----------------------------------------------------------------------------------------------------
def _take(session: Session, desk: Desk, log: Sequence[Any]) -> list[str]:
    """Write down what was said; return the entries that are kept. What is neither kept nor refused comes again."""
    known = {record.judgement.entry for record in verdicts.records(session)}
    refused, fresh = _refused(session), []
    documents = [document for document in log if isinstance(document, dict)]
    for document in documents:
        name = str(document.get("id"))
        if name in known or name in refused:
            continue
        try:
            fresh.append(_judgement(session, desk, said.read_entry(document)))
        except ProsetError as error:
            refused[name] = str(error)
    if fresh:
        refused |= verdicts.say(session, fresh)
        known |= {record.judgement.entry for record in verdicts.records(session)}
    return [str(document.get("id")) for document in documents if str(document.get("id")) in known]


def _refused(session: Session) -> dict[str, str]:
    """Return why entries were not taken, by entry."""
    assert session.opened is not None
    found: dict[str, str] = session.opened.values.setdefault(("", _REFUSED), {})
    return found


def _judgement(session: Session, desk: Desk, entry: said.Entry) -> Judgement:
    """Return what is written down of an entry, if it is about the row as it is."""
    study = desk.study
    if entry.row not in study.table.frame.index:
        raise StudyError(text.NO_ROW.format(row=entry.row))
    if row_hash(study.table, entry.row) != entry.row_hash:
        raise StudyError(text.OTHER_ROW.format(row=entry.row))
    facts = _facts(session, study, entry)
    place = choices.in_words(desk.choice, study)
    if session.get(OPENLY):
        place = f"{place}; {text.OPENLY_PLACE}"
    return said.judgement(entry, facts, reviewer=session.reviewer, place=place)


def _facts(session: Session, study: Study, entry: said.Entry) -> said.SaidOf:
    """Return what the row stands for in the table, and what was drawn of it."""
    label = study.table_labels.get(entry.row)
    drawn = said.Drawn.read(entry.evidence)
    model = None if drawn is None or session.opened is None else session.opened.class_models.get(drawn.model)
    known = label if isinstance(label, str) else None
    if drawn is None or model is None or drawn.place >= len(model.classes):
        return said.SaidOf(known, None, None, False, "" if drawn is None else drawn.model, "")
    settings = said.settings_words(model.settings)
    return said.SaidOf(known, model.classes[drawn.place], drawn.estimate, drawn.unseen, model.id, settings)


# --- what is drawn ----------------------------------------------------------------------------------------------------
def _data(session: Session, desk: Desk, acked: list[str]) -> dict[str, Any]:
    """Return what the browser needs now."""
    opened, rows = session.opened, desk.rows
    assert opened is not None
    records = verdicts.records(session)
    states = said.states(records, session.reviewer)
    at = int(session.get(AT))
    at = at if at in rows else next((row for row in rows if str(row) not in states), rows[0])
    blind = desk.choice.blind
    shown = style.class_colours(desk.study.classes)
    cases = _cases(session, desk, _near(rows, at, states))
    return {
        "study": opened.parted_from or opened.key,
        "reviewer": session.reviewer,
        "rows": list(rows),
        "states": {str(row): states[str(row)] for row in rows if str(row) in states},
        "at": at,
        "cases": cases,
        "maps": _maps(desk, cases),
        "acked": acked,
        "refused": dict(_refused(session)),
        "classes": [{"name": name, "color": colour, "dark": style.on_dark(colour)} for name, colour in shown.items()],
        "reasons": list(text.REASONS),
        "blind": blind,
        "hidden": list(_HIDDEN) if blind else [],
        "median_seconds": said.median_seconds(records, session.reviewer),
        "words": WORDS,
        "dark": is_dark(),
    }


def _near(rows: Sequence[int], at: int, states: dict[str, Any]) -> list[int]:
    """Return the rows whose evidence is needed soon: the one at hand, the next that are open, those beside it."""
    place = rows.index(at)
    following = [*rows[place + 1 :], *rows[:place]]
    waiting = [row for row in following if str(row) not in states][:_AHEAD]
    beside = [*rows[place + 1 : place + 1 + _BEHIND], *reversed(rows[max(0, place - _BEHIND) : place])]
    return list(dict.fromkeys([at, *waiting[:2], *beside, *waiting[2:]]))


def _cases(session: Session, desk: Desk, rows: Sequence[int]) -> dict[str, Any]:
    """Return the evidence of some rows: that at hand, and of the others as many as can be had in a moment."""
    began, found = time.monotonic(), {}
    for row in rows:
        found[str(row)] = cache.derived(_case, desk.knower(row), row, desk.study, session.rule, desk.choice.blind)
        if time.monotonic() - began > _SECONDS:
            break
    return found


def _maps(desk: Desk, cases: Mapping[str, Any]) -> dict[str, Any]:
    """Return what lies behind the maps of some cases, by the id of the model that judges them."""
    found: dict[str, Any] = {}
    for row in cases:
        knower = desk.knower(int(row))
        made = cache.derived(small_map, knower)
        if made is not None and knower.id not in found:
            found[knower.id] = made.ground(blind=desk.choice.blind)
    return found


def _case(knower: Study, row: int, study: Study, rule: Any, blind: bool) -> dict[str, Any]:
    """Draw a case as the study says that judges it; kept with that."""

    def typical(label: str) -> int:
        return cache.derived(reference, knower, f"class-{knower.classes.index(label)}").row

    evidence = CaseEvidence(
        knower,
        CaseRef.in_table(row),
        against=lambda: cache.derived(reference, knower, evidence.usual_reference),
        rule=rule,
        keep=cache.keeper(knower),
    )
    drawing = Drawing(
        study.id,
        typical,
        row_hash(study.table, row),
        unseen=knower is not study,
        blind=blind,
        picture=study.table.grid is not None,
        map=cache.derived(small_map, knower),
    )
    return draw_case(evidence, drawing)
