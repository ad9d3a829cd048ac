"""Strangers' words on Features and Report: every view and every part is drawn, and none of them is markup."""

from __future__ import annotations

import pytest
from hostile.names import STRANGE, study_of

from dashboard.services.cases import CaseRef
from dashboard.services.report import ReportSubject
from dashboard.views import features, report
from proset.report import part_titles


def unescaped(at, text):
    """What of a page's Markdown holds a stranger's text as it is."""
    kinds = (at.markdown, at.caption, at.header, at.subheader, at.info, at.warning)
    return [item.value for kind in kinds for item in kind if text in str(item.value)]


@pytest.mark.parametrize("key", ["markdown picture", "html picture"])
def test_every_view_is_drawn(open_app, key):
    study = study_of(STRANGE[key])
    at = open_app("data")
    at.held.open_study(study)
    for aspect in features.FeatureAspect:
        at.held.put(features.ASPECT, aspect)
        at.go("features")
        assert not at.exception, aspect
        assert not unescaped(at, STRANGE[key]), aspect
    at.held.select(CaseRef.in_table(1))
    for about, case in ((ReportSubject.MODEL, False), (ReportSubject.CASE, True)):
        at.held.put(report.ABOUT, about)
        for name in part_titles(case=case):
            at.held.put(report.INSIDE, name)
            at.go("report")
            assert not at.exception, name
            assert not unescaped(at, STRANGE[key]), name
            assert at.header[0].value == part_titles(case=case)[name] or name == "stability"
