"""The answer of a regressor for one case: its distribution as a sum of what prototypes say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from proset.common.notebook import Displayed
from proset.common.words import alike, count_words, shown
from proset.engine.density_tables import density_lines
from proset.engine.evidence.dominant_median import dominant_of_median
from proset.engine.evidence.tables import Labels
from proset.engine.mixtures.distribution import PredictedDistribution, central_levels
from proset.engine.mixtures.mixture import HEIGHT, Mixture
from proset.engine.mixtures.units import TargetUnits
from proset.explain.numbers.contrasts import apart_words, spread_words, to_width
from proset.explain.numbers.number_case import NumberCase, NumberExplained, number_case

N_PLACES = 301
_COLUMNS = [
    "batch",
    "sample",
    "name",
    "target",
    "adjustment",
    "says",
    "spread",
    "similarity",
    "impact",
    "share",
    "dominant",
]
_FAR = 0.002  # of the distribution on either side is not shown
_MOVED = 0.1  # standard deviations of the target; of one that is bent, around its middle


@dataclass(frozen=True, eq=False)
class NumberAnswer(Displayed):
    """Distribution of one case, and which prototypes it is made of.

    All numbers are in units of the target.

    Attributes
    ----------
    name : str
        What the case is called.
    stated : float or None
        Its actual value, where that is known.
    mean, median : float
        Of the distribution.
    coverage : float
        Probability, in (0, 1), of the central interval.
    lower, upper : float
        Its ends.
    familiarity : float
        Total impact of the prototypes (4.5); what everybody says has impact 1.
    everybody : float
        Share, in [0, 1], that the distribution of all training targets has in the answer.
    moved : float
        How far the median may go before it counts as moved.
    prototypes : DataFrame
        One line per prototype by descending impact, index from 0: ``batch``, ``sample`` (row id in a study's table,
        else its row in the training data), ``name``, ``target`` (its own), ``adjustment`` (for what tells the case from
        it), ``says`` (their sum), ``spread``, ``similarity``, ``impact``, ``share`` (in the answer), ``dominant``
        (whether it is one of the fewest that hold the median, whichever of the others were taken away).
    adjustments : DataFrame
        The same lines, one column per feature (of a study, per column of its table): their sum is ``adjustment``.
    cells, own_cells : DataFrame
        Values of the same lines, and of the case, in the features in use: numbers, dates and words of a study's table.
    places : ndarray of shape (G,)
        Where the densities are stated, ascending.
    density : ndarray of shape (G,)
        The density (R1).
    humps : ndarray of shape (S, G)
        Its parts, which sum to it: those of the first ``n_shown`` prototypes, of all others, of everybody.
    n_shown : int
        Prototypes with a part of their own: S - 2.
    row : int or None
        Row id of the case in a study's table.
    calibrated : bool
        Whether the ends of the interval are calibrated.
    learned : (float, float) or None
        Least and greatest number of the training rows; None beside a model, which does not know them.
    """

    name: str
    stated: float | None
    mean: float
    median: float
    coverage: float
    lower: float
    upper: float
    familiarity: float
    everybody: float
    moved: float
    prototypes: pd.DataFrame
    adjustments: pd.DataFrame
    cells: pd.DataFrame
    own_cells: pd.DataFrame
    places: NDArray[np.float64]
    density: NDArray[np.float64]
    humps: NDArray[np.float64]
    n_shown: int
    row: int | None = None
    calibrated: bool = False
    learned: tuple[float, float] | None = None

    @property
    def width(self) -> float:
        """Width of the interval: which digits matter."""
        return self.upper - self.lower

    @property
    def coverage_words(self) -> str:
        """Probability of the interval in words: ``90 %``, or ``90 % (calibrated)``."""
        return f"{100 * self.coverage:g} %{' (calibrated)' if self.calibrated else ''}"

    @property
    def words(self) -> str:
        """The answer in a sentence or two."""
        lower, upper = to_width(self.lower, self.width), to_width(self.upper, self.width)
        text = f"About {to_width(self.median, self.width)}; {self.coverage_words} between {lower} and {upper}."
        held = int(self.prototypes["dominant"].sum())
        if held:
            who = (
                "The prototype that counts most holds" if held == 1 else f"The {held:,} prototypes that count most hold"
            )
            text += f" {who} it within {spread_words(self.moved)}, whichever of the others were taken away."
        elif len(self.prototypes):
            text += f" Whatever became of the prototypes, it would stay within {spread_words(self.moved)}."
        return f"{text} {self.beyond_words}".rstrip()

    @property
    def beyond_words(self) -> str:
        """A warning where the median lies outside of all numbers that were learned; empty where it does not."""
        if self.learned is None or self.learned[0] <= self.median <= self.learned[1]:
            return ""
        least, most = (to_width(value, self.width, digits=4) for value in self.learned)
        ends = f"less than {least}" if self.median < self.learned[0] else f"more than {most}"
        return f"No row that the model has learned from has {ends}: it carries on what it saw, where it saw nothing."

    def said_by(self, place: int) -> str:
        """Say what one prototype says, and why not its own target: the columns that adjust it most.

        Parameters
        ----------
        place : int
            Its line in `prototypes`.
        """
        line, parts = self.prototypes.iloc[place], self.adjustments.iloc[place]
        name, spread = shown(str(line["name"])), spread_words(float(line["spread"]))
        said, own = to_width(float(line["says"]), self.width), to_width(float(line["target"]), self.width, digits=4)
        if self.row is not None and int(line["sample"]) == self.row:
            return f"{name} is this case itself: it has {own}, give or take {spread}."
        least = 0.05 * float(line["spread"])
        largest = parts[parts.abs() > least].abs().nlargest(3).index
        moves = [(self.apart(place, str(column)), float(parts[column])) for column in largest]
        others = parts.drop(largest)
        # What is named adds up to what it says, as far as both are written out.
        named = to_width(float(line["target"]) + float(parts[largest].sum()), self.width)
        if abs(rest := float(others.sum())) > least or (rest and named != said):
            moves.append((count_words(int((others != 0.0).sum()), "other column"), float(others.sum())))
        written = alike([by for _, by in moves], sign=True)
        listed = ", ".join(f"{apart}: {by}" for (apart, _), by in zip(moves, written, strict=True))
        why = f"; in this case {listed}" if moves else ""
        return f"{name} has {own}{why}; so it says {said}, give or take {spread}."

    def apart(self, place: int, column: str) -> str:
        """Say what the case has in a column that a prototype has not."""
        if column not in self.cells.columns:
            return shown(column)
        return apart_words(column, self.own_cells[column].iloc[0], self.cells[column].iloc[place])

    def to_frame(self) -> pd.DataFrame:
        """Return the prototypes, see `prototypes`."""
        return self.prototypes.copy()


def number_answer(
    explained: NumberExplained,
    case: Any,
    y: float | None = None,
    *,
    name: str | None = None,
    coverage: float = 0.9,
    moved: float | None = None,
    n_shown: int = 6,
    places: NDArray[np.float64] | None = None,
) -> NumberAnswer:
    """Take the answer of a model of a number for one case apart.

    Parameters
    ----------
    explained : RegressorModel or NumberStudy
        Fitted.
    case : Case, int, DataFrame, or array-like of shape (D,) or (1, D)
        A row id, a row as a frame, or a case beside a study; a row of the matrix beside a model.
    y : float or None
        Its actual value, if that is known; None takes the one that its row in the table has, if any.
    name : str or None
        What to call it; None for its identifier or row number beside a study.
    coverage : float, default=0.9
        Of the central interval, in (0, 1).
    moved : float or None
        How far the median may go before it counts as moved, more than 0; None for a tenth of ``study.unit``.
    n_shown : int, default=6
        Prototypes with a part of their own in `humps`, at least 0.
    places : ndarray of shape (G,), or None
        Where the densities are stated, ascending; None for 301 even steps over nearly all of the distribution and the
        actual value.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If the case is not one row of finite numbers, belongs to another study, or an option is out of its range.
    StudyError
        If the table has no such row.
    TypeError
        If it is no model of a number.

    Examples
    --------
    >>> from proset import RegressorModel
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> y = 100.0 + 10.0 * X[:, 0] + np.random.default_rng(0).normal(size=200)
    >>> found = number_answer(RegressorModel(random_state=0).fit(X, y), [1.0])
    >>> round(found.median), bool(abs(found.humps.sum(axis=0) - found.density).max() < 1e-12)
    (110, True)
    """
    given = number_case(explained, case, name=name)
    shift = _MOVED * given.model.units_.step if moved is None else float(moved)
    if not shift > 0.0 or n_shown < 0:
        raise ValueError("moved has to be more than 0, and n_shown at least 0.")
    stated = given.known_number() if y is None else float(y)
    found = given.distribution
    table, mixture, adjustments = _lines(given)
    order, n = np.argsort(-table["impact"].to_numpy(), kind="stable"), len(table)
    median = float(found.quantile(0.5)[0])
    places = _places(found, stated) if places is None else np.asarray(places, dtype=np.float64)
    parts, first, others = _parts(mixture, places, given.model.units_), order[:n_shown], order[n_shown:]
    ends = given.model.units_.inward(median + np.array([-shift, shift]))
    table["dominant"] = _held(mixture, table["impact"].to_numpy(), ends)
    lines, own, cells = _named(given, table, order)
    levels = central_levels(coverage) if given.study is None else given.study.levels(coverage)
    lower, upper = found.quantile(levels)[0]
    return NumberAnswer(
        name=given.name,
        stated=stated,
        mean=float(found.mean[0]),
        median=median,
        coverage=coverage,
        lower=float(lower),
        upper=float(upper),
        familiarity=float(table["impact"].sum()),
        everybody=float(mixture.weights[0, n:].sum()),
        moved=shift,
        prototypes=lines,
        adjustments=adjustments.loc[order].reset_index(drop=True),
        cells=cells,
        own_cells=own,
        places=places,
        density=parts.sum(axis=0),
        humps=np.vstack([parts[first], parts[others].sum(axis=0), parts[n:].sum(axis=0)]),
        n_shown=len(first),
        row=None if given.case is None else given.case.row,
        calibrated=levels != central_levels(coverage),
        learned=_learned(given),
    )


def _learned(given: NumberCase) -> tuple[float, float] | None:
    """Return the least and the greatest number of the training rows, as far as they are known."""
    if given.study is None:
        return None
    numbers = given.study.targets.reindex(given.study.split.train)
    return float(numbers.min()), float(numbers.max())


def _lines(given: NumberCase) -> tuple[pd.DataFrame, Mixture, pd.DataFrame]:
    """Return what relates the case to each prototype, batch after batch: numbers, the mixture, adjustments."""
    manager, x, model = given.model.set_manager_, given.x, given.model
    columns = [f"x{j}" for j in range(len(x))]
    labels = Labels([], columns, lambda _, values: values, lambda samples: [str(sample) for sample in samples])
    table, mixture, _, _ = density_lines(manager, labels, x, model.units_)
    return table, mixture, given.adjustments


def _places(found: PredictedDistribution, stated: float | None) -> NDArray[np.float64]:
    """Return where the densities are stated: nearly all of the distribution, and the actual value."""
    low, high = found.quantile([_FAR, 1.0 - _FAR])[0]
    seen = [value for value in (float(low), float(high), stated) if value is not None]
    return np.linspace(min(seen), max(seen), N_PLACES)


def _named(
    given: NumberCase, table: pd.DataFrame, order: NDArray[np.intp]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the prototypes in an order, with rows and names, and the values of the case and of the prototypes."""
    samples = table["sample"].to_numpy(dtype=np.int64)[order]
    rows, names = given.samples(samples)
    lines = table.iloc[order].assign(sample=pd.array(rows, dtype="Int64"), name=pd.Series(names, order, dtype="str"))
    return lines[_COLUMNS].reset_index(drop=True), *given.cells(samples, given.prototypes[order])


def _parts(mixture: Mixture, places: NDArray[np.float64], units: TargetUnits) -> NDArray[np.float64]:
    """Return the density of every component at each place, in units of the target, times its weight, shape (C, G)."""
    inward, spreads = units.inward(places), mixture.spreads[:, None]
    z = (inward - mixture.means[0][:, None]) / spreads
    return np.asarray(mixture.weights[0][:, None] * HEIGHT * np.exp(-0.5 * z * z) / spreads) / units.slopes(inward)


def _held(mixture: Mixture, impact: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which prototypes hold the median between two ends, standardised."""
    n = len(impact)
    rest = mixture.weights[0, n:] / mixture.weights[0, n:].sum()
    low, high = (ndtr((end - mixture.means[0]) / mixture.spreads) for end in ends)
    return dominant_of_median(impact, (low[:n], high[:n]), (float(rest @ low[n:]), float(rest @ high[n:])))
