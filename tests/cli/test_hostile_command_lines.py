"""The table of hostile command lines: an exit code, one line that says what is wrong, and nothing written."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hostile.command_lines import LINES, Line, stage

import proset
from proset.cli import main
from proset.study import Study

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes, devices and links of POSIX")


@pytest.fixture(scope="module")
def staged(study: Study, patients_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tmp_path_factory.mktemp("model") / "m.proset"
    proset.save(study, model)
    folder = tmp_path_factory.mktemp("staged")
    stage(folder, patients_text, model)
    return folder


def content(folder: Path) -> dict[str, str]:
    """Everything in a folder: what it is and what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        text = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else oct(mode)
        found[str(path.relative_to(folder))] = text
    return found


@pytest.mark.parametrize(
    "case", LINES, ids=lambda case: " ".join(case.arguments).encode("ascii", "replace").decode()[:70]
)
def test_a_hostile_command_line_is_refused_in_one_line(
    case: Line, staged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(staged)
    before = content(staged)
    arguments = [argument.replace("{long}", "x" * 300) for argument in case.arguments]
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    said = [text for text in err.splitlines() if text.startswith("proset")]
    assert code == case.code, err
    assert case.says in err
    assert out == ""
    assert len(said) == 1
    assert said[0].isprintable()
    assert len(said[0]) < 1_200
    assert ".." not in said[0].replace("...", "").replace("/..", "").replace("../", "")
    assert content(staged) == before
