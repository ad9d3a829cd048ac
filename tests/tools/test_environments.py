"""Which environments `make environments` tries, with which versions, and what it says of those it cannot make."""

import importlib.util
import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

SHELL = shutil.which("sh")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("environments", ROOT / "tools/environments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_oldest_versions_are_the_lower_bounds(tool):
    found = dict(line.split("==") for line in tool.lower_bounds().splitlines())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in project["dependencies"]:
        requirement = Requirement(text)
        assert str(requirement.specifier) == f">={found[requirement.name]}", text
    assert set(tool.TOOLS) <= set(found)


def test_every_python_that_the_project_names_is_tried(tool):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert list(tool.PYTHONS) == named


def test_the_oldest_and_the_newest_have_what_compiles_and_the_others_no_extra(tool, tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {Requirement(text).name for text in project["dependencies"]}
    assert "numba" in required or set(tool.EXTRAS) <= set(project["optional-dependencies"])
    wheel = tmp_path / "proset.whl"
    with_extras = f"{wheel}[compiled,workspace]"
    for name, wanted in {"oldest": with_extras, "3.11": str(wheel), "3.12": str(wheel), "3.13": with_extras}.items():
        words = [word for command in tool.steps(name, "python3", wheel, tmp_path) for word in command]
        assert [word for word in words if "proset.whl" in word] == [wanted, str(wheel)]


def test_each_is_tried_with_what_differs_in_it(tool, tmp_path):
    extras = tool.TESTS_OF_EXTRAS
    wanted = {"oldest": (*tool.TESTS, *extras), "3.11": tool.UNCOMPILED, "3.12": tool.BETWEEN}
    wanted["3.13"] = (*tool.FACES, *extras)
    assert set(tool.FACES) < set(tool.UNCOMPILED)
    for name, tests in wanted.items():
        *_, command = tool.steps(name, "python3", tmp_path / "proset.whl", tmp_path)
        assert [word for word in command if word.startswith(("tests/", "proset/"))] == [*tests], name


def test_in_brief_only_the_oldest_have_extras_and_more_tests_than_those_of_imports(tool, tmp_path):
    wheel = tmp_path / "proset.whl"
    for name, tests, extras in (("oldest", tool.FACES, "[compiled,workspace]"), ("3.13", tool.BETWEEN, "")):
        commands = list(tool.steps(name, "python3", wheel, tmp_path, brief=True))
        assert [word for word in commands[-1] if word.startswith(("tests/", "proset/"))] == [*tests], name
        assert f"{wheel}{extras}" in commands[1]


def test_what_is_tried_is_there_in_the_versions_that_are_wanted(tool, tmp_path):
    named = (*tool.TESTS, *tool.UNCOMPILED, *tool.TESTS_OF_EXTRAS, *tool.LEFT_OUT)
    assert [path for path in named if not (ROOT / path).exists()] == []
    list(tool.steps("oldest", "python3.11", tmp_path / "proset.whl", tmp_path))
    assert (tmp_path / "constraints.txt").read_text() == tool.lower_bounds()
    list(tool.steps("3.12", "python3.12", tmp_path / "proset.whl", tmp_path))
    assert (tmp_path / "constraints.txt").read_text() == (ROOT / "constraints.txt").read_text()


def python(folder, name, code):
    """Put a Python that ends with a code into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!{SHELL}\nexit {code}\n")
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_a_python_is_found_on_the_path_or_with_pyenv(tool, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert tool.find("3.12") is None
    python(tmp_path / "bin", "python3.12", 127)  # the name is there and leads nowhere
    assert tool.find("3.12") is None
    other = python(tmp_path / "pyenv/versions/3.12.1/bin", "python3.12", 0)
    assert tool.find("3.12") == other
    own = python(tmp_path / "bin", "python3.12", 0)
    assert tool.find("3.12") == own


def test_what_fails_is_named_and_the_rest_goes_on(tool, tmp_path, monkeypatch, capsys):
    tried = []

    def passes(command):
        tried.append(command[0])
        return command[0] != "b"

    monkeypatch.setattr(tool, "build", lambda folder: folder / "wheel")
    monkeypatch.setattr(tool, "find", lambda version: None if version == "3.13" else version)
    monkeypatch.setattr(tool, "steps", lambda name, *_, brief: [["a"], ["b"], ["c"]] if name == "3.11" else [["a"]])
    monkeypatch.setattr(tool, "passes", passes)
    assert tool.main([]) == 1
    assert tried == ["a", "a", "b", "a"]
    lines = [re.sub(r"\d+ s", "0 s", line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "oldest: passed after 0 s",
        "3.11: FAILED after 0 s",
        "3.12: passed after 0 s",
        "3.13: skipped, there is no Python 3.13",
    ]
    assert tool.main(["3.12"]) == 0
    monkeypatch.setattr(tool, "steps", lambda name, *_, brief: [[name, str(brief)]])
    monkeypatch.setattr(tool, "passes", lambda command: tried.append(command) is None)
    assert tool.main(["--brief", "3.12"]) == 0
    assert tried[-1] == ["3.12", "True"]


def test_nothing_of_other_environments_is_in_the_way(tool, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    seen = python(tmp_path / "env/bin", "python", 0)
    Path(seen).write_text(
        f'#!{shutil.which("sh")}\n[ -z "$PYTHONPATH" ] && [ "$NUMBA_CACHE_DIR" = {tmp_path}/env/compiled ]\n'
    )
    assert tool.passes([seen])
    assert not tool.passes(["false"])
    assert os.environ["PYTHONPATH"] == "elsewhere"
