"""Shares of the work that is done, by the time that pieces take."""

import pytest

from proset.compare.progress import DRIFT, FINAL, FOLD, SIZES, Meter, Piece, prior_of


def test_slow_systems_weigh_more():
    pieces = [Piece(key, FOLD, i) for i in range(4) for key in ("fast", "slow")]
    meter = Meter(pieces)
    meter.took(pieces[0], 0.1)
    meter.took(pieces[1], 9.9)
    assert meter.share == pytest.approx(0.25)
    meter.took(pieces[2], 0.1)
    assert meter.share == pytest.approx(0.2525)


def test_share_never_falls():
    pieces = [Piece("a", FOLD, i) for i in range(2)] + [Piece("a", SIZES), Piece("a", FINAL), Piece("a", DRIFT)]
    meter = Meter(pieces)
    before = 0.0
    for piece, seconds in zip(pieces, (0.1, 0.1, 50.0, 100.0, 1.0), strict=True):
        meter.took(piece, seconds)
        assert meter.share >= before
        before = meter.share
    assert before == 1.0


def test_what_was_estimated_counts_until_there_is_something_to_measure():
    pieces = [Piece(key, FOLD, i) for i in range(2) for key in ("fast", "slow")]
    meter = Meter(pieces, prior_of({"fast": 2.0, "slow": 198.0}, pieces))
    meter.took(pieces[0], 2.0)  # twice as long as was thought, and the other will be
    assert meter.share == pytest.approx(2.0 / 400.0)
    meter.took(pieces[1], 18.0)
    assert meter.share == pytest.approx(0.5)
