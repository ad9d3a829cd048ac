"""A fit request survives the way through files unchanged."""

import json

import pytest

from dashboard.services.fit.search_plan import stopped_words
from dashboard.work.tasks.request import REQUEST_FILE, FitRequest, read_request, write_request
from proset.data.role_guess import guess_roles
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.selection import Rule, SearchPlan, SearchRecord
from proset.selection.scores import FoldScores
from proset.selection.tasks import Score
from proset.study import FitSettings, NumberSettings
from proset.study.recipe import Recipe


def round_trip(table, roles, folder):
    kind = NumberSettings if roles.number else FitSettings
    request = FitRequest(table, Recipe(roles, SplitSettings(0.2, 3), kind(n_iter=2, max_samples=90)))
    write_request(request, folder)
    return request, read_request(folder)


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_sample_round_trips(name, tmp_path):
    request, again = round_trip(load_sample(name), sample_roles(name), tmp_path)
    assert again.table.frame.equals(request.table.frame)
    assert (again.table.frame.dtypes == request.table.frame.dtypes).all()
    assert again.table.frame.index.equals(request.table.frame.index)
    assert (again.table.dialect, again.table.grid) == (request.table.dialect, request.table.grid)
    assert (again.table.issues, again.table.fingerprint) == (request.table.issues, request.table.fingerprint)
    assert again.recipe == request.recipe
    assert again.recipe.roles.guessed == request.recipe.roles.guessed


def test_an_upload_with_dates_missing_values_and_odd_texts_round_trips(tmp_path):
    lines = ['name,when,"amount, net",ok,kind']
    for i in range(40):
        amount, answer = "" if i % 4 else i / 7, "yes" if i % 2 else "no"
        lines.append(f'"=1+{i}",2024-01-{i % 28 + 1:02d},{amount},{answer},k{i % 2}')
    table = read_table("\n".join(lines).encode(), name="odd \N{SNOWMAN}.csv")
    request, again = round_trip(table, guess_roles(table, target="kind").roles, tmp_path)
    assert again.table.frame.equals(request.table.frame)
    assert again.table.name == table.name


def test_the_request_is_plain_json(tmp_path):
    round_trip(load_sample("iris_2f"), sample_roles("iris_2f"), tmp_path)
    document = json.loads((tmp_path / REQUEST_FILE).read_text())
    assert set(document) == {"table", "recipe", "needed"}
    assert set(document["recipe"]) == {"roles", "split", "settings", "plan"}


def test_a_search_under_way_round_trips(tmp_path):
    plan = SearchPlan(lambda_w=(1e-9, 1e-4), n_trials=3, n_folds=2, max_batches=1, rule=Rule.SE)
    scores = FoldScores.empty(3, 2).with_score(Score(0, 1, 0.25, 2, 7, converged=True, reason=""))
    record = SearchRecord(plan, "abc", scores)
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    recipe = Recipe(roles, SplitSettings(), FitSettings(), plan)
    write_request(FitRequest(table, recipe, record), tmp_path)
    again = read_request(tmp_path)
    assert again.recipe == recipe
    assert again.recipe.plan == plan
    assert again.record.to_state() == record.to_state()
    assert stopped_words(again.record) == "Stopped after 1 of 6 fits of step 1."


def test_without_a_finished_fit_there_is_no_record(tmp_path):
    assert round_trip(load_sample("iris_2f"), sample_roles("iris_2f"), tmp_path)[1].record is None
