"""``proset review``: verdicts leave as files and come back as they were, and what was changed shows."""

import csv
from contextlib import closing

import pytest
from judgements import NOTES, judgement
from python_calamine import CalamineWorkbook
from sqlalchemy import create_engine, text

from proset import fit_number_study, fit_study, read_table
from proset.cli import main
from proset.common.cells import safe_text
from proset.data.role_guess import guess_roles
from proset.workspace import ReviewVerdict, StudyFacts, Workspace, row_hash, workspace_address
from proset.workspace.chain import verify
from proset.workspace.review_file import read_lines, records_frame


@pytest.fixture
def kept(tmp_path, monkeypatch, study):
    """A workspace with two studies of one table: one with a model, one without."""
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "kept"))
    monkeypatch.delenv("PROSET_DATABASE", raising=False)
    workspace = Workspace(workspace_address())
    card = workspace.create("Patients", study.table, StudyFacts.of(study.table, "outcome", study))
    workspace.keep_model(card.id, study)
    workspace.create("Copy", study.table, StudyFacts.of(study.table, "outcome"))
    yield workspace
    workspace.close()


@pytest.fixture
def ids(kept):
    return {card.name: card.id for card in kept.cards()}


def said_of(study):
    """One judgement for each odd note, with everything that can be said, and one that is taken back."""
    several = [
        judgement(
            number,
            row=1 + number,
            row_hash=row_hash(study.table, 1 + number),
            label="well",
            new_label=["ill", None][number % 2],
            verdict=list(ReviewVerdict)[number % 7],
            note=note,
            reasons=("=2*3", note.replace("\n", " ").strip() or "plain")[: number % 3],
            certainty=["sure", None][number % 2],
            cell=["weight", None][number % 2],
            reviewer=["", "@Zoë 診断"][number % 2],
            seconds=[None, 12.345][number % 2],
            model="f00d",
            settings="=quick; +fit",
            said=[None, "fair"][number % 2],
            estimate=[None, 0.1234567891, 1 / 3][number % 3],
            unseen=number % 2 == 0,
            hidden=("estimate", "class")[: number % 3],
            place="deep errors first; -filter",
        )
        for number, note in enumerate(NOTES)
    ]
    undo = judgement(
        99, row=1, row_hash=several[0].row_hash, verdict=ReviewVerdict.UNDONE, takes_back="client-0", reviewer=""
    )
    return [*several, undo]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_export_then_import_is_the_identity(kept, ids, study, tmp_path, capsys, ending):
    records = kept.say(ids["Patients"], said_of(study))
    path = tmp_path / f"verdicts{ending}"
    assert main(["review", "export", "Patients", "-o", str(path)]) == 0
    assert f"17 records of 'Patients' written to {path}" in capsys.readouterr().err
    assert main(["review", "import", "Copy", str(path)]) == 0
    assert "17 records added to 'Copy', 0 there before" in capsys.readouterr().err
    assert kept.records(ids["Copy"]) == records
    for name in ("Patients", "Copy"):
        assert main(["review", "import", name, str(path)]) == 0
        said = capsys.readouterr().err
        assert f"0 records added to '{name}', 17 there before" in said
        assert "hashes are new" not in said
        assert kept.records(ids[name]) == records
    assert main(["review", "verify", str(path)]) == 0
    assert f"17 records, nothing was changed; the last hash is {records[-1].hash}" in capsys.readouterr().out


def test_minutes_are_written_for_people(kept, ids, study, tmp_path, capsys):
    kept.say(ids["Patients"], said_of(study))
    path = tmp_path / "minutes.html"
    assert main(["review", "export", "Patients", "-o", str(path)]) == 0
    assert f"17 records of 'Patients' written to {path}" in capsys.readouterr().err
    found = path.read_text(encoding="utf-8")
    assert "Minutes of the review of Patients" in found
    assert "@Zoë 診断" in found
    assert "<script" not in found


def test_no_cell_is_a_formula(kept, ids, study, tmp_path):
    kept.say(ids["Patients"], said_of(study))
    path = tmp_path / "verdicts.csv"
    assert main(["review", "export", "Patients", "-o", str(path), "--quiet"]) == 0
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    assert names[:9] == ["row", "old", "new", "verdict", "reasons", "note", "reviewer", "time", "model"]
    assert len(rows) == 17
    assert all(cell == safe_text(cell) for row in rows for cell in row)
    assert any(cell.startswith("'=") for row in rows for cell in row)


def test_a_workbook_is_a_workbook(kept, ids, study, tmp_path):
    kept.say(ids["Patients"], said_of(study))
    path = tmp_path / "verdicts.xlsx"
    assert main(["review", "export", "Patients", "-o", str(path), "--quiet"]) == 0
    names, first, *_ = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    assert names == records_frame(()).columns.tolist()
    assert (first[0], first[1], first[2], first[3]) == (1.0, "well", "ill", "table")


def test_lines_in_another_order_come_back_in_theirs(kept, ids, study, tmp_path):
    records = kept.say(ids["Patients"], said_of(study))
    path = tmp_path / "verdicts.csv"
    main(["review", "export", "Patients", "-o", str(path), "-q"])
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows([names, *reversed(rows)])
    assert main(["review", "import", "Copy", str(path)]) == 0
    assert kept.records(ids["Copy"]) == records


def test_behind_other_records_the_chain_is_new_and_whole(kept, ids, study, tmp_path, capsys):
    kept.say(ids["Patients"], said_of(study))
    kept.say(ids["Copy"], [judgement(500, row=3)])
    path = tmp_path / "verdicts.csv"
    main(["review", "export", "Patients", "-o", str(path), "-q"])
    assert main(["review", "import", "Copy", str(path)]) == 0
    said = capsys.readouterr().err
    assert "17 records added" in said
    assert "so their hashes are new" in said
    records = kept.records(ids["Copy"])
    assert [record.judgement for record in records[1:]] == [
        record.judgement for record in kept.records(ids["Patients"])
    ]
    assert verify(records) == ()


def written(path, lines):
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_a_file_by_hand_is_taken_once(kept, ids, study, tmp_path, capsys):
    by_hand = ["Row;Verdict;new;Note;reviewer", '3;Model;ill;looks ill, "really";Ada', "4;table;;;", "4;table;;;"]
    path = written(tmp_path / "mine.csv", by_hand)
    assert main(["review", "import", "Patients", path]) == 0
    assert "2 records added to 'Patients', 1 there before" in capsys.readouterr().err
    first, second = (record.judgement for record in kept.records(ids["Patients"]))
    labels = study.labels
    assert (first.row, first.verdict, first.new_label, first.note) == (
        3,
        ReviewVerdict.MODEL,
        "ill",
        'looks ill, "really"',
    )
    assert (first.label, first.reviewer, first.model) == (labels[3], "Ada", study.id)
    assert (first.row_hash, second.label, second.reviewer) == (row_hash(study.table, 3), labels[4], "")
    assert main(["review", "import", "Patients", path]) == 0
    assert "0 records added to 'Patients', 3 there before" in capsys.readouterr().err
    assert main(["review", "import", "Copy", path, "--quiet"]) == 0  # a study without a model knows the classes as well
    assert kept.records(ids["Copy"])[0].judgement.label == labels[3]
    assert capsys.readouterr().err == ""
    assert main(["review", "verify", "Copy"]) == 0


def test_what_does_not_fit_is_listed_and_all_else_kept(kept, ids, study, tmp_path, capsys):
    label = study.labels[3]
    lines = [
        "row,old,new,verdict,note,seconds",
        "3,,,table,kept,",
        "999,,,table,,",
        "3,,unheard of,other,,",
        f"3,{'ill' if label != 'ill' else 'well'},,table,,",
        "x,,,table,,",
        "4,,,perhaps,,",
        "5,,,both,,long",
        "6,,,undone,,",
        f"7,,,table,{'x' * 5001},",
        "8,,,both,kept too,2.5",
    ]
    assert main(["review", "import", "Patients", written(tmp_path / "mine.csv", lines)]) == 1
    said = capsys.readouterr().err
    for expected in (
        "Line 3 (row 999): The table has no row 999.",
        "Line 4 (row 3): 'unheard of' is no class of this table. Its classes are 'fair', 'ill', 'well'.",
        f"Line 5 (row 3): The table says '{label}' for row 3",
        "Line 6 (row x): Column 'row' holds 'x', which is no whole number.",
        "Line 7 (row 4): the verdict is 'perhaps'. Take one of table, model",
        "Line 8 (row 5): Column 'seconds' holds 'long', which is no number.",
        "Line 9 (row 6): the entry that is taken back is 'None'.",
        "Line 10 (row 7): the note has 5,001 characters. Take at most 5,000.",
        "2 records added",
        "8 lines of",
    ):
        assert expected in said
    assert [record.judgement.note for record in kept.records(ids["Patients"])] == ["kept", "kept too"]


def test_a_verdict_by_hand_that_changes_a_class_says_which_or_it_is_plain(kept, ids, study, tmp_path, capsys):
    held_out = study.predictions.loc[study.split.held_out]
    wrong, right = (held_out.index[(held_out["predicted"] == held_out["actual"]) == same][0] for same in (False, True))
    train = int(study.split.train[0])
    lines = ["row,verdict", f"{wrong},model", f"{right},model", f"{train},model", f"{train},other", f"{train},table"]
    assert main(["review", "import", "Patients", written(tmp_path / "mine.csv", lines)]) == 1
    told = capsys.readouterr().err
    for row in (right, train):
        assert f"It does not say what row {row} should be. Write it in the column 'new'." in told
    changed, same = (record.judgement for record in kept.records(ids["Patients"]))
    assert (changed.row, changed.new_label) == (wrong, held_out.loc[wrong, "predicted"])
    assert (same.row, same.verdict, same.new_label) == (train, ReviewVerdict.TABLE, None)


def test_a_line_by_hand_that_contradicts_itself_is_refused(kept, ids, study, tmp_path, capsys):
    own, other = study.labels[3], next(name for name in study.classes if name != study.labels[4])
    lines = ["row,verdict,new", f"3,table,{own}", f"4,table,{other}", f"5,other,{study.labels[5]}"]
    assert main(["review", "import", "Patients", written(tmp_path / "mine.csv", lines)]) == 1
    assert [record.judgement.row for record in kept.records(ids["Patients"])] == [3, 5]
    told = " ".join(capsys.readouterr().err.split())
    assert f"the table is right, which has '{study.labels[4]}' for row 4, and that the row should be '{other}'" in told


def test_of_two_classes_the_model_means_the_other_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "kept"))
    monkeypatch.delenv("PROSET_DATABASE", raising=False)
    lines = ["size,kind"] + [f"{value},{'big' if value > 30 else 'small'}" for value in range(60)]
    table = read_table("\n".join(lines).encode(), name="kinds.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles)
    with closing(Workspace(workspace_address())) as workspace:
        card = workspace.create("Kinds", study.table, StudyFacts.of(study.table, "kind", study))
        workspace.keep_model(card.id, study)
        assert main(["review", "import", "Kinds", written(tmp_path / "mine.csv", ["row,verdict", "3,model"])]) == 0
        assert [record.judgement.new_label for record in workspace.records(card.id)] == ["big"]


def test_conflicts_with_an_export_are_said(kept, ids, study, tmp_path, capsys):
    """A note that was changed in the file, an entry with other content, a row that holds something else by now."""
    kept.say(ids["Patients"], said_of(study)[:3])
    kept.say(ids["Patients"], [judgement(3, row=4)])  # with the hash of other values
    kept.say(ids["Copy"], [judgement(1, row=2, note="said otherwise")])
    path = tmp_path / "verdicts.csv"
    main(["review", "export", "Patients", "-o", str(path), "-q"])
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    rows[2][names.index("note")] = "forged"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])
    assert main(["review", "import", "Copy", str(path)]) == 1
    said = capsys.readouterr().err
    other = "hash of the row, class in the table, verdict"
    assert f"Line 3 (row 2): the entry 'client-1' is kept already with another {other}" in said
    assert "Line 4 (row 3): It was changed after it was exported: its hash is another one." in said
    assert "Line 5 (row 4): Row 4 holds other values than when this was said." in said
    assert [record.judgement.entry for record in kept.records(ids["Copy"])] == ["client-1", "client-0"]
    assert main(["review", "verify", str(path)]) == 1
    assert capsys.readouterr().out == "Record 3 (row 3) was changed after it was written.\n"


def test_verify_says_what_was_changed(kept, ids, study, capsys):
    assert main(["review", "verify", "Copy"]) == 0
    assert capsys.readouterr().out == "0 records, nothing was changed\n"
    kept.say(ids["Copy"], said_of(study))
    assert main(["review", "verify", ids["Copy"]]) == 0
    assert "17 records, nothing was changed; the last hash is" in capsys.readouterr().out
    engine = create_engine(workspace_address().database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE records SET note = 'x' WHERE number = 5"))
        connection.execute(text("DELETE FROM records WHERE number IN (8, 9)"))
    engine.dispose()
    assert main(["review", "verify", "Copy"]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "Record 5 (row 5) was changed after it was written.",
        "Records 8 to 9 are missing: after record 7 comes record 10.",
    ]
    assert "are not as they were written" in told.err


def test_what_was_cut_off_shows_by_the_hash_that_was_noted(kept, ids, study, capsys):
    noted = kept.say(ids["Copy"], said_of(study))[-1].hash
    kept.say(ids["Copy"], [judgement(500)])
    assert main(["review", "verify", "Copy", "--noted", noted.upper()]) == 0
    engine = create_engine(workspace_address().database)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM records WHERE number >= 17"))
    engine.dispose()
    assert main(["review", "verify", "Copy"]) == 0
    capsys.readouterr()
    assert main(["review", "verify", "Copy", "--noted", noted]) == 1
    assert f"No record has the hash '{noted}': it was cut off" in capsys.readouterr().out


def test_what_is_of_another_kind_in_the_database_is_said_and_leaves(kept, ids, study, tmp_path, capsys):
    """SQLite keeps whatever somebody else puts into a column."""
    kept.say(ids["Copy"], said_of(study))
    engine = create_engine(workspace_address().database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE records SET \"row\" = 'x', estimate = 'much', note = x'00ff' WHERE number = 5"))
    engine.dispose()
    assert main(["review", "verify", "Copy"]) == 1
    assert capsys.readouterr().out == "Record 5 (row x) was changed after it was written.\n"
    for ending in (".csv", ".xlsx"):
        path = tmp_path / f"verdicts{ending}"
        assert main(["review", "export", "Copy", "-o", str(path)]) == 0
        assert main(["review", "import", "Patients", str(path)]) == 1
        assert "Line 6 (row x): Column 'row' holds 'x'" in capsys.readouterr().err
    assert len(kept.records(ids["Patients"])) == 16


def test_a_file_is_checked_without_a_workspace(kept, ids, study, tmp_path, monkeypatch, capsys):
    kept.say(ids["Copy"], said_of(study))
    main(["review", "export", "Copy", "-o", str(tmp_path / "Copy.csv"), "-q"])
    (tmp_path / "Copy.csv").rename(tmp_path / "Copy")
    monkeypatch.chdir(tmp_path)
    assert main(["review", "verify", "Copy"]) == 1
    assert "Both a study and a file are called 'Copy'. Write ./Copy for the file" in capsys.readouterr().err
    monkeypatch.setenv("PROSET_WORKSPACE", "none")
    assert main(["review", "verify", "Copy"]) == 0
    written(tmp_path / "mine.csv", ["row,verdict", "3,table"])
    assert main(["review", "verify", "mine.csv"]) == 1
    assert "Line 2 (row 3): It has no number and hashes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "Nobody", "-o", "x.csv"], "No study is called 'Nobody'"),
        (["export", "Copy", "-o", "x.txt"], "'x.txt' has no known ending. Use .csv or .xlsx."),
        (["export", "Copy", "-o", "nowhere/x.csv"], "The folder 'nowhere' does not exist"),
        (["import", "Copy", "nothing.csv"], "nothing.csv"),
        (["import", "Copy", "other.csv"], "'other.csv' has no column 'row', 'verdict'"),
        (["verify", "Nobody"], "No study is called 'Nobody'"),
    ],
)
def test_what_is_not_there_is_said(kept, tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    assert main(["review", *arguments]) == 1
    assert says in capsys.readouterr().err


def test_reviewed_rows_are_listed(kept, ids, study, capsys):
    kept.say(ids["Copy"], said_of(study)[:2])
    assert main(["list"]) == 0
    assert "no model yet, 2 rows reviewed" in capsys.readouterr().out


def test_every_line_is_read_as_it_was_written(kept, ids, study, tmp_path):
    records = kept.say(ids["Copy"], said_of(study))
    path = tmp_path / "verdicts.csv"
    main(["review", "export", "Copy", "-o", str(path), "-q"])
    assert tuple(line.record() for line in read_lines(path)) == records


def test_numbers_by_hand_are_taken_in_one_spelling_and_what_is_none_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "kept"))
    monkeypatch.delenv("PROSET_DATABASE", raising=False)
    lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    table = read_table("\n".join(lines).encode(), name="prices.csv")
    study = fit_number_study(table, guess_roles(table, target="price").roles)
    with closing(Workspace(workspace_address())) as workspace:
        card = workspace.create("Prices", study.table, StudyFacts.of(study.table, "price", study))
        workspace.keep_model(card.id, study)
    path = tmp_path / "said.csv"
    path.write_text(
        "row,verdict,old,new,reviewer\n"
        "3,other,8.0,12.50,Ann\n"  # the table has 8
        "4,table,,,Ann\n"
        "5,other,,much,Ann\n"
        "6,other,99,12,Ann\n"
        "7,model,,,Ann\n"
    )
    assert main(["review", "import", "Prices", str(path)]) == 1
    told = capsys.readouterr().err
    assert "'much' is no number. Write it with a point, such as 310.5." in told
    assert "The table says 20 for row 6, not '99'" in told
    assert "It does not say what row 7 should be. Write it in the column 'new'." in told
    with closing(Workspace(workspace_address())) as workspace:
        said = {record.judgement.row: record.judgement for record in workspace.records(card.id)}
    assert sorted(said) == [3, 4]
    assert (said[3].label, said[3].new_label) == ("8", "12.5")
    assert said[4].label == "12"
    assert main(["review", "verify", "Prices"]) == 0
    minutes = tmp_path / "minutes.html"
    assert main(["review", "export", "Prices", "-o", str(minutes)]) == 0
    assert "12.5" in minutes.read_text()
