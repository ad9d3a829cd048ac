"""Drift: whether new rows differ from the held-out ones in how familiar they are and how near known cases are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from proset.common.words import count_words, percent
from proset.explain.case_standing import Standing, standing
from proset.study import Study

MEASURES = {
    "quantile": "familiarity",
    "novelty_quantile": "nearness to known cases in the columns that the model uses",
    "novelty_quantile_all": "nearness to known cases in all columns",
}
"""What is compared, by the column of :class:`~proset.explain.case_standing.Standing`."""
FEWEST = 20
"""With fewer new rows nothing is said about drift."""
_LEVEL = 0.01
_SAME = 1.0 - 1e-9
_BALANCED = 0.05
_LESS = {
    "quantile": "less familiar",
    "novelty_quantile": "farther from known cases in the columns that the model uses",
    "novelty_quantile_all": "farther from known cases in all columns together",
}
_MORE = {
    "quantile": "more familiar",
    "novelty_quantile": "nearer to known cases in the columns that the model uses",
    "novelty_quantile_all": "nearer to known cases in all columns together",
}


@dataclass(frozen=True, eq=False)
class Drift:
    """New rows beside the held-out ones.

    Attributes
    ----------
    frame : DataFrame
        Index: the measure ("quantile", "novelty_quantile", "novelty_quantile_all"); columns ``less`` (share of pairs of
        a new and a held-out row in which the new one is less familiar or farther away, equal ones counted half; 0.5 by
        chance), ``distance`` (Kolmogorov-Smirnov) and ``p_value``.
    quantiles : DataFrame
        The quantiles of the new rows without the copies, one column per measure; evenly spread over [0, 1] without
        drift.
    n_rows, n_reference : int
        New rows without the copies, and held-out rows.
    copies : int
        New rows that equal a training row in all columns that are compared. They are left out: the model has learned
        from them.
    words : str
        What follows, in one or two sentences.
    """

    frame: pd.DataFrame
    quantiles: pd.DataFrame
    n_rows: int
    n_reference: int
    copies: int
    words: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row per measure."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "measure": self.frame.index.tolist(),
            **{str(name): values.tolist() for name, values in self.frame.items()},
            "n_rows": self.n_rows,
            "n_reference": self.n_reference,
            "copies": self.copies,
            "words": self.words,
        }


def drift(study: Study, rows: pd.DataFrame | Standing) -> Drift:
    """Compare new rows with the held-out ones.

    Parameters
    ----------
    study : Study
        A fitted study.
    rows : DataFrame or Standing
        New rows, or where they stand, from :func:`proset.explain.standing`.

    Returns
    -------
    Drift
        Each measure is tested at 1 % divided by the number of measures.

    Raises
    ------
    DesignError
        If the rows lack columns that the model uses.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> drift(study, study.table.frame.loc[study.split.held_out]).words.split(":")[0]
    'No drift was found'
    """
    found = rows if isinstance(rows, Standing) else standing(study, rows)
    near = found.novelty
    copied = near.similarity_all >= (_SAME if near.features_all else np.inf)
    quantiles = found.to_frame().loc[~copied, list(MEASURES)]
    sizes = dict(zip(MEASURES, (len(study.reference), near.n_reference, near.n_reference), strict=True))
    lines = [_compare(quantiles[name].to_numpy(dtype=np.float64), sizes[name]) for name in MEASURES]
    frame = pd.DataFrame(lines, index=pd.Index(MEASURES, name="measure"), columns=["less", "distance", "p_value"])
    copies = int(copied.sum())
    words = _words(frame, len(quantiles), len(study.reference), copies, found.among)
    return Drift(frame, quantiles, len(quantiles), len(study.reference), copies, f"{_copies(copies, copied)}{words}")


def _compare(quantiles: NDArray[np.float64], reference: int) -> tuple[float, float, float]:
    """Compare quantiles with those of the reference rows themselves, which are evenly spread."""
    if not len(quantiles):
        return float("nan"), float("nan"), float("nan")
    expected = np.arange(1, reference + 1) / reference
    below = np.searchsorted(expected, quantiles - 1e-12, side="left") / reference
    ties = quantiles - below
    test = ks_2samp(quantiles, expected, method="asymp")  # what is exact fails where values tie, and warns
    return float(1.0 - (below + 0.5 * ties).mean()), float(test.statistic), float(test.pvalue)


def _words(frame: pd.DataFrame, rows: int, reference: int, copies: int, among: str) -> str:
    """Say what follows for the rows that are no copies."""
    if copies and not rows:
        return "Nothing can be said about drift."
    these = "other" if copies else "new"
    if rows < FEWEST:
        have = count_words(rows, f"{these} row")
        return f"{have}: too few to tell drift from chance (at least {FEWEST} are needed). Look at each of them."
    if reference < FEWEST:
        few = count_words(reference, among.removesuffix("s"), among)
        return f"There are only {few} to compare with: too few to tell drift from chance."
    found = frame[frame["p_value"] < _LEVEL / len(frame)]
    if found.empty:
        return (
            f"No drift was found: the {rows:,} {these} rows are about as familiar and as near to known cases as the "
            f"{reference:,} {among}."
        )
    name = str((found["less"] - 0.5).abs().idxmax())
    less = float(found["less"].to_dict()[name])
    if abs(less - 0.5) < _BALANCED:
        return f"The {rows:,} {these} rows are spread otherwise than the {among} in their {MEASURES[name]}."
    side, share = (_LESS[name], less) if less > 0.5 else (_MORE[name], 1.0 - less)
    return (
        f"The {rows:,} {these} rows differ from the {among}: of one of each, taken at random, the new one is "
        f"{side} in {percent(share)} of all pairs, where 50 % is chance."
    )


def _copies(copies: int, copied: NDArray[np.bool_]) -> str:
    """Say from how many rows the model has learned."""
    if not copies:
        return ""
    those = (
        f"{copies:,} of the {len(copied):,} rows" if copies < len(copied) else "All rows" if copies > 1 else "The row"
    )
    equal = "equals a training row" if copies == 1 else "equal training rows"
    return f"{those} {equal} in all columns compared: the model has learned from {'it' if copies == 1 else 'them'}. "
