"""What the benchmark of novelty measures."""

import numpy as np
import pytest

from benchmarks import novelty


@pytest.fixture(scope="module")
def problem():
    return novelty.sample_problem("wine", 0)


def test_rows_far_from_everything_are_told_perfectly_and_usual_ones_not_at_all(problem):
    usual = problem.X[problem.held_out]
    watch = novelty.Watch(novelty.fit(problem, problem.train, 1), problem.X[problem.train], usual)
    far = novelty.warning_areas(watch, usual, usual + 50.0)
    assert far["model"] == far["all"] == far["lower"] == 1.0
    assert novelty.warning_areas(watch, usual, usual) == pytest.approx(dict.fromkeys(novelty.SCORES, 0.5))


def test_shifted_rows_keep_what_they_should(problem):
    rows = novelty.shifted_rows(problem, novelty.sample_problem("iris_2f", 0), 0)
    usual = problem.X[problem.held_out]
    np.testing.assert_allclose(np.sort(rows["permuted"], axis=0), np.sort(usual, axis=0))
    known = problem.X[problem.train]
    np.testing.assert_allclose(rows["other"].mean(axis=0), known.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(rows["other"].std(axis=0), known.std(axis=0), atol=1e-6)


def test_a_class_that_was_left_out_is_not_among_the_known_cases(problem):
    areas = novelty.without_class(problem, str(problem.y[0]), 1)
    assert set(areas) == set(novelty.SCORES)
    assert all(0.0 <= area <= 1.0 for area in areas.values())


def test_the_table_has_one_line_per_shift_and_number_of_batches(problem):
    cell = {shift: dict.fromkeys(novelty.SCORES, 0.7) for shift in novelty.SHIFTS}
    lines = novelty.section({"a/0/1": cell, "b/0/1": cell, "a/0/3": cell}, ["a/0/1", "b/0/1", "a/0/3"])
    assert len(lines) == 2 + 2 * len(novelty.SHIFTS)
    assert lines[2].startswith("| a class left out | 1 | 2 | **0.70 (0.70)**")
