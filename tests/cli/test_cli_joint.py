"""``proset fit`` without settings, and with the joint search: options, report, Ctrl-C, the best so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from variants import main_cases

import proset
from proset.cli import main
from proset.data.scales import Scale
from proset.selection import JointPlan, JointRecord, Rule, search_report
from proset.selection.search_progress import CurveClock
from proset.study import Study

SMALL = ["--search", "--folds", "3", "--max-batches", "2", "--jobs", "1"]


@pytest.fixture
def command(patients_file: Path, tmp_path: Path) -> list[str]:
    """The arguments of a fit, without those of a search."""
    return ["fit", str(patients_file), "--target", "outcome", "-o", str(tmp_path / "m.proset")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, jointly: Study, study: Study) -> dict[str, Any]:
    """What the command asks for, which is not run; a fit with stated settings has no plan."""
    kept: dict[str, Any] = {}

    def search(*_: object, **options: Any) -> Study:
        kept.clear()
        kept.update(options)
        return jointly

    def fit(*_: object, **options: Any) -> Study:
        kept.clear()
        kept.update(options)
        return study

    monkeypatch.setattr("proset.study.search_study", search)
    monkeypatch.setattr("proset.study.fit_study", fit)
    return kept


def saved(folder: Path) -> tuple[Study, JointRecord]:
    study = proset.load(folder / "m.proset")
    assert isinstance(study.search, JointRecord)
    return study, study.search


@pytest.mark.slow
def test_without_settings_it_is_a_quick_fit(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 0
    study, record = saved(tmp_path)
    assert record.plan == JointPlan.quick()
    assert study.settings.n_iter == record.chosen_batches
    shown = capsys.readouterr().out
    assert "Choice among a few settings, 3 folds" in shown
    assert "\nFitted in" in shown


@pytest.mark.parametrize(
    "option", main_cases(["--batches 2", "--lambda-v 0.01", "--lambda-w 1e-7", "--alpha-v 0.5"], every=4)
)
def test_any_stated_setting_makes_it_one_fit(command: list[str], asked: dict[str, Any], option: str) -> None:
    assert main([*command, *option.split(), "-q"]) == 0
    assert "plan" not in asked


def test_other_settings_hold_for_a_quick_fit(command: list[str], asked: dict[str, Any]) -> None:
    assert main([*command, "--candidates", "50", "--seed", "4", "-q"]) == 0
    assert asked["plan"] == JointPlan.quick(4)
    assert asked["settings"].num_candidates == 50


@pytest.mark.slow
def test_every_option_of_a_joint_search_arrives(command: list[str], asked: dict[str, Any]) -> None:
    options = "--search --folds 7 --max-batches 4 --rule sd --lambda-v 1e-5,1e-2 --lambda-w 1e-4 --alpha-v 0.2 --seed 3"
    options += " --joined 3 --take-joined"
    assert main([*command, *options.split(), "-q"]) == 0
    assert asked["plan"] == JointPlan(
        lambda_v=(1e-5, 1e-2), lambda_w=1e-4, n_folds=7, max_batches=4, rule=Rule.SD, alpha_v=0.2, random_state=3,
        n_joined=3, take_joined=True,
    )  # fmt: skip
    assert main([*command, "--search", "-q"]) == 0
    assert asked["plan"] == JointPlan()
    assert main([*command, "--search", "--no-take-joined", "-q"]) == 0
    assert asked["plan"] == JointPlan(take_joined=False)
    assert main([*command, "--search", "--method", "joint", "--folds", "2", "-q"]) == 0
    assert asked["plan"].n_folds == 2


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("--method joint", ["--method", "Add --search"]),
        ("--take-best", ["--take-best", "Add --search"]),
        ("--search --trials 5", ["--trials", "--method report"]),
        ("--search --method report --take-best", ["--take-best", "joint search"]),
        ("--take-joined", ["--take-joined", "Add --search"]),
        ("--search --method report --take-joined", ["--take-joined", "joint search"]),
        ("--search --joined 0", ["--joined is 0", "from 1"]),
        ("--search --take-best", ["nothing to take", "no search"]),
        ("--search --batches 3", ["--batches", "--max-batches"]),
        ("--search --folds 1", ["--folds is 1", "from 2"]),
        ("--search --folds 0", ["--folds is 0", "from 2"]),
        ("--search --lambda-v 1e-1,1e-6", ["--lambda-v", "low < high"]),
        ("--search --alpha-v 7", ["--alpha-v is 7.0", "from 0 to 1"]),
    ],
)
def test_contradictions_are_said_in_one_line(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str, parts: list[str]
) -> None:
    (tmp_path / "m.proset").write_text("precious")
    assert main([*command, *options.split()]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("proset: ")]
    assert len(said) == 1
    for part in parts:
        assert part in said[0]
    assert (tmp_path / "m.proset").read_text() == "precious"


@pytest.mark.slow
def test_a_joint_search_is_saved_and_reported(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *SMALL]) == 0
    _, record = saved(tmp_path)
    shown = capsys.readouterr().out
    for line in search_report(record).splitlines():
        assert line in shown
    assert "Searched and fitted in" in shown


@contextmanager
def ctrl_c_after(n_trials: int) -> Iterator[None]:
    """Press Ctrl-C once so many trials of a joint search are done."""
    count = CurveClock.count

    def interrupting(clock: CurveClock, reached: tuple[int, int, int]) -> None:
        count(clock, reached)
        if reached[1] >= n_trials:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CurveClock, "count", interrupting)
        yield


@pytest.mark.exhaustive
def test_the_same_command_goes_on_where_it_was_stopped(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *SMALL]) == 0
    whole = saved(tmp_path)[1].to_state()
    (tmp_path / "m.proset").unlink()
    with ctrl_c_after(5):
        assert main([*command, *SMALL]) == 130
    assert "stopped in step 1 of 2, trying settings" in capsys.readouterr().err.replace("\n", " ")
    assert main([*command, *SMALL]) == 0
    assert "going on with the search that was stopped, " in capsys.readouterr().err
    assert saved(tmp_path)[1].to_state() == whole
    assert not (tmp_path / "m.proset.search").exists()


@pytest.mark.slow
def test_the_best_so_far_of_a_search_that_was_stopped(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ctrl_c_after(11):  # the first six compare scales
        assert main([*command, *SMALL]) == 130
    capsys.readouterr()
    assert main([*command, *SMALL, "--take-best"]) == 0
    shown = capsys.readouterr()
    _, record = saved(tmp_path)
    assert record.by_hand
    assert record.scale is not None
    assert "taking the best of the search that was stopped" in shown.err
    assert "The search was not finished: " in shown.out
    assert not (tmp_path / "m.proset.search").exists()


def test_the_draft_of_the_other_kind_of_search_is_not_gone_on_with(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ctrl_c_after(3):
        assert main([*command, *SMALL]) == 130
    kept = (tmp_path / "m.proset.search").read_bytes()
    capsys.readouterr()
    assert main([*command, *SMALL, "--method", "report"]) == 1
    assert "holds a search that was begun with other data, settings or options" in capsys.readouterr().err
    assert (tmp_path / "m.proset.search").read_bytes() == kept


def test_a_quick_fit_needs_no_draft_and_ctrl_c_says_so(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ctrl_c_after(1):
        assert main(command) == 130
    said = capsys.readouterr().err
    assert "the fit was stopped" in said
    assert not list(tmp_path.glob("m.proset*"))


@pytest.mark.exhaustive
def test_a_scale_is_chosen_stated_or_refused(
    command: list[str], asked: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for options, scales, scale in (
        ([*SMALL], JointPlan().scales, Scale.STANDARD),
        ([*SMALL, "--scale", "choose"], JointPlan().scales, Scale.STANDARD),
        ([*SMALL, "--scale", "quantile"], (), Scale.QUANTILE),
        (["--scale", "squashed"], (), Scale.SQUASHED),
        (["--scale", "standard"], (), Scale.STANDARD),
        (["--scale", "choose"], JointPlan.quick().scales, Scale.STANDARD),
    ):
        assert main([*command, *options]) == 0
        assert (asked["plan"].scales, asked["settings"].scale) == (scales, scale)
    assert main([*command, "--batches", "1", "--lambda-v", "0.01", "--scale", "squashed"]) == 0
    assert asked["settings"].scale is Scale.SQUASHED
    for options in (["--batches", "1", "--scale", "choose"], ["--search", "--method", "report", "--scale", "choose"]):
        assert main([*command, *options]) != 0
        assert "--scale choose needs a quick fit or a joint search. Name a scale." in capsys.readouterr().err
