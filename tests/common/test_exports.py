"""Names that packages load when they are asked for."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(".".join(stub.parent.relative_to(ROOT).parts) for stub in (ROOT / "proset").rglob("__init__.pyi"))


def test_the_packages_that_people_import_from_have_a_list():
    assert set(PACKAGES) >= {"proset", "proset.companions", "proset.compare", "proset.explain", "proset.plots"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there_and_no_other(package):
    module = import_module(package)
    assert module.__all__
    assert {name for name in module.__all__ if not hasattr(module, name)} == set()
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_hides_a_function(package):
    module = import_module(package)
    hidden = {name for name in module.__all__ if isinstance(getattr(module, name), ModuleType)}
    assert hidden == ({"companions", "compare", "explain", "plots"} if package == "proset" else set())


def test_every_figure_is_exported():
    drawn = [
        node.name
        for file in (ROOT / "proset/plots").glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("plot_")
    ]
    exported = import_module("proset.plots").__all__
    assert sorted(drawn) == [name for name in exported if name.startswith("plot_")]


@pytest.mark.slow
def test_rooms_are_attributes_and_load_when_they_are_asked_for():
    code = (
        "import json, sys, proset; before = 'proset.explain' in sys.modules;"
        "found = [proset.explain.__name__, proset.plots.__name__, proset.explain.shap_values.__name__];"
        "print(json.dumps([before, found, sorted({'plotly', 'streamlit', 'shap'} & set(sys.modules))]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, ["proset.explain", "proset.plots", "shap_values"], []]
