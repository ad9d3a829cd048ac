"""The pictures of a case: each beside its prototypes, their differences, unused pixels, and SHAP values over them."""

from __future__ import annotations

import numpy as np
import pytest

from proset.data.samples import load_sample, sample_roles
from proset.explain import Evidence, explain_case
from proset.explain.cases.pixels import shap_pixels, used_pixels
from proset.plots.image_evidence import plot_image_evidence
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def pictures():
    """A small fit of the digits."""
    settings = FitSettings(num_candidates=100, max_samples=200)
    return fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)


def test_each_picture_and_its_difference_stand_one_below_the_other(pictures):
    case = explain_case(pictures, 3)
    plain, apart = plot_image_evidence(case).data
    step = (plain.z.shape[1]) // len(case.images)
    for place, tile in enumerate(case.images):
        columns = slice(place * step, place * step + 8)
        np.testing.assert_array_equal(plain.z[:, columns], tile.pixels)
        if place:
            np.testing.assert_array_equal(apart.z[:, columns], tile.pixels - case.images[0].pixels)
    assert np.isnan(apart.z[:, :8]).all()
    assert apart.y0 > plain.y0 + 8
    assert apart.zmin == -apart.zmax


def test_unused_pixels_are_veiled_and_shap_values_lie_over_the_pictures(pictures):
    case = explain_case(pictures, 3)
    used = used_pixels(pictures)
    assert used.sum() == len(pictures.used_columns)
    found = Evidence(pictures.case(3), reference=5).shap
    overlays = shap_pixels(pictures, found, [case.predicted, case.actual, case.predicted])
    figure = plot_image_evidence(case, used=used, differences=False, overlays=overlays)
    veil, shap = figure.data[1], figure.data[4]
    assert np.array_equal(np.isnan(veil.z[:, :8]), used)
    values = overlays[case.predicted]
    np.testing.assert_array_equal(shap.z[:, :8], values)
    assert values.sum() == pytest.approx(case.probabilities[case.predicted] - found.base_values[int(case.predicted)])
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert f"the estimate for {case.predicted}" in texts
    assert "this case" in texts


def test_a_table_without_pictures_is_told(iris_study):
    assert used_pixels(iris_study) is None
    with pytest.raises(ValueError, match="no grid of pixels"):
        plot_image_evidence(explain_case(iris_study, 1))
