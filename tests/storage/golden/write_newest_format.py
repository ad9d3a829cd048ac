"""Write the golden file of the newest format, once, before its release: run this file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from proset.data.classes import TargetClasses
from proset.data.derived_columns import add_difference
from proset.data.missing_words import declare
from proset.data.reading.dialect import MissingWord
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.selection import JointPlan
from proset.storage import save
from proset.storage.container import USUAL_FORMAT
from proset.study import search_study

HERE = Path(__file__).parent


def main() -> None:
    """Search on a small table that has everything formats have brought, and write study and estimates."""
    rng = np.random.default_rng(4)
    size = rng.normal(size=120).round(3)
    begin = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(300, size=120), unit="D")
    frame = pd.DataFrame({"size": np.where(rng.random(120) < 0.05, -999.0, size)})
    frame["begin"], frame["end"] = begin, begin + pd.to_timedelta(rng.integers(1, 30, size=120), unit="D")
    frame["customer"] = [f"C{number}" for number in rng.integers(60, size=120)]
    frame["kind"] = np.select([size < -0.5, size < 0.5], ["small", "middle"], "large")
    table = read_table(frame.to_csv(index=False).encode(), name="sizes.csv")
    table = add_difference(declare(table, [MissingWord("-999", "size")]), "begin", "end")
    classes = TargetClasses(names={"middle": "other", "large": "other"}, order=("small", "other"))
    roles = guess_roles(table, target="kind").roles.with_classes(classes)
    plan = JointPlan(n_lambda_v=2, n_folds=3, first_folds=2, n_keep=1, max_batches=2)
    split = SplitSettings(groups="customer")
    study = search_study(table, roles, split=split, plan=plan, n_jobs=1)
    save(study, HERE / f"study-format-{USUAL_FORMAT}.proset")
    estimates = study.probabilities.add_prefix("probability_")
    estimates = pd.concat([study.predictions[["predicted", "familiarity"]], estimates], axis=1)
    estimates.to_csv(HERE / f"study-format-{USUAL_FORMAT}.csv", float_format="%.17g")


if __name__ == "__main__":
    main()
