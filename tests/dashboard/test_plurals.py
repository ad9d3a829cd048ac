"""Nothing says "1 rows": all pages and the command line with one feature, one prototype, one of everything."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import proset
from dashboard import cache
from dashboard.services.cases import Part
from dashboard.services.maps.map import part_words
from proset.cli import main
from proset.data.samples import load_sample, sample_roles
from proset.engine.growth import BatchResult
from proset.engine.set_manager import SetManager
from proset.plots.thinning import DrawnPoints
from proset.plots.weights import plot_feature_weights
from proset.study import Study, fit_study
from proset.study.settings import suggest_settings

MANY = (
    "rows|columns|features|prototypes|classes|batches|cases|candidates|iterations|evaluations|values|levels|models|"
    "files|folds|fits|directions|others|errors|points|pairs|workers"
)
WRONG = re.compile(rf"(?<![\d.,])1 (?:(?:more|other|held-out|training|matrix|misclassified|new) )*(?:{MANY})\b")


def wrongly_plural(text: str) -> list[str]:
    """Return what a text says of one as if it were many."""
    return [found.group() for found in WRONG.finditer(text)]


@pytest.fixture(scope="module")
def lone() -> Study:
    """Iris with a model of one prototype and one feature, and one row held out per class."""
    settings = replace(suggest_settings(150, 2), num_candidates=30)
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=settings)
    batch = study.model.set_manager_.batches[0]
    single = replace(
        batch,
        active_features=batch.active_features[:1],
        feature_weights=batch.feature_weights[:1],
        prototypes=batch.prototypes[:1, :1],
        target=batch.target[:1],
        weights=batch.weights[:1],
        sample_index=batch.sample_index[:1],
    )
    model = copy.copy(study.model)
    manager = study.model.set_manager_
    model.set_manager_ = SetManager(manager.marginals, manager.num_features, (single,))
    result = study.model.batch_results_[0]
    report = replace(result.solver, iterations=1, evaluations=1)
    model.batch_results_ = [
        replace(result, n_prototypes=1, n_candidates=1, n_active_features=1, n_merged=0, solver=report)
    ]
    return replace(study, model=model)


def test_the_pattern_finds_what_it_should():
    assert wrongly_plural("1 rows, 11 rows, 0.1 features, 1,001 rows, 1 held-out rows") == ["1 rows", "1 held-out rows"]


@pytest.mark.parametrize("page", ["data", "fit", "quality", "map", "prototypes", "case"])
def test_no_page_says_one_rows(open_app, lone, page):
    cache.keep_sample_study("iris_2f", lone)
    at = open_app(data="iris_2f", num_candidates="30", fit="own", row="5").go(page)
    assert not at.exception
    if page != "data":
        assert at.held.study is lone
    figures = [str(figure.proto.spec) for figure in at.get("plotly_chart")]
    helps = [str(getattr(item, "help", "")) for item in (*at.metric, *at.button, *at.toggle)]
    labels = [str(item.label) for item in (*at.metric, *at.button, *at.expander, *at.get("page_link"))]
    assert not wrongly_plural("\n".join([at.words(), *figures, *helps, *labels]))
    if page == "fit":
        assert "1 prototype from 1 candidate, 1 feature" in lone.model.batch_results_[0].message


@pytest.mark.slow
def test_the_command_line_does_not_say_one_rows(lone, tmp_path: Path, capsys):
    model, new = tmp_path / "m.proset", tmp_path / "new.csv"
    proset.save(lone, model)
    lone.table.frame.iloc[[3]].to_csv(new, index=False)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "one.csv").write_text(new.read_text())
    for command in (
        ["explain", str(model), "--row", "5"],
        ["explain", str(model), str(new), "--row", "1"],
        ["score", str(model), str(new), "-o", str(tmp_path / "s.csv")],
        ["score", str(model), str(folder), "-o", str(tmp_path / "scores")],
        ["score", str(model), str(folder), "-o", str(tmp_path / "scores")],
    ):
        assert main(command) == 0
        said = capsys.readouterr()
        assert not wrongly_plural(said.out + said.err), command
    table = tmp_path / "table.csv"
    pd.DataFrame({"size": np.arange(40) // 2 + 0.5, "kind": np.repeat(["a", "b"], 20)}).to_csv(table, index=False)
    assert main(["fit", str(table), "-t", "kind", "-o", str(tmp_path / "f.proset")]) == 0
    said = capsys.readouterr()
    assert not wrongly_plural(said.out + said.err)
    assert "1 matrix column in use" in said.out


def test_one_row_of_a_part_is_one_row(lone):
    judged = lone.judged()
    one = judged[judged["part"] == "held_out"].head(1)
    assert part_words(one, Part.HELD_OUT).startswith("1 held-out row, ")


def test_one_of_what_is_not_drawn_is_one():
    points = DrawnPoints(rows=pd.DataFrame({"a": []}), n_rows=1, n_wrong=1, n_wrong_drawn=1)
    assert "of 1 row are drawn: the misclassified one and" in (points.note or "")
    weights = pd.DataFrame({1: [2.0, 1.0]}, index=pd.Index(["a", "b"], name="feature"))
    assert plot_feature_weights(weights, limit=1).layout.meta == "1 more feature of less weight is not shown."


def test_one_of_everything_in_the_message_of_a_batch(lone):
    result = lone.model.batch_results_[0]
    assert isinstance(result, BatchResult)
    assert "after 1 iteration and 1 evaluation" in result.message
