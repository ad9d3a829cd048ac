"""A file is replaced completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proset.common.files import replacing


def test_the_old_file_stays_when_writing_fails(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    stopped = replacing(target)
    stopped.__enter__().write_text("half of the n")
    assert stopped.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None) is False
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_the_new_file_appears_with_the_mode_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    target.chmod(0o600)
    with replacing(target) as draft:
        assert target.read_text() == "old"
        draft.write_text("new")
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_link_keeps_pointing_to_the_file_that_was_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "real.csv")
    with replacing(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    with replacing("/dev/null") as draft:
        assert draft == Path("/dev/null")


@pytest.mark.parametrize("name", [".", "no such folder/out.csv"])
def test_a_folder_or_a_missing_folder_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"folder|No such file"), replacing(tmp_path / name):
        pass
