"""Folders of jobs: gone with the server that made them, and with one that was killed."""

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dashboard
from dashboard.work.folders import JobFolders
from dashboard.work.queue import JobQueue


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Job folders below a temporary folder of their own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return JobFolders()


def test_folders_of_a_server_that_lives_are_left_alone(folders):
    folder = folders.make()
    assert JobFolders.sweep() == []
    assert folder.exists()


def test_folders_of_a_server_that_was_killed_are_removed_by_the_next(folders, tmp_path):
    mine = folders.make()
    code = (
        "import os, signal, tempfile; tempfile.tempdir = os.environ['WHERE']; "
        "from dashboard.work.folders import JobFolders; kept = JobFolders(); (kept.make() / 'table.arrow').touch(); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = os.environ | {"WHERE": str(tmp_path), "PYTHONPATH": str(Path(dashboard.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 2
    JobQueue(limit=1).sweep()
    assert list(tmp_path.iterdir()) == [mine.parent]


def test_what_a_killed_server_was_reading_is_removed_by_a_later_one(folders, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old, new = tmp_path / "proset-read-old", tmp_path / "proset-read-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "source").write_bytes(b"a,b")
    os.utime(old, (0, 0))
    assert folders.sweep() == [old]
    assert (old.exists(), new.exists()) == (False, True)


def test_folders_that_are_not_ours_are_left_alone(folders, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lock").touch()
    (tmp_path / "proset-jobs-link").symlink_to(outside)
    (tmp_path / "proset-jobs-without-lock").mkdir()
    assert JobFolders.sweep() == []
    assert (outside / "lock").exists()


def test_the_folder_of_a_server_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folders = JobFolders()
    folders.make()
    del folders
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_the_system_removed_is_made_again(folders):
    first = folders.make()
    shutil.rmtree(first.parent)
    assert folders.make().exists()
