"""How a file was read, how else it could be, and what means missing in it, computed without a page."""

import codecs

import pytest

from dashboard.services.data.reading import (
    AS_FOUND,
    ReadingProblem,
    again_words,
    declared_groups,
    encoding_choices,
    encoding_label,
    is_same_reading,
    is_sure,
    missing_groups,
    models_words,
    own_word,
    reading_words,
    roles_after,
)
from proset.common.errors import RoleError, TableError
from proset.data.issues import Role
from proset.data.missing_words import MissingWord, declare
from proset.data.role_guess import guess_roles
from proset.data.table import read_table

CSV = b"a;b;c;kind\n" + b"".join(f"{i},5;{i};{i};{'xy'[i % 2]}\n".encode() for i in range(20)) + 3 * b"-99;-99;k.A.;x\n"


def test_reading_in_words():
    table = declare(read_table(CSV, name="t.csv"), [MissingWord("k.A.")])
    said = reading_words(table)
    assert "separated by semicolon" in said
    assert "decimal mark: comma" in said
    assert "first line holds the column names" in said
    assert "counted as missing: 'k.A.'" in said
    assert "Unicode (UTF-8): utf-8" in said


@pytest.mark.parametrize("found", [None, "utf-8", "iso8859-1", "latin-1", "cp037", "gbk"])
def test_the_list_holds_what_was_found_first_and_nothing_twice(found):
    choices = encoding_choices(found)
    assert choices[0] == (found or AS_FOUND)
    names = [codecs.lookup(name).name for name in choices if name != AS_FOUND]
    assert len(set(names)) == len(names)
    assert {"gb18030", "big5", "shift_jis", "euc_kr", "cp1250", "cp1251", "koi8-r"} - {found} <= set(choices)


def test_labels_say_whose_letters_an_encoding_has():
    assert encoding_label("gb18030") == "Chinese, simplified (GBK, GB18030): gb18030"
    assert encoding_label("iso8859-1").endswith("iso8859-1")
    assert encoding_label("cp037") == "cp037"


def test_a_problem_knows_its_place_and_what_helps():
    assert ReadingProblem.of(TableError("No.", option="delimiter"), "file") == ReadingProblem(
        "file", "No.", "delimiter"
    )
    assert ReadingProblem.of(RoleError("No.", hint="Do."), "again") == ReadingProblem("again", "No. Do.")


def test_guesses_of_one_word_are_one_group():
    groups = missing_groups(read_table(CSV))
    assert [(group.words[0].text, len(group.words), is_sure(group)) for group in groups] == [
        ("-99", 2, True),
        ("k.A.", 1, True),
    ]
    assert "in 2 columns ('a', 'b'; 6 cells)" in groups[0].message


def test_an_answer_of_the_target_is_no_suggestion():
    lines = ["vote,trust", *["yes,agree", "no,disagree", "refused,neutral", "yes,refused"] * 10]
    table = read_table("\n".join(lines).encode())
    (both,) = missing_groups(table)
    assert [word.column for word in both.words] == ["vote", "trust"]
    trust, vote = missing_groups(table, "vote")
    assert (trust.words[0].column, is_sure(trust)) == ("trust", True)
    assert (vote.words[0].column, is_sure(vote)) == ("vote", False)
    assert vote.message.endswith("may mean missing: it may also be a class of interest.")


def test_a_word_of_ones_own_has_to_be_there():
    table = read_table(CSV)
    assert own_word(table, " k.A. ", "c") == MissingWord("k.A.", "c")
    assert own_word(table, "-99,0", None) == MissingWord("-99,0")
    with pytest.raises(TableError, match=r"No cell of column 'a' holds 'k\.A\.'"):
        own_word(table, "k.A.", "a")
    with pytest.raises(TableError, match="No word"):
        own_word(table, "  ", None)


def test_declared_words_are_grouped_by_text():
    table = declare(read_table(CSV), [MissingWord("-99", "a"), MissingWord("k.A."), MissingWord("-99", "b")])
    assert [text for text, _ in declared_groups(table.dialect)] == ["'-99' in 'a', 'b'", "'k.A.' in the whole table"]


def test_guessed_roles_are_renewed_and_chosen_ones_stay():
    table = read_table(CSV)
    guess = guess_roles(table, target="kind")
    chosen = guess.roles.with_role("a", Role.EXTRA)
    declared = declare(table, [MissingWord("k.A."), MissingWord("-99")])
    roles = roles_after(chosen, guess, declared)
    assert guess.roles.by_column["c"] is not Role.NUMERIC
    assert (roles.by_column["c"], roles.by_column["a"], roles.target) == (Role.NUMERIC, Role.EXTRA, "kind")


def test_what_is_another_reading():
    table = declare(read_table(CSV), [MissingWord("k.A.")])
    assert not is_same_reading(table, read_table(CSV))
    assert is_same_reading(table, declare(read_table(CSV), table.dialect.missing))


def test_what_happens_to_models_is_said_as_it_is():
    assert "put aside" not in models_words(0)
    assert "the model fitted so far belongs" in models_words(1)
    assert "the 3 models fitted so far belong" in models_words(3)
    assert "closed" in models_words(1, first=False)
    assert "Work that is under way on it ends." in models_words(0, working=True)
    assert "closed" not in again_words(0)
    assert "closed" in again_words(1)
