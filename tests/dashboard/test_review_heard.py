"""What a model hears of verdicts, and what is said of the model after it has listened."""

from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd
import pytest

from dashboard.services.data.fitted import stored_study
from dashboard.services.review.before_after import calibration_words, quality_frame, sentence, sides_words
from dashboard.services.review.heard import corrected_table, heard
from proset import explain
from proset.data.classes import TargetClasses
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import FitSettings, fit_study
from proset.study.before_after import BeforeAfter
from proset.study.guidance import GuidanceKind
from proset.workspace.chain import chained
from proset.workspace.verdicts import Judgement, ReviewVerdict, row_hash

NOW = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def study():
    return stored_study("cancer")


@pytest.fixture
def say(study):
    """Make a judgement of a row; the other class of the two is the one it should be."""

    def make(row, verdict, *, by="Ann", new_label=None, **more):
        label = study.table_labels.loc[row]
        other = next(name for name in study.classes if name != label)
        new = new_label or {ReviewVerdict.MODEL: other, ReviewVerdict.TABLE: label}.get(verdict)
        return Judgement(
            entry=f"{by}-{row}-{verdict}", row=row, row_hash=row_hash(study.table, row), verdict=verdict, label=label,
            new_label=new, reviewer=by, at=NOW, **more,
        )  # fmt: skip

    return make


def test_what_was_said_of_another_target_changes_nothing(study, say):
    """Its label is another one than the table has here; that a row is faulty holds for every target."""
    first, second, third = study.split.train[:3].tolist()
    other = next(name for name in study.classes if name != study.table_labels.loc[first])
    said = [
        replace(say(first, ReviewVerdict.MODEL), label=other, new_label=study.table_labels.loc[first]),
        replace(say(second, ReviewVerdict.MODEL), label="yes"),
        say(second, ReviewVerdict.MODEL, by="Ben"),
        replace(say(third, ReviewVerdict.FAULTY), label="yes"),
    ]
    found = heard(chained(said), study)
    assert [(item.kind, item.row) for item in found.guidance] == [
        (GuidanceKind.RELABEL, second),
        (GuidanceKind.LEAVE_OUT, third),
    ]
    assert (found.disputed, found.kept) == (0, 0)


def test_verdicts_hold_under_the_names_that_classes_have_now(study, say):
    roles = study.roles.with_classes(TargetClasses(names={"benign": "harmless"}))
    renamed = fit_study(study.table, roles, settings=FitSettings(n_iter=1, num_candidates=20))
    benign, other, third = (
        int(next(row for row in study.split.train[start:] if study.table_labels.loc[row] == name))
        for start, name in ((0, "benign"), (0, "malignant"), (200, "malignant"))
    )
    said = [say(benign, ReviewVerdict.MODEL), say(other, ReviewVerdict.MODEL)]
    found = heard(chained([*said, say(third, ReviewVerdict.OTHER, new_label="borderline")]), renamed)
    assert {(item.row, item.label) for item in found.guidance} == {(benign, "malignant"), (other, "harmless")}
    assert (found.kept, found.unknown) == (0, 1)
    assert found.words.endswith("1 row with a class that there is no more.")


def test_training_rows_are_learned_otherwise_or_left_out_and_held_out_ones_are_not(study, say):
    train, held_out = (rows.tolist() for rows in (study.split.train, study.split.held_out))
    said = [
        say(train[0], ReviewVerdict.MODEL, reasons=("label error",), note="swapped"),
        say(train[1], ReviewVerdict.FAULTY),
        say(train[2], ReviewVerdict.TABLE),
        say(train[3], ReviewVerdict.BOTH),
        say(train[4], ReviewVerdict.UNDECIDABLE),
        say(train[5], ReviewVerdict.SKIPPED),
        say(held_out[0], ReviewVerdict.MODEL),
        say(held_out[1], ReviewVerdict.FAULTY),
    ]
    found = heard(chained(said), study)
    assert [(item.kind, item.row) for item in found.guidance] == [
        (GuidanceKind.RELABEL, train[0]),
        (GuidanceKind.LEAVE_OUT, train[1]),
    ]
    item = found.guidance.items[0]
    assert (item.label, item.by, item.why) == (said[0].new_label, "Ann", "label error; swapped")
    assert found.corrected == {held_out[0]: said[6].new_label}
    assert (found.disputed, found.kept) == (0, 3)
    assert found.words == (
        "From what was said: 1 row learned with another class, 1 row left out; 1 held-out row with "
        "another class, from which nothing is learned; 1 held-out row said to be faulty, measured all the same; 3 rows "
        "as they are."
    )
    assert found.faulty == (held_out[1],)


def test_people_who_differ_leave_the_row_as_it_is(study, say):
    row = int(study.split.train[0])
    records = chained([say(row, ReviewVerdict.MODEL), say(row, ReviewVerdict.TABLE, by="Ben")])
    found = heard(records, study)
    assert not len(found.guidance)
    assert (found.disputed, found.words) == (1, "From what was said: 1 row on which people differ.")
    agreed = heard(chained([say(row, ReviewVerdict.MODEL), say(row, ReviewVerdict.MODEL, by="Ben")]), study)
    assert len(agreed.guidance) == 1
    assert agreed.disputed == 0


def test_who_settles_is_heard(study, say):
    row = int(study.split.train[0])
    said = [say(row, ReviewVerdict.MODEL), say(row, ReviewVerdict.TABLE, by="Ben")]
    signed = say(row, ReviewVerdict.MODEL, by="Cid", note="seen", settles=tuple(one.entry for one in said))
    found = heard(chained([*said, signed]), study)
    assert [(item.row, item.label, item.by, item.why) for item in found.guidance] == [
        (row, said[0].new_label, "Cid", "seen")
    ]
    assert found.disputed == 0


def test_what_cannot_be_learned_is_passed_over(study, say):
    row = int(study.split.train[0])
    unknown = say(row, ReviewVerdict.OTHER, new_label="no such class")
    assert not len(heard(chained([unknown]), study).guidance)
    gone = replace(say(row, ReviewVerdict.MODEL), row=10_000)
    assert heard(chained([gone]), study).words == ""
    same = say(row, ReviewVerdict.OTHER, new_label=study.table_labels.loc[row])
    assert not len(heard(chained([same]), study).guidance)


def test_the_corrected_table_has_the_new_classes_and_nothing_else_changes(study, say):
    train, held_out = int(study.split.train[0]), int(study.split.held_out[0])
    said = [say(train, ReviewVerdict.MODEL), say(held_out, ReviewVerdict.MODEL), say(train + 1, ReviewVerdict.TABLE)]
    before = study.table.frame.copy()
    found = corrected_table(study, heard(chained(said), study))
    changed = found[study.roles.target].astype(str) != before[study.roles.target].astype(str)
    assert sorted(found.index[changed]) == sorted([train, held_out])
    assert {str(found.loc[row, study.roles.target]) for row in (train, held_out)} <= set(study.classes)
    others = [name for name in before.columns if name != study.roles.target]
    assert found[others].equals(before[others])
    assert study.table.frame.equals(before)
    assert corrected_table(study, heard([], study)) is None


def test_the_corrected_table_has_classes_that_are_numbers_in_their_order_too():
    lines = ["x,grade", *(f"{i % 30},{(i % 30) // 10 * 4 + 4}" for i in range(90))]
    table = read_table("\n".join(lines).encode())
    study = fit_study(table, guess_roles(table, target="grade").roles, settings=FitSettings(num_candidates=20))
    assert study.classes == ("4", "8", "12")
    row = int(study.split.train[0])
    other = next(name for name in study.classes if name != study.table_labels.loc[row])
    said = Judgement(entry="a", row=row, row_hash="0" * 64, verdict=ReviewVerdict.OTHER, new_label=other,
                     label=study.table_labels.loc[row], reviewer="Ann", at=NOW)  # fmt: skip
    found = corrected_table(study, heard(chained([said]), study))
    assert str(found.loc[row, "grade"]) == other


def change(difference, low, high, sides=()):
    line = {"rows": 80.0, "log_loss_before": 0.2, "log_loss_after": 0.2 + difference, "difference": difference,
            "low": low, "high": high, "right_before": 0.9, "right_after": 0.95,
            "balanced_before": 0.8, "balanced_after": 0.825, "balanced_low": -0.01, "balanced_high": 0.06}  # fmt: skip
    frame = pd.DataFrame(list(sides), columns=["actual", "before", "after"], dtype="str")
    return BeforeAfter(
        quality=pd.DataFrame({"untouched": line, "held out": line}).T,
        sides=frame,
        prototypes_gained=(3,),
        prototypes_lost=(4, 5),
        columns_gained=("size",),
        columns_lost=(),
    )


@pytest.mark.parametrize(
    ("difference", "low", "high", "words"),
    [
        (-0.05, -0.08, -0.02, "the log-loss is lower than before"),
        (0.05, 0.02, 0.08, "the log-loss is higher than before"),
        (-0.05, -0.12, 0.02, "no difference in log-loss can be told from chance"),
        (0.0, float("-inf"), float("inf"), "no difference in log-loss can be told from chance"),
    ],
)
def test_only_a_difference_beyond_chance_is_called_one(difference, low, high, words):
    assert words in sentence(change(difference, low, high))


def test_a_table_without_held_out_rows_says_nothing_of_quality():
    found = change(0.0, -1.0, 1.0)
    assert "No row is held out" in sentence(replace(found, quality=found.quality.iloc[:0]))


def test_what_changed_is_counted():
    sides = [("a", "b", "a"), ("a", "a", "b"), ("b", "a", "b")]
    lines = sides_words(change(0.0, -1.0, 1.0, sides))
    assert lines[0].endswith("by the table, 2 became right and 1 became wrong.")
    assert lines[1] == "1 prototype gained, 2 lost."
    assert lines[2] == "1 column used now: 'size'."
    assert sides_words(change(0.0, -1.0, 1.0))[0] == "No held-out row changes its side."
    frame = quality_frame(change(-0.05, -0.08, -0.02))
    assert frame["difference, 95 % interval"][0] == "−0.0500 (−0.0800 to −0.0200)"
    assert frame["difference in points, 95 %"][0] == "+2.5 (−1.0 to +6.0)"
    assert len(frame.columns) == 6  # all in sight on a usual screen
    step = frame["Log-loss"][0].split(" → ")
    assert float(step[1]) - float(step[0]) == pytest.approx(-0.05, abs=0.001)
    assert quality_frame(change(0.0, -1.0, 1.0))["Log-loss"][0].count("→") == 0


def test_calibration_is_stated_for_both_with_what_is_sure_of_each(study):
    found = explain.calibration(study)
    words = calibration_words(found, replace(found, error=0.5, low=0.4, high=0.6))
    assert f"are off by {100 * found.error:.1f} percentage points before and by 50.0 after" in words
    assert "and 40.0 to 60.0 beyond what chance alone does" in words
    assert calibration_words(replace(found, n_rows=0), found) == ""
