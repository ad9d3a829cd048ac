"""What tests of several folders share: a browser and a small fitted study."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pytest
from variants import REPEATS

if TYPE_CHECKING:
    from pathlib import Path

    from proset.data.roles import Roles
    from proset.data.table import Table
    from proset.selection import JointPlan, JointRecord
    from proset.study import Study

PATIENT_ROLES = {
    "patient": "identifier",
    "age": "numeric",
    "weight": "numeric",
    "ward": "categorical",
    "smoker": "boolean",
    "admitted": "date",
    "remark": "text",
    "outcome": "target",
}


# Thousands of tests leave objects that stay; to look for circles among them after every 700 new ones takes 4 % longer.
gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(trylast=True)  # when those that are not to run are gone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each process begin with its share of the browser tests, by module: they take longest, and none is left over.

    Of several processes each begins with a run of tests of the same length, and takes over from others what they have
    not come to at the end.
    """
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if "e2e" in item.path.parts:
            modules.setdefault(item.path, []).append(item)
    others = [item for item in items if item.path not in modules]
    shares = [list(chain.from_iterable([*modules.values()][at::n_workers])) for at in range(n_workers)]
    in_order: list[pytest.Item] = []
    for at, share in enumerate(shares):
        end = len(items) * (at + 1) // n_workers
        room = end - len(in_order) - len(share)
        in_order += [*share, *others[: max(room, 0)]]
        others = others[max(room, 0) :]
    items[:] = [*in_order, *others]


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_reaches_programs() -> None:
    """Hear Ctrl-C again: a job in the background of a shell is started deaf to it, and so is whatever it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _few_repeats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat cross-validation less often where a model is fitted by the way: a tenth of what tests take."""
    if request.path.parent.name not in ("study", "properties"):
        monkeypatch.setattr("proset.study.repeats.TIMES_OF_FEW_ROWS", REPEATS)
        monkeypatch.setattr("proset.study.repeats.TIMES_OF_MANY_ROWS", REPEATS)


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Path of the Chromium or Chrome that `make test` found, or of the one on this machine."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    path = os.environ.get("PROSET_BROWSER") or next(filter(None, map(shutil.which, names)), "none")
    if path == "none":
        pytest.skip("no browser: run `make test`, which finds or installs one, or set PROSET_BROWSER")
    return path


@pytest.fixture(scope="session")
def iris_study() -> Study:
    """The two-feature iris table with its usual roles, fitted with the default settings. Do not change it."""
    from proset.data.samples import load_sample, sample_roles
    from proset.study import fit_study

    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))


def patients_csv(n: int = 180, seed: int = 0) -> str:
    """A table of invented patients with every kind of column: 3 classes, rows without one, cells that are missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n)
    weight = rng.normal(70, 12, n).round(1)
    ward = rng.choice(["north", "south", "east"], n, p=[0.5, 0.3, 0.2])
    smoker = rng.choice(["yes", "no"], n)
    day = rng.integers(1, 29, n)
    outcome = np.where(age < 40, "well", np.where(weight + 10 * (smoker == "yes") > 76, "ill", "fair"))
    lines = [",".join(PATIENT_ROLES)]
    for i in range(n):
        label = "" if i % 45 == 7 else outcome[i]
        years = "" if i % 30 == 3 else age[i]
        remark = ["", "came early", 'said ""fine, thanks""', "Größe geschätzt"][i % 4]
        lines.append(f'P{i + 1:03d},{years},{weight[i]},{ward[i]},{smoker[i]},2024-03-{day[i]:02d},"{remark}",{label}')
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def patients_text() -> str:
    """The invented patients as CSV."""
    return patients_csv()


@pytest.fixture(scope="session")
def patients(patients_text: str) -> Table:
    """The invented patients as they are read."""
    from proset.data.table import read_table

    return read_table(patients_text.encode(), name="patients.csv")


@pytest.fixture(scope="session")
def patient_roles() -> Roles:
    """What the columns of the patients are for."""
    from proset.data.issues import Role
    from proset.data.roles import Roles

    return Roles({name: Role(role) for name, role in PATIENT_ROLES.items()})


@pytest.fixture(scope="session")
def study(patients: Table, patient_roles: Roles) -> Study:
    """Two batches fitted to the patients. Do not change it."""
    from proset.study import FitSettings, fit_study

    return fit_study(patients, patient_roles, settings=FitSettings(n_iter=2, lambda_v=1.5e-2))


@pytest.fixture(scope="session")
def searched(patients: Table, patient_roles: Roles) -> Study:
    """A small search over the patients. Do not change it."""
    from proset.selection.plan import SearchPlan
    from proset.study import search_study

    plan = SearchPlan(lambda_v=(1e-3, 1e-1), n_trials=3, n_folds=3, max_batches=2)
    return search_study(patients, patient_roles, plan=plan, n_jobs=1)


@pytest.fixture(scope="session")
def jointly(patients: Table, patient_roles: Roles) -> Study:
    """A small joint search over the patients. Do not change it."""
    from proset.study import search_study

    return search_study(patients, patient_roles, plan=small_joint_plan(), n_jobs=1)


@pytest.fixture(scope="session")
def stopped_search(patients: Table, patient_roles: Roles) -> JointRecord:
    """What the same search had finished when it was stopped after half of its trials."""
    from proset.selection import Cancelled, JointRecord, SearchProgress
    from proset.study import search_study

    def stop(now: SearchProgress) -> None:
        if now.done >= 4:
            raise Cancelled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("proset.selection.search_progress.SECONDS_BETWEEN_TICKS", 0.0)
        with pytest.raises(Cancelled) as caught:
            search_study(patients, patient_roles, plan=small_joint_plan(), n_jobs=1, progress=stop)
    assert isinstance(caught.value.record, JointRecord)
    return caught.value.record


def small_joint_plan() -> JointPlan:
    """A joint search that takes a moment; it neither chooses a scale nor takes joined votes by itself."""
    from proset.selection import JointPlan

    small = {"n_folds": 3, "first_folds": 2, "n_keep": 2, "max_batches": 3}
    return JointPlan(lambda_v=(1e-3, 3e-2), n_lambda_v=3, lambda_w=1e-4, scales=(), take_joined=False, **small)


@pytest.fixture
def patients_file(tmp_path: Path, patients_text: str) -> Path:
    """The invented patients as a file of their own."""
    path = tmp_path / "patients.csv"
    path.write_text(patients_text, encoding="utf-8")
    return path
