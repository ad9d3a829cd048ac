"""Numbers and dates that a frame holds as text are explained like those of its typed twin; so are levels in floats."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.slices.candidates import candidates
from proset.explain.slices.ground import every_row
from proset.explain.value_bins import study_column
from proset.study.decision import MOST_PROBABLE

KINDS = {"when": Role.DATE, "cost": Role.NUMERIC, "code": Role.CATEGORICAL}
DAY_FIRST = "%d.%m.%Y"


def frames():
    """Return the same rows with text and with types."""
    rng = np.random.default_rng(3)
    n = 150
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    cost = rng.normal(1_500.0, 300.0, n).round(2)
    code = rng.choice([2.0, 3.0, 4.0], n)
    late = (days - days[0]).days.to_numpy() / 200.0
    y = late + (cost - 1_500.0) / 300.0 + (code == 4.0) + rng.normal(0.0, 0.3, n)
    typed = pd.DataFrame({"when": days, "cost": cost, "code": code, "y": y.round(3)})
    typed["kind"] = np.where(y > np.median(y), "high", "low")
    typed.loc[[3, 8], ["when", "code"]] = None
    texts = typed["when"].dt.strftime(DAY_FIRST).astype(object).where(typed["when"].notna(), None)
    return typed.assign(when=texts, cost=[f"{value:.2f}" for value in cost]), typed


@pytest.fixture(scope="module")
def twins():
    """Two studies of classes."""
    settings = proset.FitSettings(n_iter=2, lambda_v=1e-3)
    roles = Roles({**KINDS, "kind": Role.TARGET, "y": Role.EXTRA})
    found = [proset.fit_study(proset.read_table(frame), roles, settings=settings) for frame in frames()]
    assert found[0].design.encoder("when").form == DAY_FIRST
    assert found[0].probabilities.equals(found[1].probabilities)
    assert {"when", "cost", "code"} <= set(found[0].used_columns)
    return found


@pytest.fixture(scope="module")
def numbers():
    """Two studies of a number."""
    roles = Roles({**KINDS, "y": Role.TARGET, "kind": Role.EXTRA}, number=True)
    return [proset.fit_number_study(proset.read_table(frame), roles) for frame in frames()]


def rows_of(study, n=6):
    return study.split.held_out[:n].tolist()


@pytest.mark.slow
def test_changes_of_a_case_are_those_of_the_typed_twin(twins):
    changed = set()
    for row in rows_of(twins[0], n=9):
        one, other = (explain.smallest_flip(study, row) for study in twins)
        assert one.flips == other.flips
        assert one.to_dict() == other.to_dict()
        changed |= {flip.feature for flip in one.flips}
        for locks in ({}, {"locked": ["cost", "code"], "may_only_rise": ["when"]}):
            one, other = (explain.counterfactuals(study, row, **locks) for study in twins)
            assert one.found == other.found
            for answer in one.found if locks else ():
                (change,) = answer.changes
                assert change.after > change.before
                changed.add("risen")
    assert changed >= {"when", "cost", "risen"}


@pytest.mark.slow
def test_moves_of_a_number_are_those_of_the_typed_twin(numbers):
    seen = 0
    for row in rows_of(numbers[0], 2):
        one, other = (explain.number_moves(study, row, 0.4) for study in numbers)
        pd.testing.assert_frame_equal(one.reached, other.reached)
        pd.testing.assert_frame_equal(one.missed, other.missed)
        seen += len(one.reached)
    assert seen > 2


def test_a_value_is_written_as_the_model_reads_it():
    scope = ValueRange("when", ValueKind.DATE, 18_000.0, 19_000.0, form=DAY_FIRST)
    april = pd.Timestamp("2020-04-10")
    assert scope.text("10.04.2020") == scope.text(april) == scope.text(april.date()) == "2020-04-10"
    assert scope.plain("10.04.2020") == scope.cell(scope.number("10.04.2020")) == april
    assert (scope.text(None), scope.text("?"), scope.plain("?"), scope.plain(None)) == (
        "missing",
        "missing",
        None,
        None,
    )
    assert replace(scope, form="%d.%m.%y").text("10.04.20") == "2020-04-10"
    iso = replace(scope, form="ISO8601")
    east = "2020-04-10T10:30:00+02:00"
    assert iso.text(east) == iso.text(pd.Timestamp(east)) == "2020-04-10 08:30:00"
    assert iso.plain(east) == pd.Timestamp("2020-04-10 08:30")
    cost = ValueRange("cost", ValueKind.NUMBER, 0.0, 9.0, decimals=2)
    assert (cost.number("1.50"), cost.text("1.50"), cost.plain("1.50"), cost.plain(np.int64(2))) == (1.5, "1.5", 1.5, 2)
    code = ValueRange("code", ValueKind.LEVEL, levels=("2", "4"))
    assert (code.text(4.0), code.text("4"), code.text(None), code.plain(None)) == ("4", "4", "missing", None)


def test_text_that_stands_for_numbers_and_dates_is_cut_into_ranges(twins, numbers):
    for column in ("when", "cost"):
        one, other = (explain.quality_by(study, column).frame for study in twins)
        pd.testing.assert_frame_equal(one, other)
        one, other = (explain.familiarity(study, groups=column).groups for study in twins)
        assert one == other
        one, other = (explain.number_quality_by(study, column).frame for study in numbers)
        pd.testing.assert_frame_equal(one, other)
        one, other = (explain.column_errors(study, column=column) for study in numbers)
        pd.testing.assert_frame_equal(one.bins, other.bins)
        assert one.bins["middle"].notna().all() or one.bins.index[-1] == "(missing)"
    assert explain.number_errors(numbers[0]).words == explain.number_errors(numbers[1]).words


def test_error_slices_are_those_of_the_typed_twin(twins):
    one, other = (candidates(study, study.split.held_out) for study in twins)
    assert one.conditions == other.conditions
    assert {each.kind for each in one.conditions if each.name != "code"} >= {"range", "dates"}
    judged = every_row(twins[0], MOST_PROBABLE)
    for place, condition in enumerate(one.conditions):
        both = [each.holds(study, judged) for each, study in zip((condition, condition), twins, strict=True)]
        np.testing.assert_array_equal(*both)
        inside = both[0][judged.index.get_indexer(twins[0].split.held_out)]
        np.testing.assert_array_equal(inside, one.holds[:, place] > 0)
    assert explain.find_error_slices(twins[0]).words == explain.find_error_slices(twins[1]).words


def test_columns_of_words_and_unread_ones_stay_as_they_are(twins):
    for name in ("code", "kind", "y"):
        assert study_column(twins[0], name).equals(twins[0].table.frame[name])


def test_the_same_value_in_another_type_is_no_change(twins, numbers):
    for study, ask in ((twins[0], explain.what_if), (numbers[0], explain.number_what_if)):
        frame = study.table.frame
        row = int(frame.index[frame["code"].eq(2.0)][0])
        cells = frame.loc[row]
        day = pd.to_datetime(cells["when"], format=DAY_FIRST)
        same = {"code": "2", "when": day, "cost": float(cells["cost"]), "y": str(cells["y"])}
        assert ask(study, row, same).changes == {}
        assert ask(study, row, {"code": "2.0"}).changes == {}
        other = {"code": "4", "when": day + pd.Timedelta(days=1), "cost": float(cells["cost"]) + 1.0}
        assert set(ask(study, row, other).changes) == set(other)
        with pytest.raises(proset.common.errors.DesignError, match="soon"):
            ask(study, int(frame.index[frame["when"].isna()][0]), {"when": "soon"})


def test_a_level_is_called_as_the_model_calls_it(twins, numbers):
    study = twins[0]
    found = [flip for row in rows_of(study) for flip in explain.smallest_flip(study, row).flips]
    texts = {text for flip in found if flip.feature == "code" for text in flip.texts}
    moves = explain.number_moves(numbers[0], rows_of(numbers[0])[0], 0.1).reached
    texts |= set(moves.loc[moves["column"] == "code", "before"])
    assert texts
    assert texts <= {"2", "3", "4", "missing"}
