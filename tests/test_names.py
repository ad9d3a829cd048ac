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


def first_arguments(function):
    """Functions that the calls within a function hand over to be kept under, with their lines."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.args:
            kept_by_name = isinstance(node.func, ast.Name) and node.func.id in {"once", "later"}
            if kept_by_name or getattr(node.func, "attr", "") == "derived":
                yield node.args[0], node.lineno


def test_values_are_kept_under_functions_of_modules():
    """A cache key that is a text can be mistyped or shared, and one that is made at each call is never found again."""
    keys = 0
    for path, tree in MODULES.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            own = {node.name for node in ast.walk(function) if isinstance(node, ast.FunctionDef)} - {function.name}
            for key, line in first_arguments(function):
                keys += 1
                assert isinstance(key, ast.Name | ast.Attribute), f"{path}:{line}"
                assert getattr(key, "id", None) not in own, f"{path}:{line}"
    assert keys > 50


STATE = {"session", "opened", "former", "tools", "visitor"}


def test_pages_change_a_session_through_its_methods():
    """What is assigned from outside changes without what goes with it."""
    for path, tree in MODULES.items():
        if path.parts[:2] not in {("dashboard", "components"), ("dashboard", "views")}:
            continue
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [getattr(node, "target", None)]
            for target in (one for each in targets for one in getattr(each, "elts", [each])):
                root = target
                while isinstance(root, ast.Subscript | ast.Attribute):
                    root = root.value
                assert root is target or getattr(root, "id", "") not in STATE, f"{path}:{node.lineno}"


def docstrings(tree):
    """All docstrings of a module, those below attributes too, with their lines."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            if (
                isinstance(each, ast.Expr)
                and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str)
            ):
                yield each.value.value.strip(), each.lineno


def test_first_lines_are_no_riddles():
    """They name what one gets; "What it is" leaves that to the reader."""
    found = 0
    for path, tree in MODULES.items():
        for text, line in docstrings(tree):
            found += 1
            assert text.split(maxsplit=1)[0] not in {"What", "Who", "Where", "How", "Whether"}, f"{path}:{line}"
    assert found > 3000
