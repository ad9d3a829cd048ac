"""A study with everything that a table can bring: an identifier, categories, missing values, a column for display."""

import numpy as np
import pandas as pd
import pytest

from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.table import read_table
from proset.engine.no_features import NoActiveFeatureWarning
from proset.study import FitSettings, fit_study


def mixed_frame(n=120):
    random = np.random.default_rng(5)
    size = random.normal(50.0, 10.0, n).round(1)
    island = random.choice(["Biscoe", "Dream", "Torgersen"], n)
    noise = random.normal(0.0, 4.0, n)
    kind = np.where(size + noise + 12.0 * (island == "Dream") > 54.0, "big", "small")
    frame = pd.DataFrame(
        {
            "tag": [f"T{i:03d}" for i in range(n)],
            "size (cm)": size,
            "island": island,
            "weather": random.choice(["sun", "rain"], n),
            "kind": kind,
        }
    )
    frame.loc[[3, 40], "size (cm)"] = np.nan
    frame.loc[7, "kind"] = None
    return frame


ROLES = Roles(
    {
        "tag": Role.IDENTIFIER,
        "size (cm)": Role.NUMERIC,
        "island": Role.CATEGORICAL,
        "weather": Role.EXTRA,
        "kind": Role.TARGET,
    }
)


@pytest.fixture(scope="session")
def mixed_study():
    """Two batches fitted to the mixed table. Do not change it."""
    table = read_table(mixed_frame().to_csv(index=False).encode(), name="mixed.csv")
    return fit_study(table, ROLES, settings=FitSettings(n_iter=2))


@pytest.fixture(scope="session")
def empty_study():
    """The same table under a penalty that leaves no prototype. Do not change it."""
    table = read_table(mixed_frame().to_csv(index=False).encode(), name="mixed.csv")
    with pytest.warns(NoActiveFeatureWarning):
        return fit_study(table, ROLES, settings=FitSettings(lambda_w=1e3))
