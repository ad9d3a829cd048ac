"""Split of the rows: those a model learns from, and those held out to judge it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import count_words, shown
from proset.data.split_columns import check_split_columns, group_codes, time_values
from proset.data.split_parts import group_times, hold_out_groups, hold_out_latest, share_of
from proset.data.target import FEWEST_CLASS_ROWS, check_classes

SMALLEST_FRACTION, LARGEST_FRACTION = 0.1, 0.5
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class SplitSettings:
    """Settings of a split.

    Attributes
    ----------
    test_fraction : float
        Share of each class that is held out, from 0.1 to 0.5; split by time, the share of all rows.
    seed : int
        Start of the random stream, from 0 to 2**32 - 1; the same seed gives the same split.
    groups : str or None
        Column whose rows of one value stay together, such as the number of a customer.
    time : str or None
        Column of dates or numbers by which the latest rows are held out; nothing is drawn by chance then.
    file_order : bool
        Whether the order of the rows in the file is their time: the last ones are held out.

    Raises
    ------
    StudyError
        If a value is outside its range.

    Examples
    --------
    >>> SplitSettings(test_fraction=0.25).words
    '25 % of each class, drawn at random, seed 0'
    >>> SplitSettings(groups="customer", time="day").words
    "the latest 30 % by 'day', rows with the same 'customer' together"
    >>> SplitSettings(file_order=True).words
    'the last 30 % of the file'
    """

    test_fraction: float = 0.3
    seed: int = 0
    groups: str | None = None
    time: str | None = None
    file_order: bool = False

    @property
    def by_time(self) -> bool:
        """Tell whether the latest rows are held out: nothing is drawn by chance then."""
        return self.file_order or self.time is not None

    @property
    def words(self) -> str:
        """The rows held out, to follow "held out:"."""
        return self.words_for(number=False)

    def words_for(self, *, number: bool | None) -> str:
        """Say the same, of classes or of a number, which is divided by its thirds; None while there is no target.

        Examples
        --------
        >>> SplitSettings().words_for(number=True)
        '30 % of each third of the numbers, drawn at random, seed 0'
        >>> SplitSettings().words_for(number=None)
        '30 % of the rows, drawn at random, seed 0'
        """
        whose = {True: "of each third of the numbers", False: "of each class", None: "of the rows"}[number]
        share = f"{100 * self.test_fraction:g} %"
        if self.by_time:
            same = "" if self.groups is None else f", rows with the same '{shown(self.groups)}' together"
            which = f"last {share} of the file" if self.time is None else f"latest {share} by '{shown(self.time)}'"
            return f"the {which}{same}"
        if self.groups is not None:
            about = f"about {share} {whose}, rows with the same '{shown(self.groups)}' together"
            return f"{about}, drawn at random, seed {self.seed}"
        return f"{share} {whose}, drawn at random, seed {self.seed}"

    def __post_init__(self) -> None:
        fraction, seed = self.test_fraction, self.seed
        number = isinstance(fraction, (int, float, np.floating)) and math.isfinite(fraction)
        if not number or not SMALLEST_FRACTION <= fraction <= LARGEST_FRACTION:
            raise StudyError(
                f"The share of held-out rows is {fraction!r};"
                f" it has to be from {SMALLEST_FRACTION} to {LARGEST_FRACTION}.",
                hint="0.3 is a good start.",
                parameter="test_fraction",
                called="The share of held-out rows",
            )
        whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        if not whole or not 0 <= seed <= LARGEST_SEED:
            raise StudyError(
                f"The seed of the split is {seed!r}; it has to be a whole number from 0 to {LARGEST_SEED}.",
                hint="0 is a good start.",
            )
        for name in ("groups", "time"):
            column = getattr(self, name)
            if column is not None and not isinstance(column, str):
                raise StudyError(f"The column for {name} of the split is {column!r}; it has to be a name or None.")
        if self.file_order not in (True, False):
            raise StudyError(
                f"Whether the file's order is the time is {self.file_order!r}; it has to be true or false."
            )
        if self.file_order and self.time is not None:
            raise StudyError(
                f"The latest rows are asked for by '{shown(self.time)}' and by the order of the file.",
                column=self.time,
                hint="Choose one of the two.",
            )
        if self.groups is not None and self.groups == self.time:
            raise StudyError(
                f"'{shown(self.groups)}' is asked to keep rows together and to order them by time.",
                column=self.groups,
                hint="Choose it for one of the two; rows of one time stay together anyway.",
            )


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of a table in three parts.

    Attributes
    ----------
    train, held_out, unlabelled : ndarray of int64
        Row ids, ascending; together all rows, each once. Unlabelled rows have no target value and are set aside.
    settings : SplitSettings
        How the split was made.
    """

    train: NDArray[np.int64]
    held_out: NDArray[np.int64]
    unlabelled: NDArray[np.int64]
    settings: SplitSettings

    @property
    def measured(self) -> NDArray[np.int64]:
        """The rows that a model is measured on: held-out ones, or the training rows if none were held out."""
        return self.held_out if len(self.held_out) else self.train


def split_rows(labels: pd.Series, settings: SplitSettings | None = None, *, frame: pd.DataFrame | None = None) -> Split:
    """Split rows class by class at random, in whole groups, or by time.

    At random, every class gives its share of held-out rows, rounded, but at least one, and keeps at least three for
    training. scikit-learn's stratified splitters share out the total over classes and can leave a small class without
    a held-out row, which is why the few lines are written out here.

    With groups, rows of one group are never divided, and the shares are met as nearly as that allows; a row without a
    group is one of its own. With a time, the latest rows are held out, and rows of one time stay together; a row whose
    time is missing can be neither and is set aside; where the order of the file is the time, the last rows are held
    out. With both, a group goes where its latest row belongs, so that
    nothing is learned from rows later than the cut.

    Parameters
    ----------
    labels : Series of str
        Class labels, index row; missing where the row has none.
    settings : SplitSettings or None
        None takes the defaults.
    frame : DataFrame or None
        Has the columns for groups and time that the settings name; same index as `labels`.

    Returns
    -------
    Split
        Depends on labels, row ids, settings and the columns they name only, not on the order of the rows.

    Raises
    ------
    RoleError
        If there are fewer than two classes, or a class has too few rows.
    StudyError
        If a column of the settings is not there, or cannot be split by.

    Examples
    --------
    >>> labels = pd.Series(["a"] * 10 + ["b"] * 10 + [None], index=range(1, 22))
    >>> split = split_rows(labels, SplitSettings(test_fraction=0.3))
    >>> len(split.train), len(split.held_out), split.unlabelled.tolist()
    (14, 6, [21])
    >>> frame = pd.DataFrame({"year": [1990 + i % 10 for i in range(21)]}, index=labels.index)
    >>> split_rows(labels, SplitSettings(time="year"), frame=frame).held_out.tolist()
    [8, 9, 10, 18, 19, 20]
    """
    settings = settings or SplitSettings()
    check_classes(labels)
    groups, times = _split_columns(labels, settings, frame)
    rows = labels.index.to_numpy(dtype=np.int64)
    labelled = labels.notna().to_numpy()
    if times is not None and settings.time is not None:
        labelled = labelled & np.isfinite(times)
        _check_left(labels, labelled, settings)
    order = np.argsort(rows[labelled], kind="stable")
    ids = rows[labelled][order]
    codes, classes = pd.factorize(labels[labelled].to_numpy(dtype=object)[order], sort=True)
    # Numbered in the order of the row ids, so that the order of the rows does not matter.
    own_groups = None if groups is None else pd.factorize(groups[labelled][order])[0].astype(np.int64)
    own_times = None if times is None else times[labelled][order]
    held_out = _held_out(codes.astype(np.int64), [str(name) for name in classes], settings, own_groups, own_times)
    return Split(ids[~held_out], ids[held_out], np.sort(rows[~labelled]), settings)


def _held_out(
    codes: NDArray[np.int64],
    classes: list[str],
    settings: SplitSettings,
    groups: NDArray[np.int64] | None,
    times: NDArray[np.float64] | None,
) -> NDArray[np.bool_]:
    """Mark the rows that are held out."""
    fraction = settings.test_fraction
    if times is not None:
        if groups is not None:
            times = group_times(groups, times)
        return hold_out_latest(codes, times, fraction, classes=classes, column=settings.time)
    rng = np.random.default_rng(settings.seed)
    if groups is not None:
        return hold_out_groups(codes, groups, fraction, rng, classes=classes, column=str(settings.groups))
    held_out = np.zeros(len(codes), dtype=bool)
    for code in range(len(classes)):
        members = rng.permutation(np.flatnonzero(codes == code))
        held_out[members[: share_of(len(members), fraction)]] = True
    return held_out


def _split_columns(
    labels: pd.Series, settings: SplitSettings, frame: pd.DataFrame | None
) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
    """Read the columns for groups and time; the order of the file is that of the row ids."""
    in_order = labels.index.to_numpy(dtype=np.float64) if settings.file_order else None
    if settings.groups is None and settings.time is None:
        return None, in_order
    held = pd.DataFrame(index=labels.index) if frame is None else frame
    target = None if labels.name is None else str(labels.name)
    check_split_columns(held, target, groups=settings.groups, time=settings.time)
    held = held.loc[labels.index]
    groups = None if settings.groups is None else group_codes(held[settings.groups])
    return groups, in_order if settings.time is None else time_values(held[settings.time])


def earlier_rows(target: pd.Series, settings: SplitSettings, frame: pd.DataFrame) -> pd.Index:
    """Return the rows with a target that lie before the latest ones, whatever classes will be made of it.

    Parameters
    ----------
    target : Series
        The target as it was read, index row.
    settings : SplitSettings
        Of the split; one that draws rows by chance is no reason to leave any out.
    frame : DataFrame
        Has the columns of the split; same index as `target`.

    Returns
    -------
    Index
        All rows with a target where none are the latest, or where the rows cannot be split in this way.

    Examples
    --------
    >>> target = pd.Series([1.5, None, 2.5, 3.5, 9.5, 9.9, 7.5, 8.5], index=range(1, 9), name="dose")
    >>> earlier_rows(target, SplitSettings(0.3, file_order=True), target.to_frame()).tolist()
    [1, 3, 4, 5, 6]
    """
    known = target.notna()
    rows = target.index[known]
    if not settings.by_time:
        return rows
    try:
        groups, times = _split_columns(target, settings, frame)
        assert times is not None
        usable = known.to_numpy() & np.isfinite(times)
        own = None if groups is None else pd.factorize(groups[usable])[0].astype(np.int64)
        codes = np.zeros(int(usable.sum()), dtype=np.int64)
        late = _held_out(codes, [str(target.name)], settings, own, times[usable])
    except (StudyError, ValueError):  # said where the rows are split
        return rows
    return target.index[usable][~late]


def _check_left(labels: pd.Series, labelled: NDArray[np.bool_], settings: SplitSettings) -> None:
    """Refuse a column of times that is missing for so many rows that the classes cannot be learned."""
    left = labels[labelled].value_counts()
    for name, count in labels.value_counts().items():
        kept = int(left.get(name, 0))
        if kept < FEWEST_CLASS_ROWS:
            raise StudyError(
                f"'{shown(settings.time)}' is missing in {count_words(int(count) - kept, 'row')} of class"
                f" '{shown(name)}', which leaves {kept:,} that can be split by time.",
                column=settings.time,
                hint="Split by another column, or at random.",
            )
