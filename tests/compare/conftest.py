"""Comparisons that several tests look at."""

import pytest
from compare_fakes import Centres, Shares, contender, failing

from proset.compare import ComparePlan, compare


@pytest.fixture(scope="session")
def fakes(study):
    """Systems that are easy to check, one of which fails on its second fold."""
    systems = [contender("proset", Centres), contender("pvm", Shares), contender("smp", failing())]
    return compare(study, ComparePlan(("proset", "pvm", "smp"), n_folds=3), contenders=systems)


@pytest.fixture(scope="session")
def compared(study):
    """The patients' model beside nearest neighbours and XGBoost."""
    return compare(study, ComparePlan(("proset", "knn", "xgboost"), n_folds=3))
