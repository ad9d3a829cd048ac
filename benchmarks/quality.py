"""Log-loss on the report's problems with the report's hyperparameters: ``python -m benchmarks.quality``.

Features are standardised on the training part, the split is 70:30 and stratified, seeds 0 to 4. Every fit is written
to ``results/quality.json`` as it is done; finished fits are kept, so the run can be stopped and resumed. ``--fresh``
starts over. The table in ``README.md`` is made from the results.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from benchmarks.problems import PROBLEMS, Problem
from benchmarks.tables import write_section
from proset import ClassifierModel

SEEDS = range(5)
RESULTS = Path(__file__).parent / "results" / "quality.json"


def measure(problem: Problem, seed: int) -> dict[str, Any]:
    """Fit one problem once."""
    X, y = problem.load(seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(X_train)
    model = ClassifierModel(
        n_iter=problem.n_iter, lambda_v=problem.lambda_v, lambda_w=problem.lambda_w, random_state=seed
    )
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(scaler.transform(X_train), y_train)
    return {
        "log_loss": -model.score(scaler.transform(X_test), y_test),
        "features": [int(d) for d in model.set_manager_.get_active_features()],
        "prototypes": model.set_manager_.get_num_prototypes(),
        "seconds": round(time.perf_counter() - start, 2),
        "objective": [result.solver.objective for result in model.batch_results_],
        "stops": [result.solver.reason.name for result in model.batch_results_],
        "warnings": [str(entry.message) for entry in caught],
    }


def table(fits: dict[str, dict[str, Any]]) -> list[str]:
    """Lines of the Markdown table."""
    lines = [
        "| problem | published | threshold | package, 5 seeds | bar | ours, 5 seeds | passes | features (published) | "
        "prototypes (published) | seconds per fit |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for problem in PROBLEMS:
        runs = [fits[f"{problem.name}/{seed}"] for seed in SEEDS if f"{problem.name}/{seed}" in fits]
        if len(runs) < len(SEEDS):
            continue
        loss = np.array([run["log_loss"] for run in runs])
        features = [len(run["features"]) for run in runs]
        package = f"{problem.package[0]:.3f} ± {problem.package[1]:.3f}" if problem.package else ""
        lines.append(
            f"| {problem.name} | {problem.published:.2f} | {problem.threshold:.2f} | {package} | {problem.bar:.3f} | "
            f"**{loss.mean():.3f} ± {loss.std(ddof=1):.3f}** | {'yes' if loss.mean() <= problem.bar else 'NO'} | "
            f"{min(features)} to {max(features)} ({problem.published_features}) | "
            f"{np.mean([run['prototypes'] for run in runs]):.0f} ({problem.published_prototypes}) | "
            f"{np.median([run['seconds'] for run in runs]):.1f} |"
        )
    return lines


def main() -> None:
    """Run what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="forget finished fits")
    parser.add_argument("--only", nargs="*", help="names of problems to run")
    options = parser.parse_args()
    fits = {} if options.fresh or not RESULTS.exists() else json.loads(RESULTS.read_text())["fits"]
    wanted = [(p, seed) for p in PROBLEMS for seed in SEEDS if not options.only or p.name in options.only]
    for problem, seed in tqdm(wanted, unit="fit"):
        key = f"{problem.name}/{seed}"
        if key not in fits:
            fits[key] = measure(problem, seed)
            machine = f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps({"machine": machine, "fits": fits}, indent=1) + "\n")
    write_section("quality", table(fits))


if __name__ == "__main__":
    main()
