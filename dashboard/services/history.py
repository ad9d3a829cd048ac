"""Models of a study in the order they came: when, what was different, who asked for it, and how good each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.guidance import said_by
from proset.common.errors import StudyError
from proset.common.words import measure, percent
from proset.study.before_after import before_after

if TYPE_CHECKING:
    from proset.study import Study

FIRST, SAME = "first model", "nothing, fitted again"
_MOST_SAID = 3


def history(models: Sequence[Study], names: Mapping[str, str], current: Study) -> pd.DataFrame:
    """Return a line for each model.

    Parameters
    ----------
    models : sequence of Study
        The oldest first, all of one table.
    names : mapping of str to str
        What each is called, by its id.
    current : Study
        The model that pages show; differences in quality are against it.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> history([study], {study.id: "Own settings"}, study).loc[0, ["Model", "What was different"]].tolist()
    ['Own settings (shown)', 'first model']
    """
    return pd.DataFrame([_line(models, place, names, current) for place in range(len(models))])


def _line(models: Sequence[Study], place: int, names: Mapping[str, str], current: Study) -> dict[str, str]:
    """Return one line."""
    study = models[place]
    out = len(study.split.held_out)
    return {
        "Model": names[study.id] + (" (shown)" if study is current else ""),
        "When (UTC)": study.provenance.created[:16].replace("T", " "),
        "What was different": FIRST if not place else different(models[place - 1], study),
        "Log-loss": measure(float(study.metrics.log_loss)) if out else "",
        "Difference (95 %)": "" if study is current else difference(current, study),
        "Balanced accuracy": percent(float(study.metrics.balanced_accuracy)) if out else "",
        "Prototypes": f"{len(study.prototypes):,}",
        "Columns": f"{len(study.used_columns):,}",
        "Who asked, and why": who(study, models[place - 1] if place else None),
    }


def different(before: Study, after: Study) -> str:
    """Say what the recipe of a model has that the one before it had not."""
    own, former = after.recipe.without_found(), before.recipe.without_found()
    if before.settings == after.settings:
        # One that takes over what a search had found states it instead of searching; nobody has changed anything.
        own, former = after.recipe, replace(before.recipe, plan=after.recipe.plan)
    return former.differences(own) or SAME


def who(study: Study, before: Study | None) -> str:
    """Say what people asked of a model that was not asked of the one before, who they are and why."""
    known = before.guidance.items if before is not None else ()
    fresh = [item for item in study.guidance if item not in known]
    gone = [item for item in known if item not in study.guidance.items]
    said = [" ".join(filter(None, (item.words, said_by(item)))) for item in fresh[:_MOST_SAID]]
    more = [f"{len(fresh) - _MOST_SAID:,} more requests."] if len(fresh) > _MOST_SAID else []
    back = [f"Taken back: {item.words}" for item in gone[:_MOST_SAID]]
    return " ".join((*said, *more, *back))


def difference(current: Study, study: Study) -> str:
    """Return how much larger its log-loss on held-out rows is, with its interval; empty if they do not compare."""
    try:
        lines = before_after(current, study).quality
    except StudyError:
        return ""
    if "held out" not in lines.index:
        return ""
    line = lines.astype(float).to_dict("index")["held out"]
    change, low, high = line["difference"], line["low"], line["high"]
    return f"{change:+.4f} ({low:+.4f} to {high:+.4f})"
