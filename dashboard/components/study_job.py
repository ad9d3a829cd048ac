"""Work on a model of the open table whose result stays with that model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.session import jobs
from dashboard.session.jobs import Handling
from proset.data.samples import SAMPLES

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from dashboard.work.tasks import Task
    from proset.study import Study


def kept(session: Session, study: Study, name: str) -> Any:
    """Return the result that is kept with a model under a name; None if there is none."""
    return None if session.opened is None else session.opened.values.get((study.id, name))


def start(session: Session, study: Study, task: Task[Any, Any], request: Any, *, name: str) -> None:
    """Start work on a model of the open table; its result is kept under a name while the model is open."""
    opened = session.opened
    if opened is None:
        return
    sample, source = opened.sample, opened.source

    def take(found: Any) -> None:
        if session.opened is not None and study.id in session.opened.models:
            session.opened.values[study.id, name] = found
        else:
            session.notice(f"The model that the {task.words.noun} was about is no longer kept, so it was dropped.")

    def reopen(found: Any) -> None:
        session.open_study(study, sample=sample, source=source)
        take(found)

    handling = Handling(take=take, open=reopen, keep=lambda _: None, reopen=lambda _: None)
    label = SAMPLES[sample].title if sample else study.table.name
    jobs.start(task, request, table=study.table, label=label, handling=handling)
