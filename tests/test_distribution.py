"""What is published: a source distribution, the wheel built from it, and that wheel at work far from a clone."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path

import pytest

from proset.data.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "https://host.example/owner/name"
BUILD = "import sys; from setuptools import build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"
AT_WORK = """
import json, numpy as np, proset, dashboard
from proset.data.samples import SAMPLES, load_sample, sample_roles
study = proset.fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
model = proset.ClassifierModel(lambda_v=1e-2, random_state=0).fit(np.eye(6), [0, 1, 0, 1, 0, 1])
print(json.dumps([
    proset.__file__, dashboard.__file__, len(model.predict_proba(np.eye(6))),
    len(proset.explain.novelty(study, [3]).to_frame()), [len(load_sample(name).frame) for name in SAMPLES],
]))
"""


def tracked():
    """Return the files of the project: those of the clone, or what the source distribution says that it holds."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    else:
        (listed,) = ROOT.glob("*.egg-info/SOURCES.txt")
        names = listed.read_text(encoding="utf-8").splitlines()
    return {name for name in names if (ROOT / name).is_file()}


def without(*names):
    """Return the variables of this process but for some."""
    return {name: value for name, value in os.environ.items() if name not in names}


def build(what, source, goal, **variables):
    """Build a distribution of the sources in a folder, as pip does, and return its path."""
    goal.mkdir(exist_ok=True)
    command = [sys.executable, "-c", BUILD, f"build_{what}", str(goal)]
    done = subprocess.run(
        command,
        cwd=source,
        env=without("PROSET_REPOSITORY", "PYTHONPATH") | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return goal / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project's files and of nothing else."""
    folder = tmp_path_factory.mktemp("clone")
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def unpacked(clone, tmp_path_factory):
    """The source distribution, made where the address of the repository is known and unpacked in an empty folder."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", clone, folder / "dist", PROSET_REPOSITORY=ADDRESS)) as archive:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4 has it; Debian's 3.11 is older
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)
    (found,) = folder.glob("proset_dashboard-*")
    return found


@pytest.fixture(scope="module")
def wheel(unpacked):
    """The wheel that is built from the unpacked sources, without a word of the address."""
    return build("wheel", unpacked, unpacked.parent / "wheels")


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment outside the repository that holds the wheel, and finds the libraries that the tests run with."""
    folder = tmp_path_factory.mktemp("far away") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(pip, check=True, capture_output=True, cwd=folder, env=without("PYTHONPATH"))
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(installed, program, *arguments):
    """Run a program of the environment in an empty folder."""
    done = subprocess.run(
        [installed / "bin" / program, *arguments],
        cwd=installed.parent,
        env=without("PYTHONPATH", "NUMBA_CACHE_DIR") | {"PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_source_distribution_is_complete(unpacked):
    assert {name for name in tracked() if not (unpacked / name).is_file()} == set()


def test_wheel_carries_sample_data_settings_and_stubs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert names >= {"dashboard/.streamlit/config.toml", "proset/py.typed", "proset/explain/__init__.pyi"}
    assert names >= {f"proset/sample_data/{sample.file}" for sample in SAMPLES.values()}
    drawn = {
        f"dashboard/client/{file.name}"
        for file in (ROOT / "dashboard/client").iterdir()
        if file.suffix in {".js", ".css"}
    }
    assert names >= drawn >= {"dashboard/client/queue.js", "dashboard/client/queue.css"}
    folders = {name.split("/")[0] for name in names}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"proset", "dashboard"}


def targets(text):
    """Return where pictures and links of a text lead to."""
    return re.findall(r"!?\[[^\]]*\]\(([^)]+)\)", text)


def test_description_leads_to_the_repository(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        said = message_from_bytes(archive.read(name))
    urls = dict(entry.split(", ") for entry in said.get_all("Project-URL"))
    assert urls["Repository"] == ADDRESS
    found = targets(said.get_payload(decode=True).decode())
    assert len(found) > 10
    assert [target for target in found if not target.startswith("https://")] == []
    own = [target.removeprefix(f"{ADDRESS}/") for target in found if target.startswith(ADDRESS)]
    version = said["Version"]
    for place in own:
        kind, tag, path = place.split("/", 2)
        assert (kind, tag) == ("raw" if path.endswith(".png") else "blob", f"v{version}")
        assert (ROOT / path).exists(), path
    assert any(place.startswith("raw/") for place in own)


@pytest.mark.slow
def test_without_an_address_nothing_leads_nowhere(clone, tmp_path):
    folder = build("wheel", clone, tmp_path / "wheel")
    with zipfile.ZipFile(folder) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        said = message_from_bytes(archive.read(name))
    assert said.get_all("Project-URL") is None
    text = said.get_payload(decode=True).decode()
    assert text.startswith("# proset dashboard")
    assert [target for target in targets(text) if not target.startswith("https://")] == []


@pytest.mark.parametrize("address", ["http://host.example/a/b", "https://user:word@host.example/a/b", "nowhere"])
def test_an_address_that_is_none_is_refused(clone, tmp_path, address):
    with pytest.raises(AssertionError, match="is no address like"):
        build("wheel", clone, tmp_path / "wheel", PROSET_REPOSITORY=address)


@pytest.mark.exhaustive  # `make environments` uses the wheel far from the clone as well, without the dashboard
def test_wheel_fits_scores_and_explains_far_from_the_clone(installed):
    table = str(ROOT / "sample_data/penguins.csv")
    assert "compile" in run(installed, "proset", "--help").stdout
    first = run(installed, "proset", "fit", table, "--target", "species", "-o", "penguins.proset")
    assert first.stderr.count("compiling for this processor") == int(find_spec("numba") is not None)
    run(installed, "proset", "score", "penguins.proset", table, "-o", "scored.csv")
    assert len((installed.parent / "scored.csv").read_text().splitlines()) == 345
    again = run(installed, "proset", "explain", "penguins.proset", "--row", "3")
    assert "compiling" not in again.stderr
    engine, app, scored, explained, rows = json.loads(run(installed, "python", "-c", AT_WORK).stdout)
    assert Path(engine).is_relative_to(installed)
    assert Path(app).is_relative_to(installed)
    assert (scored, explained, len(rows)) == (6, 1, len(SAMPLES))
