"""Compiling ahead, what is said of compiling, and the package of the same name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from proset.cli import compile as compiling
from proset.cli import main

numba = pytest.importorskip("numba")

# Distances of pictures that nothing uses unless it is asked for.
ON_DEMAND = {"proset.companions.pvm.tangent_compiled"}
ROOT = Path(__file__).resolve().parents[2]


def compiled_modules():
    """Return the modules of the engine that have compiled functions."""
    texts = {file: file.read_text(encoding="utf-8") for file in (ROOT / "proset").rglob("*.py")}
    # A module that only hands njit on compiles nothing.
    sources = [file for file, text in texts.items() if "import njit" in text and "njit as njit" not in text]
    return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in sources]


@pytest.mark.exhaustive  # compiles the package once more
def test_compiling_ahead_keeps_something_of_every_module_with_compiled_parts(tmp_path):
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "proset", "compile"], env=os.environ | place, capture_output=True)
    assert (done.returncode, done.stderr.count(b"compiling for this processor")) == (0, 1)
    kept = {(file.parent.name.rpartition("_")[0], file.name.partition(".")[0]) for file in tmp_path.rglob("*.nbi")}
    modules = compiled_modules()
    assert len(modules) > 3
    assert {name for name in modules if tuple(name.split(".")[-2:]) not in kept} <= ON_DEMAND
    assert compiling.is_compiled()


def test_a_part_that_cannot_be_compiled_is_no_success(monkeypatch):
    monkeypatch.setattr(compiling, "PARTS", (os.getpid, os.fspath))
    with pytest.raises(TypeError, match="fspath"):
        compiling.compile_all()


def test_compiling_is_said_once(capsys):
    with compiling.compiling_is_said():
        for argument in (1, 1.0):
            numba.njit(lambda x: x + 1)(argument)
    assert capsys.readouterr().err.count("compiling for this processor") == 1


def test_the_dashboard_starts_after_compiling_where_nothing_is_kept(tmp_path, monkeypatch):
    from proset.cli import app

    calls = []
    monkeypatch.setattr(app, "compile_all", lambda: calls.append("compiled"))
    monkeypatch.setattr(app.subprocess, "run", lambda *_, **__: calls.append("started") or Ended)
    for compiled in (False, True):
        monkeypatch.setattr(app, "is_compiled", lambda compiled=compiled: compiled)
        assert main(["app", "--no-browser"]) == 0
    assert calls == ["compiled", "started", "started"]


class Ended:
    """A server that was stopped."""

    returncode = 0


def test_without_numba_there_is_nothing_to_compile(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    assert main(["compile"]) == 0
    assert "there is nothing to compile" in capsys.readouterr().err
    assert compiling.is_compiled()


def test_a_package_of_the_same_name_is_refused_in_words(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "proset-0.8.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: proset\nVersion: 0.8.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["compile"]) == 1
    said = capsys.readouterr().err
    assert "'proset' 0.8.0" in said
    assert "pip uninstall proset proset-dashboard" in said
