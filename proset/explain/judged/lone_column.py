"""Test for a column that carries nearly everything a fitted model knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import shown
from proset.engine.metrics import log_loss
from proset.study import Study

CARRIES = 0.9
"""Share of a model's gain that a column has to keep alone, and that goes without it, to carry nearly everything."""

_FEWEST_GAIN = 0.1
_NEARLY_PERFECT, _TELLING = 0.1, 0.5  # of the log-loss of the class shares: what is left, and what is taken away
_MOST_CELLS = 16_000
_FEWEST_ROWS, _MOST_ROWS = 200, 500


@dataclass(frozen=True)
class LoneColumn:
    """The column that carries nearly everything.

    Attributes
    ----------
    column : str
        A column of the table.
    share : float
        Share of the model's gain over the class shares, in log-loss, that is left with this column alone; in [0, 1].
    loss, loss_alone, loss_without : float
        Log-loss of the model on the held-out rows; the same with all other columns shuffled; with this one shuffled.
    perfect : bool
        Whether the model leaves hardly anything open, as it does where a column gives the answer away.
    telling : bool
        Whether the model takes away more than half of the log-loss of the class shares: less than that, an honest
        column does alone in many a table, and nothing speaks for one that came after the outcome.
    only : bool
        Whether it is the only column in use.
    """

    column: str
    share: float
    loss: float
    loss_alone: float
    loss_without: float
    perfect: bool
    telling: bool
    only: bool

    @property
    def words(self) -> str:
        """Say it in one sentence, with another one on what to do where there is a reason to."""
        name = shown(self.column)
        if self.only:
            what = f"The model uses one column only, '{name}'."
        else:
            what = (
                f"One column carries nearly everything: with '{name}' shuffled over the held-out rows this model's"
                f" log-loss would be about {self.loss_without:.2f} instead of {self.loss:.3f}, with all its other"
                f" columns shuffled about {self.loss_alone:.2f}."
            )
        if self.perfect:
            return (
                f"{what} A column that gives the answer away looks like this: check that '{name}' is known before the"
                " outcome."
            )
        return f"{what} Check that '{name}' is known before the outcome." if self.telling else what


def lone_column(study: Study) -> LoneColumn | None:
    r"""Find the column that carries nearly everything a model knows, if there is one.

    Columns are taken away by shuffling their values over the held-out rows, so this speaks of the model as it is: one
    that could not use a column might learn the same from another one that says the same.

    Parameters
    ----------
    study : Study
        Fitted; of many held-out rows, some are looked at.

    Returns
    -------
    LoneColumn or None
        None where no column does, and for models that hardly say more than the class shares.

    Examples
    --------
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.data.table import read_table
    >>> from proset.study import fit_study
    >>> rng = np.random.default_rng(0)
    >>> codes = [1, 8, 2, 9] * 20
    >>> lines = ["code,size,kind"] + [f"{x},{rng.normal():.2f},{'big' if x > 4 else 'small'}" for x in codes]
    >>> table = read_table("\n".join(lines).encode(), name="codes.csv")
    >>> lone_column(fit_study(table, guess_roles(table, target="kind").roles)).column
    'code'
    """
    sources = _used(study)
    rows = study.split.held_out
    if not sources or len(rows) == 0:
        return None
    most = min(max(_MOST_CELLS // len(sources), _FEWEST_ROWS), _MOST_ROWS)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(rows)[:most])
    matrix = study.design.transform(study.table.frame.loc[rows]).X
    actual = pd.Index(study.classes).get_indexer(pd.Index(study.labels.reindex(pd.Index(rows)))).astype(np.int64)
    matrix, actual = matrix[actual >= 0], actual[actual >= 0]
    if len(actual) == 0:
        return None
    return _look(study, sources, matrix, actual, rng)


def _look(
    study: Study,
    sources: dict[str, list[int]],
    matrix: NDArray[np.floating],
    actual: NDArray[np.int64],
    rng: np.random.Generator,
) -> LoneColumn | None:
    """Shuffle each column away, then all others than the one that is missed most."""
    order = rng.permutation(len(actual))
    manager = study.model.set_manager_

    def loss(changed: list[int]) -> float:
        mixed = matrix.copy()
        mixed[:, changed] = matrix[order][:, changed]
        return float(log_loss(study.model.predict_proba(mixed)[np.arange(len(actual)), actual]))

    whole = loss([])
    naive = float(log_loss(np.asarray(manager.marginals)[actual]))
    gain = naive - whole
    if gain < _FEWEST_GAIN * naive:
        return None
    without = {name: loss(columns) for name, columns in sources.items()}
    name = max(without, key=lambda source: without[source])
    others = [j for source, columns in sources.items() if source != name for j in columns]
    alone = loss(others) if others else whole
    share = min(max((naive - alone) / gain, 0.0), 1.0)
    if share < CARRIES or without[name] - whole < CARRIES * gain:
        return None
    known = study.metrics.log_loss  # the number that pages show, also where only some of the rows were looked at
    return LoneColumn(
        column=name,
        share=share,
        loss=known,
        loss_alone=known + alone - whole,
        loss_without=known + without[name] - whole,
        perfect=whole < _NEARLY_PERFECT * naive,
        telling=gain > _TELLING * naive,
        only=not others,
    )


def _used(study: Study) -> dict[str, list[int]]:
    """Return the table columns that the model uses, with their matrix columns."""
    used: dict[str, list[int]] = {}
    for j in study.model.set_manager_.get_active_features().tolist():
        source = study.design.columns[j].source
        used.setdefault(source, [])
    for j, column in enumerate(study.design.columns):
        if column.source in used:
            used[column.source].append(j)
    return used
