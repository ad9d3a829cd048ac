"""Models of a study in the order they came: when, what was different, who asked for it, and how good each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.guidance import said_by
from proset.common.errors import StudyError
from proset.common.words import measure, percent, plus_minus, rough
from proset.explain.numbers.contrasts import signed
from proset.study import NumberStudy
from proset.study.before_after import before_after
from proset.study.number_before_after import ERROR, number_before_after

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

FIRST, SAME = "first model", "nothing, fitted again"
_MOST_SAID = 3


def history(models: Sequence[AnyStudy], names: Mapping[str, str], current: AnyStudy) -> pd.DataFrame:
    """Return a line for each model.

    Parameters
    ----------
    models : sequence of Study or of NumberStudy
        The oldest first, all of one table and kind.
    names : mapping of str to str
        What each is called, by its id.
    current : Study or NumberStudy
        The model that pages show; differences in quality are against it.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> history([study], {study.id: "Own settings"}, study).loc[0, ["Model", "What was different"]].tolist()
    ['Own settings (shown)', 'first model']
    """
    return pd.DataFrame([_line(models, place, names, current) for place in range(len(models))])


def _line(models: Sequence[AnyStudy], place: int, names: Mapping[str, str], current: AnyStudy) -> dict[str, str]:
    """Return one line."""
    study = models[place]
    return {
        "Model": names[study.id] + (" (shown)" if study is current else ""),
        "When (UTC)": study.provenance.created[:16].replace("T", " "),
        "What was different": FIRST if not place else different(models[place - 1], study),
        **_quality(study, "" if study is current else difference(current, study)),
        "Prototypes": f"{len(study.prototypes):,}",
        "Columns": f"{len(study.used_columns):,}",
        "Who asked, and why": who(study, models[place - 1] if place else None),
    }


def _quality(study: AnyStudy, apart: str) -> dict[str, str]:
    """Return how good it is on held-out rows, and how far from the model that is shown."""
    out = len(study.split.held_out) > 0
    if isinstance(study, NumberStudy):
        first, last = (rough(study.metrics.mae), percent(study.metrics.covered)) if out else ("", "")
        return {"Mean absolute error": first, "Difference (95 %)": apart, "Inside 90 %": last}
    return {
        "Log-loss": measure(float(study.metrics.log_loss)) if out else "",
        "Difference (95 %)": apart,
        "Balanced accuracy": percent(float(study.metrics.balanced_accuracy)) if out else "",
    }


def different(before: AnyStudy, after: AnyStudy) -> str:
    """Say what the recipe of a model has that the one before it had not."""
    own, former = after.recipe.without_found(), before.recipe.without_found()
    if before.settings == after.settings:
        # One that takes over what a search had found states it instead of searching; nobody has changed anything.
        own, former = after.recipe, replace(before.recipe, plan=after.recipe.plan)
    return former.differences(own) or SAME


def who(study: AnyStudy, before: AnyStudy | None) -> str:
    """Say what people asked of a model that was not asked of the one before, who they are and why."""
    known = before.guidance.items if before is not None else ()
    fresh = [item for item in study.guidance if item not in known]
    gone = [item for item in known if item not in study.guidance.items]
    said = [" ".join(filter(None, (item.words, said_by(item)))) for item in fresh[:_MOST_SAID]]
    more = [f"{len(fresh) - _MOST_SAID:,} more requests."] if len(fresh) > _MOST_SAID else []
    back = [f"Taken back: {item.words}" for item in gone[:_MOST_SAID]]
    return " ".join((*said, *more, *back))


def difference(current: AnyStudy, study: AnyStudy) -> str:
    """Return how much larger log-loss or absolute error on held-out rows is, with its interval.

    Empty if the two do not compare.
    """
    try:
        if isinstance(current, NumberStudy) and isinstance(study, NumberStudy):
            lines, name = number_before_after(current, study).quality, ERROR
        elif not isinstance(current, NumberStudy) and not isinstance(study, NumberStudy):
            lines, name = before_after(current, study).quality, "held out"
        else:
            return ""
    except StudyError:
        return ""
    if name not in lines.index:
        return ""
    line = lines.astype(float).to_dict("index")[name]
    ends = [line[what] for what in ("difference", "low", "high")]
    change, low, high = [signed(one) if name == ERROR else plus_minus(one, 4) for one in ends]
    return f"{change} ({low} to {high})"
