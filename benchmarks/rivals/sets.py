"""The tables: any folder of gzip CSV files of numbers with a column ``target``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.public_data import data_folder, how_to_get

TARGET, SUFFIXES = "target", (".csv.gz", ".tsv.gz")
SETS = (
    "allhypo",
    "analcatdata_authorship",
    "appendicitis",
    "banana",
    "biomed",
    "breast_cancer",
    "clean1",
    "cmc",
    "corral",
    "credit_a",
    "hayes_roth",
    "heart_h",
    "hepatitis",
    "house_votes_84",
    "kr_vs_kp",
    "led7",
    "lymphography",
    "mux6",
    "page_blocks",
    "phoneme",
    "postoperative_patient_data",
    "ring",
    "soybean",
    "spambase",
    "splice",
    "tae",
    "waveform_21",
    "wdbc",
)
SOURCE = "Penn Machine Learning Benchmarks (PMLB), NAME.tsv.gz as it is, or gzip CSV of numbers with a column 'target'"
# What comes with scikit-learn, for who has no other table.
BUNDLED = {"bundled_cancer": load_breast_cancer, "bundled_digits": load_digits, "bundled_wine": load_wine}
TEST_SHARE = 0.3
SEEDS = (0, 1)
DRAWN = "drawn, 1,000 x 20"
DRAWN_ROWS = 1_429  # of which 1,000 are training rows

Arrays = dict[str, np.ndarray]


class SetError(ValueError):
    """A table that cannot take part, with the reason."""


@dataclass(frozen=True)
class TableSet:
    """One table.

    Attributes
    ----------
    name : str
        Name of its file, without the ending.
    X : ndarray of shape (n, D)
        Features.
    y : ndarray of shape (n,)
        Classes, 0 to K - 1.
    """

    name: str
    X: np.ndarray
    y: np.ndarray

    def split(self, seed: int) -> Arrays:
        """Split 70:30, stratified, and standardise the features on the training part."""
        X, X_test, y, y_test = train_test_split(
            self.X, self.y, test_size=TEST_SHARE, stratify=self.y, random_state=seed
        )
        scaler = StandardScaler().fit(X)
        return {"X": scaler.transform(X), "y": y, "X_test": scaler.transform(X_test), "y_test": y_test}


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the names of the tables in a folder, in alphabetical order."""
    return tuple(sorted({path.name[:-7] for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")}))


def load(folder: Path, name: str) -> TableSet:
    """Read one table.

    Raises
    ------
    SetError
        If it has no target, columns that are not finite numbers, or a class with a single row.
    """
    if name in BUNDLED:
        return TableSet(name, *BUNDLED[name](return_X_y=True))
    path = next(path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").exists())
    frame = pd.read_csv(path, sep="\t" if path.name.endswith(".tsv.gz") else ",")
    if TARGET not in frame:
        raise SetError(f"{name}: there is no column {TARGET!r}.")
    features = frame.drop(columns=TARGET)
    words = [str(column) for column in features if not _is_numbers(features[column])]
    if words:
        raise SetError(f"{name}: not finite numbers in {', '.join(words)}.")
    if frame[TARGET].isna().any():
        raise SetError(f"{name}: rows without a class.")
    classes, y = np.unique(frame[TARGET].to_numpy(), return_inverse=True)
    rare = [str(value) for value, count in zip(classes, np.bincount(y), strict=True) if count < 2]
    if rare or len(classes) < 2:
        raise SetError(
            f"{name}: a stratified split needs two classes, with two rows each. Too rare: {', '.join(rare)}."
        )
    return TableSet(name, features.to_numpy(dtype=np.float64), y)


def _is_numbers(column: pd.Series) -> bool:
    """Whether a column holds finite numbers only."""
    return pd.api.types.is_numeric_dtype(column) and bool(np.isfinite(column.to_numpy(dtype=np.float64)).all())


def missing(folder: Path) -> str | None:
    """Say which of the public sets are not in a folder, and how to get them; None if all are there."""
    absent = [f"{name}{SUFFIXES[0]}" for name in SETS if name not in names_in(folder)]
    return how_to_get(absent, folder, SOURCE) if absent else None


def public_folder() -> Path:
    """Return where the public sets are looked for: ``pmlb`` in the folder with the data of all benchmarks."""
    return data_folder() / "pmlb"


def drawn() -> TableSet:
    """Draw the table that the quick fit is timed with; its log-loss does not count."""
    X, y = make_classification(n_samples=DRAWN_ROWS, n_features=20, n_informative=8, random_state=0)
    return TableSet(DRAWN, X, y)


def describe(table: TableSet) -> dict[str, int]:
    """Return rows, columns and classes of a table."""
    n_rows, n_columns = table.X.shape
    return {"rows": n_rows, "columns": n_columns, "classes": int(table.y.max()) + 1}


def chosen(folder: Path, only: Sequence[str] | None) -> tuple[str, ...]:
    """Return the tables to measure: all of a folder (the bundled ones if it has none), or those that are named."""
    names = names_in(folder) or tuple(BUNDLED)
    unknown = [name for name in only or () if name not in names]
    if unknown:
        raise SystemExit(f"There is no {unknown[0]}{SUFFIXES[0]} in {folder}; there are {', '.join(names)}.")
    return tuple(name for name in names if not only or name in only)
