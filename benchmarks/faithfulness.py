"""How far explanations can be trusted, ours beside KernelSHAP and LIME: ``python -m benchmarks.faithfulness``.

All three explain the same models, in one process each model. On drawn problems it is known which columns matter; on
public tables the estimate is watched while the columns that an explanation names are changed, and explanations of cases
that are nearly the same are held against each other. Last, readers who know only what reports show foresee answers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean, median

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers.environment import LIME
from benchmarks.peers.processes import ROOT, Engine, run, save_arrays
from benchmarks.rivals import sets
from benchmarks.tables import number, table, write_section
from proset.data.generators import create_continuous_xor

RUNNER = Path(__file__).parent / "peers" / "trust_runner.py"
N_EXPLAINED, SHARE_TOP = 40, 0.25
WAYS = ("ours", "KernelSHAP", "LIME")
TRUTH_BAR, READER_BAR = 0.95, 0.90

Data = tuple[np.ndarray, np.ndarray]


def _clusters(seed: int) -> Data:
    return make_classification(2_000, 12, n_informative=4, n_redundant=0, shuffle=False, random_state=seed)


def _xor(relevant: int, others: int, n_samples: int) -> Callable[[int], Data]:
    return lambda seed: create_continuous_xor(relevant, others, n_samples=n_samples, random_state=seed)


# Problem -> how to draw it, how many of its first columns matter, and penalties of the report for its like.
DRAWN: dict[str, tuple[Callable[[int], Data], int, dict[str, float]]] = {
    "xor, 3 of 6": (_xor(3, 3, 800), 3, {"lambda_v": 4.2e-3, "lambda_w": 1.5e-6}),
    "xor, 4 of 8": (_xor(4, 4, 3_200), 4, {"lambda_v": 1.0e-2, "lambda_w": 4.6e-7}),
    "xor, 6 of 12": (_xor(6, 6, 6_400), 6, {"lambda_v": 1.9e-3, "lambda_w": 2.7e-6}),
    "clusters, 4 of 12": (_clusters, 4, {}),
}
TABLES = ("analcatdata_authorship", "biomed", "cmc", "credit_a", "phoneme", "splice", "waveform_21", "wdbc")


def measure(name: str) -> Cell:
    """Fit one model and have it explained, in a process of the environment that holds the others."""
    if name in DRAWN:
        load, n_relevant, penalties = DRAWN[name]
        X, y = load(0)
        relevant, settings = list(range(n_relevant)), {"n_iter": 1, **penalties} if penalties else {}
    else:
        data = sets.load(sets.public_folder(), name)
        X, y, relevant, settings = data.X, data.y, None, {}
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    scaler = StandardScaler().fit(X_train)
    engine = Engine("all", LIME.python(), {"PYTHONPATH": str(ROOT)}, RUNNER)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        arrays = {"X": scaler.transform(X_train), "y": y_train, "rows": scaler.transform(X_test)}
        path = save_arrays(Path(folder) / "arrays.npz", arrays)
        options = {"n_explained": N_EXPLAINED, "share_top": SHARE_TOP, "relevant": relevant, "settings": settings}
        return run(engine, "explain", path, **options)


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    names = [name for name in (*DRAWN, *TABLES) if name in cells]
    if not names:
        return ["Not measured yet."]
    versions = sentence(cells[names[0]]["versions"])
    return [
        f"Machine: {sentence(cells.machine)}. {versions}.",
        "",
        *_truth({name: cells[name] for name in names if name in DRAWN}),
        "",
        *_gaps({name: cells[name] for name in names if name in TABLES}),
        "",
        *_readers({name: cells[name] for name in names}),
    ]


def _truth(cells: dict[str, Cell]) -> list[str]:
    """Table of the drawn problems."""
    head = ["problem", "columns used", *(f"{way}: all that matter on top" for way in WAYS), f"ours {TRUTH_BAR:.0%}"]
    rows = []
    for name, cell in cells.items():
        found = [cell["ways"][way]["found"] for way in WAYS]
        passes = "yes" if found[0] >= TRUTH_BAR else "**NO**"
        rows.append([name, f"{cell['n_used']} of {cell['n_columns']}", *(f"{one:.1%}" for one in found), passes])
    return table(head, rows)


def _gaps(cells: dict[str, Cell]) -> list[str]:
    """Table of the public tables, and its last line: means, for times the median ratio."""
    head = ["table", "columns used", "prototypes"]
    head += [f"{what}, {way}" for what in ("top changed", "rest changed", "unstable") for way in WAYS]
    head += ["ms a row, ours", "KernelSHAP / ours", "LIME / ours"]
    rows, lines = [], []
    for name, cell in cells.items():
        measured = [cell["ways"][way][key] for key in ("gap_top", "gap_rest", "unstable") for way in WAYS]
        seconds = [cell["ways"][way]["seconds"] for way in WAYS]
        lines.append([*measured, 1_000 * seconds[0], seconds[1] / seconds[0], seconds[2] / seconds[0]])
        used = f"{cell['n_used']} of {cell['n_columns']}"
        rows.append([name, used, cell["n_prototypes"], *map(number, lines[-1])])
    if lines:
        columns = list(zip(*lines, strict=True))
        last = [*map(mean, columns[:9]), *map(median, columns[9:])]
        rows.append(["mean; times: median", "", "", *map(number, last)])
    return table(head, rows)


def _readers(cells: dict[str, Cell]) -> list[str]:
    """Table of what readers foresee."""
    keys = ("own", "neighbours", "rules", "random", "majority")
    head = ["table", "prototypes in one report", "report of the case itself", f"at least {READER_BAR:.0%}"]
    head += ["in reports of the first half", "five neighbours among these", "tree of depth 3 on these"]
    head += ["five neighbours, as many random rows", "most frequent answer"]
    rows, lines = [], []
    for name, cell in cells.items():
        found = cell["foreseen"]
        lines.append([found[key] for key in keys])
        own, *others = (f"{share:.1%}" for share in lines[-1])
        passes = "yes" if found["own"] >= READER_BAR else "**NO**"
        rows.append([name, f"{found['n_own']:g}", own, passes, found["n_shown"], *others])
    own, *others = (f"{mean(column):.1%}" for column in zip(*lines, strict=True))
    return table(head, [*rows, ["mean", "", own, "", "", *others]])


def main() -> None:
    """Measure what is missing and write the tables."""
    names = (*DRAWN, *TABLES)
    options = arguments(__doc__ or "", names, repeats=1)
    cells = Cells("faithfulness", fresh=options.fresh)
    for name in _at_hand(options.only):
        cells.fill(name, lambda name=name: measure(name))  # type: ignore[misc]
    write_section("faithfulness", section(cells))


def _at_hand(names: Iterable[str]) -> list[str]:
    """Leave out, with a word, the public tables that are not there."""
    there = sets.names_in(sets.public_folder())
    absent = [name for name in names if name in TABLES and name not in there]
    if absent:
        print(f"Not in {sets.public_folder()}: {', '.join(absent)}. {sets.SOURCE}.")
    return [name for name in names if name not in absent]


if __name__ == "__main__":
    main()
