"""Work on a model of the open table whose result stays with that model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard import cache
from dashboard.session import jobs
from dashboard.session.jobs import Handling
from proset.data.samples import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from dashboard.session.session import Session
    from dashboard.work.tasks import Task
    from proset.study.any_study import AnyStudy


def kept(session: Session, study: AnyStudy, name: str) -> Any:
    """Return the result that is kept with a model under a name; None if there is none."""
    return None if session.opened is None else session.opened.values.get((study.id, name))


def known(session: Session, study: AnyStudy, asked: Hashable) -> Any:
    """Return what was found where the same was asked before about a bundled table; None if it was not."""
    sample = session.opened is not None and session.opened.sample
    return cache.sample_work(study.id, asked) if sample else None


def start(
    session: Session,
    study: AnyStudy,
    task: Task[Any, Any],
    request: Any,
    *,
    name: str,
    asked: Hashable = None,
    choose: Callable[[], None] | None = None,
) -> None:
    """Start work on a model of the open table; its result is kept under a name while the model is open.

    Parameters
    ----------
    name : str
        What the result is kept under.
    asked : hashable
        Tells this request from others about the model: where the table is a bundled one, all sessions then share the
        result, and who asks for one that is there has it at once. None where nothing is to be shared.
    choose : callable or None
        Sets what was chosen on the page again where the result is opened together with its table, which begins with
        the usual choice.
    """
    opened = session.opened
    if opened is None:
        return
    sample = opened.sample
    found_before = None if asked is None else known(session, study, asked)
    if found_before is not None:
        opened.keep_result(study, name, found_before)
        session.notice(task.words.done, kind="success")
        return

    def take(found: Any) -> None:
        if sample and asked is not None:
            cache.keep_sample_work(study.id, asked, found)
        if session.opened is not None and study.id in session.opened.models:
            session.opened.keep_result(study, name, found)
        else:
            session.notice(f"The model that the {task.words.noun} was about is no longer kept, so it was dropped.")

    def reopen(found: Any) -> None:
        session.open_result(opened, study)
        take(found)
        if choose is not None:
            choose()

    handling = Handling(take=take, open=reopen, keep=lambda _: None, reopen=lambda _: None)
    label = SAMPLES[sample].title if sample else study.table.name
    jobs.start(task, request, opened=opened, label=label, handling=handling)
