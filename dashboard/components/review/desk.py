"""The queue itself: what the browser needs to draw the cases at hand, and what it says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.client import queue_state, review_queue_component
from dashboard.components.figure_panel import is_dark
from dashboard.components.review import choices
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.references import reference
from dashboard.services.review import said
from dashboard.services.review.case import Drawing, draw_case
from dashboard.services.review.number_case import draw_number_case
from dashboard.services.review.queue import AT, OPENLY, QueueChoice
from dashboard.services.review.small_map import N_HUES, small_map
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.texts.review_words import NUMBER_WORDS, WORDS
from proset.common.errors import ProsetError, StudyError
from proset.common.words import shown
from proset.data.number_target import number_text, text_number
from proset.plots import style
from proset.study import NumberStudy, Study
from proset.workspace.verdicts import Judgement, row_hash

if TYPE_CHECKING:
    from proset.explain.review.listed import ReviewQueue
    from proset.study.any_study import AnyStudy
    from proset.study.number_unseen import AnyUnseen

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
    study : Study or NumberStudy
        The model that is reviewed.
    unseen : Unseen, NumberUnseen or None
        Its training rows, judged by models that have not seen them.
    queue : ReviewQueue
        All that can be reviewed.
    choice : QueueChoice
        What of it comes, and in which order.
    rows : tuple of int
        The rows that come, in their order.
    """

    study: AnyStudy
    unseen: AnyUnseen | None
    queue: ReviewQueue
    choice: QueueChoice
    rows: tuple[int, ...]

    def knower(self, row: int) -> AnyStudy:
        """Return the study whose model judges a row."""
        if self.unseen is not None and row in self.unseen.fold_of_row.index:
            return self.unseen.study_of_row(row)
        return self.study

    def trees(self, row: int) -> float | None:
        """Return what trees give the class that the table states of a row; None of a number."""
        found = self.queue.frame.get("trees")
        return None if found is None else float(found.loc[row])


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
    return said.judgement(_with_number(study, entry), facts, reviewer=session.reviewer, place=place)


def _with_number(study: AnyStudy, entry: said.Entry) -> said.Entry:
    """Return an entry with the number in it in the one way in which it is kept."""
    if entry.new_label is None or not isinstance(study, NumberStudy):
        return entry
    number = text_number(entry.new_label)
    if number is None:
        raise StudyError(text.NO_NUMBER.format(number=shown(entry.new_label)))
    return replace(entry, new_label=number_text(number))


def _facts(session: Session, study: AnyStudy, entry: said.Entry) -> said.SaidOf:
    """Return what the row stands for in the table, and what was drawn of it."""
    label = study.table_labels.get(entry.row)
    drawn = said.Drawn.read(entry.evidence)
    model = None if drawn is None or session.opened is None else session.opened.models.get(drawn.model)
    known = label if isinstance(label, str) else None
    answer = None if drawn is None or model is None else _answer(model, drawn)
    if drawn is None or model is None or answer is None:
        return said.SaidOf(known, None, None, False, "" if drawn is None else drawn.model, "")
    return said.SaidOf(known, answer, drawn.estimate, drawn.unseen, model.id, said.settings_words(model.settings))


def _answer(model: AnyStudy, drawn: said.Drawn) -> str | None:
    """Return what a model has said in what was drawn; None if it cannot have said that."""
    if isinstance(model, NumberStudy):
        return None if drawn.number is None else number_text(drawn.number)
    return None if drawn.place is None or drawn.place >= len(model.classes) else model.classes[drawn.place]


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
        "number": isinstance(desk.study, NumberStudy),
        "known": _known(desk.study),
        "order": f"{desk.choice.order} {blind}",
        "classes": _hues(desk.study),
        "reasons": list(text.NUMBER_REASONS if isinstance(desk.study, NumberStudy) else text.REASONS),
        "blind": blind,
        "hidden": list(_HIDDEN) if blind else [],
        "median_seconds": said.median_seconds(records, session.reviewer),
        "words": NUMBER_WORDS if isinstance(desk.study, NumberStudy) else WORDS,
        "dark": is_dark(),
    }


def _known(study: AnyStudy) -> list[float]:
    """Return the smallest and the largest number in the table; nothing of classes."""
    if not isinstance(study, NumberStudy):
        return []
    return [float(study.table_targets.min()), float(study.table_targets.max())]


def _hues(study: AnyStudy) -> list[dict[str, str]]:
    """Return what has a hue of its own: the classes; of a number known cases, what the model says, fifths of it."""
    named = style.class_colours(study.classes)
    if isinstance(study, NumberStudy):
        named = {text.KNOWN: style.NEUTRAL, text.SAYS: style.MODEL}
    found = [{"name": name, "color": colour, "dark": style.on_dark(colour)} for name, colour in named.items()]
    if isinstance(study, NumberStudy):
        places = [place / (N_HUES - 1) for place in range(N_HUES)]
        found += [
            {"name": text.FIFTH.format(n=n), "color": style.on_ramp(place), "dark": style.on_ramp(place, dark=True)}
            for n, place in enumerate(places, 1)
        ]
    return found


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
        asked = (row, desk.study, desk.trees(row), session.rule, desk.choice.blind)
        found[str(row)] = cache.derived(_case, desk.knower(row), *asked)
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


def _case(knower: AnyStudy, row: int, study: AnyStudy, trees: float | None, rule: Any, blind: bool) -> dict[str, Any]:
    """Draw a case as the study says that judges it; kept with that."""
    drawing = Drawing(study.id, None, row_hash(study.table, row), unseen=knower is not study, blind=blind)
    drawing = replace(drawing, map=cache.derived(small_map, knower), trees=trees)
    if isinstance(knower, NumberStudy):
        return draw_number_case(NumberEvidence(knower, CaseRef.in_table(row), keep=cache.keeper(knower)), drawing)
    return _class_case(knower, row, rule, drawing, picture=study.table.grid is not None)


def _class_case(knower: Study, row: int, rule: Any, drawing: Drawing, *, picture: bool) -> dict[str, Any]:
    """Draw a case of classes."""

    def typical(label: str) -> int:
        return cache.derived(reference, knower, f"class-{knower.classes.index(label)}").row

    evidence = CaseEvidence(
        knower,
        CaseRef.in_table(row),
        against=lambda: cache.derived(reference, knower, evidence.usual_reference),
        rule=rule,
        keep=cache.keeper(knower),
    )
    return draw_case(evidence, replace(drawing, typical=typical, picture=picture))
