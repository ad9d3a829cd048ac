"""Estimates along one feature equal those of whole rows."""

from __future__ import annotations

import numpy as np
import pytest

from proset.engine.evidence.one_feature import unnormalized_along


@pytest.mark.parametrize("columns", [[0], [1, 2, 3]])
def test_one_term_replaced_is_the_same_as_the_whole_row_scored(study, columns):
    manager = study.model.set_manager_
    X = study.encode().X.astype(np.float64)
    x, values = X[5], X[:40][:, columns]
    whole = np.tile(x, (40, 1))
    whole[:, columns] = values
    np.testing.assert_allclose(
        unnormalized_along(manager, x, np.array(columns), values), manager.unnormalized(whole), rtol=1e-9
    )
