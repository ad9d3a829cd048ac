"""Several people on Review: what each may see, whose cases are whose, and what stands in the minutes."""

import pytest
from judgements import judgement

from dashboard.services.review.filters import CaseState, QueueFilter
from dashboard.services.review.queue import QueueChoice, Sharing, for_reviewer
from dashboard.services.review.said import settings_words, states
from dashboard.services.review.together import OVERLAP, is_mine, reviewers, visible
from dashboard.texts.settings import SETTING_NAMES
from proset.data.scales import Scale
from proset.report import to_html
from proset.report.minutes import review_minutes
from proset.study.settings import FitSettings, NumberSettings
from proset.workspace import ReviewVerdict
from proset.workspace.chain import chained

V = ReviewVerdict
NAMES = ("Ann", "Ben", "Zoë 診断")


@pytest.fixture
def records():
    """Ann has judged 1 and 2, Ben 1 and 3 and set 2 aside; they differ on 1, and 4 is what Ben took back."""
    said = [
        ("Ann", 1, V.TABLE, {}),
        ("Ann", 2, V.TABLE, {}),
        ("Ben", 1, V.BOTH, {"note": "secret"}),
        ("Ben", 2, V.SKIPPED, {"note": "secret"}),
        ("Ben", 3, V.FAULTY, {"note": "secret"}),
        ("Ben", 4, V.FAULTY, {"note": "secret"}),
        ("Ben", 4, V.UNDONE, {"takes_back": "client-5"}),
    ]
    return chained(
        judgement(number, row=row, reviewer=name, verdict=verdict, **more)
        for number, (name, row, verdict, more) in enumerate(said)
    )


def entries(records):
    return [one.judgement.entry.removeprefix("client-") for one in records]


def test_others_words_show_on_cases_that_one_has_judged(records):
    assert entries(visible(records, "Ann")) == ["0", "1", "2", "3"]
    assert entries(visible(records, "Ben")) == ["0", "2", "3", "4", "5", "6"]  # set aside is not judged
    assert visible(records, "Cid") == visible(records, "") == ()
    assert visible(records, "Cid", openly=True) == records
    assert visible(records[:2], "Ann") == records[:2]


def test_states_tell_nothing_of_cases_that_one_has_not_judged(records):
    assert {row: one["state"] for row, one in states(records, "Ann").items()} == {"1": "disputed", "2": "done"}
    assert {row: one["state"] for row, one in states(records, "Ben").items()} == {
        "1": "disputed",
        "2": "skipped",
        "3": "done",
    }
    assert states(records, "Cid") == {}
    assert "secret" not in str(states(records, "Ann"))


def test_who_settles_is_done_with_the_case(records):
    signed = judgement(9, row=1, reviewer="Cid", verdict=V.TABLE, settles=("client-0", "client-2"))
    every = records + chained([signed], number=7, previous=records[-1].hash)
    assert {row: one["state"] for row, one in states(every, "Cid").items()} == {"1": "done"}
    assert states(every, "Cid")["1"]["entry"] == "client-9"
    assert states(every, "Ann")["1"]["state"] == states(every, "Ben")["1"]["state"] == "done"
    assert states(every, "Ben")["1"]["verdict"] == "both"  # as he said
    assert reviewers(every) == ("Ann", "Ben")


def test_cases_are_listed_by_where_they_stand_when_they_were_chosen(records):
    def listed(cases, reviewer, since=7):
        return for_reviewer(
            (4, 3, 2, 1), QueueChoice(filter=QueueFilter(cases=CaseState(cases))), records, since, reviewer
        )

    assert listed("all", "Ann") == (4, 3, 2, 1)
    assert listed("open", "Ann") == (4, 3)
    assert listed("disputed", "Ann") == (1,)
    assert listed("done", "Ann") == (2, 1)
    assert listed("skipped", "Ben") == (2,)
    assert listed("disputed", "Cid") == ()
    assert listed("open", "Ann", since=1) == (4, 3, 2)  # 2 was judged afterwards and stays


def test_shares_cover_all_cases_and_overlap_by_a_fifth():
    many = 3_000
    owners = [[name for name in NAMES if is_mine(row, name, NAMES)] for row in range(many)]
    assert {len(each) for each in owners} == {1, 2}
    assert sum(len(each) == 2 for each in owners) / many == pytest.approx(OVERLAP / 100, abs=0.03)
    for name in NAMES:
        assert sum(name in each for each in owners) / many == pytest.approx((1 + OVERLAP / 100) / 3, abs=0.04)


def test_who_joins_takes_cases_and_nobody_gets_others():
    for name in NAMES:
        before = {row for row in range(500) if is_mine(row, name, NAMES)}
        after = {row for row in range(500) if is_mine(row, name, (*NAMES, "Dee"))}
        assert after < before


def test_own_cases_stay_in_a_share(records):
    rows = tuple(range(1, 60))
    choice = QueueChoice(sharing=Sharing.SHARES)
    ann, ben = (set(for_reviewer(rows, choice, records, 0, name)) for name in ("Ann", "Ben"))
    assert {1, 2} <= ann
    assert {1, 2, 3, 4} <= ben
    assert ann | ben == set(rows)
    assert ann & ben < set(rows)


def test_minutes_hold_all_of_it_as_words():
    evil = "<script>alert(1)</script>"
    both = {"row": 7, "label": "a", "new_label": evil}
    said = [
        judgement(1, reviewer="Ann", **both),
        judgement(2, reviewer=evil, verdict=V.MODEL, **both),
        judgement(3, reviewer="Ann", row=8, label="a", verdict=V.FAULTY, cell=evil, note=evil, model="f00d"),
        judgement(4, reviewer="Cid", verdict=V.OTHER, settles=("client-1", "client-2"), **both),
        judgement(5, reviewer="Ann", row=9),
        judgement(6, reviewer="Ben", row=9, verdict=V.BOTH),
    ]
    found = to_html(review_minutes(chained(said), evil))
    assert "<script" not in found
    for words in ("1 open, 1 settled.", "Row 7, settled by Cid", "Row 9, open. Ann:", "n = 2", "f00d: 1 record"):
        assert words in found
    assert "Nothing was said." in to_html(review_minutes((), "x"))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (FitSettings(), "batches 1; all else as usual"),
        (
            FitSettings(n_iter=3, n_joined=2, lambda_v=0.00316228, max_samples=500, scale=Scale.SQUASHED),
            "batches 3, feature penalty (lambda_v) 0.00316, rows to learn from 500, joined fits 2, scale of numbers"
            " squashed; all else as usual",
        ),
        (NumberSettings(bend_target=True), "batches 4, bend the target yes; all else as usual"),
    ],
)
def test_minutes_name_settings_as_fit_does(settings, said):
    assert settings_words(settings) == said
    minutes = to_html(review_minutes(chained([judgement(1, model="f00d", settings=settings_words(settings))]), "x"))
    assert f"f00d: 1 record; {said}" in minutes


def test_each_setting_has_a_name():
    assert {*vars(FitSettings()), *vars(NumberSettings())} <= set(SETTING_NAMES)


def test_minutes_leave_out_what_nobody_said_and_name_verdicts_in_words(records):
    said = to_html(review_minutes(chained([judgement(1, reviewer="Ann", row=7, verdict=V.FAULTY)]), "x"))
    assert "row is faulty" in said
    assert "model is right" not in said
    assert "On no case do people differ." in said
    assert ">why<" not in said
    assert "both possible" in to_html(review_minutes(records, "x"))
