"""Words and numbers that mean "missing" in one table: declared, and suggested where they stand out."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from proset import load, save
from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.issues import Severity
from proset.data.missing_guess import guess_missing
from proset.data.missing_words import MissingWord, declare, mask_missing, missing_word
from proset.data.profile import profile_column
from proset.data.reading.declared import cells_that_hold
from proset.data.reading.dialect import Dialect
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.cases.case import explain_case
from proset.study import fit_study

CSV = (
    "name;dose;size;kind;seen\n"
    "a;1,5;3;x;2020-01-05\n"
    "b;k.A.;-999;y;unknown\n"
    "c;-999,0;7;none;2020-03-01\n"
    "d;2,25;-999;x;2020-04-01\n"
)


def read(text=CSV):
    return read_table(text.encode(), name="m.csv")


def codes(table):
    return {issue.code for issue in table.issues}


def test_without_words_nothing_changes():
    table = read()
    assert declare(table, []) is table
    assert mask_missing(table.frame, []) is table.frame


def test_a_word_in_one_column_makes_it_numeric():
    table = declare(read(), [MissingWord("k.A.", "dose")])
    assert table.frame["dose"].fillna(0).tolist() == [1.5, 0, -999, 2.25]
    assert table.frame["size"].tolist() == [3, -999, 7, -999]
    assert table.dialect.missing == (MissingWord("k.A.", "dose"),)
    assert "stray_text" not in codes(table)
    assert "declared_missing" in codes(table)


def test_only_columns_that_hold_the_word_are_looked_at_again(monkeypatch):
    rows = b"1,a,x,2024-01-02\nk.A.,b,k.A.,2024-01-03\n3,a,y,2024-01-05\n" * 5
    table = read_table(b"dose,kind,other,day\n" + rows)
    before, looked = table.profiles, []

    def profile(series, **facts):
        looked.append(series.name)
        return profile_column(series, **facts)

    monkeypatch.setattr("proset.data.table.profile_column", profile)
    declared = declare(table, [MissingWord("k.A.")])
    assert looked == ["dose", "other"]
    assert list(declared.profiles) == list(declared.frame.columns)
    assert declared.profiles["kind"] is before["kind"]
    for name, found in declared.profiles.items():
        assert found.fields() == profile_column(declared.frame[name]).fields()
    assert before["dose"].fields() == profile_column(table.frame["dose"]).fields()


def test_words_for_the_whole_table_reach_numbers_texts_and_dates():
    words = [MissingWord("k.A."), MissingWord("-999"), MissingWord("unknown")]
    table = declare(read(), words)
    assert table.frame["dose"].fillna(0).tolist() == [1.5, 0, 0, 2.25]
    assert table.frame["size"].fillna(0).tolist() == [3, 0, 7, 0]
    assert table.frame["seen"].dtype.kind == "M"
    assert table.frame["seen"].isna().tolist() == [False, True, False, False]
    assert table.frame["kind"].tolist() == ["x", "y", "none", "x"]


def test_declaring_twice_is_declaring_both():
    first = declare(read(), [MissingWord("k.A.")])
    both = declare(first, [MissingWord("-999")])
    at_once = declare(read(), [MissingWord("k.A."), MissingWord("-999")])
    pd.testing.assert_frame_equal(both.frame, at_once.frame)
    assert both.dialect == at_once.dialect


def test_a_sentinel_date_is_a_date():
    table = read("day,y\n2020-01-05,a\n9999-12-31,b\n2020-02-01,a\n")
    table = declare(table, [MissingWord("9999-12-31", "day")])
    assert table.frame["day"].isna().tolist() == [False, True, False]


def test_large_whole_numbers_stay_exact():
    table = read("id,y\n9007199254740993,a\n-1,b\n")
    assert declare(table, [MissingWord("-1")]).frame["id"].dropna().tolist() == ["9007199254740993"]


def test_a_word_that_no_cell_holds_is_said():
    table = declare(read(), [MissingWord("nix"), MissingWord("5", "size")])
    said = [issue.message for issue in table.issues if issue.code == "declared_missing"]
    assert said == [
        "No cell holds 'nix', which was declared to mean missing.",
        "No cell of column 'size' holds '5', which was declared to mean missing.",
    ]


def test_a_column_that_there_is_not_is_refused_with_the_one_meant():
    with pytest.raises(TableError, match=r"'dosis', which there is not\. Did you mean 'dose'\?"):
        declare(read(), [MissingWord("-9", "dosis")])
    with pytest.raises(TableError, match="which there is not"):
        next(read_chunks(CSV.encode(), Dialect(missing=(MissingWord("-9", "dosis"),))))


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_chunks_are_the_table(rows):
    words = (MissingWord("k.A."), MissingWord("-999"), MissingWord("unknown", "seen"))
    whole = declare(read(), words).frame
    for options in ({"dialect": Dialect(missing=words)}, {"known": Dialect(missing=(*words, MissingWord("x", "no")))}):
        pieces = list(read_chunks(CSV.encode(), chunk_rows=rows, **options))
        assert len({tuple(piece.dtypes) for piece in pieces}) == 1
        pd.testing.assert_frame_equal(pd.concat(pieces), whole)


def test_parquet_and_frames_of_other_programs():
    frame = pd.DataFrame({"dose": ["1.5", "k.A.", "-9"], "n": [1, -9, 3]})
    masked = mask_missing(frame.astype({"dose": object}), [MissingWord("k.A."), MissingWord("-9")])
    assert masked.isna().to_numpy().tolist() == [[False, False], [True, True], [True, False]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-999", MissingWord("-999")),
        ("dose=k.A.", MissingWord("k.A.", "dose")),
        ("a=b=?", MissingWord("?", "a=b")),
        ("a=b", MissingWord("b", "a")),
        ("=a=b", MissingWord("a=b")),
        ("==NA()", MissingWord("=NA()")),
        (" - ", MissingWord("-")),
    ],
)
def test_words_of_the_command_line(text, expected):
    assert missing_word(text, ["dose", "a", "a=b"]) == expected


@pytest.mark.parametrize("text", ["", " ", "=", "dose=", "dosis=1"])
def test_words_that_are_none_are_refused(text):
    with pytest.raises(TableError):
        missing_word(text, ["dose"])


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 200)
    size = np.where(rng.random(200) < 0.1, -999, np.round(rng.normal(kind * 3.0, 1.0), 2))
    frame = pd.DataFrame({"size": size, "other": rng.normal(size=200).round(2), "kind": np.where(kind, "u", "v")})
    table = declare(read_table(frame.to_csv(index=False).encode()), [MissingWord("-999", "size")])
    return fit_study(table, guess_roles(table, target="kind").roles)


def test_new_rows_go_through_the_words_of_the_study(study):
    gone = pd.DataFrame({"size": [-999.0, np.nan], "other": [0.1, 0.1]}, index=[1, 2])
    scores = study.score(gone)
    assert scores["probability_u"].iloc[0] == scores["probability_u"].iloc[1]
    assert scores["note"].str.contains("size missing").all()
    case = explain_case(study, gone.iloc[[0]])
    assert case.probabilities["u"] == pytest.approx(scores["probability_u"].iloc[0])


def test_the_words_are_saved_with_the_study(study, tmp_path):
    save(study, tmp_path / "m.proset")
    again = load(tmp_path / "m.proset")
    assert again.table.dialect.missing == (MissingWord("-999", "size"),)
    assert again.score(pd.DataFrame({"size": [-999], "other": [0.0]}))["note"].iloc[0]


# --- what is suggested ------------------------------------------------------------------------------------------------
N = 60
RNG = np.random.default_rng(3)


def with_cells(values, *others, every=12):
    values = list(values)
    for start, other in enumerate(others):
        values[start::every] = [other] * len(values[start::every])
    return values


STANDS_OUT = {
    "-999 among measurements": (with_cells(RNG.normal(5, 2, N).round(2), -999), {"-999"}),
    "-200 among small numbers": (with_cells(RNG.uniform(0.1, 11, N).round(1), -200), {"-200"}),
    "-99 below large numbers": (with_cells(RNG.uniform(0, 500, N).round(1), -99), {"-99"}),
    "99 in a scale of five": (with_cells(np.arange(N) % 5 + 1, 99), {"99"}),
    "98 and 99": (with_cells(np.arange(N) % 5 + 1, 98, 99), {"98", "99"}),
    "9999 among years": (with_cells(1990 + np.arange(N) % 30, 9999), {"9999"}),
    "0 among years": (with_cells(1990 + np.arange(N) % 30, 0), {"0"}),
    "0 and 9999 among years": (with_cells(1890 + np.arange(N) % 50, 0, 9999), {"0", "9999"}),
    "no end among dates": (
        with_cells([f"20{i % 20:02d}-03-{1 + i % 28:02d}" for i in range(N)], "9999-12-31"),
        {"9999-12-31"},
    ),
    "no date among dates": (
        with_cells([f"20{i % 9:02d}-03-{1 + i % 28:02d}" for i in range(N)], "1900-01-01"),
        {"1900-01-01"},
    ),
    "a word among numbers": (with_cells(RNG.normal(5, 2, N).round(2), "k.A."), {"k.A."}),
    "most gave no answer": (with_cells(["k.A."] * N, *RNG.normal(3000, 500, 6).round(0).tolist(), every=24), {"k.A."}),
    "an own word among numbers": (with_cells(RNG.normal(5, 2, N).round(2), "kaputt"), {"kaputt"}),
    "a word among thousands": (with_cells([f"{i}.{i:03d},5" for i in range(1, N + 1)], "k.A."), {"k.A."}),
    "unknown among words": (with_cells(["red", "blue", "green"] * 20, "unknown"), {"unknown"}),
}
VALUES = {
    "old and new dates": [f"{1950 + i}-03-{1 + i % 28:02d}" for i in range(N)],
    "one date far off": ["1815-06-18", *[f"20{i % 20:02d}-03-{1 + i % 28:02d}" for i in range(N - 1)]],
    "-1 as a code": with_cells(np.arange(N) % 9, -1),
    "0 in measurements": with_cells(RNG.uniform(20, 40, N).round(1), 0),
    "0 far off": with_cells(RNG.uniform(2000, 2010, N).round(1), 0),
    "99 as an age": with_cells(RNG.integers(17, 98, N), 99),
    "per cent": RNG.integers(0, 100, N).tolist(),
    "heavy tails": np.exp(RNG.normal(0, 3, N)).round(3).tolist(),
    "yes and no": [0, 1] * 30,
    "codes of two digits": [11, 22, 33, 44, 55, 66, 77, 88, 99, 22] * 6,
    "counts with a gap": with_cells(np.arange(N) % 2, 5),
    "balances": [*RNG.normal(0, 900, N).round(0).tolist(), -999, -999],
    "few amounts": [100, 200, 500, 1000, 2000, 5000] * 10,
    "limits of detection": with_cells(RNG.normal(5, 2, N).round(2), "<0.5"),
    "sizes": ["36", "38", "40", "S", "M", "L"] * 10,
    "long words": [f"I do not know {i}" for i in range(N)],
    "an unknown in every cell": ["unknown"] * N,
}


def guesses(values):
    frame = pd.DataFrame({"x": values, "y": ["a", "b"] * (len(values) // 2)})
    return guess_missing(read_table(frame.to_csv(index=False).encode()))


@pytest.mark.parametrize("case", STANDS_OUT)
def test_what_stands_out_is_suggested(case):
    values, expected = STANDS_OUT[case]
    found = guesses(values)
    assert {guess.word.text for guess in found} == expected
    for guess in found:
        assert guess.severity is Severity.WARNING
        assert guess.count == sum(str(value) in (guess.word.text, f"{guess.word.text}.0") for value in values)
        assert guess.word.column == "x"


@pytest.mark.parametrize("case", VALUES)
def test_true_values_are_not_suggested(case):
    assert guesses(VALUES[case]) == ()


@pytest.mark.parametrize(
    ("slips", "found"),
    [
        ([4500], {4500}),
        ([4500, 5100], {4500, 5100}),
        ([5000, 5000], {5000}),
        ([-4000], {-4000}),
        ([4500, 4500, 4500, 4500], set()),
        ([700], set()),
    ],
)
def test_single_numbers_out_of_all_proportion_may_be_slips(slips, found):
    values = RNG.uniform(18, 150, N).round(1)
    places = RNG.choice(N, len(slips), replace=False)
    values[places] = slips
    guessed = [guess for guess in guesses(values) if guess.rows]
    assert {float(guess.word.text) for guess in guessed} == found
    for guess in guessed:
        assert guess.rows == tuple(np.flatnonzero(values == float(guess.word.text)) + 1)
        assert guess.count == len(guess.rows)
        rows = f"row {guess.rows[0]}" if guess.count == 1 else f"rows {guess.rows[0]}, {guess.rows[1]}"
        assert f"({rows}) may be a slip: it lies far" in guess.message


@pytest.mark.parametrize("word", ["none", "-", "."])
def test_a_level_that_may_be_a_value_is_a_note_at_most(word):
    found = guesses(with_cells(["red", "blue", "green"] * 20, word))
    assert [(guess.word.text, guess.severity) for guess in found] == [(word, Severity.INFO)]


@pytest.mark.parametrize(
    "word", ["Don't know", "don\u2019t know", "Prefer not to say", "Not applicable", "refused", "Weiß nicht"]
)
def test_an_answer_that_says_nothing_is_suggested_where_it_matters(word):
    scale = ["agree", "neutral", "disagree"]
    (found,) = guesses(with_cells(scale * 20, word))
    assert (found.word.text, found.severity, found.answer) == (word, Severity.WARNING, True)
    assert found.message.endswith("may mean missing: people choose it in place of an answer.")
    (rare,) = guesses([*scale * 100, word, *scale[:1]])
    assert rare.severity is Severity.INFO
    assert guesses([*scale, *[word] * 7] * 4) == (), "what most say is an answer"
    assert guesses(["agree", word] * 20) == (), "one of two is a class"
    (among,) = guesses(with_cells(np.arange(N) % 40, word))
    assert (among.severity, among.answer) == (Severity.WARNING, False)


def test_a_number_that_stands_out_in_one_column_is_looked_for_in_the_others():
    frame = pd.DataFrame(
        {"a": with_cells(RNG.uniform(0.1, 11, N).round(1), -200), "b": with_cells(RNG.uniform(0, 900, N), -200)}
    )
    table = read_table(frame.to_csv(index=False).encode())
    assert [guess.word for guess in guess_missing(table)] == [MissingWord("-200", "a"), MissingWord("-200", "b")]


def test_nothing_is_suggested_again_after_it_was_declared():
    frame = pd.DataFrame({"x": STANDS_OUT["98 and 99"][0], "y": ["a", "b"] * (N // 2)})
    table = read_table(frame.to_csv(index=False).encode())
    declared = declare(table, [guess.word for guess in guess_missing(table)])
    assert guess_missing(declared) == ()


def test_pixels_are_not_looked_at():
    from proset.data.table import ImageGrid

    frame = pd.DataFrame({"x": with_cells(np.arange(N) % 5, 99), "z": [1, 2] * 30, "y": ["a", "b"] * 30})
    table = read_table(frame.to_csv(index=False).encode())
    assert guess_missing(table)
    assert not guess_missing(dataclasses.replace(table, grid=ImageGrid(1, 2, ("x", "z"))))


def test_a_long_table_is_looked_at_in_part_and_counted_in_full(monkeypatch):
    monkeypatch.setattr("proset.data.missing_guess._FEWEST_LOOKED_AT", 500)
    monkeypatch.setattr("proset.data.missing_guess._CELLS_LOOKED_AT", 1)
    n = 5_000
    frame = pd.DataFrame(
        {
            "a": with_cells(RNG.uniform(0.1, 11, n).round(1), -200, every=50),
            "b": with_cells(RNG.uniform(0, 900, n).round(1), -200, every=50),
            "c": with_cells(["red", "blue"] * (n // 2), "unknown", every=50),
            "d": with_cells(RNG.normal(size=n).round(2), "k.A.", every=50),
        }
    )
    table = read_table(frame.to_csv(index=False).encode())
    assert [(guess.word.column, guess.count) for guess in guess_missing(table)] == [(name, 100) for name in "abcd"]


def test_more_words_than_can_be_looked_for_are_refused():
    with pytest.raises(TableError, match="More than 100 words"):
        declare(read(), [MissingWord(str(i), "size") for i in range(101)])
    with pytest.raises(TableError, match="longer than 200"):
        missing_word("x" * 300, ["a"])
    for broken in ("", " x", "x" * 300):
        with pytest.raises(ValueError, match="1 to 200"):
            MissingWord(broken)


def test_a_number_that_means_missing_is_not_a_thousand_times_as_much():
    """Among texts 9,000 may be nine thousand; 9, 9.0 and 9,00 are nine."""
    cells = pd.Series(["9", "9,000", "9.0", "9,00", "12", "soon", "1,234"], dtype="str")
    assert cells_that_hold(cells, "9").tolist() == [True, False, True, True, False, False, False]
    assert cells_that_hold(pd.Series(["9.0000", "9.000"], dtype="str"), "9").tolist() == [True, False]
