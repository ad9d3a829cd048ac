"""Counterfactuals of wrong cases beside those of dice-ml: ``python -m benchmarks.counterfactuals``.

On eight public tables a model is fitted, and held-out rows that it gets wrong are asked what would have to be for their
own class to be said: once without locks, and once with the columns of the first answer locked. Every answer is held to
scoring the changed row. dice-ml (random, genetic, kd-tree; an environment of its own) is asked the same of the same
model, on the columns that it uses, with a limit of time per case; the fewest columns that any of its valid answers
changes count. dice-ml knows nothing of familiarity, so ours stand there twice: as they are, and among cases of any.

Every table is a cell in ``results/counterfactuals.json``, so that a run can be stopped and resumed; ``--cases N`` says
how many wrong cases of each table are asked, ``--fresh`` starts over, ``--only TABLE ...`` chooses tables.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.label_errors import TARGET, read
from benchmarks.peers.environment import DICE
from benchmarks.peers.processes import Engine, run, save_arrays
from benchmarks.public_data import data_folder
from benchmarks.tables import table, write_section
from proset.data.levels import LevelEncoder
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain import counterfactuals, value_ranges
from proset.explain.cases.counterfactual_result import Counterfactuals
from proset.study import Study, fit_study

NAMES = (
    "wdbc",
    "pima_diabetes",
    "heart_statlog",
    "german_credit",
    "credit_a",
    "cmc",
    "phoneme",
    "glass",
)
RUNNER = Path(__file__).parent / "peers" / "dice_runner.py"
METHODS = ("random", "genetic", "kdtree")
HELD_OUT, N_ANSWERS, LEAST = 0.4, 3, 0.2
BAR = 0.150


def fit(name: str) -> Study:
    """Fit a model to a public table."""
    frame = read(name, data_folder())
    whole = read_table(frame.to_csv(index=False).encode(), name=f"{name}.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_study(whole, guess_roles(whole, target=TARGET).roles, split=SplitSettings(test_fraction=HELD_OUT))


def wrong_rows(study: Study, most: int) -> list[int]:
    """Return held-out rows that the model gets wrong and whose columns in use are all known, evenly spread."""
    judged = study.judged()
    wrong = judged.index[judged["wrong"] & (judged["part"] == "held_out")]
    known = study.table.frame.loc[wrong, list(study.used_columns)].notna().all(axis=1)
    rows = wrong[known.to_numpy()].to_numpy()
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(int))].tolist()


def holds(study: Study, row: int, found: Counterfactuals, locked: Sequence[str]) -> bool:
    """Tell whether scoring says of every answer what it promises, and whether locks are kept."""
    for one in found.found:
        frame = study.table.frame.loc[[row]].copy()
        for column, value in one.values.items():
            frame[column] = [value]
        said = study.score(frame).iloc[0]
        if said["class"] not in found.to or said["quantile"] < found.least_familiarity or set(one.values) & set(locked):
            return False
    return True


def ours(study: Study, rows: Sequence[int]) -> list[dict[str, Any]]:
    """Ask for counterfactuals of each row."""
    ranges, judged = value_ranges(study), study.judged()
    counterfactuals(study, rows[0], ranges=ranges)  # what is compiled or computed once for all cases
    lines = []
    for row in rows:
        to = str(judged.loc[row, "actual"])
        start = time.process_time()
        found = counterfactuals(study, row, to=to, ranges=ranges)
        seconds = time.process_time() - start
        any_familiarity = counterfactuals(study, row, to=to, least_familiarity=0.0, ranges=ranges)
        locked = list(found.found[0].values) if found.found else []
        start = time.process_time()
        again = counterfactuals(study, row, to=to, locked=locked, ranges=ranges)
        lines.append(
            {
                "changed": _fewest(found),
                "any": _fewest(any_familiarity),
                "locked": _fewest(again),
                "holds": holds(study, row, found, []) and holds(study, row, again, locked),
                "seconds": seconds,
                "seconds_locked": time.process_time() - start,
            }
        )
    return lines


def _fewest(found: Counterfactuals) -> int | None:
    """Return how many columns the first answer changes."""
    return len(found.found[0].changes) if found.found else None


def theirs(study: Study, rows: Sequence[int], limit: float) -> dict[str, Any]:
    """Ask dice-ml about the same rows of the same model."""
    features, frame = _features(study)
    batches = [batch for batch in study.model.set_manager_.batches if batch is not None]
    arrays = {
        "width": np.array(len(study.design.columns)),
        "marginals": np.asarray(study.model.set_manager_.marginals),
        "n_batches": np.array(len(batches)),
    }
    for n, batch in enumerate(batches):
        arrays |= {
            f"active_{n}": batch.active_features,
            f"feature_weights_{n}": batch.feature_weights.astype(np.float64),
            f"prototypes_{n}": batch.prototypes,
            f"weights_{n}": batch.weights.astype(np.float64),
            f"target_{n}": batch.target,
        }
    judged = study.judged()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        asked = pd.concat([frame.loc[study.split.train].dropna(), frame.loc[list(rows)]])
        asked.to_json(folder / "table.json", orient="split", double_precision=15)
        return run(
            Engine("dice", DICE.python(), runner=RUNNER),
            "counterfactuals",
            save_arrays(folder / "arrays.npz", arrays),
            features=features,
            table=str(folder / "table.json"),
            rows=list(map(int, rows)),
            wishes=[study.classes.index(str(judged.loc[row, "actual"])) for row in rows],
            probabilities=study.probabilities.loc[list(rows)].to_numpy().tolist(),
            methods=METHODS,
            n_answers=N_ANSWERS,
            limit=limit,
        )


def _features(study: Study) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Return the columns that the model uses, and the table as these columns with levels in words."""
    features, parts = [], {}
    sources = [column.source for column in study.design.columns]
    X = study.encode().X
    for name in study.used_columns:
        encoder = study.design.encoder(name)
        columns = [j for j, source in enumerate(sources) if source == name]
        if isinstance(encoder, LevelEncoder):
            codes = X[:, columns[0]].round().astype(int) if len(columns) == 1 else X[:, columns].argmax(axis=1)
            parts[name] = np.array(encoder.slots, dtype=object)[codes]
            features.append({"name": name, "kind": "level", "columns": columns, "slots": list(encoder.slots)})
        else:
            scope = value_ranges(study)[name]
            parts[name] = pd.to_numeric(study.table.frame[name], errors="coerce").to_numpy(dtype=float)
            entry = study.design.columns[columns[0]]
            features.append(
                {
                    "name": name,
                    "kind": "number",
                    "columns": columns,
                    "offset": entry.offset,
                    "scale": entry.scale,
                    "decimals": scope.decimals,
                }
            )
    frame = pd.DataFrame(parts, index=study.table.frame.index)
    return features, frame.assign(outcome=pd.Index(study.classes).get_indexer(pd.Index(study.labels)))


def measure(name: str, most: int, limit: float) -> Cell:
    """Ask both about the wrong cases of one table."""
    study = fit(name)
    rows = wrong_rows(study, most)
    own = ours(study, rows)
    other = theirs(study, rows, limit)
    if other["gap"] > 1e-6:
        raise SystemExit(f"{name}: dice-ml was given another model: probabilities differ by {other['gap']}.")
    cases = []
    for i, line in enumerate(own):
        answers = {method: other["answers"][method][i] for method in METHODS}
        valid = [pair for answer in answers.values() for pair in answer.get("answers", [])]
        quantile = familiarity_quantile([total for _, total in valid], study.reference) if valid else []
        familiar = [count for (count, _), share in zip(valid, quantile, strict=True) if share >= LEAST]
        cases.append(
            {
                **line,
                "dice": min((count for count, _ in valid), default=None),
                "dice_familiar": min(familiar, default=None),
                **{method: answer["changed"] for method, answer in answers.items()},
                **{f"{method}_seconds": answer["seconds"] for method, answer in answers.items()},
                **{f"{method}_failed": answer.get("failed") for method, answer in answers.items()},
            }
        )
    return {
        "rows": rows,
        "limit": limit,
        "columns": len(study.used_columns),
        "prototypes": study.model.set_manager_.get_num_prototypes(),
        "cases": cases,
        "version": other["version"],
    }


def section(cells: Mapping[str, Cell]) -> list[str]:
    """Return the table: one line per set of data, and one for all."""
    if not cells:
        return ["Not measured yet."]
    named = {name: cell["cases"] for name, cell in cells.items()}
    named["all"] = [case for cases in named.values() for case in cases]
    head = ["table", "wrong cases", "answered, valid, locks kept", "columns changed, ours", "dice-ml, best of three"]
    head += ["not more than dice-ml's", "ours, any familiarity", "not more", "dice-ml's familiar ones"]
    head += ["locked: answered", "ms, median (most)", "over 150 ms", "dice-ml: s, median of each", "no answer of each"]
    version = next(iter(cells.values()))["version"]
    limits = sorted({cell["limit"] for cell in cells.values()})
    limit = f"at most {' or '.join(f'{one:g}' for one in limits)} s per case and method"
    return [f"dice-ml {version}, {limit}.", "", *table(head, [_line(name, cases) for name, cases in named.items()])]


def _line(name: str, cases: Sequence[dict[str, Any]]) -> list[str]:
    """Return one line."""
    both = [case for case in cases if case["changed"] and case["dice"]]
    loose = [case for case in cases if case["any"] and case["dice"]]
    seconds = sorted(case["seconds"] for case in cases) + sorted(case["seconds_locked"] for case in cases)
    times = [f"{np.median([case[f'{method}_seconds'] for case in cases]):.2g}" for method in METHODS]
    missing = [str(sum(case[method] is None for case in cases)) for method in METHODS]
    good = sum(case["holds"] and case["changed"] is not None for case in cases)
    return [
        name,
        str(len(cases)),
        f"{good}",
        f"**{_mean(case['changed'] for case in both)}**",
        _mean(case["dice"] for case in both),
        f"{sum(case['changed'] <= case['dice'] for case in both)} of {len(both)}",
        _mean(case["any"] for case in loose),
        f"{sum(case['any'] <= case['dice'] for case in loose)} of {len(loose)}",
        f"{sum(case['dice_familiar'] is not None for case in cases)}, {_mean(case['dice_familiar'] for case in cases)}",
        f"{sum(case['locked'] is not None for case in cases)}",
        f"{1000 * np.median(seconds):.0f} ({1000 * max(seconds):.0f})",
        f"{sum(second > BAR for second in seconds)} of {len(seconds)}",
        ", ".join(times),
        ", ".join(missing),
    ]


def _mean(values: Any) -> str:
    """Write a mean of what is there."""
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.2f}" if known else ""


def main(given: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="measure all tables again")
    parser.add_argument("--only", nargs="+", default=list(NAMES), metavar="TABLE", help="these tables")
    parser.add_argument("--cases", type=int, default=60, help="wrong cases of each table")
    parser.add_argument("--limit", type=float, default=3.0, help="seconds that dice-ml has for a case and a method")
    asked = parser.parse_args(given)
    cells = Cells("counterfactuals", fresh=asked.fresh)
    for name in asked.only:
        cells.fill(name, lambda name=name: measure(name, asked.cases, asked.limit))  # type: ignore[misc]
    facts = f"Machine: {sentence(cells.machine)}."
    write_section("counterfactuals", [facts, *section({key: cells[key] for key in cells})])


if __name__ == "__main__":
    main()
