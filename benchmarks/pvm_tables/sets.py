"""The tables and the digits: what is at hand of the paper's data, and how it is split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.public_data import TABLES, USPS, data_folder, how_to_get

FOLDER = data_folder()
TARGET = "target"
SPLITS = 20
FOLDS = 10
IMAGE = 16  # pixels of a digit, along either side

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class TableSet:
    """One table of numbers with its classes.

    Attributes
    ----------
    name : str
        As in table 2 of the paper.
    X : ndarray of shape (n, D)
        Features.
    y : ndarray of shape (n,)
        Classes, 0 to K - 1.
    """

    name: str
    X: np.ndarray
    y: np.ndarray

    def split(self, seed: int) -> Arrays:
        """Draw two thirds of the rows for training, and standardise the features on these."""
        X, X_test, y, y_test = train_test_split(
            self.X, self.y, train_size=round(2 * len(self.y) / 3), random_state=seed
        )
        scaler = StandardScaler().fit(X)
        return {"X": scaler.transform(X), "y": y, "X_test": scaler.transform(X_test), "y_test": y_test}


FILES = {
    "Diabetes": "pima_diabetes",
    "Glass": "glass",
    "Heart": "heart_statlog",
    "Liver": "liver_bupa",
    "Vowel": "vowel",
}
NAMES = (*FILES, "Wine")


def load(name: str) -> TableSet:
    """Read one of the six tables; of Vowel the training rows of its own split, as the size in the paper says."""
    if name == "Wine":
        wine = load_wine()
        return TableSet(name, wine.data, wine.target)
    frame = _read(FILES[name])
    if name == "Vowel":
        frame = frame[frame["split"] == "Train"].drop(columns=["split", "speaker", "sex"])
    y = np.unique(frame[TARGET].to_numpy(), return_inverse=True)[1]
    return TableSet(name, frame.drop(columns=TARGET).to_numpy(dtype=np.float64), y)


def digits() -> Arrays:
    """Read the digits with their own split: 7,291 to learn from and 2,007 to test."""
    train, test = _read("usps_train"), _read("usps_test")
    y, y_test = (frame.pop(TARGET).to_numpy(dtype=np.int64) for frame in (train, test))
    return {"X": train.to_numpy(np.float64), "y": y, "X_test": test.to_numpy(np.float64), "y_test": y_test}


def folds(y: np.ndarray, seed: int) -> np.ndarray:
    """Give every row the number of the fold that it is held out in; rows of rare classes are dealt out in turn."""
    found = np.empty(len(y), dtype=np.int64)
    cut = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    common = np.bincount(y)[y] >= FOLDS  # what is rarer is dealt out in turn
    for number, (_, held_out) in enumerate(cut.split(np.flatnonzero(common), y[common])):
        found[np.flatnonzero(common)[held_out]] = number
    rare = np.random.default_rng(seed).permutation(np.flatnonzero(~common))
    found[rare] = np.arange(len(rare)) % FOLDS
    return found


def _read(file: str) -> pd.DataFrame:
    """Read one file of the folder with the data."""
    path = FOLDER / f"{file}.csv.gz"
    if not path.exists():
        raise SystemExit(how_to_get([path.name], FOLDER, USPS if file.startswith("usps") else TABLES))
    return pd.read_csv(path)
