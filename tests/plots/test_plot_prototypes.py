"""The figure of what prototypes decide."""

import pytest

from proset.data.samples import load_sample, sample_roles
from proset.explain import prototypes
from proset.plots.prototypes import plot_prototypes
from proset.study import fit_study


@pytest.mark.parametrize("picked", [None, 0])
def test_the_axis_cuts_no_mark_in_half(picked):
    table = prototypes(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    figure = plot_prototypes(table, picked=picked)
    assert figure.layout.xaxis.rangemode == "tozero"
    assert all(trace.cliponaxis is False for trace in figure.data)
