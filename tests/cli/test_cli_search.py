"""``proset fit --search --method report`` as a person uses it: options, report, progress, Ctrl-C, a scheduler."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from patience import HANG, wait_until
from variants import main_cases

import proset
from proset.cli import main
from proset.cli.fit_search import RULES
from proset.selection.plan import Rule, SearchPlan
from proset.selection.search_progress import SearchClock, SearchProgress
from proset.selection.words import search_report
from proset.study import Study, search_words

SMALL = ["--search", "--method", "report", "--trials", "3", "--folds", "3", "--max-batches", "2", "--jobs", "1"]


@pytest.fixture
def command(patients_file: Path, tmp_path: Path) -> list[str]:
    """The arguments of a fit, without those of a search."""
    return ["fit", str(patients_file), "--target", "outcome", "-o", str(tmp_path / "m.proset")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, searched: Study) -> dict[str, Any]:
    """What the command asks of the search, which is not run."""
    kept: dict[str, Any] = {}

    def keep(*_: object, **options: Any) -> Study:
        kept.update(options)
        return searched

    monkeypatch.setattr("proset.study.search_study", keep)
    return kept


def test_saves_what_was_found_and_reports_it(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *SMALL, "--lambda-v", "1e-3,1e-1"]) == 0
    shown = capsys.readouterr()
    study = proset.load(tmp_path / "m.proset")
    assert study.search is not None
    plan = SearchPlan.report(lambda_v=(1e-3, 1e-1), n_trials=3, n_folds=3, max_batches=2)
    assert study.search.plan == plan
    assert study.settings.n_iter == study.search.chosen_batches
    for line in search_report(study.search).splitlines():
        assert line in shown.out
    assert f"log-loss {study.metrics.log_loss:>24.3f}" in shown.out
    assert "%" not in shown.err.replace("84%", "")  # no line of progress without a terminal


def test_explain_says_how_the_model_was_chosen(
    searched: Study, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for fitted, name in ((searched, "searched"), (study, "stated")):
        proset.save(fitted, tmp_path / f"{name}.proset")
        assert main(["explain", str(tmp_path / f"{name}.proset"), "--row", "1"]) == 0
    assert searched.search is not None
    before, _, after = capsys.readouterr().out.partition(search_words(searched.search))
    assert "row 1" in before.lower() or "P001" in before
    assert "Chosen by" not in after


def test_every_option_arrives(command: list[str], asked: dict[str, Any]) -> None:
    options = (
        "--search --method report --folds 7 --trials 9 "
        "--max-batches 4 --rule se --lambda-v 1e-5,1e-2 --lambda-w 1e-9,1e-4 --seed 3 "
        "--jobs 2 --alpha-v 0.5 -q"
    )
    assert main([*command, *options.split()]) == 0
    assert asked["plan"] == SearchPlan(
        lambda_v=(1e-5, 1e-2), lambda_w=(1e-9, 1e-4), n_trials=9, n_folds=7, max_batches=4, rule=Rule.SE,
        random_state=3, second_look=False,
    )  # fmt: skip
    assert asked["n_jobs"] == 2
    assert (asked["settings"].alpha_v, asked["settings"].random_state) == (0.5, 3)


def test_what_is_not_stated_is_the_default_of_the_plan(command: list[str], asked: dict[str, Any]) -> None:
    report = ["--search", "--method", "report"]
    assert main([*command, *report, "-q"]) == 0
    assert asked["plan"] == SearchPlan.report()
    assert len(asked["plan"].pairs()) == 50
    assert asked["n_jobs"] is None
    assert main([*command, *report, "--lambda-v", "0.01", "--lambda-w", "1e-9,1e-5", "-q"]) == 0
    assert asked["plan"] == SearchPlan(lambda_v=0.01, lambda_w=(1e-9, 1e-5), second_look=False)
    assert tuple(Rule) == RULES


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("--lambda-v 1e-6,1e-1", ["--lambda-v is a range", "Add --search"]),
        ("--lambda-w 1e-6,1e-1", ["--lambda-w is a range", "Add --search"]),
        ("--folds 4", ["--folds", "Add --search"]),
        ("--search --batches 3", ["--batches", "--max-batches"]),
        ("--search --jobs 0", ["--jobs is 0", "at least 1"]),
        ("--scheduler tcp://host:1", ["--scheduler", "Add --search"]),
        ("--search --scheduler nonsense", ["'nonsense' is no address"]),
        ("--search --scheduler tcp://host:1 --jobs 2", ["--jobs", "Leave one"]),
        ("--search --folds 1", ["--folds is 1", "from 2"]),
        ("--search --folds 99", ["--folds is 99", "fewer folds"]),
        ("--search --lambda-v 1e-1,1e-6", ["--lambda-v", "low < high"]),
        ("--search --lambda-v 0,1", ["--lambda-v", "0 < low"]),
        ("--search --method report --lambda-v 0.1 --lambda-w 1e-8 --trials 4", ["--trials is 4", "both fixed"]),
        ("--search --alpha-v 7", ["--alpha-v is 7.0", "from 0 to 1"]),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str, parts: list[str]
) -> None:
    (tmp_path / "m.proset").write_text("precious")
    assert main([*command, *options.split()]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("proset: ")]
    assert len(said) == 1
    for part in parts:
        assert part in said[0]
    assert (tmp_path / "m.proset").read_text() == "precious"


@pytest.mark.parametrize("options", ["--lambda-v a,b", "--lambda-v 1,2,3", "--lambda-w ,", "--rule luck", "--folds x"])
def test_wrong_usage_exits_with_2(command: list[str], options: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command, "--search", *options.split()])
    assert caught.value.code == 2
    assert "usage: proset fit" in capsys.readouterr().err


class TestScheduler:
    """``--scheduler``."""

    def test_the_search_runs_inside_the_connection(
        self, command: list[str], monkeypatch: pytest.MonkeyPatch, searched: Study
    ) -> None:
        events: list[object] = []

        @contextmanager
        def connected(address: str) -> Iterator[None]:
            events.append(address)
            yield
            events.append("left")

        def search(*_: object, n_jobs: int | None, **__: object) -> Study:
            events.append(n_jobs)
            return searched

        monkeypatch.setattr("proset.bulk.connected", connected)
        monkeypatch.setattr("proset.study.search_study", search)
        assert main([*command, "--search", "--scheduler", "tcp://host:8786", "-q"]) == 0
        assert events == ["tcp://host:8786", None, "left"]

    def test_names_the_extra_that_is_missing(
        self, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("proset.bulk.cluster.find_spec", lambda _: None)
        assert main([*command, "--search", "--scheduler", "tcp://127.0.0.1:9"]) == 1
        assert 'pip install "proset-dashboard[distributed]"' in capsys.readouterr().err


def interrupted(*steps: SearchProgress) -> Callable[..., Study]:
    """A search that is interrupted after these steps."""

    def search(*_: object, progress: Callable[[SearchProgress], None], **__: object) -> Study:
        for step in steps:
            progress(step)
        raise KeyboardInterrupt

    return search


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_ctrl_c_says_how_far_it_was_and_keeps_the_old_file(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    quiet: list[str],
) -> None:
    (tmp_path / "m.proset").write_text("precious")
    step = SearchProgress(stage=2, done=22, total=1_100, seconds=3.0, seconds_left=9.0, share=0.5)
    for search, reached in ((interrupted(step), "22 of 1,100 done"), (interrupted(), "before its first fit")):
        monkeypatch.setattr("proset.study.search_study", search)
        assert main([*command, "--search", "--method", "report", *quiet]) == 130
        assert reached in capsys.readouterr().err
        assert (tmp_path / "m.proset").read_text() == "precious"


# Ctrl-C keeps what is finished


def ctrl_c_after(n_fits: int) -> AbstractContextManager[list[int]]:
    """Interrupt a search after so many fits of the folds; yields what counts them."""
    return stopped_after(n_fits, _press_ctrl_c)


@contextmanager
def stopped_after(n_fits: int, stop: Callable[[], None]) -> Iterator[list[int]]:
    """Do something to a search after so many fits of the folds; yields what counts them."""
    counted: list[int] = []
    count = SearchClock.count

    def interrupting(clock: SearchClock, done: int) -> None:
        count(clock, done)
        counted.append(done)
        if len(counted) == n_fits:
            stop()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SearchClock, "count", interrupting)
        yield counted


@pytest.mark.slow
@pytest.mark.parametrize("n_fits", main_cases([4, 9, 15], only=[9]))
def test_the_same_command_goes_on_where_it_was_stopped(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], n_fits: int
) -> None:
    assert main([*command, *SMALL]) == 0
    whole = proset.load(tmp_path / "m.proset").search
    (tmp_path / "m.proset").unlink()
    with ctrl_c_after(n_fits):
        assert main([*command, *SMALL]) == 130
    assert "m.proset.search" in capsys.readouterr().err.replace("\n", "")
    assert not (tmp_path / "m.proset").exists()
    with ctrl_c_after(1_000) as counted:
        assert main([*command, *SMALL]) == 0
    assert len(counted) == 3 * 3 + 3 * 3 - n_fits
    assert "going on with the search that was stopped" in capsys.readouterr().err
    again = proset.load(tmp_path / "m.proset").search
    assert whole is not None
    assert again is not None
    assert again.to_state() == whole.to_state()
    assert [path.name for path in tmp_path.iterdir() if "m.proset" in path.name] == ["m.proset"]


@pytest.mark.slow
def test_stopped_in_the_last_fit_only_that_is_done_again(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("proset.study.search.fit_problem", _press_ctrl_c)
        assert main([*command, *SMALL]) == 130
    with ctrl_c_after(1) as counted:
        assert main([*command, *SMALL]) == 0
    assert counted == []
    assert proset.load(tmp_path / "m.proset").search is not None


@pytest.mark.exhaustive
def test_what_was_kept_is_not_used_for_another_search(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = tmp_path / "m.proset.search"
    with ctrl_c_after(4):
        assert main([*command, *SMALL]) == 130
    kept = draft.read_bytes()
    for other in (["--seed", "5"], ["--alpha-v", "0.5"], ["--rule", "best"]):
        assert main([*command, *SMALL, *other]) == 1
        message = capsys.readouterr().err
        assert f"'{draft}' holds a search that was begun with other data, settings or options" in message
        assert "delete the file" in message
        assert draft.read_bytes() == kept
    assert main([*command, "-q"]) == 0  # a fit without a search has nothing to go on from
    assert draft.read_bytes() == kept


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"\xff\xfe", b'{"plan": {}}', b"null", b"[" * 100_000,
        b'{"plan": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"plan": ' * 200_000,
        b'{"plan": {"n_folds": 1' + b"0" * 400 + b"}}",
        b"[" + b"{}," * 2_000_000 + b"0]",
    ],
    ids=lambda content: repr(content[:20]),
)  # fmt: skip
def test_a_damaged_file_of_a_stopped_search_is_named(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    draft = tmp_path / "m.proset.search"
    draft.write_bytes(content)
    assert main([*command, *SMALL]) == 1
    message = capsys.readouterr().err
    assert str(draft) in message
    assert "Delete or move it" in message
    assert draft.read_bytes() == content


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Signals as a terminal leaves them; under nohup one is ignored, and then rightly not taken for an end."""
    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    former = {number: signal.signal(number, signal.SIG_DFL) for number in wanted}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_search_that_is_ended_from_outside_keeps_what_is_finished(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, code: int
) -> None:
    with stopped_after(4, lambda: signal.raise_signal(number)):
        assert main([*command, *SMALL]) == code
    said = capsys.readouterr().err.splitlines()
    assert len([line for line in said if "the same command goes on from there" in line]) == 1
    assert (tmp_path / "m.proset.search").exists()
    assert not (tmp_path / "m.proset").exists()
    with ctrl_c_after(1_000) as counted:
        assert main([*command, *SMALL, "-q"]) == 0
    assert len(counted) == 3 * 3 + 3 * 3 - 4
    assert signal.getsignal(number) == signal.SIG_DFL


@pytest.mark.slow
def test_what_the_caller_has_switched_off_stays_off(command: list[str]) -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with stopped_after(2, lambda: signal.raise_signal(signal.SIGHUP)):
            assert main([*command, *SMALL, "-q"]) == 0
    finally:
        signal.signal(signal.SIGHUP, former)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", main_cases(["9", "10000", "1" + 30 * "0"], every=3))
def test_more_processes_than_help_are_not_started(
    command: list[str],
    asked: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    jobs: str,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert main([*command, "--search", "--jobs", jobs]) == 0
    assert asked["n_jobs"] == 8
    assert f"--jobs is {int(jobs):,}; more than 8 processes" in capsys.readouterr().err
    assert main([*command, "--search", "--jobs", "8"]) == 0
    assert asked["n_jobs"] == 8
    assert "--jobs" not in capsys.readouterr().err


def _press_ctrl_c(*_: object, **__: object) -> None:
    """Stand in for work during which Ctrl-C is pressed."""
    raise KeyboardInterrupt


# What needs a process and a terminal of its own


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="signals and terminals of POSIX")
def test_in_a_terminal_a_line_shows_progress_and_ctrl_c_ends_it(patients_file: Path, tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    folder = tmp_path / "out"
    folder.mkdir()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    options = [
        "--search",
        "--method",
        "report",
        "--jobs",
        "2",
        "--trials",
        "900",
        "-t",
        "outcome",
        "-o",
        str(folder / "m.proset"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "proset", "fit", str(patients_file), *options],
        stdin=slave, stdout=subprocess.DEVNULL, stderr=slave, start_new_session=True, preexec_fn=_take_terminal,
    )  # fmt: skip
    os.close(slave)
    family = psutil.Process(process.pid)
    shown = b""
    # While worker processes start, on a busy machine for seconds, the command is deaf to Ctrl-C: wait for a result.
    while re.search(rb"Stage 1 of 3, penalties: [1-9]", shown) is None:
        shown += os.read(master, 4096)
    wait_until(lambda: len(family.children(recursive=True)) >= 2, what="no worker processes are started")
    helpers = family.children(recursive=True)
    os.write(master, b"\x03")  # as the keyboard sends it: to all processes of the terminal
    try:
        while block := os.read(master, 4096):
            shown += block
    except OSError:
        pass  # Linux reports the end of a terminal as an error
    os.close(master)
    assert process.wait(timeout=HANG) == 130
    text = shown.decode()
    assert "Stage 1 of 3, penalties: " in text
    assert "the search was stopped in stage 1 of 3" in text
    assert "Traceback" not in text
    assert os.listdir(folder) == ["m.proset.search"]
    wait_until(
        lambda: not any(helper.is_running() and helper.status() != psutil.STATUS_ZOMBIE for helper in helpers),
        what="worker processes are left behind",
    )


def _take_terminal() -> None:
    """Make standard input the terminal of the new session, so that Ctrl-C reaches it."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
