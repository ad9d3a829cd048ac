"""Slices on pages: where the model goes wrong, the choice in the frame, the editor, addresses, and what is kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dashboard import cache
from dashboard.components.review import desk
from dashboard.services.addresses.cases import read_cases, write_cases
from dashboard.services.cases import CaseSet, Part, Within
from dashboard.services.slices import SLICE, rows_within
from dashboard.session import written
from dashboard.session.opened import OpenTable
from dashboard.texts import slices as text
from dashboard.texts.review import BLIND_SLICE
from proset import explain
from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.explain.slices.conditions import Condition, ConditionKind
from proset.explain.slices.slice import Slice
from proset.study import DecisionRule, fit_study
from proset.study.settings import suggest_settings

LONG = Slice((Condition.between("sepal length (cm)", low=5.8),), "long")


@pytest.fixture(scope="module")
def iris_study():
    """A model that is wrong more often in one part of the table than elsewhere."""
    settings = replace(suggest_settings(150, 2), random_state=1)
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=settings)


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens a page with the bundled iris data, fitted."""

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", random_state="1", **params)
        assert not at.exception
        return at

    return start


def said(at):
    """All paragraphs and captions of the page."""
    return [each.value.replace("\\", "") for each in (*at.markdown, *at.caption)]


def held_out(study, chosen):
    """Held-out rows of a slice, and how many are wrong."""
    judged = study.judged()
    own = judged[judged.index.isin(explain.slice_rows(study, chosen)) & (judged["part"] == "held_out")]
    return len(own), int(own["wrong"].sum())


def test_quality_says_where_it_goes_wrong_and_shows_these_cases(fitted, iris_study):
    at = fitted("quality")
    first = explain.find_error_slices(iris_study).found[0]
    counted = f"{first.wrong} of {first.rows} wrong"
    assert any(counted in line for line in said(at))
    at.button(key="slices.look.0").click()
    at.run()
    assert not at.exception
    assert tuple(case.row for case in at.held.cases.picked) == first.wrong_rows
    assert at.held.case.row == first.wrong_rows[0]


def test_a_part_is_kept_and_followed_by_pages(fitted, iris_study):
    at = fitted("quality")
    at.button(key="slices.keep.0").click()
    at.run()
    first = explain.find_error_slices(iris_study).found[0].slice
    n, n_wrong = held_out(iris_study, first)
    assert at.held.opened.slices == (first,)
    assert any(line.startswith(f"Measured on {n} held-out rows with a known class, those in") for line in said(at))
    assert len(at.held.cases.cases(at.held.judged(at.held.study))) == n_wrong
    at.selectbox(key=at.key("quality.by")).set_value(-1)
    at.run()
    groups = next(frame.value for frame in at.dataframe if "log_loss" in frame.value and "share" in frame.value)
    assert groups["wrong"].iloc[0] == f"{n_wrong} of {n}"
    at.go("map")
    assert any(f"{n} held-out rows, {n_wrong} of them misclassified" in line for line in said(at))
    assert not any(text.NOT_FOLLOWED in line for line in said(at))
    at.go("fit")
    assert any(text.NOT_FOLLOWED in line for line in said(at))
    at.go("quality")
    at.button(key="slices.drop").click()
    at.run()
    assert at.held.opened.slices == ()
    assert at.held.within is None


def test_the_editor_makes_a_slice_of_what_is_entered(fitted, iris_study):
    at = fitted("quality")
    at.toggle(key="slices.new").set_value(True)
    at.run()
    column = list(iris_study.table.frame.columns).index("sepal length (cm)")
    at.selectbox(key="slices.editor.0").select_index(1 + 5 + column)
    at.run()
    at.number_input(key=f"slices.editor.0.{column}.low").set_value(7.0)
    at.number_input(key=f"slices.editor.0.{column}.high").set_value(6.0)
    at.run()
    assert any("begins at 7" in each.value for each in at.warning)
    at.number_input(key=f"slices.editor.0.{column}.high").set_value(None)
    at.text_input(key="slices.editor.name").set_value("tall")
    at.run()
    at.button(key="slices.editor.save").click()
    at.run()
    assert not at.exception
    made = Slice((Condition.between("sepal length (cm)", low=7.0),), "tall")
    assert at.held.opened.slices == (made,)
    assert at.held.slice == made


def test_an_address_of_a_bundled_table_has_the_slice(fitted, iris_study):
    at = fitted("quality", slice=LONG.to_json())
    assert at.held.slice == LONG
    assert at.held.opened.slices == ()
    assert LONG.to_json() in at.query_params["slice"]
    assert any("those in 'long'" in line for line in said(at))


@pytest.mark.parametrize(
    "value", ["moon", "0", "99", "7", "{", json.dumps({"name": "", "conditions": []})], ids=lambda value: value[:5]
)
def test_a_slice_that_cannot_be_meant_is_said_and_all_rows_are_shown(fitted, value):
    at = fitted("quality", slice=value)
    assert at.warning
    assert at.held.within is None


@pytest.mark.parametrize(
    "condition",
    [Condition.missing("moon"), Condition(ConditionKind.ESTIMATE, "moon", low=0.5), Condition.between("species", 1.0)],
    ids=str,
)
def test_a_slice_of_another_table_is_said_and_all_rows_are_shown(fitted, condition):
    at = fitted("quality", slice=Slice((condition,)).to_json())
    assert any("cannot be followed" in each.value for each in at.warning)
    assert at.held.within is None


def test_a_slice_without_rows_has_nothing_to_measure(fitted):
    at = fitted("quality", slice=Slice((Condition.between("sepal length (cm)", low=99.0),)).to_json())
    assert not at.exception
    at.go("map")
    assert not at.exception
    at.go("case")
    assert not at.exception


def test_an_upload_has_the_number_of_its_slice_in_the_address(iris_study):
    opened = OpenTable.start(iris_study.table)
    low = [Slice((Condition.between("sepal length (cm)", low=low),), str(low)) for low in (5.0, 6.0, 7.0)]
    for each in low:
        opened.keep_slice(each)
    values = [opened.slice_value(each) for each in low]
    assert [SLICE.read(SLICE.write(value)) for value in values] == values
    assert opened.slice_of(1) is None
    # Whatever else is kept or removed, a number means what it meant.
    opened.drop_slice(low[0])
    opened.keep_slice(low[1])
    assert opened.slices == (low[2], low[1])
    assert [opened.slice_of(value) for value in values] == [None, *low[1:]]
    opened.keep_slice(low[0])
    opened.keep_slice(low[2].named("6.0"))
    assert [opened.slice_of(value) for value in values] == [None, None, low[2]]


def test_slices_are_kept_with_the_choices_and_one_of_a_name_is_replaced(iris_study):
    opened = OpenTable.start(iris_study.table)
    opened.keep_slice(LONG)
    opened.keep_slice(Slice((Condition.between("sepal length (cm)", low=6.0),), "long"))
    assert len(opened.slices) == 1
    document = written.write_choices(opened)
    assert written.read_choices(document).slice_numbers == opened.slice_numbers
    older = json.loads(document)
    del older["slice_numbers"]  # then addresses meant them by their places
    opened.slice_numbers = dict(written.read_choices(json.dumps(older)).slice_numbers)
    assert opened.slice_of(1) == opened.slices[0]
    assert written.write_choices(opened) == json.dumps(older)
    for damaged in ([], ["moon"], [None], 7):
        with pytest.raises(StorageError, match="damaged"):
            written.read_choices(json.dumps(older | {"slice_numbers": damaged}))
    del older["slices"]
    assert written.read_choices(json.dumps(older)).slice_numbers == {}


@pytest.mark.usefixtures("option_texts")
def test_the_slice_that_is_followed_stays_when_it_is_kept_again(fitted):
    at = fitted("quality")
    other = Slice((Condition.between("sepal length (cm)", high=5.0),), "short")
    for chosen in (LONG, other, LONG):
        at.held.opened.keep_slice(chosen)
        at.held.follow(chosen)
        at.run()
    at.toggle(key="frame.presenter").set_value(True).run()
    assert at.held.slice == LONG


def test_a_list_in_an_address_says_nothing_of_the_slice(iris_study):
    within = rows_within(iris_study, LONG, DecisionRule())
    cases = CaseSet(Part.ALL, within=within)
    assert read_cases(write_cases(cases), lambda case: True) == CaseSet(Part.ALL)
    assert read_cases(["within:long"], lambda case: True) is None
    assert cases.words == "misclassified rows in 'long'"
    wrong = iris_study.judged()["wrong"]
    assert [case.row for case in cases.cases(iris_study.judged())] != []
    assert {case.row for case in cases.cases(iris_study.judged())} == set(wrong.index[wrong]) & set(within.rows)
    assert isinstance(within, Within)


@pytest.mark.slow
def test_review_lists_the_slice_unless_that_would_tell_a_blind_reviewer(open_app, monkeypatch):
    shown = []
    monkeypatch.setattr(desk, "show", lambda session, now, after: shown.append(set(now.rows)))
    at = open_app("review", data="cancer", fit="1")
    at.text_input(key="review.name").set_value("Ann").run()
    column = next(name for name in at.held.study.table.frame if name.startswith("worst area"))
    wrong = Condition(ConditionKind.RESULT, values=("wrong",))
    for condition, told in ((Condition.between(column, high=700.0), False), (wrong, True)):
        at.held.follow(Slice((condition,)))
        at.run()
        rows = set(at.held.within.rows)
        assert shown[-1]
        assert shown[-1] <= rows
        at.toggle(key="review.blind").set_value(True).run()
        assert (shown[-1] <= rows) is not told
        assert any(BLIND_SLICE in line for line in said(at)) is told
        at.toggle(key="review.blind").set_value(False).run()
