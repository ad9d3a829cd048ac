"""The answer of a regressor for one case: its distribution as a sum of what prototypes say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from proset.common.notebook import Displayed
from proset.common.words import count_words, number, shown
from proset.engine.density_sets import DensityManager
from proset.engine.density_tables import density_lines
from proset.engine.evidence.dominant_median import dominant_of_median
from proset.engine.evidence.tables import Labels
from proset.engine.mixtures.mixture import HEIGHT, Mixture
from proset.engine.regressor import RegressorModel

N_PLACES = 301
_COLUMNS = ["batch", "sample", "target", "adjustment", "says", "spread", "similarity", "impact", "share", "dominant"]
_FAR = 0.002  # of the distribution on either side is not shown
_MOVED = 0.1  # standard deviations of the target


@dataclass(frozen=True, eq=False)
class NumberAnswer(Displayed):
    """Distribution of one case, and which prototypes it is made of.

    All numbers are in units of the target.

    Attributes
    ----------
    name : str
        What the case is called.
    stated : float or None
        Its true value, where that is known.
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
        One line per prototype by descending impact, index from 0: ``batch``, ``sample`` (its row in the training data),
        ``target`` (its own), ``adjustment`` (for what tells the case from it), ``says`` (their sum), ``spread``,
        ``similarity``, ``impact``, ``share`` (in the answer), ``dominant`` (whether it is one of the fewest that hold
        the median, whatever became of all others).
    adjustments : DataFrame
        The same lines, one column per feature: their sum is ``adjustment``.
    places : ndarray of shape (G,)
        Where the densities are stated, ascending.
    density : ndarray of shape (G,)
        The density (R1).
    humps : ndarray of shape (S, G)
        Its parts, which sum to it: those of the first ``n_shown`` prototypes, of all others, of everybody.
    n_shown : int
        Prototypes with a part of their own: S - 2.
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
    places: NDArray[np.float64]
    density: NDArray[np.float64]
    humps: NDArray[np.float64]
    n_shown: int

    @property
    def words(self) -> str:
        """The answer in a sentence or two."""
        text = f"About {number(self.median)}; {100 * self.coverage:g} % between {number(self.lower)} and "
        text += f"{number(self.upper)}."
        held = int(self.prototypes["dominant"].sum())
        if held:
            who = (
                "The prototype that counts most holds" if held == 1 else f"The {held:,} prototypes that count most hold"
            )
            text += f" {who} it within {number(self.moved)}, whatever became of all others."
        elif len(self.prototypes):
            text += f" Whatever became of the prototypes, it would stay within {number(self.moved)}."
        return text

    def said_by(self, place: int) -> str:
        """Say what one prototype says, and why not its own target: the columns that adjust it most.

        Parameters
        ----------
        place : int
            Its line in `prototypes`.
        """
        line, parts = self.prototypes.iloc[place], self.adjustments.iloc[place]
        least = 0.05 * float(line["spread"])
        largest = parts[parts.abs() > least].abs().nlargest(3).index
        moves = [f"{_signed(float(parts[name]))} for {shown(name)}" for name in largest]
        others = parts.drop(largest)
        if abs(rest := float(others.sum())) > least:
            moves.append(f"{_signed(rest)} for {count_words(int((others != 0.0).sum()), 'other column')}")
        own = f"row {int(line['sample'])} has {number(float(line['target']))}"
        said = f"so it says {number(float(line['says']))}, give or take {number(float(line['spread']))}"
        return f"{own}{''.join(f', {move}' for move in moves)}: {said}."

    def to_frame(self) -> pd.DataFrame:
        """Return the prototypes, see `prototypes`."""
        return self.prototypes.copy()


def number_answer(
    explained: RegressorModel,
    case: ArrayLike,
    y: float | None = None,
    *,
    name: str = "case",
    coverage: float = 0.9,
    moved: float | None = None,
    n_shown: int = 6,
) -> NumberAnswer:
    """Take the answer of a regressor for one case apart.

    Parameters
    ----------
    explained : RegressorModel
        Fitted.
    case : array-like of shape (D,) or (1, D)
        Its features, as the model takes them.
    y : float or None
        Its true value, if that is known.
    name : str
        What to call it.
    coverage : float, default=0.9
        Of the central interval, in (0, 1).
    moved : float or None
        How far the median may go before it counts as moved, more than 0; None for a tenth of a standard deviation of
        the training targets.
    n_shown : int, default=6
        Prototypes with a part of their own in `humps`, at least 0.

    Returns
    -------
    NumberAnswer

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If the case is not one row of finite numbers, or an option is out of its range.
    TypeError
        If it is no regressor.

    Examples
    --------
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> y = 100.0 + 10.0 * X[:, 0] + np.random.default_rng(0).normal(size=200)
    >>> found = number_answer(RegressorModel(random_state=0).fit(X, y), [1.0])
    >>> round(found.median), bool(abs(found.humps.sum(axis=0) - found.density).max() < 1e-12)
    (110, True)
    """
    if not isinstance(explained, RegressorModel):
        raise TypeError(f"A RegressorModel is explained here, not a {type(explained).__name__}.")
    check_is_fitted(explained)
    shift = _MOVED * explained.target_scale_ if moved is None else float(moved)
    if not shift > 0.0 or n_shown < 0:
        raise ValueError("moved has to be more than 0, and n_shown at least 0.")
    # A frame keeps the names of its columns, which the model compares with its own.
    rows = case if isinstance(case, pd.DataFrame) else np.atleast_2d(np.asarray(case, dtype=np.float64))
    found = explained.predict_distribution(rows)
    if len(found) != 1:
        raise ValueError(f"One case is explained, but {len(found):,} rows were given.")
    x = np.asarray(rows, dtype=np.float64).reshape(-1)
    units = (explained.target_mean_, explained.target_scale_)
    names = [str(name) for name in getattr(explained, "feature_names_in_", [f"x{j}" for j in range(len(x))])]
    labels = Labels([], names, lambda _, values: values, lambda samples: [str(sample) for sample in samples])
    table, mixture, _, _ = density_lines(explained.set_manager_, labels, x, *units)
    order, n = np.argsort(-table["impact"].to_numpy(), kind="stable"), len(table)
    adjustments = pd.DataFrame(_adjustments(explained.set_manager_, x, units[1], names), columns=names)
    median = float(found.quantile(0.5)[0])
    low, high = found.quantile([_FAR, 1.0 - _FAR])[0]
    seen = [value for value in (float(low), float(high), y) if value is not None]
    places = np.linspace(min(seen), max(seen), N_PLACES)
    parts = _parts(mixture, (places - units[0]) / units[1]) / units[1]
    first, others = order[:n_shown], order[n_shown:]
    humps = np.vstack([parts[first], parts[others].sum(axis=0), parts[n:].sum(axis=0)])
    table["dominant"] = _held(
        mixture, table["impact"].to_numpy(), [(median + by - units[0]) / units[1] for by in (-shift, shift)]
    )
    lower, upper = found.interval(coverage)[0]
    return NumberAnswer(
        name=name,
        stated=None if y is None else float(y),
        mean=float(found.mean[0]),
        median=median,
        coverage=coverage,
        lower=float(lower),
        upper=float(upper),
        familiarity=float(table["impact"].sum()),
        everybody=float(mixture.weights[0, n:].sum()),
        moved=shift,
        prototypes=table.loc[order, _COLUMNS].reset_index(drop=True),
        adjustments=adjustments.loc[order].reset_index(drop=True),
        places=places,
        density=parts.sum(axis=0),
        humps=humps,
        n_shown=len(first),
    )


def _adjustments(
    manager: DensityManager, x: NDArray[np.float64], scale: float, names: list[str]
) -> NDArray[np.float64]:
    """Return how much each feature adjusts what each prototype says, batch after batch, shape (P, D)."""
    parts = [np.zeros((0, len(names)))]
    for batch in manager.density_batches:
        own = np.zeros((len(batch), len(names)))
        own[:, batch.active_features] = scale * batch.slopes * (x[batch.active_features] - batch.prototypes)
        parts.append(own)
    return np.vstack(parts)


def _parts(mixture: Mixture, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the density of every component at each place, times its weight, shape (C, G)."""
    spreads = mixture.spreads[:, None]
    z = (places - mixture.means[0][:, None]) / spreads
    return np.asarray(mixture.weights[0][:, None] * HEIGHT * np.exp(-0.5 * z * z) / spreads)


def _held(mixture: Mixture, impact: NDArray[np.float64], ends: list[float]) -> NDArray[np.bool_]:
    """Tell which prototypes hold the median between two ends, standardised."""
    n = len(impact)
    rest = mixture.weights[0, n:] / mixture.weights[0, n:].sum()
    low, high = (ndtr((end - mixture.means[0]) / mixture.spreads) for end in ends)
    return dominant_of_median(impact, (low[:n], high[:n]), (float(rest @ low[n:]), float(rest @ high[n:])))


def _signed(value: float) -> str:
    """Write a difference with its sign."""
    return f"{'+' if value >= 0 else '−'}{number(float(f'{abs(value):.3g}'))}"
