"""The figures of the Quality page: what is right and wrong, how classes are ranked, and whether probabilities hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, tables, words
from dashboard.components.quality import confusion_matrix, familiarity_groups
from dashboard.services import exports
from dashboard.services.quality import quality as service
from dashboard.services.quality.quality import CLASS, SHOWN, QualityFigure
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset import explain
from proset.plots.abstention import plot_abstention
from proset.plots.calibration import plot_calibration
from proset.plots.curves import plot_precision_recall, plot_roc
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dashboard.services.cases import Part, Within
    from proset.explain.familiar.abstain import Abstention
    from proset.explain.familiar.familiar_halves import FamiliarityHalves
    from proset.explain.judged.assessment import Quality
    from proset.explain.judged.calibration_bins import Calibration
    from proset.study import Study

_ORDERS = ("familiarity", "confidence", "novelty")
_MOST_COMPARED = 5000  # rows that are compared with all training rows while a person waits


def show(session: Session, study: Study, found: Quality) -> None:
    """Show the figure that is chosen, and what to know about it."""
    shown = session.get(SHOWN)
    if shown is QualityFigure.CONFUSION:
        confusion_matrix.show(session, study, found.confusion, key="quality")
    elif shown is QualityFigure.CALIBRATION:
        calibration = _calibration(session, study)
        _figure(session, study, plot_calibration(calibration), calibration.words)
    elif shown is QualityFigure.FAMILIARITY:
        _familiarity(session, study)
    elif not found.curves.curves:
        words.notice("info", text.NO_CURVE)
    else:
        figure = plot_roc(found.curves) if shown is QualityFigure.ROC else plot_precision_recall(found.curves)
        _figure(session, study, figure, " ".join(filter(None, (text.CURVES, figure.layout.meta))))


def _figure(session: Session, study: Study, figure: go.Figure, note: str) -> None:
    """Show a figure that is only looked at, with a note below."""
    shown = session.get(SHOWN)
    figure_panel.show(
        figure,
        key=f"quality.{shown.value}.{session.rows_key}",
        file_name=exports.file_stem(study.table.name, shown.value),
        alt=f"{text.SHOWN[shown]}. {note}",
    )
    st.caption(words.caption(note))


def _calibration(session: Session, study: Study) -> Calibration:
    """Show whose probability is looked at; return its calibration."""
    classes, names = (None, *study.classes), [text.MOST_PROBABLE, *map(words.bare, study.classes)]
    chosen = int(session.get(CLASS))
    now = chosen if chosen < len(names) else 0
    taken = partial(session.put, CLASS)
    widgets.pick_place(text.OF, names, now, key="quality.class", taken=taken, label_visibility="collapsed")
    return cache.derived(_calibrated, study, session.part, classes[now], session.within)


def _calibrated(study: Study, part: Part, class_name: str | None, within: Within | None) -> Calibration:
    return explain.calibration(
        study, service.part_index(cache.judged(study, MOST_PROBABLE), part, within), class_name=class_name
    )


def _familiarity(session: Session, study: Study) -> None:
    """Show what is gained by leaving doubtful cases to a person, and how the less familiar half fares."""
    curves, halves = cache.derived(_abstentions, study, session.part, session.rule, session.within)
    _figure(session, study, plot_abstention(curves), f"{service.halves_words(halves)} {text.ABSTENTION}")
    frame = service.halves_frame(halves)
    st.dataframe(
        tables.in_words(frame, ["balanced_accuracy", "accuracy"]),
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
    page.section(text.FAMILIAR)
    familiarity_groups.show(session, study)


def _abstentions(
    study: Study, part: Part, rule: DecisionRule, within: Within | None
) -> tuple[list[Abstention], FamiliarityHalves]:
    rows = service.part_index(cache.judged(study, rule), part, within)
    orders = _ORDERS if len(rows) <= _MOST_COMPARED else _ORDERS[:2]
    curves = [explain.abstention(study, rows, by=by, rule=rule) for by in orders]
    return curves, explain.familiarity_halves(study, rows, rule=rule)
