"""``proset fit`` with classes made of the target."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

import proset
from proset.cli import main
from proset.cli.fit_target import read_list
from proset.data.classes import TargetClasses

RNG = np.random.default_rng(5)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    size = RNG.uniform(1, 9, size=80).round(3)
    path = tmp_path / "prices.csv"
    pd.DataFrame({"size": size, "price": (size * 10 + RNG.normal(size=80)).round(2)}).to_csv(path, index=False)
    return path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    said = ["no"] * 20 + ["yes, partly"] * 20 + ["yes"] * 20 + ["a=b"] * 3 + ["none"] * 2
    path = tmp_path / "answers.csv"
    pd.DataFrame({"x": RNG.normal(size=65).round(3), "answer": said}).to_csv(path, index=False)
    return path


def fit(path: Path, target: str, *options: str) -> proset.Study:
    model = path.with_suffix(".proset")
    assert main(["fit", str(path), "-t", target, "-o", str(model), "-q", *options]) == 0
    return proset.load(model)


@pytest.mark.slow
@pytest.mark.parametrize(("where", "n_classes"), main_cases([("median", 2), ("thirds", 3), ("Quarters", 4)], every=3))
def test_offered_ranges(prices: Path, where: str, n_classes: int) -> None:
    study = fit(prices, "price", "--cuts", where)
    assert len(study.classes) == n_classes
    assert study.classes[0].startswith("up to ")
    assert study.labels.value_counts().max() <= 80 / n_classes + 2


@pytest.mark.slow
def test_own_cuts_are_named_and_ordered(prices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = fit(prices, "price", "--cuts", "30,60.5", "--join", "dear=over 60.5", "--order", "dear")
    assert study.classes == ("dear", "up to 30", "over 30 to 60.5")
    assert study.roles.classes == TargetClasses((30, 60.5), {"over 60.5": "dear"}, (), ("dear",))
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_the_report_is_about_the_classes(prices: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(prices), "-t", "price", "-o", str(tmp_path / "m.proset"), "--cuts", "30"]) == 0
    shown = capsys.readouterr()
    assert re.search(r"Classes of 'price': up to 30 \d+, over 30 \d+", shown.out)
    assert "quantity" not in shown.err


@pytest.mark.slow
def test_names_with_commas_and_equal_signs(answers: Path) -> None:
    study = fit(answers, "answer", "--join", "agreed=yes, partly,yes", "--set-aside", "a=b,none")
    assert study.classes == ("agreed", "no")
    assert len(study.split.unlabelled) == 5


def test_a_class_is_joined_whose_name_holds_an_equal_sign(answers: Path) -> None:
    options = ["--join", "no=a=b", "--join", "yes=none", "--order", "yes, partly", "--order", "yes,no"]
    study = fit(answers, "answer", *options)
    assert study.classes == ("yes, partly", "yes", "no")
    assert study.labels.value_counts()["no"] == 23


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cuts", "soon"], "'soon' is no number"),
        (["--cuts", "1e9"], "without rows"),
        (["--cuts", "30", "--set-aside", "cheap"], "no class 'cheap'"),
        (["--cuts", "30", "--order", "low"], "no class 'low'"),
        (["--cuts", "30", "--join", "low"], "not NAME=A,B"),
        (["--cuts", "30", "--join", "low="], "names no class"),
        (["--cuts", "30", "--join", "=up to 30"], "empty name"),
        (["--cuts", "30", "--set-aside", "up to 30"], "one class only"),
        (["--join", "low=1"], "is a quantity"),
    ],
)
def test_what_is_impossible_is_said(
    prices: Path, options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.proset"
    assert main(["fit", str(prices), "-t", "price", "-o", str(model), *options]) == 1
    shown = capsys.readouterr().err
    assert words in shown
    assert "Traceback" not in shown
    assert not model.exists()


def test_cuts_of_words_are_refused(answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(answers), "-t", "answer", "-o", str(tmp_path / "m.proset"), "--cuts", "median"]) == 1
    assert "holds no numbers and no dates" in capsys.readouterr().err


def test_the_options_that_help_are_named(answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(answers), "-t", "answer", "-o", str(tmp_path / "m.proset"), "-q"]) == 1
    assert "Options: --join, --set-aside." in capsys.readouterr().err


def test_lists() -> None:
    assert read_list("a,,b,", []) == ("a", "b")
    assert read_list("a, b, c", ["b, c"]) == ("a", "b, c")
