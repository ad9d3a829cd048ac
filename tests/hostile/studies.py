"""Damaged and hostile saved studies: what is done to one, at random but the same for the same seed."""

from __future__ import annotations

import copy
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from proset.storage.container import MANIFEST, pack, unpack

Members = dict[str, bytes]

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 0.5, -0.0, 1e308, -1e308, 1.7976931348623157e308, 5e-324, 1e-320, 2**31,
    2**53 + 1, 2**62, 2**63, -(2**63), 10**19, 10**30, 10**400, "", " ", "x", "\ud800", "\udfff\ud800", "a\x00b", "😀",
    "=1+1", "x" * 100_000, "![x](http://evil.example/a.png)", "__import__('os').system('touch pwned')",
    "../../etc/passwd", "nan", "NaN", "1e999", [], {}, [[]], [{}], [None], [0], ["a"], ["a", "a"], [1, 2, 3], {"a": 1},
    {"": ""}, [[1.0, 2.0]], [True] * 50, ["x"] * 1000, list(range(1000)),
)  # fmt: skip
"""What is put in the place of anything in a description."""

TEXTS = (
    b"", b"[", b"{", b"null", b"NaN", b"[NaN]", b"[Infinity]", b"[1e999]", b"[-1e999]", b"[" * 5000, b'{"a":' * 5000,
    b"[" * 40 + b"]" * 40, b'["\\ud800"]', b'["a",]', b"[,]", b'["a" "b"]', b'["a"]["b"]', b'["\xff"]', b'["a\nb"]',
    b"\xef\xbb\xbf[]", b'["' + b"\\" * 4001 + b'"]', b'["' + b"\\u00e9" * 3000 + b'"]', b"\x00", b"1" * 5000, b'"',
    b"[" + b"1" * 5000 + b"]", b"[" + b"0," * 100_000 + b"0]", b'["' + b"x" * 3_000_000 + b'"]',
)  # fmt: skip
"""What is put in the place of a whole JSON member."""

DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
ODD_DTYPES = (
    "|O", ">f4", ">i8", "<U4", "|S8", "<c16", "<f2", "<f16", "|V8", "<M8[s]", "<m8[ns]", "\xff", "", "f4", "<i16",
)  # fmt: skip
SHAPES = (
    "()", "(0,)", "(1,)", "(2,)", "(-1,)", "(1, 1)", "(0, 0)", "(True,)", "(1e3,)", "(99999999999999999999,)",
    "(4611686018427387904, 4)", "(0, 999999999999999, 999999999999999)", "(" + "1, " * 71 + ")", "(" + "1, " * 32 + ")",
    "[3]", "3", "(3", "(１,)", "(0x3,)", "( 3,)", "(3, )", "(None,)", "(10, 10, 10, 10)",
)  # fmt: skip
NUMBERS = (
    0,
    1,
    -1,
    2**31 - 1,
    -(2**31),
    2**62,
    -(2**63),
    2**63 - 1,
    1e308,
    -1e308,
    1e-308,
    5e-324,
    np.nan,
    np.inf,
    -np.inf,
)


@dataclass(frozen=True)
class Damaged:
    """A file and what was done to it."""

    what: str
    data: bytes


def npy(descr: str, shape: str, body: bytes, *, order: str = "False", version: bytes = b"\x01\x00") -> bytes:
    """A .npy file with any header."""
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode("utf-8", "surrogatepass")
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(header) & 0xFFFF) + header + body


def raw_zip(members: Members, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file of any members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data, method)
    return buffer.getvalue()


def damaged(saved: bytes, *, count: int, seed: int, number: int) -> Iterator[Damaged]:
    """Damaged copies of a saved study.

    Parameters
    ----------
    saved : bytes
        A saved study.
    count : int
        How many.
    seed : int
        The same gives the same.
    number : int
        Format version of the study.
    """
    members = {name: bytes(data) for name, data in unpack(saved).members.items()}
    for i in range(count):
        rng = random.Random(f"{seed}-{i}")
        kind = rng.choice(KINDS)
        data = kind(rng, saved, dict(members), number)
        yield Damaged(f"{kind.__name__} {seed}-{i}", data)


def _packed(members: Members, number: int) -> bytes:
    """A file whose hashes are right, as somebody hostile would write it."""
    return pack(members, written_by="0", format_version=number)


def bytes_flipped(rng: random.Random, saved: bytes, _members: Members, _number: int) -> bytes:
    data = bytearray(saved)
    for _ in range(rng.choice((1, 1, 2, 10, 100))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def bytes_moved(rng: random.Random, saved: bytes, _members: Members, _number: int) -> bytes:
    start, stop = sorted(rng.randrange(len(saved) + 1) for _ in range(2))
    return rng.choice(
        (
            saved[:stop],
            saved[start:],
            saved[:start] + saved[stop:],
            saved + saved[start:stop],
            saved[:start] + bytes(stop - start) + saved[stop:],
            saved[:start] + rng.randbytes(rng.randrange(1, 100)) + saved[start:],
            rng.randbytes(50) + saved,
        )
    )


def directory_changed(rng: random.Random, saved: bytes, _members: Members, _number: int) -> bytes:
    data = bytearray(saved)
    place = rng.choice(
        [i for i in range(len(data) - 4) if data[i : i + 4] in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06")]
    )
    for _ in range(rng.choice((1, 4))):
        spot = min(place + rng.randrange(4, 46), len(data) - 1)
        data[spot] = rng.choice((0, 1, 8, 127, 255))
    return bytes(data)


def members_moved(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    one, other = rng.sample(sorted(members), 2)
    what = rng.randrange(8)
    if what == 0:
        members[one], members[other] = members[other], members[one]
    elif what == 1:
        del members[one]
    elif what == 2:
        members[
            rng.choice(
                ("extra.npy", "model/batch_9_weights.npy", "table/99.npy", "../x.npy", "a" * 300, "table/0.json2")
            )
        ] = members[one]
    elif what == 3:
        members[one] = members[one][: rng.randrange(len(members[one]) + 1)]
    elif what == 4:
        members[one] += rng.randbytes(rng.randrange(1, 64))
    elif what == 5:
        members[one] = members[other]
    elif what == 6:
        members[one] = rng.randbytes(rng.randrange(200))
    else:
        members[rng.choice((one.upper(), one + " ", "/" + one, one.replace("/", "\\")))] = members.pop(one)
    return _packed(members, number)


def manifest_changed(rng: random.Random, saved: bytes, _members: Members, _number: int) -> bytes:
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members[MANIFEST])
    change_somewhere(rng, manifest)
    members[MANIFEST] = rng.choice((json.dumps(manifest).encode(), json.dumps(manifest).encode(), rng.choice(TEXTS)))
    if rng.random() < 0.3:
        del members[MANIFEST]
    return raw_zip(members, method=rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2)))


def description_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    sections = json.loads(members["study.json"])
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        change_somewhere(rng, sections)
    members["study.json"] = json.dumps(sections).encode()
    return _packed(members, rng.choice((number, number, number, number, 1, 2)))


def section_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    """Like the above, but each section as often as any other, however small it is."""
    sections = json.loads(members["study.json"])
    name = rng.choice(sorted(sections))
    inside = {name: sections[name]}
    change_somewhere(rng, inside)
    sections |= inside
    if name not in inside:
        del sections[name]
    members["study.json"] = json.dumps(sections).encode()
    return _packed(members, number)


def json_replaced(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    name = rng.choice([name for name in sorted(members) if name.endswith(".json")])
    members[name] = rng.choice(TEXTS)
    return _packed(members, number)


def levels_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    name = rng.choice([name for name in sorted(members) if name.startswith("table/") and name.endswith(".json")])
    levels = json.loads(members[name])
    what = rng.randrange(5)
    if what == 0:
        levels[rng.randrange(len(levels))] = rng.choice(VALUES)
    elif what == 1:
        levels += levels
    elif what == 2:
        levels = [str(value) for value in range(rng.choice((10, 1000, 100_000)))]
    elif what == 3:
        levels = levels[: rng.randrange(len(levels))]
    else:
        levels[rng.randrange(len(levels))] = rng.choice(
            ("\ud800", "", "a" * 1_000_000, "\\" * 999, '","', ",", '"', "\x00", "😀")
        )
    members[name] = json.dumps(levels, ensure_ascii=rng.random() < 0.9).encode("utf-8", "surrogatepass")
    return _packed(members, number)


def header_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    name = rng.choice([name for name in sorted(members) if name.endswith(".npy")])
    array = _array(members[name])
    shape = f"({', '.join(map(str, array.shape))},)"
    body = array.tobytes()
    members[name] = rng.choice(
        (
            npy(rng.choice(ODD_DTYPES), shape, body),
            npy(array.dtype.str, rng.choice(SHAPES), body),
            npy(array.dtype.str, rng.choice(SHAPES), b""),
            npy(array.dtype.str, shape, body, order="True"),
            npy(array.dtype.str, shape, body, version=rng.choice((b"\x02\x00", b"\x03\x00", b"\x00\x00", b"\xff\xff"))),
            npy(array.dtype.newbyteorder(">").str, shape, array.astype(array.dtype.newbyteorder(">")).tobytes()),
            npy(array.dtype.str, shape, body[: rng.randrange(len(body) + 1)]),
            npy(array.dtype.str, shape, body + b"\x00"),
            members[name][: rng.randrange(130)],
        )
    )
    return _packed(members, number)


def array_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    name = rng.choice([name for name in sorted(members) if name.endswith(".npy")])
    array = _array(members[name])
    what = rng.randrange(9)
    with np.errstate(all="ignore"):
        if what <= 2 and array.size:
            array.flat[rng.randrange(array.size)] = _fitting(rng, array.dtype)
        elif what == 3:
            array = array[: rng.randrange(len(array) + 1)] if array.ndim else array
        elif what == 4:
            array = np.concatenate([array, array])
        elif what == 5:
            array = np.nan_to_num(array).astype(rng.choice(DTYPES))
        elif what == 6:
            array = array.T.copy() if array.ndim > 1 else array[None]
        elif what == 7 and array.size:
            array = array[np.array(rng.sample(range(len(array)), len(array)))]
        else:
            array = np.full_like(array, _fitting(rng, array.dtype))
    members[name] = npy(array.dtype.str, str(array.shape), array.tobytes())
    return _packed(members, number)


def references_changed(rng: random.Random, _saved: bytes, members: Members, number: int) -> bytes:
    """Numbers that point to rows, classes, columns or texts point elsewhere."""
    names = [
        name
        for name in sorted(members)
        if name.startswith(("split/", "model/batch")) or name in ("table/rows.npy", "table/0.npy")
    ]
    name = rng.choice(
        [name for name in names if _array(members[name]).dtype.kind == "i" and _array(members[name]).size]
    )
    array = _array(members[name])
    array[rng.randrange(len(array))] = rng.choice((-1, 0, 1, 2, 3, len(array), 10_000, 2**31 - 1))
    members[name] = npy(array.dtype.str, str(array.shape), array.tobytes())
    return _packed(members, number)


def whole_file_replaced(rng: random.Random, saved: bytes, members: Members, number: int) -> bytes:
    return rng.choice(
        (
            b"",
            b"PK",
            b"PK\x03\x04",
            b"PK\x05\x06" + bytes(18),
            b"PK\x05\x06" + b"\xff" * 18,
            rng.randbytes(rng.randrange(500)),
            raw_zip({"word/document.xml": b"<w/>"}),
            raw_zip({MANIFEST: rng.choice(TEXTS)}),
            raw_zip({MANIFEST: b'{"format": "proset study", "format_version": 1, "members": {}}'}),
            pack(members, written_by="0", format_version=rng.choice((0, 3, -1, 2**70)), kind="proset study"),
            pack(members, written_by="0", format_version=number, kind=rng.choice(("proset result", "other"))),
            saved + saved,
        )
    )


KINDS: tuple[Callable[[random.Random, bytes, Members, int], bytes], ...] = (
    bytes_flipped,
    bytes_moved,
    directory_changed,
    members_moved,
    manifest_changed,
    description_changed,
    description_changed,
    section_changed,
    section_changed,
    section_changed,
    json_replaced,
    levels_changed,
    header_changed,
    array_changed,
    array_changed,
    references_changed,
    whole_file_replaced,
)


def change_somewhere(rng: random.Random, value: Any) -> None:
    """Replace, remove, add or move one thing in a JSON value."""
    path = rng.choice(_places(value))
    for key in path[:-1]:
        value = value[key]
    what = rng.randrange(10)
    if what <= 5:
        value[path[-1]] = copy.deepcopy(rng.choice(VALUES))
    elif what == 6:
        del value[path[-1]]
    elif what == 7 and isinstance(value, dict):
        value[rng.choice(("surprise", "", "\ud800", "x" * 5000))] = value.pop(path[-1])
    elif what == 8:
        deep: Any = value[path[-1]]
        for _ in range(rng.choice((1, 2, 40, 400))):
            deep = [deep]
        value[path[-1]] = deep
    else:
        other = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value[path[-1]], value[other] = value[other], value[path[-1]]


def _places(value: Any) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found, stack = [], [((), value)]
    while stack:
        path, item = stack.pop()
        if path:
            found.append(path)
        inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        stack += [((*path, key), part) for key, part in inner]
    return found


def _array(data: bytes) -> np.ndarray:
    """The array of a sound member, to be changed."""
    return np.load(io.BytesIO(data), allow_pickle=False).copy()


def _fitting(rng: random.Random, dtype: np.dtype) -> Any:
    """A number at an edge of a type."""
    if dtype.kind == "b":
        return rng.choice((True, False))
    if dtype.kind == "f":
        return np.array(rng.choice(NUMBERS), dtype=np.float64).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.choice((limits.min, limits.max, 0, 1, max(-1, limits.min)))
