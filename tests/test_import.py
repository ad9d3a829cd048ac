"""Importing the engine is light, and nothing in the project runs code that comes out of a file."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("streamlit", "plotly", "tensorflow", "shap", "matplotlib")
MOST_OWN_CALLS = 20_000
# Only a text with one of these words is worth parsing: most have none.
NAMED = re.compile(r"pickle|dill|shelve|marshal|joblib|\beval\b|\bexec\b")


def run(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_loads_nothing_heavy():
    light = ("proset", "proset.engine.model", "proset.study", "proset.storage", "proset.cli")
    loaded = json.loads(run(f"import json, sys, {', '.join(light)}; print(json.dumps(sorted(sys.modules)))"))
    assert set(light) <= set(loaded)
    assert not set(HEAVY) & set(loaded)


@pytest.mark.slow
def test_the_dashboard_loads_neither_tensorflow_nor_shap():
    pytest.importorskip("streamlit")
    loaded = json.loads(run("import json, sys, dashboard.pages; print(json.dumps(sorted(sys.modules)))"))
    assert "streamlit" in loaded
    assert not {"tensorflow", "keras", "shap"} & set(loaded)


def test_import_is_cheap():
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r});"
        "import numpy, pandas, scipy.optimize, sklearn.base, sklearn.utils.validation; from effort import counted\n"
        "with counted() as effort: import proset\n"
        "print(effort.calls)"
    )
    assert int(run(code)) < MOST_OWN_CALLS


def findings(source):
    """Calls in a program text that would run what a file says."""
    found = []
    for node in ast.walk(ast.parse(source)) if NAMED.search(source) else ():
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            found += [
                name for name in names if name.split(".")[0] in ("pickle", "cloudpickle", "dill", "shelve", "marshal")
            ]
        elif isinstance(node, ast.Call):
            call = ast.unparse(node.func)
            if call in ("eval", "exec", "joblib.load", "load_pickle") or call.endswith(".read_pickle"):
                found.append(call)
            allow = [keyword.value for keyword in node.keywords if keyword.arg == "allow_pickle"]
            if allow and ast.unparse(allow[0]) != "False":
                found.append(call)
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import joblib; joblib.load(path)",
        "np.load(path, allow_pickle=True)",
        "pd.read_pickle(path)",
        "eval(text)",
    ],
)
def test_the_search_finds(source):
    assert findings(source)


@pytest.mark.slow
def test_nothing_is_unpickled_or_evaluated():
    files = [
        path for folder in ("proset", "dashboard", "sample_data", "tools") for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 30
    assert {str(path): found for path in files if (found := findings(path.read_text(encoding="utf-8")))} == {}
