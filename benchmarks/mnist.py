"""Handwritten digits as in tables 2.18 and 2.19 of the report: ``python -m benchmarks.mnist --data mnist.npz``.

The file holds ``X_train`` (60,000 images), ``y_train``, ``X_test`` and ``y_test``. Principal components of 99 % of the
variance, each scaled to unit variance, are fitted on the training part of every fold; the search tries 11 values of
lambda_v and up to 10 batches of 10,000 candidates. Without a GPU everything is made 20 times smaller unless ``--scale``
says otherwise. After every fold the search is written to ``results/mnist.json`` and can be resumed from there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.tables import write_section
from proset import ClassifierModel
from proset.common.errors import ProsetError
from proset.engine.objective.tensorflow_start import import_tensorflow
from proset.selection import Cancelled, SearchPlan, SearchProgress, SearchRecord, SearchResult, select_hyperparameters

RESULTS = Path(__file__).parent / "results" / "mnist.json"
VARIANCE = 0.99
LARGEST_GREY = 255.0
CANDIDATES = 10_000
CPU_SCALE = 20
CPU_BATCHES, GPU_BATCHES = 3, 10


@dataclass(frozen=True)
class Case:
    """One column of table 2.18 or 2.19.

    Attributes
    ----------
    name : str
        For the command line.
    title : str
        For the table.
    max_samples : int or None
        Rows per batch.
    published : tuple of str
        Features in use, prototypes, batches, log-loss, ROC-AUC, balanced accuracy, time.
    """

    name: str
    title: str
    max_samples: int | None
    published: tuple[str, ...]


# The report cut the rows of table 2.18 into two chunks, which later versions of the package gave up.
CASES = (
    Case("all", "2.18, all rows", None, ("25", "12,198", "2", "0.23", "1.00", "0.95", "2:30 h on a P100")),
    Case("limit", "2.19, 40,000 rows", 40_000, ("16", "8,029", "1", "0.25", "1.00", "0.95", "2:30 h on a P100")),
)


@dataclass(frozen=True, eq=False)
class Digits:
    """Images as rows of grey values from 0 to 1, and their digits."""

    X_train: NDArray[np.float32]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


def load_digits(path: Path, scale: int) -> Digits:
    """Read the file and keep one of `scale` training images, stratified; all test images stay."""
    with np.load(path, allow_pickle=False) as file:
        X, X_test = (
            file[name].reshape(len(file[name]), -1).astype(np.float32) / np.float32(LARGEST_GREY)
            for name in ("X_train", "X_test")
        )
        y, y_test = file["y_train"].astype(np.int64), file["y_test"].astype(np.int64)
    if scale > 1:
        X, _, y, _ = train_test_split(X, y, train_size=len(y) // scale, stratify=y, random_state=0)
    return Digits(X, y, X_test, y_test)


def find_gpu() -> str | None:
    """Name of the GPU that TensorFlow would use, if TensorFlow and a GPU are here."""
    try:
        tf = import_tensorflow()
    except ProsetError:
        return None
    gpus = tf.config.list_physical_devices("GPU")
    return str(tf.config.experimental.get_device_details(gpus[0]).get("device_name", gpus[0].name)) if gpus else None


class _StopAfterFold:
    """Ends a search once it has finished a fold, so that what is done can be written down."""

    def __init__(self, fits_per_fold: dict[int, int]) -> None:
        self._fits_per_fold = fits_per_fold
        self._start: tuple[int, int] | None = None

    def __call__(self, progress: SearchProgress) -> None:
        if progress.stage not in self._fits_per_fold:  # the refit
            return
        here = progress.stage, progress.done
        if self._start is None:
            self._start = here
        whole_fold = progress.done > 0 and progress.done % self._fits_per_fold[progress.stage] == 0
        if here != self._start and whole_fold:
            print(f"stage {progress.stage}: {progress.done} of {progress.total} fits", flush=True)
            raise Cancelled


@dataclass(eq=False)
class Store:
    """The results file: finished runs and searches under way."""

    content: dict[str, Any]

    @classmethod
    def open(cls) -> Store:
        """Read the file if there is one."""
        return cls(json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": {}, "under_way": {}})

    def save(self) -> None:
        """Write the file."""
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(self.content, indent=1) + "\n")


def search(
    model: ClassifierModel, digits: Digits, plan: SearchPlan, store: Store, key: str
) -> tuple[SearchResult, float]:
    """Search fold by fold, writing down each; returns the result and all seconds, those of former runs included."""
    pending = store.content["under_way"].get(key)
    record = SearchRecord.from_state(pending["record"]) if pending else None
    seconds = pending["seconds"] if pending else 0.0
    transform = make_pipeline(PCA(VARIANCE, svd_solver="covariance_eigh"), StandardScaler())
    while True:
        start = time.perf_counter()
        try:
            result = select_hyperparameters(
                model, digits.X_train, digits.y_train, transform=transform, plan=plan, n_jobs=1, record=record,
                progress=_StopAfterFold({1: plan.n_pairs, 2: plan.max_batches + 1}),
            )  # fmt: skip
        except Cancelled as stop:
            record = stop.record
            assert record is not None
            seconds += time.perf_counter() - start
            store.content["under_way"][key] = {"record": record.to_state(), "seconds": seconds}
            store.save()
        else:
            return result, seconds + time.perf_counter() - start


def measure(case: Case, digits: Digits, options: argparse.Namespace, store: Store, key: str) -> dict[str, Any]:
    """Search, refit, and score the test images."""
    limit = case.max_samples and case.max_samples // options.scale
    model = ClassifierModel(
        num_candidates=CANDIDATES // options.scale, max_samples=limit, backend=options.backend, random_state=0
    )
    plan = SearchPlan(max_batches=options.batches, second_look=False)  # as tables 2.18 and 2.19
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        result, seconds = search(model, digits, plan, store, key)
    estimate = result.predict_proba(digits.X_test)
    manager, record = result.model.set_manager_, result.record
    return {
        "case": case.name, "scale": options.scale, "backend": options.backend, "device": options.device,
        "rows": len(digits.y_train), "candidates": model.num_candidates, "max_batches": plan.max_batches,
        "components": int(result.model.n_features_in_), "lambda_v": record.chosen_penalties[0],
        "batches": record.chosen_batches, "features": int(manager.get_active_features().shape[0]),
        "prototypes": manager.get_num_prototypes(),
        "stage_1": record.stage_1.to_dict("list"), "stage_2": record.stage_2.to_dict("list"),
        "log_loss": float(log_loss(digits.y_test, estimate)),
        "roc_auc": float(roc_auc_score(digits.y_test, estimate, multi_class="ovr")),
        "balanced_accuracy": float(balanced_accuracy_score(digits.y_test, estimate.argmax(axis=1))),
        "seconds": round(seconds, 1), "warnings": sorted({str(entry.message) for entry in caught}),
    }  # fmt: skip


def table(runs: dict[str, dict[str, Any]]) -> list[str]:
    """Lines of the Markdown table, published beside ours."""
    lines = [
        "| table | run | training rows | candidates | components | features in use | prototypes | batches | log-loss | "
        "ROC-AUC | balanced accuracy | whole search |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case in CASES:
        lines.append(f"| {case.title} | published | 60,000 | 10,000 | 331 | " + " | ".join(case.published) + " |")
        lines += [
            f"| {case.title} | ours, 1:{run['scale']}, {run['backend']} | {run['rows']:,} | {run['candidates']:,} | "
            f"{run['components']} | {run['features']} | {run['prototypes']:,} | {run['batches']} | "
            f"**{run['log_loss']:.2f}** | {run['roc_auc']:.2f} | **{run['balanced_accuracy']:.2f}** | "
            f"{run['seconds'] / 60.0:.1f} min on {run['device']} |"
            for run in runs.values()
            if run["case"] == case.name
        ]
    return lines


def main() -> None:
    """Run what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="mnist.npz")
    parser.add_argument("--only", choices=[case.name for case in CASES], help="one table instead of both")
    parser.add_argument("--scale", type=int, help=f"divide rows and candidates (default 1 on a GPU, else {CPU_SCALE})")
    parser.add_argument(
        "--batches", type=int, help=f"most batches (default {GPU_BATCHES} on a GPU, else {CPU_BATCHES})"
    )
    parser.add_argument("--backend", choices=["compiled", "numpy", "tensorflow"], default="tensorflow")
    options = parser.parse_args()
    gpu = find_gpu() if options.backend == "tensorflow" else None
    options.device = gpu or f"{os.cpu_count()} cores ({platform.machine()})"
    options.scale = options.scale or (1 if gpu else CPU_SCALE)
    options.batches = options.batches or (GPU_BATCHES if gpu else CPU_BATCHES)
    digits, store = load_digits(options.data, options.scale), Store.open()
    for case in CASES:
        key = f"{case.name}/1:{options.scale}/{options.backend}/{options.batches} batches"
        if key not in store.content["runs"] and options.only in (None, case.name):
            store.content["runs"][key] = measure(case, digits, options, store, key)
            store.content["under_way"].pop(key, None)
            store.save()
    write_section("mnist", table(store.content["runs"]))


if __name__ == "__main__":
    main()
