"""The systems of a comparison in tables: how good they are, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, tables, words
from dashboard.services.compare import found as service
from dashboard.services.compare.choices import both_names
from dashboard.services.exports import file_stem
from dashboard.texts import compare as text
from proset.compare import cost_table, metric_table
from proset.compare.verdict import beside_rule, verdict
from proset.plots import style
from proset.plots.compare_measures import plot_measures

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.session.session import Session
    from proset.compare import Comparison
    from proset.study import Study

_WIDE, _NARROW = 128, 88
_BEST = f"font-weight: bold; background-color: {style.tinted(style.NEUTRAL, 0.3)}"
_AS_GOOD = f"background-color: {style.tinted(style.NEUTRAL, 0.15)}"


def quality(session: Session, study: Study, found: Comparison) -> None:
    """Show the measures of each system, over the folds and on held-out rows."""
    table = cache.derived(metric_table, found)
    said = verdict(found)
    if said:
        page.finding(said)
    figure = plot_measures(table, current="proset")
    figure_panel.show(
        figure,
        key="compare.measures",
        file_name=file_stem(study.table.name, "compare", "measures"),
        alt=f"Log-loss and balanced accuracy of each system over the folds, with intervals. {said}",
    )
    st.caption(words.caption(" ".join(filter(None, (text.DOTS, figure.layout.meta)))))
    numbers, texts = service.metric_lines(table)
    column = st.column_config.Column
    config = {
        "System": column(width=190, pinned=True),
        "equivalent": column(text.EQUIVALENT, width=_NARROW, help=text.EQUIVALENT_HELP),
    }
    for name, title in service.MEASURES.items():
        config[f"{name}_mean"] = column(title, width=_WIDE, help=text.MEASURES[name])
        config[f"{name}_held_out"] = column(text.HELD_OUT[found.which], width=_NARROW, help=text.MEASURES[name])
    # Still numbers below, so that a click on the heading sorts them.
    written: dict[Any, str | Callable[[object], str] | None] = {
        name: _say(dict(zip(numbers[name], texts[name], strict=True))) for name in texts.columns.drop("equivalent")
    }
    styled = numbers.style.apply(lambda _: _look(numbers), axis=None).format(written)
    st.dataframe(
        styled,
        key="compare.quality",
        height=tables.height(len(numbers)),
        column_config=config,
        placeholder="–",
        column_order=["log_loss_mean", "equivalent", *texts.columns.drop(["log_loss_mean", "equivalent"])],
        alt="Measures of each system: "
        + "; ".join(f"{name} log-loss {said}" for name, said in texts["log_loss_mean"].items()),
    )
    searched = text.SEARCHED if _flattered(study, found) else ""
    st.caption(words.caption(" ".join((text.TWO_NUMBERS[found.which], *table.words, beside_rule(found), searched))))
    failures(found)
    settings(found)


def failures(found: Comparison) -> None:
    """Say which systems could not be compared, and why."""
    failed = [f"{entry.title}: {entry.failed}" for entry in found.systems if entry.failed]
    if failed:
        words.notice("warning", " ".join(failed))


def settings(found: Comparison) -> None:
    """Say what each system is and how it is set."""
    lines = {
        both_names(text.SHORT[entry.key], entry.title): [entry.about, entry.settings, " ".join(entry.notes)]
        for entry in found.systems
        if entry.settings or not entry.failed
    }
    with st.expander(text.WHAT_THEY_ARE, icon=":material/info:", key="compare.about"):
        for name, (about, setting, notes) in lines.items():
            said = " ".join(filter(None, (about, f"Here: {setting}." if setting else "", notes)))
            st.markdown(f"**{words.markdown(name)}** {words.markdown(said)}")


def cost(session: Session, study: Study, found: Comparison) -> None:
    """Show what each system costs."""
    frame = cost_table(found).set_index("title").rename_axis("System")
    number = st.column_config.NumberColumn
    st.dataframe(
        frame.assign(size_bytes=frame["size_bytes"] / 1024.0, predict_seconds=1_000.0 * frame["predict_seconds"]),
        key="compare.cost",
        height=tables.height(len(frame)),
        width="content",
        placeholder="–",
        column_config={
            "System": st.column_config.TextColumn(width=190),
            "fit_seconds": number("Learning, s", format="%.3f", help=text.FIT_SECONDS),
            "predict_seconds": number("1,000 estimates, ms", format="%.1f", help=text.PREDICT_SECONDS),
            "size_bytes": number("Size, KiB", format="%.1f", help=text.SIZE_BYTES),
            "n_prototypes": number("Prototypes", format="localized", help=text.N_PROTOTYPES),
            "n_features": number("Features", format="localized", help=text.N_FEATURES),
        },
        alt="Seconds and size of each system.",
    )
    st.caption(text.COST)


def _flattered(study: Study, found: Comparison) -> bool:
    """Tell whether the settings of proset, and only these, were chosen on the rows of the folds."""
    return study.search is not None and not found.plan.tuned and "proset" in found.plan.systems


def _say(said: dict[float, str]) -> Callable[[object], str]:
    """Return what writes a number of a column."""
    return lambda value: said.get(value, "–") if isinstance(value, float) else "–"


def _look(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the look of each cell: the best by the folds, and those that are as good."""
    css = pd.DataFrame("", index=numbers.index, columns=numbers.columns)
    css.loc[numbers["equivalent"].eq("yes"), ["log_loss_mean", "equivalent"]] = _AS_GOOD
    css.loc[numbers["equivalent"].eq("best"), ["log_loss_mean", "equivalent"]] = _BEST
    return css
