"""Objects in a notebook: two lines as text; tables and figures as HTML in which a stranger's words stay words."""

import subprocess
import sys

import pytest
from hostile.names import study_of

from proset import compare, explain
from proset.common.notebook import Displayed
from proset.report import notebook

MARKUP = "<img src=x onerror=alert(1)>"
MAKERS = {
    "abstention": explain.abstention,
    "batch_map": explain.batch_map,
    "calibration": explain.calibration,
    "choose_reference_point": explain.choose_reference_point,
    "familiarity": explain.familiarity,
    "familiarity_halves": explain.familiarity_halves,
    "feature_densities": explain.feature_densities,
    "feature_scatter": explain.feature_scatter,
    "feature_weights": explain.feature_weights,
    "novelty": explain.novelty,
    "prototypes": explain.prototypes,
    "quality": explain.quality,
    "ranking_curves": explain.ranking_curves,
    "shap_values": lambda study: explain.shap_values(study, [1, 2], 3),
    "standing": lambda study: explain.standing(study, [1, 2]),
    "surface": lambda study: explain.surface(study, n_points=5),
    "study": lambda study: study,
    "value_evidence": explain.value_evidence,
    "table": lambda study: study.table,
}


@pytest.fixture(scope="module")
def hostile():
    return study_of(MARKUP)


def short(found):
    lines = repr(found).split("\n")
    return len(lines) <= 2 and max(map(len, lines)) <= 160


@pytest.mark.parametrize("name", MAKERS)
def test_two_lines_and_strangers_words_as_text(hostile, name):
    found = MAKERS[name](hostile)
    assert isinstance(found, Displayed)
    assert short(found), repr(found)
    page = found._repr_html_()
    assert "<table" in page
    assert "<img src=x" not in page


def test_what_a_study_is_stands_in_two_lines(mixed_study):
    first, second = repr(mixed_study).split("\n")
    assert first.startswith("Study: 'kind' of 'mixed.csv' by 2 of 2 features and ")
    assert second.startswith(
        f"  {len(mixed_study.split.train)} training rows, {len(mixed_study.split.held_out)} held out"
    )


def test_a_study_shows_what_its_report_says(mixed_study):
    page = mixed_study._repr_html_()
    assert all(f"<h2>{title}</h2>" in page for title in ("In short", "Settings", "Quality", "Features", "Prototypes"))
    assert page.count("<figure") >= 3


def test_the_code_that_draws_is_sent_once(mixed_study, monkeypatch):
    monkeypatch.setattr(notebook, "_sent", set())
    one, other = (explain.feature_weights(mixed_study)._repr_html_() for _ in range(2))
    assert len(one) > 1_000_000 > len(other)
    keys = {page.split('<figure data-figure="')[1].split('"')[0] for page in (one, other)}
    assert len(keys) == 2


@pytest.mark.slow
def test_without_plotly_there_are_tables():
    lines = (
        "import sys; sys.modules['plotly'] = None",
        "from proset import explain, ClassifierModel",
        "model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list('aaabbb'))",
        "page = explain.feature_weights(model)._repr_html_()",
        "print('<table' in page, '<figure' in page)",
    )
    run = subprocess.run([sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


def test_a_comparison_shows_its_summary(mixed_study):
    plan = compare.ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False)
    found = compare.compare(mixed_study, plan)
    assert short(found), repr(found)
    assert "log-loss" in found._repr_html_() or "log_loss" in found._repr_html_()
