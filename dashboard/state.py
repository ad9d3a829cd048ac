"""What one visitor's session holds; the only file that names keys of ``st.session_state``.

Streamlit forgets a widget's value when the widget is not drawn, so nothing that must survive a page change lives in a
widget: pages write the value here and draw the widget from here again.

What is cleared when something upstream changes
    new table            -> roles, split, settings, study, selected case and everything kept by pages go; a fit under
                            way is stopped, because its result would belong to the former table
    new roles or split   -> the study stays and is *stale* until the next fit (see :func:`stale_reason`)
    new fit settings     -> the same
    new search plan      -> the same, if the study was made by a search
    study fitted         -> nothing else changes: the selected case stays, and what was edited meanwhile makes it stale
    search finished      -> the hyperparameters it found become the current ones, unless they were edited meanwhile
    search stopped       -> what it has done is kept until another search ends or a table is opened; so is a search
                            whose model is replaced by that of a single fit
    point looked at      -> nothing else changes; it is forgotten with the next study
    study opened         -> its table, roles, split, settings and search plan become the current ones
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.services.fit_request import FitRequest
from proset.data.role_guess import RoleGuess, guess_roles
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.selection import PENALTIES, SearchPlan
from proset.study import Study
from proset.study.settings import FitSettings, suggest_settings

if TYPE_CHECKING:
    from dashboard.jobs import Job
    from proset.data.table import Table

_TABLE = "proset.table"
_SAMPLE = "proset.sample"
_SOURCE = "proset.source"
_GUESS = "proset.guess"
_ROLES = "proset.roles"
_SPLIT = "proset.split"
_SETTINGS = "proset.settings"
_PLAN = "proset.plan"
_STUDY = "proset.study"
_ROW = "proset.row"
_JOB = "proset.job"
_REQUEST = "proset.request"
_STOPPED = "proset.stopped"
_PROPOSAL = "proset.proposal"
_NOTICES = "proset.notices"
_ONCE = "proset.once"
_KEPT = "proset.kept"


# --- the table and its roles ------------------------------------------------------------------------------------------
def table() -> Table | None:
    """Return the current table, or None before one is opened."""
    return st.session_state.get(_TABLE)


def sample_name() -> str | None:
    """Return the name of the bundled data set the table came from; None for an upload or an opened study."""
    return st.session_state.get(_SAMPLE)


def source() -> bytes | None:
    """Return the uploaded bytes of the current table, kept so that it can be read again with other options."""
    return st.session_state.get(_SOURCE)


def guess() -> RoleGuess | None:
    """Return what was guessed about the columns of the current table for the current target."""
    return st.session_state.get(_GUESS)


def roles() -> Roles | None:
    """Return the current column roles, or None before a table is opened."""
    return st.session_state.get(_ROLES)


def set_table(
    table: Table, *, sample: str | None = None, source: bytes | None = None, roles: Roles | None = None
) -> None:
    """Make `table` the current one; everything that belonged to the former table goes.

    Parameters
    ----------
    table : Table
        The table as read.
    sample : str or None
        Name of the bundled data set, if it is one.
    source : bytes or None
        The uploaded bytes, if the table came from an upload.
    roles : Roles or None
        Column roles that are already known (a sample's, or those of a saved study); None guesses them.
    """
    found = guess_roles(table, target=roles.target if roles else None)
    if roles is not None and not roles.guessed:
        # So that a column which stops being the target finds its way back to a feature role.
        roles = Roles(roles.by_column, found.roles.guessed)
    running = job()
    if running is not None:
        running.cancel()
        set_job(None)
        add_notice("The fit under way was stopped because another table was opened.", kind="info")
    for key in (_STUDY, _ROW, _SPLIT, _SETTINGS, _PLAN, _STOPPED, _PROPOSAL, _KEPT):
        st.session_state.pop(key, None)
    st.session_state[_TABLE] = table
    st.session_state[_SAMPLE] = sample
    st.session_state[_SOURCE] = source
    st.session_state[_GUESS] = found
    st.session_state[_ROLES] = roles or found.roles


def set_roles(roles: Roles) -> None:
    """Take over other column roles; a fitted study becomes stale. A new target renews the guess."""
    current = table()
    former = st.session_state.get(_ROLES)
    st.session_state[_ROLES] = roles
    if current is not None and (former is None or former.target != roles.target):
        st.session_state[_GUESS] = guess_roles(current, target=roles.target)


# --- split and fit settings -------------------------------------------------------------------------------------------
def split_settings() -> SplitSettings:
    """Return how rows are divided into training and held-out rows."""
    return st.session_state.get(_SPLIT, SplitSettings())


def set_split_settings(settings: SplitSettings) -> None:
    """Take over another split; a fitted study becomes stale."""
    st.session_state[_SPLIT] = settings


def fit_settings() -> FitSettings:
    """Return the hyperparameters for the next fit."""
    return st.session_state.get(_SETTINGS, usual_settings())


def usual_settings() -> FitSettings:
    """Return the hyperparameters to start from with the current table."""
    current, present = table(), roles()
    if current is None or present is None:
        return FitSettings()
    return suggest_settings(len(current.frame), len(present.features))


def set_fit_settings(settings: FitSettings) -> None:
    """Take over other hyperparameters; a fitted study becomes stale."""
    st.session_state[_SETTINGS] = settings


def search_plan() -> SearchPlan:
    """Return how the next search looks for hyperparameters; a penalty it does not search is that of the settings."""
    plan: SearchPlan = st.session_state.get(_PLAN, SearchPlan())
    fixed = {name: getattr(fit_settings(), name) for name in PENALTIES if name not in plan.searched}
    return replace(plan, **fixed)


def search_finds() -> tuple[str, ...]:
    """Return the names of the fit settings that the next search finds instead of taking them as they are."""
    return ("n_iter", *search_plan().searched)


def set_search_plan(plan: SearchPlan) -> None:
    """Take over another plan; a study that was made by a search becomes stale."""
    st.session_state[_PLAN] = plan


# --- the study and the selected case ----------------------------------------------------------------------------------
def study() -> Study | None:
    """Return the fitted study (which may be stale), or None before the first fit."""
    return st.session_state.get(_STUDY)


def set_study(study: Study) -> None:
    """Take over the result of a fit to the current table; its own copy of the table replaces the current one."""
    current = table()
    if current is None or current.fingerprint != study.table.fingerprint:
        open_study(study)
        return
    st.session_state.pop(_PROPOSAL, None)
    st.session_state[_TABLE] = study.table
    st.session_state[_STUDY] = study


def set_searched_study(study: Study, request: FitRequest) -> None:
    """Take over the result of a search; what it found becomes current unless `request` was edited meanwhile."""
    if fit_settings() == request.settings:
        set_fit_settings(study.settings)
    st.session_state.pop(_STOPPED, None)
    set_study(study)


def keep_search() -> None:
    """Keep the search whose model is about to be replaced by that of a single fit, so that it can be fitted again."""
    former = study()
    if former is not None and former.search is not None:
        set_stopped_search(FitRequest.going_on(former, former.search))


def open_study(study: Study) -> None:
    """Take over a saved study with its table, roles, split and settings; everything of the former table goes."""
    set_table(study.table, roles=study.roles)
    st.session_state[_SPLIT] = study.split.settings
    st.session_state[_SETTINGS] = study.settings
    if study.search is not None:
        st.session_state[_PLAN] = study.search.plan
    st.session_state[_STUDY] = study


def stale_reason() -> str:
    """Say which later change the fitted study does not know about; empty if it is up to date or there is none."""
    fitted, now = study(), roles()
    if fitted is None or now is None:
        return ""
    if dict(fitted.roles.by_column) != dict(now.by_column):
        return "the column roles were changed after the fit"
    if fitted.split.settings != split_settings():
        return "the split into training and held-out rows was changed after the fit"
    if fitted.settings != fit_settings():
        return "the fit settings were changed after the fit"
    if fitted.search is not None and fitted.search.plan != search_plan():
        return "the search settings were changed after the search"
    return ""


def study_is_stale() -> bool:
    """Return True if roles, split or settings were changed after the fit."""
    return bool(stale_reason())


def selected_row() -> int | None:
    """Return the row id of the selected case, or None."""
    return st.session_state.get(_ROW)


def select_row(row: int | None) -> None:
    """Select a case by its row id on every page; None, or an id the table does not have, clears the selection."""
    current = table()
    known = row is not None and current is not None and row in current.frame.index
    st.session_state[_ROW] = int(row) if known and row is not None else None


# --- work under way ---------------------------------------------------------------------------------------------------
def job() -> Job | None:
    """Return the fit that is waiting or running for this session, or None."""
    return st.session_state.get(_JOB)


def work() -> FitRequest | None:
    """Return what the job under way was asked for, or None."""
    return st.session_state.get(_REQUEST) if job() is not None else None


def set_job(job: Job | None, request: FitRequest | None = None) -> None:
    """Remember the session's job and what it was asked for; None forgets both."""
    st.session_state[_JOB] = job
    st.session_state[_REQUEST] = request


def stopped_search() -> FitRequest | None:
    """Return the request that goes on from where a search was stopped, or None."""
    return st.session_state.get(_STOPPED)


def is_current(request: FitRequest) -> bool:
    """Tell whether a request asks for what the session would ask for now; its table is the current one."""
    now = roles()
    same_roles = now is not None and dict(request.roles.by_column) == dict(now.by_column)
    same_plan = request.plan is None or request.plan == search_plan()
    return same_roles and same_plan and request.split == split_settings() and request.settings == fit_settings()


def set_stopped_search(request: FitRequest) -> None:
    """Keep what a search had done when it was stopped: its request, with the record so far in it."""
    st.session_state[_STOPPED] = request


def proposal() -> tuple[int, int] | None:
    """Return the point of a search's figures that a person looks at instead of the chosen one: step and row label."""
    return st.session_state.get(_PROPOSAL)


def propose(stage: int, label: int) -> None:
    """Look at a point of the figure of step `stage`; nothing is fitted yet."""
    st.session_state[_PROPOSAL] = (stage, label)


def withdraw() -> None:
    """Return to the point that is chosen."""
    st.session_state.pop(_PROPOSAL, None)


def add_notice(text: str, *, kind: str = "warning") -> None:
    """Keep a message until it is shown; `kind` is ``"warning"``, ``"error"``, ``"info"`` or ``"success"``."""
    st.session_state.setdefault(_NOTICES, []).append((kind, text))


def take_notices() -> list[tuple[str, str]]:
    """Return the messages not shown yet as (kind, text), and forget them."""
    return st.session_state.pop(_NOTICES, [])


def once(name: str) -> bool:
    """Return True the first time it is called with `name` in this session."""
    done: set[str] = st.session_state.setdefault(_ONCE, set())
    if name in done:
        return False
    done.add(name)
    return True


# --- small values pages keep over a page change -----------------------------------------------------------------------
def kept(name: str, default: Any = None) -> Any:
    """Return the value a page kept under `name` (``"map.part"``), or `default`."""
    return st.session_state.get(_KEPT, {}).get(name, default)


def keep(name: str, value: Any) -> None:
    """Keep a page's value under `name` until the next table; use it for choices that must survive a page change."""
    st.session_state.setdefault(_KEPT, {})[name] = value


def keep_widget(name: str, key: str) -> Callable[[], None]:
    """Return an ``on_change`` callback that keeps the value of the widget with `key` under `name`."""

    def store() -> None:
        keep(name, st.session_state[key])

    return store
