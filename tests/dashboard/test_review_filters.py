"""Filters of the review, views, which are filters with a name, and rows that another page hands over."""

import json

import pytest

from dashboard.services.cases import CaseRef, CaseSet, Picker
from dashboard.services.data.fitted import stored_study
from dashboard.services.review.filters import PAIR, SURE, CaseState, QueueFilter, ReviewPart, ReviewView
from dashboard.services.review.queue import BLIND, QueueChoice
from dashboard.services.review.small_map import MOST_POINTS, on_map, small_map
from dashboard.services.review.these import MOST_THESE, THESE, Origin, TheseRows
from dashboard.session import written
from dashboard.session.opened import OpenTable
from dashboard.texts import review as text
from proset.common.errors import ProsetError, StorageError
from proset.common.words import unbroken
from proset.data.samples import load_sample
from proset.explain.review.queue import review_queue
from proset.explain.slices.conditions import Condition
from proset.explain.slices.slice import Slice

SHORT = Slice((Condition.between("worst radius", high=15.0),), "short")
DOUBTFUL = QueueFilter(pair="1-0", sure=(0.0, 0.7), near=(0.1, 1.0), part=ReviewPart.HELD_OUT, cases=CaseState.OPEN)


@pytest.fixture(scope="module")
def study():
    return stored_study("cancer")


@pytest.fixture(scope="module")
def queue(study):
    return review_queue(study, mixed=0.5)


@pytest.fixture
def reviewed(open_app):
    """Open Review with the stored model of cancer."""

    def start(**asked):
        at = open_app("review", data="cancer", fit="1", **asked)
        at.text_input(key="review.name").set_value("Ann").run()
        assert not at.exception
        return at

    return start


def chips(at):
    """What is followed, as its chips say it."""
    return [one.label.replace("\\", "") for one in at.button if str(one.key).startswith("review.chip.")]


def views(at):
    """The box of all views."""
    return next(one for one in at.selectbox if one.label == text.VIEWS)


# --- filters ----------------------------------------------------------------------------------------------------------
def test_several_filters_hold_at_once(study, queue):
    spans = {"sure": (0.6, 1.0), "familiar": (0.0, 0.5), "near": (0.05, 0.9)}
    each = {
        field: set(QueueChoice(filter=QueueFilter(**{field: span})).rows(queue, study.classes))
        for field, span in spans.items()
    }
    every = set(queue.frame.index)
    assert all(rows < every for rows in each.values())
    both = set(QueueChoice(filter=QueueFilter(**spans)).rows(queue, study.classes))
    assert both == set.intersection(*each.values())
    assert queue.frame.loc[sorted(each["sure"]), "confidence"].min() >= 0.6
    assert queue.frame.loc[sorted(each["near"]), "nearness"].between(0.05, 0.9).all()


def test_blind_nothing_is_filtered_that_tells(study):
    assert DOUBTFUL.tells
    assert set(DOUBTFUL.untold().words(study.classes)) == {"near", "part", "cases"}
    assert not DOUBTFUL.untold().tells


@pytest.mark.slow
def test_what_is_asked_for_is_listed_right_or_wrong_and_nothing_else(study):
    right = study.judged().index[study.judged()["correct"].fillna(False).astype(bool)][:20].tolist()
    usual = set(review_queue(study).frame.index)
    found = review_queue(study, cases=[*right, right[0]]).frame
    assert set(found.index) < set(right)  # not those of the untouched half
    assert (found.loc[[row for row in found.index if row not in usual], "why"] == "asked").all()
    assert review_queue(study, cases=[]).frame.empty
    with pytest.raises(ProsetError, match="no row 99999"):
        review_queue(study, cases=[99999])


# --- views ------------------------------------------------------------------------------------------------------------
def test_a_view_is_kept_with_the_table(study):
    opened = OpenTable.start(load_sample("cancer"), sample="cancer")
    opened.keep_view(ReviewView("first", QueueFilter(near=(0.0, 0.1))))
    opened.keep_view(ReviewView("  doubt\tful ", DOUBTFUL, SHORT, study.classes))
    back = written.read_choices(written.write_choices(opened)).views
    assert back == opened.views
    assert [view.name for view in back] == ["first", "doubt ful"]
    opened.keep_view(ReviewView("second", DOUBTFUL, SHORT, study.classes), instead="doubt ful")
    opened.drop_view("first")
    assert [view.name for view in opened.views] == ["second"]
    older = json.loads(written.write_choices(opened))
    del older["views"]
    assert written.read_choices(json.dumps(older)).views == ()


@pytest.mark.parametrize("name", ["", " \n ", "x" * 81])
def test_a_view_needs_a_name(name):
    with pytest.raises(StorageError, match="name of a view"):
        ReviewView(name, DOUBTFUL)


@pytest.mark.parametrize(
    "changes",
    [
        {"filter": {"moon": "1"}},
        {"filter": {"sure": "90"}},
        {"filter": [1]},
        {"name": 3},
        {"classes": "ab"},
        {"slice": {}},
        {"more": 1},
    ],
)
def test_a_view_that_is_damaged_is_refused(changes):
    with pytest.raises(StorageError):
        ReviewView.from_state(ReviewView("a", DOUBTFUL).to_state() | changes)


def test_a_view_of_other_classes_is_not_offered():
    assert ReviewView("a", DOUBTFUL, classes=("x", "y")).fits(("x", "y"))
    assert not ReviewView("a", DOUBTFUL, classes=("x", "y")).fits(("y", "x"))


@pytest.mark.slow
def test_a_view_is_saved_chosen_by_its_name_and_deleted(reviewed):
    at = reviewed(sure="50-90")
    assert chips(at) == ["probability of the class said from 50 to 90 %"]
    at.text_input(key="review.view.name.").set_value("unsure").run()
    at.button(key="review.view.save").click().run()
    assert [view.name for view in at.held.opened.views] == ["unsure"]
    at.button(key="review.chip.sure").click().run()
    assert chips(at) == []
    views(at).set_value(1).run()
    assert at.held.get(SURE) == (0.5, 0.9)
    assert at.query_params["sure"] in ("50-90", ["50-90"])
    at.toggle(key="review.blind").set_value(True).run()
    assert chips(at) == []
    assert views(at).options == [text.ALL_VIEW, text.OWN_VIEW]  # its name could tell
    at.toggle(key="review.blind").set_value(False).run()
    at.button(key="review.view.drop").click().run()
    assert at.held.opened.views == ()
    assert not at.exception


def test_a_pair_fits_a_model_that_has_both_classes(study):
    assert PAIR.fits("", study)
    assert PAIR.fits("0-1", study)
    assert not PAIR.fits(f"0-{len(study.classes)}", study)


def test_a_choice_that_leaves_nothing_says_so_and_offers_the_way_out(reviewed):
    at = reviewed(sure="99-100", familiar="0-1", confused="1-0")
    filtered = unbroken("familiarity from 0 to 1 %")
    assert any("No case is left by" in one.value and filtered in one.value for one in at.info)
    at.button(key="review.all").click().run()
    assert chips(at) == []
    assert at.held.get(PAIR) == ""
    assert not any("No case" in one.value for one in at.info)


# --- rows of another page ---------------------------------------------------------------------------------------------
def test_rows_say_where_they_come_from(study):
    picked = tuple(CaseRef.in_table(row) for row in (9, 3, 3))
    lasso = TheseRows.of(CaseSet(picked=picked, by=Picker.MAP), picked, study)
    assert lasso == TheseRows(Origin.MAP, (3, 9))
    cell = CaseSet(actual=study.classes[1], predicted=study.classes[0])
    assert TheseRows.of(cell, picked, study) == TheseRows(Origin.CELL, (3, 9), "1-0")
    assert TheseRows.of(CaseSet(), picked, study).origin is Origin.WRONG
    assert TheseRows.of(cell, (), study) is None
    many = tuple(map(CaseRef.in_table, range(MOST_THESE + 1)))
    assert TheseRows.of(cell, many, study) is None
    for these in (lasso, TheseRows(Origin.CELL, (3, 4, 5, 9), "1-0")):
        assert THESE.read(THESE.write(these)) == these


@pytest.mark.parametrize(
    "asked", ["", "map", "map:", "moon:3", "map:5-3", "map:-1", "cell.1-1:3", "map:1-1002", "map:3," + "9" * 30]
)
def test_rows_that_cannot_be_read_are_none(asked):
    assert THESE.read(asked) is None


@pytest.mark.slow
def test_quality_hands_its_cell_over_and_a_chip_takes_it_away(open_app, study):
    cell = ["part:held_out", "which:all", f"actual:{study.classes[1]}", f"predicted:{study.classes[0]}"]
    at = open_app("quality", data="cancer", fit="1", cases=cell)
    at.button(key="quality.review").click()
    at.run()
    these = at.held.get(THESE)
    judged = study.judged()
    wanted = judged[(judged["part"] == "held_out") & (judged["actual"] == study.classes[1])]
    assert these.rows == tuple(wanted.index[wanted["predicted"] == study.classes[0]])
    at = open_app("review", data="cancer", fit="1", these=THESE.write(these))
    assert chips(at) == [these.words(study.classes)]
    assert any("of the list" in one.value for one in at.caption)  # the untouched half
    at.button(key="review.chip.these").click().run()
    assert (chips(at), at.held.get(THESE)) == ([], None)


@pytest.mark.slow
def test_blind_a_list_that_tells_is_neither_followed_nor_in_the_address(reviewed):
    at = reviewed(these="cell.1-0:1-80", blind="1")
    assert chips(at) == []
    at.run()
    assert "these" not in at.query_params
    at = reviewed(these="map:1-80", blind="1")
    assert chips(at) == ["80 cases picked on the map"]


def test_blind_the_matrix_offers_no_review(open_app):
    at = open_app("quality", data="cancer", fit="1")
    assert at.button(key="quality.review")
    at.held.put(BLIND, True)
    at.run()
    with pytest.raises(KeyError):
        at.button(key="quality.review")


@pytest.mark.slow
def test_rows_that_there_are_not_are_left_out_in_words(reviewed):
    at = reviewed(these="map:900-910")
    assert any(text.NO_SUCH_ROWS in one.value for one in at.info) or chips(at) == []
    at.run()
    assert "these" not in at.query_params


# --- the map of a case ------------------------------------------------------------------------------------------------
def test_blind_the_map_has_neither_classes_nor_prototypes(study):
    made = small_map(study)
    assert 50 < len(made.points) <= MOST_POINTS
    shown = on_map(made, 3, {9: 0}, {12: 1}, blind=False)
    assert [spot[2:] for spot in shown["near"] + shown["leading"]] == [[0, 9], [1, 12]]
    assert {point[2] for point in made.ground(blind=False)["points"]} == {0, 1}
    veiled = on_map(made, 3, {9: 0}, {12: 1}, blind=True)
    assert (veiled["here"], veiled["leading"], veiled["near"][0][2]) == (shown["here"], [], -1)
    assert {point[2] for point in made.ground(blind=True)["points"]} == {-1}


def test_a_pair_that_the_model_does_not_have_is_told_though_the_page_begins_work(open_app):
    """Review starts to judge the training rows by itself, and is drawn once more for that."""
    at = open_app("review", data="cancer", fit="1", confused="1-7")
    assert "The address says confused = '1-7', which this model does not have" in at.words()
    at.run()
    assert "confused = '1-7'" not in at.words()
