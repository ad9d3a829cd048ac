"""The benchmark of interactions: it compares with all coalitions, and the table says what was measured."""

import pytest

from benchmarks import cells as cells_module
from benchmarks import pair_speed
from benchmarks.cells import Cells
from benchmarks.pair_speed import CASES, Case, measure, section


def test_interactions_are_held_to_all_coalitions(monkeypatch):
    cell = measure(Case("iris_2f"), 1)
    assert cell["pairs"] == 1
    assert cell["gap"] < 1e-9
    monkeypatch.setattr(pair_speed, "_AGREEMENT", -1.0)
    with pytest.raises(SystemExit, match="differ from those of all coalitions"):
        measure(Case("iris_2f"), 1)


def test_what_misses_the_bar_is_marked(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    cells = Cells("pair_speed")
    assert section(cells) == ["Not measured yet."]
    for case, seconds in zip(CASES, (0.1, 3.0, 3.0), strict=True):
        sizes = dict.fromkeys(("rows", "columns", "prototypes", "pairs"), 9)
        cells.fill(case.name, lambda seconds=seconds, sizes=sizes: {"seconds": seconds, **sizes})
    assert ["**NO**" in line for line in section(cells)[4:]] == [False, True, False]
