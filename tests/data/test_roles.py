"""Guessing what columns are for, pointing out what is doubtful, and refusing what cannot work."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from proset.common.errors import RoleError, StorageError
from proset.data.classes import TargetClasses
from proset.data.column_profile import profile_columns
from proset.data.derived_columns import add_difference
from proset.data.guessing import name_words
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import profile_column
from proset.data.reading.dialect import Dialect
from proset.data.role_check import check_roles
from proset.data.role_guess import guess_roles, review_roles
from proset.data.roles import Roles
from proset.data.table import ImageGrid, Table, read_table

RNG = np.random.default_rng(0)
N = 120
CLASSES = RNG.permutation(["sick", "well", "well"] * (N // 3)).tolist()
NOISE = RNG.normal(size=N).round(6)


def make_table(columns: dict[str, object], *, grid: ImageGrid | None = None) -> Table:
    frame = pd.DataFrame(columns)
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
    dialect = Dialect(kind="csv", encoding="utf-8", delimiter=",", decimal=".", header=True, sheet=None)
    return Table(frame, "made.csv", dialect, (), "0" * 64, grid)


def issues_of(table: Table, column: str | None = None, target: str | None = None) -> dict[str, Issue]:
    return {issue.code: issue for issue in guess_roles(table, target=target).issues if issue.column == column}


def of_length(values: list[object]) -> list[object]:
    return (values * N)[:N]


@pytest.mark.parametrize(
    ("name", "values", "role", "reason"),
    [
        ("length", NOISE, Role.NUMERIC, "Numbers."),
        ("length", NOISE.astype(str), Role.NUMERIC, "stored as text"),
        ("length", [*NOISE[:-1].astype(str), "?"], Role.NUMERIC, "stored as text"),
        ("length", [*NOISE[:-1].astype(str), "tall"], Role.TEXT, f"row {N} holds 'tall'"),
        ("visits", of_length([0, 1, 2, 3]), Role.NUMERIC, "order matters"),
        ("pain_type", of_length([1, 2, 3, 4]), Role.CATEGORICAL, "kinds"),
        ("sex", of_length([1, 2]), Role.CATEGORICAL, "Two whole numbers"),
        ("flag", of_length([0, 1]), Role.BOOLEAN, "0 and 1"),
        ("flag", of_length([0.0, 1.0, None]), Role.BOOLEAN, "0 and 1"),
        ("flag", of_length([True, False]), Role.BOOLEAN, "Two answers"),
        ("flag", of_length([True, None, False]), Role.BOOLEAN, "Two answers"),
        ("flag", of_length(["yes", "no", "Yes"]), Role.BOOLEAN, "Two answers"),
        ("flag", of_length(["T", "F"]), Role.BOOLEAN, "Two answers"),
        ("sex", of_length(["male", "female"]), Role.CATEGORICAL, "2 different"),
        ("ward", of_length(["a", "b", "c", None]), Role.CATEGORICAL, "3 different"),
        ("ward", pd.Categorical(of_length(["a", "b", "c"])), Role.CATEGORICAL, "3 different"),
        ("seen", pd.date_range("2024-01-01", periods=N), Role.DATE, "dates"),
        ("seen", of_length(["31.12.2023", "01.02.2024", "05.06.2024"]), Role.DATE, "dates"),
        ("seen", of_length(["2023-12-31", "2024-02-01", None]), Role.DATE, "dates"),
        ("customerID", [f"C{i}" for i in range(N)], Role.IDENTIFIER, "every row"),
        ("n", list(range(N)), Role.IDENTIFIER, "row number"),
        ("patient_id", [7 * i % 1009 for i in range(N)], Role.IDENTIFIER, "row number"),
        ("weight", [700 * i % 1009 for i in range(N)], Role.NUMERIC, "Numbers."),
        ("patient_id", [i // 2 for i in range(N)], Role.EXTRA, "names things"),
        ("cabin", [f"C{i // 2}" for i in range(N)], Role.TEXT, "too many"),
        ("plz", of_length(["01067", "01069", "01097"]), Role.CATEGORICAL, "3 different"),
        ("remark", [f"The patient came back after {i} days" for i in range(N)], Role.TEXT, "Long text"),
        ("unit", ["mg"] * N, Role.EXTRA, "the same"),
        ("nothing", [None] * N, Role.EXTRA, "nothing"),
    ],
)
def test_feature_roles(name: str, values: object, role: Role, reason: str) -> None:
    guess = guess_roles(make_table({name: values, "outcome": CLASSES}))
    assert guess.roles.by_column[name] is role
    assert reason in guess.reasons[name]
    assert guess.roles.target == "outcome"


def test_a_pixel_is_a_number_even_if_it_is_constant() -> None:
    table = make_table({"p0": [0] * N, "p1": of_length([0, 1]), "digit": CLASSES}, grid=ImageGrid(1, 2, ("p0", "p1")))
    guess = guess_roles(table)
    assert guess.roles.of(Role.NUMERIC) == ("p0", "p1")
    assert not [issue for issue in guess.issues if issue.column]


def test_only_one_column_names_the_rows() -> None:
    names = [f"Name {i}" for i in range(N)]
    roles = guess_roles(make_table({"name": names, "PassengerId": list(range(N)), "x": NOISE, "y": CLASSES})).roles
    assert (roles.identifier, roles.by_column["name"]) == ("PassengerId", Role.EXTRA)


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"Species": CLASSES, "x": NOISE}, "Species"),
        ({"default": CLASSES, "x": NOISE, "y": CLASSES}, "y"),
        ({"is_fraud": of_length([0, 1, 0]), "x": NOISE}, "is_fraud"),
        ({"x": NOISE, "group": CLASSES}, "group"),
        ({"x": NOISE, "num": of_length([0, 1, 2, 3, 4])}, "num"),
        ({"group": CLASSES, "x": NOISE}, None),
        ({"x": CLASSES, "target": NOISE}, None),
        ({"x": NOISE, "made": pd.date_range("2024-01-01", periods=3).repeat(40)}, None),
        ({"x": NOISE, "unit": ["mg"] * N}, None),
        ({"Pclass": of_length([1, 2, 3]), "Survived": of_length([0, 1]), "Embarked": CLASSES}, "Survived"),
        ({"x": NOISE, "risk_class": CLASSES, "note": CLASSES}, "risk_class"),
        ({"x": NOISE, "energy_class": CLASSES, "price": NOISE}, None),
        ({"heart_disease": CLASSES, "x": NOISE}, "heart_disease"),
        ({"risk_class": CLASSES, "made": pd.date_range("2024-01-01", periods=3).repeat(40)}, "risk_class"),
    ],
)
def test_target_guess(columns: dict[str, object], target: str | None) -> None:
    assert guess_roles(make_table(columns)).roles.target == target


def test_a_chosen_target_wins_and_its_column_keeps_a_guess_for_later() -> None:
    table = make_table({"sex": of_length(["m", "f", "f", "m"]), "x": NOISE, "outcome": CLASSES})
    roles = guess_roles(table, target="sex").roles
    assert (roles.target, roles.by_column["outcome"]) == ("sex", Role.CATEGORICAL)
    assert roles.with_role("outcome", Role.TARGET).by_column["sex"] is Role.CATEGORICAL


def test_each_column_is_looked_at_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        "proset.data.table.profile_column",
        lambda series, **how: seen.append(series.name) or profile_column(series, **how),
    )
    days = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
    table = make_table({"came": days, "left": days, "x": NOISE, "y": CLASSES})
    roles = guess_roles(table, target="y").roles
    review_roles(table, roles.with_role("x", Role.EXTRA))
    guess_roles(table, target="x")
    profile_columns(table)
    add_difference(table, "came", "left")
    assert seen == ["came", "left", "x", "y"]


def test_unknown_target_is_named() -> None:
    with pytest.raises(RoleError, match="no column 'z'") as caught:
        guess_roles(make_table({"x": NOISE, "y": CLASSES}), target="z")
    assert caught.value.column == "z"


def test_name_words() -> None:
    assert name_words("EmployeeNumber") == ["employee", "number"]
    assert name_words("bare_nuclei 2") == ["bare", "nuclei", "2"]
    assert name_words("ID") == ["id"]


class TestIssues:
    def test_nothing_to_say_about_a_clean_table(self) -> None:
        ward = of_length(["north", "south", "east"])
        assert guess_roles(make_table({"x": NOISE, "ward": RNG.permutation(ward).tolist(), "y": CLASSES})).issues == ()

    def test_constant(self) -> None:
        table = make_table({"unit": ["mg"] * N, "x": NOISE, "y": CLASSES})
        assert issues_of(table, "unit")["constant"].severity is Severity.INFO
        roles = guess_roles(table).roles.with_role("unit", Role.CATEGORICAL)
        (issue,) = review_roles(table, roles)
        assert (issue.code, issue.severity, issue.suggested_role) == ("constant", Severity.WARNING, Role.EXTRA)

    def test_unique_per_row(self) -> None:
        table = make_table({"tag": [f"t{i}" for i in range(N)], "x": NOISE, "y": CLASSES})
        (issue,) = review_roles(table, guess_roles(table).roles.with_role("tag", Role.CATEGORICAL))[:1]
        assert (issue.code, issue.suggested_role) == ("unique", Role.IDENTIFIER)

    def test_mostly_missing(self) -> None:
        table = make_table({"x": np.where(np.arange(N) < 70, np.nan, NOISE), "z": NOISE, "y": CLASSES})
        issue = issues_of(table, "x")["mostly_missing"]
        assert "58%" in issue.message
        assert "70 of 120" in issue.message
        assert issue.suggested_role is Role.EXTRA

    def test_many_and_rare_levels(self) -> None:
        table = make_table({"town": [f"t{i % 60}" for i in range(600)], "y": ["a", "b", "b"] * 200})
        table = replace(table, frame=table.frame.replace({"town": {"t59": "t58"}}))
        roles = guess_roles(table).roles
        codes = {issue.code: issue for issue in review_roles(table, roles) if issue.column == "town"}
        assert codes["many_levels"].suggested_role is Role.EXTRA
        assert "59 different" in codes["many_levels"].message
        few = make_table({"ward": ["a"] * 60 + ["b"] * 57 + ["c"] * 3, "y": CLASSES})
        assert "'c' (3 rows)" in issues_of(few, "ward")["rare_levels"].message

    def test_few_whole_numbers_may_be_codes(self) -> None:
        issue = issues_of(make_table({"cp": of_length([1, 4, 2, 3]), "y": CLASSES}), "cp")["few_numbers"]
        assert "1, 2, 3, 4" in issue.message
        assert issue.suggested_role is Role.CATEGORICAL

    def test_numbers_in_text(self) -> None:
        assert "number_as_text" in issues_of(make_table({"x": NOISE.astype(str), "y": CLASSES}), "x")

    def test_duplicate_rows_do_not_count_the_identifier(self) -> None:
        x = NOISE.copy()
        x[3:5] = x[0]
        labels = ["a", "b", "b", "a", "b", *CLASSES[5:]]  # row 4 repeats row 1, row 5 has another class
        table = make_table({"id": [f"p{i}" for i in range(N)], "x": x, "y": labels})
        assert "1 row repeats an earlier row in every column but the" in issues_of(table)["duplicate_rows"].message
        assert "duplicate_rows" not in issues_of(make_table({"x": NOISE, "y": CLASSES}))

    def test_without_an_identifier_none_is_spoken_of(self) -> None:
        again = make_table({"x": [*NOISE, NOISE[0]], "y": [*CLASSES, CLASSES[0]]})
        assert "1 row repeats an earlier row in every column of the" in issues_of(again)["duplicate_rows"].message

    def test_rows_that_are_set_aside_do_have_a_value(self) -> None:
        table = make_table({"x": NOISE, "y": [None, None, "c", *CLASSES[3:]]})
        roles = guess_roles(table, target="y").roles.with_classes(TargetClasses(set_aside=("c",)))
        found = {issue.code: issue for issue in review_roles(table, roles)}
        assert found["target_missing"].message.startswith("2 rows without a value of the target 'y'")
        assert found["target_missing"].message.endswith(": set aside for fitting, they can be scored afterwards.")
        aside = "1 row of classes of 'y' that are set aside: nothing is learned from it, it can be scored afterwards."
        assert found["set_aside"].message == aside
        one = issues_of(make_table({"x": NOISE, "y": [None, *CLASSES[1:]]}), "y")["target_missing"].message
        assert one == "1 row without a value of the target 'y': set aside for fitting, it can be scored afterwards."
        full = make_table({"x": NOISE, "y": ["c", *CLASSES[1:]]})
        assert "target_missing" not in {issue.code for issue in review_roles(full, roles)}

    def test_many_equal_numbers_of_a_target_do_not_make_neighbours_alike(self) -> None:
        rng = np.random.default_rng(0)  # claims: mostly nothing, the rest with a long tail, in no order at all
        table = make_table(
            {"x": rng.normal(size=600), "y": np.where(rng.random(600) < 0.7, 0.0, rng.gamma(1, 900, 600))}
        )
        found = review_roles(table, guess_roles(table, target="y").roles.as_number())
        assert "row_order" not in {issue.code for issue in found}

    def test_target_with_gaps(self) -> None:
        issue = issues_of(make_table({"x": NOISE, "y": [None, None, *CLASSES[2:]]}), "y")["target_missing"]
        assert issue.message.startswith("2 rows without")

    @pytest.mark.parametrize(
        ("target", "code", "words"),
        [
            (NOISE, "target_quantity", "ranges"),
            (list(range(N)), "target_quantity", "120 different"),
            (["a"] * N, "one_class", "same value"),
            ([None] * N, "one_class", "empty"),
            (["a"] * (N - 5) + ["b"] * 5, "small_class", "'b' (5 rows)"),
            ([f"c{i}" for i in range(N)], "small_class", "'c0' (1 row)"),
        ],
    )
    def test_impossible_targets_block(self, target: object, code: str, words: str) -> None:
        issue = issues_of(make_table({"x": NOISE, "z": target}), "z", target="z")[code]
        assert issue.severity is Severity.ERROR
        assert words in issue.message

    def test_imbalance(self) -> None:
        table = make_table({"x": RNG.normal(size=400), "y": ["a"] * 390 + ["b"] * 10})
        assert "'b' (10 rows)" in issues_of(table, "y")["imbalanced"].message


class TestLeakage:
    def test_same_labels_in_other_words(self) -> None:
        table = make_table({"x": NOISE, "code": [len(c) + (c == "sick") for c in CLASSES], "y": CLASSES})
        guess = guess_roles(table)
        assert guess.roles.by_column["code"] is Role.EXTRA
        assert "target_copy" in {issue.code for issue in guess.issues if issue.column == "code"}

    def test_is_found_again_when_the_target_changes(self) -> None:
        table = make_table({"grade": CLASSES, "mark": [c.upper() for c in CLASSES], "x": NOISE, "y": of_length([0, 1])})
        assert guess_roles(table).roles.by_column["mark"] is Role.CATEGORICAL
        assert guess_roles(table, target="grade").roles.by_column["mark"] is Role.EXTRA

    def test_nearly_the_same_labels(self) -> None:
        labels = ["a", "b", "c", "d"] * 250
        nearly = [*labels[:-3], "a", "a", "a"]
        issue = issues_of(make_table({"x": RNG.normal(size=1000), "z": nearly, "y": labels}), "z")["target_near_copy"]
        assert issue.suggested_role is Role.EXTRA

    def test_number_that_the_target_was_cut_from(self) -> None:
        score = RNG.normal(size=N)
        issue = issues_of(make_table({"score": score, "y": np.where(score > 0.2, "high", "low")}), "score")
        assert issue["target_ranges"].suggested_role is Role.EXTRA
        age = RNG.integers(18, 90, size=500)
        groups = np.select([age < 30, age < 60], ["young", "middle"], "old")
        assert "target_ranges" in issues_of(make_table({"age": age, "y": groups}), "age")

    def test_honest_features_are_no_copies(self) -> None:
        flowers = load_iris(as_frame=True)
        for classes in (["setosa", "versicolor", "virginica"], ["setosa", "other", "other"]):
            frame = flowers.data.assign(species=[classes[code] for code in flowers.target])
            found = guess_roles(make_table(dict(frame.items()))).issues
            assert not [issue for issue in found if issue.code.startswith("target")]
        blood = np.where(np.array(CLASSES) == "sick", 8.0, 0.0) + RNG.normal(size=N)
        assert not issues_of(make_table({"blood": blood, "y": CLASSES}), "blood")

    def test_a_strong_category_is_no_copy(self) -> None:
        labels = ["a", "b"] * 60
        strong = [*labels[:-6], *"bababa"]
        assert "target_near_copy" not in issues_of(make_table({"x": NOISE, "z": strong, "y": labels}), "z")


class TestRoles:
    roles = Roles(
        {"id": Role.IDENTIFIER, "b": Role.NUMERIC, "a": Role.DATE, "t": Role.TARGET, "note": Role.TEXT},
        guessed={"id": Role.IDENTIFIER, "b": Role.NUMERIC, "a": Role.DATE, "t": Role.BOOLEAN, "note": Role.TEXT},
    )

    def test_reads(self) -> None:
        assert (self.roles.target, self.roles.identifier, self.roles.features) == ("t", "id", ("b", "a"))
        assert Roles({"x": Role.NUMERIC}).target is None

    def test_target_moves(self) -> None:
        moved = self.roles.with_role("b", Role.TARGET)
        assert moved.target == "b"
        assert moved.by_column["t"] is Role.BOOLEAN
        assert list(moved.by_column) == list(self.roles.by_column)
        assert self.roles.target == "t"

    def test_identifier_moves(self) -> None:
        assert self.roles.with_role("note", Role.IDENTIFIER).by_column["id"] is Role.EXTRA

    def test_former_target_that_looks_like_an_identifier_becomes_extra(self) -> None:
        roles = Roles({"id": Role.IDENTIFIER, "n": Role.TARGET, "x": Role.NUMERIC}, guessed={"n": Role.IDENTIFIER})
        assert roles.with_role("x", Role.TARGET).by_column["n"] is Role.EXTRA

    def test_choosing_the_same_role_again_changes_nothing(self) -> None:
        assert self.roles.with_role("t", Role.TARGET) == self.roles
        assert self.roles.with_role("id", Role.IDENTIFIER) == self.roles

    def test_unknown_column(self) -> None:
        with pytest.raises(RoleError, match="no column 'zz'"):
            self.roles.with_role("zz", Role.TEXT)

    @pytest.mark.parametrize("role", [Role.TARGET, Role.IDENTIFIER])
    def test_two_of_a_kind(self, role: Role) -> None:
        with pytest.raises(RoleError, match="'a' and 'b' both have"):
            Roles({"a": role, "b": role})

    def test_cannot_be_changed(self) -> None:
        with pytest.raises(TypeError):
            self.roles.by_column["b"] = Role.TEXT  # type: ignore[index]

    def test_copies_and_survives_json_and_pickle(self) -> None:
        assert Roles.from_dict(json.loads(json.dumps(self.roles.to_dict()))) == self.roles
        assert copy.deepcopy(self.roles) == self.roles
        assert pickle.loads(pickle.dumps(self.roles)) == self.roles
        assert hash(copy.copy(self.roles)) == hash(self.roles)

    @pytest.mark.parametrize(
        ("state", "field"),
        [
            (None, "'roles'"),
            ([], "'roles'"),
            ({}, "roles.by_column"),
            ({"by_column": {"a": "numeric"}, "guessed": []}, "roles.by_column"),
            ({"by_column": [["a", "hero"]], "guessed": []}, "roles.by_column"),
            ({"by_column": [["a"]], "guessed": []}, "roles.by_column"),
            ({"by_column": [["a", ["numeric"]]], "guessed": []}, "roles.by_column"),
            ({"by_column": [["a", "numeric"], ["a", "date"]], "guessed": []}, "roles.by_column"),
            ({"by_column": [["a", "target"], ["b", "target"]], "guessed": []}, "roles.by_column"),
            ({"by_column": [["a", "target"]], "guessed": [["z", "date"]]}, "roles.guessed"),
            ({"by_column": [["a", "target"]], "guessed": [["a", "target"]]}, "roles.guessed"),
            ({"by_column": [], "guessed": [], "more": 1}, "roles.more"),
        ],
    )
    def test_damaged_state_names_the_field(self, state: object, field: str) -> None:
        with pytest.raises(StorageError) as caught:
            Roles.from_dict(state)
        assert field in str(caught.value)


class TestCheckRoles:
    table = make_table({"x": [*NOISE[:-1].astype(str), "tall"], "z": NOISE, "ward": CLASSES, "y": CLASSES})

    def check(self, **by_column: Role) -> str:
        with pytest.raises(RoleError) as caught:
            check_roles(self.table, Roles(by_column))
        assert caught.value.hint
        return str(caught.value)

    def test_fitting_roles_pass(self) -> None:
        roles = {"x": Role.TEXT, "z": Role.NUMERIC, "ward": Role.CATEGORICAL, "y": Role.TARGET}
        check_roles(self.table, Roles(roles))

    def test_no_target(self) -> None:
        assert "No column is the target" in self.check(x=Role.TEXT, z=Role.NUMERIC, ward=Role.TEXT, y=Role.TEXT)

    def test_no_feature(self) -> None:
        assert "learn from" in self.check(x=Role.TEXT, z=Role.EXTRA, ward=Role.TEXT, y=Role.TARGET)

    def test_unknown_and_forgotten_columns(self) -> None:
        assert "'w' is not in the table" in self.check(w=Role.TEXT, z=Role.NUMERIC, y=Role.TARGET)
        assert "'ward' has no role" in self.check(x=Role.TEXT, z=Role.NUMERIC, y=Role.TARGET)

    def test_quantity_as_target(self) -> None:
        assert "ranges" in self.check(x=Role.TEXT, z=Role.TARGET, ward=Role.CATEGORICAL, y=Role.TEXT)

    @pytest.mark.parametrize(
        ("column", "role", "words"),
        [
            ("x", Role.NUMERIC, f"row {N} holds 'tall'"),
            ("z", Role.DATE, "row 1 holds"),
            ("z", Role.BOOLEAN, "different values"),
            ("ward", Role.DATE, f"row 1 holds '{CLASSES[0]}'"),
        ],
    )
    def test_cells_that_do_not_fit(self, column: str, role: Role, words: str) -> None:
        others = {"x": Role.TEXT, "z": Role.NUMERIC, "ward": Role.CATEGORICAL, "y": Role.TARGET}
        assert words in self.check(**(others | {column: role}))


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_a_column_of_numbers_is_not_left_out_in_silence(share: float) -> None:
    values = ["<0.5" if at < 100 * share else str(at / 7)[:5] for at in range(100)]
    text = "\n".join(["crp,kind", *(f"{value},{'ab'[at % 2]}" for at, value in enumerate(values))])
    table = read_table(text.encode())
    guess = guess_roles(table)
    assert guess.roles.by_column["crp"] is Role.TEXT
    found = [issue for issue in (*table.issues, *guess.issues) if issue.column == "crp"]
    assert [issue.severity for issue in found] == [Severity.WARNING]  # once, by whoever sees it first
    assert "row 1: '<0.5'" in found[0].message
    as_category = guess.roles.with_role("crp", Role.CATEGORICAL)
    assert "words_among_numbers" not in {issue.code for issue in review_roles(table, as_category)}


def test_decimal_commas_in_a_frame_are_not_left_out_in_silence() -> None:
    values = [f"{at / 7:.2f}".replace(".", ",") for at in range(100)]
    table = read_table(pd.DataFrame({"size": values, "x": np.arange(100) / 7, "kind": ["a", "b"] * 50}))
    guess = guess_roles(table, target="kind")
    assert guess.roles.by_column["size"] is Role.TEXT
    (found,) = (issue for issue in guess.issues if issue.code == "words_among_numbers")
    assert found.column == "size"
    assert "with a decimal comma (row 1: '0,00')" in found.message
    assert "Write a point" in found.message
