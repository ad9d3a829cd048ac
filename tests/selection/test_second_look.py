"""Which pair stage 2 looks at next, and the rule over several pairs: pure functions."""

import numpy as np
import pytest

from proset.selection.rules import Rule, choose_jointly
from proset.selection.scores import FoldScores
from proset.selection.second_look import STEP, ladder, next_pair


def curve(*means, spread=0.02):
    return FoldScores(np.array([[mean - spread, mean + spread] for mean in means]), 2.0, 7.0)


def test_the_ladder_leads_from_the_choice_of_stage_1_to_less_sparse_pairs():
    sparseness = np.logspace(-5, -1, 5)
    assert ladder(3, sparseness, np.full(5, 0.4), 0.5) == (3, 2, 1, 0)
    assert ladder(1, sparseness, np.full(5, 0.4), 0.5) == (1, 0)  # never to a sparser one
    assert ladder(3, sparseness, [0.4, 0.6, 0.4, 0.4, 0.4], 0.5) == (3, 2, 0)  # a worse one is no rung


@pytest.mark.parametrize(("factor", "rungs"), [(0.999, (1,)), (1.0, (1, 0)), (1.001, (1, 0))])
def test_rungs_are_half_a_decade_apart(factor, rungs):
    assert ladder(1, [1e-3 / (STEP * factor), 1e-3], [0.4, 0.4], 0.5) == rungs


def test_the_next_pair_is_the_first_that_is_not_done():
    half = curve(0.7, np.nan)
    assert next_pair((2, 1, 0), {}) == 2
    assert next_pair((2, 1, 0), {2: half}) == 2
    assert next_pair((2, 1, 0), {2: curve(0.7, 0.5), 1: half}) == 1
    assert next_pair((2,), {2: curve(0.7, 0.5)}) is None


def test_looking_ends_where_a_pair_does_no_better():
    better, worse = curve(0.7, 0.4), curve(0.7, 0.6)
    assert next_pair((2, 1, 0), {2: curve(0.7, 0.5), 1: better}) == 0
    assert next_pair((2, 1, 0), {2: curve(0.7, 0.5), 1: worse}) is None
    assert next_pair((2, 1, 0), {2: curve(0.7, 0.5), 1: worse, 0: better}) is None


@pytest.mark.parametrize(
    ("rule", "expected"),
    [(Rule.SD, (0, 1)), (Rule.BEST, (1, 2))],
)
def test_the_joint_rule_prefers_sparse_pairs_and_of_one_pair_few_batches(rule, expected):
    curves = [curve(0.7, 0.42, 0.42).log_loss, curve(0.7, 0.41, 0.40).log_loss]
    found = choose_jointly(curves, rule)
    assert (found.curve, found.batches) == expected
    margin = 0.02 * np.sqrt(2) if rule is Rule.SD else 0.0
    assert found.threshold == pytest.approx(0.40 + margin)


def test_the_joint_rule_takes_a_less_sparse_pair_where_it_is_clearly_better():
    found = choose_jointly([curve(0.7, 0.6).log_loss, curve(0.7, 0.3).log_loss], Rule.SD)
    assert (found.curve, found.batches) == (1, 1)
