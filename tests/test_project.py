"""The project itself: pinned versions, make targets, server settings."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from contrast import contrast
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from proset.plots import style

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
PINNED_EXTRAS = {
    "app",
    "compiled",
    "dashboard",
    "shap",
    "distributed",
    "tensorflow-cpu",
    "test",
    "dev",
    "reference",
    "benchmarks",
    "team",
    "workspace",
}


def pins():
    """Pinned version by package name; every line is one exact pin."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line and not line.startswith("#")]
    for entry in entries:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", entry), entry
    found = {canonicalize_name(name): version for name, version in (entry.split("==") for entry in entries)}
    assert len(found) == len(entries), "a package is pinned twice"
    return found


def needed(requirements, extras):
    """Names of everything that the requirements bring in, by what the installed packages say of themselves."""
    found, waiting = {}, [(Requirement(text), extras) for text in requirements]
    while waiting:
        requirement, wanted = waiting.pop()
        active = {"", *wanted}
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in active):
            continue
        name = canonicalize_name(requirement.name)
        if requirement.extras <= found.get(name, frozenset({None})):
            continue
        found[name] = found.get(name, frozenset()) | requirement.extras
        waiting += [(Requirement(text), requirement.extras) for text in metadata.requires(name) or []]
    return set(found)


def own_requirements():
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    texts = project["dependencies"] + [text for extra in PINNED_EXTRAS for text in extras[extra]]
    return [text for text in texts if not text.startswith("proset-dashboard")]


def test_everything_that_is_installed_is_pinned():
    pinned = pins()
    missing = needed(own_requirements(), PINNED_EXTRAS) - set(pinned)
    assert not missing


def test_pins_satisfy_the_project_file():
    pinned = pins()
    for text in own_requirements():
        requirement = Requirement(text)
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, text


def test_extras_are_complete():
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert set(extras) == PINNED_EXTRAS | {"tensorflow", "all"}
    (everything,) = extras["all"]
    # The form for processors is among them; the two may not be installed side by side.
    assert Requirement(everything).extras == set(extras) - {"all", "tensorflow"}


def rule(target):
    """What a target of the Makefile stands on."""
    (found,) = re.findall(rf"^{target}: \$\(VENV\)/\.(\w+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return found


def test_the_packages_the_project_stands_on_are_there_after_make_app():
    extra = rule("app")
    extras, waiting, reached = PYPROJECT["project"]["optional-dependencies"], [extra], set()
    for name in waiting:  # grows
        for requirement in map(Requirement, extras[name]):
            reached.add(requirement.name)
            waiting += requirement.extras if requirement.name == PYPROJECT["project"]["name"] else ()
    reached |= {Requirement(text).name for text in PYPROJECT["project"]["dependencies"]}
    assert reached >= {"streamlit", "plotly", "numpy", "scipy", "scikit-learn", "shap", "pandas"}
    # tools/install.py adds TensorFlow in a step of its own.
    on_linux = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.11"}
    on_a_mac = {"sys_platform": "darwin", "platform_machine": "arm64", "python_version": "3.13"}
    to_come = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.14"}
    forms = [Requirement(text) for text in PYPROJECT["project"]["optional-dependencies"]["tensorflow-cpu"]]
    chosen = [[form.name for form in forms if form.marker.evaluate(place)] for place in (on_linux, on_a_mac, to_come)]
    assert chosen == [["tensorflow-cpu"], ["tensorflow"], []]


def test_engine_needs_no_dashboard_library():
    names = {Requirement(text).name for text in PYPROJECT["project"]["dependencies"]}
    assert not names & {"streamlit", "plotly", "tensorflow", "shap"}


def make(*arguments, **variables):
    """Run make in the project folder without what an outer make hands down."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, env=clean | variables
    )


def test_plain_make_lists_the_targets():
    listed = make().stdout
    for target in ("help", "app", "test", "environments", "check", "bench", "tables", "clean"):
        assert f"make {target} " in listed


@pytest.mark.parametrize("failing", ["nothing", ".venv/.dev", "check", "test", "environments"])
def test_continuous_integration_runs_all_and_fails_with_each(tmp_path, failing):
    script = tmp_path / ".ci/run"
    script.parent.mkdir()
    shutil.copy(ROOT / ".ci/run", script)
    fake = tmp_path / "make"
    fake.write_text(f'#!/bin/sh\necho "made $1"\n[ "$1" != {failing} ]\n')
    fake.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([script], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (failing == "nothing")
    left_out = {".venv/.dev": {"check", "test", "environments"}, "check": {"test"}}.get(failing, set())
    made = [name for name in (".venv/.dev", "check", "test", "environments") if name not in left_out]
    assert done.stdout.splitlines() == [f"made {name}" for name in made]


def flat(table, prefix=""):
    """Settings by their dotted names."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def test_streamlit_takes_every_setting():
    wanted = dict(flat(CONFIG))
    code = (
        "import json, sys; from streamlit import config; names = json.load(sys.stdin);"
        "print(json.dumps({name: config.get_option(name) for name in names}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        input=json.dumps(list(wanted)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == wanted
    assert "not a valid config option" not in done.stderr


def test_settings_are_safe():
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["server"]["enableCORS"]
    assert CONFIG["server"]["enableXsrfProtection"]
    assert not CONFIG["server"]["enableStaticServing"]
    assert not CONFIG["browser"]["gatherUsageStats"]
    assert CONFIG["client"]["showErrorDetails"] == "none"


def test_charts_have_the_colours_of_the_classes():
    assert tuple(CONFIG["theme"]["chartCategoricalColors"]) == style.CLASS_COLOURS
    assert CONFIG["theme"]["dark"]["chartCategoricalColors"] == [style.on_dark(c) for c in style.CLASS_COLOURS]
    assert CONFIG["theme"]["dark"]["backgroundColor"].upper() == style.on_dark(style.GROUND).upper()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_themes_are_readable(theme):
    colours = CONFIG["theme"][theme]
    for background in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["textColor"], background) > 7.0
        assert contrast(colours["linkColor"], background) > 4.5
        assert contrast(colours["primaryColor"], background) > 3.0
    # The words on a filled button are white.
    assert contrast("#ffffff", colours["primaryColor"]) > 4.5
