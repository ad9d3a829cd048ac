"""Explanations of a study of a number: each equals what the model itself says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import ProsetError
from proset.common.words import rough
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain import (
    feature_weights,
    number_course,
    number_levels,
    number_map,
    number_prototype_view,
    number_prototypes,
    number_steps,
    number_surface,
)
from proset.plots import (
    plot_number_course,
    plot_number_prototypes,
    plot_number_rows,
    plot_number_surface,
)
from proset.plots.number_map import draft_number_map
from proset.study import fit_number_study
from proset.study.settings import suggest_number_settings

HOSTILE = "<b>rooms</b> [x](http://evil.example)"


@pytest.fixture(scope="module")
def flats():
    """Prices of flats; a hostile name, a category, missing cells and missing targets."""
    rng = np.random.default_rng(3)
    n = 220
    area = rng.uniform(30.0, 120.0, n).round()
    rooms = rng.integers(1, 6, n)
    town = rng.choice(["Aa", "Bee", "Cee"], n, p=[0.5, 0.3, 0.2])
    price = 3.0 * area + 12.0 * rooms + np.where(town == "Aa", 60.0, 0.0) + rng.normal(0.0, 6.0, n)
    frame = pd.DataFrame({"area": area, HOSTILE: rooms, "town": town, "price": price.round(1)})
    frame.loc[[4, 9], "area"] = np.nan
    frame.loc[[5, 11], "price"] = np.nan
    table = read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    return fit_number_study(table, guess_roles(table, target="price").roles.as_number())


@pytest.fixture(scope="module")
def nothing(flats):
    """The same table and no prototype."""
    settings = suggest_number_settings(len(flats.table.frame))
    return fit_number_study(flats.table, flats.roles, settings=type(settings)(n_iter=0))


def test_shares_of_prototypes_are_those_of_the_mixture(flats):
    found = number_prototypes(flats)
    rows = flats.split.held_out
    mixture = flats.model.set_manager_.mixture(flats.encode(rows).X)
    count = len(flats.prototypes)
    shares = mixture.weights[:, :count]
    assert found.everybody == pytest.approx(1.0 - shares.sum(axis=1).mean())
    assert np.sort(found.frame["share"]) == pytest.approx(np.sort(shares.mean(axis=0)))
    assert found.frame["leads"].sum() == len(rows)
    # By row as well, not only as a set.
    owners = flats.split.train[np.concatenate([b.sample_index for b in flats.model.set_manager_.density_batches])]
    by_row = pd.Series(shares.mean(axis=0), index=owners).groupby(level=0).sum()
    expected = found.frame.groupby("row")["share"].sum()
    pd.testing.assert_series_equal(expected, by_row, check_names=False)


def test_others_do_not_speak_of_their_own_row(flats):
    line = number_prototypes(flats).frame.iloc[0]
    manager, model = flats.model.set_manager_, flats.model
    X = flats.encode([line["row"]]).X
    mixture = manager.mixture(X)
    weights = mixture.weights[0].copy()
    at = 0
    for batch in manager.density_batches:
        own = flats.split.train[batch.sample_index] == line["row"]
        weights[at : at + len(batch)][own] = 0.0
        at += len(batch)
    grid = np.linspace(-6.0, 6.0, 4_001)
    from scipy.stats import norm

    below = norm.cdf((grid[:, None] - mixture.means[0]) / mixture.spreads) @ (weights / weights.sum())
    median = model.target_mean_ + model.target_scale_ * np.interp(0.5, below, grid)
    assert line["others"] == pytest.approx(median, abs=0.01 * flats.unit)


def test_one_prototype_says_its_number_at_its_own_place_and_counts_for_rows(flats):
    known = flats.prototypes.iloc[0]
    view = number_prototype_view(flats, int(known["batch"]), int(known["row"]), flats.split.train)
    assert view.cases.loc[known["row"], "says"] == pytest.approx(known["target"], abs=1e-4 * flats.unit)
    assert view.cases["share"].is_monotonic_decreasing
    first = view.cases.iloc[0]
    assert first["median"] == pytest.approx(flats.predictions.loc[view.cases.index[0], "median"])
    assert set(view.values.index) <= {"area", HOSTILE, "town"}
    with pytest.raises(ProsetError, match="no prototype"):
        number_prototype_view(flats, 1, 99_999)


def test_a_course_is_what_the_model_says_of_edited_rows(flats):
    found = number_course(flats, 20, feature="area")
    k = 40
    edited = flats.table.frame.loc[[20]].assign(area=found.places[k])
    said = flats.score(edited).iloc[0]
    assert found.median[k] == pytest.approx(said["median"], abs=1e-3 * flats.unit)
    assert found.upper[k] == pytest.approx(said["upper"], abs=1e-3 * flats.unit)
    assert "row 20" in found.words
    assert not found.rows["actual"].isna().any()
    assert 6 not in found.rows.index  # its price is missing


@pytest.mark.parametrize("hours", [False, True])
def test_places_between_two_days_have_a_time_only_where_the_dates_have_one(hours):
    days = np.arange(120) + (0.25 if hours else 0.0) * (np.arange(120) % 2)
    since = np.datetime64("2021-01-01", "m") + (days * 1440).astype("timedelta64[m]")
    frame = pd.DataFrame({"since": since, "price": 100.0 + days})
    table = read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    study = fit_number_study(table, guess_roles(table, target="price").roles)
    assert study.used_columns == ("since",)
    found = number_course(study, feature="since")
    assert any(":" in word for word in found.to_frame()["since"]) == hours
    assert (":" in found.words) == hours


def test_a_course_along_a_category_has_a_place_for_each_level(flats):
    found = number_course(flats, feature="town")
    assert found.axis.levels == ("Aa", "Bee", "Cee")
    assert found.median[0] > found.median[1:].max()
    assert "typical" in found.words
    assert plot_number_course(found).layout.xaxis.ticktext == ("Aa", "Bee", "Cee")


@pytest.mark.parametrize("seed", range(3))
def test_steps_move_the_answer_as_the_table_does(flats, seed):
    """A flat costs 3 a square metre and 60 less outside of Aa; slopes of prototypes alone said +37 for the latter."""
    study = fit_number_study(flats.table, flats.roles, settings=replace(flats.settings, random_state=seed))
    found = number_steps(study)
    assert found.frame.loc["area", "step"] == "10 more"
    assert found.frame.loc["area", "change"] == pytest.approx(30.0, abs=4.0)
    towns = found.frame.loc[["town"]]
    assert set(towns["step"]) == {"'Bee' rather than 'Aa'", "'Cee' rather than 'Aa'"}
    assert towns["change"].to_numpy() == pytest.approx(-60.0, abs=8.0)
    assert found.words("area")[0].startswith("10 more: about +")
    assert (found.frame["lowest"] <= found.frame["highest"]).all()


def test_a_step_is_the_mean_over_cases_that_stay_among_known_values(flats):
    found, rows = number_steps(flats), flats.split.held_out
    frame = flats.table.frame.loc[rows]
    frame = frame[frame["area"].isna() | (frame["area"] + 10 <= flats.table.frame.loc[flats.split.train, "area"].max())]
    frame = frame.dropna(subset="area")
    medians = [flats.model.predict_quantiles(flats.design.transform(one).X, [0.5])[:, 0] for one in (
        frame, frame.assign(area=frame["area"] + 10))]  # fmt: skip
    changes = medians[1] - medians[0]
    line = number_steps(flats, frame.index).frame.loc["area"]
    assert line["change"] == pytest.approx(changes.mean(), rel=1e-4)
    assert (line["lowest"], line["highest"]) == pytest.approx(tuple(np.quantile(changes, [0.1, 0.9])), rel=1e-4)
    assert found.frame.loc["area", "change"] == pytest.approx(changes.mean(), rel=0.05)


def test_weights_speak_of_columns_of_the_table(flats):
    found = feature_weights(flats)
    assert set(found.weights.index) | set(found.dropped.index) == {"area", HOSTILE, "town"}


def test_a_map_puts_prototypes_where_their_rows_are(flats):
    found = number_map(flats)
    spots = found.points.loc[found.prototypes["row"], ["x", "y"]].to_numpy()
    np.testing.assert_allclose(found.prototypes[["x", "y"]].to_numpy(), spots, atol=1e-3)
    assert found.points["width"].to_numpy() == pytest.approx((found.points["upper"] - found.points["lower"]).to_numpy())
    draft = draft_number_map(found, selected=int(flats.split.train[0]))
    rows = {line[0] for line in draft.traces[1]["customdata"]}
    assert rows == {*flats.split.held_out.tolist(), int(flats.split.train[0])}
    assert draft_number_map(found, part="all", colour="width").figure().layout.coloraxis.cmax > 0.0


def test_level_lines_are_what_the_model_says_on_the_plane_of_a_typical_row(flats):
    mapping = number_map(flats)
    found = number_levels(flats, n_points=12)
    own = flats.encode([found.row]).X[0]
    spots = np.array([[found.x[4], found.y[6]], [found.x[7], found.y[3]]])
    X = mapping.plane.inverse(spots, own)
    np.testing.assert_allclose(mapping.plane.transform(X), spots, atol=1e-6)
    said = flats.model.predict_quantiles(X, [0.5])[:, 0]
    drawn = np.array([found.median[6, 4], found.median[3, 7]])
    assert drawn[np.isfinite(drawn)] == pytest.approx(said[np.isfinite(drawn)], rel=1e-6)
    assert np.isfinite(found.median).any()
    # Nothing is drawn where the model knows nothing.
    rows = mapping.plane.inverse(np.column_stack([np.tile(found.x, 12), np.repeat(found.y, 12)]), own)
    known = np.searchsorted(flats.reference, flats.model.familiarity(rows), side="right") > 0.05 * len(flats.reference)
    assert (np.isfinite(found.median).ravel() == known).all()
    assert len(found.to_frame()) == 144
    lines, numbers, entry = draft_number_map(mapping, levels=found).figure().data[:3]
    assert (lines.type, entry.name) == ("contour", "equal median, on one plane")
    drawn = np.arange(lines.contours.start, lines.contours.end + 1e-9, lines.contours.size)
    assert {float(text) for text in numbers.text} <= set(np.round(drawn, 6))
    assert len(numbers.text) >= 3
    for x, y, text in zip(numbers.x, numbers.y, numbers.text, strict=True):
        along = found.median[np.abs(found.y - y).argmin()]
        assert np.interp(x, found.x, along) == pytest.approx(float(text), abs=1e-6 * flats.unit)
    off = found.beside(mapping, mapping.points.index)
    assert f"differs by {rough(off)} or more" in found.words(mapping, mapping.points.index)


def test_a_map_without_two_directions_has_no_level_lines(nothing, flats):
    assert number_levels(nothing) is None
    with pytest.raises(ProsetError, match="n_points is 1"):
        number_levels(flats, n_points=1)


def test_a_surface_is_what_the_model_says_of_edited_rows(flats):
    found = number_surface(flats, 20, x="area", y="town", n_points=7)
    assert found.median.shape == (3, 7)
    edited = flats.table.frame.loc[[20]].assign(area=found.x[5], town="Bee")
    said = flats.score(edited).iloc[0]
    assert found.median[1, 5] == pytest.approx(said["median"], abs=1e-3 * flats.unit)
    assert found.width[1, 5] == pytest.approx(said["upper"] - said["lower"], abs=2e-3 * flats.unit)
    assert "area" not in found.fixed.index
    figure = plot_number_surface(found, selected=20)
    z = np.asarray(figure.data[0].z, dtype=np.float64)
    assert (np.isnan(z) == ~found.known).all()
    with pytest.raises(ProsetError, match="same column"):
        number_surface(flats, x="area", y="area")


def test_rings_and_dots_of_a_course_have_an_entry_each(flats):
    figure = plot_number_course(number_course(flats, feature="area"))
    looks = {trace.name: trace.marker.symbol for trace in figure.data if str(trace.name).endswith("what it has")}
    assert looks == {"training row: what it has": "circle-open", "held-out row: what it has": "circle"}


@pytest.mark.parametrize("feature", ["area", "town"])
def test_a_far_number_leaves_room_for_the_answers_and_is_named(flats, feature):
    found = number_course(flats, feature=feature)
    rows = found.rows.copy()
    rows.iloc[0, rows.columns.get_loc("actual")] = 1e6
    figure = plot_number_course(replace(found, rows=rows))
    low, high = figure.layout.yaxis.range
    assert low < found.lower.min()
    assert found.upper.max() < high < 2.0 * max(found.upper.max(), found.rows["actual"].max())
    assert figure.layout.meta == "Outside this picture: 1 row, at 1,000,000."
    assert plot_number_course(found).layout.meta is None


def test_strangers_words_are_not_read_as_markup(flats):
    for figure in (
        plot_number_course(number_course(flats, feature=HOSTILE)),
        plot_number_surface(number_surface(flats, x=HOSTILE, y="area", n_points=5)),
        draft_number_map(number_map(flats)).figure(),
    ):
        assert "<b>rooms" not in figure.to_json()


def test_without_prototypes_there_is_nothing_to_show_and_nothing_fails(nothing):
    found = number_prototypes(nothing)
    assert found.frame.empty
    assert found.everybody == 1.0
    assert number_map(nothing).message
    assert feature_weights(nothing).weights.empty
    assert number_steps(nothing).frame.empty
    assert "stays about" in number_course(nothing, feature="area").words


@pytest.mark.parametrize(
    ("quantile", "begin"),
    [
        ([1.0, 1.0, 1.0], "All else as in row 3, the median rises from 1 "),
        ([1.0, 1.0, 0.0], "Where the model knows such cases, all else as in row 3, the median rises from 1 "),
        ([0.0, 0.0, 0.0], "All else as in row 3, the model has hardly seen anything like this"),
    ],
)
def test_a_sentence_on_a_part_of_the_axis_says_so(flats, quantile, begin):
    found = number_course(flats, 3, feature="area")
    some = replace(
        found, places=found.places[:3], median=np.array([1.0, 200.0, 900.0]), quantile=np.array(quantile), name="row 3"
    )
    assert some.words.startswith(begin)
    assert ("900" in some.words) == bool(quantile[2])


def test_new_rows_beyond_what_is_drawn_are_told():
    lines = pd.DataFrame(
        {"median": 1.0, "lower": 0.0, "upper": 2.0, "familiarity": np.linspace(0, 1, 2_100)}, index=range(1, 2_101)
    )
    figure = plot_number_rows(lines)
    assert len(figure.data[0].x) == 2_000
    assert "least familiar rows of 2,100" in figure.layout.meta
    assert figure.data[0].error_y.array is None


def test_the_picked_prototype_is_marked(flats):
    found = number_prototypes(flats)
    figure = plot_number_prototypes(found, target="price", picked=1)
    assert figure.data[1].x[0] == found.frame["target"].iloc[1]


def test_a_typical_date_is_one_of_the_dates():
    rng = np.random.default_rng(5)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(2 * rng.permutation(40) + 1, unit="D")  # no two are neighbours
    frame = pd.DataFrame({"day": day.strftime("%Y-%m-%d"), "price": (day - day.min()).days * 3.0 + rng.normal(size=40)})
    table = read_table(frame.to_csv(index=False).encode(), name="sold.csv")
    roles = guess_roles(table, target="price").roles.as_number()
    study = fit_number_study(table, roles.with_role("day", "date"))
    first = number_prototypes(study).frame.iloc[0]
    view = number_prototype_view(study, int(first["batch"]), int(first["row"]))
    assert len(study.split.train) % 2 == 0
    assert view.values.loc["day", "typical"] in set(frame["day"])
