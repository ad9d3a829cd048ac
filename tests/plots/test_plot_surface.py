"""Figures of surfaces and of pairs of features."""

import json
from dataclasses import replace

import numpy as np
import pytest
from plotly.utils import PlotlyJSONEncoder

from proset import ClassifierModel
from proset.common.errors import ProsetError
from proset.companions.systems import the_system
from proset.data.samples import load_sample, sample_roles
from proset.explain.maps.scatter import feature_scatter
from proset.explain.maps.surfaces import surface
from proset.plots import style
from proset.plots.backgrounds import SHADE, likeliest_trace, veil_traces
from proset.plots.page_look import for_page
from proset.plots.scatter_matrix import plot_scatter_matrix
from proset.plots.surface import draft_surface, plot_surface
from proset.plots.surface_marks import FARTHEST, LIMIT, axis_ends, near_cases, near_prototypes
from proset.plots.traces import in_words
from proset.study import fit_study


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 3))
    X[:, 2] = np.round(X[:, 2])
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "p", "<q>")


@pytest.fixture(scope="module")
def model(rows):
    return ClassifierModel(lambda_v=1e-3, lambda_w=1e-6).fit(*rows)


@pytest.fixture(scope="module")
def found(model, rows):
    return surface(model, features=(0, 1), n_points=20, cases=rows[0], y=rows[1], held_out=rows[0])


def marks(figure):
    return [
        trace
        for trace in figure.data
        if trace.type == "scatter" and trace.customdata is not None and trace.hoverinfo != "skip"  # rings around them
    ]


def test_the_colours_are_the_probability_of_the_class(found):
    face = plot_surface(found, class_name="<q>").data[0]
    assert np.allclose(face.z, found.probabilities[:, :, 0], atol=1e-6)
    assert (face.zmin, face.zmax) == (0.0, 1.0)
    assert face.name == "probability of &lt;q&gt;"
    colours = style.class_colours(found.classes)
    expected = [style.tinted(colour, 0.5) for colour in (colours["p"], style.GROUND, colours["<q>"])]
    assert [step[1] for step in face.colorscale] == expected
    assert face.opacity is None  # the bar would not have it


@pytest.mark.parametrize("show", ["probability", "class", "familiarity"])
def test_a_draft_is_the_figure_before_plotly_has_checked_it(found, show):
    said = in_words(draft_surface(found, show=show, selected=3))
    checked = in_words(plot_surface(found, show=show, selected=3))
    assert json.dumps(said, cls=PlotlyJSONEncoder, sort_keys=True) == json.dumps(
        checked, cls=PlotlyJSONEncoder, sort_keys=True
    )


def test_the_face_of_the_most_probable_class_says_which_and_how_probable(found):
    face = plot_surface(found, show="class").data[0]
    assert face.hoverinfo is None
    assert np.allclose(face.customdata, 100.0 * found.probabilities.max(axis=2), atol=1e-4)
    names = ["&lt;q&gt;", "p"]
    assert [names.index(text) for text in face.text.ravel()] == found.likeliest.ravel().tolist()
    assert "%{text}: %{customdata:.1f} %" in face.hovertemplate


def test_large_areas_have_the_name_of_their_class(found):
    """Twelve classes, of which two share a colour; an area of one spot has no room, an unknown one no name."""
    shares = np.zeros((20, 20, 12))
    shares[:, :10, 0] = shares[:, 10:, 10] = 1.0
    shares[0, 0] = np.eye(12)[5]
    names = tuple(f"<c{k}>" for k in range(12))
    none = {"samples": found.samples.head(0), "prototypes": found.prototypes.head(0)}
    alone = replace(found, probabilities=shares, classes=names, familiarity=None, **none)
    figure = plot_surface(alone, show="class")
    said = {one.text: one for one in figure.layout.annotations}
    assert set(said) == {"<b>&lt;c0&gt;</b>", "<b>&lt;c10&gt;</b>"}
    middle = (found.x[9] + found.x[10]) / 2
    assert said["<b>&lt;c0&gt;</b>"].x < middle < said["<b>&lt;c10&gt;</b>"].x
    assert not plot_surface(alone).layout.annotations
    # Names keep off marks, and off what the model knows nothing of.
    spot = said["<b>&lt;c0&gt;</b>"]
    taken = found.samples.head(1).assign(similarity=1.0, x=spot.x, y=spot.y)
    moved = {one.text: one for one in plot_surface(replace(alone, samples=taken), show="class").layout.annotations}
    assert (moved[spot.text].x, moved[spot.text].y) != (spot.x, spot.y)
    unknown = replace(alone, familiarity=np.where(shares[:, :, 0] == 1.0, 0.0, 1e9))
    assert [one.text for one in plot_surface(unknown, show="class").layout.annotations] == ["<b>&lt;c10&gt;</b>"]
    dark = for_page(figure, dark=True).layout.annotations[0].font.color
    assert dark != style.INK


def test_each_spot_has_the_colour_of_its_most_probable_class(found):
    face = likeliest_trace(found)
    number = np.floor(face.z)
    assert (number == found.likeliest).all()
    assert len(np.unique(number)) > 1
    n_classes = len(found.classes)
    best = found.probabilities.max(axis=2)
    assert np.allclose(face.z - number, np.minimum((best - 1 / n_classes) / (1 - 1 / n_classes), 0.999), atol=1e-5)
    assert (face.zmin, face.zmax) == (0, n_classes)
    for k, look in enumerate(style.class_looks(found.classes)):
        (start, faint), (end, full) = face.colorscale[2 * k : 2 * k + 2]
        assert (n_classes * start, n_classes * end) == pytest.approx((k, k + 1))
        assert (faint, full) == (style.tinted(look.colour, 0.15 * SHADE), style.tinted(look.colour, SHADE))


def test_only_cases_near_the_cut_are_drawn_and_the_others_counted(found):
    figure = plot_surface(found, prototypes=False)
    drawn = {entry[0] for trace in marks(figure) for entry in trace.customdata}
    near = set(found.samples.index[found.samples["similarity"] >= FARTHEST])
    assert drawn == near
    assert f"{len(found.samples) - len(near):,} of 200 cases lie too far" in figure.layout.meta
    sizes = {e[0]: s for t in marks(figure) for e, s in zip(t.customdata, t.marker.size, strict=True)}
    order = found.samples.loc[list(near), "similarity"].sort_values().index
    assert [sizes[row] for row in order] == sorted(sizes.values())


def test_over_a_map_all_cases_are_drawn_and_those_beside_the_plane_counted():
    study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    shown = surface(study, batch=1, n_points=5, margin=1.0)
    figure = plot_surface(shown, prototypes=False)
    beside = int((shown.samples["similarity"] < FARTHEST).sum())
    assert len({entry[0] for trace in marks(figure) for entry in trace.customdata}) == len(shown.samples)
    assert beside
    assert f"{beside:,} of {len(shown.samples)} cases lie{'s' * (beside == 1)} beside this plane" in figure.layout.meta


@pytest.mark.parametrize(("apart", "said"), [(0.01, "of the nearest are drawn"), (0.0, "are drawn, picked by chance")])
def test_too_many_cases_are_thinned_and_said(model, apart, said):
    X = np.random.default_rng(0).normal(size=(LIMIT + 300, 3))
    X[:, 2] *= apart  # without it all are equally near
    shown = surface(model, features=(0, 1), n_points=5, reference=np.zeros(3), cases=X, y=model.predict(X))
    figure = plot_surface(shown, prototypes=False, selected=7)
    drawn = {entry[0] for trace in marks(figure) for entry in trace.customdata}
    assert len(drawn) == LIMIT
    assert 7 in drawn
    assert f"{LIMIT:,} {said}." in figure.layout.meta


def test_familiarity_has_contours_and_a_face_of_quantiles(found, model):
    figure = plot_surface(found, show="familiarity")
    assert np.allclose(figure.data[0].z, found.quantile, atol=1e-6)
    assert [t.name for t in figure.data if t.type == "scatter" and t.mode == "lines"] in (
        [],
        ["familiarity contour, 1 %"],
    )
    assert not [trace for trace in plot_surface(found, contours=False).data if trace.type == "contour"]
    with pytest.raises(ProsetError, match="no familiarity"):
        plot_surface(surface(model, features=(0, 1), n_points=5), show="familiarity")
    with pytest.raises(ProsetError, match="no class 'r'"):
        plot_surface(found, class_name="r")


def test_a_contour_separates_more_from_less_familiar(model, rows):
    wide = surface(model, features=(0, 1), n_points=40, cases=rows[0], held_out=rows[0], quantiles=(0.05,), margin=1.0)
    line = next(trace for trace in plot_surface(wide).data if trace.type == "contour")
    assert ((np.asarray(line.z) > 0) == (wide.familiarity > wide.contours["familiarity"].iloc[0])).all()


@pytest.mark.parametrize("show", ["probability", "class"])
def test_what_the_model_knows_too_little_of_is_grey(model, rows, show):
    wide = surface(model, features=(0, 1), n_points=40, cases=rows[0], held_out=rows[0], quantiles=(0.05,), margin=1.0)
    veil, entry = (trace for trace in plot_surface(wide, show=show).data if "less familiar" in (trace.name or ""))
    level = wide.contours["familiarity"].iloc[0]
    assert ((np.asarray(veil.z) > 0) == (wide.familiarity < level)).all()
    assert np.allclose(veil.z, 1 - np.minimum(wide.familiarity / level, 1), atol=1e-6)
    assert [colour for _, colour in veil.colorscale] == [style.tinted(style.FAINT, 0.0), style.tinted(style.FAINT, 1.0)]
    assert entry.name == "less familiar than 95 % of cases"
    assert veil.hoverinfo == "skip"


def test_no_grey_where_nothing_is_said_of_familiarity_or_all_is_familiar(model, rows, found):
    assert not veil_traces(surface(model, features=(0, 1), n_points=5))
    assert not [t for t in plot_surface(found, show="familiarity").data if "less familiar than" in (t.name or "")]
    near = surface(model, features=(0, 1), n_points=5, held_out=rows[0], ranges=((-0.1, 0.1), (-0.1, 0.1)))
    assert not veil_traces(near)


def test_systems_of_a_comparison_are_grey_by_their_own_familiarity(iris_study):
    system = the_system("proset").make().fit(iris_study.encode().X, iris_study.labels)
    mine = surface(iris_study, n_points=6, estimator=system, margin=1.0)
    held = system.familiarity(iris_study.encode(iris_study.split.measured).X).raw
    assert mine.contours["familiarity"].tolist() == pytest.approx([np.quantile(held, 0.01)])
    assert mine.familiarity.shape == (6, 6)
    assert veil_traces(mine)


def test_pairs_of_features_are_drawn_once(model, rows):
    scatter = feature_scatter(model, rows[0], y=rows[1], features=[0, 1, 2])
    figure = plot_scatter_matrix(scatter, selected=3)
    cells = {(trace.xaxis, trace.yaxis) for trace in marks(figure)}
    assert len(cells) == 3
    rows_drawn = {entry[0] for trace in marks(figure) for entry in trace.customdata}
    assert set(range(200)) <= rows_drawn
    assert any(trace.type == "bar" for trace in figure.data)
    assert any(trace.mode == "lines" and trace.line.dash == "dash" for trace in figure.data if trace.type == "scatter")
    assert any(trace.marker.symbol == style.SELECTED_SYMBOL for trace in figure.data if trace.type == "scatter")


def test_the_legend_names_prototypes_where_some_are_drawn(found):
    with_them, without = (plot_surface(found, prototypes=shown) for shown in (True, False))
    assert [trace.name for trace in with_them.data].count("prototype (large)") == 1
    assert "prototype (large)" not in [trace.name for trace in without.data]


def test_the_edge_of_a_case_leaves_most_of_it_to_the_colour_of_its_class(model, rows):
    cut = surface(model, features=(0, 1), n_points=5, cases=rows[0], y=rows[1])
    far = replace(cut, samples=cut.samples.assign(similarity=0.06, correct=True))
    cases = [trace for trace in marks(plot_surface(far)) if not trace.hovertemplate.startswith("Prototype")]
    assert cases
    for trace in cases:
        inside = np.asarray(trace.marker.size) - np.asarray(trace.marker.line.width)
        assert (np.square(inside) > 0.7 * np.square(np.asarray(trace.marker.size))).all()


def test_the_ring_of_a_wrong_case_leaves_all_of_it_to_the_colour_of_its_class(found):
    samples = found.samples.assign(correct=found.samples["actual"] != "p", similarity=0.06)
    figure = plot_surface(replace(found, samples=samples), prototypes=False)
    (mine,) = (trace for trace in marks(figure) if trace.name == "p")
    _, rings = (trace for trace in figure.data if trace.name == "misclassified" and trace.x[0] is not None)
    assert (rings.marker.symbol, rings.marker.color, rings.hoverinfo) == ("circle-open", style.WRONG, "skip")
    assert list(rings.x) == list(mine.x)
    assert rings.marker.size - rings.marker.line.width > max(mine.marker.size)
    assert mine.marker.line.color == style.INK


def test_what_is_no_class_has_a_legend_of_its_own(model, rows):
    X, y = rows
    far = surface(model, features=(0, 1), n_points=20, cases=X, y=y, held_out=X, margin=1.0)
    figure = plot_surface(replace(far, samples=far.samples.assign(correct=False)), selected=3, show="class")
    shown = [trace for trace in figure.data if trace.type == "scatter" and trace.showlegend is not False]
    assert {trace.name for trace in shown if trace.legend is None} == {"p", "&lt;q&gt;"}
    assert {"misclassified", "prototype (large)", "selected case", "familiarity contour, 1 %"} <= {
        trace.name for trace in shown if trace.legend == "legend2"
    }
    assert figure.layout.legend2.yref == "container"
    ten = replace(far, classes=tuple(str(digit) for digit in range(10)), probabilities=np.full((20, 20, 10), 0.1))
    assert plot_surface(ten, show="class").layout.margin.t < 100  # as one legend they took five lines


def test_axes_of_a_map_end_where_its_surface_ends():
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    over_map, over_features = surface(study, batch=1, n_points=5), surface(study, n_points=5)
    assert over_map.ratio > 0
    assert over_features.ratio is None
    assert plot_surface(over_map).layout.xaxis.constrain == "domain"
    assert plot_surface(over_features).layout.xaxis.constrain is None


def test_pictures_of_a_column_have_one_range(model, rows):
    figure = plot_scatter_matrix(feature_scatter(model, rows[0], y=rows[1], features=[0, 1, 2]))
    for k in (1, 2, 3):
        last = figure.get_subplot(3, k).xaxis.plotly_name.replace("axis", "")
        assert {figure.get_subplot(row, k).xaxis.matches for row in range(k, 4)} == {last}
    below = {figure.get_subplot(3, col).yaxis.matches for col in (1, 2)}
    assert below == {figure.get_subplot(3, 1).yaxis.plotly_name.replace("axis", "")}
    assert figure.get_subplot(3, 3).yaxis.matches is None  # shares


def test_marks_of_a_discrete_feature_are_spread_less_than_half_a_step(model, rows):
    scatter = feature_scatter(model, rows[0], y=rows[1], features=[0, 2])
    figure = plot_scatter_matrix(scatter)
    cases = next(trace for trace in marks(figure) if len(trace.customdata) == 200)
    moved = np.asarray(cases.y) - rows[0][:, 2]
    assert 0 < np.abs(moved).max() < 0.5
    assert (np.asarray(cases.x) == rows[0][:, 0]).all()


def test_many_cases_are_thinned_in_each_picture(model):
    X = np.random.default_rng(0).normal(size=(900, 3))
    figure = plot_scatter_matrix(feature_scatter(model, X, y=model.predict(X)), limit=100)
    assert "100 of 900 rows are drawn" in figure.layout.meta


def test_cases_beyond_the_axes_are_counted(model, rows):
    shown = surface(model, features=(0, 1), n_points=5, cases=rows[0], y=rows[1], ranges=((-0.5, 0.5), (-9.0, 9.0)))
    near = shown.samples[shown.samples["similarity"] >= FARTHEST]
    beyond = int((near["x"].abs() > 0.625).sum())
    assert f"{beyond:,} lie beyond the ends of the axes." in plot_surface(shown).layout.meta


def test_marks_without_a_place_on_the_axes_are_said(found):
    prototypes = found.prototypes.assign(similarity=1.0, x=0.0, y=0.0)
    prototypes.loc[0, "similarity"] = 0.01
    prototypes.loc[1, "x"] = np.nan
    prototypes.loc[2, "y"] = 99.0
    samples = found.samples.assign(similarity=1.0)
    samples.loc[samples.index[:2], "x"] = np.nan
    figure = plot_surface(replace(found, prototypes=prototypes, samples=samples))
    said = figure.layout.meta
    assert "2 hold a value on these axes that the model does not know." in said
    assert f"1 of {len(prototypes)} prototypes lies too far from this cut to be drawn." in said
    assert "1 prototype lies beyond the ends of the axes." in said
    assert "1 prototype holds a value on these axes that the model does not know." in said
    drawn = [len(trace.x) for trace in marks(figure) if trace.name.startswith("prototype: ")]
    assert sum(drawn) == len(prototypes) - 3
    assert "prototype" not in (plot_surface(found, prototypes=False).layout.meta or "")


def test_prototypes_on_one_spot_of_levels_do_not_hide_each_other(found):
    levels = found.samples.assign(x=np.arange(len(found.samples)) % 2 * 1.0)
    prototypes = found.prototypes.assign(similarity=1.0, x=0.0, y=0.0)
    drawn = near_prototypes(replace(found, prototypes=prototypes, samples=levels))[0]
    assert len(drawn) > 2
    assert not drawn[["x", "y"]].duplicated().any()
    assert drawn["x"].abs().max() < 0.5
    apart = prototypes.assign(x=np.linspace(0.0, 1.0, len(prototypes)))
    same = near_prototypes(replace(found, prototypes=apart, samples=levels))[0]
    assert same["x"].tolist() == apart["x"].tolist()


def test_spread_cases_stay_within_the_axes(model, rows):
    X = rows[0].copy()
    X[:, 0] = np.random.default_rng(1).integers(0, 3, len(X))  # as grades are
    shown = surface(model, features=(0, 1), n_points=50, cases=X, y=rows[1], ranges=((0.0, 2.0), (-9.0, 9.0)))
    near, _ = near_cases(shown, None)
    low, high = axis_ends(shown.x)
    assert len(near) > 50
    assert (near["x"] != near["x"].round()).any()
    assert near["x"].between(low, high).all()


def test_the_legend_says_what_a_dark_edge_means_where_there_is_one(found):
    for correct in (True, False):
        face = replace(found, samples=found.samples.assign(correct=correct))
        assert ("misclassified" in {trace.name for trace in plot_surface(face).data}) is not correct


def test_the_legend_is_plain_where_all_of_a_class_are_wrong(found):
    samples = found.samples.assign(correct=found.samples["actual"] != "p")
    figure = plot_surface(replace(found, samples=samples))
    drawn = [trace for trace in figure.data if trace.type == "scatter"]
    entries = {trace.name: trace.marker.line.color for trace in drawn if trace.showlegend is not False}
    assert entries["p"] == style.INK
    rings = [trace for trace in drawn if trace.name == "misclassified" and trace.customdata is not None]
    ringed = {row[0] for trace in rings for row in trace.customdata}
    assert ringed == {row[0] for trace in marks(figure) if trace.name == "p" for row in trace.customdata}


@pytest.mark.parametrize("show", ["probability", "class"])
def test_the_legend_names_the_class_of_prototypes_without_a_case_of_it(found, show):
    alone = replace(found, samples=found.samples[found.samples["actual"] == "p"])
    figure = plot_surface(alone, show=show)
    assert {trace.name for trace in marks(figure)} >= {"prototype: &lt;q&gt;"}
    named = [trace.name for trace in figure.data if trace.legendgroup and trace.showlegend is not False]
    assert sorted(name for name in named if name in {"p", "&lt;q&gt;"}) == ["&lt;q&gt;", "p"]


def test_all_cases_that_lie_beside_a_cut_are_called_all(found):
    far = replace(found, samples=found.samples.assign(similarity=0.0))
    said = plot_surface(far, prototypes=False).layout.meta
    assert said == f"All {len(far.samples)} cases lie too far from this cut to be drawn."
