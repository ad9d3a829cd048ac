from __future__ import annotations

import sys

import pytest

from proset.common.words import count_words, listed, number, percent, power_words, seconds_words, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-3.0, "-3"), (1e12, "1e+12"), (12345.678, "12,345.7"), (365787.97, "365,788"), (float("inf"), "inf")],
)
def test_numbers(value, text):
    assert number(value) == text


def test_shares_never_round_to_certainty():
    assert [percent(share) for share in (0.0, 1e-9, 0.994, 0.9994, 0.99951, 1.0)] == [
        "0 %", "under 0.1 %", "99.4 %", "99.9 %", "over 99.9 %", "100 %",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-6, "1e-6"), (0.00123, "1.2e-3"), (1.0, "1e0"), (-0.5, "-5e-1"), (0.0, "0"), (float("inf"), "inf")],
)
def test_powers_of_ten(value, text):
    assert power_words(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "1 s"), (119.4, "119 s"), (120, "2 min"), (3_600, "60 min"), (360_000, "6,000 min")]
)
def test_lengths_of_time(seconds, text):
    assert seconds_words(seconds) == text


def test_counts():
    assert [count_words(n, "row") for n in (0, 1, 2, 1_234)] == ["0 rows", "1 row", "2 rows", "1,234 rows"]
    assert count_words(2, "batch", "batches") == "2 batches"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("Größe · 漢字 🙂", "Größe · 漢字 🙂"),
        ("two\nlines", "two\\nlines"),
        ("\r\t\0", "\\r\\t\\x00"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("\ufeffa", "\\ufeffa"),
        ("a\xa0b", "a\\xa0b"),
        ("\ud800", "\\ud800"),
        ("", ""),
        (17, "17"),
        (None, "None"),
    ],
)
def test_a_strangers_text_is_shown(text, seen):
    assert shown(text) == seen
    shown(text).encode()


@pytest.mark.parametrize("text", ["x" * 61, "x" * 10_000_000, "\n" * 50, "\U000e0041" * 40, "a " * 60])
@pytest.mark.parametrize("longest", [2, 7, 60])
def test_a_long_text_loses_its_end(text, longest):
    assert len(shown(text, longest=longest)) <= longest
    assert shown(text, longest=longest).endswith("…")


def test_a_text_of_just_the_length_stays():
    assert shown("x" * 60) == "x" * 60


def test_every_character_is_one_line_of_utf_8():
    for start in range(0, sys.maxunicode + 1, 0x1000):
        text = "".join(map(chr, range(start, start + 0x1000)))
        seen = shown(text, longest=100_000)
        assert seen.isprintable()
        seen.encode()


def test_names_are_listed():
    assert listed(["a\nb", "c"], most=1) == "'a\\nb' and 1 more"
    assert listed([]) == ""
