"""About how long it takes: said before the start, with what fewer rows would save."""

import time

import pytest
from patience import HANG

from dashboard.components.jobs import later
from dashboard.services.fit import fit_time as service
from dashboard.services.fit.fit_time import FitTime, fewer_words, fit_time, needed_words, rough_words
from dashboard.work.tasks import FitRequest
from dashboard.work.tasks.request import read_request, write_request
from dashboard.work.tasks.studies import time_left
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.selection import JointPlan
from proset.study.recipe import Recipe
from proset.study.time_needed import TimeNeeded

LONG, SHORT = TimeNeeded(60.0, 240.0), TimeNeeded(60.0, 30.0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "about 1 s"), (17, "about 15 s"), (75, "about 60 s"), (110, "about 2 min"), (1500, "about 25 min"),
     (20_000, "about 6 h")],
)  # fmt: skip
def test_times_are_as_rough_as_they_are_known(seconds, words):
    if seconds == 75:
        words = rough_words(75)  # in the middle between two steps
    assert rough_words(seconds) == words


def test_a_limit_that_binds_is_said_with_what_all_rows_would_take():
    text = needed_words(FitTime(SHORT, 31_647, most=5_000, all_rows=LONG))
    assert text == (
        "Takes about 90 s. Each batch learns from 5,000 of the 31,647 training rows, drawn anew; with all rows about "
        "5 min."
    )


def test_fewer_rows_are_offered_with_their_price():
    text = fewer_words(FitTime(LONG, 31_647, fewer=SHORT))
    assert "5,000 of the 31,647 training rows" in text
    assert "about 90 s" in text
    assert "log-loss" in text
    assert fewer_words(FitTime(LONG, 31_647)) == ""


def made_up(monkeypatch, seconds):
    """Let estimates be made up: so many seconds for each row that a batch learns from."""

    def needed(problem, recipe, *, clock):
        rows = len(problem.split.train)
        return TimeNeeded(0.0, seconds * min(rows, recipe.settings.max_samples or rows))

    monkeypatch.setattr(service, "recipe_seconds", needed)


def test_fewer_rows_are_offered_for_large_tables_that_take_long(monkeypatch):
    table, recipe = load_sample("iris_2f"), Recipe(sample_roles("iris_2f"))
    monkeypatch.setattr(service, "MANY_ROWS", 100)
    monkeypatch.setattr(service, "FEWER_ROWS", 20)
    made_up(monkeypatch, 1.0)
    assert fit_time(table, recipe).fewer == TimeNeeded(0.0, 20.0)
    made_up(monkeypatch, 0.1)
    assert fit_time(table, recipe).fewer is None


def test_what_cannot_be_fitted_has_no_time():
    assert fit_time(load_sample("iris_2f"), Recipe(Roles({}))) is None


@pytest.mark.parametrize("mode", ["quick", "search", "own"])
def test_every_way_says_how_long_it_takes(open_app, monkeypatch, mode):
    monkeypatch.setattr(later, "_WAIT", HANG)
    at = open_app("fit", data="iris_2f")
    at.segmented_control(key="fit.mode").set_value(mode).run()
    assert "Takes about " in at.words()
    assert "Takes seconds" not in at.words()
    assert "Takes longer" not in at.words()


def test_the_page_does_not_wait_for_a_slow_measurement(open_app, monkeypatch):
    monkeypatch.setattr(later, "_WAIT", 0.01)
    monkeypatch.setattr(service, "recipe_seconds", lambda *_, **__: time.sleep(2.0))
    at = open_app("fit", data="iris_2f")
    assert "Measuring how long it takes" in at.words()
    assert at.button(key="fit.start")


@pytest.mark.slow
def test_fewer_rows_are_taken_with_one_click_and_given_back(open_app, monkeypatch):
    monkeypatch.setattr(later, "_WAIT", HANG)
    monkeypatch.setattr(service, "MANY_ROWS", 100)
    monkeypatch.setattr(service, "FEWER_ROWS", 40)
    made_up(monkeypatch, 10.0)
    at = open_app("fit", data="iris_2f")
    at.button(key="fit.fewer_rows").click().run()
    assert not at.exception
    assert at.held.recipe.settings.max_samples == 40
    assert "Each batch learns from 40 of the 105 training rows" in at.words()
    at.button(key="fit.all_rows").click().run()
    assert at.held.recipe.settings.max_samples is None


def test_the_time_that_was_promised_goes_with_the_request(tmp_path):
    request = FitRequest(load_sample("iris_2f"), Recipe(sample_roles("iris_2f"), plan=JointPlan()), needed=LONG)
    write_request(request, tmp_path)
    again = read_request(tmp_path)
    assert again.needed == LONG
    assert time_left(again).search(0.0) == pytest.approx(LONG.seconds, abs=1.0)
