"""Words beside the bars of what moves a number keep clear of the lines of answer and reference."""

import numpy as np
import pytest

from proset.plots import style
from proset.plots.number_changes import _LETTER, _labels


@pytest.mark.parametrize(
    ("start", "end", "lines", "side", "at"),
    [
        (60.0, 30.0, (60.0, 90.0), "right", 30.0),  # nothing is in the way
        (60.0, 30.0, (90.0, 27.0), "left", 60.0),  # the answer would run through the words beyond
        (30.0, 60.0, (30.0, 63.0), "right", 30.0),
        (30.0, 60.0, (27.0, 63.0), "left", 60.0),  # in the way on both sides: beyond, as usual
        (30.0, 99.0, (30.0, 30.0), "right", 30.0),  # there is no room beyond
    ],
)
def test_words_stand_where_no_line_runs_through_them(start, end, lines, side, at):
    (found,) = _labels(np.array([start]), np.array([end]), ["+12,400"], lines, (0.0, 100.0))
    assert (found["xanchor"], found["x"]) == (side, at)
    assert found["bgcolor"] == style.GROUND  # where lines are on both sides, they do not strike the words through
    assert 7 * _LETTER * 100.0 > 10.0
