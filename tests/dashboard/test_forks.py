"""The process that stays and forks one for each job."""

import fcntl
import os
import resource
import socket
import subprocess
import sys

import psutil
import pytest
from patience import HANG, wait_until

from dashboard.work import forks
from dashboard.work.forks import CAN_FORK, ForkServer
from dashboard.work.outcome import Failure
from dashboard.work.progress import PROGRESS_FILE
from dashboard.work.queue import JobQueue, Status
from dashboard.work.tasks import FIT, FitRequest
from dashboard.work.tasks.task import WORKER
from proset.data.samples import load_sample, sample_roles
from proset.study import FitSettings, fit_study
from proset.study.recipe import Recipe


def waiting(queue):
    """The process that waits for a job."""
    return queue.standby._held[0]


def ended(job):
    return job.poll().ended


@pytest.fixture
def forking():
    """A queue whose standby has loaded the engine, and forks."""
    made = JobQueue(limit=2, standby=ForkServer(WORKER))
    made.get_ready()
    yield made
    for entry in list(made._entries):
        made.remove(entry)
    made.standby.close()


def quick_fit(seed: int) -> FitRequest:
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    return FitRequest(table, Recipe(roles, settings=FitSettings(num_candidates=30, random_state=seed)))


def until_forked(job) -> psutil.Process:
    wait_until(lambda: job._entry.process.pid is not None)
    return psutil.Process(job._entry.process.pid)


needs_fork = pytest.mark.skipif(not CAN_FORK, reason="processes are forked on Linux only")


@needs_fork
def test_one_process_serves_all_jobs_and_each_is_as_if_it_had_its_own(forking):
    server = waiting(forking)
    jobs = [forking.submit(FIT, quick_fit(seed)) for seed in (0, 1)]
    wait_until(lambda: all(ended(job) for job in jobs))
    assert waiting(forking) is server
    for seed, job in enumerate(jobs):
        assert job.poll() is Status.DONE
        asked = quick_fit(seed)
        again = fit_study(asked.table, asked.recipe.roles, settings=asked.recipe.settings)
        assert job.result().metrics.log_loss == again.metrics.log_loss
        job.close()
    assert not psutil.Process(server.pid).children()


@pytest.mark.slow
@needs_fork
def test_a_forked_job_is_cancelled_and_a_killed_one_is_said(forking):
    first, second = forking.submit(FIT, quick_fit(0)), forking.submit(FIT, quick_fit(1))
    running = [until_forked(job) for job in (first, second)]
    for process in running:
        process.suspend()
    first.cancel()
    assert not running[0].is_running()
    running[1].kill()
    wait_until(lambda: ended(second))
    assert second.failure is Failure.KILLED
    assert waiting(forking).poll() is None


@pytest.mark.slow
@needs_fork
def test_a_process_that_has_just_ended_is_not_missed_when_it_is_killed(forking, monkeypatch):
    job = forking.submit(FIT, quick_fit(0))
    until_forked(job).suspend()

    def gone(pid, sign):
        raise ProcessLookupError

    with monkeypatch.context() as patched:
        patched.setattr(forks.os, "kill", gone)
        job._entry.process.kill()
    job.cancel()


@needs_fork
def test_what_a_job_says_is_heard_however_many_files_the_server_has_open():
    low, high = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2_000, high), high))
    reader, writer = os.pipe()
    try:
        far = fcntl.fcntl(reader, fcntl.F_DUPFD, 1_500)
        assert not forks._is_ready(far, 0.0)
        os.write(writer, b"1")
        assert forks._is_ready(far, None)
        os.close(far)
    finally:
        os.close(reader)
        os.close(writer)
        resource.setrlimit(resource.RLIMIT_NOFILE, (low, high))


@pytest.mark.exhaustive
@needs_fork
def test_a_job_that_is_cancelled_before_it_is_forked_ends_as_soon_as_it_is(forking):
    server = psutil.Process(waiting(forking).pid)
    server.suspend()
    job = forking.submit(FIT, quick_fit(0))
    process, folder = job._entry.process, job.folder
    job.cancel()
    assert (process.pid, process.poll(), folder.exists()) == (None, None, False)
    server.resume()
    wait_until(lambda: process.poll() is not None)
    assert process.returncode != 0
    assert not server.children()


@pytest.mark.exhaustive
@needs_fork
def test_a_fork_server_that_dies_takes_its_jobs_along_and_is_replaced(forking):
    table, roles = load_sample("digits"), sample_roles("digits")
    job = forking.submit(FIT, FitRequest(table, Recipe(roles, settings=FitSettings(n_iter=50))))
    wait_until((job.folder / PROGRESS_FILE).exists)  # it works, and holds nothing of the fork server's any more
    working = until_forked(job)
    working.suspend()
    waiting(forking).kill()
    wait_until(lambda: ended(job))
    assert job.poll() is Status.FAILED
    working.resume()
    wait_until(lambda: not working.is_running())
    forking.get_ready()
    again = forking.submit(FIT, quick_fit(0))
    wait_until(lambda: ended(again))
    assert again.poll() is Status.DONE


@needs_fork
def test_one_that_is_gone_when_work_arrives_is_no_trouble(forking, monkeypatch):
    waiting(forking).kill()
    waiting(forking).wait()
    monkeypatch.setattr(forking.standby, "_usable", lambda: True)  # as it was a moment ago
    job = forking.submit(FIT, quick_fit(0))
    wait_until(lambda: ended(job))
    assert job.poll() is Status.DONE


@needs_fork
@pytest.mark.parametrize("why", ["the server is gone", "nothing came"])
def test_a_fork_server_leaves_when_no_work_comes(why):
    idle = 600.0 if why == "the server is gone" else 0.2
    code = f"import socket; from dashboard.work import forks; forks.serve(socket.socket(fileno=0), {idle})"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen([sys.executable, "-c", code], stdin=theirs)
    if why == "the server is gone":
        ours.close()
    assert process.wait(timeout=HANG) == 0
    ours.close()
