"""Write the golden explanations: ``python tests/explain/golden/write_explanations.py [--refit]``.

The fits are kept beside the numbers, so that what is compared depends on explanations and not on a solver; they are
made anew only if asked for. Only whoever changes on purpose what explanations say runs this, and says why.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.storage import load_result, save_result
from proset.study import Study, fit_study

HERE = Path(__file__).parent
NAMES = ("cancer", "digits")
N_ROWS = 3


def study_of(name: str) -> Study:
    """Return the fit that is kept."""
    return load_result(HERE / f"{name}.result", load_sample(name))


def chosen_rows(study: Study) -> list[int]:
    """Return the first misclassified held-out rows."""
    known = study.predictions
    wrong = known[(known["part"] == "held_out") & ~known["correct"].fillna(True).astype(bool)]
    return [int(row) for row in sorted(wrong.index)[:N_ROWS]]


def numbers(study: Study, rows: list[int]) -> dict[str, Any]:
    """Return what is compared: plain values, by what they are."""
    point = explain.choose_reference_point(study)
    values = explain.shap_values(study, rows, point, max_evaluations=2_000)
    familiarity = explain.attribute_familiarity(study, rows, point)
    places = explain.batch_map(study).points.loc[rows, ["x", "y"]].to_numpy(dtype=np.float64)
    dominant = {}
    for row in rows:
        prototypes = explain.explain_case(study, row).prototypes
        members = prototypes[prototypes["dominant set"].astype(bool)]
        dominant[str(row)] = sorted(
            [int(batch), int(sample)] for batch, sample in members[["batch", "sample"]].to_numpy()
        )
    return {
        "rows": rows,
        "reference point": point.to_dict(),
        "SHAP values": values.values.tolist(),
        "base values": values.base_values.tolist(),
        "evaluations": values.evaluations.tolist(),
        "familiarity": familiarity.familiarity.tolist(),
        "familiarity by feature": familiarity.values.tolist(),
        "quantile of familiarity": study.predictions.loc[rows, "quantile"].tolist(),
        "map up to sign": np.abs(places).tolist(),
        "dominant sets": dominant,
    }


def main() -> None:
    """Write the numbers, and the fits if they are asked for."""
    for name in NAMES:
        if "--refit" in sys.argv[1:]:
            save_result(fit_study(load_sample(name), sample_roles(name)), HERE / f"{name}.result")
        study = study_of(name)
        found = numbers(study, chosen_rows(study))
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        (HERE / f"{name}.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
