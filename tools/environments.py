"""Try the engine in environments that `make test` does not see: ``python tools/environments.py [--brief] [NAME ...]``.

Each is made beside the clone's own as ``.venv-NAME`` with the wheel of the clone: the oldest versions that
``pyproject.toml`` allows, and the pinned ones under every Python from 3.11 on that is installed. The oldest versions
and the newest Python have what compiles and what keeps studies, the others no extra at all. In each the wheel is used
far from the clone, then tests run: ``TESTS`` with the oldest versions, ``UNCOMPILED`` under the first Python, ``FACES``
under the newest, and between them, where nothing is that one of the two has not, ``BETWEEN``. In brief, ``FACES`` with
the oldest versions, which alone have extras then, and ``BETWEEN`` elsewhere. What is not installed is skipped, with a
word.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
OLDEST, BARE, BRIEF = "oldest", PYTHONS[0], "--brief"
EXTRAS = ("compiled", "workspace")  # numba, and what keeps studies
# What tests of the engine need beside the engine; of the extra `test`, so that their lower bounds are tried as well.
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "psutil", "packaging")
DOCTESTS = ("proset/engine", "proset/study")
BETWEEN = ("tests/test_import.py",)
FACES = ("tests/engine/test_model.py", "tests/engine/test_regressor.py", *BETWEEN, *DOCTESTS)
TESTS = ("tests/engine", "tests/study", "tests/test_import.py", "tests/data/test_design.py", *DOCTESTS)
# What matrix products take the place of compiled code in, and what chooses between them.
UNCOMPILED = (
    *FACES,
    "tests/engine/test_without_numba.py",
    "tests/engine/test_set_manager.py",
    "tests/engine/test_class_impacts.py",
    "tests/engine/mixtures",
    "tests/engine/evidence",
    "tests/study/test_study.py",
)
TESTS_OF_EXTRAS = ("tests/workspace", "proset/workspace")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "logical", "--maxprocesses=4", "--dist=worksteal")
LEFT_OUT = ("tests/engine/test_tensorflow.py", "proset/engine/objective/tensorflow_backend.py")
FAR = """
import io, os, sys, tempfile
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
import proset
from proset.cli import main
assert not proset.__file__.startswith(os.path.join(sys.argv[1], "proset")), proset.__file__
assert not any(map(find_spec, ("streamlit", "plotly", "tensorflow", "shap", "xgboost"))), "an extra is installed"
table = str(Path(proset.__file__).parent / "sample_data" / "penguins.csv")
os.chdir(tempfile.mkdtemp(dir=sys.argv[2]))
with redirect_stdout(io.StringIO()):
    assert main(["fit", table, "--target", "species", "-o", "penguins.proset", "--quiet"]) == 0
    assert main(["score", "penguins.proset", table, "-o", "scored.csv"]) == 0
    assert main(["explain", "penguins.proset", "--row", "3"]) == 0
assert len(Path("scored.csv").read_text().splitlines()) == 345
assert len(proset.explain.novelty(proset.load("penguins.proset"), [1, 2]).to_frame()) == 2
"""


def main(words: list[str]) -> int:
    """Make and try the environments; return 1 if something fails in one of them."""
    failed: list[str] = []
    names, brief = [word for word in words if word != BRIEF], BRIEF in words
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        for name in names or (OLDEST, *PYTHONS):
            version = PYTHONS[0] if name == OLDEST else name
            python = find(version)
            if python is None:
                say(f"{name}: skipped, there is no Python {version}")
                continue
            begun = time.monotonic()
            done = all(passes(command) for command in steps(name, python, wheel, Path(folder), brief=brief))
            say(f"{name}: {'passed' if done else 'FAILED'} after {time.monotonic() - begun:.0f} s")
            failed += [] if done else [name]
    return int(bool(failed))


def build(folder: Path) -> Path:
    """Build the wheel by way of a source distribution, into which no leftover of earlier builds gets."""
    sdist = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(folder), "sdist", "-d", str(folder)]
    subprocess.run(sdist, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*pip, str(next(folder.glob("*.tar.gz")))], check=True)
    return next(folder.glob("*.whl"))


def find(version: str) -> str | None:
    """Return a Python of this version: one on the PATH, or of pyenv, whose names on the PATH need not work."""
    named = [path] if (path := shutil.which(f"python{version}")) else []
    others = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in (*named, *map(str, sorted(others.glob(f"{version}.*/bin/python{version}")))):
        if subprocess.run([path, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def steps(name: str, python: str, wheel: Path, folder: Path, *, brief: bool = False) -> Iterator[list[str]]:
    """Yield the commands that make one environment and try it."""
    place = ROOT / f".venv-{name}"
    python_there = str(place / "bin/python")
    versions = folder / "constraints.txt"
    versions.write_text(lower_bounds() if name == OLDEST else (ROOT / "constraints.txt").read_text(encoding="utf-8"))
    full = {OLDEST: (*TESTS, *TESTS_OF_EXTRAS), BARE: UNCOMPILED, PYTHONS[-1]: (*FACES, *TESTS_OF_EXTRAS)}
    tests = ({OLDEST: FACES} if brief else full).get(name, BETWEEN)
    extras = f"[{','.join(EXTRAS)}]" if name == OLDEST or (name == PYTHONS[-1] and not brief) else ""
    install = [sys.executable, "tools/installer.py", python_there]
    yield ["sh", "tools/venv.sh", str(place), python]
    yield [*install, "--constraint", str(versions), f"{wheel}{extras}", *TOOLS]
    yield [*install, "--no-deps", "--force-reinstall", str(wheel)]  # the clone may have changed since it was made
    yield [str(place / "bin/proset"), "--help"]
    yield [python_there, "-P", "-c", FAR, str(ROOT), str(folder)]
    yield [python_there, *PYTEST, *(f"--ignore={path}" for path in LEFT_OUT), *tests]


def lower_bounds() -> str:
    """Return the oldest versions that the project allows, of what it needs and of the tools, as constraints.

    A bound that stands in a comment is none; what has no bound stays free.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [text for name in (*EXTRAS, "test") for text in extras[name]]
    return "\n".join(text.replace(">=", "==") for text in wanted if ">=" in text and ";" not in text)


def passes(command: list[str]) -> bool:
    """Run one command in the clone, with nothing of other environments in its way."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    # Compiled code is kept by version of numba and place of the source, so each environment needs a place of its own.
    kept = {"NUMBA_CACHE_DIR": str(Path(command[0]).parents[1] / "compiled")} if os.path.isabs(command[0]) else {}
    quiet = subprocess.DEVNULL if command[-1] == "--help" else None
    return subprocess.run(command, cwd=ROOT, env=clean | kept, stdout=quiet, check=False).returncode == 0


def say(text: str) -> None:
    """Print one line at once."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
