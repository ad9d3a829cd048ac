"""Keep what a session holds in the workspace after each run, and bring it back from there.

A study is kept from the moment its file is open; a bundled table once it has a model, or work under way, of its own.
Of two windows with one study the last look is remembered, and all models are kept; where both change what is chosen,
the second goes on with a study of its own, so that nobody's word is lost.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from dashboard.services.data.fitted import stored_study
from dashboard.services.kept import HERE
from dashboard.session import jobs, written
from dashboard.session.keeping import Keeping
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import kept as text
from dashboard.work.tasks import FIT, SEARCH, UNSEEN
from proset.common.checked_json import parse_json
from proset.common.errors import ProsetError, StorageError
from proset.data.role_guess import guess_roles
from proset.data.samples import SAMPLES
from proset.study.number_unseen import unseen_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.workspace import Card, StudyFacts, Workspace

_SECONDS_BETWEEN_DRAFTS = 5.0
_MOST_SEARCHED = 3


def place(session: Session) -> Workspace | None:
    """Return where a session keeps and finds what is kept; None where nothing is, or where one may only read."""
    return None if session.read_only else HERE.workspace


# --- keeping ----------------------------------------------------------------------------------------------------------
def keep(session: Session) -> bool:
    """Keep what has changed in this run; what cannot be kept is said once.

    Returns
    -------
    bool
        Whether something is to be said, and an address to be written: another window was faster, or nothing is kept.
    """
    opened, workspace, waiting = session.opened, place(session), session.n_notices
    if opened is None or workspace is None or opened.forgotten:
        return False
    try:
        _take_up_what_was_left(session, opened)
        if _is_worth_it(session, opened):
            _keep(session, opened, workspace)
        elif opened.keeping is not None:  # work on an example was cancelled, and nothing else was done
            _keep_work(opened, opened.keeping, workspace)
            workspace.withdraw(opened.key, opened.keeping.version)
            opened.keeping = None
        opened.refused = False
    except StorageError as error:
        failed(session, opened, error)
    return session.n_notices > waiting


def keep_work(session: Session) -> None:
    """Keep now and then how far work under way has come."""
    opened, workspace = session.opened, place(session)
    if opened is None or workspace is None or opened.keeping is None:
        return
    if time.monotonic() - opened.keeping.written_at < _SECONDS_BETWEEN_DRAFTS:
        return
    try:
        _keep_work(opened, opened.keeping, workspace)
    except StorageError as error:
        failed(session, opened, error)


def hold(session: Session) -> Workspace | None:
    """Return the workspace with what is open in it, whatever it is worth; None where it cannot be kept."""
    opened, workspace = session.opened, place(session)
    if opened is None or workspace is None or opened.forgotten:
        return None
    if opened.keeping is None:
        try:
            _keep(session, opened, workspace)
        except StorageError as error:
            failed(session, opened, error)
    return None if opened.keeping is None else workspace


def is_kept(session: Session) -> bool:
    """Tell whether a reload brings back the table that is open."""
    opened = session.opened
    if opened is None or opened.forgotten or opened.refused or place(session) is None:
        return False
    return opened.keeping is not None or _is_worth_it(session, opened)  # at the end of this run it is


def failed(session: Session, opened: OpenTable, error: StorageError) -> None:
    """Say that something is not kept, once for each reason; a study that was deleted elsewhere is kept no longer."""
    from proset.workspace import NotKeptError

    opened.refused = True
    if isinstance(error, NotKeptError):
        opened.forget()
        session.notice(text.GONE)
    elif session.once(f"kept: {error}"):
        session.notice(f"{text.NOT_KEPT} {error}")


def _is_worth_it(session: Session, opened: OpenTable) -> bool:
    """Tell whether there is something that opening the example again would not bring."""
    if opened.sample is None or opened.stopped is not None or opened.said or session.fitting:
        return True
    if opened.slices or opened.views:
        return True
    if opened.recipe.guidance.items:  # no address has it
        return True
    if opened.keeping is not None and not (opened.keeping.is_as_begun and not opened.models):
        return True
    stored = stored_study(opened.sample)
    return any(stored is None or key != stored.id for key in opened.models)


def _keep(session: Session, opened: OpenTable, workspace: Workspace) -> None:
    """Write what has changed since it was written last."""
    choices, view = written.write_choices(opened), written.write_view(opened, session.pages)
    keeping = opened.keeping
    if keeping is not None and choices != keeping.choices:
        keeping = _change(session, opened, keeping, workspace, choices)
    if keeping is None:
        keeping = _create(opened, workspace, choices, view)
    for key in keeping.models - set(opened.models):
        workspace.remove_model(opened.key, key)
        keeping.models.discard(key)
        keeping.folds.discard(key)
    fresh = [study for key, study in opened.models.items() if key not in keeping.models]
    for study in fresh:
        workspace.keep_model(opened.key, study)
        keeping.models.add(study.id)
    for key in set(opened.models) - keeping.folds:
        if (key, UNSEEN.name) in opened.values:
            workspace.keep_folds(opened.key, key, opened.values[key, UNSEEN.name].studies)
            keeping.folds.add(key)
    if fresh or view != keeping.view:
        workspace.look(opened.key, view, _facts(opened))
        keeping.view = view
    _keep_work(opened, keeping, workspace)


def _change(
    session: Session, opened: OpenTable, keeping: Keeping, workspace: Workspace, choices: str
) -> Keeping | None:
    """Write other choices; None if another window was faster, so that this one goes on with a study of its own."""
    from proset.workspace import ChangedElsewhereError

    try:
        keeping.version = workspace.change(opened.key, keeping.version, choices)
    except ChangedElsewhereError as error:
        opened.said = workspace.records(opened.key)  # what people said of its cases is true of the copy as well
        opened.part()
        session.notice(f"{error} {text.PARTED}", kind="info")
        return None
    keeping.choices = choices
    workspace.look(opened.key, keeping.view, _facts(opened))  # a card tells of the target
    return keeping


def _create(opened: OpenTable, workspace: Workspace, choices: str, view: str) -> Keeping:
    """Keep a study that is not kept yet, in place of the same file without a model that was read in another way."""
    facts, name = _facts(opened), SAMPLES[opened.sample].title if opened.sample else opened.table.name
    card = workspace.create(
        name if opened.parted_from is None else f"{name} ({text.OTHER_WINDOW})",
        opened.table,
        facts,
        choices=choices,
        view=view,
        source=opened.source,
        sample=opened.sample,
        study_id=opened.key,
    )
    keeping = opened.keeping = Keeping(card.version, choices, view, mine=True)
    workspace.say(opened.key, [record.judgement for record in opened.said])
    former, opened.follows = opened.follows, None
    if former is not None and former.keeping is not None and former.keeping.mine and not former.models:
        workspace.withdraw(former.key, former.keeping.version)
        former.keeping = None
    return keeping


def _facts(opened: OpenTable) -> StudyFacts:
    """Return what a card shows."""
    from proset.workspace import StudyFacts

    return StudyFacts.of(opened.table, opened.recipe.roles.target, opened.fitted)


# --- work that has not ended ------------------------------------------------------------------------------------------
def _keep_work(opened: OpenTable, keeping: Keeping, workspace: Workspace) -> None:
    """Keep a search that was stopped, and what is under way, as far as it has come."""
    work: dict[str, Any] = {}
    if opened.stopped is not None and opened.stopped.record is not None:
        work["stopped"] = written.write_request(opened.stopped, opened.stopped.record)
    for entry in jobs.under_way(opened):
        if entry.task in (FIT, SEARCH):
            so_far = entry.job.so_far() if entry.task is SEARCH else None
            record = so_far if so_far is not None else entry.job.request.record
            work[entry.task.name] = written.write_request(entry.job.request, record)
    content = json.dumps(work) if work else None
    keeping.written_at = time.monotonic()
    # A search that another window has left here gives way to a search only.
    is_search = "stopped" in work or SEARCH.name in work
    if content != keeping.work and workspace.keep_work(
        opened.key, content, only_over=() if is_search else (keeping.work,)
    ):
        keeping.work = content


def _take_up_what_was_left(session: Session, opened: OpenTable) -> None:
    """Go on with work that ended because other data was opened, from what was written down of it."""
    content, opened.cut = opened.cut, None
    if content is not None and not jobs.under_way(opened):
        for note in _go_on(opened, content):
            session.notice(note, kind="info")


def _go_on(opened: OpenTable, content: str) -> list[str]:
    """Take up work that did not end before its window was left, from what it has finished; return what to say."""
    work = parse_json(content, "Work that is kept")
    notes = []
    for name, task in (("stopped", None), (FIT.name, FIT), (SEARCH.name, SEARCH)):
        if not isinstance(work, dict) or name not in work:
            continue
        request = written.read_request(work[name], opened.table)
        if request.record is not None:
            opened.keep_stopped(request)
        if task is not None:
            stopped = opened.stopped if request.record is not None else None
            is_kept = stopped is not None and stopped.recipe == request.recipe
            notes.append((text.SEARCH_CUT if is_kept else text.WORK_CUT).format(noun=task.words.noun))
    return notes


# --- coming back ------------------------------------------------------------------------------------------------------
def bring(session: Session, key: str, wanted: Callable[[OpenTable], bool] = lambda _: True) -> OpenTable | None:
    """Return a kept study as a table to be opened; None if it is not kept, not wanted, or cannot be read.

    Parameters
    ----------
    wanted : callable
        Tells whether it is what was looked for; only then something is said of it.
    """
    workspace = place(session)
    if workspace is None:
        return None
    from proset.workspace import NotKeptError

    notes: list[str] = []
    try:
        opened = _read(session, workspace, key, notes)
    except NotKeptError:
        return None
    except ProsetError as error:
        session.notice(f"{text.NOT_READ} {error}", kind="error")
        return None
    if not wanted(opened):
        return None
    for note in notes:
        session.notice(note)
    return opened


def bring_sample(session: Session, sample: str, wanted: Callable[[OpenTable], bool]) -> OpenTable | None:
    """Return the kept study of a bundled table that was touched last and is wanted; see :func:`bring`."""
    cards = [card for card in known_cards(session) if card.sample == sample][:_MOST_SEARCHED]
    found = (bring(session, card.id, wanted) for card in cards)
    return next((opened for opened in found if opened is not None), None)


def catch_up(session: Session) -> None:
    """Open anew what another window has added to, unless work on it is under way here."""
    here = session.opened
    if here is None or here.keeping is None or here.forgotten or jobs.under_way(here):
        return
    card = next((card for card in known_cards(session) if card.id == here.key), None)
    opened = None if card is None or here.is_as_in(card) else bring(session, here.key)
    if opened is not None:
        session.reopen(opened)


def known_cards(session: Session, *, deleted: bool = False) -> list[Card]:
    """Return the studies that are kept, in short; none where the workspace cannot be read."""
    workspace = place(session)
    try:
        return workspace.cards(deleted=deleted) if workspace is not None else []
    except StorageError:
        return []


def delete(session: Session, key: str) -> None:
    """Delete a study, which can be undone; one that is open is closed."""
    workspace = place(session)
    if workspace is None:
        return
    if session.opened is not None and session.opened.key == key:
        keep(session)
        session.close()
    session.former.drop(key)
    workspace.delete(key)


def _read(session: Session, workspace: Workspace, key: str, notes: list[str]) -> OpenTable:
    """Read a study with its models and what was looked at; what cannot be had of it goes to the notes."""
    kept = workspace.read(key)
    choices = written.read_choices(kept.choices)
    table = workspace.table(key)
    guess = guess_roles(table, target=choices.recipe.roles.target)
    opened = OpenTable(table, guess, choices.recipe, sample=kept.card.sample, key=key)
    try:
        opened.source = workspace.source(key)
    except StorageError as error:
        notes.append(f"{text.FILE_NOT_READ} {error}")
    opened.plans, opened.rules = dict(choices.plans), dict(choices.rules)
    opened.slice_numbers, opened.views = dict(choices.slice_numbers), choices.views
    for model in kept.models:
        try:
            opened.add(workspace.model(key, model, table))
            found, study = unseen_of(workspace.folds(key, model, table)), opened.models[model]
            if found.studies and found.belongs_to(study):
                opened.keep_result(study, UNSEEN.name, found)
        except StorageError as error:
            notes.append(f"{text.MODEL_NOT_READ} {error}")
    written.look_as(opened, kept.view, session.pages)
    folds = {model for model in opened.models if (model, UNSEEN.name) in opened.values}
    opened.keeping = Keeping(kept.card.version, kept.choices, kept.view, set(opened.models), folds)
    if kept.work is not None and kept.card.sample is None and jobs.under_way_elsewhere(key):
        notes.append(text.ELSEWHERE)  # whose it is keeps it
    elif kept.work is not None:
        opened.keeping.work = kept.work
        try:
            notes += _go_on(opened, kept.work)
        except ProsetError as error:
            notes.append(f"{text.WORK_NOT_READ} {error}")
    return opened
