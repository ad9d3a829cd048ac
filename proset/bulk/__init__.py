"""Work on more than one machine: a search and the scoring of partitioned files on a Dask scheduler that is running.

Whoever can reach a Dask scheduler can run code on its workers and on its clients. Use one on a network that only people
you trust can reach, or one that is protected with TLS.
"""

from proset.bulk.cluster import connected
from proset.bulk.many_files import PartResult, score_partitions
from proset.bulk.parts import Part, is_partitioned

__all__ = ["Part", "PartResult", "connected", "is_partitioned", "score_partitions"]
