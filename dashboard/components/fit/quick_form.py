"""The hyperparameters of a fit, folded, each with one sentence on what it does."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.components import words
from dashboard.services.fit.backends import backend_words, backends
from dashboard.services.fit.modes import CHOOSE, Mode, asked, asked_scale, mode_of
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.texts.settings import BEND, HYPERPARAMETERS, SCALE, SCALE_OF_NUMBER, SCALES, Hyperparameter
from proset.common.words import power_words
from proset.data.scales import Scale
from proset.selection import JointPlan, NumberPlan
from proset.selection.number_plan import SCALES as SCALES_OF_NUMBER
from proset.study.settings import Bounds, FitSettings, NumberSettings

_SHOWN = (
    "n_iter",
    "max_prototypes",
    "n_joined",
    "num_candidates",
    "lambda_v",
    "lambda_w",
    "alpha_v",
    "alpha_w",
    "max_fraction",
    "max_samples",
    "correction",
    "thinning",
    "solver_factr",
    "random_state",
)
_OF_NUMBER = (
    "n_iter",
    "max_prototypes",
    "n_joined",
    "num_candidates",
    "lambda_v",
    "lambda_w",
    "lambda_beta",
    "own_slopes",
    "lambda_h",
    "min_spread",
    "spread_factor",
    "alpha_v",
    "alpha_w",
    "alpha_beta",
    "max_fraction",
    "max_samples",
    "correction",
    "thinning",
    "solver_factr",
    "random_state",
)
_COARSE = 0.5  # ranges that end below have fine steps
_STEPS_PER_DECADE = (1.0, 2.0, 5.0)
_CAPTIONS = {
    Mode.QUICK: "These hold for every fit that is tried. The usual values are good ones; the others are found.",
    Mode.SEARCH: "These hold for every fit of the search. The usual values are good ones; the others are found.",
    Mode.OWN: "These are values to start from. To find better ones, run a search: it compares settings on the training "
    "rows alone. Measures on held-out rows are honest only as long as nobody changes settings until they look good.",
}
_FOUND_BY = {Mode.QUICK: "the quick fit", Mode.SEARCH: "the search"}


def advanced(opened: OpenTable, mode: Mode) -> None:
    """Show the hyperparameters that are not found, folded; a change makes a fitted model stale."""
    offered = _OF_NUMBER if opened.recipe.roles.number else _SHOWN
    shown = [name for name in offered if name not in asked(opened.recipe, mode).finds]
    changed = changes(opened.recipe.settings, opened.usual_settings, among=shown)
    scale = asked_scale(opened.recipe, mode)
    if scale != _scales(opened, mode)[0]:
        changed.append(f"{SCALE.label} {SCALES[scale]}")
    if mode is Mode.OWN and getattr(opened.recipe.settings, "bend_target", False):
        changed.append(BEND.label)
    if opened.recipe.settings.backend != opened.usual_settings.backend:
        changed.append(backends().get(opened.recipe.settings.backend, opened.recipe.settings.backend))
    # The label must not change: an expander with another label is another one, and it would fold while one works in it.
    with st.expander("Advanced", icon=":material/tune:", expanded=mode is Mode.OWN):
        st.caption(_CAPTIONS[mode])
        grid = st.grid(4, min_column_width=210, gap="medium")
        for name in shown:
            with grid.cell():
                _setting(opened, HYPERPARAMETERS[name])
        with grid.cell():
            _scale(opened, mode, scale)
        if not opened.recipe.roles.number:  # TensorFlow does not fit these
            with grid.cell():
                _backend(opened)
        elif mode is Mode.OWN:  # else the folds decide
            _bend(opened)
    if changed:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Changed: {words.caption(', '.join(changed))}.", width="content")
            st.button(
                "Back to the defaults", on_click=_reset, args=(opened, mode, shown), key="fit.defaults", type="tertiary"
            )
    if mode is Mode.OWN:
        _offer_found(opened)


def _scale(opened: OpenTable, mode: Mode, chosen: str) -> None:
    """Show how numbers are scaled; a joint search can choose."""
    widgets.held(
        st.selectbox,
        SCALE.label,
        _scales(opened, mode),
        key="fit.scale",
        value=chosen,
        taken=partial(_take_scale, opened, mode),
        format_func=lambda name: SCALES[name],
    )
    st.caption(SCALE_OF_NUMBER if opened.recipe.roles.number else SCALE.help)


def _bend(opened: OpenTable) -> None:
    """Show whether the target is bent."""
    settings = opened.recipe.settings
    assert isinstance(settings, NumberSettings)  # of a target that is a number
    widgets.held(
        st.checkbox,
        BEND.label,
        key="fit.bend_target",
        value=settings.bend_target,
        taken=lambda said: opened.edit(settings=replace(settings, bend_target=said)),
        help=BEND.help,
    )


def _scales(opened: OpenTable, mode: Mode) -> list[str]:
    """Return the scales on offer, the usual one first."""
    if opened.recipe.roles.number:  # there are no classes that values could say something of
        return [CHOOSE, *map(str, SCALES_OF_NUMBER)] if mode is Mode.SEARCH else list(map(str, SCALES_OF_NUMBER))
    named = list(map(str, Scale))
    if mode is Mode.QUICK:
        return [CHOOSE, *(name for name in named if name != Scale.STANDARD)]
    return [CHOOSE, *named] if mode is Mode.SEARCH and isinstance(opened.plan, JointPlan) else named


def _take_scale(opened: OpenTable, mode: Mode, said: str) -> None:
    """Take over a scale; one that is stated for a joint search leaves it nothing to choose."""
    plan = asked(opened.recipe, mode).plan if mode is Mode.SEARCH else opened.recipe.plan
    if mode is Mode.SEARCH and isinstance(plan, (JointPlan, NumberPlan)):
        plan = replace(plan, scales=type(plan)().scales if said == CHOOSE else ())
    scale = Scale.STANDARD if said == CHOOSE else Scale(said)
    opened.edit(settings=replace(opened.recipe.settings, scale=scale), plan=plan)


def _backend(opened: OpenTable) -> None:
    """Show what computes."""
    offered = backends()
    chosen = opened.recipe.settings.backend
    widgets.held(
        st.selectbox,
        "Computed by",
        [*offered, *({chosen} - offered.keys())],
        key="fit.backend",
        value=chosen,
        taken=lambda said: opened.edit(settings=replace(opened.recipe.settings, backend=said)),
        format_func=lambda name: offered.get(name, name),
    )
    st.caption(backend_words())


def _offer_found(opened: OpenTable) -> None:
    """Offer to begin with what was found for the model that is shown."""
    study = opened.fitted
    if study is None or study.search is None or study.roles.number != opened.recipe.roles.number:
        return
    found = {name: getattr(study.settings, name) for name in study.recipe.finds}
    settings = replace(opened.recipe.settings, **found)
    if settings != opened.recipe.settings:
        st.button(
            f"Begin with what {_FOUND_BY[mode_of(study)]} has found",
            on_click=lambda: opened.edit(settings=settings),
            key="fit.found",
            type="tertiary",
        )


def changes(settings: FitSettings, usual: FitSettings, *, among: Collection[str] = _SHOWN) -> list[str]:
    """Name the hyperparameters that differ from the defaults.

    Parameters
    ----------
    usual : FitSettings
        The defaults.
    among : collection of str
        Names of the hyperparameters to look at.

    Returns
    -------
    list of str
        Such as ``Batches 3``.

    Examples
    --------
    >>> changes(FitSettings(n_iter=3, lambda_v=0.01), FitSettings())
    ['Batches 3', 'Feature penalty (lambda_v) 1e-2']
    """
    entries = [
        (entry, getattr(settings, entry.name))
        for entry in HYPERPARAMETERS.values()
        if entry.name in among and getattr(settings, entry.name) != getattr(usual, entry.name)
    ]
    return [f"{entry.label} {power_words(value) if entry.bounds.log else value}" for entry, value in entries]


def _setting(opened: OpenTable, entry: Hyperparameter) -> None:
    """Show the widget of one hyperparameter and its sentence."""
    bounds, value = entry.bounds, getattr(opened.recipe.settings, entry.name)
    held = partial(widgets.held, key=f"fit.{entry.name}", value=value, taken=partial(_take, opened, entry))
    if bounds.log:
        held(st.select_slider, entry.label, log_scale(bounds, value), format_func=power_words)
    elif bounds.whole:
        clearable = getattr(opened.usual_settings, entry.name) is None
        held(
            st.number_input,
            entry.label,
            int(bounds.low),
            int(bounds.high),
            clearable=clearable,
            step=1,
            placeholder="all",
        )
    else:
        fine = bounds.high < _COARSE
        step, shown = (0.001, "%.3f") if fine else (0.05, "%.2f")
        held(st.slider, entry.label, bounds.low, bounds.high, step=step, format=shown)
    st.caption(entry.help)


def log_scale(bounds: Bounds, value: float) -> list[float]:
    """Return the steps of a slider over powers of ten, with `value` among them.

    Parameters
    ----------
    value : float
        The present value, which may lie between the steps.

    Returns
    -------
    list of float
        Ascending, from ``bounds.low`` to ``bounds.high``.

    Examples
    --------
    >>> log_scale(Bounds(1e-2, 1e-1), 0.03)
    [0.01, 0.02, 0.03, 0.05, 0.1]
    """
    low, high = round(math.log10(bounds.low)), round(math.log10(bounds.high))
    steps = {float(f"{step}e{power}") for power in range(low, high) for step in _STEPS_PER_DECADE}
    return sorted(steps | {float(f"1e{high}"), value})


def _take(opened: OpenTable, entry: Hyperparameter, value: Any) -> None:
    """Take over one value; an emptied number field means the default."""
    if value is None:
        value = getattr(opened.usual_settings, entry.name)
    opened.edit(settings=replace(opened.recipe.settings, **{entry.name: value}))


def _reset(opened: OpenTable, mode: Mode, shown: Collection[str]) -> None:
    """Return to the defaults of the hyperparameters that are shown."""
    _take_scale(opened, mode, CHOOSE)
    rest = ("backend", "bend_target") if opened.recipe.roles.number else ("backend",)
    usual = {name: getattr(opened.usual_settings, name) for name in (*shown, *rest)}
    opened.edit(settings=replace(opened.recipe.settings, **usual))
