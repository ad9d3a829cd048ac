"""Verdicts of a window: kept in the workspace or in memory, once each, and never lost where writing fails."""

import codecs
import io
from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd
import pytest

from dashboard.components.review import records
from dashboard.services.data.fitted import stored_study
from dashboard.services.kept import HERE
from dashboard.services.review.said import taken_back
from dashboard.session import kept, verdicts
from dashboard.session.session import Session
from dashboard.texts.review_words import WORDS
from proset.common.errors import StorageError
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import fit_study
from proset.workspace import Workspace, workspace_address
from proset.workspace.chain import verify
from proset.workspace.review_file import read_lines
from proset.workspace.verdicts import Judgement, ReviewVerdict, not_taken_back, row_hash

NOW = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def session():
    """A session with cancer and its stored model."""
    session = Session()
    session.open_study(stored_study("cancer"))
    session.opened.sample = "cancer"
    return session


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A workspace that the server of this process has."""
    made = Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path / "kept")}))
    HERE.close()
    monkeypatch.setattr(HERE, "_open", lambda: made)
    yield made
    HERE.close()


def judgement(session, row, entry, **more):
    table = session.opened.table
    verdict = more.pop("verdict", ReviewVerdict.TABLE)
    return Judgement(
        entry=entry, row=row, row_hash=row_hash(table, row), verdict=verdict, reviewer="Ann", at=NOW, **more
    )


def entries(session):
    return [record.judgement.entry for record in verdicts.records(session)]


def test_without_a_workspace_they_stay_in_memory_once_each(session):
    assert HERE.workspace is None
    said = [judgement(session, row, f"a-{row}") for row in (1, 2)]
    assert verdicts.say(session, said) == {}
    assert verdicts.say(session, [*said, judgement(session, 3, "a-3")]) == {}
    assert entries(session) == ["a-1", "a-2", "a-3"]
    assert verify(verdicts.records(session)) == ()


def test_what_was_said_is_taken_back_by_a_record_of_its_own(session):
    verdicts.say(session, [judgement(session, row, f"a-{row}") for row in (1, 2)])
    first = verdicts.records(session)[0]
    assert verdicts.say(session, [taken_back(first)]) == {}
    assert [record.judgement.entry for record in not_taken_back(verdicts.records(session))] == ["a-2"]
    last = verdicts.records(session)[-1].judgement
    assert (last.verdict, last.takes_back, last.row, last.reviewer) == (ReviewVerdict.UNDONE, "a-1", 1, "Ann")
    assert verify(verdicts.records(session)) == ()


def test_an_example_is_kept_from_the_first_verdict_on(session, workspace):
    assert workspace.cards() == []
    assert verdicts.say(session, [judgement(session, 1, "a-1")]) == {}
    (card,) = workspace.cards()
    assert (card.id, card.n_reviewed, card.n_models) == (session.opened.key, 1, 1)
    assert [record.judgement.entry for record in workspace.records(card.id)] == ["a-1"]


def test_of_several_only_what_cannot_be_kept_is_refused(session, workspace):
    bad = judgement(session, 2, "a-2", takes_back="no such entry", verdict=ReviewVerdict.UNDONE)
    refused = verdicts.say(session, [judgement(session, 1, "a-1"), bad, judgement(session, 3, "a-3")])
    assert list(refused) == ["a-2"]
    assert entries(session) == ["a-1", "a-3"]


def test_what_cannot_be_written_now_is_not_refused_and_can_be_sent_again(session, workspace, monkeypatch):
    verdicts.say(session, [judgement(session, 1, "a-1")])

    def locked(*_, **__):
        raise StorageError("The database is locked.")

    with monkeypatch.context() as patched:
        patched.setattr(workspace, "say", locked)
        assert verdicts.say(session, [judgement(session, 2, "a-2")]) == {}
    assert entries(session) == ["a-1"]
    assert any("locked" in text for _, text in session.take_notices())
    assert verdicts.say(session, [judgement(session, 2, "a-2")]) == {}
    assert entries(session) == ["a-1", "a-2"]


def test_a_study_that_another_window_deleted_goes_on_in_memory(session, workspace):
    verdicts.say(session, [judgement(session, 1, "a-1")])
    workspace.delete(session.opened.key)
    assert verdicts.say(session, [judgement(session, 2, "a-2")]) == {}
    assert verdicts.say(session, [judgement(session, 2, "a-2")]) == {}  # the browser sends it again
    assert entries(session) == ["a-1", "a-2"]


def test_who_parts_from_another_window_takes_the_verdicts_along(session, workspace):
    verdicts.say(session, [judgement(session, 1, "a-1")])
    before = verdicts.records(session)
    session.opened.part()
    verdicts.say(session, [judgement(session, 2, "a-2")])
    assert [card.n_reviewed for card in workspace.cards()] == [2, 1]
    assert verdicts.records(session)[0] == replace(before[0])


def test_files_hold_all_that_was_said_until_they_are_asked_for(session, monkeypatch):
    offered = {}
    monkeypatch.setattr(
        records.downloads, "show", lambda *files, key: offered.update({file.file_name: file.make for file in files})
    )
    session.review_as("Ann")
    records.offer(session, session.study)
    plain, _, corrected = offered.values()
    said = judgement(session, 298, "a-1", verdict=ReviewVerdict.MODEL, new_label="benign")
    assert verdicts.say(session, [said]) == {}
    assert b"a-1" in plain()
    before, after = session.study.table.frame, pd.read_csv(io.BytesIO(corrected()))
    target = session.study.roles.target
    assert after.index[after[target].to_numpy() != before[target].to_numpy()].tolist() == [297]
    assert after["changed from"].dropna().to_dict() == {297: "malignant"}
    assert plain().startswith(codecs.BOM_UTF8)
    assert [line.cells["row"] for line in read_lines(plain())] == ["298"]


def test_the_corrected_table_keeps_whole_numbers_whole_and_says_what_it_changed(monkeypatch):
    table = read_table(b"age;pay;kind\n76;1.234,5;a\n;12,5;b\n" + b"35;7,25;a\n41;1,5;b\n" * 10)
    study = fit_study(table, guess_roles(table, target="kind").roles)
    session, offered = Session(), {}
    session.open_study(study)
    monkeypatch.setattr(
        records.downloads, "show", lambda *files, key: offered.update({file.file_name: file.make for file in files})
    )
    session.review_as("Ann")
    records.offer(session, study)
    said = judgement(session, 2, "a-1", verdict=ReviewVerdict.MODEL, new_label="a")
    assert verdicts.say(session, [said]) == {}
    lines = offered[next(name for name in offered if "corrected" in name)]().decode("utf-8-sig").split("\r\n")
    assert lines[:4] == ["age,pay,kind,changed from", "76,1234.5,a,", ",12.5,a,b", "35,7.25,a,"]
    assert verdicts.say(session, [judgement(session, 3, "a-2", verdict=ReviewVerdict.FAULTY)]) == {}
    lines = offered[next(name for name in offered if "corrected" in name)]().decode("utf-8-sig").split("\r\n")
    assert lines[0] == "age,pay,kind,changed from,said to be faulty"
    assert lines[1:4] == ["76,1234.5,a,,", ",12.5,a,b,", "35,7.25,a,,yes"]


@pytest.mark.parametrize("kept", [True, False])
def test_verdicts_of_a_colleague_come_from_a_file(session, request, kept):
    """In the workspace or in memory: exported lines as they are, those by hand as one's own, each once."""
    if kept:
        request.getfixturevalue("workspace")
    other = Session()
    other.open_study(stored_study("cancer"))
    said = judgement(other, 298, "b-1", verdict=ReviewVerdict.MODEL, new_label="benign")
    verdicts.say(other, [said, judgement(other, 3, "b-2")])
    file = records._file(lambda: verdicts.records(other), ".csv")
    session.review_as("Cid")
    verdicts.say(session, [judgement(session, 1, "a-1")])
    done = verdicts.bring(session, session.study, read_lines(file), name="theirs.csv")
    assert (len(done.added), done.n_known, done.problems, done.rechained) == (2, 0, (), True)
    by_hand = b"row;verdict;new;note\n298;model;;seen again\n900;table;;\n4;guess;;\n5;other;sick;\n"
    for count, known in ((1, 0), (0, 1)):
        done = verdicts.bring(session, session.study, read_lines(by_hand), name="mine.csv")
        assert (len(done.added), done.n_known) == (count, known)
        assert [line.partition(":")[0] for line in done.problems] == [
            "Line 3 (row 900)",
            "Line 4 (row 4)",
            "Line 5 (row 5)",
        ]
    held = verdicts.records(session)
    last = held[-1].judgement
    assert entries(session)[:3] == ["a-1", "b-1", "b-2"]
    assert (last.row, last.reviewer, last.new_label, last.model) == (298, "Cid", "benign", session.study.id)
    assert verify(held) == ()


def test_what_had_to_stay_in_memory_is_kept_later(session, workspace, monkeypatch):
    """The study is kept, and then writing what was said fails once: nothing of it is lost."""
    monkeypatch.setattr(HERE, "_open", lambda: None)
    HERE.close()
    verdicts.say(session, [judgement(session, 1, "a-1")])
    monkeypatch.setattr(HERE, "_open", lambda: workspace)
    HERE.close()

    def locked(*_, **__):
        raise StorageError("The database is locked.")

    with monkeypatch.context() as patched:
        patched.setattr(workspace, "say", locked)
        kept.keep(session)
        assert entries(session) == ["a-1"]
    assert entries(session) == ["a-1"]
    assert [record.judgement.entry for record in workspace.records(session.opened.key)] == ["a-1"]
    assert verdicts.say(session, [judgement(session, 2, "a-2")]) == {}
    assert entries(session) == ["a-1", "a-2"]


def test_a_verdict_has_one_name_on_the_page_and_in_the_minutes():
    named = {verdict: WORDS[f"verdict_{verdict}"] for verdict in ReviewVerdict}
    assert {verdict: verdict.words for verdict in ReviewVerdict} == named | {ReviewVerdict.OTHER: "another is right"}
    assert len(set(named.values())) == len(ReviewVerdict)
