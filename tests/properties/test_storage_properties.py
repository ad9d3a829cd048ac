"""Whatever happens to the bytes of a saved study: it is refused, or it says exactly what it said before."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from proset.common.errors import StorageError
from proset.plots.selection import plot_stage_1, plot_stage_2
from proset.selection.words import search_report
from proset.storage import from_bytes, to_bytes
from proset.storage.arrays import PLAIN_DTYPES, read_array, write_array
from proset.storage.columns import read_frame, write_frame
from proset.storage.container import pack, unpack
from proset.storage.texts import read_texts, write_texts, written_out
from proset.study import Study, search_words

FEW = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def saved(study: Study) -> bytes:
    return to_bytes(study)


def same_or_refused(data: bytes, study: Study) -> None:
    """The one thing that must hold."""
    try:
        loaded = from_bytes(data)
    except StorageError:
        return
    assert loaded.probabilities.equals(study.probabilities)
    assert loaded.predictions.equals(study.predictions)


@FEW
@given(data=st.data())
def test_flipped_bytes(data: st.DataObject, saved: bytes, study: Study) -> None:
    damaged = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(saved) - 1))] ^= data.draw(st.integers(1, 255))
    same_or_refused(bytes(damaged), study)


@FEW
@given(data=st.data())
def test_bytes_cut_off_left_out_or_put_in(data: st.DataObject, saved: bytes, study: Study) -> None:
    start, stop = sorted(data.draw(st.tuples(st.integers(0, len(saved)), st.integers(0, len(saved)))))
    extra = data.draw(st.binary(max_size=20))
    kind = data.draw(st.sampled_from(["cut off", "left out", "put in"]))
    changed = {
        "cut off": saved[:stop],
        "left out": saved[:start] + saved[stop:],
        "put in": saved[:start] + extra + saved[start:],
    }[kind]
    same_or_refused(changed, study)


@FEW
@given(noise=st.binary(max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    for data in (noise, b"PK\x03\x04" + noise, b"PK\x05\x06" + noise):
        with pytest.raises(StorageError):
            from_bytes(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def changed_somewhere(value: Any, data: st.DataObject) -> None:
    """Replace or remove one thing in a JSON value."""
    path = data.draw(st.sampled_from(places(value)))
    for key in path[:-1]:
        value = value[key]
    if data.draw(st.booleans()):
        value[path[-1]] = data.draw(JSON)
    else:
        del value[path[-1]]


@pytest.mark.slow
@FEW
@given(data=st.data())
def test_a_description_with_anything_anywhere(data: st.DataObject, saved: bytes) -> None:
    """Right hashes and a description changed in one place: refused, or a study that works."""
    members = dict(unpack(saved).members)
    sections = json.loads(members["study.json"])
    changed_somewhere(sections, data)
    written = members | {"study.json": json.dumps(sections).encode()}
    try:
        loaded = from_bytes(pack(written, written_by="0"))
    except StorageError:
        return
    assert np.isfinite(loaded.probabilities.to_numpy()).all()
    assert len(loaded.predictions) == len(loaded.table.frame)
    assert set(loaded.prototypes["row"]) <= set(loaded.split.train)


@pytest.mark.slow
@FEW
@given(data=st.data())
def test_a_search_with_anything_anywhere(data: st.DataObject, searched: Study) -> None:
    """The same for the record of a search: refused, or it can be reported and drawn."""
    members = dict(unpack(to_bytes(searched)).members)
    sections = json.loads(members["study.json"])
    changed_somewhere(sections["search"], data)
    written = members | {"study.json": json.dumps(sections).encode()}
    try:
        search = from_bytes(pack(written, written_by="0", format_version=2)).search
    except StorageError:
        return
    assert search is not None
    assert search_words(search) == search_words(search.from_state(search.to_state()))
    assert len(search_report(search).splitlines()) > 10
    for figure in (plot_stage_1(search), plot_stage_2(search)):
        assert figure.data


@FEW
@given(
    array=st.sampled_from(PLAIN_DTYPES).flatmap(
        lambda dtype: hnp.arrays(np.dtype(dtype), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    )
)
def test_arrays_come_back_bit_for_bit(array: np.ndarray) -> None:
    again = read_array(write_array(array), "x")
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()


@FEW
@given(data=st.binary(max_size=200))
def test_arrays_of_noise_are_refused_or_are_arrays(data: bytes) -> None:
    for noise in (data, write_array(np.arange(3))[: len(data)] + data):
        try:
            again = read_array(noise, "x")
        except StorageError:
            continue
        assert write_array(again) == noise


@FEW
@given(
    texts=st.lists(st.none() | st.text(max_size=6), min_size=1, max_size=12),
    numbers=st.lists(st.floats(width=64) | st.none(), min_size=12, max_size=12),
    flags=st.lists(st.none() | st.booleans(), min_size=12, max_size=12),
)
def test_columns_come_back(texts: list[str | None], numbers: list[float | None], flags: list[bool | None]) -> None:
    n = len(texts)
    frame = pd.DataFrame(
        {
            "texts": pd.Series(texts, dtype="str"),
            "numbers": pd.Series(numbers[:n], dtype="float64"),
            "flags": pd.Series(flags[:n], dtype="boolean"),
        }
    ).set_axis(pd.Index(range(1, n + 1), name="row"), axis=0)
    records, members = write_frame(frame)
    pd.testing.assert_frame_equal(read_frame(records, members), frame, check_index_type=False)


@FEW
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('",\\[]')), min_size=1, max_size=12
    ),
    data=st.data(),
)
def test_texts_come_back_whatever_pieces_they_are_read_in(texts: list[str], data: st.DataObject) -> None:
    column = pd.Series(texts, dtype="str")
    codes, written = write_texts(column)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=6)))
    pieces = [written[start:stop] for start, stop in pairwise([0, *cuts, len(written)])]
    again, size = read_texts(codes, pieces, "it", room=10_000)
    pd.testing.assert_series_equal(again, column)
    assert size == written_out(column)


@FEW
@given(noise=st.text('[]{},:"\\ aé0', max_size=20), data=st.data())
def test_a_list_of_texts_is_read_as_json_or_refused(noise: str, data: st.DataObject) -> None:
    """Whatever the pieces, what is accepted is what a JSON parser accepts, and means the same."""
    written = noise.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=4)))
    pieces = [written[start:stop] for start, stop in pairwise([0, *cuts, len(written)])]
    try:
        values = json.loads(written)
        expected = values if isinstance(values, list) and all(isinstance(value, str) for value in values) else None
    except ValueError:
        expected = None
    codes = np.full(30, -1, dtype=np.int32)
    codes[: len(expected or ())] = np.arange(len(expected or ()))
    try:
        column, _ = read_texts(codes, pieces, "it", room=10_000)
    except StorageError:
        assert expected is None
    else:
        assert column.dropna().tolist() == expected


def test_the_shell_keeps_members_as_they_are() -> None:
    members = {"a.json": b"{}", "b/c.npy": bytes(range(256))}
    assert unpack(pack(members, written_by="1")).members == members
    with zipfile.ZipFile(io.BytesIO(pack(members, written_by="1"))) as archive:
        assert archive.testzip() is None
