"""What parameters may be."""

import enum

import numpy as np
import pytest

from proset.common.allowed import JOBS, SEED, SHARE, SWITCH, WHOLE_SEED, Allowed, Each, OneOf, check_values
from proset.common.errors import ProsetError


class Word(enum.StrEnum):
    SOME = "some"


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (Allowed(1, whole=True), [1, np.int64(9)], [0, 1.0, True, np.True_, "1", None, np.array([1])]),
        (Allowed(0.0), [0, 0.0, np.float32(2.5)], [-1e-9, np.inf, np.nan, "0", None, 1j]),
        (Allowed(0.0, 1.0, ends=False), [0.5], [0.0, 1.0]),
        (Allowed(1, whole=True, none=True), [None, 3], ["none"]),
        (Allowed(0.0, ends=False, named=("cv",)), ["cv", 0.1], ["CV", "", 0, True]),
        (OneOf(("some", "all")), ["all", Word.SOME], ["none", None, 1, ["all"], np.array(["all", "some"])]),
        (OneOf((None, "all")), [None, "all"], ["None"]),
        (SWITCH, [True, np.False_], [0, 1, "yes", None]),
        (SHARE, [1e-9, 1, 1.0], [0, 0.0, 1.1, True, np.nan, "1"]),
        (SEED, [0, None, np.random.RandomState(0), 2**32 - 1], [-1, 2**32, 0.5, "x", True]),
        (WHOLE_SEED, [0, np.uint8(3)], [None, -1, np.random.RandomState(0)]),
        (JOBS, [None, 1, -1], [0, 0.5, "all"]),
        (Each(Allowed(0.0)), [[0], (0.1, 1), np.array([0.5])], [[], 0.1, "12", [-1.0], None, [[0.1]]]),
    ],
)
def test_rules_hold_for_what_they_say(rule, good, bad):
    for value in good:
        assert rule.holds(value), value
    for value in bad:
        assert not rule.holds(value), value
    assert rule.words() == rule.words().strip(" .")


def test_the_first_wrong_value_is_named_with_what_it_may_be():
    rules = {"a": Allowed(0.0, 1.0), "b": Allowed(0.0, ends=False, named=("tight", "paper")), "c": SEED}
    check_values({"b": "tight", "other": object()}, rules)
    with pytest.raises(ProsetError) as caught:
        check_values({"c": -1, "b": 0}, rules)
    assert str(caught.value) == "b is 0; it has to be one of 'tight', 'paper', or a number above 0."
    with pytest.raises(
        ProsetError, match="c is -1; it has to be a whole number from 0 to 4294967295, or None, or a Rand"
    ):
        check_values({"c": -1}, rules)


def test_a_value_is_quoted_to_a_bounded_length():
    with pytest.raises(ProsetError) as caught:
        check_values({"cv": "x" * 100_000}, {"cv": Allowed(2, whole=True)})
    assert str(caught.value).startswith("cv is 'xxxx")
    assert len(str(caught.value)) < 200
