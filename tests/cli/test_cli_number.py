"""The commands with a target that is a number: fit, search, score, explain, report, list and open."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.cli import main
from proset.common.words import rough
from proset.explain.numbers.number_facts import column_weights, worth_words
from proset.selection import number_run
from proset.selection.number_plan import NumberPlan
from proset.storage import load
from proset.study import NumberStudy
from proset.workspace import StudyFacts, Workspace, workspace_address

SEARCH = ["--search", "--trials", "3", "--folds", "2", "--max-batches", "2"]


def frame_of(n_rows: int = 120) -> pd.DataFrame:
    random = np.random.default_rng(3)
    size, kind = random.uniform(20, 90, n_rows).round(1), random.choice(["flat", "house"], n_rows)
    price = (3.0 * size + 40.0 * (kind == "house") + random.normal(0, 4, n_rows)).round(2)
    names = [f"home{i:03d}" for i in range(n_rows)]
    noise = random.normal(size=n_rows).round(3)
    return pd.DataFrame({"name": names, "size": size, "kind": kind, "noise": noise, "price": price})


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("homes") / "homes.csv"
    frame_of().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def model(homes: Path) -> Path:
    path = homes.with_name("homes.proset")
    assert main(["fit", str(homes), "-t", "price", "-o", str(path), "-q"]) == 0
    return path


@pytest.fixture(scope="module")
def study(model: Path) -> NumberStudy:
    found = load(model)
    assert isinstance(found, NumberStudy)
    return found


def fit(path: Path, *options: str, target: str = "price") -> int:
    return main(["fit", str(path), "-t", target, "-o", str(path.with_name("m.proset")), *options])


def refused(path: Path, capsys: pytest.CaptureFixture[str], *options: str, target: str = "price") -> str:
    assert fit(path, *options, target=target) == 1
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert not path.with_name("m.proset").exists()
    return [line for line in shown.err.splitlines() if line.startswith("proset: ") and "note:" not in line][-1]


@pytest.fixture
def own(homes: Path, tmp_path: Path) -> Path:
    """A table that no other test writes beside."""
    path = tmp_path / "own.csv"
    path.write_bytes(homes.read_bytes())
    return path


def test_an_amount_is_a_number_by_itself_and_the_command_says_so(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(own) == 0
    shown = capsys.readouterr()
    assert "note: 'price' is taken as a number" in shown.err
    assert "--cuts makes ranges of it instead" in shown.err
    found = load(own.with_name("m.proset"))
    assert isinstance(found, NumberStudy)
    assert found.search is not None
    assert found.search.plan == NumberPlan.quick()
    said = " ".join(shown.out.split())
    for sentence in worth_words(found):
        assert " ".join(sentence.split()) in said
    assert "'price' is a number: from" in said
    assert f"{len(found.prototypes):,} prototypes" in said
    assert "Held out: 30 % of each third of the numbers" in said
    names = ", ".join(column_weights(found).index)
    assert f"It looks at {names}, the heaviest first." in said
    assert "class" not in shown.out.lower()
    assert "class" not in shown.err.lower()


@pytest.mark.slow
def test_cuts_still_make_ranges(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(own, "--cuts", "median") == 0
    assert isinstance(load(own.with_name("m.proset")), proset.Study)
    assert "taken as a number" not in capsys.readouterr().err


@pytest.mark.slow
def test_few_whole_numbers_are_classes_unless_a_number_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    random = np.random.default_rng(0)
    x = random.normal(size=150).round(3)
    pd.DataFrame({"x": x, "mark": np.digitize(x, [-1, 0, 1]) + 1}).to_csv(path, index=False)
    assert fit(path, "-q", target="mark") == 0
    assert isinstance(load(path.with_name("m.proset")), proset.Study)
    assert fit(path, "-q", "--number", target="mark") == 0
    assert isinstance(load(path.with_name("m.proset")), NumberStudy)


def test_stated_settings_are_taken_and_nothing_is_searched(own: Path) -> None:
    assert fit(own, "-q", "--batches", "1", "--lambda-v", "0.01", "--joined", "2", "--scale", "squashed") == 0
    found = load(own.with_name("m.proset"))
    assert found.search is None
    assert (found.settings.n_iter, found.settings.lambda_v, found.settings.n_joined) == (1, 0.01, 2)
    assert found.settings.scale == "squashed"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--number", "--cuts", "median"], "--number takes 'price' as a number, and --cuts makes classes of it"),
        (["--number", "--set-aside", "1"], "and --set-aside makes classes of it"),
        (["--search", "--rule", "se"], "--rule is for models of classes, and 'price' is taken as a number"),
        (["--search", "--take-joined"], "--take-joined is for models of classes"),
        (["--search", "--jobs", "2"], "--jobs is for models of classes"),
        (["--search", "--lambda-v", "0.01"], "--lambda-v is found by the search for a number"),
        (["--max-prototypes", "0"], "--max-prototypes"),
        (["--scale", "evidence"], "--scale evidence is for models of classes"),
        (["--search", "--folds", "1"], "--folds"),
        (["--search", "--trials", "500"], "--trials"),
        (["--trials", "5"], "--trials is an option of the search"),
        (["--search", "--take-best"], "--take-best has nothing to take"),
    ],
)
def test_what_cannot_be_is_said_with_the_way_out(
    own: Path, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    assert says in refused(own, capsys, *options)


def test_a_word_in_the_target_is_named_with_its_row_and_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "words.csv"
    frame_of().astype({"price": object}).assign(price=lambda f: f["price"].where(f.index != 6, "n/k")).to_csv(
        path, index=False
    )
    said = refused(path, capsys, "--number")
    assert "Target 'price' holds 'n/k' in row 7, which is no number." in said
    assert "--missing COLUMN=WORD" in said
    assert "page" not in said
    assert "class" not in said
    assert fit(path, "-q", "--missing", "price=n/k") == 0
    found = load(path.with_name("m.proset"))
    assert isinstance(found, NumberStudy)
    assert found.split.unlabelled.tolist() == [7]


def test_too_few_rows_and_a_constant_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few, same = tmp_path / "few.csv", tmp_path / "same.csv"
    frame_of(15).to_csv(few, index=False)
    assert "'price' has a number in 15 rows; a model of a number needs at least 20" in refused(few, capsys, "--number")
    frame_of(60).assign(price=7.5).to_csv(same, index=False)
    said = refused(same, capsys, "--number")
    assert "1 different value" in said
    assert "Leave out --number" in said


@pytest.mark.exhaustive
def test_a_search_that_is_stopped_goes_on_where_it_was(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = own.with_name("whole.proset")
    assert main(["fit", str(own), "-t", "price", "-o", str(whole), "-q", *SEARCH]) == 0
    done, attempt = [], number_run._Run._try

    def stopped(*args: object) -> object:
        done.append(1)
        if len(done) == 2:  # in the second of three trials
            raise KeyboardInterrupt
        return attempt(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(number_run._Run, "_try", stopped)
    assert fit(own, *SEARCH) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
    draft = own.with_name("m.proset.search")
    assert draft.exists()
    assert not own.with_name("m.proset").exists()
    assert fit(own, *SEARCH, "--seed", "1") == 1
    assert "begun with other data, settings or options" in capsys.readouterr().err
    assert fit(own, *SEARCH) == 0
    assert "going on with the search that was stopped, 1 of 3 trials done" in capsys.readouterr().err
    assert len(done) == 2 + 2, "the first trial is not done again"
    assert not draft.exists()
    assert load(own.with_name("m.proset")).id == load(whole).id


@pytest.mark.exhaustive
def test_the_best_of_a_stopped_search_is_taken(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, attempt = [], number_run._Run._try

    def stopped(*args: object) -> object:
        done.append(1)
        if len(done) == 2:
            raise KeyboardInterrupt
        return attempt(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(number_run._Run, "_try", stopped)
    assert fit(own, "-q", *SEARCH) == 130
    assert fit(own, "-q", *SEARCH, "--take-best") == 0
    found = load(own.with_name("m.proset"))
    assert found.search is not None
    assert (len(found.search.trials), found.search.by_hand) == (1, True)
    assert len(done) == 2


def test_what_was_stopped_for_classes_is_not_gone_on_with(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from proset.selection import JointPlan, JointRecord

    record = JointRecord(JointPlan(), "", 84)

    own.with_name("m.proset.search").write_text(json.dumps(record.to_state()))
    assert fit(own, *SEARCH) == 1
    assert "begun with other data, settings or options" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_the_scale_is_chosen_stated_or_refused(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = own.with_name("m.proset")
    assert fit(own, *SEARCH, "--scale", "choose") == 0
    assert "Numbers are taken on" in " ".join(capsys.readouterr().out.split())
    assert len(load(out).search.scaled) == load(out).search.plan.n_folds
    assert fit(own, *SEARCH, "--scale", "quantile") == 0
    assert (load(out).search.plan.scales, str(load(out).settings.scale)) == ((), "quantile")
    assert fit(own, "--scale", "squashed") == 0
    assert str(load(out).settings.scale) == "squashed"
    assert fit(own, "--scale", "choose") == 1
    assert "Add --search" in capsys.readouterr().err


def test_scores_are_those_of_the_study(
    homes: Path, model: Path, study: NumberStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(model), str(homes)]) == 0
    scored = pd.read_csv(StringIO(capsys.readouterr().out))
    assert list(scored.columns) == [
        "row", "name", "median", "mean", "lower", "upper", "familiarity", "familiarity_quantile", "note",
    ]  # fmt: skip
    expected = study.score(study.table.frame)
    for column in ("median", "mean", "lower", "upper", "familiarity"):
        np.testing.assert_allclose(scored[column], expected[column], rtol=1e-6)
    assert scored["name"].tolist() == study.table.frame["name"].tolist()
    assert main(["score", str(model), str(homes), "--novelty"]) == 0
    near = pd.read_csv(StringIO(capsys.readouterr().out))
    assert set(near.columns) - set(scored.columns) == {
        "similarity", "novelty_quantile", "nearest_row", "similarity_all", "novelty_quantile_all", "nearest_row_all",
    }  # fmt: skip
    assert main(["score", str(model), "--columns"]) == 0
    assert tuple(capsys.readouterr().out.split()) == study.used_columns


def test_a_row_is_explained_by_row_ids_and_columns_of_the_table(
    model: Path, study: NumberStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "answer.csv"
    assert main(["explain", str(model), "--row", "home011", "-o", str(written)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    found = explain.number_answer(study, 12)
    assert " ".join(found.words.split()) in said
    assert " ".join(found.said_by(0).split()) in said
    assert "class" not in said.lower()
    assert found.stated == 170.12
    assert "The row itself has 170.1, inside that interval." in said
    lines = pd.read_csv(written)
    assert len(lines) == len(study.prototypes)
    assert set(lines["row"]) <= set(study.split.train)
    adjusted = [name for name in lines.columns if name.startswith("adjusted for ")]
    assert {name.removeprefix("adjusted for ") for name in adjusted} <= {"size", "kind", "noise"}
    np.testing.assert_allclose(lines[adjusted].sum(axis=1), lines["adjustment"], atol=1e-8)
    np.testing.assert_allclose(lines["target"] + lines["adjustment"], lines["says"], atol=1e-8)
    shares = lines["share"].sum() + found.everybody
    assert shares == pytest.approx(1.0)


def test_a_new_row_without_the_target_is_explained(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.csv"
    new.write_text("size,kind,noise\n50,house,0\n1e6,castle,0\n")
    assert main(["explain", str(model), str(new), "--row", "1"]) == 0
    assert "The row itself has" not in capsys.readouterr().out
    assert main(["explain", str(model), str(new), "--row", "2"]) == 0
    said = capsys.readouterr().out
    assert "as unfamiliar" in said
    assert main(["explain", str(model), str(new), "--row", "1", "-o", str(tmp_path / "x.xlsx")]) == 1
    assert "Use .csv" in capsys.readouterr().err


def test_the_report_of_a_number_is_written(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.html"
    assert main(["report", str(model), "-o", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert 'id="picture"' in text
    assert main(["report", str(model), "-o", str(path), "--parts", "summary,limits"]) == 0
    assert 'id="picture"' not in path.read_text(encoding="utf-8")
    assert main(["report", str(model), "-o", str(path), "--row", "1", "--parts", "verdict,nearest"]) == 0
    text = path.read_text(encoding="utf-8")
    assert 'id="nearest"' in text
    assert 'id="changes"' not in text
    capsys.readouterr()
    for options, says in (
        (["--parts", "map"], "There is no part 'map' in this report. Parts: summary, picture"),
        (["--row", "1", "--parts", "summary"], "There is no part 'summary' in this report. Parts: verdict, evidence"),
        (["--refits", "2"], "--refits is for models of classes"),
    ):
        assert main(["report", str(model), "-o", str(path), *options]) == 1
        assert says in capsys.readouterr().err
    assert main(["report", str(model), "-o", str(tmp_path / "r.xlsx")]) == 1
    assert "Use .html" in capsys.readouterr().err


def test_kept_studies_of_numbers_are_listed_opened_and_written(
    study: NumberStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path / "kept"))
    monkeypatch.delenv("PROSET_DATABASE", raising=False)
    address = workspace_address()
    assert address is not None
    workspace = Workspace(address)
    card = workspace.create("Homes", study.table, StudyFacts.of(study.table, "price"))
    workspace.keep_model(card.id, study)
    workspace.look(card.id, "{}", StudyFacts.of(study.table, "price", study))
    workspace.close()
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    assert "Homes" in said
    assert "log-loss" not in said
    errors = f"off by {rough(study.metrics.mae)} on average on held-out rows, as everybody"
    assert f"{errors} {rough(study.metrics.naive_mae)}" in said
    assert main(["export", "Homes", "-o", str(tmp_path / "x.proset"), "-q"]) == 0
    assert load(tmp_path / "x.proset").id == study.id
    asked: list[str] = []
    monkeypatch.setattr("proset.cli.kept.serve", lambda port, *, browser, page: asked.append(page))
    assert main(["open", "Homes"]) == 0
    assert asked == [f"quality?open={card.id}"]


@pytest.mark.slow
def test_a_model_that_says_the_same_of_everybody_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "noise.csv"
    random = np.random.default_rng(1)
    pd.DataFrame({"x": random.normal(size=80).round(3), "y": random.normal(size=80).round(3)}).to_csv(path, index=False)
    assert fit(path, "--batches", "0", target="y") == 0
    said = capsys.readouterr().out
    assert "no prototypes: it says of every case what it says of everybody" in " ".join(said.split())
    assert "The model looks at no column." in said
    assert "Run a search: it compares settings on the training rows alone." in " ".join(said.split())
    assert main(["explain", str(path.with_name("m.proset")), "--row", "1"]) == 0
    assert "100 %  what everybody is told" in capsys.readouterr().out


def test_names_with_markup_and_orders_for_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = "<b>\x1b[31m*price*"
    path = tmp_path / "odd.csv"
    frame_of(80).rename(columns={"price": odd, "size": "a\x1b[2Jb"}).to_csv(path, index=False)
    assert fit(path, target=odd) == 0
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert main(["explain", str(path.with_name("m.proset")), "--row", "1", "--all"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.slow
def test_intervals_are_calibrated_where_that_is_asked_for(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(own, "--calibrate", "--batches", "1") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Intervals of 90 % are calibrated: they lie between the quantiles of" in shown
    assert "The calibrated 90 % intervals hold" in shown
    found = load(own.with_name("m.proset"))
    assert isinstance(found, NumberStudy)
    assert found.calibration is not None
    assert found.calibration.n_rows == len(found.split.train)
    assert main(["explain", str(own.with_name("m.proset")), "--row", "3"]) == 0
    assert "90 % (calibrated) between" in capsys.readouterr().out


def test_a_calibration_that_cannot_be_is_refused_before_anything_is_fitted(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(own, capsys, "--calibrate", target="kind")
    assert "--calibrate is for models of a number, and 'kind' is taken as classes" in told
