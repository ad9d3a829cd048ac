"""Standing of cases: support by prototypes and nearness of known cases, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.engine.evidence.familiarity import familiarity_quantile, quantile_reference
from proset.engine.kernels.similarity import row_blocks
from proset.engine.set_manager import SetManager
from proset.explain.familiar.novel import NewOrKnown, Novelty, encode_new, novelty
from proset.explain.phrases import HELD_OUT, StandingWords, standing_words
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Explained, matrix_of, subject_of
from proset.study import NumberStudy, Study
from proset.study.any_study import AnyStudy

_MOST_PAIRS = 50_000_000  # of rows and known cases, some tenths of a second


@dataclass(frozen=True, eq=False)
class Standing(Displayed):
    """Standing of cases: support by prototypes, and nearness of known cases.

    Attributes
    ----------
    familiarity, quantile : ndarray of shape (n,)
        Total impact of the prototypes (4.5), and the share of held-out rows that are at most as familiar.
    marginal_share : ndarray of shape (n,)
        Share of each estimate that is the class shares of the training rows, or their marginal density:
        ``1 / (1 + familiarity)``.
    leading_similarity : ndarray of shape (n,)
        Similarity of the prototype with most impact; 0 without prototypes.
    novelty : Novelty
        How near known cases are.
    among : str
        What the quantiles are shares of, in words.
    compares : bool
        Whether the model uses a column; if not, all cases are alike to it, and nothing is said of the nearest.
    """

    familiarity: NDArray[np.float64]
    quantile: NDArray[np.float64]
    marginal_share: NDArray[np.float64]
    leading_similarity: NDArray[np.float64]
    novelty: Novelty
    among: str = HELD_OUT
    compares: bool = True

    def words(self, row: object) -> StandingWords:
        """Return the words for the case with this index."""
        return self._words(int(self.novelty.index.get_loc(row)))  # type: ignore[arg-type]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per case, with what there is to say as a short phrase in the column ``in words``."""
        frame = pd.DataFrame(
            {
                "familiarity": self.familiarity,
                "quantile": self.quantile,
                "marginal_share": self.marginal_share,
                "leading_similarity": self.leading_similarity,
            },
            index=self.novelty.index,
        )
        novelty = self.novelty.to_frame()
        frame = frame.assign(**{str(name): novelty[name].to_numpy() for name in novelty.columns})
        frame["in words"] = pd.Series([self._words(i).short for i in range(len(frame))], frame.index, dtype="str")
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        frame = self.to_frame()
        return {"index": frame.index.tolist(), **plain_columns(frame)}

    def _words(self, i: int) -> StandingWords:
        """Return the words for the case at this place."""
        return standing_words(
            quantile=float(self.quantile[i]),
            leading_similarity=float(self.leading_similarity[i]),
            marginal_share=float(self.marginal_share[i]),
            novelty_quantile=float(self.novelty.quantile[i]) if self.compares else None,
            nearest_similarity=float(self.novelty.similarity[i]),
            novelty_quantile_all=float(self.novelty.quantile_all[i]),
            among=self.among,
        )


def standing(
    explained: Explained | NumberStudy,
    cases: NewOrKnown = None,
    *,
    known: ArrayLike | None = None,
    held_out: ArrayLike | None = None,
) -> Standing:
    """Measure where cases stand: everything that words about familiarity and novelty are made of.

    Parameters are those of :func:`~proset.explain.familiar.novel.novelty`.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> standing(study, [1]).to_frame()["in words"].tolist()
    ['prototypes say much about it; a known case is near']
    """
    near = novelty(explained, cases, known=known, held_out=held_out)
    manager = explained.model.set_manager_ if isinstance(explained, AnyStudy) else subject_of(explained).manager
    X: NDArray[np.floating]
    if not isinstance(explained, AnyStudy):
        X = matrix_of(explained, cases).X
        others = manager.familiarity(matrix_of(explained, known if held_out is None else held_out).X)
        familiarity = manager.familiarity(X)
        quantile = familiarity_quantile(familiarity, quantile_reference(others))
    elif isinstance(cases, pd.DataFrame):
        X = encode_new(explained, cases)[0]
        familiarity = explained.model.familiarity(X) if len(X) else np.zeros(0)
        quantile = familiarity_quantile(familiarity, explained.reference)
    else:
        X = explained.encode(cases).X  # type: ignore[arg-type]
        # Taken from the study, so that a row ties with itself to the last digit.
        said = explained.predictions.loc[near.index]
        familiarity, quantile = (said[name].to_numpy(dtype=np.float64) for name in ("familiarity", "quantile"))
    measured = held_out is not None if not isinstance(explained, AnyStudy) else len(explained.split.held_out) > 0
    among = HELD_OUT if measured else "training rows"
    leading, compares = leading_similarity(manager, X), len(manager.get_active_features()) > 0
    return Standing(familiarity, quantile, 1.0 / (1.0 + familiarity), leading, near, among, compares)


def short_words(study: Study, rows: NDArray[np.int64] | pd.Index) -> list[str]:
    """Return where rows of the table stand as short phrases; of very many in a large table, without known cases."""
    if len(rows) * len(study.split.train) <= _MOST_PAIRS:
        return standing(study, rows).to_frame()["in words"].tolist()
    known, leading = study.predictions.loc[rows], leading_similarity(study.model.set_manager_, study.encode(rows).X)
    lines = zip(known["quantile"], known["familiarity"], leading, strict=True)
    return [
        standing_words(
            quantile=quantile, leading_similarity=float(similarity), marginal_share=1.0 / (1.0 + total)
        ).short
        for quantile, total, similarity in lines
    ]


def leading_similarity(manager: SetManager, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the similarity of the prototype with most impact on each row, shape (n,); 0 without prototypes."""
    batches = [batch for batch in manager.batches if batch is not None and len(batch)]
    result = np.zeros(len(X))
    for block in row_blocks(len(X), sum(map(len, batches))) if batches else ():
        similarity = np.concatenate([batch.similarity(X[block]) for batch in batches], axis=1)
        weight = np.concatenate([batch.weights.astype(np.float64) for batch in batches])
        leading = (similarity * weight).argmax(axis=1)
        result[block] = similarity[np.arange(len(similarity)), leading]
    return result
