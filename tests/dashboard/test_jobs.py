"""Jobs: progress, cancel within two seconds, crashes in words, waiting, nothing left behind."""

import gc
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from dashboard.components.job_panel import progress_words
from dashboard.jobs import WORKER, JobQueue, Status
from dashboard.processes import Standby
from dashboard.services.fit_request import STUDY_FILE, FitRequest, write_request
from dashboard.services.job_progress import Progress, ProgressWriter, Stage, read_progress
from dashboard.services.limits import jobs_at_once
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.storage import load
from proset.study import fit_study
from proset.study.settings import FitSettings

PROGRAM = """
    import json, os, signal, sys, time
    folder = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.readline().strip() or sys.exit()
    mode = open(os.path.join(folder, "mode")).read()
    def say(share):
        line = {"stage": "fitting", "done": 1, "total": 2, "share": share, "seconds": 4.0, "remaining": None}
        with open(os.path.join(folder, "progress.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\\n")
    def end(**outcome):
        with open(os.path.join(folder, "outcome.json"), "w") as file:
            json.dump(outcome, file)
    say(0.25)
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(0.5)
        time.sleep(60)
    if mode == "parent":
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(os.path.join(folder, "child"), "w") as file:
            file.write(str(child.pid))
        say(0.5)
        time.sleep(60)
    if mode == "slow":
        time.sleep(60)
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "crash":
        raise RuntimeError("secret detail")
    if mode == "refused":
        end(status="refused", message="Class 'b' has 1 row.")
    if mode == "good":
        end(status="done")
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A small program in place of the fit, so that every way to end can be tried quickly."""
    (tmp_path / "small_program.py").write_text(textwrap.dedent(PROGRAM))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    return "small_program"


@pytest.fixture
def queue():
    made = JobQueue(limit=1)
    yield made
    for task in list(made._tasks):
        made.remove(task)


def submit(queue, program, mode):
    return queue.submit(lambda folder: (folder / "mode").write_text(mode), module=program)


def wait(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.02)


def ended(job):
    return job.poll() not in (Status.WAITING, Status.RUNNING)


def test_a_good_job_ends_as_done_and_keeps_its_folder_until_closed(queue, program):
    job = submit(queue, program, "good")
    wait(lambda: ended(job))
    assert job.poll() is Status.DONE
    assert json.loads((job.folder / "outcome.json").read_text()) == {"status": "done"}
    job.close()
    assert not job.folder.exists()


def test_the_folder_is_private(queue, program):
    job = submit(queue, program, "slow")
    assert stat.S_IMODE(job.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("refused", "Class 'b' has 1 row."),
        ("crash", "ended unexpectedly (exit code 1)"),
        ("killed", "memory ran out"),
        ("silent", "ended unexpectedly (exit code 0)"),
    ],
)
def test_failures_are_told_in_words(queue, program, mode, words):
    job = submit(queue, program, mode)
    wait(lambda: ended(job))
    assert job.poll() is Status.FAILED
    assert words in job.message
    assert "secret detail" not in job.message
    assert "Traceback" not in job.message


@pytest.mark.parametrize("mode", ["slow", "stubborn"])
def test_cancel_ends_the_process_within_two_seconds(queue, program, mode):
    job = submit(queue, program, mode)
    share = 0.5 if mode == "stubborn" else 0.25
    wait(lambda: job.progress().share == share)
    process = psutil.Process(job._task.process.pid)
    began = time.monotonic()
    job.cancel()
    assert time.monotonic() - began < 2.0
    assert not process.is_running()
    assert job.poll() is Status.CANCELLED
    assert not job.folder.exists()


@pytest.mark.parametrize("end", ["cancel", "stop", "crash"])
def test_children_of_the_process_end_with_it(queue, program, end):
    job = submit(queue, program, "parent")
    wait(lambda: job.progress().share == 0.5)
    child = psutil.Process(int((job.folder / "child").read_text()))
    if end == "crash":
        os.kill(job._task.process.pid, signal.SIGKILL)
        wait(lambda: ended(job))
    else:
        getattr(job, end)()
    wait(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, seconds=2.0)


def test_what_a_stopped_job_has_written_can_still_be_read(queue, program):
    job = submit(queue, program, "slow")
    wait(lambda: job.progress().share > 0)
    process = psutil.Process(job._task.process.pid)
    job.stop()
    assert not process.is_running()
    assert job.poll() is Status.CANCELLED
    assert job.progress().share == 0.25
    job.close()
    assert not job.folder.exists()


def test_a_new_stage_is_told_at_once_and_the_rest_at_most_ten_times_a_second(tmp_path):
    writer = ProgressWriter(tmp_path / "progress.jsonl")
    writer.write(Stage.STARTING)
    for done in range(100):
        writer.write(Stage.PENALTIES, done / 100, done=done, total=100, remaining=7.0)
    writer.write(Stage.BATCHES, 0.9, done=1, total=5, remaining=2.0)
    lines = (tmp_path / "progress.jsonl").read_text().splitlines()
    assert 3 <= len(lines) < 20
    assert read_progress(tmp_path, 4.0) == Progress(Stage.BATCHES, 0.9, 1, 5, elapsed=4.0, remaining=2.0)


def test_progress_is_read_while_the_job_runs(queue, program):
    job = submit(queue, program, "slow")
    wait(lambda: job.progress().share > 0)
    now = job.progress()
    assert (now.stage, now.done, now.total) == (Stage.FITTING, 1, 2)
    assert now.remaining == pytest.approx(12.0)


def test_a_half_written_progress_line_is_not_read(queue, program):
    job = submit(queue, program, "slow")
    wait(lambda: job.progress().share > 0)
    with (job.folder / "progress.jsonl").open("a") as file:
        file.write('{"stage": "fitting", "done": 2, "to')
    assert job.progress().done == 1


def test_further_jobs_wait_and_then_run(queue, program):
    first, second, third = (submit(queue, program, mode) for mode in ("slow", "good", "good"))
    assert [job.poll() for job in (first, second, third)] == [Status.RUNNING, Status.WAITING, Status.WAITING]
    assert (second.progress().ahead, third.progress().ahead) == (0, 1)
    assert progress_words(second.progress()) == "Waiting for a free place."
    assert progress_words(third.progress()) == "Waiting: 1 other fit comes first."
    first.cancel()
    wait(lambda: ended(third))
    assert (second.poll(), third.poll()) == (Status.DONE, Status.DONE)


def test_a_waiting_job_can_be_cancelled(queue, program):
    first, second = submit(queue, program, "slow"), submit(queue, program, "good")
    second.cancel()
    assert second.poll() is Status.CANCELLED
    assert first.poll() is Status.RUNNING


def test_a_job_nobody_holds_any_more_is_stopped_and_removed(queue, program):
    job = submit(queue, program, "slow")
    process, folder = psutil.Process(job._task.process.pid), job.folder
    del job
    gc.collect()
    assert not process.is_running()
    assert not folder.exists()


def test_a_worker_leaves_with_its_folder_when_the_server_is_gone(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    code = (
        "import pathlib, sys, time; from dashboard.worker import stop_with_parent; "
        "stop_with_parent(pathlib.Path(sys.argv[1])); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE)
    # What the system does to the pipe when the server is killed.
    process.stdin.close()
    assert process.wait(timeout=30) == 1
    assert not folder.exists()


def test_a_request_that_cannot_be_written_leaves_no_folder(queue, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def refuse(folder: Path):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        queue.submit(refuse)
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_cannot_be_started_fails_in_words(queue, program, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    job = submit(queue, program, "good")
    assert job.poll() is Status.FAILED
    assert "could not be started" in job.message


def test_at_least_one_job_may_run():
    assert 1 <= jobs_at_once() <= (os.cpu_count() or 1)


# A process that is ready before it is needed


@pytest.fixture
def ready(program):
    """A queue whose standby waits."""
    made = JobQueue(limit=1, standby=Standby(program))
    made.get_ready()
    yield made
    for task in list(made._tasks):
        made.remove(task)
    made.standby.close()


def waiting(queue):
    """The process that waits for a job."""
    return queue.standby._held[0]


def test_the_process_that_waits_gets_the_next_job(ready, program):
    process = waiting(ready)
    ready.get_ready()
    assert waiting(ready) is process  # one is enough
    for mode, status in (("good", Status.DONE), ("refused", Status.FAILED)):
        job = submit(ready, program, mode)
        assert (job._task.process is process) == (mode == "good")
        wait(lambda job=job: ended(job))
        assert job.poll() is status


def test_the_process_that_waited_is_cancelled_like_any_other(ready, program):
    process = waiting(ready)
    job = submit(ready, program, "slow")
    wait(lambda: job.progress().share == 0.25)
    folder = job.folder
    job.cancel()
    assert process.poll() is not None
    assert not folder.exists()


def test_jobs_that_run_keep_the_processors_for_themselves(ready, program):
    job = submit(ready, program, "slow")
    ready.get_ready()
    assert ready.standby._held == []
    job.cancel()
    ready.get_ready()
    assert waiting(ready).poll() is None


def test_another_program_does_not_get_the_process_that_waits(ready, program, tmp_path):
    (tmp_path / "other_program.py").write_text((tmp_path / "small_program.py").read_text())
    job = submit(ready, "other_program", "good")
    wait(lambda: ended(job))
    assert job.poll() is Status.DONE
    assert waiting(ready).poll() is None


def test_one_that_died_is_replaced(ready, program):
    waiting(ready).kill()
    waiting(ready).wait()
    job = submit(ready, program, "good")
    wait(lambda: ended(job))
    assert job.poll() is Status.DONE
    ready.get_ready()
    assert waiting(ready).poll() is None


def test_one_that_dies_as_it_is_handed_work_is_replaced(ready, program, monkeypatch):
    waiting(ready).kill()
    waiting(ready).wait()
    monkeypatch.setattr(Standby, "_usable", lambda standby: True)  # as it was a moment ago
    job = submit(ready, program, "good")
    wait(lambda: ended(job))
    assert job.poll() is Status.DONE


def test_one_that_is_about_to_leave_is_not_given_work(program):
    standby = Standby(program, idle_seconds=0.0)
    standby.begin()
    process = standby._held[0]
    assert standby.take(Path("/nowhere")) is None
    standby.close()
    assert process.poll() is not None


def test_one_that_nobody_needs_any_more_ends(program):
    standby = Standby(program)
    standby.begin()
    process = psutil.Process(standby._held[0].pid)
    del standby
    gc.collect()
    assert not process.is_running()


def test_one_that_cannot_be_started_is_no_trouble(program, monkeypatch):
    standby = Standby(program)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/no/such/python")
        standby.begin()
    assert standby.take(Path("/nowhere")) is None


def test_the_worker_fits_what_it_is_handed(tmp_path):
    queue = JobQueue(limit=1, standby=Standby(WORKER))
    queue.get_ready()
    process = waiting(queue)
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    request = FitRequest(table, roles, SplitSettings(), FitSettings())
    job = queue.submit(lambda folder: write_request(request, folder))
    wait(lambda: ended(job), seconds=60.0)
    assert job.poll() is Status.DONE
    assert job._task.process is process
    found = load(job.folder / STUDY_FILE)
    assert found.metrics.log_loss == fit_study(table, roles, settings=FitSettings()).metrics.log_loss
    job.close()


@pytest.mark.parametrize("why", ["the server is gone", "nothing came"])
def test_the_worker_leaves_when_no_work_comes(why):
    idle = 600.0 if why == "the server is gone" else 0.2
    code = (
        "import dashboard.worker as worker; worker.prepare_engine = lambda: None; "
        f"worker.IDLE_SECONDS = {idle}; worker.await_folder(); raise SystemExit(3)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    if why == "the server is gone":
        process.stdin.close()
    assert process.wait(timeout=30) == 0
    process.stdin.close()


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (Progress(elapsed=3), "Starting · 3 s so far"),
        (Progress(ahead=2), "Waiting: 2 other fits come first."),
        (
            Progress(Stage.PREPARING, elapsed=3),
            "Preparing the compiled engine (longer the first time after an installation) · 3 s so far",
        ),
        (Progress(Stage.FITTING, 0.1, 1, 1, elapsed=600, remaining=5400), "about 90 min to go"),
        (
            Progress(Stage.BATCHES, 0.8, 2, 5, elapsed=60, remaining=15),
            "Step 2 of 3, comparing numbers of batches · 2 of 5",
        ),
    ],
)
def test_progress_in_words(now, words):
    assert words in progress_words(now)
