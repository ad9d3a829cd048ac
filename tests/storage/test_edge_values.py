"""Values at the edge of what a table can hold: fitted, saved, loaded and shown."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

from proset.common.errors import StorageError
from proset.data.cells import date_word, settle
from proset.data.issues import Role
from proset.data.reading.dialect import Dialect
from proset.data.roles import Roles
from proset.data.table import Table, read_table
from proset.engine.set_manager import SetManager
from proset.explain.cases.case import explain_case
from proset.storage import StorageLimits, from_bytes, to_bytes
from proset.storage.codec import to_members
from proset.study import FitSettings, Study, fit_study

N = 60
LARGEST = float(np.finfo(np.float64).max)


def with_column(values: np.ndarray | pd.Series, role: Role) -> Study:
    """A study of two classes that a second column tells apart."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "odd": np.asarray(values),
            "plain": rng.normal(size=N) + 3.0 * (np.arange(N) % 2),
            "kind": pd.Series(np.where(np.arange(N) % 2, "a", "b"), dtype="str"),
        }
    ).set_axis(pd.RangeIndex(1, N + 1, name="row"), axis=0)
    if frame["odd"].dtype == object:
        frame = frame.astype({"odd": "str"})
    roles = Roles({"odd": role, "plain": Role.NUMERIC, "kind": Role.TARGET})
    table = Table(frame, "edge", Dialect("csv"), (), "0" * 64)
    return fit_study(table, roles, settings=FitSettings(lambda_v=1e-3))


def survives(study: Study) -> None:
    """The same study comes back, and both can be shown."""
    loaded = from_bytes(to_bytes(study))
    pd.testing.assert_frame_equal(loaded.table.frame, study.table.frame, check_index_type=False)
    assert loaded.probabilities.equals(study.probabilities)
    assert np.isfinite(loaded.probabilities.to_numpy()).all()
    assert loaded.design.to_state() == study.design.to_state()
    assert loaded.score(study.table.frame).equals(study.score(study.table.frame))
    for row in (1, 2, 3):
        assert explain_case(loaded, row).words == explain_case(study, row).words


def every(*values: float) -> np.ndarray:
    """Values in turn."""
    return np.array(values)[np.arange(N) // 2 % len(values)]


NUMBERS = {
    "1e308 in every other row": every(1e308, 1.7e308),
    "the two largest": every(LARGEST, LARGEST / 2),
    "one huge value": np.where(np.arange(N) == 5, 1e308, np.arange(N) / 7),
    "the smallest and none": np.where(np.arange(N) == 5, 5e-324, 0.0),
    "subnormal": every(1e-310, 3e-310, 2e-310),
    "infinite": every(np.inf, 1.0, -np.inf, 2.0),
    "from the smallest to the largest": every(1e308, -1e308, 0.0, 1.0, 1e-308),
    "the largest whole numbers": np.array([2**63 - 1, -(2**63), 0])[np.arange(N) % 3],
    "the largest counts": np.array([2**64 - 1, 5, 0], dtype=np.uint64)[np.arange(N) % 3],
}


@pytest.mark.parametrize("role", [Role.NUMERIC, Role.EXTRA])
@pytest.mark.parametrize("name", main_cases(NUMBERS, every=3))
def test_numbers_survive(name: str, role: Role) -> None:
    survives(with_column(NUMBERS[name], role))


def test_a_file_with_1e308_can_be_saved() -> None:
    lines = [f"{'1.7e308' if i % 4 < 2 else '1e308'},{i % 2 * 3 + i / 50},{'ab'[i % 2]}" for i in range(N)]
    table = read_table("\n".join(["odd,plain,kind", *lines]).encode(), name="large.csv")
    roles = Roles({"odd": Role.NUMERIC, "plain": Role.NUMERIC, "kind": Role.TARGET})
    study = fit_study(table, roles, settings=FitSettings(lambda_v=1e-3))
    assert all(np.isfinite(encoder["fill"]) for encoder in study.design.to_state()["encoders"])
    survives(study)


def test_medians_of_ordinary_numbers_are_numpy_s() -> None:
    study = with_column(np.random.default_rng(1).normal(size=N), Role.NUMERIC)
    encoder = study.design.to_state()["encoders"][0]
    assert encoder["fill"] == np.median(study.table.frame["odd"].loc[study.split.train])


@pytest.mark.parametrize("name", ["1e308 in every other row", "from the smallest to the largest"])
def test_numbers_beyond_the_largest_are_shown_as_the_largest(name: str) -> None:
    study = with_column(NUMBERS[name], Role.NUMERIC)
    assert study.design.to_original(0, [1e4, -1e4]) == [LARGEST, -LARGEST]


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.DATE, Role.EXTRA, Role.CATEGORICAL])
@pytest.mark.parametrize(
    "year", main_cases(["-0004", "0000", "0001", "9999", "10000", "200000"], only=["-0004", "200000"])
)
def test_dates_of_any_year_survive(year: str, role: Role) -> None:
    days = np.array([f"{year}-12-31T23:59:59.999999", "2001-01-01", "2005-05-05"], dtype="M8[us]")
    survives(with_column(days[np.arange(N) % 3], role))


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("0000-01-01", "0000-01-01"),
        ("10000-02-03", "10000-02-03"),
        ("-4000-01-01T01:02:03", "-4000-01-01 01:02:03"),
        ("9999-12-31T23:59:59.999999", "9999-12-31 23:59:59.999999"),
        ("12345-01-01T00:00:00.000001", "12345-01-01 00:00:00.000001"),
    ],
)
def test_years_that_python_does_not_know_are_written_alike(moment: str, words: str) -> None:
    assert date_word(pd.Timestamp(np.datetime64(moment, "us"))) == words


def test_dates_beyond_what_microseconds_count_are_missing() -> None:
    settled = settle(pd.Series(np.array([2**63 - 1, 0, 1], dtype=np.int64).view("M8[s]")))
    assert settled.isna().tolist() == [True, False, False]
    assert settled.dtype == "datetime64[us]"


def test_long_texts_and_empty_ones_survive_and_differ_from_missing_ones() -> None:
    texts = pd.Series(["x" * 200_000, "", None, " ", "y"] * (N // 5), dtype="str")
    study = with_column(texts, Role.CATEGORICAL)
    survives(study)
    assert from_bytes(to_bytes(study)).table.frame["odd"].head(4).tolist()[1:] == [
        "",
        pytest.approx(np.nan, nan_ok=True),
        " ",
    ]


SURROGATE, REPLACED = "na\udcffme", "na\ufffdme"


def test_half_characters_in_the_words_of_a_study_become_whole_when_it_is_saved(study: Study) -> None:
    odd = dataclasses.replace(study, table=dataclasses.replace(study.table, name=SURROGATE))
    assert from_bytes(to_bytes(odd)).table.name == REPLACED
    assert b"\\udc" not in b"".join(to_members(odd, StorageLimits()).values()).lower()


@pytest.mark.parametrize("place", ["table name", "column", "class of a column", "text of the table", "finding"])
def test_half_characters_in_a_file_become_whole_when_it_is_loaded(
    place: str, study: Study, edited: Callable[[Study, str, str], bytes]
) -> None:
    old = {
        "table name": "patients.csv",
        "column": "ward",
        "class of a column": "north",
        "text of the table": "came early",
        "finding": "patient",
    }[place]
    loaded = from_bytes(edited(study, old, f"{old}\ud800"))
    text = "\n".join(
        [
            loaded.table.name,
            *loaded.table.frame.columns,
            *loaded.score(loaded.table.frame)["note"],
            loaded.table.frame.to_csv(),
        ]
    )
    assert old + "\ufffd" in text
    assert text.encode("utf-8")


@pytest.fixture
def edited() -> Callable[[Study, str, str], bytes]:
    """A way to write a study with one text exchanged in all of its JSON."""
    import json

    from proset.storage.container import pack, unpack

    def exchange(study: Study, old: str, new: str) -> bytes:
        members = {name: bytes(data) for name, data in unpack(to_bytes(study)).members.items()}
        for name in members:
            if name.endswith(".json"):
                members[name] = members[name].replace(json.dumps(old)[1:-1].encode(), json.dumps(new)[1:-1].encode())
        return pack(members, written_by="0")

    return exchange


def test_a_number_that_is_not_finite_is_refused_in_words(study: Study) -> None:
    broken = dataclasses.replace(study, metrics=dataclasses.replace(study.metrics, log_loss=float("inf")))
    with pytest.raises(StorageError, match="cannot be saved: its description holds a number that is not finite"):
        to_bytes(broken)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (StorageLimits(max_bytes=10_000), r"unpacks to .* MB; at most .*Leave out columns"),
        (StorageLimits(max_rows=100), r"has 180 rows; studies of at most 100 are saved.*sample"),
        (StorageLimits(max_json_bytes=500), "larger than"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(study: Study, limits: StorageLimits, message: str) -> None:
    with pytest.raises(StorageError, match=message):
        to_members(study, limits)


def test_a_model_that_could_not_be_loaded_is_not_saved(study: Study) -> None:
    manager = study.model.set_manager_
    batch = manager.batches[0]
    assert batch is not None
    wide = dataclasses.replace(batch, prototypes=np.zeros((len(batch), 10_000), dtype=batch.prototypes.dtype))
    model = copy.copy(study.model)
    model.set_manager_ = SetManager(manager.marginals, manager.num_features, (wide, *manager.batches[1:]))
    with pytest.raises(StorageError, match=r"The model has \d+ MB; at most .*fewer candidates"):
        to_members(dataclasses.replace(study, model=model), StorageLimits(max_bytes=2_000_000))


def test_texts_count_as_they_are_written_out(study: Study) -> None:
    frame = study.table.frame
    frame = frame.assign(remark=pd.Series(["a long text " * 500] * len(frame), index=frame.index, dtype="str"))
    long = dataclasses.replace(study, table=dataclasses.replace(study.table, frame=frame))
    members = to_members(long, StorageLimits())
    texts = frame.select_dtypes("str")
    written_out = sum(int(texts[name].str.encode("utf-8").str.len().sum()) + 8 * len(texts) for name in texts)
    positions = [frame.columns.get_loc(name) for name in texts]
    coded = {f"table/{position}.{ending}" for position in positions for ending in ("npy", "json")}
    size = sum(len(data) for name, data in members.items() if name not in coded) + written_out
    to_members(long, StorageLimits(max_bytes=size))
    with pytest.raises(StorageError, match="unpacks to"):
        to_members(long, StorageLimits(max_bytes=size - 1))
    from_bytes(to_bytes(long), limits=StorageLimits(max_bytes=size))
    with pytest.raises(StorageError, match=r"The texts of column .* written out row by row"):
        from_bytes(to_bytes(long), limits=StorageLimits(max_bytes=size - 1))
