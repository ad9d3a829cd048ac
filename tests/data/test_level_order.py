"""Which order of words is evident, and where the words of a column stand in it."""

import numpy as np
import pandas as pd
import pytest

from proset.data.column_profile import profile_columns
from proset.data.issues import Role
from proset.data.level_order import evident_order, in_evident_order
from proset.data.levels import LevelEncoder
from proset.data.table import read_table
from proset.explain.value_bins import value_bins

RNG = np.random.default_rng(7)
ORDERED = [
    ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["low", "medium", "high"],
    ["low", "high"],
    ["none", "low", "high"],
    ["nie", "selten", "manchmal", "häufig", "immer"],
    ["sehr klein", "klein", "mittel", "groß"],
    ["very dissatisfied", "neutral", "satisfied", "prefer not to say"],
    ["XS", "S", "M", "L", "XL"],
    ["1-5", "6-10", "11+"],
    ["under 18", "18-24", "25–34", "65 and older", "Don\u2019t know"],
    ["< 1 year", "1 to 5 years", "10 years", "> 10 years"],
    ["unter 100 €", "100 bis 999 €", "1.000 bis 9.999 €", "ab 10.000 €"],
    ["(0.5, 2.0]", "(2.0, 10.0]", "(10.0, 99.5]"],
    ["5 mg", "10 mg", "20 mg"],
    ["0", "1", "2", "3+"],
    ["1 - very bad", "2", "3", "10 - very good"],
    ["2", "10", "not applicable"],
]
WITHOUT = [
    ["red", "blue", "green"],
    ["m", "s"],
    ["low", "medium", "unheard of"],
    ["2019-20", "2020-21"],
    ["500", "1k", "2k"],
    ["6 months", "1 year"],
    ["1a", "1b", "2a"],
    ["yes", "no"],
    ["don't know", "refused"],
    ["1 - bad", "1 - good"],
    ["married", "single"],
    [],
]


@pytest.mark.parametrize("words", ORDERED, ids=" ".join)
def test_words_with_an_evident_order_stand_in_it(words):
    for _ in range(3):
        mixed = RNG.permutation(words).tolist()
        assert in_evident_order(mixed) == words


@pytest.mark.parametrize("words", WITHOUT, ids=" ".join)
def test_other_words_have_none(words):
    assert evident_order(words) is None


def test_lists_bins_and_axes_show_them_in_their_order_and_the_model_is_the_same():
    answers = ["agree"] * 40 + ["strongly agree"] * 30 + ["strongly disagree"] * 20 + ["don't know"] * 15
    table = read_table(pd.DataFrame({"opinion": answers, "y": ["a", "b", "c"] * 35}).to_csv(index=False).encode())
    shown = ("strongly disagree", "agree", "strongly agree", "don't know")
    assert profile_columns(table).columns["opinion"].bars == shown
    binned = value_bins(table.frame["opinion"])
    assert binned.names == shown
    assert np.bincount(binned.codes).tolist() == [20, 40, 30, 15]
    encoder = LevelEncoder.fit(table.frame["opinion"], Role.CATEGORICAL)
    assert encoder.levels == ("agree", "strongly agree", "strongly disagree", "don't know")
    assert [encoder.slots[place] for place in encoder.shown_order] == list(shown)
