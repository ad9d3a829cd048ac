"""Results of refits under other seeds and splits: rows, features, the models themselves."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from proset.common.words import count_words, measure, percent, shown
from proset.explain.study_only.refits import RefitComparison

ROW_COLUMNS = ("predicted", "same", "low", "high", "other", "held_out", "same_held_out", "overlap")
FEATURE_COLUMNS = ("used", "share", "low", "median", "high")
REFIT_COLUMNS = ("seed", "log_loss", "accuracy", "features", "prototypes")


@dataclass(frozen=True, eq=False)
class Stability(RefitComparison):
    """Agreement of a model with refits under other seeds and other splits.

    Attributes
    ----------
    rows : DataFrame
        Index ``row``, all rows of the table: ``predicted`` (the most probable class), ``same`` (share of the refits
        that say the same), ``low`` and ``high`` (the probability of that class over the refits), ``other`` (what is
        said most often otherwise; missing if nothing is), ``held_out`` (refits that held the row out),
        ``same_held_out`` (share of these that say the same; nan without any), ``overlap`` (of the dominant set, in
        [0, 1]: mean over the refits of shared members by all members, among the rows that both could learn from; nan
        where it was not looked at).
    refits : DataFrame
        Index ``refit`` from 1: ``seed``, ``log_loss`` and ``accuracy`` on the rows held out in it (nan without any),
        ``features`` and ``prototypes`` (numbers of both).
    """

    @property
    def words(self) -> tuple[str, ...]:
        """The model in sentences."""
        same = percent(float(self.rows["same"].mean()))
        sentences = [f"In {self.refit_words}, the most probable class of a row was the same in {same} of the cases."]
        loss = self.refits["log_loss"].dropna()
        if len(loss):
            sentences.append(
                f"Log-loss on the rows held out went from {measure(float(loss.min()))} to {measure(float(loss.max()))}."
            )
        if self.used_words:
            sentences.append(self.used_words)
        shared = self.rows["overlap"].mean()
        if not pd.isna(shared):
            sentences.append(
                f"Of the prototypes that settle an answer, {percent(float(shared))} were the same rows on average."
            )
        return tuple(sentences)

    def case_words(self, row: int) -> str:
        """Say how a row of the table fared.

        Returns
        -------
        str
            One to three sentences; empty if there is no such row.
        """
        if row not in self.rows.index:
            return ""
        line = self.rows.loc[[row]].to_dict("records")[0]
        said, total = f"'{shown(line['predicted'])}'", self.n_refits
        same = round(line["same"] * total)
        how_many = "none" if same == 0 else "all" if same == total else f"{same:,}"
        of = f"{how_many} {total:,}" if same == total else f"{how_many} of {total:,}"
        sentences = [
            f"{said} is the most probable class in {of} refits with {self.what}; its probability went from"
            f" {percent(line['low'])} to {percent(line['high'])}."
        ]
        if same < total and not pd.isna(line["other"]):
            sentences.append(f"Otherwise it is mostly '{shown(line['other'])}'.")
        if 0 < line["held_out"] < total:
            agreed = round(line["same_held_out"] * line["held_out"])
            sentences.append(
                f"Of the {count_words(line['held_out'], 'refit')} that had not learned from this row,"
                f" {agreed:,} say {said}."
            )
        return " ".join(sentences)
