"""The benchmark of wrong numbers: how they are planted, and what is written down."""

import numpy as np
import pytest

from benchmarks import wrong_numbers


@pytest.mark.parametrize("kind", wrong_numbers.KINDS)
def test_so_many_numbers_are_changed_and_always_the_same(kind):
    numbers = np.linspace(1.0, 50.0, 200)
    planted = wrong_numbers.plant(numbers, kind, 0.1)
    changed = ~np.isclose(planted, numbers)
    assert 18 <= changed.sum() <= 20
    assert np.array_equal(wrong_numbers.plant(numbers, kind, 0.1), planted)
    if kind == "swapped":
        assert np.isin(planted, numbers).all()
    if kind == "shifted":
        assert (np.abs(planted - numbers)[changed] >= 0.69 * numbers.std()).all()


def test_the_table_has_means_over_tables_on_which_nothing_was_chosen():
    cell = dict.fromkeys((*wrong_numbers.RIVALS, "ours"), 0.5) | {"rows": 90, "planted": 4, "listed": 6, "right": 3}
    cells = {
        "cpu_small/swapped/0.03": cell,
        "diabetes/swapped/0.03": cell | {"ours": 0.7},
        "concrete/swapped/0.03": cell,
    }
    lines = wrong_numbers.section(cells)
    assert lines[-1] == "| swapped, 3 % | 2 | 0.500 | 0.500 | 0.500 | 0.500 | **0.600** | 6 of 8 | 50% |"
