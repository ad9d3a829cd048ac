"""The figures of the Quality page: what is right and wrong, how classes are ranked, and whether probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import confusion_matrix, figure_panel, page, shares, words
from dashboard.services import exports
from dashboard.services import quality as service
from dashboard.services.quality import CLASS, GROUP_BY, SHOWN, GroupBy, Shown
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset import explain
from proset.plots.abstention import plot_abstention
from proset.plots.calibration import plot_calibration
from proset.plots.curves import plot_precision_recall, plot_roc
from proset.plots.familiarity import plot_familiarity

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.explain.abstain import Abstention
    from proset.explain.assessment import Quality
    from proset.explain.calibration_bins import Calibration
    from proset.explain.familiar_halves import FamiliarityHalves
    from proset.study import Study

_OF = "quality.class"
_ORDERS = ("familiarity", "confidence", "novelty")
_MOST_COMPARED = 5000  # rows that are compared with all training rows while a person waits


def show(session: Session, study: Study, found: Quality) -> None:
    """Show the figure that is chosen, and what to know about it."""
    shown = session.get(SHOWN)
    if shown is Shown.CONFUSION:
        confusion_matrix.show(session, study, found.confusion, key="quality")
    elif shown is Shown.CALIBRATION:
        calibration = _calibration(session, study)
        _figure(session, study, plot_calibration(calibration), calibration.words)
    elif shown is Shown.FAMILIARITY:
        _familiarity(session, study)
    elif not found.curves.curves:
        words.notice("info", text.NO_CURVE)
    else:
        figure = plot_roc(found.curves) if shown is Shown.ROC else plot_precision_recall(found.curves)
        _figure(session, study, figure, " ".join(filter(None, (text.CURVES, figure.layout.meta))))


def _figure(session: Session, study: Study, figure: go.Figure, note: str) -> None:
    """Show a figure that is only looked at, with a note below."""
    shown = session.get(SHOWN)
    figure_panel.show(
        figure,
        key=f"quality.{shown.value}.{session.part.value}",
        file_name=exports.file_stem(study.table.name, shown.value),
        alt=f"{text.SHOWN[shown]}. {note}",
    )
    st.caption(words.caption(note))


def _calibration(session: Session, study: Study) -> Calibration:
    """Show whose probability is looked at; return its calibration."""
    names = (None, *study.classes)
    chosen = int(session.get(CLASS))
    now = chosen if chosen < len(names) else 0
    widgets.shows(_OF, now)
    st.selectbox(
        text.OF,
        range(len(names)),
        format_func=lambda place: words.bare(names[place]) if names[place] is not None else text.MOST_PROBABLE,
        key=_OF,
        on_change=lambda: session.put(CLASS, widgets.says(_OF)),
        label_visibility="collapsed",
    )
    judged, part = session.judged(study), session.part
    rows = service.part_index(judged, part)
    return cache.derived(study, "calibration", lambda: explain.calibration(study, rows, of=names[now]), part, now)


def _familiarity(session: Session, study: Study) -> None:
    """Show what is gained by leaving doubtful cases to a person, and how the less familiar half fares."""
    curves, halves = _doubtful(session, study)
    _figure(session, study, plot_abstention(curves), f"{service.halves_words(halves)} {text.ABSTENTION}")
    frame = service.halves_frame(halves)
    st.dataframe(
        shares.in_words(frame, ["balanced_accuracy", "accuracy"]),
        key="quality.halves",
        width="content",
        column_config={
            "familiarity": "Familiarity",
            "cases": "Cases",
            "log_loss": "Log-loss",
            "roc_auc": "ROC-AUC",
            "balanced_accuracy": "Balanced accuracy",
            "accuracy": "Accuracy",
        },
        alt="Quality of all cases, of the more familiar and of the less familiar half.",
    )
    _groups(session, study)


def _groups(session: Session, study: Study) -> None:
    """Show how familiar the cases of each group are."""
    page.section(text.FAMILIAR)
    widgets.choose(session, GROUP_BY, text.FAMILIAR, key="quality.by", words=lambda option: text.GROUPS[option.value])
    by, part, rule = session.get(GROUP_BY), session.part, session.rule
    judged = session.judged(study)
    rows = None if by is GroupBy.PART else service.part_index(judged, part)
    found = cache.derived(
        study, "familiarity", lambda: explain.familiarity(study, rows, groups=by.value, rule=rule), by, part, rule
    )
    figure = plot_familiarity(found, classes=study.classes)
    figure_panel.show(
        figure,
        key=f"quality.groups.{by.value}.{part.value}",
        file_name=exports.file_stem(study.table.name, "familiarity", by.value),
        alt=f"{text.FAMILIAR}: {text.GROUPS[by.value].lower()}.",
    )
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))


def _doubtful(session: Session, study: Study) -> tuple[list[Abstention], FamiliarityHalves]:
    """Return the curves of abstention and table 4.1 on the rows that are looked at, as the session decides."""
    judged, part, rule = session.judged(study), session.part, session.rule
    rows = service.part_index(judged, part)

    def compute() -> tuple[list[Abstention], FamiliarityHalves]:
        orders = _ORDERS if len(rows) <= _MOST_COMPARED else _ORDERS[:2]
        curves = [explain.abstention(study, rows, by=by, rule=rule) for by in orders]
        return curves, explain.familiarity_halves(study, rows, rule=rule)

    return cache.derived(study, "abstention", compute, part, rule)
