import numpy as np
import pandas as pd
import pytest

from proset.plots.thinning import choose_points, is_wrong


@pytest.fixture
def points():
    n = 10_000
    frame = pd.DataFrame(
        {
            "part": np.where(np.arange(n) % 2, "train", "held_out"),
            "actual": np.where(np.arange(n) % 10 < 4, "a", "b"),
            "correct": pd.array([True] * n, dtype="boolean"),
        },
        index=pd.RangeIndex(1, n + 1, name="row"),
    )
    frame.loc[[5, 17, 8000], "correct"] = False
    return frame


def test_all_rows_are_drawn_when_they_fit(points):
    drawn = choose_points(points, limit=10_000)
    assert len(drawn.rows) == drawn.n_rows == 10_000
    assert drawn.n_wrong == 3
    assert drawn.note is None


def test_a_sample_holds_misclassified_rows_and_the_selected_case(points):
    drawn = choose_points(points, always=4321, limit=100)
    assert len(drawn.rows) == 100
    assert {5, 17, 8000, 4321} <= set(drawn.rows.index)
    assert drawn.rows.index.is_monotonic_increasing
    assert "100 of 10,000 rows are drawn" in drawn.note
    assert "all 3 misclassified ones" in drawn.note


def test_a_sample_keeps_the_share_of_each_class(points):
    shares = choose_points(points, limit=1_000).rows["actual"].value_counts(normalize=True)
    assert shares["a"] == pytest.approx(0.4, abs=0.01)


def test_the_same_seed_draws_the_same_rows(points):
    first, again, other = (choose_points(points, limit=50, random_state=seed).rows.index for seed in (1, 1, 2))
    assert list(first) == list(again)
    assert list(first) != list(other)


def test_only_rows_of_the_part_are_drawn(points):
    drawn = choose_points(points, part="train", always=5, limit=40)
    assert set(drawn.rows["part"]) == {"train"}
    assert drawn.n_rows == 5_000


def test_too_many_misclassified_rows_are_sampled_and_the_note_says_so(points):
    wrong = points.assign(correct=pd.array([False] * len(points), dtype="boolean"))
    drawn = choose_points(wrong, limit=20)
    assert len(drawn.rows) == 20
    assert drawn.note.startswith("20 of 10,000 rows are drawn: 20 of the 10,000 misclassified ones")


def test_errors_leave_room_for_the_others(points):
    half = points.assign(correct=pd.array(np.arange(len(points)) % 4 > 0, dtype="boolean"))
    drawn = choose_points(half, limit=1_000, most_wrong=100)
    assert len(drawn.rows) == 1_000
    assert is_wrong(drawn.rows).sum() == drawn.n_wrong_drawn == 100
    assert drawn.n_wrong == 2_500
    assert "100 of the 2,500 misclassified ones and a sample of the others" in drawn.note


def test_the_note_speaks_of_misclassified_rows_only_if_there_are_any(points):
    right = points.assign(correct=pd.array([True] * len(points), dtype="boolean"))
    assert (
        choose_points(right, limit=20).note
        == "20 of 10,000 rows are drawn, a sample that keeps the share of each class."
    )


def test_rows_without_a_label_are_not_wrong():
    frame = pd.DataFrame({"correct": pd.array([None, True, False], dtype="boolean")})
    assert is_wrong(frame).tolist() == [False, False, True]
    assert is_wrong(pd.DataFrame({"correct": [True, False]})).tolist() == [False, True]


def test_unlabelled_rows_survive_sampling(points):
    points.loc[points.index > 5_000, "actual"] = None
    drawn = choose_points(points, limit=100)
    assert drawn.rows["actual"].isna().mean() == pytest.approx(0.5, abs=0.05)
