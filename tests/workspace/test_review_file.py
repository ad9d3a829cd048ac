"""Files of verdicts beside the database that they come from."""

from dataclasses import replace

import pytest
from judgements import NOTES, judgement

from proset.common.errors import ProsetError
from proset.data.samples import load_sample
from proset.workspace import ReviewVerdict, StudyFacts, row_hash
from proset.workspace.chain import verify
from proset.workspace.review_file import read_lines, write_records
from proset.workspace.review_import import import_lines


@pytest.fixture
def table():
    return load_sample("iris_2f")


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_the_same_records_come_back_into_another_study(workspace, table, tmp_path, ending):
    facts = StudyFacts.of(table, "species")
    first, second = (workspace.create(name, table, facts) for name in ("First", "Second"))
    hashed = {row: row_hash(table, row) for row in table.frame.index[: len(NOTES)]}
    said = [
        judgement(row, row=row, row_hash=hashed[row], note=note, seconds=row / 7, estimate=1 / (row + 1))
        for row, note in zip(hashed, NOTES, strict=True)
    ]
    said.append(replace(said[0], entry="undo", verdict=ReviewVerdict.UNDONE, takes_back=said[0].entry))
    said.append(replace(said[1], entry="differs", verdict=ReviewVerdict.BOTH, reviewer="Ben"))
    said.append(replace(said[1], entry="settles", reviewer="Cid", settles=(said[1].entry, "differs")))
    records = workspace.say(first.id, said)
    write_records(records, tmp_path / f"verdicts{ending}")
    done = import_lines(workspace, second.id, read_lines(tmp_path / f"verdicts{ending}"))
    assert (done.added, done.n_known, done.problems, done.rechained) == (records, 0, (), False)
    assert workspace.records(second.id) == records
    again = import_lines(workspace, second.id, read_lines(tmp_path / f"verdicts{ending}"))
    assert (again.added, again.n_known, again.problems) == ((), len(said), ())
    assert workspace.read(second.id).card.n_reviewed == len(NOTES) - 1


def test_what_was_taken_back_goes_with_what_takes_it_back(workspace, table, tmp_path):
    """An undo whose entry does not come in stays out, and is listed in the place of its line."""
    card = workspace.create("First", table, StudyFacts.of(table, "species"))
    good, other = (row_hash(table, row) for row in (1, 2))
    records = workspace.say(
        card.id,
        [
            judgement(1, row=1, row_hash=other),  # of other values
            judgement(2, row=1, row_hash=good, verdict=ReviewVerdict.UNDONE, takes_back="client-1"),
            judgement(3, row=2, row_hash=other),
        ],
    )
    write_records(records, tmp_path / "verdicts.csv")
    copy = workspace.create("Second", table, card.facts)
    done = import_lines(workspace, copy.id, read_lines(tmp_path / "verdicts.csv"))
    assert [record.judgement.entry for record in done.added] == ["client-3"]
    assert done.rechained
    assert done.problems == (
        "Line 2 (row 1): Row 1 holds other values than when this was said.",
        "Line 3 (row 1): the entry 'client-1' cannot be taken back: it is not there.",
    )
    assert verify(workspace.records(copy.id)) == ()


def test_a_class_that_no_workbook_can_hold_is_refused_there_only(workspace, table, tmp_path):
    card = workspace.create("First", table, StudyFacts.of(table, None))
    records = workspace.say(card.id, [judgement(1, label="a\x01b\rc")])
    with pytest.raises(ProsetError, match=r"no workbook can hold. Write a \.csv"):
        write_records(records, tmp_path / "verdicts.xlsx")
    assert not (tmp_path / "verdicts.xlsx").exists()
    write_records(records, tmp_path / "verdicts.csv")
    assert tuple(line.record() for line in read_lines(tmp_path / "verdicts.csv")) == records


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'row,verdict,note\n1,table,"never ends\n', "'x.csv' is damaged"),
        (b"row,verdict,Reason,reasons\n1,table,a,b\n", "two columns of one name"),
        (b"number,note\n1,2\n", "no column 'row', 'verdict'"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "x.csv"),
    ],
)
def test_what_is_no_file_of_verdicts_is_refused(content, says):
    with pytest.raises(ProsetError, match=says):
        read_lines(content, name="x.csv")


def test_files_of_other_programs_are_read():
    text = "Row;Verdict;Note\r\n3;table;größer\r\n;;\r\n"
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        (line,) = read_lines(text.encode(encoding), name="x.csv")
        assert line.cells == {"row": "3", "verdict": "table", "note": "größer"}
        assert (line.number, line.exported) == (2, False)
