"""The figure of one column."""

import numpy as np
import pytest

from proset.data.column_profile import ColumnProfile
from proset.data.profile import CellKind
from proset.plots.column_profile import plot_column_profile


def profile(counts, *, bars=None, edges=None, name="x", kind=CellKind.NUMBER):
    counts = np.asarray(counts)
    bars = bars or tuple(f"b{i}" for i in range(len(counts)))
    return ColumnProfile(name, kind, 9, 0, 9, "", "", "", bars, edges, counts, 0.5)


def test_bars_are_stacked_by_class_in_their_order():
    figure = plot_column_profile(profile([[1, 2], [3, 0]]), ("low", "high"))
    assert [(trace.name, list(trace.y)) for trace in figure.data] == [("low", [1, 3]), ("high", [2, 0])]
    assert figure.layout.barmode == "stack"


def test_shares_add_up_and_an_empty_bar_stays_empty():
    figure = plot_column_profile(profile([[1, 3], [0, 0]]), ("a", "b"), shares=True)
    assert [list(trace.y) for trace in figure.data] == [[0.25, 0.0], [0.75, 0.0]]


def test_missing_cells_stand_apart_from_ranges():
    figure = plot_column_profile(
        profile([[1], [2], [3]], bars=("0 to 1", "1 to 2", "(missing)"), edges=np.array([0.0, 1.0, 2.0])), ()
    )
    assert list(figure.data[0].x) == [0.0, 1.0, 2.5]
    assert figure.layout.xaxis.ticktext == ("0", "1", "2", "missing")
    assert figure.layout.xaxis.tickvals == (-0.5, 0.5, 1.5, 2.5)


def test_many_classes_are_drawn_as_nine_and_the_others():
    counts = np.arange(24).reshape(2, 12)
    figure = plot_column_profile(profile(counts), [f"c{i}" for i in range(12)])
    assert len(figure.data) == 10
    assert figure.data[-1].name == "3 other classes"
    assert sum(sum(trace.y) for trace in figure.data) == counts.sum()


@pytest.mark.parametrize("word", ["<b>x</b>", "%{y}", "a\nb"])
def test_strangers_words_are_shown_as_they_are(word):
    figure = plot_column_profile(profile([[1, 2]], bars=(word,), name=word), (word, "b"))
    shown = [figure.data[0].name, figure.layout.xaxis.title.text, *figure.layout.xaxis.ticktext]
    assert all("<b>" not in text and "%{" not in text and "\n" not in text for text in shown)
