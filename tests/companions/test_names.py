"""Names of the companions, and that asking for one does not load the others."""

import json
import subprocess
import sys

import pytest

import proset
from proset import companions


@pytest.mark.parametrize("name", companions.__all__)
def test_every_name_is_there(name):
    assert getattr(companions, name) is not None
    assert name in dir(companions)


def test_estimators_are_names_of_the_package():
    for name in ("PVMClassifier", "SMPClassifier", "GBMapClassifier", "GBMapRegressor"):
        assert getattr(proset, name) is getattr(companions, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'SVM'"):
        companions.SVM  # noqa: B018


@pytest.mark.slow
def test_one_system_does_not_load_the_others():
    code = (
        "import json, sys, proset.companions as c; c.SYSTEMS; c.PVMClassifier; print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(run.stdout))
    assert "proset.companions.pvm" in loaded
    assert not {"proset.companions.gbmap", "proset.companions.smp", "xgboost", "plotly", "streamlit"} & loaded
