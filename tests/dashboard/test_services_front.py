"""What the Fit page says about a joint search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dashboard.services.fit.front import (
    found_words,
    named_lines,
    notes,
    point_lines,
    price_words,
    reason_words,
    setting_words,
)
from proset.data.scales import Scale
from proset.selection import JointRecord, batches_words
from proset.selection.front import JOINED, front_point, joined_words, refined_words
from proset.selection.scores import FoldScores
from proset.study import Study


def test_folds_are_those_that_were_reached(jointly: Study, stopped_search: JointRecord) -> None:
    whole, stopped = jointly.search, stopped_search.take_best_so_far()
    assert isinstance(whole, JointRecord)
    reached = {pair: int(of_pair["folds"].max()) for pair, of_pair in whole.points.groupby("pair")}
    assert set(reached.values()) == {2, 3}  # one pair is dropped after the first two folds
    assert "on 2 to 3 folds." in reason_words(whole)
    assert reason_words(whole).endswith(refined_words(whole))
    assert refined_words(stopped) == ""
    assert int(stopped.points["folds"].max()) < stopped.plan.n_folds
    assert f"on {stopped.plan.n_folds} folds" not in reason_words(stopped)
    begun = stopped.points["pair"].nunique()
    assert (f"{begun} of 3 feature penalties" in reason_words(stopped)) == (begun < stopped.plan.n_pairs)


def test_the_reason_leaves_room_for_a_smaller_model_that_is_as_good(jointly: Study) -> None:
    assert isinstance(jointly.search, JointRecord)
    words = reason_words(jointly.search)
    assert "smallest model was taken that is about as good" not in words
    assert "2 % of what the best gains" in words


def test_what_is_as_good_is_not_said_to_be_worse(jointly: Study, stopped_search: JointRecord) -> None:
    for record in (jointly.search, stopped_search.take_best_so_far()):
        assert isinstance(record, JointRecord)
        for names, _, given_away in named_lines(record):
            assert not ("smallest as good" in names and "more than one standard error" in given_away)


def test_the_refined_model_has_a_line_of_its_own(jointly: Study) -> None:
    record = jointly.search
    assert isinstance(record, JointRecord)
    found = record.refinement
    assert found is not None
    assert found.changes_anything
    *others, (names, what, said), _ = named_lines(record)
    assert names == "chosen, refined (square)"
    assert what.startswith(f"log-loss {found.log_loss:.3f}, ")
    assert "model that is used" in said
    as_grown = replace(record, refined=None)
    assert named_lines(as_grown) == others


def test_joined_votes_have_a_line_a_point_and_a_price(jointly: Study) -> None:
    record = jointly.search
    assert isinstance(record, JointRecord)
    found, point = record.joined_model, front_point(record, JOINED)
    assert found is not None
    *_, (_, _, of_refined), (names, what, said) = named_lines(record)
    assert names == "joined votes (pentagon)"
    assert what.startswith(f"log-loss {found.log_loss:.3f}, ")
    assert said == joined_words(record)
    assert ("lower than" in said) == (found.below > 0.0)
    assert "model that is used" in of_refined
    assert "(joined votes)" in point_lines(record)[JOINED]
    assert setting_words(point).startswith(f"votes of 4 fits joined, {batches_words(point.n_batches)} each, ")
    assert price_words(point) == "The final model is fitted again, which takes about 4 times as long."
    assert price_words(front_point(record, record.point_row(record.chosen))) == "The final model is fitted again."


def test_joined_votes_that_were_taken_are_the_model_that_is_used(jointly: Study) -> None:
    assert isinstance(jointly.search, JointRecord)
    record = jointly.search.with_joined()
    assert found_words(record).startswith("Your choice: ")
    assert found_words(record).endswith(", votes of 4 fits joined.")
    assert "the votes of 4 such fits are joined" in reason_words(record)
    *_, (_, _, of_refined), (_, _, said) = named_lines(record)
    assert "model that is used" not in of_refined
    assert said.startswith("The model that is used. ")


def test_joined_votes_are_called_larger_where_they_are(jointly: Study) -> None:
    assert isinstance(jointly.search, JointRecord)
    taken = replace(jointly.search, plan=replace(jointly.search.plan, take_joined=True))
    assert taken.joined is not None
    for factor, larger in ((100.0, True), (0.0, False)):
        sizes = factor * taken.joined.n_prototypes
        record = replace(taken, joined=replace(taken.joined, n_prototypes=sizes, log_loss=0.1 * taken.joined.log_loss))
        assert record.takes_joined
        assert "the votes of 4 fits of it were joined" in reason_words(record)
        assert ("larger than one of them" in reason_words(record)) is larger


def test_sizes_of_loose_fits_are_not_passed_off_as_those_of_the_model(jointly: Study) -> None:
    record = jointly.search
    assert isinstance(record, JointRecord)
    assert any("far fewer prototypes" in note for note in notes(record, jointly.design))
    tight = replace(record, plan=replace(record.plan, cv_factr=jointly.recipe.settings.solver_factr))
    assert not any("far fewer prototypes" in note for note in notes(tight, jointly.design))


def test_levels_are_not_passed_off_as_columns(jointly: Study, iris_study: Study) -> None:
    assert isinstance(jointly.search, JointRecord)
    counted = "Features are not columns here: a category has one for each of its levels."
    assert counted in notes(jointly.search, jointly.design)
    assert counted not in notes(jointly.search, iris_study.design)


def test_the_reason_says_which_scale_was_taken(jointly: Study) -> None:
    record = jointly.search
    assert isinstance(record, JointRecord)
    plan = replace(record.plan, scales=(Scale.STANDARD, Scale.QUANTILE))
    lower = FoldScores(np.array([[0.50, 0.52, 0.51], [0.30, 0.31, 0.33]]), n_features=1, n_prototypes=2)
    said = reason_words(replace(record, plan=plan, scaled=lower))
    assert "Numbers are taken on a quantile scale: " in said
    assert "0.197 ± 0.009 lower log-loss over the folds than the standard scale" in said
    assert "Numbers are taken" not in reason_words(record)
