"""The Start page: two ways in, examples that open with their model; and the stored fits behind them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from dashboard import cache
from dashboard.services.data.fitted import STORED, file_of, stored_study
from dashboard.services.data.landing_map import landing_map
from dashboard.services.fit.modes import Mode, asked
from dashboard.session.opened import OpenTable
from dashboard.texts import start as text
from proset.common.words import count_words
from proset.data.samples import SAMPLES, load_sample, sample_roles, sample_split
from proset.plots import style
from proset.study import NumberStudy


@pytest.mark.parametrize("name", STORED)
def test_a_stored_fit_is_what_a_quick_fit_of_the_table_asks_for(name):
    table = load_sample(name)
    recipe = asked(OpenTable.start(table, roles=sample_roles(name), sample=name).recipe, Mode.QUICK)
    study = cache.sample_study(name, recipe)
    assert study is stored_study(name)
    assert study.table.fingerprint == table.fingerprint
    if isinstance(study, NumberStudy):
        assert np.isfinite(study.predictions["median"]).all()
    else:
        assert np.allclose(study.probabilities.sum(axis=1), 1.0)
    assert cache.sample_study(name, asked(recipe, Mode.OWN)) is None, "other settings are fitted"
    assert file_of(name).stat().st_size < 100_000


def test_a_stored_fit_that_cannot_be_read_is_fitted_instead(monkeypatch, tmp_path):
    monkeypatch.setattr("dashboard.services.data.fitted.FOLDER", tmp_path)
    (tmp_path / "wine.proset").write_bytes(b"not a study")
    assert stored_study.__wrapped__("wine") is None
    assert stored_study.__wrapped__("heart") is None
    assert stored_study.__wrapped__("iris_2f") is None


def test_an_example_opens_with_its_model_and_without_work(open_app):
    at = open_app("start")
    assert not at.exception
    assert {f"start.{name}" for name in SAMPLES} <= {button.key for button in at.button}
    at.button(key="start.cancer").click().run()
    assert not at.exception
    assert at.held.study is stored_study("cancer")
    assert at.job is None
    at.go("map")
    assert not at.exception
    assert "There is no model yet" not in at.words()


def test_one_goes_on_where_one_was(open_app):
    at = open_app("data", data="wine")
    at.go("start")
    assert text.GO_ON in at.words()
    assert "no model yet" in at.words()
    assert text.GO_ON not in open_app("start").words()


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_shows_every_prototype_and_the_wrong_case(dark):
    study = stored_study("cancer")
    root = ElementTree.fromstring(landing_map(study, ("<one>".strip("<>"), "two", "three"), dark=dark))
    space = "{http://www.w3.org/2000/svg}"
    discs = [part for part in root.iter(f"{space}g") if part.get("fill-opacity")]
    assert sum(len(part.findall(f"{space}circle")) for part in discs) == len(study.prototypes)
    ring = style.on_dark(style.WRONG) if dark else style.WRONG
    assert [len(part) for part in root.iter(f"{space}g") if part.get("stroke") == ring] == [1]
    assert [part.text for part in root.iter(f"{space}text")] == ["one", "two", "three"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["concrete", "cars"])
def test_an_example_of_a_number_opens_with_its_model_on_a_page_that_it_has(open_app, name):
    at = open_app("start")
    at.button(key=f"start.{name}").click().run()
    assert not at.exception
    assert at.held.number is stored_study(name)
    assert at.job is None
    assert at.held.recipe.split.time == sample_split(name).time
    at.go("start")
    assert "no model yet" not in at.words()
    assert count_words(len(stored_study(name).prototypes), "prototype") in at.words()


def test_cards_of_numbers_say_so(open_app):
    at = open_app("start")
    assert at.words().count("a number") >= 2
    assert ", 0 classes" not in at.words()
