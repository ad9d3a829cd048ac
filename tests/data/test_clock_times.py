"""Times of the day are taken as words, and that is said."""

import pytest

from proset.data.clock_times import CLOCK_TIME
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import read_table


def found(words):
    """Return the findings about a column of these words."""
    lines = [f"{words[i % len(words)]};{i % 7}.5;{'abc'[i // 4 % 3]}" for i in range(90)]
    guess = guess_roles(read_table(("at;x;kind\n" + "\n".join(lines)).encode(), name="times.csv"), target="kind")
    return guess.roles.by_column["at"], [issue for issue in guess.issues if issue.code == CLOCK_TIME]


@pytest.mark.parametrize(
    "words",
    [["18.00.00", "19.00.00", "0.30.15"], ["7:30", "23:59"], ["07:30:00", "24:00:00"], ["08:15:00.000", "1:00"]],
)
def test_times_of_the_day_are_said_to_be_words(words):
    role, issues = found(words)
    assert role is Role.CATEGORICAL
    assert len(issues) == 1
    assert issues[0].column == "at"
    assert "taken as a word" in issues[0].message
    assert any(f"'{word}'" in issues[0].message for word in words)


@pytest.mark.parametrize(
    "words",
    [["7:30", "late"], ["1.2.3", "1.10.0"], ["16:9", "4:30"], ["25:00", "7:00"], ["7.30", "8.15"], ["3-10", "4-20"]],
)
def test_other_words_are_not(words):
    assert not found(words)[1]
