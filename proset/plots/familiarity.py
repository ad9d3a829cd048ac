"""Figure of the familiarity of groups of cases (figure 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.explain.familiar.familiar_groups import CLASS, CORRECT, Familiarity
from proset.explain.phrases import IMPACT_TITLE, familiarity_words
from proset.plots import style
from proset.plots.texts import plain

_GREYS = (style.INK, style.NEUTRAL)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def plot_familiarity(found: Familiarity, *, classes: Sequence[str] = ()) -> go.Figure:
    """Draw how familiar the cases of each group are, as smooth curves.

    Parameters
    ----------
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
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_familiarity(explain.familiarity(study), classes=study.classes)
    >>> [trace.name for trace in figure.data]
    ['setosa (15 cases)', 'versicolor (15 cases)', 'virginica (15 cases)']
    """
    density, facts = found.density(), found.summary()
    medians, places, counts = (facts[column].to_dict() for column in ("median", "median quantile", "cases"))
    known = style.class_colours(list(classes)) if found.by == CLASS else {}
    if found.by == CORRECT:
        known = {"correct": style.NEUTRAL, "wrong": style.WRONG}
    colours = {name: known.get(name, _GREYS[i % len(_GREYS)]) for i, name in enumerate(found.groups)}
    figure = go.Figure()
    for name, dash in zip(found.groups, cycle(_DASHES), strict=False):
        own = density[density["group"] == name]
        median = familiarity_words(float(places[name]), float(medians[name]))
        figure.add_trace(
            go.Scatter(
                x=own["familiarity"],
                y=own["density"],
                name=f"{plain(name, limit=30)} ({count_words(int(counts[name]), 'case')})",
                mode="lines",
                line={"color": colours[name], "width": 2.5, "dash": dash},
                hovertemplate=f"<b>{plain(name)}</b><br>total impact %{{x:.3g}}<br>median {median}<extra></extra>",
            )
        )
    style.finish(figure, x_title=IMPACT_TITLE, y_title="density of the cases")
    figure.update_yaxes(rangemode="tozero", showticklabels=False)
    beyond = float((found.values > density["familiarity"].max()).mean()) if len(found.values) else 0.0
    figure.update_layout(meta=f"Not shown: {percent(beyond)} of the cases, farther to the right." if beyond else "")
    return figure
