"""Standard input as a table, and standard streams that are closed, full, or read by nobody."""

from __future__ import annotations

import gzip
import io
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from patience import HANG

import proset
from proset.cli import main
from proset.cli.paths import STDIN, table_file
from proset.common.errors import TableError
from proset.study import Study

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")


@pytest.fixture(scope="module")
def folder(study: Study, patients_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    proset.save(study, folder / "m.proset")
    (folder / "data.csv").write_text(patients_text, encoding="utf-8")
    assert main(["score", str(folder / "m.proset"), str(folder / "data.csv"), "-o", str(folder / "s.csv"), "-q"]) == 0
    return folder


def send(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Put bytes on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def kinds(text: str) -> dict[str, bytes]:
    """A table as files of every kind."""
    frame = pd.read_csv(io.StringIO(text), parse_dates=["admitted"])
    parquet, excel = io.BytesIO(), io.BytesIO()
    frame.to_parquet(parquet, index=False)
    frame.to_excel(excel, index=False)
    return {
        "csv": text.encode(),
        "gzip": gzip.compress(text.encode()),
        "parquet": parquet.getvalue(),
        "excel": excel.getvalue(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet", "excel"])
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_scored_like_a_file(
    folder: Path, patients_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    if name != "-" and Path(name).is_file():
        pytest.skip("standard input of the tests is a file, which is read in its place")
    send(monkeypatch, kinds(patients_text)[kind])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["score", str(folder / "m.proset"), name, "-o", str(tmp_path / "s.csv"), "-q"]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "s.csv"), pd.read_csv(folder / "s.csv"))
    assert os.listdir(tmp_path) == ["s.csv"]  # what was kept on the way is gone


def test_standard_input_can_be_fitted_and_explained(
    folder: Path,
    patients_text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    send(monkeypatch, patients_text.encode())
    assert main(["fit", "-", "-t", "outcome", "-o", str(tmp_path / "m.proset"), "-q"]) == 0
    assert proset.load(tmp_path / "m.proset").table.name == "standard input"
    send(monkeypatch, patients_text.encode())
    assert main(["explain", str(folder / "m.proset"), "-", "--row", "row 3"]) == 0
    assert "P003" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "Standard input is empty"),
        (b"Dear all,\nplease find the numbers attached.\n", "standard input"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "'standard input' is a PNG picture"),
        (b"age,weight,ward,smoker,admitted\n", "header but no rows"),
        (b"age\n3\n", "lacks"),
    ],
)
def test_what_is_wrong_with_standard_input_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: bytes, says: str
) -> None:
    send(monkeypatch, data)
    assert main(["score", str(folder / "m.proset"), "-"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1
    assert tempfile.gettempdir() not in err


def test_standard_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:
            buffer[:] = b"\n" * len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(TableError, match="more than 5 MB"), table_file(Path(STDIN), most=5_000_000):
        pass
    assert os.listdir(tmp_path) == []


def test_standard_input_that_is_closed_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["score", str(folder / "m.proset"), "-"]) == 1
    assert "Standard input is closed" in capsys.readouterr().err


# What needs a process of its own

_RUN = pytest.mark.exhaustive


def shell(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a line in bash, where ``proset`` is this checkout."""
    start = f'proset() {{ {shlex.quote(sys.executable)} -m proset "$@"; }}; '
    root = str(Path(proset.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.run(
        ["bash", "-c", start + text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("proset score m.proset data.csv >&-", 1, "Standard output is closed"),
        pytest.param("proset compare data.csv -t outcome >&-", 1, "Name an --output", marks=_RUN),
        pytest.param("proset compare data.csv -t outcome >> data.csv", 1, "data.csv", marks=_RUN),
        pytest.param("proset explain m.proset --row 1 >&-", 1, "Standard output is closed", marks=_RUN),
        pytest.param("proset explain m.proset --row 1 -o r.csv >&-; rm r.csv", 0, "report written", marks=_RUN),
        pytest.param("proset score m.proset data.csv -q -o t.csv <&- >&- 2>&-; rm t.csv", 0, "", marks=_RUN),
        ("proset score m.proset data.csv > /dev/full", 1, "No space left on device"),
        pytest.param("proset explain m.proset --row 1 > /dev/full", 1, "No space left on device", marks=_RUN),
        pytest.param("proset score m.proset - <&-", 1, "Standard input is closed", marks=_RUN),
        pytest.param("proset score m.proset - < /dev/null", 1, "Standard input is empty", marks=_RUN),
        pytest.param("proset score m.proset - < data.csv -o data.csv", 1, "being read", marks=_RUN),
        pytest.param("cp data.csv d.csv; proset score m.proset d.csv >> d.csv; rm d.csv", 0, "", marks=_RUN),
        pytest.param("proset explain nowhere --row 1 2>&-", 1, "", marks=_RUN),
    ],
)
def test_a_stream_that_is_closed_or_full_is_no_traceback(folder: Path, text: str, code: int, says: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = shell(folder, text)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    if ";" not in text:
        assert done.returncode == code
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "cat data.csv | proset score m.proset -",
        pytest.param("cat data.csv | proset score m.proset /dev/stdin", marks=_RUN),
        pytest.param("proset score m.proset /dev/stdin < data.csv", marks=_RUN),
        pytest.param("proset score m.proset - < data.csv", marks=_RUN),
        pytest.param("proset score m.proset <(cat data.csv)", marks=_RUN),
        pytest.param("proset score m.proset data.csv -o >(cat) | cat", marks=_RUN),
        pytest.param("proset score m.proset data.csv -o /dev/stdout", marks=_RUN),
        pytest.param("proset score m.proset data.csv 2>&-", marks=_RUN),
    ],
)
def test_scores_go_through_pipes(folder: Path, text: str) -> None:
    done = shell(folder, text)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (folder / "s.csv").read_text()
