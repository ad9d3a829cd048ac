"""What the Fit page shows about a study, as plain frames and texts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from proset.study import Study

_BETTER_THAN_CHANCE = 0.6  # ROC-AUC; below, a small table may reach it by luck


@dataclass(frozen=True)
class Measure:
    """One measure of quality beside the same measure of the naive model.

    Attributes
    ----------
    label : str
        What it is called.
    value, naive : str
        Both numbers as text.
    help : str
        One sentence.
    """

    label: str
    value: str
    naive: str
    help: str


def measures(study: Study, confusion: pd.DataFrame) -> list[Measure]:
    """Return the measures on held-out rows, each beside the naive model.

    Parameters
    ----------
    study : Study
        A fitted study.
    confusion : DataFrame
        Of the held-out rows, from :func:`proset.study.decision.confusion`.

    Returns
    -------
    list of Measure
        Log-loss, ROC-AUC, balanced accuracy, accuracy.
    """
    metrics = study.metrics
    return [
        Measure(
            "Log-loss",
            _number(metrics.log_loss),
            _number(metrics.naive_log_loss),
            "Smaller is better, 0 is perfect. Estimates that are confident and wrong cost most.",
        ),
        Measure(
            "ROC-AUC",
            _number(metrics.roc_auc),
            "0.500",
            "How well the classes are ranked: 0.5 is guessing, 1 is perfect. Mean over all pairs of classes.",
        ),
        Measure(
            "Balanced accuracy",
            _percent(_balanced_accuracy(confusion)),
            _percent(metrics.naive_balanced_accuracy),
            "Share of right answers, averaged over the classes so that rare ones count as much as common ones.",
        ),
        Measure(
            "Accuracy",
            _percent(_accuracy(confusion)),
            _percent(metrics.naive_accuracy),
            "Share of right answers over all held-out rows.",
        ),
    ]


def verdict(study: Study, confusion: pd.DataFrame) -> tuple[str, str]:
    """Say in one sentence how good the model is, compared with knowing nothing about a case.

    Parameters
    ----------
    study : Study
        A fitted study.
    confusion : DataFrame
        Of the held-out rows, from :func:`proset.study.decision.confusion`.

    Returns
    -------
    kind, text : str
        `kind` is ``"success"``, ``"info"`` or ``"warning"``.
    """
    metrics = study.metrics
    if metrics.n_rows == 0:
        return (
            "warning",
            "No row was held out, so there is nothing to judge the model by. Hold out more rows on the Data page.",
        )
    if study.feature_weights.empty or study.prototypes.empty:
        way_out = "Try a smaller feature penalty, or check the column roles."
        if study.search is not None:
            way_out = (
                "Below, pick a point of the search that has more batches or a smaller penalty, or check the roles."
            )
        return "warning", f"The model uses no feature: it only states how common each class is. {way_out}"
    if metrics.log_loss >= metrics.naive_log_loss:
        if metrics.roc_auc > _BETTER_THAN_CHANCE:
            return (
                "warning",
                "The model ranks cases better than chance, but its probabilities are too sure of themselves: on "
                "held-out rows they are no better than stating how common each class is. Try a feature penalty three "
                "times as large, or a third of it, and keep the fit with the lowest log-loss.",
            )
        return (
            "warning",
            "On held-out rows the model does no better than stating how common each class is. Try another feature "
            "penalty, or other columns.",
        )
    decided, right = int(confusion.to_numpy().sum()), int(confusion.to_numpy().trace())
    features = len(study.feature_weights)
    return (
        "success",
        f"{right:,} of {decided:,} held-out rows are classified correctly, using "
        f"{len(study.prototypes):,} prototypes and {features:,} {'feature' if features == 1 else 'features'}.",
    )


def batch_table(study: Study) -> pd.DataFrame:
    """Return one line per batch: what was tried and what was kept.

    Parameters
    ----------
    study : Study
        A fitted study.

    Returns
    -------
    DataFrame
        Index ``batch``; columns ``candidates``, ``prototypes``, ``prototypes: <class>`` for each class, ``features``.
    """
    counts = study.prototypes.groupby(["batch", "class"]).size().to_dict()
    lines = {
        result.batch: {
            "candidates": result.n_candidates,
            "prototypes": result.n_prototypes,
            **{f"prototypes: {name}": int(counts.get((result.batch, name), 0)) for name in study.classes},
            "features": result.n_active_features,
        }
        for result in study.model.batch_results_
    }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("batch")


def solver_lines(study: Study) -> list[tuple[bool, str]]:
    """Return how the search for weights ended, one sentence per batch.

    Parameters
    ----------
    study : Study
        A fitted study.

    Returns
    -------
    list of (bool, str)
        Whether it converged, and the sentence.
    """
    return [
        (
            result.solver.converged,
            f"Batch {result.batch}: {result.solver.message}"
            + ("" if result.n_prototypes else " It kept no prototypes, so the model is the same without it."),
        )
        for result in study.model.batch_results_
    ]


def made_words(study: Study) -> str:
    """Say when, from how much and in what time the model was made.

    Parameters
    ----------
    study : Study
        A fitted study.

    Returns
    -------
    str
        One line.
    """
    made = study.provenance
    return (
        f"Learned from {len(study.split.train):,} rows in {made.fit_seconds:.1f} s, seed {made.seed}, "
        f"proset {made.proset_version}, {made.created.replace('T', ' ').removesuffix('+00:00')} UTC"
    )


def _accuracy(confusion: pd.DataFrame) -> float:
    """Share of right answers; nan without any."""
    counts = confusion.to_numpy()
    return float(counts.trace() / counts.sum()) if counts.sum() else math.nan


def _balanced_accuracy(confusion: pd.DataFrame) -> float:
    """Share of right answers, averaged over the classes that occur; nan without any."""
    counts = confusion.to_numpy()
    totals = counts.sum(axis=1)
    occurs = totals > 0
    return float((counts.diagonal()[occurs] / totals[occurs]).mean()) if occurs.any() else math.nan


def _number(value: float) -> str:
    """Write a measure with three decimals; what cannot be measured reads so."""
    if math.isnan(value):
        return "not defined"
    # Three decimals of 0.9996 would claim that the ranking is perfect.
    return "> 0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def _percent(value: float) -> str:
    """Write a share as per cent."""
    return "not defined" if math.isnan(value) else f"{100 * value:.1f} %"
