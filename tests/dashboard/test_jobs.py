"""Jobs: progress, cancel, crashes in words, waiting, nothing left behind."""

import errno
import gc
import importlib
import itertools
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
import zipfile
from pathlib import Path
from typing import ClassVar

import psutil
import pytest
from patience import HANG, wait_until

import dashboard
from dashboard.work import processes, worker
from dashboard.work.limits import jobs_at_once
from dashboard.work.outcome import Failure, no_space
from dashboard.work.processes import Standby
from dashboard.work.progress import (
    PREPARING,
    STARTING,
    Progress,
    ProgressWriter,
    StageText,
    progress_words,
    read_progress,
)
from dashboard.work.queue import JobQueue, Status
from dashboard.work.tasks import FIT, SEARCH, TASKS, FitRequest, Task, TaskWords
from dashboard.work.tasks.task import WORKER
from proset.data.samples import load_sample, sample_roles
from proset.study import FitSettings, fit_study
from proset.study.recipe import Recipe

PROGRAM = """
    import json, os, signal, sys, time
    folder = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.readline().strip() or sys.exit()
    mode = open(os.path.join(folder, "mode")).read()
    def say(share):
        line = {"stage": "trying", "done": 1, "total": 2, "share": share, "remaining": 12.0}
        with open(os.path.join(folder, "progress.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\\n")
    def end(**outcome):
        with open(os.path.join(folder, "outcome.json"), "w") as file:
            json.dump(outcome, file)
    say(0.25)
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(0.5)
        time.sleep(3600)
    if mode == "parent":
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        with open(os.path.join(folder, "child"), "w") as file:
            file.write(str(child.pid))
        say(0.5)
        time.sleep(3600)
    if mode == "slow":
        time.sleep(3600)
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "crash":
        raise RuntimeError("secret detail")
    if mode == "refused":
        end(failure="refused", detail="Class 'b' has 1 row.")
    if mode == "full":
        sys.exit(74)
    if mode == "good":
        end(failure=None, detail="")
"""


class Trial(Task):
    """A kind of work in tests only: its request is the name of a way to end."""

    name = "trial"
    words = TaskWords("trial", "The trial is over.", "Cancel", "Try less.")
    stages: ClassVar = {"trying": StageText("Trying", "{percent} %")}

    def __init__(self, program, *, short=True):
        self.program, self.short = program, short

    def write(self, request, folder):
        if isinstance(request, Exception):
            raise request
        (folder / "mode").write_text(request)

    def read(self, folder):
        return (folder / "mode").read_text()

    def run(self, request, progress, folder):
        raise NotImplementedError

    def result(self, request, folder):
        return request


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
    for entry in list(made._entries):
        made.remove(entry)


def submit(queue, program, mode, *, short=True):
    return queue.submit(Trial(program, short=short), mode)


def ended(job):
    return job.poll().ended


def test_a_good_job_ends_as_done_and_keeps_its_folder_until_closed(queue, program):
    job = submit(queue, program, "good")
    wait_until(lambda: ended(job))
    assert job.poll() is Status.DONE
    assert (job.failure, job.message, job.result()) == (None, "", "good")
    job.close()
    assert not job.folder.exists()


def test_the_folder_is_private(queue, program):
    job = submit(queue, program, "slow")
    assert stat.S_IMODE(job.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("mode", "failure", "words"),
    [
        ("refused", Failure.REFUSED, "Class 'b' has 1 row."),
        ("crash", Failure.CRASHED, "The trial ended unexpectedly (exit code 1)"),
        ("killed", Failure.KILLED, "by the system where memory ran out, or by a person. Try"),
        ("full", Failure.DISK, "no space left on the server's disk for the trial"),
        ("silent", Failure.CRASHED, "The trial ended unexpectedly (exit code 0)"),
    ],
)
def test_failures_are_told_in_the_words_of_their_kind(queue, program, mode, failure, words):
    job = submit(queue, program, mode)
    wait_until(lambda: ended(job))
    assert job.poll() is Status.FAILED
    assert job.failure is failure
    assert words in job.message
    assert "secret detail" not in job.message
    assert "Traceback" not in job.message


@pytest.mark.parametrize("mode", ["slow", "stubborn"])
def test_cancel_ends_the_process_within_two_seconds(queue, program, mode, monkeypatch):
    job = submit(queue, program, mode)
    share = 0.5 if mode == "stubborn" else 0.25
    wait_until(lambda: job.progress().share == share)
    process = psutil.Process(job._entry.process.pid)
    waited, wait = [], subprocess.Popen.wait
    monkeypatch.setattr(
        subprocess.Popen, "wait", lambda self, timeout=None: waited.append(timeout) or wait(self, timeout)
    )
    job.cancel()
    assert not process.is_running()
    # It is asked to end and given two seconds; one that does not is made to.
    assert waited[0] <= 2.0
    assert mode == "slow" or len(waited) == 2
    assert job.poll() is Status.CANCELLED
    assert not job.folder.exists()


@pytest.mark.parametrize("end", ["cancel", "stop", "crash"])
def test_children_of_the_process_end_with_it(queue, program, end):
    job = submit(queue, program, "parent")
    wait_until(lambda: job.progress().share == 0.5)
    child = psutil.Process(int((job.folder / "child").read_text()))
    if end == "crash":
        os.kill(job._entry.process.pid, signal.SIGKILL)
        wait_until(lambda: ended(job))
    else:
        getattr(job, end)()
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_job_that_is_closed_long_after_its_end_sends_no_signal_to_whoever_has_its_number_now(
    queue, program, monkeypatch
):
    job = submit(queue, program, "slow")
    wait_until(lambda: job.progress().share > 0)
    os.kill(job._entry.process.pid, signal.SIGKILL)
    wait_until(lambda: ended(job))
    monkeypatch.setattr(os, "killpg", lambda *group: pytest.fail("somebody is asked to end"))
    job.stop()
    job.close()
    assert not job.folder.exists()


def test_what_a_stopped_job_has_written_can_still_be_read(queue, program):
    job = submit(queue, program, "slow")
    wait_until(lambda: job.progress().share > 0)
    process = psutil.Process(job._entry.process.pid)
    job.stop()
    assert not process.is_running()
    assert job.poll() is Status.CANCELLED
    assert job.progress().share == 0.25
    job.close()
    assert not job.folder.exists()


def test_what_an_abandoned_job_had_finished_is_kept_without_its_folder(queue, program):
    job = submit(queue, program, "slow")
    wait_until(lambda: job.progress().share > 0)
    job.task.partial = lambda request, folder: (request, (folder / "mode").read_text())
    job.abandon()
    assert job.poll() is Status.CANCELLED
    assert not job.folder.exists()
    assert job.partial() == ("slow", "slow")


def test_a_new_stage_is_told_at_once_and_the_rest_at_most_ten_times_a_second(tmp_path, monkeypatch):
    clock = itertools.count(10.0, 0.01)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    writer = ProgressWriter(tmp_path / "progress.jsonl")
    writer.write(STARTING)
    for done in range(100):
        writer.write("penalties", done / 100, done=done, total=100, remaining=7.0)
    writer.write("batches", 0.9, done=1, total=5, remaining=2.0)
    lines = (tmp_path / "progress.jsonl").read_text().splitlines()
    assert 3 <= len(lines) < 20
    assert read_progress(tmp_path, 4.0) == Progress("batches", 0.9, 1, 5, elapsed=4.0, remaining=2.0)


def test_the_time_to_go_is_estimated_from_the_share_and_the_time_of_the_stage(tmp_path, monkeypatch):
    now = iter([10.0, 14.0, 15.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    writer = ProgressWriter(tmp_path / "progress.jsonl")
    writer.write("rows", 0.01, estimate=True)
    assert read_progress(tmp_path, 0.0).remaining is None
    writer.write("rows", 0.25, estimate=True)
    assert read_progress(tmp_path, 4.0).remaining == pytest.approx(12.0)
    writer.write("rows", 0.3, remaining=2.0)
    assert read_progress(tmp_path, 5.0).remaining == 2.0


@pytest.mark.parametrize(
    ("silent", "remaining", "late", "words"),
    [(3, 7.0, False, "about 7 s to go"), (11, 0.0, False, "about 1 s to go"), (60, 0.0, True, "longer than foreseen")],
)
def test_work_that_is_silent_has_less_to_go_and_then_is_late(tmp_path, silent, remaining, late, words):
    path = tmp_path / "progress.jsonl"
    ProgressWriter(path).write("rows", 0.5, remaining=10.0)
    written = path.stat().st_mtime - silent
    os.utime(path, (written, written))
    now = read_progress(tmp_path, 20.0)
    assert (now.remaining, now.late) == (remaining, late)
    assert words in progress_words(now, {})
    assert ("to go" in progress_words(now, {})) is not late


def test_work_that_has_not_said_when_it_ends_is_never_late(tmp_path):
    path = tmp_path / "progress.jsonl"
    ProgressWriter(path).write("rows", 0.5)
    os.utime(path, (1.0, 1.0))
    now = read_progress(tmp_path, 20.0)
    assert (now.remaining, now.late) == (None, False)


@pytest.mark.parametrize(
    "line",
    [
        "null",
        "[]",
        "7",
        '{"stage": 7}',
        "{",
        "[" * 4000,
        '{"stage": "a", "share": "x", "done": null}',
        '"' + "x" * 9000,
    ],
)
def test_a_progress_file_that_holds_something_else_is_no_trouble(tmp_path, line):
    (tmp_path / "progress.jsonl").write_text(line + "\n")
    now = read_progress(tmp_path, 3.0)
    assert (now.share, now.done, now.elapsed) == (0.0, 0, 3.0)


def test_a_disk_that_is_full_does_not_stop_work_at_a_line_of_progress(tmp_path):
    ProgressWriter(tmp_path / "no such folder" / "progress.jsonl").write(STARTING)


def test_progress_is_read_while_the_job_runs(queue, program):
    job = submit(queue, program, "slow")
    wait_until(lambda: job.progress().share > 0)
    now = job.progress()
    assert (now.stage, now.done, now.total) == ("trying", 1, 2)
    assert now.remaining == pytest.approx(12.0)


def test_a_half_written_progress_line_is_not_read(queue, program):
    job = submit(queue, program, "slow")
    wait_until(lambda: job.progress().share > 0)
    with (job.folder / "progress.jsonl").open("a") as file:
        file.write('{"stage": "trying", "done": 2, "to')
    assert job.progress().done == 1


def test_further_jobs_wait_and_then_run(queue, program):
    first, second, third = (submit(queue, program, mode) for mode in ("slow", "good", "good"))
    assert [job.poll() for job in (first, second, third)] == [Status.RUNNING, Status.WAITING, Status.WAITING]
    assert (second.progress().ahead, third.progress().ahead) == (0, 1)
    assert progress_words(second.progress(), {}) == "Waiting for a free place."
    assert progress_words(third.progress(), {}) == "Waiting: 1 other job comes first."
    first.cancel()
    wait_until(lambda: ended(third))
    assert (second.poll(), third.poll()) == (Status.DONE, Status.DONE)


def test_a_waiting_job_can_be_cancelled(queue, program):
    first, second = submit(queue, program, "slow"), submit(queue, program, "good")
    second.cancel()
    assert second.poll() is Status.CANCELLED
    assert first.poll() is Status.RUNNING


def test_a_job_nobody_holds_any_more_is_stopped_and_removed(queue, program):
    job = submit(queue, program, "slow")
    process, folder = psutil.Process(job._entry.process.pid), job.folder
    del job
    gc.collect()
    assert not process.is_running()
    assert not folder.exists()


@pytest.mark.slow
def test_a_worker_leaves_with_its_folder_when_the_server_is_gone(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    code = (
        "import pathlib, sys, time; from dashboard.work.worker import stop_with_parent; "
        "stop_with_parent(pathlib.Path(sys.argv[1])); time.sleep(3600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE)
    # What the system does to the pipe when the server is killed.
    process.stdin.close()
    assert process.wait(timeout=HANG) == 1
    assert not folder.exists()


@pytest.mark.parametrize(
    ("error", "failure", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), Failure.DISK, "no space left on the server's disk"),
        (OSError(errno.EFBIG, "File too large"), Failure.DISK, "no space left on the server's disk"),
        (OSError(errno.EACCES, "Permission denied"), Failure.NOT_STARTED, "could not be started (Permission denied)"),
    ],
)
def test_a_request_that_cannot_be_written_fails_in_words_and_leaves_no_folder(queue, error, failure, words):
    job = queue.submit(Trial("no_program"), error)
    assert (job.poll(), job.failure) == (Status.FAILED, failure)
    assert words in job.message
    assert not job.folder.exists()
    assert job.partial() is None
    job.close()


def test_a_request_that_breaks_leaves_no_folder(queue):
    with pytest.raises(ZeroDivisionError):
        queue.submit(Trial("no_program"), ZeroDivisionError())
    assert [path.name for path in queue._folders._root.iterdir()] == ["lock"]


def test_where_not_even_a_folder_can_be_made_that_is_said(queue, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/no such folder")
    job = queue.submit(Trial("no_program"), "good")
    assert job.failure is Failure.NOT_STARTED
    assert "could not be started (No such file or directory)" in job.message
    assert job.progress() == Progress()


def test_a_program_that_cannot_be_started_fails_in_words(queue, program, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    job = submit(queue, program, "good")
    assert job.poll() is Status.FAILED
    assert "could not be started" in job.message


def test_at_least_one_job_may_run():
    assert 2 <= jobs_at_once() <= max(os.cpu_count() or 1, 2)


# A process that is ready before it is needed


@pytest.fixture
def ready(program):
    """A queue whose standby waits."""
    made = JobQueue(limit=1, standby=Standby(program))
    made.get_ready()
    yield made
    for entry in list(made._entries):
        made.remove(entry)
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
        assert (job._entry.process is process) == (mode == "good")
        wait_until(lambda job=job: ended(job))
        assert job.poll() is status


def test_the_process_that_waited_is_cancelled_like_any_other(ready, program):
    process = waiting(ready)
    job = submit(ready, program, "slow")
    wait_until(lambda: job.progress().share == 0.25)
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
    wait_until(lambda: ended(job))
    assert job.poll() is Status.DONE
    assert waiting(ready).poll() is None


def test_one_that_died_is_replaced(ready, program):
    waiting(ready).kill()
    waiting(ready).wait()
    job = submit(ready, program, "good")
    wait_until(lambda: ended(job))
    assert job.poll() is Status.DONE
    ready.get_ready()
    assert waiting(ready).poll() is None


def test_one_that_dies_as_it_is_handed_work_is_replaced(ready, program, monkeypatch):
    waiting(ready).kill()
    waiting(ready).wait()
    monkeypatch.setattr(Standby, "_usable", lambda standby: True)  # as it was a moment ago
    job = submit(ready, program, "good")
    wait_until(lambda: ended(job))
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


@pytest.mark.slow
def test_the_worker_fits_what_it_is_handed_and_does_not_send_the_table_back():
    queue = JobQueue(limit=1, standby=Standby(WORKER))
    queue.get_ready()
    process = waiting(queue)
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    job = queue.submit(FIT, FitRequest(table, Recipe(roles, settings=FitSettings(num_candidates=30))))
    wait_until(lambda: ended(job))
    assert job.poll() is Status.DONE
    assert job._entry.process is process
    found = job.result()
    assert found.table is table
    again = fit_study(table, roles, settings=FitSettings(num_candidates=30))
    assert found.metrics.log_loss == again.metrics.log_loss
    members = zipfile.ZipFile(job.folder / "result.proset").namelist()
    assert not [name for name in members if name.startswith("columns/") or name == "table/rows.npy"]
    job.close()


@pytest.mark.slow
@pytest.mark.parametrize("why", ["the server is gone", "nothing came"])
def test_the_worker_leaves_when_no_work_comes(why):
    idle = 600.0 if why == "the server is gone" else 0.2
    code = (
        "import dashboard.work.worker as worker; "
        f"worker.IDLE_SECONDS = {idle}; worker.await_folder(tasks=()); raise SystemExit(3)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    if why == "the server is gone":
        process.stdin.close()
    assert process.wait(timeout=HANG) == 0
    process.stdin.close()


@pytest.mark.parametrize(
    ("task", "now", "words"),
    [
        (FIT, Progress(elapsed=3), "Starting · 3 s so far"),
        (FIT, Progress("of another kind", elapsed=3), "Starting · 3 s so far"),
        (FIT, Progress(ahead=2), "Waiting: 2 other jobs come first."),
        (
            FIT,
            Progress(PREPARING, elapsed=3),
            "Preparing the compiled engine (longer the first time after an installation) · 3 s so far",
        ),
        (FIT, Progress("fitting", 0.1, 1, 1, elapsed=600, remaining=5400), "about 90 min to go"),
        (FIT, Progress("fitting", 0.5, 1, 2, elapsed=12, remaining=10), "Batch 1 of 2 · 50 % · 12 s so far · about 10"),
        (
            SEARCH,
            Progress("penalties", 0.4, 23, 55, elapsed=12, remaining=70),
            "Step 1 of 3, comparing penalties · 23 of 55 fits · 12 s so far · about 70 s to go",
        ),
        (
            SEARCH,
            Progress("batches", 0.8, 2, 5, elapsed=60, remaining=15),
            "Step 2 of 3, comparing numbers of batches · 2 of 5",
        ),
        (SEARCH, Progress("final", 0.9, 0, 2, elapsed=60), "Step 3 of 3, fitting the chosen model · 60 s so far"),
    ],
)
def test_progress_in_words(task, now, words):
    assert words in progress_words(now, task.stages)


# Two lanes


def test_short_work_does_not_wait_behind_long_work(program):
    queue = JobQueue(limit=2)
    jobs = [submit(queue, program, "slow", short=short) for short in (False, False, False, True, True)]
    states = [job.poll() for job in jobs]
    assert states == [Status.RUNNING, Status.WAITING, Status.WAITING, Status.RUNNING, Status.WAITING]
    assert [job.progress().ahead for job in jobs[1:3]] == [0, 1]
    assert jobs[4].progress().ahead == 0  # those before it in the other lane do not count
    jobs[3].cancel()  # the place that is free now is not for long work
    assert [job.poll() for job in jobs[:3]] == states[:3]
    assert jobs[4].poll() is Status.RUNNING
    jobs[0].cancel()
    assert jobs[1].poll() is Status.RUNNING
    for job in jobs:
        job.close()


def test_who_starts_many_does_not_hold_up_the_others(program):
    queue = JobQueue(limit=2)
    task = Trial(program, short=True)
    many = [queue.submit(task, "slow", visitor="one") for _ in range(4)]
    other = queue.submit(task, "slow", visitor="two")
    assert [job.poll() for job in many[:2]] == [Status.RUNNING] * 2
    assert [job.progress().ahead for job in (other, *many[2:])] == [0, 1, 2]
    many[0].cancel()
    assert other.poll() is Status.RUNNING
    for job in (*many, other):
        job.close()


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_processes_are_bounded_whatever_their_kind(program, limit):
    queue = JobQueue(limit)
    jobs = [submit(queue, program, "slow", short=short) for short in (False, True) * 3]
    running = [job for job in jobs if job.poll() is Status.RUNNING]
    assert len(running) == limit
    assert sum(not job.task.short for job in running) <= max(limit - 1, 1)
    for job in jobs:
        job.close()


def test_a_process_that_takes_its_time_to_stop_still_has_its_place(queue, program, monkeypatch):
    first, second = submit(queue, program, "stubborn"), submit(queue, program, "good")
    wait_until(lambda: first.progress().share == 0.5)
    asked, go = threading.Event(), threading.Event()
    end = processes.end

    def slowly(process, grace):
        asked.set()
        assert go.wait(10)
        end(process, grace=0.0)

    monkeypatch.setattr(processes, "end", slowly)
    stopper = threading.Thread(target=first.stop)
    stopper.start()
    assert asked.wait(10)
    assert first.poll() is Status.CANCELLED
    assert second.poll() is Status.WAITING  # answered at once: others do not wait for the lock
    go.set()
    stopper.join()
    wait_until(lambda: ended(second))
    assert second.poll() is Status.DONE


def test_work_in_words_of_its_own_kind():
    for task in TASKS:
        for failure in set(Failure) - {Failure.REFUSED}:
            assert f"The {task.words.noun} " in task.words.failed(failure) or f"the {task.words.noun}" in (
                task.words.failed(failure)
            )
    assert SEARCH.words.cancelled == "The search was cancelled. Nothing else has changed."
    assert FIT.words.failed(Failure.REFUSED, "Class 'b' has 1 row.") == "Class 'b' has 1 row."


def test_a_full_disk_is_seen_behind_the_errors_that_it_leads_to():
    error = ValueError("cannot be saved")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert no_space(error)
    assert not no_space(OSError(errno.EACCES, "Permission denied"))


# A third kind of work, from the request to the result

COUNT = """
    import sys, time
    from pathlib import Path
    from typing import ClassVar
    from dashboard.work.progress import StageText
    from dashboard.work.tasks import Task, TaskWords
    from dashboard.work.worker import main
    from proset.common.errors import ProsetError

    class CountRows(Task):
        name = "count"
        words = TaskWords("count", "All rows are counted.", "Cancel", "Try a table with fewer rows.")
        stages: ClassVar = {"rows": StageText("Counting rows", "{percent} %")}
        short = True
        program = "count_rows"

        def prepare(self):
            self.ready = True

        def write(self, request, folder):
            (folder / "rows").write_text(request)

        def read(self, folder):
            return (folder / "rows").read_text()

        def run(self, request, progress, folder):
            assert self.ready
            if request == "memory":
                raise MemoryError
            if request == "full":
                raise OSError(28, "No space left on device")
            if not request:
                raise ProsetError("There are no rows to count.")
            progress.write("rows", 0.5)
            (folder / "counted").write_text(str(len(request.split())))

        def result(self, request, folder):
            return int((folder / "counted").read_text())

    if __name__ == "__main__":
        raise SystemExit(main(tasks=(CountRows(),)))
"""


@pytest.fixture
def count(tmp_path, monkeypatch):
    """A kind of work that the dashboard does not know, with the program that runs it."""
    (tmp_path / "count_rows.py").write_text(textwrap.dedent(COUNT))
    paths = [str(tmp_path), str(Path(dashboard.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("count_rows").CountRows()
    sys.modules.pop("count_rows")


@pytest.mark.slow
def test_a_third_kind_of_work_needs_nothing_but_its_task(queue, count):
    job = queue.submit(count, "one two three")
    wait_until(lambda: ended(job))
    assert (job.message, job.result()) == ("", 3)
    assert progress_words(read_progress(job.folder, 2.0), count.stages) == "Counting rows · 50 % · 2 s so far"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_", "failure", "words"),
    [
        ("", Failure.REFUSED, "There are no rows to count."),
        (
            "memory",
            Failure.MEMORY,
            "The count was stopped by the system, most likely because memory ran out. Try",
        ),
        ("full", Failure.DISK, "There is no space left on the server's disk for the count."),
    ],
)
def test_the_worker_tells_how_work_ended(queue, count, request_, failure, words):
    job = queue.submit(count, request_)
    wait_until(lambda: ended(job))
    assert job.failure is failure
    assert words in job.message


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_worker_that_cannot_even_write_its_error_still_tells_that_the_disk_is_full(count, tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "kind").write_text("count")
    (folder / "rows").write_text("full")
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "count_rows", str(folder)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=full)
        assert process.wait(timeout=HANG) == 74
        process.stdin.close()


def test_the_worker_takes_no_kind_from_a_folder_that_it_does_not_know(queue, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(dashboard.__file__).parents[1]))
    (tmp_path / "kind").write_text("os:system")
    with pytest.raises(KeyError):
        worker.run(tmp_path)
    assert not (tmp_path / "outcome.json").exists()
