"""The figure of what prototypes decide."""

from dataclasses import replace

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


@pytest.mark.parametrize(("cases", "wrong"), [(1, 0), (3, 1), (22, 3), (900, 41)])
def test_ticks_are_whole_and_begin_at_0(cases, wrong):
    table = prototypes(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    frame = table.frame.assign(dominant=0, wrong=0)
    frame.loc[0, ["dominant", "wrong"]] = cases, wrong
    figure = plot_prototypes(replace(table, frame=frame), picked=0)
    for axis, last in ((figure.layout.xaxis, cases), (figure.layout.yaxis, wrong)):
        ticks = axis.tickvals
        assert ticks[0] == 0
        assert ticks[-1] >= last
        assert all(isinstance(tick, int) for tick in ticks)
        assert len(set(ticks)) == len(ticks) <= 14
    assert "chosen prototype" in [trace.name for trace in figure.data]


def test_the_name_of_the_chosen_one_stands_beyond_its_diamond_and_the_axis_begins_at_0():
    table = prototypes(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    apart = replace(table, frame=table.frame.head(3).assign(dominant=[5, 20, 40], wrong=[0, 1, 2]))
    figure = plot_prototypes(apart, picked=0)
    (diamond,) = (trace for trace in figure.data if trace.name == "chosen prototype")
    (name,) = figure.layout.annotations
    assert diamond.mode == "markers"
    assert name.text == table.frame["name"].iloc[0]
    assert abs(name.yshift) > 0.65 * diamond.marker.size
    assert figure.layout.yaxis.range[0] == 0.0
