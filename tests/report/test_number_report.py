"""The report on a model of a number, and what a notebook shows of it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import proset
from dashboard.services.numbers.fit import notice
from proset import explain
from proset.common.errors import StudyError
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.explain.numbers.number_facts import column_weights, measures_frame, number_limits, worth_words
from proset.report import number_case_report, number_report, part_titles, to_html
from proset.report.document import Picture, ReportTable, Words
from proset.study import NumberSettings
from proset.study.conformal import IntervalCalibration, IntervalLevels
from proset.study.number_metrics import COVERAGE

MARKUP = "<img src=x onerror=alert(1)>"


def study_of(n_rows=240, *, target="price", settings=None, noise=4.0, split=None):
    random = np.random.default_rng(0)
    size, kind = random.uniform(20, 90, n_rows).round(1), random.choice(["flat", "house", "hut"], n_rows)
    frame = pd.DataFrame({"size": size, "kind": kind, "idle": random.normal(size=n_rows).round(2)})
    frame[target] = (3 * size + 60 * (kind == "house") + random.normal(0, noise, n_rows)).round(2)
    table = proset.read_table(frame.to_csv(index=False).encode(), name="homes.csv")
    roles = guess_roles(table, target=target).roles
    return proset.fit_number_study(table, roles, split=split, settings=settings)


@pytest.fixture(scope="module")
def study():
    return study_of()


def blocks(document, kind):
    return [block for part in document.parts for block in part.blocks if isinstance(block, kind)]


def said(document):
    return " ".join(line for block in blocks(document, Words) for line in block.lines)


def test_parts_stand_in_their_order_and_unknown_ones_are_refused(study):
    document = number_report(study, parts=["limits", "picture", "summary"])
    assert [part.name for part in document.parts] == ["summary", "picture", "limits"]
    assert list(part_titles(case=False, number=True)) == [part.name for part in number_report(study).parts]
    with pytest.raises(StudyError, match=r"no part 'map' in this report\. Parts: summary, picture"):
        number_report(study, parts=["map"])


def test_no_word_about_classes(study):
    text = to_html(number_report(study)).partition("<noscript>")[0].lower()
    assert "class" not in text.replace('class="', "")
    assert "price" in text


def test_the_measures_are_those_of_the_predictions(study):
    held_out = study.predictions.loc[pd.Index(study.split.held_out)]
    lines = measures_frame(study).set_index("measure")
    assert lines.loc["mean absolute error", "model"] == pytest.approx(held_out["error"].abs().mean(), rel=1e-6)
    rmse = np.sqrt(np.square(held_out["mean"] - held_out["actual"]).mean())
    assert lines.loc["root mean square error", "model"] == pytest.approx(rmse, rel=1e-6)
    assert lines.loc["inside the 90 % interval", "model"] == pytest.approx(held_out["inside"].mean())
    width = (held_out["upper"] - held_out["lower"]).mean()
    assert lines.loc["width of that interval", "model"] == pytest.approx(width, rel=1e-6)
    everybody = (held_out["actual"] - study.targets.loc[pd.Index(study.split.train)].median()).abs().mean()
    assert lines.loc["mean absolute error", "as everybody"] == pytest.approx(everybody, rel=0.02)


def test_errors_are_listed_largest_first_and_by_familiarity(study):
    by_familiarity, worst = [table.frame for table in blocks(number_report(study, parts=["quality"]), ReportTable)]
    assert worst["error"].abs().is_monotonic_decreasing
    held_out = study.predictions.loc[pd.Index(study.split.held_out)]
    assert worst["row"].iloc[0] == held_out["error"].abs().idxmax()
    assert by_familiarity["rows"].sum() == len(held_out)
    weighted = (by_familiarity["mean absolute error"] * by_familiarity["rows"]).sum() / len(held_out)
    assert weighted == pytest.approx(held_out["error"].abs().mean())


def test_a_category_is_one_column(study):
    weights = column_weights(study)
    assert set(weights.index) <= {"size", "kind", "idle"}
    levels = study.feature_weights[study.feature_weights.index.str.startswith("kind")]
    assert len(levels) > 1
    np.testing.assert_allclose(weights.loc["kind"], levels.max(axis=0))


def test_the_picture_is_that_of_the_held_out_rows(study):
    (picture,) = blocks(number_report(study, parts=["picture"]), Picture)
    marks = {trace.name: trace for trace in picture.figure.data}
    held_out = study.predictions.loc[pd.Index(study.split.held_out)]
    assert [entry[0] for entry in marks["row"].customdata] == held_out.index.tolist()
    assert ("outside its interval" in marks) == (not held_out["inside"].all())
    assert "Drawn are" not in picture.caption


def test_a_model_without_prototypes_says_so():
    bare = study_of(60, settings=NumberSettings(n_iter=0))
    document = number_report(bare)
    assert "It says of every case" in said(document) or "it says of every case" in said(document)
    assert "The model has no prototypes." in said(document)
    assert "The model uses no feature." in said(document)
    assert "<table" in to_html(document)


def test_limits_speak_of_chance_only_where_rows_were_drawn_by_chance(study):
    assert any("held out by chance" in line for line in number_limits(study))
    ordered = study_of(90, split=SplitSettings(file_order=True))
    assert not any("held out by chance" in line for line in number_limits(ordered))


def test_intervals_that_are_too_narrow_are_called_so(study, monkeypatch):
    assert "too narrow" not in " ".join(worth_words(study))
    narrow = study.with_calibration(between(0.3, 0.7))
    assert "held-out rows: too narrow; they are" in worth_words(narrow)[-1]
    assert (notice(narrow).kind, notice(study).kind) == ("warning", "success")
    careful = study.with_calibration(between(1e-9, 1.0 - 1e-9))
    assert "too wide; they are" in worth_words(careful)[-1]
    worse = replace(study, metrics=replace(study.metrics, crps=study.metrics.naive_crps))
    assert any("no better than" in line for line in worth_words(worse))


def between(low, high):
    """Return a calibration that puts the ends of 90 % at other levels."""
    return IntervalCalibration(50, (IntervalLevels(COVERAGE, low, high),))


def test_fit_quality_and_report_say_the_same_of_intervals(study):
    roles = study.roles.with_role("kind", Role.EXTRA)
    grouped = proset.fit_number_study(study.table, roles, split=SplitSettings(groups="idle"))
    for one in (study, study_of(90), grouped, study.with_calibration(between(0.012, 0.988))):
        quality = explain.number_quality(one).words
        said = quality[quality.index("the ") + 4 : -1]
        assert " intervals hold " in said
        assert f"The {said}." in notice(one).text
        assert f"The {said}; they are" in worth_words(one)[-1]


def test_a_strangers_words_stay_words():
    hostile = study_of(60, target=MARKUP)
    text = to_html(number_report(hostile))
    assert "<img src=x" not in text
    assert "&lt;img src=x" in text
    page = hostile._repr_html_()
    assert "<img src=x" not in page
    assert "<table" in page
    assert "<figure" in page


def test_a_notebook_shows_two_lines_tables_and_the_picture(study):
    first, second = repr(study).split("\n")
    assert first.startswith("NumberStudy: 'price' of 'homes.csv' by ")
    assert "held out: mean absolute error" in second
    page = study._repr_html_()
    assert "Numbers of the rows above the medians stated" in page
    assert len(blocks(number_report(study, parts=["picture"]), Picture)) == 1


class TestOneCase:
    """The report on one case."""

    def test_it_says_what_the_engine_says(self, study):
        row = int(study.split.held_out[0])
        document, answer = number_case_report(study, study.case(row)), explain.number_answer(study, row)
        assert [part.name for part in document.parts] == list(part_titles(case=True, number=True))
        assert document.title.startswith(f"Row {row} of homes.csv: price about ")
        words = said(document)
        assert answer.words in words
        assert answer.said_by(0) in words
        assert explain.number_moves(study, row, float(f"{0.5 * answer.width:.2g}")).words in words
        assert "has seen its number" not in words
        shap = explain.number_shap(study, row)
        tables = [table.frame for table in blocks(document, ReportTable)]
        (moved,) = [frame for frame in tables if "adds" in frame]
        assert moved["adds"].sum() == pytest.approx(shap.answer - shap.base)
        (near,) = [frame for frame in tables if "is a prototype" in frame]
        assert near["name"].tolist() == explain.number_neighbours(study, row).frame["name"].tolist()

    def test_no_word_about_classes(self, study):
        text = to_html(number_case_report(study, study.case(5))).partition("<noscript>")[0].lower()
        assert "class" not in text.replace('class="', "")

    def test_a_row_that_was_learned_from_says_so(self, study):
        row = int(study.split.train[0])
        assert "has seen its number" in said(number_case_report(study, study.case(row), parts=["verdict"]))

    def test_a_new_row_has_no_number_to_compare_with(self, study):
        frame = study.table.frame.iloc[[3]].drop(columns="price")
        document = number_case_report(study, study.case(frame))
        assert "of new data" in document.title
        assert "The row itself states" not in said(document)

    def test_a_model_without_prototypes_says_so(self):
        bare = study_of(60, settings=NumberSettings(n_iter=0))
        words = said(number_case_report(bare, bare.case(1)))
        assert "has no prototypes" in words
        assert "uses no column" in words

    def test_unknown_parts_are_refused(self, study):
        with pytest.raises(StudyError, match="no part 'summary' in this report"):
            number_case_report(study, study.case(1), parts=["summary"])
