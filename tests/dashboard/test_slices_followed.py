"""Surface, Features, Prototypes, Compare and Report with a slice, an empty one, a small one, and nonsense."""

from __future__ import annotations

import io
import json

import numpy as np
import openpyxl
import pytest
from variants import main_cases

from dashboard import cache
from dashboard.components.compare import start as compare_start
from dashboard.components.slices import followed
from dashboard.services.report import Wish
from dashboard.services.slices import rows_within
from dashboard.texts import compare as compare_text
from dashboard.texts import slices as text
from proset import explain
from proset.compare import ComparePlan, TimeEstimate, compare, disagreements, measures_within
from proset.compare.budget import SystemTime
from proset.explain.attribution.many_rows import global_importance
from proset.explain.attribution.reference import choose_reference_point
from proset.explain.maps.surfaces import surface
from proset.explain.slices.conditions import Condition
from proset.explain.slices.slice import Slice
from proset.report import model_report
from proset.report.document import ReportTable
from proset.study.decision import MOST_PROBABLE

COLUMN = "sepal length (cm)"
LONG = Slice((Condition.between(COLUMN, low=5.8),), "long")
FEW = Slice((Condition.between(COLUMN, low=7.0),), "few")
NONE = Slice((Condition.between(COLUMN, low=99.0),), "none")
ASKED = {"features": "aspect", "compare": "compared", "report": "inside"}
EVERY = [
    ("surface", ""),
    *(("features", aspect) for aspect in ("weights", "importance", "pairs", "densities", "stability")),
    ("prototypes", ""),
    *(("compare", aspect) for aspect in ("quality", "disagree", "size", "surfaces", "map")),
    *(("report", inside) for inside in ("summary", "quality")),
]


@pytest.fixture(scope="module")
def found(iris_study):
    """A comparison with nearest neighbours."""
    return compare(iris_study, ComparePlan(("proset", "knn"), n_folds=2, sizes=True, drift=False))


@pytest.fixture
def shown(open_app, iris_study, found, monkeypatch):
    """Return a function that opens a page with the bundled iris data, fitted and compared."""
    measured = TimeEstimate(found.plan, 1, (SystemTime("proset", "proset", 1.0, True, ""),), 1.0, None, float("nan"))
    monkeypatch.setattr(compare_start, "estimate", lambda study, plan, clock: measured)

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", **params)
        at.held.opened.values[iris_study.id, "comparison"] = found
        at.run()
        assert not at.exception
        return at

    return start


def held_out(study, chosen):
    """Held-out rows of a slice in table order."""
    return np.intersect1d(explain.slice_rows(study, chosen), study.split.held_out)


# --- every page -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(("page", "aspect"), main_cases(EVERY, every=3))
def test_a_page_says_which_rows_it_is_about_and_that_there_are_none(shown, iris_study, page, aspect):
    n = len(held_out(iris_study, LONG))
    kept, of_all = f"{n} of 45 held-out rows, those in 'long'", aspect in compare_text.OF_ALL
    own = {
        "weights": text.OF_MODEL,
        "stability": text.OF_REFITS.format(words="'long'"),
        **{name: said.format(words="'long'") for name, said in compare_text.OF_ALL.items()},
    }
    at = shown(page, slice=LONG.to_json(), **{ASKED.get(page, ""): aspect} if aspect else {})
    assert LONG.to_json() in at.query_params["slice"]
    assert own.get(aspect, text.REPORT.format(words="'long'") if page == "report" else kept) in at.words()
    if aspect == "weights":  # of the model, but the densities beside them
        assert f"{len(explain.slice_rows(iris_study, LONG))} of 150 rows, those in 'long'" in at.words()
    at.held.follow(NONE)
    at.run()
    assert not at.exception
    if page == "report":
        assert "No row that can be right or wrong is in 'none'" in at.words()
    elif not of_all and aspect != "stability":
        assert "is in 'none'. Choose other rows at the top of the page." in at.words()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "value"),
    [
        ("surface", "moon"),
        ("features", Slice((Condition.missing("moon"),)).to_json()),
        ("prototypes", json.dumps({"name": 1})),
        ("compare", "7"),
        ("report", Slice((Condition.dated("species", "2024-01-01"),)).to_json()),
    ],
    ids=lambda value: value[:12],
)
def test_an_address_that_names_nonsense_shows_all_rows(open_app, iris_study, page, value):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app(page, data="iris_2f", fit="own", slice=value)
    assert not at.exception
    assert at.warning
    assert at.held.within is None
    assert "those in" not in at.words()


# --- what they show ---------------------------------------------------------------------------------------------------
def test_a_surface_draws_the_cases_of_the_slice_and_the_selected_one(shown, iris_study):
    whole, rows = surface(iris_study), held_out(iris_study, LONG)
    other = int(np.setdiff1d(iris_study.split.held_out, rows)[0])
    at = shown("surface", slice=LONG.to_json(), row=str(other))
    drawn = followed.marked(at.held, whole)
    assert sorted(drawn.samples.index) == sorted([*rows, other])
    assert drawn.probabilities is whole.probabilities
    assert f"{len(rows)} of 45 held-out rows" in at.words()


def test_what_counts_is_the_mean_over_the_rows_of_the_slice(shown, iris_study):
    rows = held_out(iris_study, LONG)
    found = global_importance(
        iris_study, choose_reference_point(iris_study), cases=explain.slice_rows(iris_study, LONG)
    )
    values = explain.shap_values(iris_study, rows, choose_reference_point(iris_study)).values
    assert found.rows == len(rows)
    np.testing.assert_allclose(np.sort(found.frame.mean(axis=1)), np.sort(np.abs(values).mean(axis=(0, 2))), rtol=1e-9)
    at = shown("features", aspect="importance", slice=LONG.to_json())
    assert found.words in at.words()
    assert "features.importance.start" not in [button.key for button in at.button]


def test_prototypes_are_measured_on_the_slice_and_the_list_has_those_that_settle_a_case_of_it(shown, iris_study):
    rows = held_out(iris_study, FEW)
    table = explain.prototypes(iris_study, rows)
    at = shown("prototypes", slice=FEW.to_json())
    assert f"Measured on {len(rows)} of 45 held-out rows, those in 'few'." in at.words()
    assert "too few to say what is usual there" in at.words()
    listed = next(item.value for item in at.dataframe if "dominant" in item.value)
    assert len(listed) == (table.frame["dominant"] > 0).sum() < len(table.frame)
    assert listed["dominant"].sum() == table.frame["dominant"].sum()


def test_systems_are_measured_on_the_slice_without_a_new_fit(shown, iris_study, found):
    rows = held_out(iris_study, LONG)
    inside = measures_within(iris_study, found, explain.slice_rows(iris_study, LONG))
    own = quality = explain.quality_by(iris_study, LONG).frame.loc["long"]
    assert inside.loc["proset", ["rows", "wrong"]].tolist() == own[["rows", "wrong"]].tolist()
    assert inside.loc["proset", "log_loss"] == pytest.approx(quality["log_loss"])
    everywhere = measures_within(iris_study, found)
    assert everywhere["log_loss"].tolist() == pytest.approx([entry.held_out_scores[0] for entry in found.systems])
    at = shown("compare", slice=LONG.to_json())
    table = next(item.value for item in at.dataframe if "all wrong" in item.value)
    assert table["wrong"].tolist() == [f"{wrong} of {len(rows)}" for wrong in inside["wrong"]]
    assert table["all wrong"].tolist() == [f"{wrong} of 45" for wrong in everywhere["wrong"]]
    few = shown("compare", slice=FEW.to_json())
    assert "too few" in few.words()
    assert not any("all wrong" in item.value for item in few.dataframe)


def test_systems_disagree_on_rows_of_the_slice(shown, iris_study, found):
    every, rows = disagreements(iris_study, found), held_out(iris_study, LONG)
    own = disagreements(iris_study, found, explain.slice_rows(iris_study, LONG))
    assert own.n_rows == len(rows)
    assert own.rows.index.tolist() == [row for row in every.rows.index if row in rows]
    share = own.agreement.loc["proset", "knn"]
    assert share == pytest.approx(1.0 - len(own.rows) / len(rows))
    at = shown("compare", compared="disagree", slice=LONG.to_json())
    listed = [item.value for item in at.dataframe if "gap" in item.value]
    assert [frame.index.tolist() for frame in listed] == [own.rows.index.tolist()]


def test_a_report_states_the_slice_beside_all_rows(iris_study):
    by = explain.quality_by(iris_study, LONG).frame
    wrong, all_wrong = int(by["wrong"].iloc[0]), int(iris_study.judged()["wrong"][iris_study.split.held_out].sum())
    assert by.index.tolist() == ["long", "all others", "all rows"]
    assert by["wrong"].iloc[:2].sum() == by["wrong"].iloc[2] == all_wrong
    counted = f"{wrong} of {by['rows'].iloc[0]}; wrong of all: {all_wrong} of 45 (held-out rows)."
    summary, quality = model_report(iris_study, parts=["summary", "quality"], chosen=LONG).parts
    assert any(counted in str(block) for block in summary.blocks)
    assert [table["group"].tolist() for table in tables_by_group(quality)] == [by.index.tolist()]
    book = openpyxl.load_workbook(io.BytesIO(Wish(iris_study, MOST_PROBABLE, chosen=LONG).workbook()))
    assert [cell.value for cell in book["slice"]["A"]] == ["group", *by.index]
    few = model_report(iris_study, parts=["quality"], chosen=FEW).parts[0]
    assert any("are too few to say more" in str(block) for block in few.blocks)
    assert tables_by_group(few) == []


def tables_by_group(part):
    """The tables of a part of a report whose lines are groups of rows."""
    frames = [block.frame for block in part.blocks if isinstance(block, ReportTable)]
    return [frame for frame in frames if "group" in frame]


def test_rows_of_a_slice_are_told_from_those_of_another(iris_study):
    one, other = (rows_within(iris_study, chosen, MOST_PROBABLE) for chosen in (LONG, FEW))
    assert one != other
    assert one == rows_within(iris_study, LONG, MOST_PROBABLE)
