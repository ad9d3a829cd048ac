"""Review: what the page asks for and what it says, without a browser."""

from datetime import UTC, datetime

import pytest
from judgements import judgement

from dashboard.components import downloads
from dashboard.session import verdicts
from dashboard.texts import review as text
from proset.workspace.chain import chained
from proset.workspace.verdicts import ReviewVerdict

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
    assert reviewed.text_input(key=reviewed.key("review.name")).value == "Ann B."
    assert "Say who you are" not in texts(reviewed)


def test_blind_takes_away_what_tells_of_errors(reviewed):
    assert reviewed.selectbox(key="review.order")
    reviewed.toggle(key="review.blind").set_value(True).run()
    with pytest.raises(KeyError):
        reviewed.selectbox(key="review.order")
    with pytest.raises(KeyError):
        reviewed.selectbox(key="review.pair")


def test_half_of_the_held_out_rows_is_said_to_stay_apart(reviewed):
    assert "85 rows held out and never put up for judgement" in texts(reviewed)


@pytest.mark.slow
def test_the_review_as_a_whole_is_shown_when_it_is_opened_and_tells_the_blind_nothing_of_errors(reviewed):
    assert text.NOTHING_SAID not in texts(reviewed)
    reviewed.session_state["review.overview"] = True
    reviewed.run()
    assert text.NOTHING_SAID in texts(reviewed)
    assert "of the table stand" in texts(reviewed)  # one part stands out, or several do
    opened = reviewed.held.opened
    model = reviewed.held.study
    row = next(int(row) for row in model.split.held_out if model.predictions.loc[row, "predicted"] != model.labels[row])
    told = {"label": model.labels[row], "said": model.predictions.loc[row, "predicted"]}
    opened.said = chained([judgement(1, row, verdict=ReviewVerdict.MODEL, **told)])
    reviewed.run()
    assert "On cases that the model gets wrong: 1 verdict (the model is right: 1)." in texts(reviewed).replace("\\", "")
    reviewed.toggle(key="review.blind").set_value(True).run()
    assert text.BLIND_OVERVIEW in texts(reviewed)
    assert "gets wrong" not in texts(reviewed)
    assert not reviewed.exception


def test_a_file_of_verdicts_is_taken_and_what_does_not_fit_is_said(reviewed):
    reviewed.session_state["review.bring"] = True
    reviewed.run()
    assert text.BRING_CLASSES in texts(reviewed)
    lines = b"row,verdict,note\n298,model,sent by mail\n9999,table,\n"
    key = f"review.file.{reviewed.held.opened.key}"
    reviewed.file_uploader(key=key).set_value(("mine.csv", lines, "text/csv")).run()
    assert "1 verdict of 'mine.csv' added." in texts(reviewed).replace("\\", "")
    assert "The table has no row 9999" in texts(reviewed)
    assert [record.judgement.row for record in reviewed.held.opened.said] == [298]
    reviewed.file_uploader(key=key).set_value(("x.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert "has no column 'row', 'verdict'" in " ".join(str(one.value) for one in reviewed.error)
    assert [record.judgement.row for record in reviewed.held.opened.said] == [298]


def test_minutes_hold_what_is_said_after_the_page_was_drawn_and_agreement_says_what_it_is_drawn_from(
    reviewed, monkeypatch
):
    offered, show = {}, downloads.show

    def keep(*files, key):
        offered.update({file.label: file for file in files})
        show(*files, key=key)

    monkeypatch.setattr(downloads, "show", keep)
    reviewed.text_input(key="review.name").set_value("Ann").run()
    by_ben = judgement(1, row=298, reviewer="Ben", verdict=ReviewVerdict.FAULTY)
    for said, told in (([judgement(0, row=298, reviewer="Ann"), by_ben], True), ([by_ben], False)):  # else hidden
        monkeypatch.setattr(verdicts, "records", lambda _, said=said: chained(said))
        assert ("Row 298, open" in offered[text.MINUTES].make().decode()) is told
    reviewed.run()
    assert "Drawn from 0 verdicts; 'Look again' adds what was said since." in texts(reviewed).replace("\\", "")
    back = judgement(2, row=298, reviewer="Ann", verdict=ReviewVerdict.UNDONE, takes_back="client-0")
    taken_back = [judgement(0, row=298, reviewer="Ann"), back, judgement(3, row=300, reviewer="Ann"), by_ben]
    monkeypatch.setattr(verdicts, "records", lambda _: chained(taken_back))
    reviewed.run()
    assert "Drawn from 1 verdict; " in texts(reviewed).replace("\\", "")  # what was taken back is none
