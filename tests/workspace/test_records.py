"""What people say of rows is kept in order, once, and shows what was changed afterwards."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from judgements import FIRST, NOTES, judgement
from sqlalchemy import create_engine, text

from proset.common.errors import StorageError
from proset.data.samples import load_sample
from proset.data.table import read_table
from proset.storage import table_from_bytes, table_to_bytes
from proset.workspace import (
    NotKeptError,
    RefusedJudgementError,
    ReviewVerdict,
    StudyFacts,
    Workspace,
    row_hash,
    standing,
    workspace_address,
)
from proset.workspace.border import checked_judgement
from proset.workspace.chain import START, chained, verify


@pytest.fixture(scope="module")
def table():
    return load_sample("iris_2f")


@pytest.fixture
def card(workspace, table):
    return workspace.create("Flowers", table, StudyFacts.of(table, "species"))


def changed(environ, statement, **values):
    """Change the database behind the back of the program."""
    engine = create_engine(workspace_address(environ).database)
    with engine.begin() as connection:
        connection.execute(text(statement), values)
    engine.dispose()


def test_what_is_said_comes_back(workspace, environ, card):
    full = judgement(
        2,
        row=7,
        verdict=ReviewVerdict.OTHER,
        new_label="virginica",
        reasons=("petal too long", "near others"),
        note="two\nlines",
        certainty="rather",
        cell="petal length",
        seconds=12.3456,
        model="f00",
        settings="quick",
        said="versicolor",
        estimate=0.12345678901234,
        unseen=True,
        hidden=("estimate", "class"),
        place="deep errors first",
    )
    first, second = workspace.say(card.id, [judgement(1), full])
    assert (first.number, first.previous, second.number, second.previous) == (1, START, 2, first.hash)
    assert second.judgement == replace(full, seconds=12.346, estimate=0.123456789)
    again = Workspace(workspace_address(environ))
    assert again.records(card.id) == (first, second)
    assert again.cards()[0].touched > card.touched
    again.close()
    assert verify((first, second)) == ()


@pytest.mark.parametrize("note", NOTES)
def test_notes_come_back_as_they_are(workspace, card, note):
    workspace.say(card.id, [judgement(1, note=note, label=note or None, reasons=(note.strip() or "none",))])
    (record,) = workspace.records(card.id)
    assert (record.judgement.note, record.judgement.label) == (note, note or None)


def test_what_is_sent_twice_is_kept_once(workspace, card):
    first = workspace.say(card.id, [judgement(1), judgement(2)])
    assert workspace.say(card.id, [judgement(2), judgement(1)]) == ()
    third = workspace.say(card.id, [judgement(1), judgement(3), judgement(3)])
    assert workspace.records(card.id) == (*first, *third)
    says = "Row 1: the entry 'client-2' is kept already with another note"
    with pytest.raises(RefusedJudgementError, match=says) as no:
        workspace.say(card.id, [judgement(4), judgement(2, note="other words")])
    assert no.value.entry == "client-2"
    assert len(workspace.records(card.id)) == 3


def test_another_zone_is_the_same_time(workspace, card):
    workspace.say(card.id, [judgement(1)])
    same = judgement(1).at.astimezone(timezone(timedelta(hours=5)))
    assert workspace.say(card.id, [judgement(1, at=same)]) == ()


def test_what_stands(workspace, card):
    said = [
        judgement(1, row=7, verdict=ReviewVerdict.MODEL),
        judgement(2, row=7, verdict=ReviewVerdict.BOTH),
        judgement(3, row=7, verdict=ReviewVerdict.FAULTY, reviewer="Bob"),
        judgement(4, row=8, verdict=ReviewVerdict.SKIPPED),
        judgement(5, row=9),
        judgement(6, row=7, verdict=ReviewVerdict.UNDONE, takes_back="client-2"),
        judgement(7, row=9, verdict=ReviewVerdict.UNDONE, takes_back="client-5"),
    ]
    counts = []
    for number in range(len(said)):
        workspace.say(card.id, [said[number]])
        counts.append(workspace.cards()[0].n_reviewed)
        stands = standing(workspace.records(card.id))
        rows = {row for (row, _), record in stands.items() if record.judgement.verdict is not ReviewVerdict.SKIPPED}
        assert counts[-1] == len(rows)
    assert counts == [1, 1, 1, 1, 2, 2, 1]
    named = {where: record.judgement.entry for where, record in stands.items()}
    assert named == {(7, "Ada"): "client-1", (7, "Bob"): "client-3", (8, "Ada"): "client-4"}
    assert workspace.read(card.id).card.n_reviewed == 1


def test_all_that_are_refused_are_told_at_once_and_the_others_are_kept(workspace, card):
    undone = {"verdict": ReviewVerdict.UNDONE}
    told = []
    added = workspace.say(
        card.id,
        [
            judgement(1),
            judgement(2, **undone, takes_back="nobody"),
            judgement(3, takes_back="client-1"),
            judgement(4, **undone, takes_back="client-2"),  # of what was refused itself
            judgement(5),
        ],
        refused=told.append,
    )
    assert [record.judgement.entry for record in added] == ["client-1", "client-5"]
    assert {error.entry for error in told} == {"client-2", "client-3", "client-4"}
    assert [record.number for record in workspace.records(card.id)] == [1, 2]


def test_nobody_takes_back_what_somebody_else_has_said(workspace, card):
    undo = {"verdict": ReviewVerdict.UNDONE, "takes_back": "client-1"}
    workspace.say(card.id, [judgement(1, row=7)])
    for wrong, says in [
        ({**undo, "row": 8}, "another row or reviewer"),
        ({**undo, "row": 7, "reviewer": "Bob"}, "another row or reviewer"),
        ({**undo, "row": 7, "takes_back": "none"}, "is not there"),
    ]:
        with pytest.raises(RefusedJudgementError, match=says):
            workspace.say(card.id, [judgement(2, **wrong)])
    workspace.say(card.id, [judgement(2, row=7, **undo)])
    with pytest.raises(RefusedJudgementError, match="takes something back itself"):
        workspace.say(card.id, [judgement(3, row=7, verdict=ReviewVerdict.UNDONE, takes_back="client-2")])


def test_records_go_with_their_study(workspace, card, table):
    kept = workspace.say(card.id, [judgement(1), judgement(2, row=3)])
    workspace.withdraw(card.id, card.version)  # somebody has added something
    copy = workspace.duplicate(card.id)
    assert copy.n_reviewed == 2
    assert workspace.records(copy.id) == kept
    workspace.say(copy.id, [judgement(3)])
    assert workspace.records(card.id) == kept
    workspace.delete(card.id)
    for asked in (workspace.records, lambda study: workspace.say(study, [judgement(9)])):
        with pytest.raises(NotKeptError):
            asked(card.id)
    workspace.sweep()
    workspace.restore(card.id)
    assert workspace.records(card.id) == kept
    workspace.remove(card.id)
    assert len(workspace.records(copy.id)) == 3
    again = workspace.create("Flowers", table, StudyFacts.of(table, None), study_id=card.id)
    assert workspace.records(again.id) == ()


def test_what_is_removed_leaves_no_note(tmp_path, table):
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path)}))
    card = workspace.create("Flowers", table, StudyFacts.of(table, None))
    workspace.say(card.id, [judgement(1, note="secret_note", reviewer="secret_name")])
    workspace.remove(card.id)
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"secret_note" not in held
    assert b"secret_name" not in held
    workspace.close()


# --- the border -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"note": "x" * 5_001}, "Row 1: the note has 5,001 characters. Take at most 5,000."),
        ({"note": 7}, "the note is no text"),
        ({"reviewer": "x" * 201}, "the reviewer has 201 characters"),
        ({"reasons": ("x",) * 21}, "the reasons are 21. Take at most 20."),
        ({"reasons": ("x" * 101,)}, "the reasons hold a text that has 101 characters"),
        ({"reasons": "text"}, "the reasons are no list of texts"),
        ({"hidden": ("x" * 101,)}, "the hidden hold a text that has 101 characters"),
        ({"label": "x" * 2_001}, "the class in the table has 2,001 characters"),
        ({"new_label": ""}, "the new class is empty"),
        ({"certainty": "perhaps"}, "the certainty is 'perhaps'. Take one of sure, rather, unsure"),
        ({"verdict": "yes"}, "the verdict is 'yes'. Take one of table, model"),
        ({"takes_back": "client-0"}, "is for the verdict 'undone' only"),
        ({"verdict": ReviewVerdict.UNDONE}, "the entry that is taken back is 'None'"),
        ({"entry": "two words"}, "the entry is 'two words'. It has 1 to 80 letters"),
        ({"entry": "x" * 81}, "the entry is"),
        ({"row_hash": "abc"}, "the hash of the row is 'abc'"),
        ({"row": 0}, "the row is no row number"),
        ({"row": True}, "the row is no row number"),
        ({"row": 1 << 31}, "the row is no row number"),
        ({"at": FIRST.replace(tzinfo=None)}, "the time is no time with a zone"),
        ({"seconds": float("nan")}, "the seconds is no finite number"),
        ({"seconds": -1.0}, "the seconds is -1"),
        ({"estimate": 1.1}, "the estimate is 1.1. It goes from 0 to 1."),
        ({"unseen": 1}, "the unseen is neither true nor false"),
        ({"model": "x" * 65}, "the model has 65 characters"),
    ],
)
def test_what_is_wrong_is_refused_by_name(wrong, says):
    with pytest.raises(RefusedJudgementError) as caught:
        checked_judgement(replace(judgement(1), **wrong))
    assert says in str(caught.value)
    assert caught.value.entry == wrong.get("entry", "client-1")


def test_odd_characters_are_made_harmless(workspace, card):
    odd = "a\x00b\x1b[31m\r\nc\rd\ud800e\ufffe"
    workspace.say(card.id, [judgement(1, note=odd, reviewer=f" {odd}\n", reasons=(odd, " \n"), label=odd, place=odd)])
    (record,) = workspace.records(card.id)
    said = record.judgement
    assert said.note == "a b [31m\nc\nd\ufffde "
    assert said.reviewer == said.place == "a b [31m c d\ufffde"
    assert said.reasons == ("a b [31m c d\ufffde",)
    assert said.label == "a\ufffdb\x1b[31m\r\nc\rd\ufffde\ufffe"  # as in the table, but for what nothing can hold
    assert checked_judgement(said) == said
    assert verify([record]) == ()


def test_an_estimate_that_rounding_has_pushed_over_one_is_one():
    assert checked_judgement(judgement(1, estimate=1.0 + 1e-12)).estimate == 1.0
    assert str(checked_judgement(judgement(1, estimate=-1e-14)).estimate) == "0.0"


# --- the hash of a row ----------------------------------------------------------------------------------------------
def test_the_hash_of_a_row_stays_over_saving():
    lines = "n,x,flag,day,words\n1,0.1,true,2026-01-02,größe\n2,,false,,\n3,1e300,true,2026-01-02 03:04:05.000006,x\n"
    table = read_table(lines.encode())
    again = table_from_bytes(table_to_bytes(table))
    hashes = [row_hash(table, row) for row in table.frame.index]
    assert hashes == [row_hash(again, row) for row in again.frame.index]
    assert len(set(hashes)) == 3
    with pytest.raises(StorageError, match="no row 4"):
        row_hash(table, 4)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("n", 9),
        ("x", np.nextafter(0.5, 1)),
        ("x", np.nan),
        ("flag", False),
        ("day", pd.NaT),
        ("words", None),
        ("words", "A"),
    ],
)
def test_the_hash_of_a_row_sees_every_change(column, value):
    table = read_table(b"n,x,flag,day,words\n1,0.5,true,2026-01-02,a\n2,0.25,false,2026-01-03,b\n")
    frame = table.frame.copy()
    frame.loc[1, column] = value
    other = table.with_columns(frame, {column})
    assert row_hash(other, 1) != row_hash(table, 1)
    assert row_hash(other, 2) == row_hash(table, 2)  # a column of whole numbers that has a gap now included


def test_the_hash_of_a_row_is_the_same_on_every_machine():
    table = read_table(b"n,x,words\n1,0.1,a\n2,,b\n")
    assert row_hash(table, 1)[:12] == "71a7025ecd6c"


# --- the chain ------------------------------------------------------------------------------------------------------
@pytest.fixture
def five(workspace, card):
    return workspace.say(card.id, [judgement(number, row=10 + number) for number in range(1, 6)])


def test_a_changed_note_shows(workspace, environ, card, five):
    assert verify(workspace.records(card.id)) == ()
    changed(environ, "UPDATE records SET note = 'never said' WHERE number = 3")
    assert verify(workspace.records(card.id)) == ("Record 3 (row 13) was changed after it was written.",)


@pytest.mark.parametrize(
    "change",
    [
        "row = 99",
        "row_hash = 'b'",
        "label = NULL",
        "new_label = 'x'",
        "verdict = 'both'",
        "reasons = '[\"x\"]'",
        "reasons = 'no list'",
        "certainty = 'sure'",
        "cell = 'x'",
        "takes_back = 'client-1'",
        "reviewer = 'Bob'",
        "at = '2026-03-09T12:03:00.123457+00:00'",
        "seconds = 1.5",
        "model = 'x'",
        "settings = 'x'",
        "said = 'x'",
        "estimate = 0.5",
        "unseen = true",
        "hidden = '[\"x\"]'",
        "place = 'x'",
        "entry = 'x'",
        "previous = 'x'",
        "hash = 'x'",
    ],
)
def test_every_change_shows(workspace, environ, card, five, change):
    changed(environ, f"UPDATE records SET {change} WHERE number = 3")
    found = verify(workspace.records(card.id))
    assert found
    assert found[0].startswith("Record 3 (row ")


def test_what_is_no_time_and_no_verdict_any_more_is_said(workspace, environ, card, five):
    changed(environ, "UPDATE records SET at = 'soon' WHERE number = 3")
    with pytest.raises(StorageError, match=r"Record 3 \(row 13\) was changed after it was written"):
        workspace.records(card.id)


def test_a_removed_record_shows(workspace, environ, card, five):
    changed(environ, "DELETE FROM records WHERE number = 2")
    assert verify(workspace.records(card.id)) == ("Record 2 is missing: after record 1 comes record 3.",)
    changed(environ, "DELETE FROM records WHERE number IN (1, 3)")
    assert verify(workspace.records(card.id)) == ("Records 1 to 3 are missing: at the beginning comes record 4.",)


def test_two_records_that_changed_places_show(workspace, environ, card, five):
    for before, after in ((2, 99), (3, 2), (99, 3)):
        changed(environ, "UPDATE records SET number = :after WHERE number = :before", before=before, after=after)
    assert verify(workspace.records(card.id)) == (
        "Record 2 (row 13) was changed after it was written.",
        "Record 3 (row 12) was changed after it was written.",
    )
    first, second, third, *_ = five
    assert verify([first, third, second]) == (
        "Record 2 is missing: after record 1 comes record 3.",
        "Record 2 (row 12) stands in the wrong place: it comes after record 3.",
    )


def test_a_record_with_a_new_hash_shows_in_the_one_behind(five):
    first, second, third, *rest = five
    (forged,) = chained([replace(second.judgement, note="forged")], number=1, previous=first.hash)
    assert verify([first, forged, third, *rest]) == (
        "Record 3 (row 13) was written behind another record 2 than the one that stands there.",
    )


# --- two at once ----------------------------------------------------------------------------------------------------
def whole(workspace, card, n_records):
    """Whether all records are there, in one chain."""
    records = workspace.records(card.id)
    assert verify(records) == ()
    assert [record.number for record in records] == list(range(1, n_records + 1))
    assert len({record.judgement.entry for record in records}) == n_records


@pytest.mark.slow
def test_two_who_say_things_at_once_are_both_kept(environ, workspace, card):
    """Each with a connection of its own, and all of it sent twice."""

    def speak(name):
        mine = Workspace(workspace_address(environ))
        for number in range(100):
            mine.say(card.id, [judgement(number, row=1 + number, entry=f"{name}-{number}", reviewer=name)])
        mine.close()

    with ThreadPoolExecutor(3) as several:
        list(several.map(speak, ("ada", "bob", "ada")))
    whole(workspace, card, 200)
    assert workspace.cards()[0].n_reviewed == 100


_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from judgements import judgement
from proset.workspace import Workspace, workspace_address
mine = Workspace(workspace_address())
for number in range(40):
    mine.say(sys.argv[2], [judgement(number, entry=f"{sys.argv[3]}-{number}")])
mine.close()
"""


@pytest.mark.slow
def test_two_programs_at_once_are_both_kept(environ, workspace, card, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    here = str(Path(__file__).parents[1])
    programs = [
        subprocess.Popen([sys.executable, "-c", _PROGRAM, here, card.id, name], stderr=subprocess.PIPE)
        for name in ("ada", "bob")
    ]
    for program in programs:
        _, said = program.communicate(timeout=300)
        assert program.returncode == 0, said.decode()
    whole(workspace, card, 80)
