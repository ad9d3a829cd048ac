"""Compiling ahead, what is said of compiling, and the package of the same name."""

from importlib import import_module
from pathlib import Path

import pytest

from proset.cli import compile as compiling
from proset.cli import main

numba = pytest.importorskip("numba")

# Distances of pictures that nothing uses unless it is asked for.
ON_DEMAND = {"proset.companions.pvm.tangent_compiled"}
ROOT = Path(__file__).resolve().parents[2]


def compiled_parts():
    """Return every compiled function of the engine by its module."""
    texts = {file: file.read_text(encoding="utf-8") for file in (ROOT / "proset").rglob("*.py")}
    # A module that only hands njit on compiles nothing.
    sources = [file for file, text in texts.items() if "import njit" in text and "njit as njit" not in text]
    modules = [import_module(".".join(file.relative_to(ROOT).with_suffix("").parts)) for file in sources]
    return {
        module.__name__: [part for part in vars(module).values() if isinstance(part, numba.core.dispatcher.Dispatcher)]
        for module in modules
    }


@pytest.mark.exhaustive  # compiles the package once more
def test_compiling_ahead_reaches_every_module_with_compiled_parts():
    assert main(["compile"]) == 0
    parts = compiled_parts()
    assert len(parts) > 3
    assert {name for name, found in parts.items() if not any(part.signatures for part in found)} <= ON_DEMAND
    assert compiling.is_compiled()


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
