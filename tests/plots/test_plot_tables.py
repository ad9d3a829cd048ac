import numpy as np
import pandas as pd
import pytest
from contrast import contrast

from proset.plots import style
from proset.plots.classes import plot_class_balance
from proset.plots.confusion import plot_confusion, share_text
from proset.plots.number_parts import plot_number_parts
from proset.plots.weights import plot_feature_weights


@pytest.fixture
def confusion():
    return pd.DataFrame([[40, 10, 0], [0, 30, 0], [5, 0, 15]], index=["a", "b", "<c>"], columns=["a", "b", "<c>"])


def middles(bars):
    """Return column and line of each cell."""
    return [(x, round(base + length / 2)) for x, base, length in zip(bars.x, bars.base, bars.y, strict=True)]


def test_every_cell_with_rows_is_one_point(confusion):
    figure = plot_confusion(confusion)
    expected = {
        (actual, predicted): confusion.loc[actual, predicted]
        for actual in confusion.index
        for predicted in confusion.columns
        if confusion.loc[actual, predicted]
    }
    cells = figure.data[-1].customdata
    assert {tuple(entry[1:3]): entry[3] for entry in cells} == expected
    assert sum(len(trace.x) for trace in figure.data[:2]) == len(expected)
    for number, actual, predicted in (entry[:3] for entry in cells):
        assert (confusion.index[number // 3], confusion.columns[number % 3]) == (actual, predicted)
    assert {trace.hoverinfo for trace in figure.data[:-1]} == {"skip"}


def test_right_and_wrong_are_told_apart_and_coloured_by_share_on_one_scale(confusion):
    right, wrong, none, *_, cells = plot_confusion(confusion).data
    assert (right.name, wrong.name, none.name) == ("right", "wrong", "none")
    assert [entry[5] for entry in cells.customdata] == ["right", "wrong", "right", "wrong", "right"]
    assert [entry[4] for entry in cells.customdata] == [80.0, 20.0, 100.0, 25.0, 75.0]
    assert right.marker.color[1] == style.mixed(style.NEUTRAL, style.GROUND, 0.55)
    assert wrong.marker.line.color == style.WRONG
    assert {t.width for t in (right, wrong, none, cells)} == {length for t in (right, wrong, none) for length in t.y}
    assert len(none.x) == 4


def test_a_cell_has_its_count_large_and_its_share_below_which_never_rounds_to_none_or_all():
    assert [share_text(share) for share in (0.0, 0.0001, 0.05, 0.996, 1.0)] == ["0", "<1", "5", ">99", "100"]
    figure = plot_confusion(pd.DataFrame([[999, 1], [0, 3]], index=["a", "b"], columns=["a", "b"]))
    small = '<br><span style="font-size:0.60em">'
    said = sorted(text.replace(small, "|").replace("</span>", "") for t in figure.data[3:5] for text in t.text)
    assert said == ["<b>1</b>|&lt;1 %", "<b>3</b>|100 %", "<b>999</b>|&gt;99 %"]
    assert "below it which per cent" in figure.layout.meta


@pytest.mark.parametrize("dark", [False, True])
def test_faint_colours_are_near_the_page_and_numbers_can_be_read_on_all(dark):
    shares = np.arange(101)
    counts = pd.DataFrame(np.where(np.eye(101), 100 - shares, 0), dtype=int)
    counts[0] += shares  # from all right to all wrong
    figure = plot_confusion(counts.astype(int), dark=dark)
    page = style.on_dark(style.GROUND) if dark else style.GROUND
    fills = {at: colour for t in figure.data[:2] for at, colour in zip(middles(t), t.marker.color, strict=True)}
    assert min(contrast(fill, page) for fill in fills.values()) < 1.5 < max(contrast(f, page) for f in fills.values())
    for trace in figure.data[3:5]:
        assert all(contrast(trace.textfont.color, fills[at]) >= 5.5 for at in zip(trace.x, trace.y, strict=True))
    assert figure.data[-1].marker.line.color == (style.on_dark(style.INK) if dark else style.INK)


def test_a_picked_cell_gets_a_frame_and_no_number_fades(confusion):
    *others, cells = plot_confusion(confusion, picked=("<c>", "a")).data
    assert cells.selectedpoints == (3,)
    assert all(trace.unselected.marker.opacity == 1 for trace in others[:3])
    assert all(trace.unselected.textfont.color == trace.textfont.color for trace in others[3:])
    assert plot_confusion(confusion).data[-1].selectedpoints == ()


def test_cells_fill_the_figure_and_numbers_fit_into_them_whatever_the_number_of_classes():
    sizes = []
    for count in (2, 10, 40):
        names = [f"class {i}" for i in range(count)]
        figure = plot_confusion(pd.DataFrame(np.eye(count, dtype=int), index=names, columns=names))
        assert figure.layout.xaxis.constrain is figure.layout.yaxis.scaleanchor is None
        assert 0.9 < figure.data[0].width < 1
        line = 0.94 * (figure.layout.height - 110) / count
        size = figure.data[3].textfont.size
        both = all("<br>" in text for text in figure.data[3].text)
        assert both == ("per cent" in figure.layout.meta) == (count < 40)
        assert 1.3 * (size + (max(12, 0.6 * size) if both else 0)) < line
        sizes.append(size)
    assert sizes[0] > 30
    assert sizes == sorted(sizes, reverse=True)


def test_actual_classes_run_down_and_predicted_ones_across(confusion):
    figure = plot_confusion(confusion)
    wrong = figure.data[1]
    assert middles(wrong) == [(1, 0), (0, 2)]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "&lt;c&gt;"]
    assert list(figure.layout.yaxis.ticktext) == ["a (50)", "b (30)", "&lt;c&gt; (20)"]


def test_a_class_without_held_out_rows_draws_no_cell():
    figure = plot_confusion(pd.DataFrame([[3, 0], [0, 0]], index=["a", "b"], columns=["a", "b"]))
    assert len(figure.data[0].x) == 1
    assert len(figure.data[1].x) == 0


def test_feature_weights_one_trace_per_batch():
    weights = pd.DataFrame({1: [2.0, 0.5, 0.0], 2: [0.0, 0.7, 3.0]}, index=["f", "g", "h"])
    figure = plot_feature_weights(weights)
    assert [trace.name for trace in figure.data] == ["batch 1", "batch 2"]
    assert list(figure.data[0].y) == ["h", "f", "g"]
    assert list(figure.data[0].x) == [0.0, 2.0, 0.5]
    assert list(figure.data[1].x) == [3.0, 0.0, 0.7]
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.meta is None


def test_bars_stand_around_the_name_of_their_feature_however_many_it_has():
    weights = pd.DataFrame({1: [2.0, 0.0, 0.7], 2: [0.0, 3.0, 0.5]}, index=["f", "g", "both"])
    middles = {
        (name, trace.name): offset + trace.width / 2
        for trace in plot_feature_weights(weights).data
        for name, weight, offset in zip(trace.y, trace.x, trace.offset, strict=True)
        if weight
    }
    assert middles["f", "batch 1"] == middles["g", "batch 2"] == 0.0
    assert middles["both", "batch 1"] == -middles["both", "batch 2"] < 0.0


def test_feature_weights_are_cut_to_the_heaviest():
    weights = pd.DataFrame({1: np.arange(1.0, 31.0)}, index=[f"f{i}" for i in range(30)])
    figure = plot_feature_weights(weights, limit=20)
    assert list(figure.data[0].y)[:2] == ["f29", "f28"]
    assert len(figure.data[0].y) == 20
    assert figure.layout.meta == "10 more features of less weight are not shown."


def test_names_that_are_cut_to_the_same_label_keep_their_own_bar():
    weights = pd.DataFrame({1: [2.0, 1.0]}, index=["x" * 60 + "1", "x" * 60 + "2"])
    trace = plot_feature_weights(weights).data[0]
    assert len(set(trace.y)) == 2
    assert [entry[0][-1] for entry in trace.customdata] == ["1", "2"]


@pytest.mark.parametrize("weights", [pd.DataFrame(index=pd.Index([], dtype="str")), pd.DataFrame({1: []}, dtype=float)])
def test_no_active_features_draw_an_empty_figure(weights):
    assert sum(len(trace.x) for trace in plot_feature_weights(weights).data) == 0


def test_held_out_rows_of_a_number_are_hatched_on_the_colour_of_bars():
    figure = plot_number_parts(np.arange(20.0), np.arange(10.0), unit="price")
    training, held_out = (trace.marker.pattern for trace in figure.data)
    assert (training.shape, held_out.shape) == ("", "/")
    assert held_out.fillmode == "overlay"
    assert held_out.fgcolor == style.GROUND


def test_a_far_number_does_not_make_one_bar_of_all_others_and_is_named():
    figure = plot_number_parts(np.append(np.arange(150.0), 216_990.86), np.arange(50.0), unit="revenue")
    assert sum(sum(trace.y) for trace in figure.data) == 200
    assert len(figure.data[0].x) > 4
    assert max(figure.data[0].x) < 150
    assert figure.layout.meta == "Outside this picture: 1 row, at 216,990.9."
    assert plot_number_parts(np.arange(20.0), np.arange(10.0), unit="price").layout.meta is None


def test_class_balance():
    counts = pd.DataFrame({"training": [70, 20], "held out": [30, 10]}, index=["yes", "<no>"])
    figure = plot_class_balance(counts)
    assert [list(trace.x) for trace in figure.data[:2]] == [[70, 20], [30, 10]]
    said = [(trace.name, trace.marker.color) for trace in figure.data if trace.showlegend is not False]
    assert said == [("training", style.NEUTRAL), ("held out", style.NEUTRAL)]  # parts have no hue of a class
    assert list(figure.data[0].marker.color) == list(style.class_colours(["yes", "<no>"]).values())
    assert figure.data[0].marker.pattern.shape != figure.data[1].marker.pattern.shape
    # Otherwise lines stand on the page, and white ones on white.
    assert figure.data[1].marker.pattern.fillmode == "overlay"
    assert list(figure.layout.yaxis.ticktext) == ["yes", "&lt;no&gt;"]
    assert figure.data[1].customdata[0][1] == "75.0 %"
    assert figure.layout.legend.traceorder == "normal"


def test_each_class_has_its_rows_and_share_at_its_bar_and_many_have_thinner_ones():
    figure = plot_class_balance(pd.DataFrame({"training": [70, 20], "held out": [30, 10]}, index=["yes", "no"]))
    numbers = figure.data[-1]
    assert (numbers.mode, list(numbers.x), list(numbers.y)) == ("text", [100, 30], [0, 1])
    assert [text.strip() for text in numbers.text] == ["100, 76.9 %", "30, 23.1 %"]
    assert figure.layout.xaxis.range[1] > 100
    many = plot_class_balance(pd.DataFrame({"training": [1] * 10}, index=list("abcdefghij")))
    assert many.layout.height < 5 * figure.layout.height / 2
