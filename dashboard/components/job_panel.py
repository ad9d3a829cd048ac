"""A fit or search under way: start it, show how far it is, stop it, take its result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache, state
from dashboard.jobs import Status
from dashboard.services.fit_request import STUDY_FILE, FitRequest, read_record, write_request
from dashboard.services.job_progress import Progress, Stage
from dashboard.texts import STAGES
from proset.common.errors import ProsetError
from proset.common.words import seconds_words
from proset.storage import load

if TYPE_CHECKING:
    from dashboard.jobs import Job
    from proset.selection import SearchRecord
    from proset.study import Study

_SECONDS_BETWEEN_LOOKS = 0.5


def start(*, search: bool = False) -> None:
    """Start work on the current table with the current settings; known results for bundled data are taken over at once.

    Parameters
    ----------
    search : bool
        Whether to search for hyperparameters instead of fitting once.
    """
    table, roles = state.table(), state.roles()
    if table is None or roles is None or state.job() is not None:
        return
    plan = state.search_plan() if search else None
    request = FitRequest(table, roles, state.split_settings(), state.fit_settings(), plan)
    sample = state.sample_name()
    known = cache.sample_study(sample, roles, request.split, request.settings, plan=plan) if sample else None
    if known is None:
        _submit(request)
    else:
        _take(known, request)


def start_choice(study: Study, record: SearchRecord) -> None:
    """Start fitting with another choice than the one a search made.

    Parameters
    ----------
    study : Study
        Result of the search.
    record : SearchRecord
        Its record with a person's choice in it.
    """
    if state.job() is None:
        _submit(FitRequest.going_on(study, record))


def resume() -> None:
    """Go on with the search that was stopped."""
    stopped = state.stopped_search()
    if stopped is not None and state.job() is None:
        _submit(stopped)


def _submit(request: FitRequest) -> None:
    """Give the work to a process of its own."""
    job = cache.job_queue().submit(lambda folder: write_request(request, folder))
    cache.end_with_session(job)
    state.set_job(job, request)


def cancel() -> None:
    """Stop the work under way; the former model, if there is one, stays, and so does what a search has finished."""
    job, request = state.job(), state.work()
    if job is None:
        return
    record = None
    if request is not None and request.plan is not None:
        job.stop()
        record = _record_so_far(job)
    job.close()
    state.set_job(None)
    if request is not None and record is not None and record.scores_1.done.any():
        state.set_stopped_search(replace(request, record=record))
    else:
        what = "fit" if request is None or request.plan is None else "search"
        state.add_notice(f"The {what} was cancelled. Nothing else has changed.", kind="info")


def _record_so_far(job: Job) -> SearchRecord | None:
    """Return what a stopped search has written; None if there is nothing, or nothing that can be used."""
    try:
        return read_record(job.folder)
    except (ProsetError, OSError, ValueError):
        return None


def _take(study: Study, request: FitRequest) -> None:
    """Take over the result of a request."""
    if request.plan is None:
        state.keep_search()
        state.set_study(study)
    else:
        state.set_searched_study(study, request)


def collect() -> None:
    """Take over the result of a fit that has ended, or say in words why there is none."""
    job, request = state.job(), state.work()
    if job is None or request is None or job.poll() in (Status.WAITING, Status.RUNNING):
        return
    state.set_job(None)
    try:
        if job.poll() is Status.DONE:
            study = load(job.folder / STUDY_FILE)
            _take(study, request)
            sample = state.sample_name()
            if sample:
                cache.keep_sample_study(sample, study, searched_from=request.settings)
            state.add_notice("The model is fitted.", kind="success")
        elif job.message:
            state.add_notice(job.message, kind="error")
    except ProsetError as error:
        state.add_notice(f"The result of the fit cannot be read. {error}", kind="error")
    finally:
        job.close()


def progress(*, key: str) -> None:
    """Show the progress of the fit under way, with a button to stop it; nothing if there is none.

    Parameters
    ----------
    key : str
        Tells apart the places of one page that show it.
    """
    if state.job() is not None:
        st.fragment(_look, run_every=_SECONDS_BETWEEN_LOOKS)(key)


def _look(key: str) -> None:
    """Draw the progress once; when the work has ended, run the whole app again to take the result."""
    job = state.job()
    if job is None or job.poll() not in (Status.WAITING, Status.RUNNING):
        st.rerun()
    now = job.progress()
    st.progress(now.share, text=progress_words(now))
    request = state.work()
    label = "Stop" if request is not None and request.plan is not None else "Cancel"
    if st.button(label, key=f"job.cancel.{key}", icon=":material/close:"):
        cancel()
        st.rerun()


def progress_words(now: Progress) -> str:
    """Say how far a piece of work is.

    Parameters
    ----------
    now : Progress
        From :meth:`dashboard.jobs.Job.progress`.

    Returns
    -------
    str
        One short line.

    Examples
    --------
    >>> progress_words(Progress(ahead=2))
    'Waiting: 2 other fits come first.'
    >>> progress_words(Progress(Stage.FITTING, share=0.5, done=1, total=2, elapsed=12, remaining=10))
    'Batch 1 of 2 · 50 % · 12 s so far · about 10 s to go'
    >>> progress_words(Progress(Stage.PENALTIES, share=0.4, done=23, total=55, elapsed=12, remaining=70))
    'Step 1 of 3, comparing penalties · 23 of 55 fits · 12 s so far · about 70 s to go'
    """
    if now.ahead or not now.elapsed:
        others = "1 other fit comes first" if now.ahead == 1 else f"{now.ahead} other fits come first"
        return f"Waiting: {others}." if now.ahead else "Waiting for a free place."
    parts = [STAGES[now.stage].format(done=max(now.done, 1), total=now.total)]
    if now.stage in (Stage.PENALTIES, Stage.BATCHES):
        parts.append(f"{now.done} of {now.total} fits")
    elif now.stage is Stage.FITTING:
        parts.append(f"{100 * now.share:.0f} %")
    parts.append(f"{seconds_words(now.elapsed)} so far")
    if now.remaining is not None:
        parts.append(f"about {seconds_words(now.remaining)} to go")
    return " · ".join(parts)
