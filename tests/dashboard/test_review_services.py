"""The review queue without a page: what a browser sends, what is kept of it, which rows come, what is drawn."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dashboard.components.review.desk import Desk
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.data.fitted import stored_study
from dashboard.services.references import reference
from dashboard.services.review.case import Drawing, draw_case
from dashboard.services.review.filters import QueueFilter, ReviewPart, pair_classes, pairs
from dashboard.services.review.queue import QueueChoice
from dashboard.services.review.said import Drawn, SaidOf, judgement, median_seconds, read_entry, states
from proset.common.errors import StudyError
from proset.common.words import percent
from proset.explain.cases.case import explain_case
from proset.explain.review.orders import ReviewOrder
from proset.explain.review.queue import review_queue
from proset.study import fit_study
from proset.study.unseen import judge_unseen, untouched_rows
from proset.workspace.chain import chained

NOW = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)
SENT = {"id": "ab-1", "row": 7, "row_hash": "0f" * 32, "evidence": "3fa9.u.1.0.75.77c0", "verdict": "model"}
FACTS = SaidOf("cat", "dog", 0.75, True, "3fa9", "n_iter=1")


def entry(**more):
    return read_entry(SENT | more, now=NOW)


@pytest.fixture(scope="module")
def cancer_study():
    return stored_study("cancer")


@pytest.fixture(scope="module")
def digits_study():
    return stored_study("digits")


# --- entries ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("document", "field"),
    [
        (None, "object"),
        ([], "object"),
        ({}, "'id'"),
        (SENT | {"id": ""}, "'id'"),
        (SENT | {"id": 7}, "'id'"),
        (SENT | {"id": "x" * 81}, "'id'"),
        (SENT | {"row": "7"}, "'row'"),
        (SENT | {"row": True}, "'row'"),
        (SENT | {"row": -1}, "'row'"),
        (SENT | {"row": 1.5}, "'row'"),
        (SENT | {"row": 2**60}, "'row'"),
        (SENT | {"row_hash": None}, "'row_hash'"),
        (SENT | {"evidence": {}}, "'evidence'"),
        (SENT | {"verdict": "maybe"}, "'verdict'"),
        (SENT | {"verdict": None}, "'verdict'"),
        (SENT | {"verdict": ["model"]}, "'verdict'"),
        (SENT | {"note": "x" * 5_001}, "'note'"),
        (SENT | {"note": ["x"]}, "'note'"),
        (SENT | {"reasons": "rare"}, "'reasons'"),
        (SENT | {"reasons": [1]}, "'reasons'"),
        (SENT | {"reasons": ["x"] * 21}, "'reasons'"),
        (SENT | {"reasons": ["x" * 101]}, "'reasons'"),
        (SENT | {"certainty": "very"}, "'certainty'"),
        (SENT | {"certainty": []}, "'certainty'"),
        (SENT | {"cell": 3}, "'cell'"),
        (SENT | {"takes_back": 3}, "'takes_back'"),
        (SENT | {"hidden": {"label": 1}}, "'hidden'"),
    ],
)
def test_an_entry_that_cannot_be_read_names_the_field(document, field):
    with pytest.raises(StudyError, match="cannot be kept") as refused:
        read_entry(document)
    assert field in str(refused.value)


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [(3.5, 3.5), (-2, 0.0), (1e9, 86_400.0), (float("nan"), None), (float("inf"), None), ("3", None), (True, None)],
)
def test_how_long_a_case_was_looked_at_is_taken_if_it_can_be(sent, seconds):
    assert entry(seconds=sent).seconds == seconds


@pytest.mark.parametrize("sent", [None, 7, "yesterday", "2026-11-24T12:00:00", "2126-01-01T00:00:00+00:00"])
def test_a_clock_that_cannot_be_read_or_is_ahead_gives_way_to_the_servers(sent):
    assert entry(at=sent).at == NOW


def test_a_time_is_kept_in_utc():
    assert entry(at="2026-11-24T12:30:00.250+02:00").at == datetime(2026, 11, 24, 10, 30, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize("name", ["", "moon", "3fa9.x.1.0.75.77c0", "3fa9.u.1.9e99999.77", "3fa9.u.-1.0.5.77"])
def test_a_name_of_what_was_drawn_that_is_none_says_nothing(name):
    assert Drawn.read(name) is None


@pytest.mark.parametrize("estimate", [0.0, 1.0, 0.75, 1e-12, 1 / 3])
def test_what_was_drawn_is_known_from_its_name(estimate):
    found = Drawn.read(Drawn("3fa9", False, 12, estimate).name("0f"))
    assert (found.model, found.unseen, found.place) == ("3fa9", False, 12)
    assert found.estimate == pytest.approx(estimate, rel=1e-5)


# --- what is kept of them ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("verdict", "new"), [("table", "cat"), ("model", "dog"), ("other", "cow"), ("both", None), ("skipped", None)]
)
def test_a_verdict_says_which_class_it_should_be(verdict, new):
    found = judgement(entry(verdict=verdict, new_label="cow"), FACTS, reviewer="Ann", place="here")
    assert (str(found.verdict), found.new_label, found.label, found.said) == (verdict, new, "cat", "dog")


@pytest.mark.parametrize(("named", "verdict"), [("cat", "table"), ("dog", "model"), ("cow", "other")])
def test_a_class_named_blind_is_told_apart_by_the_table_and_the_model(named, verdict):
    blind = entry(verdict="other", new_label=named, hidden=["label"])
    found = judgement(blind, FACTS, reviewer="Ann", place="here")
    assert (str(found.verdict), found.new_label) == (verdict, named)


def said(*entries, reviewer="Ann"):
    return chained(judgement(one, FACTS, reviewer=reviewer, place="here") for one in entries)


def test_the_last_word_stands_unless_it_is_taken_back():
    first, second = entry(), entry(id="ab-2", verdict="table", note="look")
    assert states(said(first), "Ann")["7"]["verdict"] == "model"
    assert states(said(first), "Ben") == {}
    now = states(said(first, second), "Ann")["7"]
    assert (now["verdict"], now["note"], now["entry"], now["state"]) == ("table", "look", "ab-2", "done")
    back = entry(id="ab-3", verdict="undone", takes_back="ab-2")
    assert states(said(first, second, back), "Ann")["7"]["verdict"] == "model"
    aside = entry(id="ab-4", verdict="skipped")
    assert states(said(aside), "Ann")["7"]["state"] == "skipped"


def test_the_median_time_is_of_own_verdicts_only():
    records = said(entry(seconds=2.0), entry(id="b", seconds=8.0), entry(id="c", verdict="skipped", seconds=900.0))
    assert median_seconds(records, "Ann") == 5.0
    assert median_seconds(records, "Ben") is None


# --- which rows come --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def unseen(cancer_study):
    return judge_unseen(cancer_study)


@pytest.fixture(scope="module")
def queue(cancer_study, unseen):
    return review_queue(cancer_study, unseen)


@pytest.mark.parametrize("order", ReviewOrder.of(number=False))
def test_every_order_has_the_same_rows_and_no_untouched_one(cancer_study, queue, order):
    rows = QueueChoice(order=order).rows(queue, cancer_study.classes)
    assert sorted(rows) == sorted(queue.frame.index)
    assert not set(rows) & set(untouched_rows(cancer_study))


def test_parts_and_pairs_of_classes_are_chosen(cancer_study, queue):
    held_out = QueueChoice(filter=QueueFilter(part=ReviewPart.HELD_OUT)).rows(queue, cancer_study.classes)
    assert set(held_out) <= set(cancer_study.split.held_out)
    counts = pairs(queue, cancer_study.classes)
    pair, count = next(iter(counts.items()))
    rows = QueueChoice(filter=QueueFilter(pair=pair)).rows(queue, cancer_study.classes)
    assert len(rows) == count
    actual, predicted = pair_classes(pair, cancer_study.classes)
    assert set(queue.frame.loc[list(rows), "actual"]) == {actual}
    assert set(queue.frame.loc[list(rows), "said"]) == {predicted}
    other = QueueChoice(filter=QueueFilter(pair="0-7")).rows(queue, cancer_study.classes)
    assert other == QueueChoice().rows(queue, cancer_study.classes)


def test_a_blind_order_tells_nothing_of_errors(cancer_study, queue):
    rows = QueueChoice(blind=True).rows(queue, cancer_study.classes)
    assert sorted(rows) == sorted(queue.frame.index)
    assert rows == QueueChoice(order=ReviewOrder.FAR, blind=True).rows(queue, cancer_study.classes)
    wrong = queue.frame.loc[list(rows), "wrong"].to_numpy(dtype=bool)
    half = len(wrong) // 2
    assert 0 < wrong[:half].sum() < wrong.sum()


# --- what is drawn ----------------------------------------------------------------------------------------------------
def drawn(knower, study, row, **more):
    def typical(label):
        return reference(knower, f"class-{knower.classes.index(label)}").row

    evidence = CaseEvidence(knower, CaseRef.in_table(row), against=lambda: reference(knower, evidence.usual_reference))
    return draw_case(evidence, Drawing(study.id, typical, "0f", unseen=knower is not study, **more))


def test_a_training_row_is_drawn_as_a_model_says_that_has_not_seen_it(cancer_study, unseen, queue):
    row = int(queue.frame.index[(queue.frame["part"] == "train") & queue.frame["wrong"]][0])
    knower = unseen.study_of_row(row)
    found = drawn(knower, cancer_study, row)
    assert (found["part"], found["unseen"], found["wrong"]) == ("training row", True, True)
    assert found["said"] == queue.frame.loc[row, "said"]
    assert found["estimate"] == pytest.approx(queue.frame.loc[row, "confidence"])
    assert row not in [voice["row"] for side in ("for", "against") for voice in found["votes"][side]]
    assert all(f"row {row}" != head["sub"] for head in found["columns"]["heads"])
    assert "held-out rows" not in json.dumps(found["facts"])
    assert Drawn.read(found["hash"]).model == cancer_study.id


def test_what_trees_say_of_the_label_stands_beside_the_neighbours(cancer_study, unseen, queue):
    desk = Desk(cancer_study, unseen, queue, QueueChoice(), tuple(queue.frame.index))
    for row in queue.frame.index[:3]:
        estimate, actual = queue.frame.loc[row, ["trees", "actual"]]
        found = drawn(desk.knower(row), cancer_study, row, trees=desk.trees(row))
        assert found["outside"][-1] == f"trees, another kind of model, give '{actual}' {percent(estimate)}"
        assert drawn(desk.knower(row), cancer_study, row, trees=desk.trees(row), blind=True)["outside"] == []


@pytest.mark.slow
def test_a_prototype_decides_alone_only_if_the_dominant_set_holds_no_other(cancer_study, queue):
    ways = set()
    for row in queue.frame.index[queue.frame["part"] == "held_out"]:
        report = explain_case(cancer_study, row)
        leading, dominant = drawn(cancer_study, cancer_study, row)["leading"], report.prototypes["dominant set"].eq(1)
        ways.add(alone := "decides alone" in leading)
        assert alone <= (dominant.sum() == 1)
        assert " of 1 prototype" not in leading
    assert ways == {True, False} or ways == {False}


def test_columns_that_no_model_looks_at_are_listed_unless_one_judges_blind():
    study = stored_study("penguins")
    row = int(study.split.held_out[0])
    told = dict(drawn(study, study, row)["aside"])
    assert told["sample"] == study.table.frame.loc[row, "sample"]
    assert not {*study.roles.features, study.roles.target} & set(told)
    assert drawn(study, study, row, blind=True)["aside"] == []


def test_what_moved_the_estimate_adds_up_where_all_of_it_is_named(cancer_study, queue):
    row = int(queue.frame.index[(queue.frame["part"] == "held_out") & queue.frame["wrong"]][0])
    found = drawn(cancer_study, cancer_study, row)
    assert found["actual"] in found["moved_from"]
    assert all(line["adds"] for line in found["moved"])
    shares = [line["adds"] for line in found["moved"] if not line["name"].endswith(("other column", "other columns"))]
    assert np.abs(shares).tolist() == sorted(np.abs(shares), reverse=True)
    ref = CaseRef.in_table(row)
    evidence = CaseEvidence(cancer_study, ref, against=lambda: reference(cancer_study, evidence.usual_reference))
    said = evidence.report.classes.index(evidence.report.predicted)
    moved = cancer_study.probabilities.loc[row].iloc[said] - evidence.shap.base_values[said]
    assert sum(line["adds"] for line in found["moved"]) == pytest.approx(moved)


def test_a_blind_case_does_not_tell_the_estimate_the_class_or_the_error(cancer_study, queue):
    frame = queue.frame[queue.frame["part"] == "held_out"]
    wrong, right = (int(frame.index[mask][0]) for mask in (frame["wrong"], ~frame["wrong"]))
    for row in (wrong, right):
        found = drawn(cancer_study, cancer_study, row, blind=True)
        assert [found[name] for name in ("said", "estimate", "actual", "wrong")] == [None] * 4
        assert not any(found[name] for name in ("sentence", "facts", "outside", "moved", "leading"))
        assert found["votes"] is None
        titles = [head["title"] for head in found["columns"]["heads"]]
        assert not any("leading" in title for title in titles)
        assert [title.split()[-1] for title in titles[1:]] == sorted(title.split()[-1] for title in titles[1:])
        assert not any(line["contradicts"] for line in found["columns"]["lines"])
        assert all([part["class"] for part in line["ranges"]] == [0, 1] for line in found["columns"]["lines"])


def test_everything_drawn_is_plain_json(cancer_study, digits_study):
    for study, picture in ((cancer_study, False), (digits_study, True)):
        judged = study.judged()
        row = int(judged.index[judged["wrong"]][0])
        found = drawn(study, study, row, picture=picture)
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert (found["picture"] is not None) is picture
    assert len(found["picture"]["here"]) == found["picture"]["width"] * found["picture"]["height"]
    assert all(0.0 <= value <= 1.0 for value in found["picture"]["here"])


def test_a_model_that_uses_no_column_is_drawn_too(cancer_study):
    bare = fit_study(cancer_study.table, cancer_study.roles, settings=replace(cancer_study.settings, n_iter=0))
    found = drawn(bare, bare, int(bare.split.held_out[0]))
    assert found["moved"] == []
    assert found["votes"]["for"] == []
    assert json.dumps(found, allow_nan=False)
