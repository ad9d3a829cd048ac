import numpy as np
import pytest
from companions.pvm.plain_cover import objective

from benchmarks import cells as cells_module
from benchmarks import pvm_speed
from benchmarks.cells import Cells
from benchmarks.peers.cover_ours import Cover


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    return tmp_path


def cell(value, seconds, added, bound=None):
    return {
        "seconds": seconds,
        "added_mib": added,
        "choose_added_mib": added,
        "process_mib": 300.0,
        "prototypes": 7,
        "objective": value,
        "lower_bound": bound,
    }


def test_the_section_has_both_and_says_what_holds(results):
    cells = Cells("pvm_speed")
    for rows in (900, 1_800):
        cells.fill(f"{rows}/0.01/ours/0", lambda: cell(40.0, 0.02, 6.0))
        cells.fill(f"{rows}/0.01/alibi/0", lambda: cell(41.0, 0.2, 100.0))
        cells.fill(f"{rows}/0.01/lp/0", lambda: cell(30.0, 0.1, 9.0, 29.5))
        cells.fill(f"{rows}/0.01/milp/0", lambda: cell(30.0, 1.0, 9.0, 30.0))
    text = "\n".join(pvm_speed.section(cells))
    assert "| 1,800 x 3 | 0.01 | 7 / 7 | 40.000 / 41.000 | 0.020 / 0.200 | 10 | 6.0 / 100.0 | 0.060 |" in text
    assert text.count("| holds |") == 3
    assert "33.3 %" in text
    cells.forget(["1800/0.01/ours/0"])
    cells.fill("1800/0.01/ours/0", lambda: cell(44.0, 0.02, 60.0))
    assert "\n".join(pvm_speed.section(cells)).count("**does not hold**") == 2


def test_no_rounding_decides_what_is_inside():
    X, y = pvm_speed.made(pvm_speed.Size(120, 3))
    eps = pvm_speed.radius(X, 0.05)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    assert np.abs(squares - eps**2).min() > 0.2 / pvm_speed.UNIT**2
    chosen = Cover(X, y, eps).choose()
    D = np.sqrt(squares)
    assert pvm_speed.objective(X, y, eps, chosen) == pytest.approx(objective(D, y, chosen, eps, 1 / 120))
    better = Cover(X, y, eps, solver="lp")
    assert pvm_speed.objective(X, y, eps, better.choose()) <= pvm_speed.objective(X, y, eps, chosen) + 1e-9
    assert better.lower_bound <= pvm_speed.objective(X, y, eps, better.choose()) + 1e-9
