"""A study of a number on the Fit page, as plain frames and texts."""

from __future__ import annotations

import pandas as pd

from dashboard.services.fit.verdict import (
    Measure,
    VerdictNotice,
    columns_of_batch,
    left_out_numbers,
    other_target,
    was_searched,
)
from dashboard.texts import number_fit as text
from proset.common.words import count_words, percent, rough
from proset.explain.numbers.number_facts import number_advice
from proset.explain.numbers.quality import number_quality
from proset.explain.numbers.quality_words import held_words
from proset.selection.number_words import dropped_words, early_words, number_scale_words
from proset.study import NumberStudy
from proset.study.number_metrics import COVERAGE
from proset.study.verdict import LITTLE


def headline(study: NumberStudy) -> str:
    """Say in units of the target how far off the model is on rows that it has not seen."""
    metrics = study.metrics
    if not len(study.split.held_out):
        return "The result, measured on the training rows: new cases will be further off"
    everybody = rough(metrics.naive_mae)
    return f"Off by {rough(metrics.mae)} on average on unseen cases; the same answer for everybody: {everybody}"


def measured_on(study: NumberStudy) -> str:
    """Say on which rows the measures are taken."""
    what = "held-out row" if len(study.split.held_out) else "training row"
    return count_words(study.metrics.n_rows, what)


def measures(study: NumberStudy) -> list[Measure]:
    """Return the measures, each beside the same of the answer for everybody."""
    found = study.metrics
    return [
        Measure("Mean absolute error", rough(found.mae), _everybody(rough(found.naive_mae)), text.MIDDLE),
        Measure("Root mean square error", rough(found.rmse), _everybody(rough(found.naive_rmse)), text.TYPICAL),
        Measure("CRPS", rough(found.crps), _everybody(rough(found.naive_crps)), text.CRPS),
        Measure("Held by the 90 % interval", percent(found.covered), f"promised {percent(COVERAGE)}", text.COVERED),
        Measure("Log score", rough(found.log_score), _everybody(rough(found.naive_log_score)), text.LOG_SCORE),
    ]


def _everybody(value: str) -> str:
    """Name the answer that needs no model."""
    return f"as everybody {value}"


def notice(study: NumberStudy) -> VerdictNotice:
    """Say what the model adds to the answer for everybody, and whether its intervals hold, as far as the rows can say.

    Returns
    -------
    VerdictNotice
        Green only if it is better than everybody by more than chance and more than a little, and its intervals hold as
        far as can be told.
    """
    found, advice = study.metrics, number_advice(study, searched=was_searched(study))
    if advice and (out := left_out_numbers(study)):
        advice = f"{out} {advice}"
    if not len(study.prototypes):
        return VerdictNotice("error", text.NOTHING, f"{advice} {other_target(study)}")
    better = 1.0 - found.crps / found.naive_crps if found.naive_crps > 0.0 else 0.0
    little = better < LITTLE
    luck = better > 0.0 and _may_be_luck(study)
    gain = (
        f"The model {'adds little: it ' if little else ''}takes away {percent(better)} of the error of the answer for"
        f" everybody (CRPS){'; that may be luck' if luck else ''}."
        if better > 0.0
        else "The model is no better than the answer for everybody."
    )
    worse = better > 0.0 and found.log_score > found.naive_log_score
    if worse:
        gain += " By the log score it is worse than that answer: some numbers lie where it hardly allows for any."
    holds, narrow = held_words(study)
    kind = "warning" if better <= 0.0 or narrow or worse else "success"
    if kind == "success" and (little or luck or not len(study.split.held_out)):
        kind = "info"
    return VerdictNotice(kind, f"{gain} {holds}.", advice)


def _may_be_luck(study: NumberStudy) -> bool:
    """Tell whether the gain on held-out rows may be chance: its 95 % interval, as Quality has it, reaches 0."""
    if not len(study.split.held_out):
        return False
    return not number_quality(study).measures["gain_low"]["CRPS"] > 0.0  # missing, too


def batch_table(study: NumberStudy) -> pd.DataFrame:
    """Return one line per batch: what was tried and what the model has of it; index ``batch``."""
    counts = study.prototypes["batch"].value_counts().to_dict()
    lines = {
        result.batch: {
            "candidates": result.n_candidates,
            "prototypes": int(counts.get(result.batch, 0)),
            "columns in use": columns_of_batch(study, result.batch),
        }
        for result in study.model.batch_results_
    }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("batch")


def found_words(study: NumberStudy) -> str:
    """Say whether a search was ended early, what columns and target are taken as, what is left out; or nothing."""
    found = study.search
    if found is None:
        return study.bend_words
    early = early_words(found)
    said = f"The best so far: the search was ended {early}." if early else ""
    return " ".join(filter(None, (said, number_scale_words(found), dropped_words(found))))
