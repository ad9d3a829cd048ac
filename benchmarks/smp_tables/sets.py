"""The tables at hand: files of numbers and words with a column ``target`` of two classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.public_data import data_folder

FOLDER = data_folder()
TARGET, SUFFIX = "target", ".csv.gz"


def path_of(name: str, folder: Path = FOLDER) -> Path | None:
    """Return where a table is, or None if it is not at hand."""
    places = (folder / f"{name}{SUFFIX}", folder / "openml_two_class" / f"{name}{SUFFIX}")
    return next((place for place in places if place.exists()), None)


def load(path: Path, *, words: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Read a table.

    Parameters
    ----------
    path : Path
        The file.
    words : bool
        Whether columns of words become one column for each of their values; otherwise they are left out, identifiers
        among them. Columns with a value of their own in every row are identifiers, and always left out.

    Returns
    -------
    X : ndarray of shape (n, D)
        Features.
    y : ndarray of int64, shape (n,)
        Classes, 0 and 1.
    """
    frame = pd.read_csv(path)
    y = np.unique(frame.pop(TARGET).to_numpy(), return_inverse=True)[1]
    told = frame.select_dtypes("number")
    if words:
        others = frame.drop(columns=told.columns)
        told = told.join(pd.get_dummies(others[[name for name in others if others[name].nunique() < len(others)]]))
    return told.to_numpy(np.float64), y.astype(np.int64)


def halves(
    X: np.ndarray, y: np.ndarray, seed: int, *, whole: bool = False, shares: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Split in two halves.

    Parameters
    ----------
    X, y : ndarray
        As :func:`load` returns them.
    seed : int
        Draws the halves.
    whole : bool
        Whether features are standardised on the whole table, before it is split; otherwise on the first half.
    shares : bool
        Whether both halves have the same class shares.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarray
        Features and classes of each half.
    """
    if whole:
        X = StandardScaler().fit_transform(X)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y if shares else None, random_state=seed)
    if whole:
        return X, y, X_test, y_test
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test
