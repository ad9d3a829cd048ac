"""One menu of downloads in the head of a page; figures in it say what they show."""

from __future__ import annotations

import pandas as pd
import pytest

from dashboard.components import downloads
from dashboard.components.downloads import HTML, Download
from dashboard.services.cases import CaseRef, CaseSet
from dashboard.services.exports import with_heading
from dashboard.services.quality.judged_words import judged_words
from dashboard.session.session import Session
from proset.data.samples import load_sample, sample_roles
from proset.study import fit_study


def test_a_figure_says_page_data_case_and_verdict():
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    session = Session()
    session.open_study(study)
    case = CaseSet().cases(study.judged())[0]
    session.select(case)
    title, lines = downloads._about(session)
    assert title == study.table.name
    (line,) = lines
    assert line.startswith(f"Row {case.row}: estimate '")
    assert line.endswith(", misclassified")
    file = Download("Map (HTML)", "map.html", HTML, lambda: b"<html><head></head><body><p>x</p></body></html>")
    text = downloads._with_heading(file, title, lines).decode()
    assert f"<h1>{study.table.name}</h1><p>Map</p><p>Row {case.row}" in text
    session.select(None)
    assert downloads._about(session)[1] == ()
    session.select(CaseRef.read("new-3"))
    assert downloads._about(session)[1] == ()


@pytest.mark.parametrize("word", ["<script>alert(1)</script>", "a & b"])
def test_words_of_strangers_are_text_in_a_file(word):
    page = with_heading(b"<html><head></head><body></body></html>", word, [word]).decode()
    assert "<script>" not in page
    assert "a & b" not in page
    assert with_heading(b"no page", word) == b"no page"
    document = b"<html><head><title>Minutes</title></head><body><h1>Minutes</h1></body></html>"
    assert with_heading(document, word) == document  # it has a title of its own


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"correct": True, "left": False}, "right"),
        ({"correct": None, "left": True}, "left to a person"),
    ],
)
def test_the_verdict_in_words(line, said):
    usual = {"predicted": "a", "confidence": 0.5, "actual": "a"}
    assert judged_words(pd.Series(usual | line)).endswith(f", {said}")
    nobody = pd.Series({"predicted": "a", "confidence": 0.5, "actual": None, "correct": None, "left": False})
    assert judged_words(nobody) == "estimate 'a' (50.0 %)"


def test_all_files_of_a_page_are_in_one_menu(open_app):
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    at.go("map")
    menus = [block for block in at._tree if getattr(block, "type", "") == "popover" and block.proto.popover]
    labels = [menu.proto.popover.label for menu in menus]
    assert labels.count("Downloads") == 1
    assert len(at.get("download_button")) >= 2
