"""Review of a number: which rows come, what is drawn of them, what is kept, what a model hears, and the page."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.components.review import settle
from dashboard.services.cases import CaseRef
from dashboard.services.numbers.before_after import quality_frame, sentences
from dashboard.services.numbers.number_beside import values_beside
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.review.case import Drawing
from dashboard.services.review.filters import QueueFilter
from dashboard.services.review.heard import corrected_table, heard
from dashboard.services.review.number_case import PLACES, draw_number_case
from dashboard.services.review.queue import BLIND, ORDER, QueueChoice
from dashboard.services.review.said import Drawn, SaidOf, judgement, read_entry
from dashboard.services.review.small_map import FIRST_HUE, N_HUES, fifths, small_map
from dashboard.services.review.together import on_errors
from dashboard.texts import review as text
from dashboard.texts.guidance import BY_CHANCE
from dashboard.texts.review_words import NUMBER_WORDS, WORDS
from proset import explain, fit_number_study
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.review.orders import ReviewOrder
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.number_before_after import CRPS, INSIDE, number_before_after
from proset.study.number_unseen import judge_numbers_unseen
from proset.study.unseen import untouched_rows
from proset.workspace.chain import chained
from proset.workspace.outcomes import outcomes
from proset.workspace.verdicts import Judgement, ReviewVerdict, row_hash

NOW = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
WRONG = (20, 60, 90, 120)


@pytest.fixture(scope="module")
def study():
    """Prices of flats, four of them ten times what they should be."""
    rng = np.random.default_rng(8)
    n = 160
    size, town = rng.uniform(30.0, 120.0, n).round(), rng.choice(["Aa", "Bee"], n)
    price = (3.0 * size + 60.0 * (town == "Aa") + rng.normal(0.0, 6.0, n)).round(1)
    price[[row - 1 for row in WRONG]] *= 10.0
    lines = [f"{s},{t},{p}" for s, t, p in zip(size, town, price, strict=True)]
    table = read_table("\n".join(["size,town,price", *lines]).encode(), name="flats.csv")
    return fit_number_study(table, guess_roles(table, target="price").roles)


@pytest.fixture(scope="module")
def unseen(study):
    return judge_numbers_unseen(study, n_folds=3)


@pytest.fixture
def say(study):
    """Make a judgement of a row."""

    def make(row, verdict, *, by="Ann", new_label=None, **more):
        label = study.table_labels.loc[row]
        return Judgement(
            entry=f"{by}-{row}-{verdict}", row=row, row_hash=row_hash(study.table, row), verdict=verdict, label=label,
            new_label=new_label, reviewer=by, at=NOW, **more,
        )  # fmt: skip

    return make


def drawn(study, unseen, row, **more):
    knower = unseen.study_of_row(row) if row in unseen.rows else study
    drawing = Drawing(study.id, None, "0f", unseen=knower is not study, map=small_map(knower), **more)
    return draw_number_case(NumberEvidence(knower, CaseRef.in_table(row)), drawing)


# --- what is drawn ----------------------------------------------------------------------------------------------------
def test_a_training_row_is_drawn_as_a_model_says_that_has_not_seen_it(study, unseen):
    row = next(row for row in WRONG if row in unseen.rows)
    found, answer = drawn(study, unseen, row), explain.number_answer(unseen.study_of_row(row), row)
    assert (found["part"], found["unseen"], found["wrong"]) == ("training row", True, True)
    assert found["actual"] == study.table_labels.loc[row]
    assert float(found["said"]) == pytest.approx(answer.median, rel=0.01)
    assert 0.0 <= found["estimate"] < 0.1
    assert found["answer"]["mark"] == "above the interval"
    assert str(row) not in [str(voice["row"]) for voice in found["voices"]]
    assert "held-out rows" not in json.dumps(found["facts"])
    json.dumps(found)


def test_the_picture_is_the_density_where_it_lies(study, unseen):
    row = int(study.split.held_out[0])
    found, answer = drawn(study, unseen, row)["density"], explain.number_answer(study, row)
    total = np.sum(found["humps"], axis=0)
    assert len(found["humps"]) == found["shown"] + 2
    assert len(found["x"]) == len(total) <= PLACES
    assert total.max() == pytest.approx(1.0, abs=0.02)
    assert found["x"] == sorted(found["x"])
    marks = found["marks"]
    low, high = marks["lower"]["at"], marks["upper"]["at"]
    # Where two ends lie says where all else does: the height at the median is that of the density there, over its top.
    span = (answer.upper - answer.lower) / (high - low)
    places = answer.lower + (np.array(found["x"]) - low) * span
    density = study.distribution(study.case(row)).pdf(places[None, :])[0]
    assert total == pytest.approx(density / density.max(), abs=0.05)


def test_a_number_far_from_all_that_is_said_stands_at_the_edge(study, unseen):
    for row in (row for row in WRONG if row in unseen.rows):
        marks = drawn(study, unseen, row)["density"]["marks"]
        assert (marks["stated"]["at"], marks["stated"]["beyond"]) == (1.0, True)
        assert marks["upper"]["at"] - marks["lower"]["at"] > 0.3
    near = drawn(study, unseen, int(study.split.held_out[0]))["density"]["marks"]
    assert not near["stated"]["beyond"]


def test_a_row_that_was_learned_with_another_number_says_so_beside_a_case(study):
    row = int(study.prototypes["row"].iloc[0])
    said = Guidance((GuidanceItem(GuidanceKind.RELABEL, row=row, label="111"),))
    told = fit_number_study(
        study.table, study.roles, split=study.split.settings, settings=study.settings, guidance=said
    )
    for case in told.split.held_out:
        heads = values_beside(NumberEvidence(told, CaseRef.in_table(int(case)))).heads
        numbers = [number for _, name, number in heads if name == f"row {row}"]
        assert all("asked" not in number for _, name, number in heads if name != f"row {row}")
        if numbers:
            assert numbers[0].startswith("111, as was asked (table ")
            return
    pytest.fail("the row stands beside no case")


def test_values_stand_beside_those_of_others_and_among_all(study, unseen):
    columns = drawn(study, unseen, int(study.split.held_out[1]))["columns"]
    assert columns["heads"][0]["title"] == "this case"
    assert all(len(line["cells"]) == len(columns["heads"]) for line in columns["lines"])
    size = next(line for line in columns["lines"] if line["name"] == "size")
    (ends,) = size["ranges"]
    assert 0.0 <= ends["low"] <= ends["q1"] <= ends["q3"] <= ends["high"] <= 1.0
    assert 0.0 <= size["here"] <= 1.0
    town = next(line for line in columns["lines"] if line["name"] == "town")
    assert (town["ranges"], town["here"]) == ([], None)


def test_hues_of_the_map_follow_the_numbers(study):
    hues = fifths(study).loc[study.split.train]
    numbers = study.targets.loc[study.split.train]
    assert set(hues) == set(range(FIRST_HUE, FIRST_HUE + N_HUES))
    assert (hues.groupby(hues).size() / len(hues)).between(0.15, 0.25).all()
    assert numbers.groupby(hues).max().is_monotonic_increasing


def test_every_word_of_the_queue_is_there_for_a_number():
    assert set(NUMBER_WORDS) == set(WORDS)


# --- which rows come --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("order", ReviewOrder.of(number=True))
def test_every_order_has_the_same_rows_and_no_untouched_one(study, unseen, order):
    queue = explain.number_review_queue(study, unseen)
    rows = QueueChoice(order=order).rows(queue, ())
    assert sorted(rows) == queue.frame.index.tolist()
    assert not set(rows) & set(untouched_rows(study))
    sure = QueueChoice(filter=QueueFilter(sure=(0.9, 1.0))).rows(queue, ())
    assert len(sure) == len(rows)  # a filter of classes, from an address
    assert QueueChoice(filter=QueueFilter(sure=(0.9, 1.0))).words(()) == []


# --- what is said -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [310.5, -3.0, 1e-9, 12345678901.5, 2e21])
def test_the_name_of_what_was_drawn_comes_back(number):
    name = Drawn("3fa9" * 4, True, None, 0.0123, number).name("77c0aa77c0aa")
    assert len(name) <= 80
    assert Drawn.read(name) == Drawn("3fa9" * 4, True, None, 0.0123, number)


@pytest.mark.parametrize("name", ["3f.u.n.0.5.aa", "3f.u.nx.0.5.aa", "3f.u.n1_2_3.0.5.aa", "3f.u.n--1.0.5.aa"])
def test_a_damaged_name_is_none(name):
    assert Drawn.read(name) is None


def test_what_the_model_says_is_what_the_row_should_have():
    entry = read_entry({"id": "a-1", "row": 7, "row_hash": "0f", "evidence": "m", "verdict": "model"})
    facts = SaidOf("3100", "310", 0.001, True, "3f", "n_iter=1")
    kept = judgement(entry, facts, reviewer="Ann", place="")
    assert (kept.label, kept.new_label, kept.said, kept.estimate) == ("3100", "310", "310", 0.001)


def test_errors_are_numbers_outside_their_interval(say):
    said = [
        say(1, ReviewVerdict.TABLE, said="310", estimate=0.02),
        say(2, ReviewVerdict.TABLE, said="310", estimate=0.4),
    ]
    assert on_errors(chained(said), of_number=True) == {ReviewVerdict.TABLE: 1}


# --- what a model hears -----------------------------------------------------------------------------------------------
def test_training_rows_are_learned_with_another_number_or_left_out_and_held_out_ones_are_not(study, say):
    train, held_out = (rows.tolist() for rows in (study.split.train, study.split.held_out))
    said = [
        say(train[0], ReviewVerdict.MODEL, new_label="310.5", reasons=("slip of the pen",)),
        say(train[1], ReviewVerdict.OTHER, new_label="12"),
        say(train[2], ReviewVerdict.FAULTY),
        say(train[3], ReviewVerdict.TABLE),
        say(train[4], ReviewVerdict.OTHER, new_label="a class"),
        say(train[5], ReviewVerdict.OTHER, new_label=study.table_labels.loc[train[5]]),
        say(held_out[0], ReviewVerdict.MODEL, new_label="99"),
    ]
    found = heard(chained(said), study)
    assert [(item.kind, item.row, item.label) for item in found.guidance] == [
        (GuidanceKind.RELABEL, train[0], "310.5"),
        (GuidanceKind.RELABEL, train[1], "12"),
        (GuidanceKind.LEAVE_OUT, train[2], None),
    ]
    assert found.corrected == {held_out[0]: "99"}
    assert (found.kept, found.disputed, found.unknown) == (2, 0, 1)
    assert "1 row with what is no number; 2 rows as they are." in found.words
    assert "1 held-out row with another number, from which nothing is learned" in found.words
    frame = corrected_table(study, found)
    assert frame.loc[[train[0], train[1], held_out[0]], "price"].tolist() == [310.5, 12.0, 99.0]
    assert frame.drop(columns="price").equals(study.table.frame.drop(columns="price"))


def test_people_who_name_the_same_number_agree_and_others_differ(study, say):
    row = int(study.split.train[0])
    same = [say(row, ReviewVerdict.MODEL, new_label="310"), say(row, ReviewVerdict.OTHER, new_label="310", by="Ben")]
    assert heard(chained(same), study).disputed == 0
    other = [same[0], say(row, ReviewVerdict.OTHER, new_label="311", by="Ben")]
    assert heard(chained(other), study).disputed == 1


def test_rows_that_nobody_reviews_are_measured_apart(study):
    change = number_before_after(study, study)
    apart, every = quality_frame(change, "untouched"), quality_frame(change)
    assert apart.columns[0] == "On held-out rows that nobody reviews"
    assert len(apart) == len(every) == 4
    assert change.untouched.loc["absolute error", "before"] == pytest.approx(
        study.predictions.loc[untouched_rows(study), "error"].abs().mean()
    )
    assert quality_frame(change, "corrected").empty


def test_before_and_after_have_the_same_decimals_and_so_has_each_interval():
    line = {"before": 6.07, "after": 6.1457, "difference": 0.0757, "low": -0.0783, "high": 0.229}
    frame = quality_frame(SimpleNamespace(quality=pd.DataFrame({"absolute error": line}).T))
    assert frame.loc[0].tolist()[1:] == ["6.070", "6.146", "+0.076 (−0.078 to +0.229)"]


def test_quality_is_stated_against_corrected_numbers_too(study):
    held_out = study.split.held_out
    row = int(held_out[0])
    median = float(study.predictions.loc[row, "median"])
    change = number_before_after(study, study, corrected={row: median, 10_000: 1.0})
    gone = abs(study.predictions.loc[row, "error"]) / len(held_out)
    error = "absolute error"
    assert gone > 0.0
    assert change.corrected.loc[error, "before"] == pytest.approx(change.quality.loc[error, "before"] - gone)
    assert "numbers as corrected" in quality_frame(change, "corrected").columns[0]
    assert number_before_after(study, study, corrected={row: float(study.table_targets.loc[row])}).corrected.empty


# --- the page ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def app(open_app, study):
    app = open_app()
    app.held.open_study(study)
    app.held.review_as("Ann")
    return app.go("review")


def test_the_page_asks_and_hears_in_words_of_a_number(app, study, say):
    assert "Which is right, the number in the table or what the model says?" in app.words()
    assert " class" not in app.words().replace("another class", "")
    options = app.selectbox(key="review.order").options
    assert options == [text.NUMBER_ORDERS[order] for order in ReviewOrder.of(number=True)]
    row = int(study.split.train[0])
    app.held.opened.said = chained([say(row, ReviewVerdict.MODEL, new_label="310")])
    app.run()
    assert "1 row learned with another number" in app.words()
    assert not app.exception


def test_an_order_of_classes_in_the_address_gives_way(open_app, study):
    app = open_app()
    app.held.open_study(study)
    app.held.review_as("Ann")
    app.held.put(ORDER, ReviewOrder.CUT)
    app.go("review")
    assert app.selectbox(key="review.order").value == ReviewOrder.DEEP
    assert not app.exception


@pytest.mark.slow
def test_the_model_that_has_heard_stands_beside_the_one_before(app, study, say):
    row = next(row for row in WRONG if row in study.split.train)
    app.held.opened.said = chained([say(row, ReviewVerdict.OTHER, new_label="180")])
    found = heard(app.held.opened.said, study).guidance
    again = fit_number_study(
        study.table, study.roles, split=study.split.settings, settings=study.settings, guidance=found
    )
    app.held.opened.add(again)
    app.go("review")
    assert app.words().count("This model was fitted with 1 row learned with another number") == 1
    frames = [frame.value.columns[0] for frame in app.dataframe]
    assert "On held-out rows that nobody reviews" in frames
    assert "On held-out rows" in frames
    assert BY_CHANCE in [caption.value for caption in app.caption]
    app.button(key="review.back").click().run()
    assert app.held.number.id == study.id
    assert not app.exception


def test_rows_of_a_list_are_handed_over(app, study):
    app.go("case")
    app.button(key="case.review").click().run()
    assert app.held.page.name == "review"
    assert "cases of a list" in " ".join(button.label for button in app.button)
    assert not app.exception


def test_a_number_is_not_reviewed_blind(app):
    assert "review.blind" not in [toggle.key for toggle in app.toggle]
    app.held.put(BLIND, True)  # of a table of classes, or in the address
    app.go("review")
    assert app.selectbox(key="review.order")
    app.go("case")
    assert "case.review" in [button.key for button in app.button]


def test_words_of_others_stay_hidden_until_one_has_judged_the_case(app, study, say):
    mine, theirs = (int(row) for row in study.split.train[:2])
    app.held.opened.said = chained(
        [
            say(mine, ReviewVerdict.OTHER, new_label="310"),
            say(theirs, ReviewVerdict.OTHER, new_label="99", by="Ben", note="secret"),
        ]
    )
    app.go("review")
    assert f"Row {mine} is learned as '310'" in app.words()
    assert f"Row {theirs} is learned" not in app.words()
    assert "secret" not in app.words()
    assert "1 request more, of others on cases that you have not judged" in app.words()


def test_a_dispute_can_be_settled_with_the_numbers_that_were_named(study, say):
    row = int(study.split.train[0])
    mine = say(row, ReviewVerdict.OTHER, new_label="310")
    records = chained([mine, replace(mine, entry="b", reviewer="Ben", new_label="320")])
    found = outcomes(records)[row]
    label = study.table_labels.loc[row]
    assert settle.named(study, found, label) == [label, "310", "320"]
    assert settle.named(study, found, None) == ["310", "320"]
    decided = replace(mine, entry="c", reviewer="Cid", new_label="320", settles=(mine.entry, "b"))
    assert heard((*records, *chained([decided], number=2, previous=records[-1].hash)), study).disputed == 0


def test_who_settles_sees_the_row_and_what_the_model_said(app, study, say):
    row = int(study.split.train[0])
    mine = say(row, ReviewVerdict.FAULTY, cell="age", said="305.5", estimate=0.02)
    theirs = say(row, ReviewVerdict.TABLE, by="Ben", said="305.5", hidden=("estimate",))
    app.held.opened.said = chained([mine, theirs])
    app.go("review")
    app.button(key=f"review.settle.{row}").click().run()
    case, said = [frame.value for frame in app.dataframe][-2:]
    assert case.columns[0] == "price"
    assert set(case.columns) == set(study.table.frame.columns)
    assert case["size"].iloc[0] == study.table.frame.loc[row, "size"]
    assert said.loc["The model said"].tolist() == ["305.5", text.SETTLE_HIDDEN]
    assert said.loc["Should be, or faulty"].tolist() == ["age", study.table_labels.loc[row]]
    assert not app.exception


def test_intervals_that_hold_fewer_numbers_than_before_are_said():
    line = {"before": 9.0, "after": 9.0, "difference": 0.0, "low": -1.0, "high": 1.0}
    fewer = {"before": 0.95, "after": 0.867, "difference": -0.083, "low": -0.155, "high": -0.011}
    moved = pd.DataFrame({"before": [1.0, 2.0], "after": [3.0, 2.0]})
    kept = dict.fromkeys(("prototypes_gained", "prototypes_lost", "columns_gained", "columns_lost", "columns_idle"), ())
    for inside, told in ((fewer, True), (fewer | {"high": 0.01}, False)):
        found = SimpleNamespace(n_rows=2, quality=pd.DataFrame({CRPS: line, INSIDE: inside}).T, moved=moved, **kept)
        said = sentences(found, "price")
        assert ("Their intervals of 90 % hold 86.7 % of the numbers, 95.0 % before." in said) is told
