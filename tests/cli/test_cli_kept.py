"""``proset list``, ``open`` and ``export``: the workspace of the dashboard from the command line."""

import pytest

import proset
from proset.cli import app, main
from proset.workspace import StudyFacts, Workspace, workspace_address


@pytest.fixture
def kept(tmp_path, monkeypatch, study):
    """A workspace with one study that has a model, and one that has none."""
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "kept"))
    monkeypatch.delenv("PROSET_DATABASE", raising=False)
    workspace = Workspace(workspace_address())
    facts = StudyFacts.of(study.table, study.roles.target)
    workspace.create("Bare", study.table, facts)
    card = workspace.create("Patients", study.table, facts)
    workspace.keep_model(card.id, study)
    workspace.look(card.id, "{}", StudyFacts.of(study.table, study.roles.target, study))
    yield workspace
    workspace.close()


def test_kept_studies_are_listed(kept, capsys):
    assert main(["list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    card = kept.cards()[0]
    assert first.startswith(f"{card.id}  Patients  20")
    assert "1 model, log-loss" in first
    assert "no model yet" in second


def test_a_kept_model_is_written(kept, study, tmp_path, capsys):
    path = tmp_path / "x.proset"
    assert main(["export", "Patients", "-o", str(path)]) == 0
    assert proset.load(path).id == study.id
    assert "is written to" in capsys.readouterr().err
    assert main(["export", kept.cards()[0].id, "-o", str(path), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "Bare"], "'Bare' has no model yet"),
        (["export", "Nobody"], "No study is called 'Nobody'. 'proset list' shows"),
        (["open", "Nobody"], "No study is called 'Nobody'"),
    ],
)
def test_what_is_not_there_is_said(kept, tmp_path, capsys, arguments, says):
    written = tmp_path / "x.proset"
    assert main([*arguments, *(["-o", str(written)] if arguments[0] == "export" else [])]) == 1
    assert says in capsys.readouterr().err
    assert not written.exists()


def test_of_several_with_one_name_an_id_is_asked_for(kept, study, tmp_path, capsys):
    kept.create("Patients", study.table, StudyFacts.of(study.table, None))
    assert main(["export", "Patients", "-o", str(tmp_path / "x.proset")]) == 1
    said = capsys.readouterr().err
    assert "2 studies are called 'Patients'" in said
    assert all(card.id in said for card in kept.cards()[:2])


def test_a_study_is_opened_at_its_page(kept, monkeypatch):
    asked = []
    monkeypatch.setattr("proset.cli.kept.serve", lambda port, **how: asked.append((port, how)))
    for name in ("Patients", "Bare"):
        assert main(["open", name, "--port", "8612"]) == 0
    ids = {card.name: card.id for card in kept.cards()}
    assert asked == [
        (8612, {"browser": True, "page": f"map?open={ids['Patients']}"}),
        (8612, {"browser": True, "page": f"data?open={ids['Bare']}"}),
    ]


def test_the_browser_opens_when_the_server_answers(monkeypatch):
    opened, answers = [], iter([1, 1, 0])
    monkeypatch.setattr(app.socket.socket, "connect_ex", lambda *_: next(answers))
    monkeypatch.setattr(app, "_PAUSE", 0.0)
    monkeypatch.setattr(app.webbrowser, "open", opened.append)
    app._open_page(8612, "map?open=x")
    assert opened == ["http://127.0.0.1:8612/map?open=x"]


def test_where_nothing_is_kept_it_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PROSET_WORKSPACE", "none")
    assert main(["list"]) == 1
    assert "Nothing is kept" in capsys.readouterr().err
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "empty"))
    assert main(["list"]) == 0
    assert f"nothing is kept in the folder {tmp_path / 'empty'}" in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["list"]) == 1
    assert "pip install" in capsys.readouterr().err
