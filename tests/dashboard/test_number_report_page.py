"""The Report page of a model of a number: every part as the file holds it, and the file."""

import pytest
from number_tables import priced

from dashboard.services.cases import CaseRef
from dashboard.services.report import ABOUT, ReportSubject
from dashboard.views.number_report import CASE_TITLES, INSIDE, INSIDE_CASE, TITLES

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


@pytest.mark.slow
@pytest.mark.parametrize("name", CASE_TITLES)
def test_each_part_on_a_case_is_shown_as_the_file_holds_it(reported, name):
    reported.held.put(ABOUT, ReportSubject.CASE)
    reported.held.select(CaseRef.in_table(7))
    reported.held.put(INSIDE_CASE, INSIDE_CASE.read(name))
    reported.go("report")
    assert not reported.exception
    assert CASE_TITLES[name] in reported.words()
    assert "class" not in reported.words().lower()


def test_without_a_case_it_says_where_one_is_chosen(reported):
    reported.held.put(ABOUT, ReportSubject.CASE)
    reported.go("report")
    assert not reported.exception
    assert "No case is selected" in reported.words()
    assert not reported.get("download_button")


def test_every_part_can_be_chosen():
    assert INSIDE.options == list(TITLES)
    assert INSIDE_CASE.options == list(CASE_TITLES)


def test_the_file_is_offered_and_the_menu_has_the_page(reported):
    assert not reported.exception
    assert [item.proto.label for item in reported.get("download_button")][:1] == ["Download the report (HTML)"]
    assert "report" in " ".join(item.proto.page for item in reported.get("page_link"))
    assert "mean absolute error" in reported.words().lower() or "off by" in reported.words()
