"""The cards of the bundled data sets say what the data sets are."""

from xml.etree import ElementTree

import pytest

from dashboard.services.data.examples import ORDER, examples
from proset.data.samples import SAMPLES, load_sample, sample_roles


def test_there_is_a_card_for_each_data_set_and_each_stands_once():
    assert set(examples()) == set(SAMPLES) == set(ORDER)
    assert len(ORDER) == len(SAMPLES)


@pytest.mark.parametrize("name", list(SAMPLES))
def test_a_card_is_that_of_the_present_data(name):
    table, roles, example = load_sample(name), sample_roles(name), examples()[name]
    assert example.fingerprint == table.fingerprint, "run tools/thumbnails.py again"
    assert example.rows == len(table.frame)
    assert example.features == len(roles.features)
    assert example.classes == (0 if roles.number else table.frame[roles.target].nunique())
    drawing = ElementTree.fromstring(example.picture)
    dots = sum(path.get("d").count("h0") for path in drawing.iter("{http://www.w3.org/2000/svg}path"))
    assert dots > 100
    assert example.shows


def test_the_page_shows_the_drop_zone_first_and_then_the_cards(app):
    found = [(element.type, element.key) for element in app.main if element.type in ("button", "file_uploader")]
    kinds = [entry for entry in found if entry[1] != "page.help"]
    assert kinds[0][0] == "file_uploader"
    assert [key for kind, key in kinds if kind == "button"] == [f"sample.{name}" for name in ORDER]
    assert examples()["cancer"].words in app.words()
    pictures = [element.proto.body for element in app.get("html") if "<img" in element.proto.body]
    assert len(pictures) == len(SAMPLES)
    assert all('alt="' in picture for picture in pictures)
