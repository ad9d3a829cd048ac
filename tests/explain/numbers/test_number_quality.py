"""Quality of a model of a number: equal to plain references, and no word stronger than the rows allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway, norm
from sklearn.linear_model import LinearRegression

import proset
from proset import explain
from proset.common.errors import StudyError
from proset.compare import ComparePlan
from proset.compare.number_runner import compare_numbers
from proset.compare.numbers.levels import NUMBER_MEASURES
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.engine.mixtures.distribution import central_levels
from proset.engine.mixtures.units import BentUnits
from proset.explain.numbers.error_column import difference_p
from proset.explain.numbers.error_columns import holm
from proset.explain.numbers.number_facts import worth_words
from proset.explain.numbers.promises import coverage_by_level, places_of
from proset.explain.numbers.quality_by import EQUALLY, _by_familiarity
from proset.explain.numbers.row_scores import LEVELS
from proset.explain.numbers.straight_line import StraightLine
from proset.explain.value_bins import NO_VALUE, OTHERS, value_bins
from proset.selection.inner_folds import GroupsAndTimes


def rooms_csv(n: int = 240, seed: int = 0) -> str:
    """Invented flats: price by area and city, a day, a column of nothing, a number missing now and then."""
    rng = np.random.default_rng(seed)
    area, city = rng.normal(80.0, 20.0, n).round(1), rng.choice(["Rom", "Ulm", "Bonn"], n)
    price = 100.0 + 3.0 * area + 60.0 * (city == "Rom") + rng.normal(0.0, 15.0, n)
    lines = ["area,city,sold,noise,price"]
    for i in range(n):
        said = "" if i % 40 == 7 else f"{price[i]:.1f}"
        lines.append(f"{area[i]},{city[i]},2024-{1 + i % 12:02d}-{1 + i % 28:02d},{rng.normal():.3f},{said}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def study():
    table = proset.read_table(rooms_csv().encode(), name="flats.csv")
    return proset.fit_number_study(table, guess_roles(table, target="price").roles)


@pytest.fixture(scope="module")
def found(study):
    return explain.number_quality(study)


def known(study):
    rows = study.predictions.loc[study.split.held_out]
    return rows[rows["actual"].notna()]


def test_measures_are_those_of_the_study(study, found):
    metrics, frame = study.metrics, found.measures
    assert found.n_rows == metrics.n_rows == len(known(study))
    for name, value, everybody in (
        ("log score", metrics.log_score, metrics.naive_log_score),
        ("CRPS", metrics.crps, metrics.naive_crps),
        ("RMSE", metrics.rmse, metrics.naive_rmse),
        ("MAE", metrics.mae, metrics.naive_mae),
    ):
        line = frame.loc[name]
        assert line["value"] == pytest.approx(value)
        assert line["everybody"] == pytest.approx(everybody)
        assert line["low"] < value < line["high"]
        assert line["gain_low"] < line["gain_high"]
    means = ["log score", "CRPS", "MAE"]
    np.testing.assert_allclose(frame.loc[means, "gain"], frame.loc[means, "everybody"] - frame.loc[means, "value"])


def test_the_interval_of_a_root_mean_square_is_that_of_a_bootstrap(study):
    # Of all rows: among the 69 held-out ones a single error far out, which last digits may bring, is half of it.
    rows = study.predictions[study.predictions["actual"].notna()]
    errors = (rows["mean"] - rows["actual"]).to_numpy()
    rng = np.random.default_rng(0)
    drawn = [np.sqrt(np.mean(rng.choice(errors, len(errors)) ** 2)) for _ in range(4_000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    line = explain.number_quality(study, rows.index).measures.loc["RMSE"]
    assert line["high"] - line["low"] == pytest.approx(high - low, rel=0.2)


def test_everybody_and_the_line_are_the_same_on_every_page_and_for_every_model_of_the_rows(study, found):
    settings = replace(study.settings, n_iter=1, bend_target=True)
    bent = proset.fit_number_study(study.table, study.roles, settings=settings)
    assert isinstance(bent.model.units_, BentUnits)
    other, metrics = explain.number_quality(bent).measures, study.metrics
    beside = ["everybody", "line"]
    np.testing.assert_allclose(found.measures[beside], other[beside])
    compared = compare_numbers(bent, ComparePlan(("knn",), n_folds=2))
    for of, name in ((compared.everybody, "everybody"), (compared.line, "line")):
        scores = dict(zip(NUMBER_MEASURES, of.held_out_scores, strict=True))
        for ours, theirs in (("MAE", "mae"), ("RMSE", "rmse")):
            assert scores[theirs] == pytest.approx(found.measures.loc[ours, name], rel=1e-6)
        assert scores["crps"] == pytest.approx(found.measures.loc["CRPS", name], rel=0.05)
    assert metrics.naive_width == pytest.approx(bent.metrics.naive_width)
    bare = proset.fit_number_study(study.table, study.roles, settings=replace(study.settings, n_iter=0)).metrics
    assert (bare.mae, bare.rmse, bare.crps) == pytest.approx((bare.naive_mae, bare.naive_rmse, bare.naive_crps))
    middle = study.everybody.distribution(1).quantile(0.5)
    assert metrics.naive_mae == pytest.approx((known(study)["actual"] - middle[0]).abs().mean())
    assert "the median of the smoothed distribution of all training rows" in worth_words(study)[0]


def test_the_straight_line_is_linear_regression_with_errors_of_rows_left_out(study, found):
    train, held_out = study.encode(study.split.train).X, study.encode(known(study).index).X
    target, actual = study.targets.loc[study.split.train].to_numpy(), known(study)["actual"].to_numpy()
    plain = LinearRegression().fit(train, target)
    line = StraightLine.of(study)
    said = line.distribution(held_out)
    np.testing.assert_allclose(said.mean, plain.predict(held_out), atol=0.05 * study.unit)
    low, high = said.quantile([0.25, 0.75]).T
    np.testing.assert_allclose(high - low, high[0] - low[0])
    assert high[0] - low[0] == pytest.approx(1.35 * np.std(target - plain.predict(train)), rel=0.25)
    # The errors are nearly normal here; beside a normal density the smoothed one loses a little, and has tails.
    score = -norm.logpdf(actual, plain.predict(held_out), np.std(target - plain.predict(train))).mean()
    assert found.measures.loc["log score", "line"] == pytest.approx(score, abs=0.1)


@pytest.mark.slow
def test_a_line_through_few_rows_or_no_columns_is_their_mean():
    for X, n in ((np.zeros((2, 1)), 2), (np.zeros((9, 0)), 9)):
        y = np.arange(n, dtype=float)
        line = StraightLine.fit(X, y, GroupsAndTimes())
        assert line.distribution(X).mean == pytest.approx(np.full(n, y.mean()))
    one_group = GroupsAndTimes(groups=np.zeros(12, dtype=np.int64))
    line = StraightLine.fit(np.arange(12.0)[:, None], np.arange(12.0), one_group)
    assert line.distribution(np.array([[3.0]])).quantile(0.5) == pytest.approx([3.0], abs=0.1)


def test_coverage_and_pinball_follow_from_the_distributions(study, found):
    rows = known(study)
    said, actual = study.distribution(rows.index), rows["actual"].to_numpy()
    for level, line in found.coverage.iterrows():
        low, high = said.interval(level).T
        assert line["held"] == pytest.approx(((actual >= low) & (actual <= high)).mean())
    for level in LEVELS:
        over = actual - said.quantile(level)
        loss = np.where(over > 0.0, level * over, (level - 1.0) * over).mean()
        assert found.pinball.loc[level, "model"] == pytest.approx(loss)
    assert found.coverage.loc[0.9, "held"] == pytest.approx(study.metrics.covered)
    assert found.places.bars["rows"].sum() == len(rows)


def test_rows_outside_come_first_by_how_far(study, found):
    out = found.outside
    assert set(out.index) == set(known(study).index[~known(study)["inside"].astype(bool)])
    assert (np.diff(out["beyond"]) <= 0.0).all()
    first = out.iloc[0]
    ends = (first["lower"] - first["actual"], first["actual"] - first["upper"])
    assert first["beyond"] == pytest.approx(max(ends))


def test_training_rows_get_no_verdict(study):
    train, every = (explain.number_quality(study, rows) for rows in (study.split.train, study.table.frame.index))
    assert train.words.endswith("training rows, from which the model has learned.")
    assert every.words.endswith(f"from {len(study.split.train):,} of which the model has learned.")
    assert every.n_rows == int(study.targets.notna().sum())
    for words in (train.words, train.levels_words, train.places.words):
        assert "too wide" not in words
        assert "as they should" not in words
        assert "hold more" not in words


def test_nothing_known_is_said(study):
    missing = study.targets.index[study.targets.isna()]
    assert len(missing)
    none = explain.number_quality(study, missing)
    assert none.n_rows == 0
    assert "nothing to compare with" in none.words
    assert none.levels_words == "None of these rows has a number."
    assert explain.number_quality_by(study, None, missing).frame.empty
    assert explain.number_errors(study, missing).frame.empty
    assert none.to_dict()["places"]["above"] is None


def test_few_rows_get_no_verdict(study):
    few = explain.number_quality(study, known(study).index[:4])
    assert "too few rows to tell" in few.words
    one = explain.number_quality(study, known(study).index[:1])
    assert np.isnan(one.measures.loc["MAE", "low"])
    assert "so far is not shown to be more" in one.words


def test_places_of_right_and_wrong_models():
    rng = np.random.default_rng(0)

    def at(places):
        return pd.DataFrame({"place": places, "actual": places, "median": 0.5, "part": "held_out",
                             "inside": np.abs(places - 0.5) <= 0.45})  # fmt: skip

    right = places_of(at(rng.uniform(size=600)), None)
    assert not right.bars["off"].any()
    narrow, wide = (at(rng.beta(a, a, size=600)) for a in (0.4, 4.0))
    assert places_of(narrow, None).bars["off"].iloc[[0, -1]].all()
    levels = coverage_by_level(narrow, None, central_levels)
    assert (levels["off"] & (levels["held"] < levels.index)).all()
    levels = coverage_by_level(wide, None, central_levels)
    assert (levels["off"] & (levels["held"] > levels.index)).loc[0.5]
    low = places_of(at(rng.beta(2.0, 1.0, size=600)), None)
    assert "answers tend to be too low" in low.words


def test_the_band_holds_even_places_in_about_95_of_100_samples():
    rng = np.random.default_rng(0)
    frames = (pd.DataFrame({"place": rng.uniform(size=200), "actual": 1.0, "median": 0.0, "part": "held_out"})
              for _ in range(300))  # fmt: skip
    kept = np.mean([not places_of(frame, None).bars["off"].any() for frame in frames])
    assert 0.92 <= kept <= 1.0


def test_the_band_is_wider_by_whole_groups():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"place": np.repeat(rng.uniform(size=40), 10), "actual": 1.0, "median": 0.0, "part": "train"})
    alone, together = places_of(frame, None), places_of(frame, np.repeat(np.arange(40), 10))
    assert together.band[1] - together.band[0] > 2.0 * (alone.band[1] - alone.band[0])


@pytest.mark.slow
def test_groups_of_the_split_widen_all_intervals():
    lines = rooms_csv(80).splitlines()
    head, rows = f"who,{lines[0]}", [f"P{i},{line}" for i, line in enumerate(lines[1:]) for _ in range(3)]
    table = proset.read_table("\n".join([head, *rows]).encode(), name="flats.csv")
    roles = guess_roles(table, target="price").roles.with_role("who", Role.EXTRA)
    grouped = proset.fit_number_study(table, roles, split=SplitSettings(groups="who"))
    found = explain.number_quality(grouped)
    assert found.n_groups == found.n_rows // 3
    alone = explain.number_quality(replace(grouped, split=replace(grouped.split, settings=SplitSettings())))
    width, narrow = (one.measures.loc["MAE", "high"] - one.measures.loc["MAE", "low"] for one in (found, alone))
    assert width > 1.5 * narrow


def test_groups_by_familiarity_and_column(study):
    by = explain.number_quality_by(study)
    rows = known(study)
    assert by.frame["rows"].sum() == len(rows)
    assert by.frame.index.tolist() == ["more familiar", "less familiar"]
    order = rows["familiarity"].sort_values(ascending=False).index
    first = rows.loc[order[: int(by.frame["rows"].iloc[0])]]
    assert by.frame["held"].iloc[0] == pytest.approx(first["inside"].astype(float).mean())
    assert by.frame["error"].iloc[0] == pytest.approx(first["error"].abs().mean())
    city = explain.number_quality_by(study, "city").frame
    own = rows[study.table.frame["city"].loc[rows.index] == "Rom"]
    assert city.loc["Rom", "lean"] == pytest.approx(own["error"].mean())
    assert (
        "too" in explain.number_quality_by(study, "city").words
        or "In no group" in explain.number_quality_by(study, "city").words
    )


def test_equally_familiar_rows_are_not_divided():
    assert _by_familiarity(np.zeros(100))[1] == (EQUALLY,)
    codes, _ = _by_familiarity(np.repeat([3.0, 2.0, 1.0], [50, 1, 49]))
    assert len(set(codes[:50])) == 1


def test_a_group_whose_intervals_fail_is_named(study):
    said = study.predictions.copy()
    rome = (study.table.frame["city"] == "Rom").to_numpy()
    said.loc[rome, "inside"] = False
    other = replace(study)
    object.__setattr__(other, "predictions", said)
    assert "'Rom': too narrow, they hold 0 %" in explain.number_quality_by(other, "city").words


def test_errors_that_depend_on_a_column_are_found(study):
    clean = explain.number_errors(study)
    assert sorted(clean.frame.index) == ["area", "city", "noise", "sold"]
    said = study.predictions.copy()
    away = 40.0 * (study.table.frame["noise"] > 0.5)
    other = replace(study)
    object.__setattr__(other, "predictions", said.assign(error=said["error"] + away))
    found = explain.number_errors(other)
    assert found.depends[0] == "noise"
    assert found.words.startswith("The errors still depend on 'noise': on average ")
    assert " too high where it is " in found.words
    assert "noise" not in clean.depends


def test_errors_by_a_column_are_those_of_its_rows(study):
    rows = known(study)
    found = explain.column_errors(study, column="city")
    own = rows.loc[study.table.frame["city"].loc[rows.index] == "Ulm", "error"]
    assert found.bins.loc["Ulm", "error"] == pytest.approx(own.mean())
    assert found.bins["rows"].sum() == len(rows)
    days = explain.column_errors(study, column="sold")
    assert days.bins.index[0].startswith("2024-01-")
    for wrong in ("price", "nobody"):
        with pytest.raises(StudyError, match=wrong):
            explain.column_errors(study, column=wrong)


def test_only_a_study_of_a_number_is_measured(iris_study):
    for ask in (explain.number_quality, explain.number_quality_by, explain.number_errors):
        with pytest.raises(TypeError, match="needs a NumberStudy"):
            ask(iris_study)
    with pytest.raises(TypeError, match="needs a NumberStudy"):
        explain.column_errors(iris_study, column="width")


def test_unknown_rows_and_columns_are_refused(study):
    with pytest.raises(StudyError, match="no row 9999"):
        explain.number_quality(study, [9999])
    with pytest.raises(StudyError, match="no column 'nobody'"):
        explain.number_quality_by(study, "nobody")


def test_the_test_of_means_is_near_that_of_equal_variances_and_keeps_its_level():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 400)
    values = rng.normal(size=400) + 0.2 * codes
    plain = f_oneway(*(values[codes == code] for code in range(4))).pvalue
    assert np.log10(difference_p(values, codes)) == pytest.approx(np.log10(plain), abs=0.8)
    alone = [difference_p(rng.standard_t(4, size=120), rng.integers(0, 6, 120)) < 0.05 for _ in range(400)]
    assert np.mean(alone) < 0.08
    groups = np.repeat(np.arange(30), 8)
    together = [difference_p(np.repeat(rng.normal(size=30), 8), np.repeat(rng.integers(0, 4, 30), 8), groups) < 0.05
                for _ in range(400)]  # fmt: skip
    assert np.mean(together) < 0.08
    assert difference_p(np.zeros(20), np.repeat([0, 1], 10)) == 1.0
    assert difference_p(rng.normal(size=4), np.array([0, 0, 1, 1])) == 1.0


def test_many_looks_are_corrected_for():
    assert holm(np.array([0.01, 0.02, 0.9])).tolist() == pytest.approx([0.03, 0.04, 0.9])
    assert holm(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pd.Series([True, False, True]), ("True", "False")),
        (pd.Series(["a", None, "b", "b"]), ("b", "a", NO_VALUE)),
        (pd.Series([np.inf, 1.0, np.nan]), ("1", NO_VALUE)),
        (pd.Series([1.0] * 50 + [2.0] * 3), ("1", "2")),
        (pd.Series(pd.to_datetime(["2024-01-02", None])), ("2024-01-02", NO_VALUE)),
        (pd.Series([], dtype="float64"), ()),
    ],
)
def test_values_are_grouped_in_the_words_of_the_table(values, names):
    found = value_bins(values)
    assert found.names == names
    assert len(found.codes) == len(values)


def test_rare_categories_go_together():
    found = value_bins(pd.Series(list("aaabbbccddeeffghij")))
    assert found.names[-1] == OTHERS
    assert (found.codes == len(found.names) - 1).sum() == 4


def test_values_that_are_called_like_a_group_of_ours_stay_apart():
    values = pd.Series(["(missing)"] * 4 + [None] * 3 + ["(other)"] * 2 + list("abcdefg"))
    found = value_bins(values)
    assert len(set(found.names)) == len(found.names)
    assert {"(missing) (value)", NO_VALUE, "(other) (value)", OTHERS} <= set(found.names)
    assert int((found.codes == found.names.index(NO_VALUE)).sum()) == 3
