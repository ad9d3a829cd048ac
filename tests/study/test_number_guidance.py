"""Models of a number obey what people say; held-out rows are measured against the table as before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from number_tables import houses, table_of

from proset import explain
from proset.common.errors import OtherSearchError, RoleError, StudyError
from proset.compare.contenders import UNGUIDED
from proset.compare.numbers.number_contenders import number_contenders
from proset.compare.plan import ComparePlan
from proset.data.split import SplitSettings
from proset.selection.number_plan import NumberPlan
from proset.storage import from_bytes, result_from_bytes, result_to_bytes, to_bytes
from proset.study import NumberSettings, fit_number_study, learned_words, search_number_study
from proset.study.any_study import fit_recipe
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.number_before_after import MEASURES, number_before_after
from proset.study.number_fit import fit_number_again, fit_number_choice
from proset.study.number_unseen import judge_numbers_unseen

K = GuidanceKind
TABLE, ROLES = table_of(houses())
SETTINGS = NumberSettings(n_iter=1)


def again(guidance):
    return fit_number_study(TABLE, ROLES, settings=SETTINGS, guidance=guidance)


def said(*items):
    return Guidance(tuple(GuidanceItem(kind, **about) for kind, about in items))


@pytest.fixture(scope="module")
def plain():
    return fit_number_study(TABLE, ROLES, settings=SETTINGS)


@pytest.fixture(scope="module")
def asked(plain):
    """Two training rows learned with other numbers, two left out, one that is no prototype and one candidate."""
    rows = [row for row in map(int, plain.split.train) if row not in set(plain.prototypes["row"])]
    own = int(plain.prototypes["row"].iloc[0])
    return said(
        (K.RELABEL, {"row": rows[0], "label": "310.5"}),
        (K.RELABEL, {"row": rows[1], "label": "7"}),
        (K.LEAVE_OUT, {"row": rows[2]}),
        (K.LEAVE_OUT, {"row": rows[3]}),
        (K.NO_PROTOTYPE, {"row": own}),
        (K.CANDIDATE, {"row": rows[4]}),
    )


@pytest.fixture(scope="module")
def guided(asked):
    return again(asked)


def test_rows_are_learned_with_their_new_numbers_or_not_at_all(plain, guided, asked):
    moved, aside = asked.rows_of(K.RELABEL), asked.rows_of(K.LEAVE_OUT)
    assert guided.targets.loc[moved].tolist() == [310.5, 7.0]
    assert guided.table_targets.loc[moved].tolist() == plain.targets.loc[moved].tolist()
    # Whatever the model has learned, it is measured against the table.
    assert guided.predictions.loc[[*moved, *aside], "actual"].equals(plain.predictions.loc[[*moved, *aside], "actual"])
    assert guided.predictions.loc[aside, "part"].eq("unlabelled").all()
    assert guided.targets.loc[aside].isna().all()
    assert not set(guided.prototypes["row"]) & {*aside.tolist(), *asked.rows_of(K.NO_PROTOTYPE).tolist()}
    assert guided.model.target_mean_ != plain.model.target_mean_


def test_it_is_the_model_of_a_table_that_states_what_was_said(guided, asked):
    frame = TABLE.frame.copy()
    frame.loc[asked.rows_of(K.RELABEL), ROLES.target] = [310.5, 7.0]
    rest = Guidance(tuple(item for item in asked if item.kind is not K.RELABEL))
    stated = replace(TABLE, frame=frame)
    by_hand = fit_number_study(stated, ROLES, settings=SETTINGS, split=guided.split, guidance=rest)
    assert np.array_equal(by_hand.predictions["median"], guided.predictions["median"])


def test_held_out_rows_are_those_of_the_table_whatever_is_said(plain, guided):
    held = guided.split.held_out
    assert held.tolist() == plain.split.held_out.tolist()
    assert guided.targets.loc[held].tolist() == plain.targets.loc[held].tolist()
    with pytest.raises(StudyError, match=f"Row {held[0]} is held out"):
        again(said((K.LEAVE_OUT, {"row": int(held[0])})))


def test_columns_are_used_or_not_as_asked(plain):
    used = plain.used_columns[0]
    without = again(said((K.NO_COLUMN, {"column": used})))
    assert used not in without.used_columns
    must = again(said((K.USE_COLUMN, {"column": used})))
    assert used in must.used_columns


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ((K.RELABEL, {"row": 1, "label": "dear"}), "Row 1 cannot be learned as 'dear': that is no number"),
        ((K.RELABEL, {"row": 1, "label": "inf"}), "that is no number"),
        ((K.LEAVE_OUT, {"row": 9_999}), "The table has no row 9999"),
        ((K.NO_COLUMN, {"column": "colour"}), "There is no column 'colour'"),
    ],
)
def test_what_cannot_be_obeyed_is_refused_by_name(item, message):
    with pytest.raises((StudyError, RoleError), match=message):
        again(said(item))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (K.LEAVE_OUT, "Guidance leaves 0 training rows; at least 9"),
        (K.NO_PROTOTYPE, "No training row may be a prototype"),
        (K.CANDIDATE, "Every training row is asked to be a candidate"),
    ],
)
def test_what_leaves_too_little_is_refused(plain, kind, message):
    with pytest.raises(StudyError, match=message):
        again(said(*((kind, {"row": int(row)}) for row in plain.split.train)))


def test_nothing_said_changes_nothing_not_even_the_id(plain, guided, asked):
    assert again(Guidance()).id == plain.id != guided.id
    assert fit_recipe(TABLE, guided.recipe).id == guided.id
    told = " As people have asked: 2 rows learned with another number, 2 rows left out"
    assert learned_words(guided).endswith(f"{told}, 1 row not to be a prototype, 1 row to be a candidate.")


def test_a_guided_study_comes_back_from_a_file(guided):
    for back in (from_bytes(to_bytes(guided)), result_from_bytes(result_to_bytes(guided), TABLE)):
        assert (back.id, back.recipe) == (guided.id, guided.recipe)
        assert back.targets.equals(guided.targets)


def test_folds_and_refits_obey_it(guided, asked):
    unseen = judge_numbers_unseen(guided, n_folds=2)
    assert unseen.belongs_to(guided)
    assert not unseen.belongs_to(replace(guided, guidance=Guidance()))
    assert not np.isin(asked.rows_of(K.LEAVE_OUT), unseen.rows).any()
    moved = asked.rows_of(K.RELABEL)
    assert unseen.predictions.loc[moved, "actual"].tolist() == guided.table_targets.loc[moved].tolist()
    assert unseen.studies[0].targets.loc[moved].tolist() == [310.5, 7.0]
    assert len(explain.number_stability(guided, n_repeats=2).refits) == 2
    other = fit_number_again(guided, SplitSettings(seed=5), 1)
    held = other.split.held_out
    assert other.targets.loc[held].equals(other.table_targets.loc[held])


PLAN = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, random_state=1)


@pytest.fixture(scope="module")
def searched():
    asked = said((K.NO_COLUMN, {"column": "district"}), (K.USE_COLUMN, {"column": "age"}))
    return search_number_study(TABLE, ROLES, plan=PLAN, guidance=asked)


def test_every_fold_of_a_search_and_its_model_obey(searched):
    assert set(searched.used_columns) == {"size", "age"}  # the price does not depend on age
    assert searched.search.columns.names == ("size",)


def test_a_search_goes_on_with_the_same_guidance_only(searched):
    assert fit_number_choice(searched, searched.search).guidance == searched.guidance
    with pytest.raises(OtherSearchError):
        search_number_study(TABLE, ROLES, plan=PLAN, record=searched.search)


@pytest.mark.slow
def test_a_comparison_obeys_what_is_said_of_columns_and_says_what_it_does_not(guided):
    plan = ComparePlan(("proset",), n_folds=2)
    assert UNGUIDED in number_contenders(plan, guided)[0].note
    without = again(said((K.NO_COLUMN, {"column": "size"})))
    own = number_contenders(plan, without)[0]
    assert UNGUIDED not in own.note
    assert UNGUIDED in number_contenders(replace(plan, tuned=True), without)[0].note
    rows = without.split.train
    model = own.make().fit(without.encode(rows).X, without.targets.loc[rows].to_numpy())
    assert np.array_equal(model.predict(without.encode([1, 2]).X), without.model.predict(without.encode([1, 2]).X))


def test_before_and_after_stand_side_by_side_on_the_same_rows(plain, guided):
    found = number_before_after(plain, guided)
    assert found.n_rows == len(plain.split.held_out)
    assert found.quality.index.tolist() == list(MEASURES)
    line = found.quality.loc["absolute error"]
    assert line["before"] == pytest.approx(plain.metrics.mae)
    assert line["after"] == pytest.approx(guided.metrics.mae)
    assert found.quality.loc["CRPS", "after"] == pytest.approx(guided.metrics.crps)
    assert found.quality.loc["inside 90 %", "before"] == pytest.approx(plain.metrics.covered)
    assert (found.quality["low"] <= found.quality["difference"]).all()
    assert (found.quality["difference"] <= found.quality["high"]).all()
    moves = (found.moved["after"] - found.moved["before"]).abs().to_numpy()
    assert np.array_equal(moves, np.sort(moves)[::-1])
    assert set(found.prototypes_lost) >= set(guided.guidance.rows_of(K.NO_PROTOTYPE))
    other = fit_number_study(TABLE, ROLES, settings=SETTINGS, split=SplitSettings(seed=3))
    with pytest.raises(StudyError, match="same table, target and held-out rows"):
        number_before_after(plain, other)
