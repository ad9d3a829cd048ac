"""The tables of the paper as numbers: one-hot words, missing rows left out, the columns that the paper counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from benchmarks.public_data import TABLES, data_folder, how_to_get

FOLDER = data_folder()
Kind = Literal["regression", "classification"]
Frame = pd.DataFrame


@dataclass(frozen=True)
class TableSet:
    """One table.

    Attributes
    ----------
    name : str
        What the paper calls it.
    kind : {"regression", "classification"}
        What is predicted.
    X : ndarray of shape (n, D)
        Features, words as one column for each value.
    y : ndarray of shape (n,)
        Target; -1 and +1 for two classes.
    columns : tuple of tuple of int
        Matrix columns of every column of the table.
    order : ndarray of shape (n, columns)
        Every column of the table as numbers to sort by; words by how often they occur.
    scaled : bool
        Whether the columns were scaled by all rows, and stay as they are wherever rows are taken.
    """

    name: str
    kind: Kind
    X: np.ndarray
    y: np.ndarray
    columns: tuple[tuple[int, ...], ...]
    order: np.ndarray
    scaled: bool = False

    def halves(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw two halves of the rows: learned from, and held out."""
        shuffled = np.random.default_rng(seed).permutation(len(self.y))
        return shuffled[: len(self.y) // 2], shuffled[len(self.y) // 2 :]


def as_numbers(name: str, kind: Kind, frame: Frame, target: str) -> TableSet:
    """Turn a table without missing values into a set.

    Examples
    --------
    >>> frame = pd.DataFrame({"colour": ["red", "blue", "red"], "size": [1, 2, 3], "sold": ["no", "yes", "yes"]})
    >>> one = as_numbers("shop", "classification", frame, "sold")
    >>> one.columns, one.y.tolist()
    (((0, 1), (2,)), [-1.0, 1.0, 1.0])
    """
    features = frame.drop(columns=target)
    blocks: list[np.ndarray] = []
    columns: list[tuple[int, ...]] = []
    order: list[np.ndarray] = []
    for column in features:
        cells = features[column]
        if pd.api.types.is_numeric_dtype(cells):
            block = cells.to_numpy(dtype=np.float64)[:, None]
            key = block[:, 0]
        else:
            block = pd.get_dummies(cells.astype(str)).to_numpy(dtype=np.float64)
            key = cells.map(cells.value_counts()).to_numpy(dtype=np.float64)
        first = sum(one.shape[1] for one in blocks)
        columns.append(tuple(range(first, first + block.shape[1])))
        blocks.append(block)
        order.append(key)
    y = frame[target].to_numpy()
    if kind == "classification":
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) != 2:
            raise ValueError(f"{name}: two classes are needed, and there are {len(classes)}.")
        y = 2.0 * codes - 1.0
    return TableSet(name, kind, np.hstack(blocks), y.astype(np.float64), tuple(columns), np.column_stack(order))


def _read(file: str) -> Frame:
    """Read a file of the folder with the data."""
    return pd.read_csv(FOLDER / f"{file}.csv.gz")


def _air_quality() -> Frame:
    """Predict CO, as its published R2 of .905 by a straight line asks for; benzene would follow from one sensor.

    Rows without CO or sensors go (7,344 stay, the paper has 7,355); NOx and NO2 are filled in between hours.
    """
    frame = _read("air_quality").drop(columns=["Date", "Time", "NMHC(GT)"])
    gases = ["NOx(GT)", "NO2(GT)"]
    frame[gases] = frame[gases].interpolate(limit_direction="both")
    return frame.dropna()


def _auto_mpg() -> Frame:
    """Read it; origin is a word: three columns."""
    frame = _read("auto_mpg").drop(columns="name").dropna()
    return frame.assign(origin=frame["origin"].astype(str))


def _california() -> Frame:
    """Take ratios per household, as scikit-learn has them: a straight line has the published R2 on these only."""
    frame = _read("california_housing")
    households = frame["households"]
    return Frame(
        {
            "MedInc": frame["medianIncome"],
            "HouseAge": frame["housingMedianAge"],
            "AveRooms": frame["totalRooms"] / households,
            "AveBedrms": frame["totalBedrooms"] / households,
            "Population": frame["population"],
            "AveOccup": frame["population"] / households,
            "Latitude": frame["latitude"],
            "Longitude": frame["longitude"],
            "value": frame["medianHouseValue"],
        }
    )


def _breast_cancer() -> Frame:
    """Take the set that comes with scikit-learn."""
    bunch = load_breast_cancer(as_frame=True)
    frame: Frame = bunch.frame
    return frame


@dataclass(frozen=True)
class Source:
    """Where a set of the paper comes from."""

    kind: Kind
    read: Callable[[], Frame]
    target: str


SOURCES: dict[str, Source] = {
    "abalone": Source("regression", lambda: _read("abalone"), "rings"),
    "airquality": Source("regression", _air_quality, "CO(GT)"),
    "autompg": Source("regression", _auto_mpg, "mpg"),
    "california": Source("regression", _california, "value"),
    "concrete": Source("regression", lambda: _read("concrete"), "compressive_strength"),
    "cpu-small": Source("regression", lambda: _read("cpu_small"), "target"),
    "wine-red": Source("regression", lambda: _read("wine_quality_red"), "quality"),
    "wine-white": Source("regression", lambda: _read("wine_quality_white"), "quality"),
    "breast-cancer": Source("classification", _breast_cancer, "target"),
    "diabetes": Source("classification", lambda: _read("pima_diabetes"), "target"),
    "eeg-eye-state": Source("classification", lambda: _read("eeg_eye_state"), "target"),
    "german-credit": Source("classification", lambda: _read("german_credit"), "target"),
    "higgs-10k": Source("classification", lambda: _read("higgs_10k"), "target"),
}
# A set whose columns are scaled by all rows before it is split, beside the set that it is made of.
WHOLE = {"eeg-eye-state, scaled as a whole": "eeg-eye-state"}
SOURCES |= {name: SOURCES[source] for name, source in WHOLE.items()}
NOT_AT_HAND = ("qm9-10k", "superconductor")


@cache
def load(name: str) -> TableSet:
    """Read a set; say so if its file is not there."""
    if name in WHOLE:
        table = load(WHOLE[name])
        return replace(table, name=name, X=scale(table.X), scaled=True)
    source = SOURCES[name]
    try:
        frame = source.read()
    except FileNotFoundError as error:
        raise SystemExit(how_to_get([Path(str(error.filename)).name], FOLDER, TABLES)) from error
    return as_numbers(name, source.kind, frame, source.target)


def cosines(kind: Kind, n: int, p: int, seed: int) -> TableSet:
    """Draw the paper's made data: y = 5 cos(X) u, then X is turned by a random rotation.

    The rotation stands in the authors' program only. Without it every column has an effect of its own, which trees
    find: XGBoost would not stay at the published R2 of .025.

    Examples
    --------
    >>> cosines("classification", 100, 5, 0).X.shape
    (100, 5)
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    u = rng.normal(size=p)
    y = 5.0 * np.cos(X) @ (u / np.linalg.norm(u))
    y -= y.mean()
    if kind == "classification":
        y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-y)), 1.0, -1.0)
    X = X @ np.linalg.qr(rng.normal(size=(p, p)))[0]
    return TableSet(f"synth-cos-{kind[0]}", kind, X, y, tuple((k,) for k in range(p)), X)
