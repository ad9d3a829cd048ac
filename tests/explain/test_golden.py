"""Explanations of two kept fits are what they were; only ``golden/write_explanations.py`` rewrites the files."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

GOLDEN = Path(__file__).parent / "golden"


def writer() -> Any:
    """The program that writes the golden files."""
    spec = importlib.util.spec_from_file_location("write_explanations", GOLDEN / "write_explanations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare(found: Any, known: Any, where: str) -> None:
    """Numbers agree up to rounding, everything else exactly."""
    if isinstance(known, dict):
        assert list(found) == list(known), where
        for key in known:
            compare(found[key], known[key], f"{where}: {key}")
    elif isinstance(known, list) and known and isinstance(known[0], (float, list)):
        np.testing.assert_allclose(np.array(found), np.array(known), rtol=1e-6, atol=1e-9, err_msg=where)
    elif isinstance(known, float):
        assert found == pytest.approx(known, rel=1e-6), where
    else:
        assert found == known, where


@pytest.mark.parametrize("name", ["cancer", "digits"])
def test_explanations_are_what_they_were(name: str) -> None:
    golden = writer()
    study = golden.study_of(name)
    known = json.loads((GOLDEN / f"{name}.json").read_text())
    assert golden.chosen_rows(study) == known["rows"]
    compare(json.loads(json.dumps(golden.numbers(study, known["rows"]))), known, name)
