"""The Report page of a model of a number: every part as the file holds it, and the file."""

import pytest
from number_tables import priced

from dashboard.views.number_report import INSIDE, TITLES, NumberPart

pytestmark = pytest.mark.usefixtures("worked_here")


@pytest.fixture
def reported(app):
    app.held.open_study(priced())
    return app.go("report")


@pytest.mark.parametrize("name", TITLES)
def test_each_part_is_shown_as_the_file_holds_it(reported, name):
    reported.held.put(INSIDE, INSIDE.read(name))
    reported.go("report")
    assert not reported.exception
    assert TITLES[name] in reported.words()


def test_every_part_can_be_chosen():
    assert list(map(str, NumberPart)) == list(TITLES)


def test_the_file_is_offered_and_the_menu_has_the_page(reported):
    assert not reported.exception
    assert [item.proto.label for item in reported.get("download_button")][:1] == ["Download the report (HTML)"]
    assert "report" in " ".join(item.proto.page for item in reported.get("page_link"))
    assert "mean absolute error" in reported.words().lower() or "off by" in reported.words()
