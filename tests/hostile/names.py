"""Names of columns and classes that meet names of this program, or that are data dressed up as something else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.table import Table, read_table
from proset.study import FitSettings, Study, fit_study

OURS = (
    "row", "Row", "case", "index", "level_0", "_index", "__index_level_0__", "unnamed: 0", "class", "Class", "target",
    "actual", "Actual", "predicted", "correct", "part", "confidence", "familiarity", "Familiarity", "quantile",
    "familiarity_quantile", "note", "batch", "sample", "sample name", "prototype", "prototype weight", "similarity",
    "Similarity", "impact", "dominant", "dominant set", "Dominant set", "p class", "p class u", "p class u similarity",
    "u similarity", "u weight", "weight", "value", "original", "share", "Contribution", "estimate", "probability",
    "probability_", "probability_u", "u", "x", "y", "axis 1", "feature", "in words", "name", "strength", "mean", "sd",
)  # fmt: skip
"""What frames of this program call their columns and indices."""

OURS_CHANGED = tuple(
    f"{name} ({word})"
    for name in ("row", "class", "actual", "x", "case", "prototype", "quantile")
    for word in ("column", "column 2", "identifier", "table", "value", "this case", "2")
)
"""What the rules for names that are taken make of them."""

STRANGE = {
    "empty": "",
    "blank": " ",
    "no-break blank": "\xa0",
    "zero-width blank": "a\u200bb",
    "byte order mark": "\ufeffrow",
    "right to left": "a\u202ecod.exe",
    "line break": "two\nlines",
    "return": "two\rlines",
    "tab": "a\tb",
    "quotes": 'it\'s "quoted"',
    "very long": "long " * 400,
    "one letter": "é",
    "composed": "é clinic",
    "decomposed": "e\u0301 clinic",
    "emoji": "👩‍⚕️ visits",
    "han": "年齢",
    "markdown picture": "![x](http://evil.example/a.png)",
    "markdown link": "[click](javascript:alert(1))",
    "latex": "$\\frac{1}{0}$",
    "html": "<script>alert(1)</script>",
    "html picture": "<img src=x onerror=alert(1)>",
    "entity": "&lt;b&gt;",
    "sql": "'; DROP TABLE patients; --",
    "formula": '=HYPERLINK("http://evil.example")',
    "plotly": "%{fullData.name}",
    "format": "{name} {0} %s %d",
    "path": "../../etc/passwd",
    "nan": "nan",
    "None": "None",
    "NA": "NA",
    "null": "null",
    "1": "1",
    "1.0": "1.0",
    "01": "01",
    "True": "True",
    "yes": "yes",
    "dunder": "__class__",
    "comma": "a,b;c|d",
    "control": "a\x1b[31mb",
}

CLASSES = tuple(
    name for name in (*OURS, *STRANGE.values()) if name.strip() and name not in ("nan", "None", "NA", "null")
)


def table_of(features: list[str], classes: list[str], *, target: str, identifier: str | None, n: int = 48) -> Table:
    """A small table that can be learned, with these names in it."""
    rng = np.random.default_rng(0)
    labels = np.array(classes, dtype=object)[np.arange(n) % len(classes)]
    columns = {i: np.round(rng.normal(size=n) + 2.0 * (np.arange(n) % len(classes)), 2) for i in range(len(features))}
    names = [*features, target]
    frame = pd.DataFrame({**columns, "target": labels})
    if identifier is not None:
        frame.insert(0, "identifier", [f"id {i}" for i in range(n)])
        names = [identifier, *names]
    frame.columns = pd.Index(names, dtype=object)
    return read_table(frame.to_csv(index=False, lineterminator="\r\n").encode(), name="hostile.csv", header=True)


def roles_of(table: Table, *, identifier: bool) -> Roles:
    """Roles by place: the identifier first if there is one, the target last."""
    names = list(table.frame.columns)
    roles = dict.fromkeys(names, Role.NUMERIC)
    roles[names[-1]] = Role.TARGET
    if identifier:
        roles[names[0]] = Role.IDENTIFIER
    return Roles(roles)


NAMES = (*OURS, *STRANGE.values())


@cache
def study_of(name: str) -> Study:
    """A study in which a name is a feature, the names after it target, identifier and classes."""
    every = (*NAMES, *OURS_CHANGED)
    place = every.index(name)
    features = [name, every[(place + 1) % len(every)], "p class u", "prototype"]
    target, identifier = every[(place + 2) % len(every)], every[(place + 3) % len(every)]
    classes = [CLASSES[place % len(CLASSES)], "u", "u similarity"]
    table = table_of(features, list(dict.fromkeys(classes)), target=target, identifier=identifier)
    return fit_study(table, roles_of(table, identifier=True), settings=FitSettings(n_iter=2, lambda_v=1e-6))
