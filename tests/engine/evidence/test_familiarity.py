"""Familiarity as a quantile."""

import numpy as np
import pytest

from proset.engine.evidence.familiarity import familiarity_quantile


def test_quantile_is_the_share_of_reference_values_not_larger():
    rng = np.random.default_rng(0)
    reference, values = rng.integers(0, 9, 50) / 2, rng.uniform(-1, 6, 20)
    expected = [(reference <= value).mean() for value in values]
    np.testing.assert_allclose(familiarity_quantile(values, reference), expected)


def test_without_reference_values_there_is_no_quantile():
    with pytest.raises(ValueError, match="at least one reference value"):
        familiarity_quantile([1.0], [])
