"""``proset report``: files that say what the engine says, and refusals before work is done."""

from __future__ import annotations

import html
from pathlib import Path

import openpyxl
import pytest

import proset
from proset.cli import main
from proset.common.words import measure, percent
from proset.explain import stability
from proset.report import html_file
from proset.study import Study


@pytest.fixture(scope="module")
def model_file(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "patients.proset"
    proset.save(study, path)
    return path


@pytest.fixture(autouse=True)
def _without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_file, "_drawing_code", lambda: "window.Plotly = {};")


@pytest.mark.slow
def test_a_model_as_html_and_as_a_workbook(
    model_file: Path, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(model_file), "-o", str(tmp_path / "r.html")]) == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert study.table.fingerprint in text
    assert measure(study.metrics.log_loss) in text
    assert "report written to" in capsys.readouterr().err
    assert main(["report", str(model_file), "--out", str(tmp_path / "r.xlsx")]) == 0
    assert openpyxl.load_workbook(tmp_path / "r.xlsx")["prototypes"].max_row == 1 + len(study.prototypes)


def test_one_row_of_the_model_or_of_another_table(model_file: Path, study: Study, tmp_path: Path) -> None:
    highest = percent(float(study.probabilities.loc[17].max()))
    assert main(["report", str(model_file), "--row", "P017", "-o", str(tmp_path / "r.html"), "--parts", "verdict"]) == 0
    assert highest in (tmp_path / "r.html").read_text(encoding="utf-8")
    table = tmp_path / "new.csv"
    study.table.frame.loc[[17]].assign(patient="new one").to_csv(table, index=False)
    assert main(["report", str(model_file), str(table), "--row", "new one", "-o", str(tmp_path / "n.html")]) == 0
    text = (tmp_path / "n.html").read_text(encoding="utf-8")
    assert "new one of" in text
    assert highest in text
    assert main(["report", str(model_file), "--row", "17", "-o", str(tmp_path / "c.xlsx")]) == 0
    assert openpyxl.load_workbook(tmp_path / "c.xlsx").sheetnames[0] == "report"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-o", "r.doc"], "no known ending"),
        (["-o", "r.html", "--parts", "nonsense"], "no part 'nonsense'"),
        (["-o", "r.xlsx", "--parts", "data"], "all of its sheets"),
        (["-o", "nosuch/r.html"], "does not exist"),
        (["-o", "r.html", "--row", "nobody"], "no row 'nobody'"),
        (["-o", "r.html", "--refits", "1"], "from 2 to 100"),
        (["table.csv", "-o", "r.html"], "no row of it"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    options: list[str], says: str, model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(model_file), *options]) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert says in said[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_refits_are_reported(model_file: Path, study: Study, tmp_path: Path) -> None:
    found = stability(study, n_repeats=2, cases=[17])
    options = ["--row", "17", "--refits", "2", "--parts", "verdict"]
    assert main(["report", str(model_file), "-o", str(tmp_path / "r.html"), *options]) == 0
    said = html.escape(found.case_words(17)).replace(" %", "\u00a0%")  # a number stays with its per cent
    assert said in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert main(["report", str(model_file), "-o", str(tmp_path / "r.xlsx"), "--refits", "2"]) == 0
    assert "stability" in openpyxl.load_workbook(tmp_path / "r.xlsx").sheetnames


def test_without_plotly_it_says_what_to_do(
    model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["report", str(model_file), "-o", str(tmp_path / "r.html")]) == 1
    assert "needs plotly" in capsys.readouterr().err
