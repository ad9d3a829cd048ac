"""The way to a Dask scheduler that is running, checked before any work is handed over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from proset.common.errors import ProsetError
from proset.common.words import count_words

if TYPE_CHECKING:
    from distributed import Client

PACKAGE = "proset-dashboard"
_LISTED = 3


@contextmanager
def connected(address: str, *, timeout: float = 5.0) -> Iterator[Client]:
    """Send the parallel work of a block to the workers of a Dask scheduler.

    Inside the block, everything that runs on joblib, such as :func:`proset.selection.run_search`, runs on the workers.
    A worker that dies is replaced by the others: its tasks start again. Leaving the block, for whatever reason, takes
    back the tasks that have not begun.

    Parameters
    ----------
    address : str
        Such as ``tcp://192.168.0.5:8786``; ``tls://`` takes certificates from Dask's own configuration.
    timeout : float
        Seconds to wait for the scheduler, and again for its first worker.

    Yields
    ------
    distributed.Client
        The connection.

    Raises
    ------
    ProsetError
        If Dask is not installed here, no scheduler answers at the address, it has no workers, or one of them does not
        have this version of proset.

    Examples
    --------
    >>> with connected("192.168.0.5"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: '192.168.0.5' is no address of a scheduler. Write it like ...
    """
    _check_address(address)
    if find_spec("distributed") is None:
        raise ProsetError(
            "Work on a scheduler needs Dask, which is not installed.",
            hint=f'Install it with: pip install "{PACKAGE}[distributed]"',
        )
    import dask
    from distributed import Client
    from joblib import parallel_config

    _check_scheduler(address, timeout)
    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}),  # a table may travel with a task
        Client(address, timeout=timeout, set_as_default=False) as client,
    ):
        _check_workers(client, address, timeout)
        with parallel_config(backend="dask", client=client):
            yield client


def _check_address(address: str) -> None:
    """Refuse what does not name a host and a port."""
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    except ValueError:  # such as a port that is no number
        good = False
    if not good:
        raise ProsetError(
            f"'{address}' is no address of a scheduler.",
            hint="Write it like tcp://192.168.0.5:8786, as 'dask scheduler' prints it.",
        )


def _check_scheduler(address: str, timeout: float) -> None:
    """Refuse an address where no scheduler answers; a Client would wait for a silent one without end."""
    try:
        # In a thread of its own, because the caller may be inside an event loop already (a notebook is).
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, asyncio.wait_for(_ask(address, timeout), timeout)).result()
    except Exception as error:  # whatever the bytes of a stranger may cause
        silent = isinstance(error, TimeoutError | OSError)
        why = f"nothing answers within {timeout:g} s" if silent else "what answers there does not understand us"
        raise ProsetError(
            f"No Dask scheduler can be reached at {address}: {why}.",
            hint="Check the address, and that 'dask scheduler' runs there and may be reached from here; tls:// needs "
            "certificates in Dask's own configuration.",
        ) from error


async def _ask(address: str, timeout: float) -> None:
    """Ask who is there."""
    from distributed import Security, rpc

    arguments = Security().get_connection_args("client")
    async with rpc(address, timeout=timeout, connection_args=arguments) as remote:
        identity = await remote.identity()
    if identity["type"] != "Scheduler":
        raise ValueError(identity["type"])


def _check_workers(client: Client, address: str, timeout: float) -> None:
    """Refuse a scheduler without workers, or with workers that have another version of proset."""
    try:
        client.wait_for_workers(1, timeout=timeout)
    except TimeoutError as error:
        raise ProsetError(
            f"The scheduler at {address} has no workers.",
            hint=f"Start at least one, on a machine where proset is installed, with: dask worker {address}",
        ) from error
    here = metadata.version(PACKAGE)
    # A function of the standard library, so that a worker without proset can answer.
    found = client.run(metadata.version, PACKAGE, on_error="return")
    other = [
        f"{worker} has {f'proset {version}' if isinstance(version, str) else 'no proset'}"
        for worker, version in sorted(found.items())
        if version != here
    ]
    if other:
        differ = "differs" if len(other) == 1 else "differ"
        more = f" and {len(other) - _LISTED} more" if len(other) > _LISTED else ""
        raise ProsetError(
            f"{len(other)} of {count_words(len(found), 'worker')} {differ} from proset {here} here: "
            f"{', '.join(other[:_LISTED])}{more}.",
            hint=f"Install proset {here} where they run and start them again.",
        )
