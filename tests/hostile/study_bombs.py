"""Small files that ask for much: saved studies whose reading would take minutes, or more memory than there is.

As a program, with the most MB and names of files, it reads each in a process of its own and prints what that cost.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import struct
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from effort import counted

from proset import storage
from proset.common.errors import ProsetError

MB = 1 << 20
Content = Any  # bytes or Zeros


@dataclass(frozen=True)
class Zeros:
    """A member that begins with something and goes on with zeros."""

    start: bytes
    count: int

    def pieces(self) -> Any:
        """The content in pieces."""
        yield self.start
        zeros = bytes(MB)
        for done in range(0, self.count, MB):
            yield zeros[: min(MB, self.count - done)]


def array(dtype: str, shape: tuple[int, ...]) -> Zeros:
    """A .npy member of zeros."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return Zeros(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header, size)


def write(
    path: Path, members: Mapping[str, Content], *, number: int = 1, undeclared: frozenset[str] = frozenset()
) -> None:
    """Write a file whose hashes are right."""
    declared = {}
    for name, content in members.items():
        digest, size = hashlib.sha256(), 0
        for piece in _pieces(content):
            digest.update(piece)
            size += len(piece)
        declared[name] = {"size": size, "sha256": digest.hexdigest()}
    manifest = {"format": "proset study", "format_version": number, "written_by": "0"}
    manifest["members"] = {name: entry for name, entry in declared.items() if name not in undeclared}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in members.items():
            with archive.open(name, "w", force_zip64=True) as stream:
                for piece in _pieces(content):
                    stream.write(piece)


def _pieces(content: Content) -> Any:
    """A member in pieces."""
    return content.pieces() if isinstance(content, Zeros) else (content,)


def _edited(members: Mapping[str, bytes], change: Callable[[Any], None]) -> dict[str, Content]:
    """Members with another description."""
    sections = json.loads(members["study.json"])
    change(sections)
    return {**members, "study.json": json.dumps(sections, separators=(",", ":")).encode()}


def _text_column(members: Mapping[str, bytes], rows: int, levels: bytes) -> dict[str, Content]:
    """A table of one text column, whose every row holds the first text."""
    changed = _edited(members, lambda sections: sections.update(columns=[{"name": "patient", "dtype": "str"}]))
    kept = {name: data for name, data in changed.items() if not name.startswith("table/")}
    index = np.arange(rows, dtype=np.int64)
    header = array("<i8", (rows,)).start
    return {
        **kept,
        "table/rows.npy": header + index.tobytes(),
        "table/0.npy": array("<i4", (rows,)),
        "table/0.json": levels,
    }


def _set(path: tuple[Any, ...], value: Any) -> Callable[[Any], None]:
    """Put a value somewhere in a description."""

    def change(sections: Any) -> None:
        for key in path[:-1]:
            sections = sections[key]
        sections[path[-1]] = value

    return change


def unasked(path: Path, members: Mapping[str, bytes], size: int, name: str = "extra.npy") -> None:
    """A member that no study has, declared like the others."""
    write(path, {**members, name: array("<f8", (size // 8,))})


def undeclared(path: Path, members: Mapping[str, bytes], size: int) -> None:
    """A member that the manifest does not name."""
    write(path, {**members, "extra.npy": array("<f8", (size // 8,))}, undeclared=frozenset({"extra.npy"}))


def described(path: Path, members: Mapping[str, bytes], unit: bytes, count: int) -> None:
    """A description of many values."""
    write(path, {**members, "study.json": b"[" + unit * count + b"0]"})


def repeated_text(path: Path, members: Mapping[str, bytes], rows: int, length: int) -> None:
    """One text for every row."""
    write(path, _text_column(members, rows, json.dumps(["x" * length]).encode()))


def wide_text(path: Path, members: Mapping[str, bytes], size: int) -> None:
    """One long text that one character makes four times as large."""
    write(path, _text_column(members, 100, b'["' + b"a" * size + b'\\ud83d\\ude00"]'))


def many_texts(path: Path, members: Mapping[str, bytes], rows: int, count: int) -> None:
    """Many short texts."""
    write(path, _text_column(members, rows, b"[" + b'"ab",' * count + b'"c"]'))


def many_dimensions(path: Path, members: Mapping[str, bytes]) -> None:
    """A header with 71 dimensions."""
    shape = "(" + "1, " * 70 + "1)"
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(373) + b"\n"
    write(path, {**members, "reference.npy": b"\x93NUMPY\x01\x00" + struct.pack("<H", 374) + header + bytes(8)})


def zeros_for(path: Path, members: Mapping[str, bytes], name: str, dtype: str, shape: tuple[int, ...]) -> None:
    """A member that the study needs, much larger than it needs it."""
    write(path, {**members, name: array(dtype, shape)})


def edited(path: Path, members: Mapping[str, bytes], change: Callable[[Any], None]) -> None:
    """Another description."""
    write(path, _edited(members, change))


def many_classes(path: Path, members: Mapping[str, bytes], count: int) -> None:
    """As many confusion counts as classes squared."""
    changed = _edited(members, _set(("model", "classes"), [f"{k:05d}" for k in range(count)]))
    header = array("<f8", (count,)).start
    marginals = header + np.full(count, 1.0 / count).tobytes()
    write(path, {**changed, "model/marginals.npy": marginals, "metrics/confusion.npy": array("<i8", (count, count))})


def many_entries(path: Path, _members: Mapping[str, bytes], count: int) -> None:
    """A zip directory of entries that all name one member."""
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    entry = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
    directory = b"".join(entry + b"%07d" % i for i in range(count))
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(directory), len(local))
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(local) + len(directory), 1)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(local + directory + end64 + locator + end)


def overlapping(path: Path, members: Mapping[str, bytes], count: int) -> None:
    """Members that share their packed bytes, so that a small file has many large ones."""
    zeros = array("<f8", (MB,))
    write(path, {**members, "model/x.npy": zeros})
    data = path.read_bytes()
    start = data.index(b"PK\x01\x02")
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("model/x.npy")
    entries, place = [], start
    while data[place : place + 4] == b"PK\x01\x02":
        length = 46 + sum(struct.unpack("<3H", data[place + 28 : place + 34]))
        entries.append(data[place : place + length])
        place += length
    last = entries[-1]
    assert info.filename.encode() in last
    entries += [last.replace(b"model/x.npy", b"m/%05d.npy" % i) for i in range(count)]
    directory = b"".join(entries)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), start, 0)
    path.write_bytes(data[:start] + directory + end)


def empty_blocks(path: Path, members: Mapping[str, bytes], size: int) -> None:
    """Packed bytes that unpack to nothing, many of them."""
    write(path, members)
    with zipfile.ZipFile(path) as archive:
        contents = {info.filename: archive.read(info) for info in archive.infolist()}
    blocks = b"\x00\x00\x00\xff\xff" * (size // 5)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    data = bytearray(path.read_bytes())
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    name_length = struct.unpack_from("<H", data, local + 26)[0]
    packed = struct.unpack_from("<I", data, local + 18)[0]
    head = local + 30 + name_length
    struct.pack_into("<I", data, local + 18, packed + len(blocks))
    struct.pack_into("<I", data, central + 20, packed + len(blocks))
    place = central
    while data[place : place + 4] == b"PK\x01\x02":
        offset = struct.unpack_from("<I", data, place + 42)[0]
        if offset:
            struct.pack_into("<I", data, place + 42, offset + len(blocks))
        place += 46 + sum(struct.unpack_from("<3H", data, place + 28))
    struct.pack_into("<I", data, place + 16, central + len(blocks))
    path.write_bytes(bytes(data[:head]) + blocks + bytes(data[head:]))


def almost_a_study(path: Path, members: Mapping[str, bytes], rows: int, columns: int) -> None:
    """A study as large as one may be, of which only the last thing that is looked at is wrong."""
    sections = json.loads(members["study.json"])
    known = len(sections["columns"])
    sections["columns"] += [{"name": f"zero {i}", "dtype": "float64"} for i in range(columns)]
    for roles in (sections["roles"], sections["design"]["roles"]):
        roles["by_column"] += [[f"zero {i}", "extra"] for i in range(columns)]
    changed: dict[str, Content] = {**members, "study.json": json.dumps(sections).encode()}
    for i, column in enumerate(sections["columns"][:known]):
        data = members[f"table/{i}.npy"]
        few = np.frombuffer(data, dtype=_dtype(data), offset=128)
        many = np.resize(few, rows)
        changed[f"table/{i}.npy"] = array(few.dtype.str, (rows,)).start + many.tobytes()
        assert column
    index = np.arange(1, rows + 1, dtype=np.int64)
    changed["table/rows.npy"] = array("<i8", (rows,)).start + index.tobytes()
    for i in range(columns):
        changed[f"table/{known + i}.npy"] = array("<f8", (rows,))
    changed["split/unlabelled.npy"] = (
        array("<i8", (2,)).start + np.array([rows + 5, rows + 6], dtype=np.int64).tobytes()
    )
    write(path, changed)


def _dtype(data: bytes) -> str:
    """Type of the numbers of a .npy member."""
    return data.split(b"'descr': '", 1)[1].split(b"'", 1)[0].decode()


def _many_findings(count: int) -> Callable[[Any], None]:
    return _set(("table", "issues"), [{"code": "x", "message": "y"}] * count)


def _many_batches(sections: Any) -> None:
    sections["model"]["batches"] = [False] * 900_000
    sections["model"]["parameters"]["n_iter"] = sections["settings"]["n_iter"] = 900_000


def _many_levels(sections: Any) -> None:
    encoder = next(
        entry for entry in sections["design"]["encoders"] if entry["kind"] == "levels" and entry["role"] != "boolean"
    )
    encoder["levels"] += [f"level {i}" for i in range(800_000)]
    sections["model"]["n_features"] += 800_000


def _many_rare(sections: Any) -> None:
    encoder = next(
        entry for entry in sections["design"]["encoders"] if entry["kind"] == "levels" and entry["role"] != "boolean"
    )
    encoder["rare"] = [f"level {i}" for i in range(800_000)]


Build = Callable[[Path, Mapping[str, bytes]], None]

QUICK: dict[str, Build] = {
    "header with 71 dimensions": many_dimensions,
    "directory of 300,000 entries": lambda path, members: many_entries(path, members, 300_000),
    "40 members in one place": lambda path, members: overlapping(path, members, 40),
    "60 MB of objects": lambda path, members: described(path, members, b'{"a":0},', 7_500_000),
    "30 MB of lists": lambda path, members: described(path, members, b"[],", 10_000_000),
    "8 MB of objects": lambda path, members: described(path, members, b'{"a":0},', 1_000_000),
    "nested 1,000,000 deep": lambda path, members: write(path, {**members, "study.json": b"[" * 1_000_000}),
    "nested 400 deep": lambda path, members: edited(
        path, members, _set(("search",), json.loads("[" * 400 + "]" * 400))
    ),
    "300,000 findings": lambda path, members: edited(path, members, _many_findings(300_000)),
    "19,000 findings": lambda path, members: edited(path, members, _many_findings(19_000)),
    "900,000 batches": lambda path, members: edited(path, members, _many_batches),
    "800,000 levels": lambda path, members: edited(path, members, _many_levels),
    "800,000 rare levels": lambda path, members: edited(path, members, _many_rare),
    "a short text for 100,000 rows (10 GB)": lambda path, members: repeated_text(path, members, 100_000, 100_000),
    "a text of 15 MB and one wide character": lambda path, members: wide_text(path, members, 15 * MB),
    "3,000,000 texts for 1,000 rows": lambda path, members: many_texts(path, members, 1_000, 3_000_000),
}
"""Those that are made in less than a second."""

SLOW: dict[str, Build] = {
    "1.5 GB that nobody asked for": lambda path, members: unasked(path, members, 1500 * MB),
    "600 MB that nobody asked for": lambda path, members: unasked(path, members, 600 * MB),
    "600 MB that no model asked for": lambda path, members: unasked(path, members, 600 * MB, "model/extra.npy"),
    "1.5 GB that nobody declared": lambda path, members: undeclared(path, members, 1500 * MB),
    "1.5 GB of familiarities": lambda path, members: zeros_for(path, members, "reference.npy", "<f8", (196_608_000,)),
    "600 MB of familiarities": lambda path, members: zeros_for(path, members, "reference.npy", "<f8", (75 * MB,)),
    "600 MB of prototypes": lambda path, members: zeros_for(
        path, members, "model/batch_1_prototypes.npy", "<f4", (15 * MB, 10)
    ),
    "160 MB of prototypes": lambda path, members: zeros_for(
        path, members, "model/batch_1_prototypes.npy", "<f4", (4 * MB - 100, 10)
    ),
    "600 MB of row ids": lambda path, members: zeros_for(path, members, "table/rows.npy", "<i8", (75 * MB,)),
    "600 MB of training rows": lambda path, members: zeros_for(path, members, "split/train.npy", "<i8", (75 * MB,)),
    "8,800 classes": lambda path, members: many_classes(path, members, 8_800),
    "200 MB that unpack to nothing": lambda path, members: empty_blocks(path, members, 200 * MB),
    "5,000,000 texts of 5,000,000 rows": lambda path, members: many_texts(path, members, 5_000_000, 4_900_000),
    "a text of 600 MB": lambda path, members: wide_text(path, members, 600 * MB),
    "640 MB of a table, one row too few": lambda path, members: almost_a_study(path, members, 1_000_000, 68),
}
"""Those that take seconds to make."""

BOMBS = QUICK | SLOW


def measure(path: Path, room: int) -> dict[str, Any]:
    """Read a file in this process, which gets so many MB of memory in all; what it cost, in calls and MB."""
    with Path("/proc/self/statm").open() as file:
        virtual, resident = (int(part) * resource.getpagesize() for part in file.read().split()[:2])
    resource.setrlimit(resource.RLIMIT_AS, (virtual + room * MB - resident, -1))
    refused = False
    with counted() as effort:
        try:
            storage.load(path)
            outcome = "a study"
        except ProsetError as error:
            outcome, refused = str(error), True
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak = int(status["VmHWM"].split()[0]) / 1024  # unlike ru_maxrss, not that of the process that started this one
    return {"outcome": outcome[:300], "refused": refused, "calls": effort.calls, "peak": round(peak)}


def main(room: int, paths: list[str]) -> None:
    """Print one JSON line per file; a child that dies leaves an empty one."""
    for path in paths:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            print(json.dumps(measure(Path(path), room)), flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print("{}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
