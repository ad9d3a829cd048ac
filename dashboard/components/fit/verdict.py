"""Result of a fit: the quality on rows not seen, beside what the model looks at."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import fitted, page, words
from dashboard.services.fit import verdict as service
from dashboard.services.quality.rules import rule_words
from dashboard.session.session import Session
from dashboard.texts import fit as text
from proset.common.words import count_words
from proset.data.scales import Scale
from proset.explain.judged.lone_column import lone_column
from proset.study import Study
from proset.study.judging import judge_model
from proset.study.verdict import Verdict

_SCALE_WORDS = {kind: f" Numbers are on a {kind} scale, on which a standard deviation is 1." for kind in Scale} | {
    Scale.STANDARD: "",
    Scale.EVIDENCE: " Beside its values a column has a weight for what these say of each class, its evidence.",
}


def held_out_verdict(session: Session, study: Study) -> Verdict:
    """Return what the model adds to the class shares, as the session decides."""
    rule = session.rule
    return cache.derived(judge_model, study, rule)


def show(session: Session, study: Study, verdict: Verdict) -> None:
    """Show the verdict, and what the model looks at and has kept beside the measures on held-out rows."""
    found = service.notice(study, verdict, cache.derived(lone_column, study))
    words.notice(found.kind, found.finding, found.advice)
    picture, aside = fitted.beside(session)
    with picture:
        fitted.looks_at(study, text.LOOKS_AT, f"{text.WEIGHTS}{_SCALE_WORDS[study.settings.scale]}")
        if found.basis:
            st.caption(f"**{text.CHECKED}** {words.caption(found.basis)}")
        fitted.batches(session, study, service.batch_table(study), text.NO_BATCH)
    with aside:
        page.section(f"On {count_words(study.metrics.n_rows, 'held-out row')}")
        fitted.measures(session, [(entry, f"naive {entry.naive}") for entry in service.measures(study, verdict)])
        st.caption(f"{words.caption(rule_words(session.rule, study.classes))} {text.NAIVE}")
        page.link(session, "quality", "What is right and wrong, and whether probabilities hold", content=True)
