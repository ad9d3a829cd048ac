from dataclasses import replace

import numpy as np
import pytest

from proset.common.words import number
from proset.data.table import ImageGrid
from proset.explain.cases.case import explain_case
from proset.plots.neighbours import plot_images, plot_similarities


@pytest.fixture(scope="module")
def case(iris_study):
    return explain_case(iris_study, int(iris_study.split.held_out[0]))


def test_similarities_show_original_values_and_colour_differences(case):
    trace = plot_similarities(case).data[0]
    np.testing.assert_allclose(trace.z, case.neighbour_similarity.to_numpy())
    assert list(trace.text[0]) == [number(value) for value in case.neighbours.iloc[0]]
    assert (trace.zmin, trace.zmax) == (0.0, 1.0)


def test_similarities_keep_to_the_heaviest_columns(case):
    wide = {f"c{i}": case.neighbours.iloc[:, 0] for i in range(20)}
    alike = {f"c{i}": case.neighbour_similarity.iloc[:, 0] for i in range(20)}
    many = replace(
        case, neighbours=case.neighbours.assign(**wide), neighbour_similarity=case.neighbour_similarity.assign(**alike)
    )
    figure = plot_similarities(many)
    assert len(figure.data[0].x) == 12
    assert figure.layout.meta == "10 more columns of less weight are not shown."


def test_pictures_share_one_grey_scale(iris_study):
    grid = ImageGrid(1, 2, tuple(iris_study.roles.features))
    case = explain_case(replace(iris_study, table=replace(iris_study.table, grid=grid)), 17, k=3)
    figure = plot_images(case)
    assert len(figure.data) == 4
    assert len({(trace.zmin, trace.zmax) for trace in figure.data}) == 1
    for trace, tile in zip(figure.data, case.images, strict=True):
        np.testing.assert_array_equal(trace.z, tile.pixels)
    assert "this case" in figure.layout.annotations[0].text
    assert f"row {case.images[1].row}" in figure.layout.annotations[1].text


def test_no_pictures_without_a_grid(case):
    with pytest.raises(ValueError, match="no pictures"):
        plot_images(case)
