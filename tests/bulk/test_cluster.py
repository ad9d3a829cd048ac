"""The way to a scheduler: what runs there, and what people read when it cannot be used."""

from __future__ import annotations

import os
import socket
from importlib import metadata
from pathlib import Path

import pytest
from distributed import Client
from joblib import Parallel, delayed

from proset.bulk import cluster as connection
from proset.bulk import connected
from proset.common.errors import ProsetError


@pytest.mark.slow
def test_joblib_runs_on_the_workers_inside_the_block_only(cluster) -> None:
    calls = [delayed(os.getpid)() for _ in range(8)]
    with connected(cluster.address):
        assert set(Parallel(batch_size=1)(calls)) <= cluster.pids
    assert set(Parallel()(calls)) == {os.getpid()}


@pytest.mark.parametrize(
    "address", ["192.168.0.5:8786", "tcp://host", "tcp://:8786", "http://host:8786", "tcp://h:x", ""]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ProsetError, match=r"is no address of a scheduler\. Write it like tcp://"), connected(address):
        pass


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda name: None)
    with pytest.raises(ProsetError, match=r'pip install "proset-dashboard\[distributed\]"'), connected("tcp://host:1"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("listens", [False, True])
def test_where_nothing_answers_it_gives_up(listens: bool) -> None:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        if listens:
            place.listen()
        address = f"tcp://127.0.0.1:{place.getsockname()[1]}"
        words = f"No Dask scheduler can be reached at {address}: nothing answers within 1 s"
        with pytest.raises(ProsetError, match=words), connected(address, timeout=1.0):
            pass


def test_a_worker_is_no_scheduler(cluster) -> None:
    with connected(cluster.address) as client:
        worker = next(iter(client.scheduler_info()["workers"]))
    with pytest.raises(ProsetError, match=f"No Dask scheduler can be reached at {worker}"), connected(worker):
        pass


@pytest.mark.slow
def test_no_workers_and_workers_of_another_version(bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"has no workers. Start at least one, .*: dask worker {bare.address}"
    wait = Client.wait_for_workers
    with monkeypatch.context() as patch:  # the scheduler may take its time, workers that never come need none
        patch.setattr(Client, "wait_for_workers", lambda client, count, timeout: wait(client, count, timeout=0.2))
        with pytest.raises(ProsetError, match=words), connected(bare.address):
            pass
    record = tmp_path / "proset_dashboard-0.0.1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: proset-dashboard\nVersion: 0.0.1\n")
    bare.need_workers(1, PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="1")  # a clone may have metadata of its own
    here = metadata.version("proset-dashboard")
    words = f"1 of 1 worker differs from proset {here} here: tcp://.* has proset 0.0.1"
    with pytest.raises(ProsetError, match=words), connected(bare.address):
        pass


def test_an_error_on_a_worker_comes_through(cluster) -> None:
    with connected(cluster.address), pytest.raises(ZeroDivisionError):
        Parallel()([delayed(divmod)(1, 0)])
