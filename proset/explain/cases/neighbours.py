"""One case beside its most influential prototypes, in the columns and units of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.frames import free_names
from proset.common.notebook import Displayed
from proset.engine.evidence.tables import class_column, feature_headings
from proset.explain.subject import Subject
from proset.study import Study
from proset.study.case import Case
from proset.study.new_rows import stand_in

CASE_MARK = " (this case)"
UNSEEN = "never seen"


@dataclass(frozen=True, eq=False)
class ImageTile(Displayed):
    """A row of the table as a picture.

    Attributes
    ----------
    label : str
        The label of the row in :class:`Neighbours`.
    row : int or None
        Row id; None for a new row.
    target : str or None
        Class in the table, if there is one.
    pixels : float64 array of shape (height, width)
        Original values; NaN where a pixel is missing.
    """

    label: str
    row: int | None
    target: str | None
    pixels: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Neighbours(Displayed):
    """A case and its most influential prototypes; the frames share one index of labels, the case first.

    Attributes
    ----------
    values : DataFrame
        Original values of the active columns, by descending feature weight.
    similarity : DataFrame
        Same shape; how much the difference in this column alone leaves of the similarity, in [0, 1]; 1 for the case.
        NaN where the prototype's batch does not use the column.
    assumed : DataFrame of str
        Same shape; what was assumed where a cell is missing or holds a level never seen, empty where nothing was.
    facts : DataFrame
        row (table row id; missing for a new row), batch, class, weight, similarity, impact, share (of the whole
        estimate, in [0, 1]), dominant.
    extras : DataFrame
        The identifier, dates, texts and other columns that are no features.
    images : tuple of ImageTile
        The rows as pictures if the table declares a grid of pixels, else empty.
    """

    values: pd.DataFrame
    similarity: pd.DataFrame
    assumed: pd.DataFrame
    facts: pd.DataFrame
    extras: pd.DataFrame
    images: tuple[ImageTile, ...]


def find_neighbours(
    subject: Subject, case: Case, prototypes: pd.DataFrame, *, actual: str | None, n_prototypes: int
) -> Neighbours:
    """Put a case beside its most influential prototypes.

    Parameters
    ----------
    prototypes : DataFrame
        The prototypes' rows of the explanation report, by descending impact; ``sample`` holds table row ids.
    actual : str or None
        Class of the case in the table, if there is one.
    n_prototypes : int
        Number of prototypes wanted; fewer if the model has fewer.
    """
    top, study, sources = prototypes.head(n_prototypes), subject.study, subject.by_weight
    rows = [int(row) for row in top["sample"]]
    headings = feature_headings(subject.columns, subject.classes)
    if study is None:  # what the model has stored of its prototypes
        stored = {name: top[f"{headings[j]} original"].to_numpy() for name, (j,) in sources.items()}
        others = pd.DataFrame(stored, index=rows, columns=list(sources))
    else:
        others = study.table.frame.loc[rows]
    both = pd.concat([case.frame, others])
    names = [case.name, *top["sample name"]]
    both.index = pd.Index(_labels(names, both.index, top["batch"].tolist()), name="case")
    return Neighbours(
        values=both[list(sources)],
        assumed=_assumed(study, case, rows, list(sources)).set_axis(both.index, axis=0),
        similarity=_similarity(top, headings, sources).set_axis(both.index, axis=0),
        facts=_facts(top, both.index, subject.classes, row=case.row, actual=actual),
        extras=both[[] if study is None else _extra_columns(study, list(sources))],
        images=() if study is None else _images(study, both, rows=[case.row, *rows], targets=[actual, *top["target"]]),
    )


def _assumed(study: Study | None, case: Case, rows: list[int], sources: list[str]) -> pd.DataFrame:
    """Return what was assumed in the cells of the case and of the prototypes, empty where nothing was."""
    if study is None:
        return pd.DataFrame("", index=range(1 + len(rows)), columns=sources, dtype="str")
    texts: dict[str, list[str]] = {name: [] for name in sources}
    for encoded in (case.encoded, study.encode(rows)):
        imputed, new = (frame[sources].to_dict("list") for frame in (encoded.imputed, encoded.unseen))
        for name in sources:
            lines = zip(encoded.X, imputed[name], new[name], strict=True)
            texts[name] += [
                f"{stand_in(study.design, name, x)} assumed" if filled else UNSEEN if unseen else ""
                for x, filled, unseen in lines
            ]
    return pd.DataFrame(texts, columns=sources, dtype="str")


def _similarity(top: pd.DataFrame, headings: list[str], sources: dict[str, list[int]]) -> pd.DataFrame:
    """Return what each column alone leaves of the similarity; the first row stands for the case itself."""
    used = {part: place for place, part in enumerate(part for parts in sources.values() for part in parts)}
    every = top[[f"{headings[part]} similarity" for part in used]].to_numpy(dtype=np.float64)
    columns = {}
    for source, parts in sources.items():
        each = every[:, [used[part] for part in parts]]
        unused = np.isnan(each).all(axis=1)
        columns[source] = np.append(1.0, np.where(unused, np.nan, np.nanprod(each, axis=1)))
    return pd.DataFrame(columns, index=range(1 + len(top)), dtype=np.float64)


def _labels(names: list[str], rows: pd.Index, batches: list[int]) -> list[str]:
    """Return labels that all differ: the batch is added if there are several, the row id where names repeat."""
    labels = [names[0] + CASE_MARK, *names[1:]]
    if len(set(batches)) > 1:
        labels[1:] = [f"{label}, batch {batch}" for label, batch in zip(labels[1:], batches, strict=True)]
    repeated = pd.Index(labels).duplicated(keep=False)
    told_apart = [
        f"{label} (row {row})" if twice else label for label, row, twice in zip(labels, rows, repeated, strict=True)
    ]
    return free_names(told_apart, (), word="once more")  # an identifier may read like one of the additions


def _facts(
    top: pd.DataFrame, index: pd.Index, classes: tuple[str, ...], *, row: int | None, actual: str | None
) -> pd.DataFrame:
    """Return what the report says of each neighbour as a whole; blank for the case where it does not apply."""
    shares = top[list(map(class_column, classes))].sum(axis=1)
    return pd.DataFrame(
        {
            "row": pd.array([row, *top["sample"]], dtype="Int64"),
            "batch": pd.array([None, *top["batch"]], dtype="Int64"),
            "class": pd.array([actual, *top["target"]], dtype="str"),
            "weight": [np.nan, *top["prototype weight"]],
            "similarity": [np.nan, *top["similarity"]],
            "impact": [np.nan, *top["impact"]],
            "share": [np.nan, *shares],
            "dominant": pd.array([None, *top["dominant set"].eq(1)], dtype="boolean"),
        },
        index=index,
    )


def _extra_columns(study: Study, sources: list[str]) -> list[str]:
    """Return the columns of the table that the model does not use, pixels aside, the identifier first."""
    grid = study.table.grid
    taken = {*sources, study.roles.target, *(() if grid is None else grid.columns)}
    identifier = [] if study.identifier is None else [study.identifier]
    return [*identifier, *(name for name in study.table.frame.columns if name not in {*taken, *identifier})]


def _images(
    study: Study, both: pd.DataFrame, *, rows: list[int | None], targets: list[str | None]
) -> tuple[ImageTile, ...]:
    """Return one picture per row if the table is one of pictures."""
    grid = study.table.grid
    if grid is None or not set(grid.columns) <= set(both.columns):
        return ()
    # A new row may hold anything in a pixel that the model does not use.
    cells = both[list(grid.columns)].to_numpy(dtype=object)
    pixels = pd.to_numeric(pd.Series(cells.ravel()), errors="coerce").to_numpy(dtype=np.float64).reshape(cells.shape)
    return tuple(
        ImageTile(str(label), row, target, values.reshape(grid.height, grid.width))
        for label, row, target, values in zip(both.index, rows, targets, pixels, strict=True)
    )
