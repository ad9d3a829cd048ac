"""What the Data page shows, computed without a page."""

import numpy as np
import pandas as pd
import pytest

from dashboard.services.data.column_profiles import find_profiles
from dashboard.services.data.columns import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    apply_suggestions,
    class_counts,
    column_facts,
    column_table,
    findings,
    fit_problem,
    preview,
    unlabelled_rows,
)
from dashboard.services.data.target import in_class_order, usual_roles
from proset.common.errors import RoleError
from proset.data.classes import TargetClasses
from proset.data.issues import Issue, Role, Severity
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.data.target import class_order


@pytest.fixture(scope="module")
def penguins():
    return load_sample("penguins")


def table_of(frame):
    return read_table(frame.to_csv(index=False).encode(), name="t.csv")


def test_a_small_table_is_shown_whole():
    table = load_sample("iris_2f")
    shown = preview(table)
    assert shown.frame.equals(table.frame)
    assert shown.note == ""


def test_a_large_table_is_cut_and_says_so():
    table = table_of(pd.DataFrame(np.arange(70 * 250).reshape(250, 70), columns=[f"c{i}" for i in range(70)]))
    shown = preview(table)
    assert shown.frame.shape == (PREVIEW_ROWS, PREVIEW_COLUMNS)
    assert shown.frame.index[0] == 1
    assert f"first {PREVIEW_ROWS} of 250 rows" in shown.note
    assert f"first {PREVIEW_COLUMNS} of 70 columns" in shown.note


def test_days_are_told_from_times(penguins):
    assert preview(penguins).days == ("first egg seen",)
    assert column_facts(penguins).loc["first egg seen", "example"] == "2007-11-11"


def test_column_facts_are_counted_on_all_rows(penguins):
    facts = column_facts(penguins)
    assert list(facts.index) == list(penguins.frame.columns)
    assert facts.loc["sex", "missing"] == pytest.approx(100 * penguins.frame["sex"].isna().mean())
    assert facts["missing"].between(0, 100).all()


def test_a_column_without_values_has_no_example():
    table = table_of(pd.DataFrame({"a": [1, 2, 3], "b": [None, None, None]}))
    assert column_facts(table).loc["b", "example"] == ""


def test_examples_are_spelled_as_the_other_numbers_are():
    table = table_of(pd.DataFrame({"a": [1040.0, 2.5, 3.0], "b": [0.0, 1.5, 2.0], "c": [True, False, True]}))
    assert column_facts(table)["example"].tolist() == ["1040", "0", "True"]


def test_the_column_table_gives_the_guesses_reason_or_says_it_was_chosen(penguins):
    guess = guess_roles(penguins, target="species")
    roles = guess.roles.with_role("sex", Role.EXTRA)
    shown = column_table(column_facts(penguins), guess, roles).set_index("column")
    assert shown.loc["sex", "role"] == "extra"
    assert shown.loc["sex", "reason"] == "Chosen: shown only."
    assert shown.loc["island", "reason"] == guess.reasons["island"]


def test_findings_come_worst_first_and_go_when_settled():
    rows = 60
    frame = pd.DataFrame(
        {"size": np.arange(rows) % 11 + 0.5, "empty": [1.5] + [None] * (rows - 1), "kind": ["a", "b"] * (rows // 2)}
    )
    table = table_of(frame)
    guess = guess_roles(table, target="kind")
    roles = guess.roles
    if roles.by_column["empty"] is Role.EXTRA:
        roles = roles.with_role("empty", Role.NUMERIC)
    open_ones = [issue for issue in findings(table, roles, guess) if issue.column == "empty" and issue.suggested_role]
    assert open_ones
    settled = apply_suggestions(roles, open_ones)
    assert settled.by_column["empty"] is open_ones[0].suggested_role
    assert not [issue for issue in findings(table, settled, guess) if issue in open_ones]


def test_what_blocks_a_fit_is_the_first_finding(penguins):
    roles = sample_roles("penguins").with_role("species", Role.EXTRA)
    first = findings(penguins, roles, guess_roles(penguins))[0]
    assert first.severity is Severity.ERROR
    assert "No column is the target." in str(fit_problem(penguins, roles))
    assert fit_problem(penguins, sample_roles("penguins")) is None


def test_suggestions_never_take_the_target_away(penguins):
    roles = sample_roles("penguins")
    issue = Issue("x", "y", column="species", suggested_role=Role.EXTRA)
    assert apply_suggestions(roles, [issue]) == roles


def test_class_counts_add_up_to_the_labelled_rows(penguins):
    roles = sample_roles("penguins").with_role("sex", Role.TARGET)
    counts = class_counts(penguins, roles, SplitSettings(0.25))
    assert list(counts.columns) == ["training", "held out"]
    assert counts.to_numpy().sum() + unlabelled_rows(penguins, roles) == len(penguins.frame)
    assert unlabelled_rows(penguins, roles) == penguins.frame["sex"].isna().sum()
    assert (counts["held out"] / counts.sum(axis=1)).to_numpy() == pytest.approx(0.25, abs=0.01)


def test_class_counts_without_a_target_are_refused(penguins):
    with pytest.raises(RoleError, match="No column is the target"):
        class_counts(penguins, sample_roles("penguins").with_role("species", Role.EXTRA), SplitSettings())


def test_class_counts_follow_the_classes():
    table = table_of(pd.DataFrame({"x": np.arange(40) % 7, "size": np.arange(40) / 3}))
    roles = guess_roles(table, target="size").roles.with_classes(TargetClasses(cuts=(2, 5, 10)))
    counts = class_counts(table, roles, SplitSettings())
    assert list(counts.index) == ["up to 2", "over 2 to 5", "over 5 to 10", "over 10"]
    assert counts.to_numpy().sum() == 40


def test_classes_that_are_numbers_ascend_whichever_way_a_target_is_chosen():
    lines = [f"{k % 12},{'ab'[k % 2]},{k / 7:.3f}" for k in range(240)]
    table = read_table(("mark,kind,amount\n" + "\n".join(lines)).encode(), name="marks.csv")
    numbers = tuple(str(k) for k in range(12))
    chosen = usual_roles(table, guess_roles(table, target="kind").roles.with_role("mark", Role.TARGET))
    assert class_order(chosen, numbers) == numbers
    assert chosen.classes.are_values
    # Back to the values as they are, and away from them.
    assert in_class_order(table, chosen.with_classes(TargetClasses())) == chosen
    cut = chosen.with_classes(TargetClasses(cuts=(5.0,)))
    assert in_class_order(table, cut) == cut
    assert usual_roles(table, chosen.with_role("kind", Role.TARGET)).classes is None
    assert usual_roles(table, chosen.with_role("amount", Role.TARGET)).number


def test_equal_numbers_of_the_target_are_not_drawn_as_different_parts():
    spent = np.where(np.arange(120) % 3 == 0, np.arange(120.0), 0.0)  # two thirds spend nothing
    table = table_of(pd.DataFrame({"spent": spent, "kind": np.where(spent > 0, "buyer", "visitor")}))
    roles = guess_roles(table, target="spent").roles.as_number()
    found = find_profiles(table, roles, SplitSettings())
    assert found.classes == ("up to 0", "over 0")
    kind = found.columns["kind"]
    assert sorted(kind.counts.ravel().tolist())[:2] == [0, 0]
    evenly = table_of(pd.DataFrame({"spent": np.arange(120.0), "x": np.arange(120.0) % 7}))
    found = find_profiles(evenly, guess_roles(evenly, target="spent").roles.as_number(), SplitSettings())
    assert found.classes[0].startswith("up to ")
    assert len(found.classes) == 3
