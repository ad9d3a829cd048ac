"""Write the golden file of format 3: ``python tests/storage/golden/write_format_3.py``; never again once released."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.selection import SearchPlan
from proset.storage import save
from proset.study import search_study

HERE = Path(__file__).parent


def main() -> None:
    """Search on a small table and write study and estimates."""
    rng = np.random.default_rng(3)
    size = rng.normal(size=80).round(3)
    frame = pd.DataFrame({"size": size, "noise": rng.normal(size=80).round(3)})
    frame["kind"] = np.where(size + 0.3 * rng.normal(size=80) > 0.0, "large", "small")
    table = read_table(frame.to_csv(index=False).encode(), name="sizes.csv")
    plan = SearchPlan(lambda_v=(1e-3, 1e-2), n_trials=2, n_folds=2, max_batches=1)
    study = search_study(table, guess_roles(table, target="kind").roles, plan=plan, n_jobs=1)
    save(study, HERE / "study-format-3.proset")
    estimates = study.probabilities.add_prefix("probability_")
    estimates = pd.concat([study.predictions[["predicted", "familiarity"]], estimates], axis=1)
    estimates.to_csv(HERE / "study-format-3.csv", float_format="%.17g")


if __name__ == "__main__":
    main()
