"""The benchmark of wrong labels: how they are planted, and what is written down."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import label_errors


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 2)) + 3.0 * np.eye(3)[codes][:, :2]
    return pd.DataFrame(X, columns=["x", "y"]).assign(target=np.array(["a", "b", "c"])[codes])


@pytest.mark.slow
@pytest.mark.parametrize("kind", label_errors.KINDS)
def test_so_many_labels_are_changed_and_nothing_else(frame, kind):
    planted = label_errors.plant(frame, kind, 0.1)
    assert planted.wrong.sum() == 18
    assert ((planted.frame["target"] != frame["target"]) == planted.wrong).all()
    assert planted.frame.drop(columns="target").equals(frame.drop(columns="target"))
    assert label_errors.plant(frame, kind, 0.1).frame.equals(planted.frame)
    if kind == "pairs":
        following = frame["target"].map({"a": "b", "b": "c", "c": "a"})
        assert (planted.frame["target"] == following)[planted.wrong].all()


def test_scores_are_low_where_the_label_is_unlikely():
    scores = label_errors.rival_scores(np.array([0, 0]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert set(scores) == set(label_errors.RIVALS)
    assert all(score[1] < score[0] for score in scores.values())
    assert scores["normalized_margin"] == pytest.approx([0.9, 0.2])


@pytest.mark.exhaustive
def test_a_cell_and_the_table_of_those_on_which_nothing_was_chosen(frame):
    cell = label_errors.measure(frame, "uniform", 0.1)
    assert cell["ours"] > 0.5
    assert 0.0 <= cell["first"] <= 1.0
    assert cell["true"] < cell["expert_ours"] < cell["planted"]
    lines = label_errors.section({"wdbc/uniform/0.1": cell, "banana/uniform/0.1": cell})
    assert [line[:21] for line in lines if "10 %" in line] == ["| uniform, 10 % | 1 |"] * 2


def test_the_share_that_comes_back_is_of_sums_and_not_of_tables():
    cell = {"true": 0.1, "planted": 0.3, **dict.fromkeys(label_errors.ORDERS, 0.2)}
    other = {"true": 0.1, "planted": 0.5, **dict.fromkeys(label_errors.ORDERS, 0.4)}
    cells = [
        {**one, **dict.fromkeys((*label_errors.RIVALS, "ours", "first", "balanced"), 0.5)} for one in (cell, other)
    ]
    harmless = cells[0] | {"planted": 0.05}
    own = zip(("ring", "banana", "cmc"), (*cells, harmless), strict=True)
    lines = label_errors.section({f"{name}/pairs/0.05": cell for name, cell in own})
    assert lines[-1] == "| pairs, 5 % | 2 | 0.100 | 0.400 | **33%** | 33% | 33% | 33% | 33% |"


def test_a_table_counts_once_whatever_was_planted_into_it():
    def cell(ours, best):
        scores = dict.fromkeys(label_errors.RIVALS, 0.1) | {label_errors.RIVALS[1]: best}
        rest = dict.fromkeys(("first", "balanced", "true", *label_errors.ORDERS), 0.5)
        return {**scores, **rest, "ours": ours, "planted": 0.6}

    cells = {
        "ring/uniform/0.05": cell(0.5, 0.4),
        "ring/border/0.05": cell(0.3, 0.35),
        "cmc/pairs/0.05": cell(0.2, 0.3),
        "wdbc/pairs/0.05": cell(0.9, 0.1),  # where the form of the score was chosen
    }
    (line,) = (line for line in label_errors.section(cells) if line.startswith("Mean over all"))
    assert "on 1 of 2 tables, -0.037 on average" in line
