"""Work under way: start it, show how far it is, stop it, take its result."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.jobs.look_again import look_again
from dashboard.services.fit.learned_time import LEARNED
from dashboard.services.fit.modes import Mode, asked, mode_of
from dashboard.services.guidance import as_found
from dashboard.session import jobs, kept, returning, visitors, widgets
from dashboard.session.jobs import Handling, Running
from dashboard.session.session import Session
from dashboard.texts import kept as text
from dashboard.work.progress import Progress, progress_words
from dashboard.work.tasks import FIT, SEARCH, FitRequest, Task
from proset.data.samples import SAMPLES
from proset.selection import JointPlan, NumberPlan, is_quick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.session.waiting import WaitingResult
    from proset.selection import ClassRecord
    from proset.study import Study
    from proset.study.any_study import AnyStudy
    from proset.study.guidance import Guidance
    from proset.study.time_needed import TimeNeeded

_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 3.0
_PAUSE_SHARE = 0.1  # of the time to go
_STOPPING = "Stopping …"
_STAYS = "Go on when I open other data"
_STAYS_HELP = (
    "Opening another table usually ends the work on this one. With this it goes on, and its result waits for you."
)


# --- starting ---------------------------------------------------------------------------------------------------------
def task_of(mode: Mode) -> Task[FitRequest, AnyStudy]:
    """Return the kind of work that a way to a model is."""
    return SEARCH if mode is Mode.SEARCH else FIT


def start(session: Session, mode: Mode = Mode.OWN, *, needed: TimeNeeded | None = None) -> None:
    """Start work on the current table with the current settings; known results for bundled data are taken over at once.

    Parameters
    ----------
    needed : TimeNeeded or None
        The time that was promised.
    """
    opened, task = session.opened, task_of(mode)
    if opened is None or jobs.running(task) is not None:
        return
    recipe = asked(opened.recipe, mode)
    request = FitRequest(opened.table, recipe, needed=needed)
    known = cache.sample_study(opened.sample, recipe) if opened.sample else None
    if known is None:
        _submit(session, task, request)
    else:
        _take(session, known, request)


def start_choice(session: Session, study: Study, record: ClassRecord) -> None:
    """Start fitting with another choice than the one a search made."""
    _submit(session, FIT if is_quick(record.plan) else SEARCH, FitRequest.going_on(study, record))


def start_guided(session: Session, study: AnyStudy, guidance: Guidance) -> None:
    """Start fitting with the settings of a model and what people say about it; both models are kept.

    The target is that of the model. Where another one was chosen meanwhile, that choice stays as it is: what was said
    of one target cannot be learned for another.
    """
    opened = session.opened
    if opened is not None and jobs.running(FIT) is None:
        now, its, guidance = opened.recipe.roles, study.roles, as_found(guidance, study)
        if (now.target, now.number, now.classes) == (its.target, its.number, its.classes):
            # Settings that a search had found are stated from now on: the model is to be as its recipe says.
            opened.edit(guidance=guidance, settings=study.settings)
        _submit(session, FIT, FitRequest(study.table, replace(study.recipe, plan=None, guidance=guidance)))


def resume(session: Session) -> None:
    """Go on with the search that was stopped."""
    stopped = _stopped(session)
    if stopped is not None:
        _submit(session, SEARCH, stopped)


def take_best(session: Session) -> None:
    """Fit with the best so far of the search that was stopped; it can go on later."""
    stopped = _stopped(session)
    if stopped is not None and stopped.best_so_far is not None:
        _submit(session, SEARCH, stopped.best_so_far)


def _stopped(session: Session) -> FitRequest | None:
    """Return the request that goes on with the search that was stopped; None where there is none."""
    return session.opened.stopped if session.opened is not None else None


def _submit(session: Session, task: Task[FitRequest, AnyStudy], request: FitRequest) -> None:
    """Give work on the current table to a process of its own."""
    opened = session.opened
    if opened is None:
        return
    table, sample = opened.table, opened.sample
    request = replace(request, table=table)

    def take(study: AnyStudy) -> None:
        classes = not request.recipe.roles.number  # whose estimates are others
        if classes and request.needed is not None and request.record is None:  # else only a part of it was left to do
            LEARNED.learn(mode_of(study), request.needed, study.provenance.fit_seconds)
        _take(session, study, request)
        if sample:
            cache.keep_sample_study(sample, study, asked=request.recipe)

    def open_result(study: AnyStudy) -> None:
        session.open_result(opened, study)
        if task is SEARCH:
            opened.end_stopped(request)

    handling = Handling(
        take=take,
        open=open_result,
        keep=session.keep_request,
        reopen=lambda rest: session.open_request(opened, rest),
    )
    label = SAMPLES[sample].title if sample else table.name
    jobs.start(task, request, opened=opened, label=label, handling=handling)


def _take(session: Session, study: AnyStudy, request: FitRequest) -> None:
    """Take over the result of a request for the current table."""
    if request.recipe.plan is None or is_quick(request.recipe.plan):
        session.keep_search()
        session.add_study(study)
    else:
        session.add_searched(study, request)


# --- ending -----------------------------------------------------------------------------------------------------------
def cancel(session: Session, entry: Running) -> None:
    """Stop work under way; the former model, if there is one, stays, and so does what a search has finished."""
    session.tell(jobs.stop(entry, session.opened))


def collect(session: Session) -> None:
    """Take over the results of work that has ended, or say in words why there is none."""
    visitors.watch()
    session.tell(jobs.collect(session.opened))


# --- showing ----------------------------------------------------------------------------------------------------------
def boxes(session: Session, *, key: str, more: Callable[[], None] | None = None) -> None:
    """Show the progress of all work under way on a page of its own, with what may be done meanwhile.

    Parameters
    ----------
    key : str
        Tells apart the places of one page that show it; only the first of a run does, because each look costs.
    more : callable or None
        Draws what else changes meanwhile.
    """
    if not jobs.under_way() or session.watched:
        return
    with st.container(border=True):
        progress(session, key=key, more=more)
    st.caption(_closing_words(session))


def _closing_words(session: Session) -> str:
    """Say what ends work that is under way."""
    if not returning.goes_on():
        return text.CLOSING_OR_RELOADING
    stays = jobs.running(SEARCH) is not None and kept.is_kept(session)
    return f"{text.CLOSING} {text.SEARCH_STAYS}" if stays else text.CLOSING


def progress(session: Session, *, key: str, more: Callable[[], None] | None = None) -> None:
    """Show the progress of all work under way, each with a button to stop it, once on a page; see :func:`boxes`."""
    if jobs.under_way() and not session.watched:
        session.watch()
        every = pause([entry.job.progress() for entry in jobs.under_way()])
        look_again(_has_ended, lambda: _look(session, key, more), every=every)


def pause(under_way: Sequence[Progress]) -> float:
    """Return the seconds between two looks at work: a tenth of what is to go, from 1 to 3.

    Examples
    --------
    >>> pause([Progress()]), pause([Progress(remaining=15.0)]), pause([Progress(remaining=60.0), Progress(ahead=2)])
    (1.0, 1.5, 1.0)
    """
    shortest = min(entry.remaining or 0.0 for entry in under_way)
    return min(max(_PAUSE_SHARE * shortest, _SHORTEST_PAUSE), _LONGEST_PAUSE)


def _has_ended() -> bool:
    """Tell whether work has ended, so that its result can be taken."""
    entries = jobs.under_way()
    return not entries or any(entry.job.poll().ended for entry in entries)


def _look(session: Session, key: str, more: Callable[[], None] | None) -> None:
    """Draw the progress once."""
    kept.keep_work(session)
    entries = jobs.under_way()
    mine = jobs.under_way(session.opened) if session.opened is not None else ()
    for entry in entries:
        if len(entries) > 1 or entry not in mine:
            of = "" if entry in mine else f" of **{words.markdown(entry.label)}**"
            st.markdown(f":small[{entry.task.words.noun.capitalize()}{of}]")
        _one(session, entry, f"{key}.{entry.task.name}", may_stay=entry in mine)
    if more is not None:
        more()


def _one(session: Session, entry: Running, key: str, *, may_stay: bool) -> None:
    """Draw the progress of one job, with a button to stop it and the choice to let it go on."""
    now = entry.job.progress()
    st.progress(now.share, text=progress_words(now, entry.task.stages))
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        stop = st.button(entry.task.words.stop, key=f"job.cancel.{key}", icon=":material/close:")
        label = "Stop and take the best so far"
        searches = may_stay and _searches_jointly(entry)
        best = searches and st.button(label, key=f"job.best.{key}", icon=":material/flag:")
        if may_stay:
            set_stays = partial(jobs.set_stays, entry.task)
            widgets.held(
                st.toggle, _STAYS, key=f"job.stays.{key}", value=entry.stays, taken=set_stays, help=_STAYS_HELP
            )
    if stop or best:
        # Drawn first: work takes up to three seconds to write down what it has, and who sees nothing presses again.
        place.button(_STOPPING, key=f"job.stopping.{key}", icon=":material/hourglass_top:", disabled=True)
        before = _stopped(session)
        cancel(session, entry)
        if best and _stopped(session) is not before:  # else this search has left nothing: its best is not another's
            take_best(session)
        st.rerun()


def _searches_jointly(entry: Running) -> bool:
    """Tell whether a job is a search of all settings at once that has yet to choose: it has a best so far."""
    request = entry.job.request
    if entry.task is not SEARCH or not isinstance(request.recipe.plan, JointPlan | NumberPlan):
        return False
    return request.record is None or not request.record.complete


def offers() -> None:
    """Show the results of work on data that is no longer open, each with a way to open it."""
    for number, offer in enumerate(jobs.offers()):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(words.markdown(offer.text), width="content")
            st.button(
                words.label(offer.label),
                key=f"job.offer.open.{number}",
                on_click=_open,
                args=(offer,),
                icon=":material/folder_open:",
            )
            st.button("Not now", key=f"job.offer.drop.{number}", on_click=jobs.put_off, args=(offer,), type="tertiary")


def _open(offer: WaitingResult) -> None:
    """Open a result that waited, with its own table."""
    jobs.withdraw(offer)
    offer.open()
