"""What is said of a case is true of it, whatever its numbers."""

import itertools

import pytest

from proset.explain.phrases import similarity_words, standing_words

USUAL = {"quantile": 0.6, "leading_similarity": 0.8, "marginal_share": 0.1}


def say(**changed):
    return standing_words(**{**USUAL, "novelty_quantile": 0.6, "nearest_similarity": 0.9, **changed})


def test_a_prototype_that_weighs_from_afar_is_not_called_like_the_case():
    words = say(quantile=0.97, leading_similarity=0.09)
    assert words.prototypes == (
        "Prototypes decide it from afar: the leading one has similarity 0.09 and counts by its weight; "
        "97.0 % of the held-out rows are at most as familiar."
    )
    assert "say much about it" not in words.short


def test_a_case_without_prototypes_is_not_called_unlike_the_known_ones():
    words = say(quantile=0.004, marginal_share=0.9, leading_similarity=0.0, nearest_similarity=0.79)
    assert words.short == "no prototype speaks for it; a known case is near"
    assert words.known == "A known case is near it: the most similar one has similarity 0.79."
    assert words.warning


def test_the_least_near_of_many_near_cases_is_still_near():
    words = say(novelty_quantile=0.0, nearest_similarity=0.97)
    assert words.known.startswith("A known case is near it, though none of the held-out rows is as far")
    assert words.short.endswith("a known case is near")


def test_no_known_case_is_called_near_where_all_rows_are_far():
    words = say(novelty_quantile=0.5, nearest_similarity=0.03)
    assert words.known.startswith("No known case is near it: the most similar one has similarity 0.03; 50.0 % of")
    assert words.short.endswith("no known case is near it")
    assert not words.warning  # half of the held-out rows are like that


def test_few_rows_to_compare_with_do_not_become_one_in_a_hundred():
    assert "none of the held-out rows is as unfamiliar" in say(quantile=0.0).prototypes
    assert "under" not in say(quantile=0.0).prototypes
    assert (
        "only 0.6 % of the training rows are at most as familiar"
        in say(quantile=0.006, among="training rows").prototypes
    )


def test_columns_that_the_model_does_not_use_are_told_apart():
    words = say(novelty_quantile_all=0.01)
    assert words.known.startswith("A known case is near it: ")
    assert words.known.endswith(
        "Columns that the model does not use included, "
        "only 1.0 % of the held-out rows are at least as far from every known case."
    )
    assert words.short.endswith("a known case is near; unusual in all columns together")
    assert words.warning
    assert say(novelty_quantile_all=0.05).known == say().known


def test_what_was_not_measured_is_not_said():
    words = standing_words(**USUAL)
    assert words.known == ""
    assert words.sentences == (words.prototypes,)
    assert words.short == "prototypes say much about it"


SHARES = (0.0, 0.001, 0.049, 0.05, 0.3, 0.5, 0.9, 1.0)


@pytest.mark.parametrize("marginal_share", [0.01, 0.5, 0.51, 0.89, 0.9, 1.0])
def test_no_words_are_against_the_numbers(marginal_share):
    for quantile, leading, novel, nearest in itertools.product(SHARES, repeat=4):
        words = standing_words(
            quantile=quantile, leading_similarity=leading, marginal_share=marginal_share,
            novelty_quantile=novel, nearest_similarity=nearest, novelty_quantile_all=novel,
        )  # fmt: skip
        short = words.short
        assert ("no prototype speaks" in short) == (marginal_share >= 0.9)
        assert short.startswith("prototypes say little") == (0.5 < marginal_share < 0.9) or quantile < 0.05
        if short.startswith("prototypes say much about it"):
            assert leading >= 0.1
            assert quantile >= 0.5
        if "no known case is near" in short:
            assert nearest < 0.1
        if "a known case is near" in short:
            assert nearest >= 0.5
        assert words.warning or (quantile >= 0.05 and (novel >= 0.05 or nearest >= 0.5) and marginal_share <= 0.5)
        assert all(sentence.endswith(".") and sentence.count("..") == 0 for sentence in words.sentences)


@pytest.mark.parametrize(("value", "text"), [(0.005, "0.01"), (0.0049, "under 0.01"), (1e-300, "under 0.01"), (1, "1")])
def test_similarities_round_to_zero_and_one_only_if_they_are(value, text):
    assert similarity_words(value) == text
