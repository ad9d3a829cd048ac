"""Saved studies: the same study comes back, and everything else is refused without being executed."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from patience import HANG

from proset.common.errors import StorageError
from proset.selection import JointRecord
from proset.storage import StorageLimits, from_bytes, load, save, to_bytes
from proset.storage.arrays import read_array, write_array
from proset.storage.columns import read_frame, write_frame
from proset.storage.container import MANIFEST, USUAL_FORMAT, pack, unpack
from proset.study import Study
from proset.study.judging import judge_model
from proset.study.repeats import with_repeats
from proset.study.verdict_words import verdict_sentences

GOLDEN = Path(__file__).parent / "golden"
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def saved(study: Study) -> bytes:
    return to_bytes(study)


@pytest.fixture(scope="module")
def members(saved: bytes) -> Members:
    return dict(unpack(saved).members)


def repack(members: Members, *, number: int = 1) -> bytes:
    """A file whose hashes are right, as somebody hostile would write it."""
    return pack(members, written_by="0", format_version=number)


def edited(members: Members, change: Callable[[dict[str, Any]], None], *, number: int = 1) -> bytes:
    """The file with another description."""
    sections = json.loads(members["study.json"])
    change(sections)
    return repack(members | {"study.json": json.dumps(sections).encode()}, number=number)


class TestRoundTrip:
    """What is saved comes back."""

    def test_estimates_are_bit_identical(self, study: Study, saved: bytes) -> None:
        loaded = from_bytes(saved)
        assert loaded.predictions.equals(study.predictions)
        assert loaded.probabilities.equals(study.probabilities)
        assert loaded.score(study.table.frame).equals(study.score(study.table.frame))

    def test_every_part_is_equal(self, study: Study, saved: bytes) -> None:
        loaded = from_bytes(saved)
        pd.testing.assert_frame_equal(loaded.table.frame, study.table.frame)
        assert loaded.table.frame.index.name == "row"
        for name in ("name", "dialect", "issues", "fingerprint", "grid"):
            assert getattr(loaded.table, name) == getattr(study.table, name)
        assert loaded.roles == study.roles
        assert list(loaded.roles.by_column) == list(study.roles.by_column)
        assert loaded.settings == study.settings
        assert loaded.split.settings == study.split.settings
        assert loaded.provenance == study.provenance
        assert loaded.design.to_state() == study.design.to_state()
        assert loaded.design.columns == study.design.columns
        assert loaded.metrics.confusion.equals(study.metrics.confusion)
        assert loaded.metrics.log_loss == study.metrics.log_loss
        assert loaded.prototypes.equals(study.prototypes)
        assert loaded.feature_weights.equals(study.feature_weights)
        assert [result.message for result in loaded.model.batch_results_] == [
            result.message for result in study.model.batch_results_
        ]

    def test_saving_again_gives_the_same_bytes(self, saved: bytes) -> None:
        assert to_bytes(from_bytes(saved)) == saved

    def test_a_file_is_replaced_in_one_step(self, study: Study, tmp_path: Path) -> None:
        path = tmp_path / "a.proset"
        path.write_bytes(b"something old")
        save(study, path)
        assert load(path).predictions.equals(study.predictions)
        assert os.listdir(tmp_path) == ["a.proset"]

    def test_an_array_of_pixels_and_an_empty_model_come_back(self) -> None:
        from proset.data.samples import load_sample, sample_roles
        from proset.study import FitSettings, fit_study

        study = fit_study(load_sample("digits"), sample_roles("digits"), settings=FitSettings(n_iter=0))
        loaded = from_bytes(to_bytes(study))
        assert loaded.table.grid == study.table.grid
        assert loaded.probabilities.equals(study.probabilities)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, -(2**63), 2**63 - 1]),
        pd.Series([1, 2, 255], dtype="uint8"),
        pd.Series([0, 2**64 - 1, 1], dtype="uint64"),
        pd.Series([0.1, np.nan, -np.inf]),
        pd.Series([5e-324, -0.0, 1.7976931348623157e308]),
        pd.Series([True, False, True]),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series(["", None, " blank "], dtype="str"),
        pd.Series(["Größe\u0000\n", "😀", "nan"], dtype="str"),
        pd.Series([None, None, None], dtype="str"),
        pd.to_datetime(pd.Series(["0001-01-01", None, "9999-12-31 23:59:59.999999"]), format="ISO8601").astype(
            "datetime64[us]"
        ),
        pd.Series(pd.to_datetime(["2024-02-29", None, "1969-12-31T23:59:59.123456789"], format="ISO8601")).astype(
            "datetime64[ns]"
        ),
    ],
    ids=lambda column: f"{column.dtype}-{column.iloc[0]!r}",
)
def test_columns_come_back_exactly(column: pd.Series) -> None:
    frame = pd.DataFrame({"first": range(3), "x = 'é'": column}).set_axis(pd.Index([3, 1, 8], name="row"), axis=0)
    records, members = write_frame(frame)
    pd.testing.assert_frame_equal(read_frame(records, members), frame)


def test_an_empty_frame_comes_back() -> None:
    frame = pd.DataFrame({"a": pd.Series(dtype="str"), "b": pd.Series(dtype="float64")})
    frame.index = pd.Index([], dtype="int64", name="row")
    records, members = write_frame(frame)
    pd.testing.assert_frame_equal(read_frame(records, members), frame)


class Bomb:
    """Leaves a trace if it is ever unpickled."""

    trace = "unpickled.txt"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return open, (self.trace, "w")


def pickled_array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb()], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def npy(header: str, body: bytes = b"") -> bytes:
    """A .npy file with any header."""
    padded = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + body


class TestForeignFiles:
    """Files that are no saved study."""

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "empty"),
            (b"age,weight\n1,2\n", "not a saved study"),
            (pickle.dumps(Bomb()), "not a saved study"),
            (b"PK\x03\x04 and so on", "damaged or cut off"),
            (b"PK\x05\x06" + bytes(18), "no manifest"),
        ],
    )
    def test_are_refused(self, data: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(StorageError, match=message):
            from_bytes(data)
        assert not Path(Bomb.trace).exists()

    def test_another_zip_is_refused(self) -> None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("word/document.xml", "<w/>")
        with pytest.raises(StorageError, match="not a saved study"):
            from_bytes(buffer.getvalue())

    @pytest.mark.parametrize("manifest", [b"[]", b"{}", b'{"format": "other"}', b"\xff", b"{", b'{"format": NaN}'])
    def test_another_manifest_is_refused(self, manifest: bytes) -> None:
        with pytest.raises(StorageError):
            from_bytes(raw_zip({MANIFEST: manifest}))

    def test_a_newer_format_says_so_and_what_to_do(self, saved: bytes) -> None:
        with pytest.raises(StorageError, match=r"newer version of proset \(9\.0, format 7\).*update proset"):
            from_bytes(with_manifest(saved, format_version=7, written_by="9.0"))

    @pytest.mark.parametrize("number", [0, -1, None, "1", True, 1.5])
    def test_an_impossible_format_version_is_refused(self, saved: bytes, number: object) -> None:
        with pytest.raises(StorageError, match="format version"):
            from_bytes(with_manifest(saved, format_version=number))

    def test_a_missing_file_and_a_folder_are_said_plainly(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="No such file"):
            load(tmp_path / "none.proset")
        with pytest.raises(StorageError, match="cannot be read"):
            load(tmp_path)

    @pytest.mark.slow
    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.proset")
        program = f"from proset.storage import load; load({str(tmp_path / 'pipe.proset')!r})"
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=HANG, check=False
        )
        assert "cannot be read: it is not an ordinary file" in done.stderr

    def test_saving_to_a_missing_folder_is_said_plainly(self, study: Study, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"cannot be saved.*Choose a folder"):
            save(study, tmp_path / "none" / "a.proset")


def raw_zip(members: Members, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data, method)
    return buffer.getvalue()


def raw_members(saved: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_manifest(saved: bytes, **changes: object) -> bytes:
    members = raw_members(saved)
    manifest = json.loads(members[MANIFEST]) | changes
    return raw_zip(members | {MANIFEST: json.dumps(manifest).encode()})


class TestDamagedShell:
    """The zip file is not as it was written."""

    def test_a_changed_member_is_noticed(self, saved: bytes) -> None:
        members = raw_members(saved)
        members["reference.npy"] = members["reference.npy"][:-1] + b"\x01"
        with pytest.raises(StorageError, match=r"'reference.npy' has changed"):
            from_bytes(raw_zip(members))

    def test_a_missing_member_is_named(self, saved: bytes) -> None:
        members = raw_members(saved)
        del members["split/train.npy"]
        with pytest.raises(StorageError, match=r"'split/train.npy' is missing"):
            from_bytes(raw_zip(members))

    @pytest.mark.parametrize("name", ["extra.npy", "../../etc/cron.d/x", "/etc/passwd", "C:\\x", "a/../../b", "x\x00y"])
    def test_members_that_nobody_declared_are_refused(
        self, saved: bytes, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(StorageError, match="no part of a saved study"):
            from_bytes(raw_zip(raw_members(saved) | {name: b"x"}))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["extra.npy", "../../etc/cron.d/x", "model/extra.npy", "table/99.npy", "code.py"])
    def test_declared_members_of_other_names_are_refused(self, members: Members, name: str) -> None:
        with pytest.raises(StorageError, match="no part of a saved study"):
            from_bytes(repack(members | {name: write_array(np.arange(2))}))

    def test_two_members_of_one_name_are_refused(self, saved: bytes) -> None:
        buffer = io.BytesIO(saved)
        with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("study.json", "{}")
        with pytest.raises(StorageError, match="same name"):
            from_bytes(buffer.getvalue())

    def test_encrypted_and_oddly_packed_members_are_refused(self, saved: bytes) -> None:
        locked = bytearray(saved)
        entry = saved.index(b"PK\x01\x02")
        locked[entry + 8] |= 1
        with pytest.raises(StorageError, match="encrypted"):
            from_bytes(bytes(locked))
        with pytest.raises(StorageError, match="packed in a way"):
            from_bytes(raw_zip(raw_members(saved), method=zipfile.ZIP_LZMA))

    def test_a_stored_zip_of_the_same_members_is_accepted(self, saved: bytes, study: Study) -> None:
        loaded = from_bytes(raw_zip(raw_members(saved), method=zipfile.ZIP_STORED))
        assert loaded.predictions.equals(study.predictions)

    def test_a_zip_bomb_is_refused_by_what_it_declares(self, members: Members) -> None:
        bomb = repack(members | {"reference.npy": bytes(50_000_000)})
        assert len(bomb) < 1_000_000
        with pytest.raises(StorageError, match=r"unpacks to .* MB"):
            from_bytes(bomb, limits=StorageLimits(max_bytes=20_000_000))

    def test_a_zip_bomb_that_lies_about_its_size_is_not_unpacked(self, saved: bytes) -> None:
        members = raw_members(saved) | {"reference.npy": bytes(30_000_000)}
        data = bytearray(raw_zip(members))
        for marker, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
            place = data.index(marker)
            while data[place + (46 if offset == 24 else 30) :][:13] != b"reference.npy":
                place = data.index(marker, place + 4)
            struct.pack_into("<I", data, place + offset, 100)
        with pytest.raises(StorageError, match=r"damaged|changed"):
            from_bytes(bytes(data))

    def test_too_many_members_and_a_huge_description_are_refused(self, saved: bytes) -> None:
        with pytest.raises(StorageError, match="at most 3"):
            from_bytes(saved, limits=StorageLimits(max_members=3))
        with pytest.raises(StorageError, match="larger than"):
            from_bytes(saved, limits=StorageLimits(max_json_bytes=100))

    def test_a_file_over_the_limit_is_not_read(self, saved: bytes, tmp_path: Path) -> None:
        path = tmp_path / "a.proset"
        path.write_bytes(saved)
        with pytest.raises(StorageError, match="at most"):
            load(path, limits=StorageLimits(max_bytes=10))


ARRAY = "model/batch_1_weights.npy"


class TestHostileArrays:
    """Members with right hashes and wrong content."""

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"\x93NUMPY",
            b"\x93NUMPY\x02\x00" + bytes(20),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }"),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", bytes(4)),
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", bytes(8)),
            npy("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", bytes(16)),
            npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", bytes(4)),
            npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", bytes(4)),
            npy("__import__('os').system('touch unpickled.txt')"),
            npy("[" * 100),
            npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", b"\x07"),
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (True,), }", bytes(4)),
        ],
    )
    def test_are_refused(self, members: Members, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(StorageError):
            from_bytes(repack(members | {ARRAY: data}))
        assert list(tmp_path.iterdir()) == []

    def test_a_pickled_array_is_refused_and_not_executed(
        self, members: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in members:
            if name.endswith(".npy"):
                with pytest.raises(StorageError):
                    from_bytes(repack(members | {name: pickled_array()}))
        assert not Path(Bomb.trace).exists()

    @pytest.mark.parametrize(
        "change",
        [
            lambda weights: weights.astype(np.float64),
            lambda weights: weights[:-1],
            lambda weights: weights[None, :],
            lambda weights: -weights,
            lambda weights: weights * np.float32(np.nan),
            lambda weights: weights / np.float32(0),
        ],
        ids=["dtype", "short", "two-dimensional", "negative", "nan", "infinite"],
    )
    @pytest.mark.filterwarnings("ignore:divide by zero")
    def test_impossible_weights_are_refused(self, members: Members, change: Callable[[np.ndarray], np.ndarray]) -> None:
        weights = read_array(members[ARRAY], ARRAY)
        with pytest.raises(StorageError, match="batch_1_weights"):
            from_bytes(repack(members | {ARRAY: write_array(change(weights))}))

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("split/train.npy", [1, 2, 99_999]),
            ("split/train.npy", [1, 1]),
            ("split/held_out.npy", [1.0]),
            ("reference.npy", [2.0, 1.0]),
            ("reference.npy", [-1.0, 1.0]),
            ("reference.npy", [np.nan]),
            ("reference.npy", np.empty(0)),
            ("metrics/confusion.npy", [[1, 2], [3, 4]]),
            ("metrics/confusion.npy", -np.ones((3, 3), dtype=np.int64)),
            ("table/rows.npy", np.zeros(180, dtype=np.int64)),
            ("table/rows.npy", np.arange(1, 180)),
            ("table/1.npy", np.zeros(180, dtype=np.int64)),
            ("table/0.npy", np.full(180, 999, dtype=np.int32)),
            ("table/0.npy", np.full(180, -2, dtype=np.int32)),
            ("model/batch_1_sample_index.npy", "beyond"),
        ],
    )
    def test_parts_that_contradict_each_other_are_refused(self, members: Members, name: str, value: Any) -> None:
        if isinstance(value, str):
            value = read_array(members[name], name) + 10_000
        with pytest.raises(StorageError):
            from_bytes(repack(members | {name: write_array(np.asarray(value))}))


class TestHostileDescription:
    """A description with right hashes and wrong content; JSON types only, so nothing can be executed."""

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("table", "name"), 7),
            (("table", "name"), "x" * 1_000_001),
            (("table", "issues"), [{"code": "x", "message": "y"}] * 20_001),
            (("table", "issues"), [{"code": "x", "message": "y", "severity": []}]),
            (("table", "issues"), [{"code": "x"}]),
            (("table", "issues"), [{"code": "x", "message": "y", "severity": "fatal"}]),
            (("table", "dialect", "delimiter"), 5),
            (("table", "grid"), {"height": "a", "width": 1, "columns": []}),
            (("table", "surprise"), 1),
            (("columns",), {}),
            (("columns",), []),
            (("columns", 0, "dtype"), "object"),
            (("columns", 0, "dtype"), "category"),
            (("columns", 1, "name"), "patient"),
            (("columns", 1, "name"), ""),
            (("roles",), None),
            (("roles",), {"target": "outcome"}),
            (("split", "test_fraction"), 7.0),
            (("split", "seed"), "0"),
            (("split", "groups"), 7),
            (("split", "groups"), "no such column"),
            (("split", "time"), "no such column"),
            (("split",), {"groups": "ward", "time": "ward"}),
            (("table", "derived"), [{"name": "days"}]),
            (("table", "derived"), [{"name": "days", "first": "admitted", "second": "admitted"}]),
            (("table", "derived"), [{"name": "age", "first": "age", "second": "age", "first_form": "%%%"}]),
            (("settings", "n_iter"), 1.5),
            (("settings", "lambda_v"), "small"),
            (("settings", "lambda_v"), 10**400),
            (("settings", "random_state"), True),
            (("design",), []),
            (("design", "encoders"), []),
            (("model",), []),
            (("model", "classes"), ["b", "a"]),
            (("model", "n_features"), 3),
            (("model", "parameters"), {"n_iter": "__import__('os')"}),
            (("metrics", "log_loss"), "good"),
            (("metrics", "rule"), None),
            (("provenance", "versions"), {"numpy": 2}),
        ],
        ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else repr(value)[:30],
    )
    def test_is_refused(self, members: Members, path: tuple[str | int, ...], value: Any) -> None:
        def change(sections: Any) -> None:
            for key in path[:-1]:
                sections = sections[key]
            sections[path[-1]] = value

        with pytest.raises(StorageError):
            from_bytes(edited(members, change))

    @pytest.mark.parametrize(
        "section",
        ["table", "columns", "roles", "split", "settings", "design", "model", "metrics", "provenance"],
    )
    def test_a_missing_section_is_refused(self, members: Members, section: str) -> None:
        with pytest.raises(StorageError):
            from_bytes(edited(members, lambda sections: sections.pop(section)))

    @pytest.mark.parametrize(
        "data",
        [b"[" * 1_000_000, b'{"a":' * 500_000, b"1" * 100_000, b"\x80", b"", b"nan", b'{"table": 1e999}'],
        ids=["deep list", "deep object", "long number", "not UTF-8", "empty", "nan", "overflow"],
    )
    def test_json_beyond_reason_is_refused(self, members: Members, data: bytes) -> None:
        with pytest.raises(StorageError):
            from_bytes(repack(members | {"study.json": data}))

    @pytest.mark.parametrize("data", [b"{}", b"[1]", b'["a"]', b"[" * 1_000_000])
    def test_texts_of_a_column_that_are_none_are_refused(self, members: Members, data: bytes) -> None:
        with pytest.raises(StorageError):
            from_bytes(repack(members | {"table/0.json": data}))


class TestSearch:
    """The search that chose the settings is kept with the study."""

    def test_comes_back_whole(self, searched: Study) -> None:
        loaded = from_bytes(to_bytes(searched))
        assert loaded.search is not None
        assert searched.search is not None
        assert loaded.search.to_state() == searched.search.to_state()
        assert loaded.search.stage_1.equals(searched.search.stage_1)
        assert loaded.settings == searched.settings
        assert loaded.probabilities.equals(searched.probabilities)
        assert to_bytes(loaded) == to_bytes(searched)

    def test_a_person_s_choice_comes_back(self, searched: Study) -> None:
        from proset.study import fit_choice

        assert searched.search is not None
        loaded = from_bytes(to_bytes(fit_choice(searched, searched.search.with_batches(2))))
        assert loaded.search is not None
        assert (loaded.search.batches, loaded.settings.n_iter) == (2, 2)

    def test_studies_are_written_in_the_newest_format(self, saved: bytes, searched: Study) -> None:
        numbers = [json.loads(raw_members(data)[MANIFEST])["format_version"] for data in (saved, to_bytes(searched))]
        assert numbers == [5, 5]
        assert from_bytes(saved).search is None

    def test_format_1_has_no_search_and_format_2_has_one(self, saved: bytes, searched: Study) -> None:
        for data, number in ((to_bytes(searched), 1), (saved, 2)):
            with pytest.raises(StorageError, match="does not consist of table"):
                from_bytes(with_manifest(data, format_version=number))

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ((), None),
            ((), []),
            ((), {}),
            (("surprise",), 1),
            (("fingerprint",), 7),
            (("plan",), []),
            (("plan", "n_folds"), 4),
            (("plan", "n_folds"), 10**400),
            (("plan", "lambda_v"), [1.0, 0.1]),
            (("plan", "lambda_v"), 0.5),
            (("plan", "lambda_w"), 10**400),
            (("plan", "rule"), "luck"),
            (("stage_1",), None),
            (("stage_1", "log_loss"), []),
            (("stage_1", "log_loss", 0, 0), None),
            (("stage_1", "log_loss", 0, 0), -1.0),
            (("stage_1", "log_loss", 0, 0), "low"),
            (("stage_1", "log_loss", 0, 0), 10**400),
            (("stage_2",), None),
            (("stage_2", "n_features"), [[]]),
            (("choice",), [1.0, 1.0]),
            (("batches",), 0),
            (("batches",), 99),
        ],
        ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else repr(value)[:20],
    )
    def test_a_damaged_record_is_refused_and_named(
        self, searched: Study, path: tuple[str | int, ...], value: Any
    ) -> None:
        def change(sections: Any) -> None:
            for key in ("search", *path)[:-1]:
                sections = sections[key]
            sections[("search", *path)[-1]] = value

        with pytest.raises(StorageError, match=r"search|holds a number that is too large"):
            from_bytes(edited(dict(unpack(to_bytes(searched)).members), change, number=2))


class TestGolden:
    """A file that an earlier version wrote must load for ever, with the same estimates."""

    @pytest.mark.parametrize(
        "name", ["study-format-1", "study-format-2", "study-format-3", "study-format-4", "study-format-5"]
    )
    def test_estimates_are_those_of_the_version_that_wrote_it(self, name: str) -> None:
        study = load(GOLDEN / f"{name}.proset")
        expected = pd.read_csv(GOLDEN / f"{name}.csv", index_col="row")
        assert study.predictions["predicted"].tolist() == expected["predicted"].tolist()
        columns = [f"probability_{name}" for name in study.classes]
        # Another processor may round the last bits of exp differently; a changed format would differ by far more.
        np.testing.assert_allclose(study.probabilities.to_numpy(), expected[columns].to_numpy(), rtol=1e-9)
        np.testing.assert_allclose(study.predictions["familiarity"], expected["familiarity"], rtol=1e-9, atol=1e-12)
        assert study.provenance.proset_version == "0.1.0"
        newest = name == "study-format-5"
        assert bool(study.provenance.machine) is newest  # files of that time say nothing of it
        # What was called "numpy" until then is compiled code.
        assert study.settings.backend == study.model.backend == "compiled"

    def test_a_choice_of_matrix_products_is_kept(self, study: Study) -> None:
        from proset.study import FitSettings, fit_study

        settings = FitSettings(n_iter=1, backend="numpy")
        loaded = from_bytes(to_bytes(fit_study(study.table, study.roles, settings=settings)))
        assert loaded.settings.backend == loaded.model.backend == "numpy"

    def test_what_format_4_brought(self) -> None:
        study = load(GOLDEN / "study-format-4.proset")
        assert isinstance(study.search, JointRecord)
        assert study.search.complete
        assert study.settings.weight_factor == study.search.chosen_factor
        assert study.classes == ("small", "other")
        assert study.roles.classes is not None
        assert dict(study.roles.classes.names) == {"middle": "other", "large": "other"}
        assert study.split.settings.groups == "customer"
        assert [(word.text, word.column) for word in study.table.dialect.missing] == [("-999", "size")]
        assert [(made.first, made.second) for made in study.table.derived] == [("begin", "end")]
        groups = study.table.frame["customer"]
        assert not set(groups.loc[study.split.train]) & set(groups.loc[study.split.held_out])

    def test_what_format_3_brought(self) -> None:
        study = load(GOLDEN / "study-format-3.proset")
        assert study.search is not None
        assert study.search.stage_1["converged"].eq(1.0).all()

    def test_the_search_is_that_of_the_version_that_wrote_it(self) -> None:
        search = load(GOLDEN / "study-format-2.proset").search
        assert search is not None
        expected = pd.read_csv(GOLDEN / "study-format-2-search.csv")
        assert search.stage_1["converged"].isna().all()  # that version did not write it down
        pd.testing.assert_frame_equal(search.stage_1.drop(columns="converged"), expected, rtol=1e-9)
        assert (search.chosen(1), search.chosen(2)) == (2, 1)


@pytest.fixture(scope="module")
def repeated(study: Study) -> Study:
    return with_repeats(study)


class TestRepeated:
    """Repeated cross-validation, on which the verdict rests where few rows are held out."""

    def test_comes_back_whole_and_says_the_same(self, study: Study, repeated: Study) -> None:
        loaded = from_bytes(to_bytes(repeated))
        assert loaded.left_out is not None
        for name in ("rows", "probabilities", "quantile"):
            assert getattr(loaded.left_out, name).tobytes() == getattr(repeated.left_out, name).tobytes()
        assert judge_model(loaded) == judge_model(repeated)
        assert loaded.id == repeated.id == study.id  # it is the same model
        assert to_bytes(loaded) == to_bytes(repeated)

    def test_a_study_without_says_that_it_was_judged_on_its_held_out_rows_only(self, saved: bytes) -> None:
        loaded = from_bytes(saved)
        assert loaded.left_out is None
        assert f"rests on {len(loaded.split.held_out)} held-out rows only" in " ".join(
            verdict_sentences(judge_model(loaded))
        )
        assert not judge_model(loaded).firm

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("rows", lambda values: values[:-1]),
            ("rows", lambda values: values + 100_000),
            ("rows", lambda values: np.full_like(values, values[0])),
            ("rows", lambda values: values.astype(np.float64)),
            ("quantile", lambda values: values + 2.0),
            ("quantile", lambda values: values[0]),
            ("quantile", lambda values: np.full_like(values, np.nan)),
            ("probabilities", lambda values: values * 0.5),
            ("probabilities", lambda values: -values),
            ("probabilities", lambda values: values[:0]),
            ("probabilities", lambda values: values[:, :, :1] / values[:, :, :1]),
        ],
    )
    def test_what_contradicts_itself_is_refused(
        self, repeated: Study, name: str, change: Callable[[np.ndarray], np.ndarray]
    ) -> None:
        members = dict(unpack(to_bytes(repeated)).members)
        place = f"left_out/{name}.npy"
        damaged = write_array(np.ascontiguousarray(change(read_array(members[place], place))))
        with pytest.raises(StorageError, match="cross-validation"):
            from_bytes(repack(members | {place: damaged}, number=USUAL_FORMAT))

    @pytest.mark.parametrize("record", [{}, {"n_folds": 1}, {"n_folds": 5, "more": 1}, None, []])
    def test_another_record_is_refused(self, repeated: Study, record: Any) -> None:
        members = dict(unpack(to_bytes(repeated)).members)
        with pytest.raises(StorageError, match="cross-validation"):
            from_bytes(edited(members, lambda sections: sections.update(left_out=record), number=USUAL_FORMAT))
        del members["left_out/rows.npy"]
        with pytest.raises(StorageError):
            from_bytes(repack(members, number=USUAL_FORMAT))
