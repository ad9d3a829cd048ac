"""Figure of the familiarity of groups of cases (figure 4.4), and of how good the more and less familiar half are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import count_words, measure, number, percent
from proset.explain.familiar.familiar_groups import CLASS, CORRECT, Familiarity
from proset.explain.familiar.familiar_halves import FamiliarityHalves
from proset.plots import style
from proset.plots.texts import plain

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MEASURES = {"log_loss": "log-loss", "roc_auc": "ROC-AUC", "balanced_accuracy": "balanced accuracy"}
_PARTS = {"overall": "all cases", "high": "more familiar half", "low": "less familiar half"}
_PART_COLOURS = {"overall": style.NEUTRAL, "high": style.CLASS_COLOURS[0], "low": style.CLASS_COLOURS[5]}


def plot_familiarity(found: Familiarity, *, classes: Sequence[str] = ()) -> go.Figure:
    """Draw how familiar the cases of each group are, as smooth curves.

    Parameters
    ----------
    found : Familiarity
        From :func:`proset.explain.familiarity`.
    classes : sequence of str
        All classes of the study, so that a class has the colour that it has everywhere; needed for groups by class.

    Returns
    -------
    plotly Figure
        One curve per group, told apart by colour and by dashes; the legend counts the cases of each. The longest right
        tails are left out, which ``layout.meta`` says.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> figure = plot_familiarity(explain.familiarity(study), classes=study.classes)
    >>> [trace.name for trace in figure.data]
    ['setosa (15 cases)', 'versicolor (15 cases)', 'virginica (15 cases)']
    """
    density, facts = found.density(), found.summary()
    medians, counts = facts["median"].to_dict(), facts["cases"].to_dict()
    known = style.class_colours(list(classes)) if found.by == CLASS else {}
    if found.by == CORRECT:
        known = {"correct": style.CLASS_COLOURS[0], "wrong": style.CLASS_COLOURS[5]}
    colours = {name: known.get(name, style.CLASS_COLOURS[i % 7]) for i, name in enumerate(found.groups)}
    figure = go.Figure()
    for name, dash in zip(found.groups, cycle(_DASHES), strict=False):
        own = density[density["group"] == name]
        median = number(float(medians[name]))
        figure.add_trace(
            go.Scatter(
                x=own["familiarity"],
                y=own["density"],
                name=f"{plain(name, limit=30)} ({count_words(int(counts[name]), 'case')})",
                mode="lines",
                line={"color": colours[name], "width": 2.5, "dash": dash},
                hovertemplate=f"<b>{plain(name)}</b><br>familiarity %{{x:.3g}}<br>median {median}<extra></extra>",
            )
        )
    style.finish(figure, x_title="familiarity (total impact of the prototypes)", y_title="density of the cases")
    figure.update_yaxes(rangemode="tozero", showticklabels=False)
    beyond = float((found.values > density["familiarity"].max()).mean()) if len(found.values) else 0.0
    figure.update_layout(meta=f"Not shown: {percent(beyond)} of the cases, farther to the right." if beyond else "")
    return figure


def plot_familiarity_halves(found: FamiliarityHalves) -> go.Figure:
    """Draw the measures of table 4.1 side by side: all cases, the more and the less familiar half.

    Parameters
    ----------
    found : FamiliarityHalves
        From :func:`proset.explain.familiarity_halves`.

    Returns
    -------
    plotly Figure
        One panel per measure. Log-loss: less is better; the others: more is better. A measure that is not defined
        has no mark.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> len(plot_familiarity_halves(explain.familiarity_halves(study)).data)
    3
    """
    titles = [f"{name} ({'less' if key == 'log_loss' else 'more'} is better)" for key, name in _MEASURES.items()]
    figure = make_subplots(rows=1, cols=len(_MEASURES), subplot_titles=titles, shared_yaxes=True)
    parts = [str(name) for name in found.frame.index]
    labels = [_PARTS.get(name, plain(name, limit=24)) for name in parts]
    for column, key in enumerate(_MEASURES, start=1):
        values = found.frame[key].to_numpy()
        figure.add_trace(
            go.Bar(
                x=values,
                y=labels,
                orientation="h",
                text=[measure(float(value)) for value in values],
                textposition="outside",
                cliponaxis=False,
                marker={"color": [_PART_COLOURS.get(name, style.CLASS_COLOURS[4]) for name in parts]},
                customdata=found.frame["cases"],
                hovertemplate="%{y}: %{text}<br>%{customdata:,} cases<extra></extra>",
            ),
            row=1,
            col=column,
        )
        highest = np.nanmax([*values, 1e-3]) if key == "log_loss" else 1.0
        figure.update_xaxes(range=[0.0, 1.25 * highest], row=1, col=column)  # room for the numbers
    style.finish(figure, height=110 + 40 * len(parts), legend=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_annotations(font={"size": 13})
    figure.update_layout(margin={"t": 36})
    return figure
