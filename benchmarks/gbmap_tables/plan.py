"""All cells of the tables: what each is called and what measures it, in an order that is sensible to stop at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.cells import Cell
from benchmarks.gbmap_tables import columns, growth, peer
from benchmarks.gbmap_tables.coordinates import SETS as COORDINATE_SETS
from benchmarks.gbmap_tables.coordinates import measure_coordinates
from benchmarks.gbmap_tables.drift import REPEATS, measure_drift
from benchmarks.gbmap_tables.large import KINDS, drawn, measure_large
from benchmarks.gbmap_tables.sets import SOURCES, TableSet, load
from benchmarks.gbmap_tables.settings import SPLITS

Work = Callable[[], Cell]
PARTS = ("baselines", "mapping", "drift", "coordinates", "growth", "peer", "large")
BASELINES = {"linear": columns.linear, "knn": columns.neighbours, "xgboost": columns.trees}


def cells(part: str) -> Iterator[tuple[str, Work]]:
    """Yield key and measurement of the cells of one part."""
    yield from {
        "baselines": _baselines,
        "mapping": _mapping,
        "drift": _drift,
        "coordinates": _coordinates,
        "growth": _growth,
        "peer": _peer,
        "large": _large,
    }[part]()


def _on(work: Callable[[TableSet, int], Cell], name: str, seed: int) -> Work:
    """Measure on a set, which is read when its turn has come."""

    def measured() -> Cell:
        table = load(name) if name in SOURCES else drawn(name, seed)
        n, p = table.X.shape
        return {"rows": n, "columns": p, **columns.timed(lambda: work(table, seed))}

    return measured


def _baselines() -> Iterator[tuple[str, Work]]:
    for seed in range(SPLITS):
        for name in SOURCES:
            for column, work in BASELINES.items():
                yield f"table4/{name}/{seed}/{column}", _on(work, name, seed)
        for name in KINDS:
            yield f"table4/{name}/{seed}/knn", _on(columns.neighbours, name, seed)


def _mapping() -> Iterator[tuple[str, Work]]:
    for seed in range(SPLITS):
        for name in SOURCES:
            yield f"table4/{name}/{seed}/mapping", _on(columns.mapping, name, seed)
        for name in KINDS:
            work = partial(columns.mapping, only_neighbours=True)
            yield f"table4/{name}/{seed}/mapping", _on(work, name, seed)


def _drift() -> Iterator[tuple[str, Work]]:
    for seed in range(REPEATS):
        for name in SOURCES:
            yield f"drift/{name}/{seed}", _on(measure_drift, name, seed)


def _coordinates() -> Iterator[tuple[str, Work]]:
    for seed in range(SPLITS):
        for name in COORDINATE_SETS:
            yield f"coordinates/{name}/{seed}", _on(measure_coordinates, name, seed)


def _growth() -> Iterator[tuple[str, Work]]:
    for size in growth.SIZES:
        yield growth.key(size), partial(growth.measure_growth, size)


def _peer() -> Iterator[tuple[str, Work]]:
    for name in peer.SETS:
        yield f"peer/{name}", partial(peer.measure_peer, name)


def _large() -> Iterator[tuple[str, Work]]:
    for name in KINDS:
        yield f"large/{name}", partial(columns.timed, partial(measure_large, name))
