"""JSON from outside: measured before it is parsed, and refused in words."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proset.common.checked_json import JsonLimits, StateReader, load_json, outside_texts, parse_json, sound
from proset.common.errors import StorageError

TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\[]{},:'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def depth_of(value: Any) -> int:
    """Lists and objects inside each other."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


@given(VALUES, st.booleans())
def test_what_is_within_the_limits_is_read_as_it_is(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parse_json(text.encode(), "It") == value
    assert parse_json(text, "It") == value


@given(VALUES)
def test_depth_is_measured_exactly(value: Any) -> None:
    text, depth = json.dumps(value), depth_of(value)
    assert parse_json(text, "It", limits=JsonLimits(max_depth=depth)) == value
    if depth:
        with pytest.raises(StorageError, match=rf"It is damaged: it is nested {depth} levels deep"):
            parse_json(text, "It", limits=JsonLimits(max_depth=depth - 1))


@given(st.lists(TEXT, max_size=30), st.booleans())
def test_marks_inside_of_texts_do_not_count(texts: list[str], ascii_only: bool) -> None:
    text = json.dumps(texts, ensure_ascii=ascii_only)
    limits = JsonLimits(max_depth=1, max_values=max(2, len(texts) + 1))
    assert parse_json(text, "It", limits=limits) == texts
    raw = text.encode()
    marks = bytes(code for code, free in zip(raw, outside_texts(raw), strict=True) if free and code in b"[]{},:")
    assert marks == b"[" + b"," * (len(texts) - 1) + b"]"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not valid JSON"),
        (b"nul", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"\xef\xbb\xbf[]", "not valid JSON"),
        (b'"' * 5, "not valid JSON"),
        (b'["\\"]', "not valid JSON"),
        (b"[NaN]", "not valid JSON"),
        (b"-Infinity", "not valid JSON"),
        (b"]" * 100, "not valid JSON"),
        (b"1e999", "a number that is too large"),
        (b"[-1e999]", "a number that is too large"),
        (b"1" * 21, "a number that is too large"),
        (b"1" * 10_000, "a number that is too large"),
        (b"[" * 33 + b"]" * 33, "nested 33 levels deep"),
        (b'{"a":' * 1_000_000, "nested 1,000,000 levels deep"),
        (b"[" + b"0," * 1_000_000 + b"0]", r"1,000,002 values; at most 1,000,000"),
        (b"[" + b"[]," * 600_000 + b"0]", r"1,200,002 values"),
        (b" " * (32 << 20) + b"1", "larger than 34 MB"),
    ],
    ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else "",
)
def test_the_rest_is_refused_in_words(data: bytes, message: str) -> None:
    with pytest.raises(StorageError, match=f"^The request .*{message}"):
        parse_json(data, "The request")


@pytest.mark.slow
def test_the_largest_record_of_a_search_is_read() -> None:
    """1,000 pairs in 100 folds, with the curves of twenty pairs."""
    row = [0.12345678901234567] * 100
    table = {name: [row] * 1_000 for name in ("log_loss", "n_features", "n_prototypes")}
    curves = {str(pair): {name: [row] * 101 for name in table} for pair in range(20)}
    assert parse_json(json.dumps({"stage_1": table, "stage_2": curves}), "The search")["stage_1"] == table


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb'"\ud800"', "\ufffd"),
        (rb'"a\udfffb"', "a\ufffdb"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ude00\ud83d"', "\ufffd\ufffd"),
        (rb'{"\ud800": ["\uDBFF"]}', {"\ufffd": ["\ufffd"]}),
        (rb'"\\ud800"', "\\ud800"),
    ],
)
def test_lone_surrogates_become_the_replacement_character(written: bytes, read: Any) -> None:
    assert parse_json(written, "It") == read
    assert sound(json.loads(written)) == read


class TestFiles:
    """What is read is an ordinary file."""

    def test_a_file_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text('{"a": 1}')
        assert load_json(tmp_path / "a.json", "The request") == {"a": 1}

    def test_no_more_than_the_limit_is_read(self, tmp_path: Path) -> None:
        with (tmp_path / "a.json").open("wb") as file:
            file.truncate(1 << 40)
        with pytest.raises(StorageError, match="The request is larger than 34 MB"):
            load_json(tmp_path / "a.json", "The request")

    def test_what_is_missing_or_no_file_is_said_plainly(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="The request cannot be read: No such file"):
            load_json(tmp_path / "none.json", "The request")
        with pytest.raises(StorageError, match="The request is not an ordinary file"):
            load_json(tmp_path, "The request")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        found: list[str] = []

        def read() -> None:
            with pytest.raises(StorageError) as caught:
                load_json(tmp_path / "pipe", "The request")
            found.append(str(caught.value))

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(10.0)
        assert found == ["The request is not an ordinary file."]


def test_messages_about_fields_stay_short() -> None:
    reader = StateReader({"kind": "x" * 100_000, "y" * 100_000: 1}, "design")
    with pytest.raises(StorageError) as caught:
        reader.text("kind", choices=("a", "b"))
    assert len(str(caught.value)) < 300
    with pytest.raises(StorageError) as caught:
        reader.close()
    assert len(str(caught.value)) < 300
