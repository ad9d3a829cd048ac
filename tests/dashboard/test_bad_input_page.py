"""What bad input gets in the browser: the same words as everywhere, in place, and nothing is lost."""

import pytest
from bad_tables import MENDED, REFUSED, table
from variants import main_cases

# Without quotes: pages escape what a stranger can write, so quotes and names may be set apart by markup.
GOOD = table().encode()


def upload(app, content):
    app.file_uploader(key="source.file").upload("bad.csv", content, "text/csv").run()


def plain(text):
    return text.replace("'", "").replace("\\", "")


@pytest.mark.parametrize("name", main_cases(REFUSED, every=2))
def test_refused(app, name):
    case = REFUSED[name]
    upload(app, GOOD)
    before = app.held.table
    upload(app, case.data)
    assert not app.exception
    if app.held.table is before:  # no table at all: the former stays
        assert "still there" in app.words()
    else:  # a table that cannot be fitted: an error among the findings, the words on Fit, and nothing to press there
        if app.held.recipe.roles.target != "y":
            app.target().set_value("y").run()
        assert ":red[:material/error:]" in app.words()
        app.go("fit")
        assert not app.exception
        assert "fit.start" not in {button.key for button in app.button}
    assert app.error
    words = plain(app.words())
    assert all(plain(part) in words for part in case.says), words
    assert "Traceback" not in words


@pytest.mark.parametrize("name", main_cases(MENDED, every=3))
def test_mended_and_said(app, name):
    case = MENDED[name]
    upload(app, case.data)
    assert not app.exception
    assert not app.error
    if app.held.recipe.roles.target != "y":
        app.target().set_value("y").run()
    words = plain(app.words())
    assert all(plain(part) in words for part in case.says), words
    app.go("fit")
    assert "fit.start" in {button.key for button in app.button}
