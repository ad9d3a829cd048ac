"""Files of verdicts beside the database that they come from."""

import io
from dataclasses import replace

import openpyxl
import pandas as pd
import pytest
from judgements import NOTES, judgement
from number_tables import priced

from proset.common.errors import ProsetError
from proset.data.reading.exact_cells import read_exact
from proset.data.samples import load_sample
from proset.data.table import Limits
from proset.workspace import ReviewVerdict, StudyFacts, row_hash
from proset.workspace.chain import START, chained, verify
from proset.workspace.review_file import read_lines, write_records
from proset.workspace.review_import import ReviewGround, import_lines, take_lines


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


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ("row,verdict,note\n,table,\n1,table,\n", ["Line 2 (row ?): Column 'row' is empty"]),
        ("row,verdict,note\n3,,hello\n1,table,\n", ["Line 2 (row 3): Column 'verdict' is empty."]),
        ("row,verdict\n1,table\n1,other\n", ["Line 3 (row 1): It does not say what row 1 should be. Write it in"]),
    ],
)
def test_a_line_that_is_not_complete_is_named_and_the_others_are_taken(workspace, table, lines, problems):
    card = workspace.create("First", table, StudyFacts.of(table, "species"))
    done = import_lines(workspace, card.id, read_lines(lines.encode(), name="x.csv"))
    assert len(done.added) == 1
    assert [told[: len(starts)] for told, starts in zip(done.problems, problems, strict=True)] == problems


def test_an_exported_line_that_lost_a_cell_is_named(workspace, table, tmp_path):
    card = workspace.create("First", table, StudyFacts.of(table, "species"))
    records = workspace.say(card.id, [judgement(1, row=1, row_hash=row_hash(table, 1))])
    write_records(records, tmp_path / "verdicts.csv")
    for column in ("row", "verdict"):
        frame = pd.read_csv(tmp_path / "verdicts.csv", dtype=str).assign(**{column: None})
        copy = workspace.create("Second", table, card.facts)
        done = import_lines(workspace, copy.id, read_lines(frame.to_csv(index=False).encode(), name="x.csv"))
        assert done.added == ()
        assert f"Column '{column}' is empty." in done.problems[0]


def test_a_number_is_the_same_however_many_digits_it_has(table):
    study = priced()
    row = int(study.split.train[0])
    value = study.table_labels[row]
    ground = ReviewGround(study.table, "price", (), lambda: study)
    lines = read_lines(
        f"row,verdict,old\n{row},table,{value}000000000001\n{row},both,{value}5\n{row},table,1_0\n".encode(), name="x"
    )
    done = take_lines(lines, ground, lambda judgements, *, refused: chained(judgements, number=0, previous=START))
    assert [line.partition(":")[0] for line in done.problems] == [f"Line 3 (row {row})", f"Line 4 (row {row})"]


def test_sheets_are_read_as_they_stand_and_lines_above_the_names_are_passed_over():
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for line in (["row", "verdict", "verdict"], [1, "table", "model"]):
        book.active.append(line)
    book.save(stream)
    with pytest.raises(ProsetError, match="two columns of one name"):
        read_lines(stream.getvalue(), name="x.xlsx")
    for above in ("sep=;\n", "\n\r\n", "\nsep=;\n"):
        (line,) = read_lines(f"{above}row;verdict\n7;table\n".encode(), name="x.csv")
        assert line.cells == {"row": "7", "verdict": "table"}
    with pytest.raises(ProsetError, match="more than 2 lines"):
        read_exact(b"row\n1\n2\n3\n", name="x", limits=Limits(max_rows=2))
