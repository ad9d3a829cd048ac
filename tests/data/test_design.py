"""From table columns to the matrix and back, on odd columns, new data and damaged files."""

from __future__ import annotations

import copy
import json
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import DesignError, StorageError
from proset.data.design import Design
from proset.data.frame_needs import require_columns
from proset.data.issues import Role
from proset.data.roles import Roles

FRAME = pd.DataFrame(
    {
        "length": [5.1, 4.9, None, 6.0, 7.3, 5.0, 5.5, 4.4, 6.1, 5.9, 6.6, 5.2],
        "visits": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 120],
        "ward": ["north"] * 5 + ["south"] * 5 + ["east"] * 2,
        "smoker": ["Yes", "no", None, "no", "no", "Yes", "no", "no", "no", "Yes", "no", "no"],
        "seen": pd.date_range("2024-02-20", periods=12),
        "note": ["free text"] * 12,
    },
    index=pd.Index([3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93], name="row"),
)
ROLES = Roles(
    {
        "length": Role.NUMERIC,
        "visits": Role.NUMERIC,
        "ward": Role.CATEGORICAL,
        "smoker": Role.BOOLEAN,
        "seen": Role.DATE,
        "note": Role.TEXT,
    }
)


def fit_one(values: object, role: Role, name: str = "x") -> Design:
    frame = pd.DataFrame({name: values}).rename_axis("row")
    return Design(Roles({name: role})).fit(frame)


def give_back(design: Design, values: object, j: int = 0, name: str = "x") -> list[Any]:
    encoded = design.transform(pd.DataFrame({name: values}).rename_axis("row"))
    return design.to_original(j, encoded.X[:, j])


@pytest.fixture(scope="module")
def design() -> Design:
    return Design(ROLES).fit(FRAME)


class TestMatrix:
    def test_columns_say_what_they_mean(self, design: Design) -> None:
        assert [column.name for column in design.columns] == [
            "length",
            "visits",
            "ward = north",
            "ward = south",
            "ward = (other)",
            "smoker",
            "seen",
        ]
        assert [column.level for column in design.columns] == [
            None,
            None,
            "north",
            "south",
            "(other)",
            "Yes",
            None,
        ]
        assert [column.source for column in design.columns][2:5] == ["ward"] * 3
        assert design.columns[0].offset == pytest.approx(FRAME["length"].mean())
        assert design.columns[0].scale == pytest.approx(FRAME["length"].std(ddof=0))

    def test_shape_type_and_rows(self, design: Design) -> None:
        encoded = design.transform(FRAME)
        assert encoded.X.shape == (12, 7)
        assert encoded.X.dtype == np.float32
        assert encoded.X.flags.c_contiguous
        assert encoded.rows.dtype == np.int64
        assert encoded.rows.tolist() == FRAME.index.tolist()
        assert encoded.imputed.index.equals(pd.Index(encoded.rows, name="row"))
        assert encoded.imputed.columns.tolist() == list(design.sources)
        assert encoded.unseen.shape == encoded.imputed.shape

    def test_numbers_are_standardised_and_gaps_hold_the_median(self, design: Design) -> None:
        encoded = design.transform(FRAME)
        assert encoded.X[:, 1].mean() == pytest.approx(0.0, abs=1e-6)
        assert encoded.X[:, 1].std() == pytest.approx(1.0, abs=1e-6)
        assert encoded.imputed["length"].tolist() == [row == 4 for row in encoded.rows]
        assert design.to_original(0, encoded.X[:, 0])[2] == FRAME["length"].median()

    def test_indicators(self, design: Design) -> None:
        X = design.transform(FRAME).X
        assert np.array_equal(X[:, 2:5].argmax(axis=1), [0] * 5 + [1] * 5 + [2] * 2)
        assert np.array_equal(X[:, 2:5].sum(axis=1), np.ones(12))
        assert X[:, 5].tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]

    def test_row_and_column_order_and_further_columns_do_not_matter(self, design: Design) -> None:
        mixed = FRAME.iloc[::-1, ::-1].assign(more="x")
        assert np.array_equal(design.transform(mixed).X, design.transform(FRAME).X[::-1])

    def test_pieces_give_the_same_as_the_whole(self, design: Design) -> None:
        pieces = [design.transform(FRAME.iloc[i : i + 1]).X for i in range(12)]
        assert np.array_equal(np.vstack(pieces), design.transform(FRAME).X)
        assert design.transform(FRAME.iloc[:0]).X.shape == (0, 7)

    def test_the_frame_is_left_alone(self) -> None:
        frame = FRAME.copy()
        Design(ROLES).fit(frame).transform(frame)
        pd.testing.assert_frame_equal(frame, FRAME)

    def test_names_stay_unique(self) -> None:
        frame = pd.DataFrame({"a": ["x", "y", "z"] * 5, "a = x": range(15)}).rename_axis("row")
        design = Design(Roles({"a": Role.CATEGORICAL, "a = x": Role.NUMERIC})).fit(frame)
        names = [column.name for column in design.columns]
        assert names == ["a = x", "a = y", "a = z", "a = x (2)"]

    def test_columns_without_variation_are_left_out_and_not_asked_for(self) -> None:
        frame = pd.DataFrame({"x": [1.0, 2.0], "c": [3, 3], "n": [None, None], "w": ["a", "a"]}).rename_axis("row")
        roles = Roles({"x": Role.NUMERIC, "c": Role.NUMERIC, "n": Role.NUMERIC, "w": Role.CATEGORICAL})
        design = Design(roles).fit(frame)
        assert design.dropped == ("c", "n", "w")
        assert design.transform(frame[["x"]]).X.shape == (2, 1)

    def test_nothing_left(self) -> None:
        with pytest.raises(DesignError, match="No feature varies among the 3 training rows"):
            fit_one([1, 1, 1], Role.NUMERIC)

    def test_memory_stays_near_that_of_the_matrix(self) -> None:
        n, d = 200_000, 12
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"x{i}" for i in range(d)]).rename_axis("row")
        design = Design(Roles(dict.fromkeys(frame.columns, Role.NUMERIC))).fit(frame.iloc[:1000])
        tracemalloc.start()
        encoded = design.transform(frame)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        held = encoded.X.nbytes + 2 * n * d
        assert peak < held + 10 * 8 * n  # a few columns' worth of temporary arrays, however many columns there are


class TestNumbers:
    @pytest.mark.parametrize(
        "values",
        [
            [5.1, 4.9, 6.0],
            [1, 2, 300],
            [0.001, 0.002, 0.0035],
            [1e-20, 3e-20, 2e-20],
            [1e20, 3e20, 2e20],
            [1_000_000_001, 1_000_000_003, 1_000_000_002],
            [-3, 0, 3],
        ],
    )
    def test_come_back_as_written(self, values: list[float]) -> None:
        back = give_back(fit_one(values, Role.NUMERIC), values)
        assert back == pytest.approx(values, rel=1e-6)
        assert all(isinstance(number, type(value)) for number, value in zip(back, values, strict=True) if value < 1e15)
        if max(map(abs, values)) < 1e15 and min(abs(value) for value in values if value) > 1e-6:
            assert back == values

    def test_more_digits_than_float32_holds(self) -> None:
        assert give_back(fit_one([0.25, 20_000_000.5, 7.0], Role.NUMERIC), [0.25])[0] == pytest.approx(0.25, abs=2)

    def test_further_digits_do_not_pretend(self) -> None:
        assert give_back(fit_one([1 / 3, 2 / 3, 1.9], Role.NUMERIC), [1 / 3]) == [pytest.approx(1 / 3, abs=1e-6)]
        assert len(str(give_back(fit_one([1 / 3, 2 / 3, 1.9], Role.NUMERIC), [1 / 3])[0])) <= 9

    @pytest.mark.parametrize("gap", [None, np.nan, np.inf, -np.inf])
    def test_missing_and_infinite_cells(self, gap: float | None) -> None:
        design = fit_one([1.0, 2.0, 6.0, gap], Role.NUMERIC)
        assert design.columns[0].offset == 3.0
        encoded = design.transform(pd.DataFrame({"x": [gap, 1.0]}))
        assert design.to_original(0, encoded.X[:, 0]) == [2, 1]
        assert encoded.imputed["x"].tolist() == [True, False]
        assert not encoded.unseen.to_numpy().any()

    def test_text_with_numbers(self) -> None:
        design = fit_one(["1.5", " 2 ", "?", None, ""], Role.NUMERIC)
        encoded = design.transform(pd.DataFrame({"x": ["n/a", "2", "1e0"]}))
        assert encoded.imputed["x"].tolist() == [True, False, False]
        assert design.to_original(0, encoded.X[:, 0]) == [1.8, 2.0, 1.0]

    @pytest.mark.parametrize("word", ["tall", "1,5", "1 kg"])
    def test_text_without_names_column_row_and_value(self, word: str) -> None:
        design = fit_one([1.5, 2.5], Role.NUMERIC, "height")
        new = pd.DataFrame({"height": ["1.5", word, "x"]}, index=pd.Index([11, 12, 13], name="row"))
        with pytest.raises(DesignError) as caught:
            design.transform(new)
        # Of numbers written in another way and words, it is the word that does not fit.
        named = "row 13 holds 'x'" if word == "1,5" else f"row 12 holds '{word}' (2 rows are like that)"
        assert f"'height' has the role numeric, but {named}" in str(caught.value)
        assert caught.value.column == "height"

    def test_dates_among_new_numbers_are_quoted_as_people_write_them(self) -> None:
        design = fit_one([1.5, 2.5], Role.NUMERIC, "height")
        new = pd.DataFrame({"height": pd.to_datetime(["2024-05-31", "2024-06-01"])})
        with pytest.raises(DesignError) as caught:
            design.transform(new)
        assert "but row 0 holds '2024-05-31' (2 rows are like that)" in str(caught.value)
        assert "fit a model in which the column has another role" in str(caught.value.hint)  # that of new rows is given

    def test_far_values_stay_finite(self) -> None:
        design = fit_one([1.0, 2.0], Role.NUMERIC)
        X = design.transform(pd.DataFrame({"x": [1e308, -1e308]})).X
        assert np.isfinite(X * X).all()
        assert X[0, 0] > 1e3 > -1e3 > X[1, 0]

    @pytest.mark.parametrize("values", [[1e308, -1e308, 0.0], [1e-300, 0.0], [1e200, 1e-200]])
    def test_extreme_training_values(self, values: list[float]) -> None:
        X = fit_one(values, Role.NUMERIC).transform(pd.DataFrame({"x": values})).X
        assert np.isfinite(X).all()
        assert len(np.unique(X)) > 1

    def test_values_too_near_zero_to_be_told_apart(self) -> None:
        with pytest.raises(DesignError, match="No feature varies"):
            fit_one([5e-324, 0.0], Role.NUMERIC)

    def test_nan_comes_back_as_none(self) -> None:
        assert fit_one([1, 2], Role.NUMERIC).to_original(0, [np.nan, 0.0])[0] is None
        assert fit_one([1.5, 2], Role.NUMERIC).to_original(0, [np.nan, 0.0])[0] is None

    def test_unknown_column_number(self) -> None:
        with pytest.raises(DesignError, match="no matrix column 1"):
            fit_one([1, 2], Role.NUMERIC).to_original(1, [0.0])


class TestDates:
    @pytest.mark.parametrize(
        ("values", "words"),
        [
            (pd.to_datetime(["2024-02-29", "1999-12-31"]), ["2024-02-29", "1999-12-31"]),
            (pd.to_datetime(["2024-02-29 13:05", "1999-12-31 00:00"]), ["2024-02-29 13:05", "1999-12-31 00:00"]),
            (["29.02.2024", "31.12.1999"], ["2024-02-29", "1999-12-31"]),
            (["2024-02-29T10:00:00+02:00", "2024-02-29T10:00:07Z"], ["2024-02-29 08:00:00", "2024-02-29 10:00:07"]),
            (["1066-10-14", "9999-12-31"], ["1066-10-14", "9999-12-31"]),
        ],
    )
    def test_come_back_in_iso_form(self, values: object, words: list[str]) -> None:
        assert give_back(fit_one(values, Role.DATE), values) == words

    def test_new_text_is_read_like_the_training_rows(self) -> None:
        design = fit_one(["03/25/2024", "04/05/2024", "03/31/2024"], Role.DATE)
        assert give_back(design, ["04/05/2024", None]) == ["2024-04-05", "2024-03-31"]
        with pytest.raises(DesignError, match="row 0 holds '25/03/2024'"):
            give_back(design, ["25/03/2024"])

    def test_far_away_values_and_nan(self) -> None:
        design = fit_one(pd.to_datetime(["2024-02-29", "1000-12-31"]), Role.DATE)
        assert design.to_original(0, [1e4, -1e4, np.nan]) == ["9999-12-31", "0001-01-01", None]

    def test_numbers_are_no_dates(self) -> None:
        with pytest.raises(DesignError, match="row 0 holds '20240101'"):
            fit_one([20240101, 20240102], Role.DATE)


class TestLevels:
    def test_two_levels_make_one_column(self) -> None:
        design = fit_one(["b"] * 5 + ["a"] * 7, Role.CATEGORICAL)
        assert [(column.name, column.level) for column in design.columns] == [("x", "b")]
        assert give_back(design, ["a", "b"]) == ["a", "b"]

    def test_unseen_level_between_two_is_flagged(self) -> None:
        design = fit_one(["b"] * 5 + ["a"] * 7, Role.CATEGORICAL)
        encoded = design.transform(pd.DataFrame({"x": ["c", "a", None]}))
        assert encoded.unseen["x"].tolist() == [True, False, False]
        assert encoded.imputed["x"].tolist() == [False, False, True]
        assert design.to_original(0, encoded.X[:, 0]) == ["unknown", "a", "a"]

    def test_unseen_level_among_many_has_no_indicator(self) -> None:
        design = fit_one(["a", "b", "c"] * 5, Role.CATEGORICAL)
        encoded = design.transform(pd.DataFrame({"x": ["z", "c"]}))
        assert encoded.X.tolist() == [[0, 0, 0], [0, 0, 1]]
        assert encoded.unseen["x"].tolist() == [True, False]

    def test_rare_levels_are_pooled_and_stand_for_unseen_ones(self) -> None:
        design = fit_one(["a"] * 10 + ["b"] * 10 + ["c"] * 2 + ["d"], Role.CATEGORICAL)
        assert [column.level for column in design.columns] == ["a", "b", "(other)"]
        encoded = design.transform(pd.DataFrame({"x": ["c", "z"]}))
        assert encoded.X.tolist() == [[0, 0, 1], [0, 0, 1]]
        assert encoded.unseen["x"].tolist() == [False, True]

    def test_no_more_than_fifty_levels_and_the_most_frequent_ones(self) -> None:
        values = [f"t{i:02d}" for i in range(60) for _ in range(5 + (i == 59))]
        design = fit_one(values, Role.CATEGORICAL)
        assert len(design.columns) == 51
        assert [column.level for column in design.columns][:2] == ["t59", "t00"]

    def test_missing_is_a_level_if_it_is_frequent(self) -> None:
        design = fit_one(["a"] * 10 + ["b"] * 10 + [None] * 5, Role.CATEGORICAL)
        assert [column.name for column in design.columns] == ["x = a", "x = b", "x = (missing)"]
        encoded = design.transform(pd.DataFrame({"x": [None, "a"]}, dtype=object))
        assert encoded.X.tolist() == [[0, 0, 1], [1, 0, 0]]
        assert not encoded.imputed.to_numpy().any()
        assert design.to_original(2, encoded.X[:, 2]) == ["yes", "no"]

    def test_all_cells_of_new_data_missing(self) -> None:
        encoded = fit_one(["a", "b", "c"] * 5, Role.CATEGORICAL).transform(pd.DataFrame({"x": [None, None]}))
        assert encoded.imputed["x"].all()
        assert encoded.X.tolist() == [[1, 0, 0]] * 2

    def test_codes_keep_their_meaning_as_text(self) -> None:
        design = fit_one([3.0, 6.0, 7.0] * 5, Role.CATEGORICAL)
        expected = np.eye(3).tolist()
        for values in ([3, 6, 7], [3.0, 6.0, 7.0], ["3", "6", "7"], ["3.0", " 6", "7.00"]):
            assert design.transform(pd.DataFrame({"x": values})).X.tolist() == expected

    def test_text_is_not_taken_for_codes(self) -> None:
        encoded = fit_one(["01", "1", "2"] * 5, Role.CATEGORICAL).transform(pd.DataFrame({"x": ["01", "1", "1.0"]}))
        assert encoded.unseen["x"].tolist() == [False, False, True]

    @pytest.mark.parametrize(
        ("training", "new", "words"),
        [
            (["Yes", "no"], ["yes", "NO", "Y", "false", "1"], ["Yes", "no", "Yes", "no", "Yes"]),
            ([0, 1], [1.0, 0.0, None], ["1", "0", "0"]),
            ([0, 1], [True, False], ["1", "0"]),
            ([False, True], ["true", "f"], ["True", "False"]),
            (["ill", "well"], ["Well", "ILL", "dead"], ["well", "ill", "unknown"]),
            (["yes", "Yes", "no"], ["YES", "no"], ["Yes", "no"]),
        ],
    )
    def test_truth_values_in_any_spelling(self, training: list[Any], new: list[Any], words: list[str]) -> None:
        assert give_back(fit_one(training * 5, Role.BOOLEAN), new) == words

    def test_three_truth_values(self) -> None:
        with pytest.raises(DesignError, match="'x' has the role boolean, but 3 different values"):
            fit_one(["yes", "no", "maybe"], Role.BOOLEAN)


class TestNewData:
    def test_lacking_columns_are_all_named(self, design: Design) -> None:
        with pytest.raises(DesignError) as caught:
            design.transform(FRAME.drop(columns=["visits", "seen"]))
        assert "lacks 2 of the 5 columns" in str(caught.value)
        assert "'visits', 'seen'" in str(caught.value)
        assert caught.value.hint

    def test_hundreds_of_lacking_columns_are_counted(self) -> None:
        frame = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 300)), columns=[f"c{i}" for i in range(300)])
        design = Design(Roles(dict.fromkeys(frame.columns, Role.NUMERIC))).fit(frame)
        with pytest.raises(DesignError, match="'c9' and 290 more"):
            design.transform(pd.DataFrame({"other": [1]}))

    def test_a_column_twice(self, design: Design) -> None:
        twice = pd.concat([FRAME, FRAME[["ward"]]], axis=1)
        with pytest.raises(DesignError, match="several columns of the same name: 'ward'"):
            design.transform(twice)
        other = pd.concat([FRAME, FRAME[["note"]]], axis=1)
        assert design.transform(other).X.shape == (12, 7)

    def test_rows_without_numbers(self, design: Design) -> None:
        with pytest.raises(DesignError, match="not numbered"):
            design.transform(FRAME.set_axis(list("abcdefghijkl"), axis=0))

    def test_unfitted(self) -> None:
        with pytest.raises(DesignError, match="not fitted"):
            Design(ROLES).transform(FRAME)


class TestState:
    def test_survives_json_exactly(self, design: Design) -> None:
        restored = Design.from_state(json.loads(json.dumps(design.to_state(), allow_nan=False)))
        assert restored.columns == design.columns
        assert restored.roles == design.roles
        new = FRAME.assign(ward="z", length=1 / 3)
        for frame in (FRAME, new):
            before, after = design.transform(frame), restored.transform(frame)
            assert before.X.tobytes() == after.X.tobytes()
            pd.testing.assert_frame_equal(before.unseen, after.unseen)
        for j in range(len(design.columns)):
            values = design.transform(FRAME).X[:, j]
            assert restored.to_original(j, values) == design.to_original(j, values)

    @pytest.mark.parametrize(
        ("path", "value", "field"),
        [
            ((), None, "'design'"),
            ((), [1], "'design'"),
            (("roles",), 3, "design.roles"),
            (("roles", "by_column", 0, 1), "hero", "design.roles.by_column"),
            (("roles", "by_column", 0, 1), "date", "design.encoders[0].kind"),
            (("roles", "by_column", 0, 0), "width", "design.encoders"),
            (("encoders",), [], "design.encoders"),
            (("encoders",), "all", "design.encoders"),
            (("encoders", 0), None, "design.encoders[0]"),
            (("encoders", 0, "kind"), "magic", "design.encoders[0].kind"),
            (("encoders", 0, "kind"), ["number"], "design.encoders[0].kind"),
            (("encoders", 0, "scale"), 0.0, "design.encoders[0].scale"),
            (("encoders", 0, "scale"), -1, "design.encoders[0].scale"),
            (("encoders", 0, "scale"), float("nan"), "design.encoders[0].scale"),
            (("encoders", 0, "scale"), "1", "design.encoders[0].scale"),
            (("encoders", 0, "scale"), True, "design.encoders[0].scale"),
            (("encoders", 0, "offset"), float("inf"), "design.encoders[0].offset"),
            (("encoders", 0, "offset"), 10**400, "design.encoders[0].offset"),
            (("encoders", 0, "fill"), None, "design.encoders[0].fill"),
            (("encoders", 0, "decimals"), 1.5, "design.encoders[0].decimals"),
            (("encoders", 0, "decimals"), 10**9, "design.encoders[0].decimals"),
            (("encoders", 0, "decimals"), -1, "design.encoders[0].decimals"),
            (("encoders", 0, "more"), 1, "design.encoders[0].more"),
            (("encoders", 2, "levels"), "abc", "design.encoders[2].levels"),
            (("encoders", 2, "levels"), ["a", 1], "design.encoders[2].levels"),
            (("encoders", 2, "levels"), ["north", "north"], "design.encoders[2].levels"),
            (("encoders", 2, "levels"), [], "design.encoders[2].levels"),
            (("encoders", 2, "rare"), ["north"], "design.encoders[2].rare"),
            (("encoders", 2, "fill"), "west", "design.encoders[2].fill"),
            (("encoders", 2, "missing"), "no", "design.encoders[2].missing"),
            (("encoders", 2, "role"), "numeric", "design.encoders[2].role"),
            (("encoders", 3, "levels"), ["a", "b", "Yes", "no"], "design.encoders[3].levels"),
            (("encoders", 4, "form"), "%s%n", "design.encoders[4].form"),
            (("encoders", 4, "seconds"), 7, "design.encoders[4].seconds"),
            (("encoders", 4, "seconds"), 0, "design.encoders[4].seconds"),
            (("dropped",), ["note"], "design.encoders"),
            (("dropped",), None, "design.dropped"),
            (("more",), 1, "design.more"),
        ],
    )
    def test_damage_is_named(self, design: Design, path: tuple[Any, ...], value: object, field: str) -> None:
        state: Any = copy.deepcopy(design.to_state())
        if path:
            place = state
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
        else:
            state = value
        with pytest.raises(StorageError) as caught:
            Design.from_state(state)
        assert field in str(caught.value)

    @pytest.mark.parametrize("position", range(5))
    def test_every_field_is_needed(self, design: Design, position: int) -> None:
        for key in design.to_state()["encoders"][position]:
            state = copy.deepcopy(design.to_state())
            del state["encoders"][position][key]
            with pytest.raises(StorageError, match=f"'design.encoders.{position}..{key}' is not there"):
                Design.from_state(state)
        for key in design.to_state():
            state = design.to_state()
            del state[key]
            with pytest.raises(StorageError, match=f"'design.{key}' is not there"):
                Design.from_state(state)


@pytest.mark.parametrize(
    ("there", "hint"),
    [
        (["Load_kW", "b"], "'Load_kW' may be 'load': rename it. Add it with the same name (empty cells are filled in)"),
        (["lo ad", "B-"], "'lo ad' may be 'load', 'B-' may be 'b': rename them. Check that it is the right file"),
        (["x"], "Check that it is the right file, or fit a model without them."),
    ],
)
def test_columns_that_are_lacking_are_sought_under_other_names(there, hint):
    with pytest.raises(DesignError) as caught:
        require_columns(pd.DataFrame(columns=there), ["load", "b"])
    assert hint in str(caught.value)
