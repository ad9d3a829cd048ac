"""How long it will take, said before it begins."""

import math

import pytest
from compare_fakes import Centres, Shares, contender

from proset.compare import ComparePlan, compare, estimate
from proset.compare.budget import PATH, TUNING
from proset.compare.pace import GROWTH, SystemPace
from proset.compare.plan import SYSTEMS


class Slow(Shares):
    """Takes a moment for every row, on a clock of its own."""

    now = 0.0

    def fit(self, X, y):
        Slow.now += 2e-4 * len(X)
        return super().fit(X, y)


def ticking(step):
    """Return a clock on which every fit takes the same time."""
    now = [0.0]

    def clock():
        now[0] += step
        return now[0]

    return clock


def test_every_system_has_its_growth_tuning_and_path():
    assert {"proset", *GROWTH} == set(TUNING) == set(PATH) == set(SYSTEMS)


def test_short_work_has_no_smaller_version(study):
    found = estimate(study, ComparePlan(("knn",)), contenders=[contender("knn", Centres)], clock=ticking(0.01))
    assert found.smaller is None
    assert not found.too_long
    assert len(found.words) == 1
    assert found.to_frame().loc["knn", "possible"]


def test_long_work_offers_a_smaller_version(study):
    plan = ComparePlan(("knn", "xgboost"), tuned=True)
    systems = [contender("knn", Centres), contender("xgboost", Shares)]
    found = estimate(study, plan, contenders=systems, clock=ticking(0.5), budget=120.0)
    assert found.too_long
    assert found.smaller is not None
    assert not found.smaller.tuned
    assert found.smaller_seconds <= 120.0 < found.seconds
    assert found.smaller.systems == plan.systems
    assert found.words[0].startswith("This takes about ")
    assert "Most of it is XGBOOST" in found.words[1]
    assert "quick settings it takes about" in found.words[2]


def test_where_nothing_is_short_enough_none_is_offered(study):
    found = estimate(study, ComparePlan(("knn",)), contenders=[contender("knn", Shares)], clock=ticking(1e3))
    assert found.smaller is None
    assert found.words[-1] == "Leave systems out, or use fewer folds, to make it shorter."


def test_more_rows_take_longer_as_the_system_grows():
    for key, ratio in (("pvm", 10.0**1.45), ("gbmap", 5.0 / 1.4), ("knn", 10.0**1.45)):
        pace = SystemPace(contender(key, Shares), 400, 5, 1.0, "")
        assert pace.fit_seconds(4_000) == pytest.approx(ratio)
    proset = SystemPace(contender("proset", Shares), 400, 5, 1.0, "")
    assert proset.fit_seconds(400_000) / proset.fit_seconds(200_000) == pytest.approx(2.0, rel=0.02)
    assert 1.2 < proset.fit_seconds(800) < 4.0


def test_what_is_missing_or_fails_takes_no_time_but_is_named(study):
    class Broken(Shares):
        def fit(self, X, y):
            raise ValueError("no")

    systems = [contender("knn", Shares, missing="It is not installed."), contender("pvm", Broken)]
    found = estimate(study, ComparePlan(("knn", "pvm")), contenders=systems)
    assert [entry.possible for entry in found.systems] == [False, True]
    assert all(math.isnan(entry.seconds) for entry in found.systems)
    assert found.words[-1] == "KNN: It is not installed."


def test_the_estimate_is_of_the_right_size(study):
    plan = ComparePlan(("smp",), n_folds=3, sizes=False)
    systems = [contender("smp", Slow)]
    expected = estimate(study, plan, contenders=systems, clock=lambda: Slow.now).systems[0].seconds
    began = Slow.now
    compare(study, plan, contenders=systems)
    taken = Slow.now - began
    assert 0.05 * taken < expected < 10.0 * taken


@pytest.mark.parametrize(
    ("key", "seconds"),
    # Processor time of a whole comparison on one core with 400, 2,000 and 20,000 rows, 28 columns, three classes.
    [
        ("pvm", (0.26, 1.6, 36.7)),
        ("smp", (0.24, 0.9, 3.6)),
        ("gbmap", (0.56, 1.1, 6.8)),
        ("knn", (0.02, 0.3, 2.6)),
        ("xgboost", (0.78, 1.9, 3.7)),
    ],
)
def test_small_fits_foretell_large_ones_within_a_factor_of_two_and_a_half(key, seconds):
    few, *more = seconds
    pace = SystemPace(contender(key, Shares), 400, 28, few, "")
    for rows, taken in zip((2_000, 20_000), more, strict=True):
        assert 0.4 < pace.fit_seconds(rows) / taken < 2.5
