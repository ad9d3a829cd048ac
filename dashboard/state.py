"""What :mod:`dashboard.components.job_panel` asks of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.services.fit_request import FitRequest
from dashboard.session.session import current
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.selection import SearchPlan
from proset.study import FitSettings, Study

if TYPE_CHECKING:
    from dashboard.jobs import Job


def table() -> Table | None:
    return current().table


def roles() -> Roles | None:
    recipe = current().recipe
    return recipe.roles if recipe else None


def split_settings() -> SplitSettings:
    recipe = current().recipe
    return recipe.split if recipe else SplitSettings()


def fit_settings() -> FitSettings:
    recipe = current().recipe
    return recipe.settings if recipe else FitSettings()


def search_plan() -> SearchPlan:
    opened = current().opened
    return opened.plan if opened else SearchPlan()


def sample_name() -> str | None:
    opened = current().opened
    return opened.sample if opened else None


def job() -> Job | None:
    return current().job


def work() -> FitRequest | None:
    return current().request if current().job is not None else None


def set_job(job: Job | None, request: FitRequest | None = None) -> None:
    current().job, current().request = job, request


def stopped_search() -> FitRequest | None:
    opened = current().opened
    return opened.stopped if opened else None


def set_stopped_search(request: FitRequest) -> None:
    opened = current().opened
    if opened is not None:
        opened.stopped = request


def keep_search() -> None:
    current().keep_search()


def set_study(study: Study) -> None:
    current().add_study(study)


def set_searched_study(study: Study, request: FitRequest) -> None:
    current().add_searched(study, request)


def add_notice(text: str, *, kind: str = "warning") -> None:
    current().notice(text, kind=kind)
