"""Scoring whole files: one of any size, or a folder of them, here or on a Dask scheduler that is running.

:func:`score_file` reads, scores and writes one file in pieces; :func:`score_partitions` does that with every file of a
folder (:mod:`~proset.bulk.parts` finds them), on workers if there are any. Outputs appear complete or not at all
(:mod:`~proset.bulk.sinks`). A search uses the same way to workers, :func:`connected`.

Whoever can reach a Dask scheduler can run code on its workers and on its clients. Use one on a network that only people
you trust can reach, or one that is protected with TLS.
"""

from proset.bulk.cluster import connected
from proset.bulk.many_files import PartResult, score_partitions
from proset.bulk.one_file import FileOptions, score_file
from proset.bulk.parts import FilePart, is_partitioned

__all__ = ["FileOptions", "FilePart", "PartResult", "connected", "is_partitioned", "score_file", "score_partitions"]
