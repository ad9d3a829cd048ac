"""Scoring a partitioned table, one part per task, on a scheduler or here."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from proset.bulk.cluster import connected
from proset.bulk.one_file import AS_FOUND, FileOptions, score_file
from proset.bulk.parts import FilePart, find_parts
from proset.common.checked_json import load_json
from proset.common.errors import ProsetError, StorageError
from proset.common.files import replacing
from proset.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from distributed import Client

    from proset.study.any_study import AnyStudy

JOB_FILE = "_proset.json"
"""Says what the outputs in a folder depend on; readers of partitioned tables pass over names with an underscore."""

_SHARE = "Parts and outputs have to lie on a disk that every worker sees at the same path."


@dataclass(frozen=True)
class PartResult:
    """Result of one part.

    Attributes
    ----------
    part : FilePart
        The part.
    rows : int
        Rows scored in this run.
    kept : bool
        Whether an earlier run had finished it.
    error : str or None
        What is wrong and what to do, if it has no scores.
    """

    part: FilePart
    rows: int = 0
    kept: bool = False
    error: str | None = None


def score_partitions(
    study: AnyStudy,
    source: str | Path,
    output: str | Path,
    options: FileOptions = AS_FOUND,
    *,
    ending: str = ".parquet",
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[PartResult, ...]:
    r"""Score every row of a table that is divided among several files.

    Each file becomes one file of scores, the same that ``proset score`` writes for it alone, completely or not at all.
    Run it again with the same arguments after it was stopped, and parts whose scores are there and not older than the
    part are kept. A part that cannot be scored does not stop the others.

    Parameters
    ----------
    source : str or Path
        A folder, a file, or a pattern such as ``data/*.parquet``.
    output : str or Path
        The folder for the scores; it is made if it is not there. With workers on other machines, it and the source have
        to lie on a disk that all of them see at the same path.
    options : FileOptions
        How to read and to write, for all of them.
    ending : str
        One of ``.parquet``, ``.csv``, ``.csv.gz``: how the scores are written.
    scheduler : str or None
        Address of a Dask scheduler, such as ``tcp://192.168.0.5:8786``; None scores part after part in this process.
    progress : callable or None
        Called after each part with the numbers of parts done and of all parts. Raising from it stops the work; finished
        parts stay.

    Returns
    -------
    tuple of PartResult
        What became of each part, in the order of their names.

    Raises
    ------
    ProsetError
        If there are no parts, the output folder holds something else, or the scheduler cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = "sepal length (cm),sepal width (cm)\n5.1,3.6\n7.1,3.0\n"
    ...     for number in (1, 2):
    ...         _ = (Path(folder) / f"{number}.csv").write_text(rows)
    ...     results = score_partitions(study, f"{folder}/*.csv", f"{folder}/scores")
    >>> [(result.part.name, result.rows) for result in results]
    [('1.csv', 2), ('2.csv', 2)]
    """
    parts = find_parts(source, output, ending=ending)
    data = to_bytes(study)
    job = Path(output).resolve() / JOB_FILE
    said = (ending, options, "novelty") if options.novelty else (ending, options)
    name = hashlib.sha256(data + repr(said).encode()).hexdigest()
    _check_folder(job, name, parts)
    results = {part: PartResult(part, kept=True) for part in parts if _is_finished(part)}
    waiting = [part for part in parts if part not in results]
    with ExitStack() as stack:
        # Before anything is written.
        client = None if scheduler is None or not waiting else stack.enter_context(connected(scheduler))
        _claim(job, name, waiting)
        scored = (
            (_score_part(study, part, options, job) for part in waiting)
            if client is None
            else _on_workers(client, data, waiting, options, job)
        )
        for result in scored:
            results[result.part] = result
            if progress is not None:
                progress(len(results), len(parts))
    return tuple(results[part] for part in parts)


def _check_folder(job: Path, name: str, parts: Sequence[FilePart]) -> None:
    """Refuse an output folder with files that depend on something else."""
    folder = job.parent
    if job.exists():
        try:
            same = load_json(job, "The note on the scores") == {"scores_of": name}
        except StorageError:
            same = False
        if not same:
            raise ProsetError(
                f"'{folder}' holds scores of another model or with other options.",
                hint="Choose another folder, or empty this one.",
            )
        return
    for part in parts:
        if part.output.exists():
            raise ProsetError(f"'{part.output}' exists and is not of a run like this.", hint="Choose an empty folder.")


def _claim(job: Path, name: str, parts: Sequence[FilePart]) -> None:
    """Make the folders for the outputs, and note in the first what its files depend on."""
    for folder in {job.parent, *(part.output.parent for part in parts)}:
        folder.mkdir(parents=True, exist_ok=True)
    if not job.exists():
        with replacing(job) as draft:
            draft.write_text(json.dumps({"scores_of": name}), encoding="utf-8")


def _is_finished(part: FilePart) -> bool:
    """Tell whether the scores are there (they are written in one step) and not older than the part."""
    return part.output.is_file() and part.output.stat().st_mtime_ns >= part.source.stat().st_mtime_ns


def _score_part(study: AnyStudy, part: FilePart, options: FileOptions, job: Path) -> PartResult:
    """Score one part, here or on a worker; what is wrong with it becomes its result, so that the others go on."""
    try:
        for path in (job, part.source):
            if not path.is_file():
                raise ProsetError(f"{socket.gethostname()} does not see '{path}'.", hint=_SHARE)
        rows = score_file(study, part.source, str(part.output), options)
    except ProsetError as error:
        return PartResult(part, error=str(error))
    except OSError as error:
        return PartResult(part, error=f"On {socket.gethostname()}: {error.strerror or error}.")
    except MemoryError:
        return PartResult(part, error=f"{socket.gethostname()} has not enough memory for this part.")
    return PartResult(part, rows)


@lru_cache(maxsize=1)
def _opened(data: bytes) -> AnyStudy:
    """Open the study of a run, once in each worker."""
    return from_bytes(data)


def _score_packed(data: bytes, part: FilePart, options: FileOptions, job: Path) -> PartResult:
    """Score one part on a worker."""
    return _score_part(_opened(data), part, options, job)


def _on_workers(
    client: Client, data: bytes, parts: Sequence[FilePart], options: FileOptions, job: Path
) -> Iterator[PartResult]:
    """Hand over all parts and yield their results as they come in."""
    from distributed import KilledWorker, as_completed

    # Packed: a study that is at work cannot always be sent to another worker. By a task and not scattered: scattered
    # data are lost with their worker, a task is done again.
    packed = client.submit(bytes, data, pure=False)
    futures = {client.submit(_score_packed, packed, part, options, job, pure=False): part for part in parts}
    for future in as_completed(futures, loop=client.loop):
        error = future.exception()
        if error is None:
            yield future.result()
        elif isinstance(error, KilledWorker):
            yield PartResult(futures[future], error="Workers died over it again and again; it may need more memory.")
        else:
            yield PartResult(futures[future], error=f"Its task ended with {type(error).__name__}: {error}")
        future.release()
