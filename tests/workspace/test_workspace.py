"""What is kept comes back, what is removed is gone, and nobody's word is lost."""

import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from judgements import judgement
from sqlalchemy import create_engine, text

from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.study import FitSettings, fit_study
from proset.study.unseen import judge_unseen
from proset.workspace import ChangedElsewhereError, NotKeptError, StudyFacts, Workspace, database, workspace_address
from proset.workspace.schema import Base

FEW = FitSettings(num_candidates=20)


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW)


@pytest.fixture(scope="module")
def other(study):
    return fit_study(study.table, study.roles, settings=replace(FEW, lambda_v=2e-3))


@pytest.fixture
def card(workspace, study):
    return workspace.create("Flowers", study.table, StudyFacts.of(study.table, "species"), source=b"the file")


def files(workspace):
    """Files of tables, uploads and models."""
    return [path for path in (workspace.address.folder / "files").rglob("*") if path.is_file()]


def test_a_study_comes_back_as_it_was(workspace, environ, study, other, card):
    workspace.keep_model(card.id, study)
    workspace.keep_model(card.id, other)
    workspace.keep_model(card.id, study)  # once more changes nothing
    facts = StudyFacts.of(study.table, "species", study)
    assert workspace.change(card.id, 1, '{"recipe": 3}') == 2
    workspace.look(card.id, '{"row": 3}', facts)
    workspace.keep_work(card.id, "half of a search")

    again = Workspace(workspace_address(environ))
    kept = again.read(card.id)
    assert (kept.choices, kept.view, kept.work) == ('{"recipe": 3}', '{"row": 3}', "half of a search")
    assert kept.models == (study.id, other.id)
    assert kept.card == again.cards()[0]
    assert (kept.card.name, kept.card.facts, kept.card.n_models) == ("Flowers", facts, 2)
    assert kept.card.unfinished
    assert kept.card.created <= kept.card.touched
    table = again.table(card.id)
    assert table.frame.equals(study.table.frame)
    assert table.fingerprint == study.table.fingerprint
    assert again.source(card.id) == b"the file"
    model = again.model(card.id, other.id, table)
    assert model.id == other.id
    assert model.table is table
    np.testing.assert_array_equal(model.probabilities, other.probabilities)
    again.keep_work(card.id, None)
    assert again.read(card.id).work is None
    again.close()


@pytest.mark.slow
def test_studies_of_the_folds_come_back_and_go_with_their_model(workspace, study, card):
    unseen = judge_unseen(study, n_folds=2)
    with pytest.raises(NotKeptError):
        workspace.keep_folds(card.id, study.id, unseen.studies)
    workspace.keep_model(card.id, study)
    assert workspace.folds(card.id, study.id, study.table) == ()
    before = len(files(workspace))
    workspace.keep_folds(card.id, study.id, unseen.studies)
    workspace.keep_folds(card.id, study.id, unseen.studies)
    again = workspace.folds(card.id, study.id, study.table)
    assert [fold.id for fold in again] == [fold.id for fold in unseen.studies]
    assert all((one.split.train == other.split.train).all() for one, other in zip(again, unseen.studies, strict=True))
    assert len(files(workspace)) == before + 2
    workspace.sweep()
    copy = workspace.duplicate(card.id)
    workspace.remove_model(card.id, study.id)
    assert workspace.folds(card.id, study.id, study.table) == ()
    assert len(workspace.folds(copy.id, study.id, study.table)) == 2
    workspace.remove(copy.id)
    assert len(files(workspace)) == before - 1  # the model's own file has gone, too


def test_odd_words_come_back(workspace):
    table = read_table("größe,kind\n1,a\n2,\U0001f9ec\n".encode())
    card = workspace.create(
        " two\nlines \x00 ", table, StudyFacts.of(table, "größe"), choices='{"word": "\\u0000 \\ud800"}'
    )
    assert workspace.cards()[0].name == "two lines"
    assert workspace.read(card.id).choices == '{"word": "\\u0000 \\ud800"}'
    assert workspace.table(card.id).frame.equals(table.frame)
    assert workspace.source(card.id) is None
    assert workspace.create("x" * 500, table, StudyFacts.of(table, None)).name == "x" * 200
    assert workspace.create(" ", table, StudyFacts.of(table, None)).name == "Table"


def test_what_was_touched_last_stands_first(workspace, study, card):
    second = workspace.create("Second", study.table, card.facts)
    assert [known.id for known in workspace.cards()] == [second.id, card.id]
    workspace.change(card.id, 1, "{}")
    assert [known.id for known in workspace.cards()] == [card.id, second.id]


def test_who_changes_an_old_version_is_told_and_nothing_is_written_over(workspace, card):
    workspace.change(card.id, 1, "first")
    with pytest.raises(ChangedElsewhereError, match="'Flowers' was changed in another window"):
        workspace.change(card.id, 1, "second")
    assert workspace.read(card.id).choices == "first"


def test_of_many_who_change_one_version_one_wins(environ, study, card):
    """Each with a connection of its own, as programs have."""

    def change(number):
        mine = Workspace(workspace_address(environ))
        try:
            mine.change(card.id, 1, str(number))
        except ChangedElsewhereError:
            return None
        finally:
            mine.close()
        return str(number)

    with ThreadPoolExecutor(4) as several:
        won = [number for number in several.map(change, range(8)) if number is not None]
    mine = Workspace(workspace_address(environ))
    assert won == [mine.read(card.id).choices]
    mine.close()


def test_models_of_two_who_fit_at_once_are_both_kept(environ, study, other, card):
    def keep(model):
        mine = Workspace(workspace_address(environ))
        mine.keep_model(card.id, model)
        mine.close()

    with ThreadPoolExecutor(2) as several:
        list(several.map(keep, (study, other)))
    mine = Workspace(workspace_address(environ))
    assert set(mine.read(card.id).models) == {study.id, other.id}
    mine.close()


def test_a_deleted_study_comes_back_or_is_removed(workspace, study, card):
    workspace.keep_model(card.id, study)
    workspace.delete(card.id)
    assert workspace.cards() == []
    assert [known.id for known in workspace.cards(deleted=True)] == [card.id]
    with pytest.raises(NotKeptError):
        workspace.read(card.id)
    with pytest.raises(NotKeptError):
        workspace.change(card.id, 1, "{}")
    workspace.restore(card.id)
    assert workspace.read(card.id).models == (study.id,)
    workspace.delete(card.id)
    workspace.remove(card.id)
    assert workspace.cards(deleted=True) == []
    assert files(workspace) == []
    with pytest.raises(NotKeptError):
        workspace.restore(card.id)
    workspace.remove(card.id)  # twice is fine


def test_what_is_removed_stands_nowhere_any_more(tmp_path):
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path)}))
    table = read_table(b"secret_column,kind\n1,a\n2,b\n")
    card = workspace.create(
        "secret_name", table, StudyFacts.of(table, "kind"), choices='{"secret_state": 1}', source=b"secret_file"
    )
    workspace.keep_work(card.id, "secret_work")
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    words = [b"secret_name", b"secret_state", b"secret_work", b"secret_file"]
    assert all(word in held for word in words)
    workspace.remove(card.id)
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not [word for word in (*words, b"secret_column") if word in held]
    workspace.close()


def test_what_another_study_needs_stays(workspace, study, other, card):
    workspace.keep_model(card.id, study)
    workspace.keep_work(card.id, "running")
    copy = workspace.duplicate(card.id)
    assert (copy.name, copy.n_models, copy.unfinished, copy.version) == ("Copy of Flowers", 1, False, 1)
    assert len(files(workspace)) == 3
    workspace.remove(card.id)
    assert workspace.model(copy.id, study.id, workspace.table(copy.id)).id == study.id
    assert workspace.source(copy.id) == b"the file"
    workspace.keep_model(copy.id, other)
    workspace.remove_model(copy.id, study.id)
    workspace.remove_model(copy.id, "none such")
    assert workspace.read(copy.id).models == (other.id,)
    with pytest.raises(NotKeptError):
        workspace.model(copy.id, study.id, study.table)
    workspace.remove(copy.id)
    assert files(workspace) == []


@pytest.mark.parametrize("environ", ["postgresql"], indirect=True)
def test_two_databases_in_one_folder_do_not_take_each_others_files(study, environ):
    first = Workspace(workspace_address({"PROSET_WORKSPACE": environ["PROSET_WORKSPACE"]}))
    second = Workspace(workspace_address(environ))
    facts = StudyFacts.of(study.table, None)
    one, two = (space.create("Same", study.table, facts) for space in (first, second))
    first.remove(one.id)
    assert second.table(two.id).frame.equals(study.table.frame)
    first.close()
    second.close()


def test_names_are_changed_and_empty_ones_refused(workspace, card):
    workspace.rename(card.id, "Irises")
    assert workspace.cards()[0].name == "Irises"
    with pytest.raises(StorageError, match="needs a name"):
        workspace.rename(card.id, " \n")
    with pytest.raises(StorageError, match="201 characters"):
        workspace.rename(card.id, "x" * 201)
    workspace.change(card.id, 1, "{}")  # a name is no change of what is chosen
    with pytest.raises(NotKeptError):
        workspace.rename("none such", "x")


def test_a_damaged_or_lost_file_is_said(workspace, study, card):
    workspace.keep_model(card.id, study)
    for path in files(workspace):
        path.write_bytes(b"something else")
    with pytest.raises(StorageError, match="is damaged"):
        workspace.table(card.id)
    for path in files(workspace):
        path.unlink()
    with pytest.raises(StorageError, match="cannot be read"):
        workspace.model(card.id, study.id, study.table)


def test_only_a_study_to_which_nobody_has_added_anything_is_withdrawn(workspace, study, card):
    workspace.keep_work(card.id, "begun")
    workspace.withdraw(card.id, 1)
    workspace.keep_work(card.id, None)
    workspace.withdraw(card.id, 2)
    workspace.keep_model(card.id, study)
    workspace.withdraw(card.id, 1)
    assert workspace.read(card.id).models == (study.id,)
    workspace.remove_model(card.id, study.id)
    workspace.withdraw(card.id, 1)
    assert workspace.cards() == files(workspace) == []


def test_leftovers_of_a_killed_writer_go(workspace, study, card, monkeypatch):
    monkeypatch.setattr("proset.workspace.files._YOUNG", -60.0)
    used = files(workspace)
    left = used[0].parent / ("0" * 64)
    left.write_bytes(b"half")
    workspace.sweep()
    assert files(workspace) == used
    assert workspace.size() >= sum(path.stat().st_size for path in used)


def test_only_its_user_can_read_it(tmp_path, study):
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path / "kept")}))
    workspace.create("Mine", study.table, StudyFacts.of(study.table, None))
    for path in (tmp_path / "kept").rglob("*"):
        if path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    workspace.close()


# --- versions of the database ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("revision", ["0001", "0002", "0004"])
def test_a_database_of_a_version_before_is_opened(environ, database_of, revision):
    database_of(environ, revision).dispose()
    workspace = Workspace(workspace_address(environ))
    (card,) = workspace.cards()
    assert (card.name, card.facts.data, card.version, card.unfinished) == ("Old one", "old.csv", 7, False)
    workspace.keep_work("abc", "begun")
    assert workspace.change("abc", 7, "{}") == 8
    assert card.n_reviewed == len(workspace.records("abc")) == 0
    workspace.say("abc", [judgement(1)])
    assert workspace.cards()[0].n_reviewed == 1
    workspace.close()


def test_the_migrations_make_what_the_program_expects(environ):
    address = workspace_address(environ)
    Workspace(address).close()
    engine = create_engine(address.database)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_a_database_of_a_newer_program_is_refused(environ):
    address = workspace_address(environ)
    Workspace(address).close()
    engine = create_engine(address.database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StorageError, match="newer version of proset"):
        Workspace(address)


# --- where it is ----------------------------------------------------------------------------------------------------
def test_addresses(tmp_path):
    assert workspace_address({"PROSET_WORKSPACE": " None "}) is None
    mine = workspace_address({"PROSET_WORKSPACE": str(tmp_path)})
    assert (mine.shared, mine.words) == (False, f"the folder {tmp_path}")
    assert workspace_address({}).folder.name == "workspace"
    for given in ("postgres://ada:pw@db/x?sslmode=require", "postgresql+psycopg://ada:pw@db/x"):
        team = workspace_address({"PROSET_WORKSPACE": str(tmp_path), "PROSET_DATABASE": given})
        assert team.shared
        assert team.database.startswith("postgresql+psycopg://ada:pw@db/x")
        assert team.words == f"the database db/x and the folder {tmp_path}"


@pytest.mark.parametrize("name", ["what?", "e%20f", "a#b", "100%", "x y&z=1"])
def test_a_folder_may_have_any_name(tmp_path, study, name):
    with closing(Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path / name)}))) as workspace:
        workspace.create("Flowers", study.table, StudyFacts.of(study.table, "species"), source=b"the file")
        assert workspace.size() > 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert stat.S_IMODE((tmp_path / name / "workspace.sqlite").stat().st_mode) == 0o600


@pytest.mark.parametrize("given", ["mysql://x/y", "nonsense", "postgresql://", "sqlite:///x"])
def test_other_databases_are_refused(given):
    with pytest.raises(StorageError, match="PROSET_DATABASE"):
        workspace_address({"PROSET_DATABASE": given})


def test_a_server_that_does_not_answer_is_said_without_the_password(tmp_path):
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'team'")
    given = {"PROSET_WORKSPACE": str(tmp_path), "PROSET_DATABASE": "postgresql://ada:hidden@127.0.0.1:9/cases"}
    with pytest.raises(StorageError, match=r"127\.0\.0\.1:9/cases") as caught:
        Workspace(workspace_address(given))
    assert "hidden" not in str(caught.value)


@pytest.mark.slow
def test_a_server_that_goes_silent_makes_one_wait_and_not_all(tmp_path, monkeypatch):
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'team'")
    monkeypatch.setattr(database, "_REACH", 2)
    opened = database.Database(workspace_address({"PROSET_WORKSPACE": str(tmp_path)}))
    opened.close()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        given = f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/cases"
        opened._address = workspace_address({"PROSET_WORKSPACE": str(tmp_path), "PROSET_DATABASE": given})
        opened._engine = database._engine(opened._address)
        for _ in range(3):
            with pytest.raises(StorageError, match="/cases and the folder"), opened.reading() as session:
                session.execute(text("SELECT 1"))
        silent.settimeout(0.5)
        silent.accept()[0].close()
        with pytest.raises(TimeoutError):  # nobody else has come
            silent.accept()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be used"):
        Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path / "file" / "kept")}))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "workspace.sqlite").write_bytes(b"no database at all, but long enough to be looked at" * 9)
    with pytest.raises(StorageError, match="not a database"):
        Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path / "folder")}))
