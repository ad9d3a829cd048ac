"""Names and first lines of the product: a class's name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = {
    path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
    for room in ("proset", "dashboard")
    for path in sorted((ROOT / room).rglob("*.py"))
}


def test_no_two_public_classes_share_a_name():
    homes = defaultdict(list)
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(f"{path}:{node.lineno}")
    assert len(homes) > 300, "the classes of the product were not found"
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_values_are_kept_under_functions():
    """A cache key that is a text can be mistyped, and two values can share it."""
    asked = 0
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "derived":
                asked += 1
                assert isinstance(node.args[0], ast.Name | ast.Attribute), f"{path}:{node.lineno}"
    assert asked > 40
