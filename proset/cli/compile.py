"""``proset compile``: compile the fast parts of the engine ahead of the first fit."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proset.cli.options import Commands
from proset.cli.terminal import note

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPANIONS = ("pvm", "smp", "gbmap")
COMPILING = "compiling for this processor; what is compiled is kept, so only a first run waits for it."


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compile",
        help="compile the fast parts ahead of the first fit",
        description="Compile what fitting, scoring and explaining spend their time on, so that no first fit waits for "
        "it. What is compiled is kept on disk; a second run finds it there.",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> None:
    """Compile everything that is not compiled yet; without numba there is nothing to compile."""
    if find_spec("numba") is None:
        note("numba is not installed: there is nothing to compile.")
        return
    compile_all()


def compile_all() -> None:
    """Call every compiled part once, models and companions in a process each: compiling keeps to one processor."""
    if not is_compiled():
        note(COMPILING)
    with ProcessPoolExecutor(len(PARTS), mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(part) for part in PARTS]:
            done.result()


def compile_models() -> None:
    """Fit, score and explain models of classes and of a number, on tables so small that only compiling takes time."""
    from proset.engine.model import ClassifierModel
    from proset.engine.regressor import RegressorModel
    from proset.explain import shap_values

    X, rows = _few_rows()
    model = ClassifierModel(lambda_v=1e-6, random_state=0).fit(X, X[:, 0] > 3.5)
    model.predict_proba(X)
    shap_values(model, X[:1], X[-1], exact_up_to=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few rows are no problem to solve well
        # With steps that the solver remembers, and with all that may follow the last batch.
        ClassifierModel(correction=0.5, thinning=0.1, random_state=0).fit(rows, rows[:, 0] > 0.0)
        RegressorModel(n_iter=1, random_state=0).fit(rows, rows[:, 0]).predict_quantiles(rows, 0.5)


def compile_companions() -> None:
    """Do the same with the companion methods, which share no compiled part with the models."""
    from proset.companions import SYSTEMS

    _, rows = _few_rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key in _COMPANIONS:
            for tuned in (False, True):
                companion: Any = SYSTEMS[key].make(tuned=tuned).fit(rows, rows[:, 0] > 0.0)
                companion.predict_proba(rows)
                companion.familiarity(rows)
                companion.distance(rows)


PARTS = (compile_models, compile_companions)


def _few_rows() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return one column in order, and two of noise."""
    import numpy as np

    return np.arange(8.0)[:, None], np.random.default_rng(0).normal(size=(60, 2))


def is_compiled() -> bool:
    """Tell whether fits find compiled parts on disk, or need none."""
    if find_spec("numba") is None:
        return True
    from proset.engine.kernels import compiled

    kept = next(part.stats.cache_path for part in vars(compiled).values() if hasattr(part, "py_func"))
    return any(Path(kept).glob("compiled.*.nbi"))


@contextmanager
def compiling_is_said() -> Iterator[None]:
    """Print one line on stderr at the first part that is being compiled: the wait has a reason, and comes once."""
    if find_spec("numba") is None:
        yield
        return
    from numba.core import event

    class Once(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                note(COMPILING)

        def on_end(self, event: Any) -> None:
            """Say nothing."""

    with event.install_listener("numba:compile", Once()):
        yield
