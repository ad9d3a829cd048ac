"""Parts of a page that run by themselves stay where they are, whatever comes and goes above them.

Streamlit knows such a part by its place: a click in it, from a browser that shows the place before, would be lost.
"""

from collections import defaultdict

import pytest
from streamlit.runtime import fragment

from dashboard.services.cases import CaseRef
from proset.data.roles import Role


@pytest.fixture
def places(monkeypatch):
    """Ids of the parts that were drawn, by name."""
    found, identity = defaultdict(set), fragment._make_fragment_identity

    def watched(func, **where):
        made = identity(func, **where)
        found[f"{func.__module__}.{func.__name__}"].add(made.fragment_id)
        return made

    monkeypatch.setattr(fragment, "_make_fragment_identity", watched)
    return found


def change_what_is_above(app):
    """Leave a notice, and make the model older than the settings."""
    app.held.notice("Something was left out.")
    app.run()
    assert "Something was left out." in app.words()
    opened = app.held.opened
    opened.edit(roles=opened.recipe.roles.with_role(opened.study.used_columns[0], Role.EXTRA))
    app.run()
    assert "This shows the last fit" in app.words()


@pytest.mark.slow
def test_the_queue_stays_while_work_and_notices_come_and_go(open_app, places):
    app = open_app("review", data="cancer", fit="1")
    app.text_input(key="review.name").set_value("Ann").run()
    assert app.jobs  # rows are judged by models that have not seen them; its panel stands above
    app.wait()
    app.run()
    change_what_is_above(app)
    assert len(places["dashboard.components.review.desk._show"]) == 1


def test_tabs_and_what_if_of_a_case_stay_as_well(open_app, places):
    app = open_app("case", data="cancer", fit="1", row="298")
    assert app.button(key="whatif.open")
    app.held.select(CaseRef.in_table(12))
    app.run()
    change_what_is_above(app)
    assert {name.split(".")[-2]: len(ids) for name, ids in places.items() if ".case." in name} == {
        "tabs": 1,
        "what_if": 1,
    }
