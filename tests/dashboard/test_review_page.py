"""Review: what the page asks for and what it says, without a browser."""

from datetime import UTC, datetime

import pytest

NOW = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def reviewed(open_app):
    """The app on Review, with the stored model of cancer."""
    return open_app("review", data="cancer", fit="1")


def texts(app):
    """All that stands on the page."""
    return " ".join(str(one.value) for kind in ("markdown", "caption", "info") for one in app.get(kind))


def test_nobody_judges_without_a_name(reviewed):
    assert "Say who you are" in texts(reviewed)
    reviewed.text_input(key="review.name").set_value("  Ann   B. ").run()
    assert reviewed.text_input(key="review.name").value == "Ann B."
    assert "Say who you are" not in texts(reviewed)


def test_blind_takes_away_what_tells_of_errors(reviewed):
    assert reviewed.selectbox(key="review.order")
    reviewed.toggle(key="review.blind").set_value(True).run()
    with pytest.raises(KeyError):
        reviewed.selectbox(key="review.order")
    with pytest.raises(KeyError):
        reviewed.selectbox(key="review.pair")


def test_half_of_the_held_out_rows_is_said_to_stay_apart(reviewed):
    assert "85 rows held out and never listed here" in texts(reviewed)
