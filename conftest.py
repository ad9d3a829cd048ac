"""What holds for every test run: how threads wait, and which doctests are left out because their extra is not there."""

import gc
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

# Threads of OpenMP spin while they wait for their next piece of work, by default. In several processes on few cores
# that takes the time of those who have work: up to two fifths of all that a run needs. It is read once, when a library
# is loaded, so it is set before anything else is imported; the processes that tests start inherit it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# No test writes into the workspace of whoever runs it; those about workspaces name one of their own.
os.environ["PROSET_WORKSPACE"] = "none"
os.environ.pop("PROSET_DATABASE", None)

# A loaded machine is slow at random: how long an example takes, or drawing it, is no fault of the code.
# Examples are the same in every run, so that a change is what makes a test fail; --hypothesis-profile=new draws others.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("new", settings.get_profile("any machine"), derandomize=False)
settings.load_profile("any machine")

collect_ignore = ["proset/workspace/migrations/env.py"]  # Alembic runs it within a migration
if not find_spec("tensorflow"):
    collect_ignore += ["proset/engine/objective/tensorflow_backend.py"]
if not find_spec("sqlalchemy"):
    collect_ignore += ["proset/workspace", "tests/workspace"]
if not find_spec("numba"):
    engine = "proset/engine"
    collect_ignore += [f"{engine}/kernels/compiled.py", f"{engine}/kernels/compiled_orders.py"]
    collect_ignore += [f"{engine}/kernels/compiled_votes.py", f"{engine}/kernels/compiled_quantiles.py"]
    collect_ignore += [f"{engine}/objective/compiled_backend.py", f"{engine}/objective/density_compiled.py"]
    collect_ignore += [f"tests/engine/test_{name}.py" for name in ("any_scale", "objective", "density_objective")]
# Half of the modules have no example, and to look for one takes each process of a run a second and more.
MODULES = (path for room in ("proset", "dashboard") for path in (Path(__file__).parent / room).rglob("*.py"))
WITHOUT_EXAMPLE = {path for path in MODULES if ">>>" not in path.read_text(encoding="utf-8")}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules without an example; each of `collect_ignore` is compared with every path that is looked at."""
    return True if collection_path in WITHOUT_EXAMPLE else None


def pytest_configure(config: Any) -> None:
    """Let fits take matrix products where there is no numba; `tests/engine/test_without_numba.py` holds the warning."""
    if not find_spec("numba"):
        config.addinivalue_line("filterwarnings", "ignore::proset.engine.objective.MissingNumbaWarning")


def pytest_collection_finish() -> None:
    """Take what collecting has made out of the collector's sight: every run of a page walks all it sees, 0.4 s each."""
    gc.collect()
    gc.freeze()
