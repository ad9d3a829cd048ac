"""What tests of several folders share: a browser and a small fitted study."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from proset.study import Study


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Path of the Chromium or Chrome that `make test` found, or of the one on this machine."""
    path = os.environ.get("PROSET_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome") or "none"
    if path == "none":
        pytest.skip("no browser: run `make test`, which finds or installs one, or set PROSET_BROWSER")
    return path


@pytest.fixture(scope="session")
def iris_study() -> Study:
    """The two-feature iris table with its usual roles, fitted with the default settings. Do not change it."""
    from proset.data.samples import load_sample, sample_roles
    from proset.study import fit_study

    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
