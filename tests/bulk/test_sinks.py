"""Where scores go: complete or not at all, and never over what is read."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest

from proset.bulk.sinks import ENDINGS, open_sink
from proset.common.errors import ProsetError

FRAMES = [
    pd.DataFrame({"row": [1, 2], "id": ["=1+1", "b"], "share": [0.25, 0.5], "note": ["", "two\rlines"]}),
    pd.DataFrame({"row": [3], "id": ["c"], "share": [1.0], "note": [None]}),
]


def read(path: Path) -> pd.DataFrame:
    """What a sink has written."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    data = path.read_bytes()
    path.with_suffix(".plain").write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
    return pd.read_csv(path.with_suffix(".plain"))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("neutral", [True, False])
def test_frames_become_one_table(tmp_path: Path, ending: str, neutral: bool) -> None:
    path = tmp_path / f"s{ending}"
    with open_sink(str(path), neutral=neutral) as sink:
        for frame in FRAMES:
            sink.write(frame)
        assert not path.exists()
    back = read(path)
    formula = "'=1+1" if neutral and ending != ".parquet" else "=1+1"
    assert back["id"].tolist() == [formula, "b", "c"]
    assert back["note"].iloc[1] == "two\rlines"
    assert back["share"].tolist() == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_fails_leaves_what_was_there(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"s{ending}"
    path.write_text("precious")

    def write_and_fail() -> None:
        with open_sink(str(path), neutral=True) as sink:
            sink.write(FRAMES[0])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("way", ["data.csv", "link.csv", "hard.csv", "sub/../data.csv", "nowhere/../data.csv"])
def test_what_is_read_is_not_written(tmp_path: Path, way: str) -> None:
    data = tmp_path / "data.csv"
    data.write_text("precious")
    os.symlink("data.csv", tmp_path / "link.csv")
    os.link(data, tmp_path / "hard.csv")
    (tmp_path / "sub").mkdir()
    with pytest.raises(ProsetError, match="being read"), open_sink(str(tmp_path / way), neutral=True, inputs=[data]):
        pass
    assert data.read_text() == "precious"
    with open_sink(str(tmp_path / "other.csv"), neutral=True, inputs=[data]) as sink:
        sink.write(FRAMES[0])


@pytest.mark.parametrize("name", ["s", "s.txt", "s.xlsx", "s.csv.zip", ".csvx"])
def test_an_ending_that_is_not_known_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProsetError, match="no known ending"), open_sink(str(tmp_path / name), neutral=True):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="devices of POSIX")
def test_a_device_takes_csv() -> None:
    with open_sink("/dev/null", neutral=True) as sink:
        sink.write(FRAMES[0])
