"""Classes and categories that differ only in capitals stay apart, and the review asks whether that is meant."""

from __future__ import annotations

import numpy as np

from proset.data.classes import TargetClasses
from proset.data.issues import Role, Severity
from proset.data.role_guess import guess_roles, review_roles
from proset.data.table import Table, read_table


def make_table(kinds: list[str], towns: list[str]) -> Table:
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},{rng.choice(towns)},{kind}" for kind in kinds]
    return read_table("\n".join(["x,town,kind", *lines, ""]).encode())


def said(issues):
    return [issue for issue in issues if issue.code == "capitals"]


def test_the_target_asks():
    table = make_table(["a", "A", "b"] * 20, ["Rome", "Bonn"])
    (issue,) = said(guess_roles(table, target="kind").issues)
    assert issue.message == (
        "'A', 'a' of the target 'kind' differ only in capitals and are different classes. If they are one, join them."
    )
    assert (issue.column, issue.severity) == ("kind", Severity.WARNING)


def test_a_category_says_so():
    table = make_table(["a", "b"] * 30, ["Rome", "rome", "ROME", "Bonn", "bonn"])
    (issue,) = said(guess_roles(table, target="kind").issues)
    assert issue.message == (
        "'Bonn', 'bonn' of 'town' differ only in capitals and count as different values. 1 other word is spelled in"
        " several ways, too. If they are one, spell them alike in the file."
    )
    assert issue.severity is Severity.INFO


def test_classes_that_were_joined_are_no_question_any_more():
    table = make_table(["a", "A", "b"] * 20, ["Rome", "Bonn"])
    roles = guess_roles(table, target="kind").roles
    joined = roles.with_classes(TargetClasses().joined(["A", "a"], "a"))
    assert said(review_roles(table, roles))
    assert not said(review_roles(table, joined))


def test_what_is_not_used_or_is_one_anyway_is_not_asked():
    table = make_table(["a", "b"] * 30, ["yes", "Yes", "no"])
    roles = guess_roles(table, target="kind").roles
    assert roles.by_column["town"] is Role.BOOLEAN
    assert not said(review_roles(table, roles))
    assert not said(review_roles(table, roles.with_role("town", Role.EXTRA)))


def test_a_sharp_s_is_no_capital():
    table = make_table(["Masse", "Maße"] * 30, ["Rome", "Bonn"])
    assert not said(guess_roles(table, target="kind").issues)
