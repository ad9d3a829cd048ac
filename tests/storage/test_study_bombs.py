"""Small files that ask for much: refused soon and in little memory, which a process of its own shows for each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile import study_bombs
from hostile.study_bombs import QUICK, SLOW, Build

from proset.storage import to_bytes
from proset.storage.container import unpack
from proset.study import Study

ROOT = Path(__file__).parents[2]
MOST_CALLS = 3_000_000
MEGABYTES = 1024

WORKING = ("19,000 findings", "200 MB that unpack to nothing")
"""Large, or odd, but studies all the same."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured as Linux tells it"),
]


@pytest.fixture(scope="module")
def members(study: Study) -> dict[str, bytes]:
    return {name: bytes(data) for name, data in unpack(to_bytes(study)).members.items()}


def cost(builds: dict[str, Build], members: dict[str, bytes], folder: Path) -> dict[str, dict[str, Any]]:
    """What reading each costs in a process that gets no more than 1 GiB, the program itself included."""
    paths = {name: folder / f"{number}.proset" for number, name in enumerate(builds)}
    for name, build in builds.items():
        build(paths[name], members)
    command = [sys.executable, study_bombs.__file__, str(MEGABYTES), *map(str, paths.values())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return dict(zip(builds, map(json.loads, done.stdout.splitlines()), strict=True))


def check(name: str, found: dict[str, Any]) -> None:
    assert found["refused"] == (name not in WORKING), found
    assert found["refused"] or found["outcome"] == "a study", found
    assert found["calls"] < MOST_CALLS, found
    assert found["peak"] < MEGABYTES, found


@pytest.fixture(scope="module")
def quick(members: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return cost(QUICK, members, tmp_path_factory.mktemp("bombs"))


@pytest.mark.parametrize("name", QUICK)
def test_bombs_are_refused(name: str, quick: dict[str, dict[str, Any]]) -> None:
    check(name, quick[name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SLOW)
def test_large_bombs_are_refused(name: str, members: dict[str, bytes], tmp_path: Path) -> None:
    check(name, cost({name: SLOW[name]}, members, tmp_path)[name])
