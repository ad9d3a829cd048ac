"""Slices on the pages of a number: where intervals miss, what is followed and what is not, the editor, and nonsense."""

from __future__ import annotations

import json

import pytest
from number_tables import surprised, surprised_unseen

from dashboard.services.cases import Part, part_rows
from dashboard.services.numbers import prototypes as prototype_service
from dashboard.services.numbers import quality as quality_service
from dashboard.services.slices import rows_within
from dashboard.texts import number_quality as quality_text
from dashboard.texts import slices as text
from dashboard.work.tasks import UNSEEN
from proset import explain
from proset.explain.numbers.number_facts import calibration_words
from proset.explain.slices.conditions import Condition, ConditionKind
from proset.explain.slices.slice import Slice
from proset.study.calibration import calibrate_intervals, calibrated_folds
from proset.study.decision import MOST_PROBABLE

OLD = Slice((Condition.between("age", low=60.0),), "old")
FEW = Slice((Condition.between("size", low=196.0),), "few")
NONE = Slice((Condition.between("age", low=999.0),), "none")


@pytest.fixture
def shown(app):
    """Return a function that opens a page with the surprised study, and follows a slice."""

    def start(page, chosen=None):
        app.held.open_study(surprised())
        if chosen is not None:
            app.held.opened.keep_slice(chosen)
            app.held.follow(chosen)
        app.go(page)
        assert not app.exception
        return app

    return start


def held_out(chosen):
    """Held-out rows of a slice."""
    study = surprised()
    return part_rows(study.predictions, Part.HELD_OUT, rows_within(study, chosen, MOST_PROBABLE))


@pytest.mark.slow
def test_quality_says_where_intervals_miss_and_shows_these_cases(shown):
    at = shown("quality")
    first = explain.find_error_slices(surprised()).found[0]
    assert first.words in at.words()
    at.button(key="slices.look.0").click().run()
    assert not at.exception
    assert tuple(case.row for case in at.held.cases.picked) == first.wrong_rows
    assert at.held.case.row == first.wrong_rows[0]


@pytest.mark.slow
def test_training_rows_count_once_models_that_have_not_seen_them_judge_them(shown):
    study = surprised()
    at = shown("quality")
    assert text.MORE_NUMBERS in at.words()
    assert at.button(key="review.unseen")
    folds = surprised_unseen()
    at.held.opened.keep_result(study, UNSEEN.name, folds)
    at.run()
    assert not at.exception
    assert text.MORE_NUMBERS not in at.words()
    assert explain.find_error_slices(study, folds).words in at.words()
    at.held.look_at_part(Part.TRAIN)
    at.run()
    assert not at.exception
    assert explain.number_quality(study, study.split.train, unseen=folds).words in at.words()
    assert quality_text.JUDGED in at.words()
    assert not at.warning


def test_a_part_is_kept_and_measured(shown):
    at = shown("quality")
    at.button(key="slices.keep.0").click().run()
    assert not at.exception
    first = explain.find_error_slices(surprised()).found[0].slice
    assert at.held.opened.slices == (first,)
    rows = held_out(first)
    assert f"Measured on {len(rows)} of 160 held-out rows, those in {first.words}." in at.words()
    found = explain.number_quality(surprised(), rows.index)
    assert found.words in at.words()
    table = next(frame.value for frame in at.dataframe if "everybody" in frame.value)
    assert table["value"].to_dict() == quality_service.measure_frame(found)["value"].to_dict()
    # What is looked for is looked for in all rows.
    assert explain.find_error_slices(surprised()).words in at.words()


@pytest.mark.slow
def test_pages_follow_or_say_that_they_do_not(shown):
    study, rows = surprised(), held_out(OLD)
    within = rows_within(study, OLD, MOST_PROBABLE)
    at = shown("map", OLD)
    assert (
        f"Strong marks: {len(rows)} of 160 held-out rows, those in 'old'; the marks of all others are faded."
        in at.words()
    )
    at.go("surface")
    assert text.SURFACE_NUMBER.format(words="'old'") in at.words()
    at.go("features")
    assert text.OF_MODEL_NUMBER in at.words()
    at.go("prototypes")
    assert f"Measured on {len(rows)} held-out rows in 'old'." in at.words()
    listed = next(frame.value for frame in at.dataframe if "leads" in frame.value)
    own = prototype_service.prototypes(study, Part.HELD_OUT, within).frame
    assert listed["leads"].sum() == own["leads"].sum()
    at.go("case")
    outside = int((~rows["inside"].astype(bool)).sum())
    assert f"{outside} held-out rows in 'old' outside their interval" in at.words()
    assert text.NOT_FOLLOWED not in at.words()
    for page in ("compare", "report"):
        at.go(page)
        assert not at.exception
        assert text.NOT_FOLLOWED in at.words()


@pytest.mark.slow
@pytest.mark.parametrize("page", ["quality", "map", "surface", "features", "prototypes", "case", "new", "report"])
@pytest.mark.parametrize("chosen", [NONE, FEW], ids=lambda one: one.name)
def test_none_and_few_rows_are_said_and_nothing_breaks(shown, page, chosen):
    at = shown(page, chosen)
    count = len(held_out(chosen))
    assert count < 5
    if page in ("quality", "map", "prototypes") and not count:
        assert "is in 'none'. Choose other rows at the top of the page." in at.words()
    if page == "quality" and count:
        assert "too few to say what is usual there" in at.words()


def test_a_map_fades_the_others_and_a_click_leaves_them_so():
    from proset.plots.number_map import draft_number_map

    mapping = explain.number_map(surprised())
    rows = held_out(OLD).index
    draft = draft_number_map(mapping, bright=rows)
    pale, strong = (trace for trace in draft.traces if trace.get("name") == "row")
    assert len(strong["x"]) == len(rows)
    assert len(pale["x"]) == 160 - len(rows)
    for trace in (pale, strong):
        assert trace["unselected"]["marker"]["opacity"] == trace["marker"]["opacity"]
    assert pale["marker"]["opacity"] < strong["marker"]["opacity"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "enter", "made"),
    [
        (1, lambda at: at.number_input(key="slices.editor.0.median.low").set_value(300.0),
         Condition(ConditionKind.MEDIAN, low=300.0)),
        (2, lambda at: at.multiselect(key="slices.editor.0.inside").set_value([1]),
         Condition(ConditionKind.RESULT, values=("outside",))),
    ],
    ids=["median", "interval"],
)  # fmt: skip
def test_the_editor_asks_for_what_a_model_of_a_number_says(shown, place, enter, made):
    at = shown("quality")
    at.toggle(key="slices.new").set_value(True).run()
    at.selectbox(key="slices.editor.0").select_index(place).run()
    enter(at)
    at.run()
    at.button(key="slices.editor.save").click().run()
    assert not at.exception
    assert at.held.slice == Slice((made,))
    assert len(at.held.within.rows) == len(explain.slice_rows(surprised(), Slice((made,))))


def test_the_cases_that_are_listed_become_a_slice(shown):
    at = shown("case")
    at.toggle(key="slices.new").set_value(True).run()
    at.selectbox(key="slices.editor.0").select_index(5).run()
    at.button(key="slices.editor.save").click().run()
    assert not at.exception
    said = surprised().predictions.loc[surprised().split.held_out]
    assert sorted(at.held.within.rows) == sorted(said.index[~said["inside"].astype(bool)])


@pytest.mark.parametrize(
    "condition",
    [Condition(ConditionKind.RESULT, values=("wrong",)), Condition(ConditionKind.ESTIMATE, "north", low=0.5)],
    ids=str,
)
def test_a_slice_of_a_model_of_classes_is_said_and_all_rows_are_shown(shown, condition):
    at = shown("quality", Slice((condition,)))
    assert any("cannot be followed" in each.value for each in at.warning)
    assert at.held.within is None
    assert json.loads(at.held.opened.slices[0].to_json())["conditions"]  # it stays for a model that can


@pytest.mark.slow
def test_intervals_are_calibrated_on_every_page_and_the_model_without_stays(shown):
    study, at = surprised(), shown("quality")
    assert quality_text.CALIBRATE_FIRST in at.words()
    folds = surprised_unseen()
    at.held.opened.keep_result(study, UNSEEN.name, folds)
    at.run()
    assert quality_text.CALIBRATE_FIRST not in at.words()
    at.button(key="number.quality.calibrate").click().run()
    assert not at.exception
    found = at.held.number
    assert found.id == calibrate_intervals(study, folds).id
    assert list(at.held.opened.models) == [study.id, found.id]
    assert quality_text.CALIBRATED in at.words()
    assert explain.number_quality(found).words in at.words()
    assert explain.find_error_slices(found, calibrated_folds(folds, found.calibration)).words in at.words()
    assert calibration_words(found) in at.words()
    assert "number.quality.calibrate" not in {button.key for button in at.button}
    names = list(at.held.opened.model_names.values())
    assert [name.endswith("intervals calibrated") for name in names] == [False, True]
    for page in ("case", "fit", "report", "new"):
        at.go(page)
        assert not at.exception
    at.held.opened.switch(study.id)
    at.go("quality")
    assert at.button(key="number.quality.calibrate")


@pytest.mark.slow
def test_too_few_rows_calibrate_nothing_and_it_is_said(shown, monkeypatch):
    study, at = surprised(), shown("quality")
    few = surprised_unseen()
    monkeypatch.setattr("proset.study.conformal.FEWEST_ROWS", len(few.rows) + 1)
    at.held.opened.keep_result(study, UNSEEN.name, few)
    at.run()
    at.button(key="number.quality.calibrate").click().run()
    assert not at.exception
    assert at.held.number is study
    assert f"Intervals are calibrated by at least {len(few.rows) + 1} rows; there are {len(few.rows)}." in at.words()
