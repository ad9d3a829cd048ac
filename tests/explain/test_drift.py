"""Whether new rows have drifted is said once, in words that the numbers bear out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.explain.familiar import shift
from proset.plots.new_rows import plot_drift, plot_standing
from proset.study import fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("cancer"), sample_roles("cancer"))


@pytest.fixture(scope="module")
def held_out(study):
    return study.table.frame.loc[study.split.held_out]


def test_rows_whose_names_repeat_are_rows_of_their_own(study, held_out):
    twice = pd.concat([held_out.iloc[:60], held_out.iloc[:60]])
    assert (
        explain.drift(study, twice).frame.to_dict()
        == explain.drift(study, twice.reset_index(drop=True)).frame.to_dict()
    )
    alone = explain.standing(study, twice.reset_index(drop=True)).to_frame()
    assert explain.standing(study, twice).to_frame().columns.tolist() == alone.columns.tolist()


def test_held_out_rows_have_not_drifted(study, held_out):
    found = explain.drift(study, held_out)
    assert found.words == (
        "All 171 rows look exactly like held-out rows: compared with themselves, they say nothing about drift."
    )
    train = study.table.frame.loc[study.split.train]
    numbers = {name: train[name] * 1.001 for name in study.used_columns}
    others = train.assign(**numbers)
    most = explain.drift(study, pd.concat([held_out, others.iloc[:30]], ignore_index=True)).words
    assert "But 171 of the 201 rows look exactly like held-out rows, and what is compared with itself" in most
    few = pd.concat([held_out.iloc[:40], others.iloc[:80]], ignore_index=True)
    assert "exactly like" not in explain.drift(study, few).words  # a third of the rows says nothing of the others
    known = explain.drift(study, pd.concat([held_out.iloc[:40], train.iloc[:80]], ignore_index=True)).words
    assert known.endswith("All 40 other rows look exactly like held-out rows: compared with themselves, they say "
                          "nothing about drift.")  # fmt: skip
    assert found.frame["less"].tolist() == pytest.approx([0.5] * 3)
    assert found.frame["distance"].max() < 0.02
    assert found.copies == 0


def test_the_figure_shows_held_out_rows_that_tie_as_they_are_without_drift(study, held_out):
    found = explain.drift(study, held_out)
    pd.testing.assert_frame_equal(found.quantiles, found.usual)
    tied = found.usual.assign(novelty_quantile=np.where(found.usual["novelty_quantile"] > 0.6, 1.0, 0.6))
    bars, stairs = plot_drift(replace(found, quantiles=tied, usual=tied)).data[2:4]
    assert (np.asarray(bars.y) > 0.3).sum() == 2
    assert list(stairs.y[:-1]) == pytest.approx(list(bars.y))


@pytest.mark.parametrize(
    ("p_value", "less", "said"),
    [
        (0.001, 0.7, "differ from the held-out rows: of one of each, taken at random, the new one is farther"),
        (0.004, 0.7, "Drift is not certain: of the 90 new rows and the 171 held-out rows, of one of each"),
        (0.004, 0.7, "in 70.0 % of all pairs. Chance alone does as much in one of 83 comparisons like this one."),
        (0.004, 0.51, "they are spread otherwise in their nearness to known cases in all columns"),
        (0.04, 0.7, "No drift was found"),
    ],
)
def test_what_chance_may_have_done_is_neither_called_drift_nor_the_same(p_value, less, said):
    frame = pd.DataFrame({"less": 0.5, "distance": 0.1, "p_value": 0.9}, index=list(shift.MEASURES))
    frame.loc["novelty_quantile_all", ["less", "p_value"]] = less, p_value
    assert said in shift._words(frame, 90, 171, 0, "held-out rows")


def visits(rng, n_patients, n_rows, first=0, shift=0.0):
    """Rows of patients who are each like themselves."""
    whose = np.arange(first, first + n_patients).repeat(n_rows)
    own = rng.normal(shift, 1.0, (n_patients, 3)).repeat(n_rows, axis=0)
    X = own + 0.3 * rng.normal(size=own.shape)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(patient=[f"p{number}" for number in whose])
    return frame.assign(ill=np.where(X[:, 0] + rng.normal(0.0, 0.5, len(X)) > shift, "yes", "no"))


@pytest.fixture(scope="module")
def by_patient():
    table = proset.read_table(visits(np.random.default_rng(0), 60, 10))
    roles = guess_roles(table, target="ill").roles.with_role("patient", Role.EXTRA)
    return fit_study(table, roles, split=SplitSettings(groups="patient"))


@pytest.mark.slow
def test_rows_of_one_patient_are_alike_and_count_as_one_draw(by_patient):
    rng, called = np.random.default_rng(1), 0
    for _ in range(20):
        new = visits(rng, 10, 30, first=100).drop(columns="ill")
        found = explain.drift(by_patient, new)
        called += "differ from" in found.words or "spread otherwise" in found.words
        stood = explain.drift(by_patient, explain.standing(by_patient, new), groups=new["patient"])
        assert stood.words == found.words
    assert called <= 1
    moved = explain.drift(by_patient, visits(rng, 20, 30, first=100, shift=4.0).drop(columns="ill"))
    assert "The 600 new rows differ from the held-out rows" in moved.words


def test_what_is_not_known_of_groups_is_said(by_patient):
    rng = np.random.default_rng(2)
    few = explain.drift(by_patient, visits(rng, 1, 300, first=100).drop(columns="ill"))
    assert few.words.startswith("1 and 18 different values of 'patient' among new and held-out rows: too few")
    nobody = explain.drift(by_patient, visits(rng, 20, 30, shift=4.0)[["a", "b", "c"]])
    assert "differ from" in nobody.words
    assert nobody.words.endswith("They are taken as independent, for nothing says which of them share a 'patient'.")
    with pytest.raises(ValueError, match="2 groups for 300 rows"):
        explain.drift(by_patient, visits(rng, 10, 30)[["a", "b", "c"]], groups=["x", "y"])


def test_rows_far_from_known_cases_are_told_with_their_share_of_pairs(study, held_out):
    far = held_out.assign(**{name: held_out[name] * 2.0 for name in study.used_columns})
    found = explain.drift(study, far)
    share = found.frame["less"].max()
    assert share > 0.9
    assert f"in {100 * share:.1f} % of all pairs" in found.words or share > 0.9995
    assert "farther from known cases" in found.words or "less familiar" in found.words
    assert found.to_dict()["n_rows"] == len(far)


def test_few_rows_say_nothing_about_drift(study, held_out):
    others = held_out.assign(**{name: held_out[name] * 1.01 for name in study.used_columns})
    assert explain.drift(study, others.iloc[:19]).words.startswith("19 new rows: too few")
    assert explain.drift(study, others.iloc[:1]).words.startswith("1 new row: too few")
    assert explain.drift(study, others.iloc[:1]).words.endswith("Look at it.")
    assert explain.drift(study, held_out.iloc[:0]).words.startswith("0 new rows: too few")
    assert explain.drift(study, held_out.iloc[:0]).words.endswith("are needed).")
    one = explain.drift(study, held_out.iloc[:1]).words
    assert one.startswith("The row looks exactly like one of the held-out rows: compared with itself, it says nothing")


def test_copies_of_training_rows_are_counted_and_left_out(study, held_out):
    train = study.table.frame.loc[study.split.train]
    both = pd.concat([held_out, train.iloc[:30]], ignore_index=True)
    found = explain.drift(study, both)
    assert found.copies == 30
    assert found.n_rows == len(held_out)
    assert found.words.startswith("30 of the 201 rows equal training rows in all columns compared")
    assert "All 171 other rows look exactly like held-out rows: compared with themselves, they" in found.words
    assert explain.drift(study, train).words.endswith("Nothing can be said about drift.")
    one = explain.drift(study, train.iloc[:1]).words
    assert one.startswith("The row equals a training row")


def test_held_out_rows_that_equal_training_rows_are_left_out_as_new_ones_are():
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    found = explain.drift(study, study.table.frame.loc[study.split.held_out])
    assert found.copies == 11
    assert found.n_rows == found.n_reference == 34
    assert found.frame["less"].tolist() == pytest.approx([0.5] * 3)
    assert "All 34 other rows look exactly like held-out rows that equal no training row: compared with" in found.words


def test_bars_are_level_without_drift(study, held_out):
    figure = plot_drift(explain.drift(study, held_out))
    for trace in figure.data:
        np.testing.assert_allclose(trace.y, 0.1, atol=0.01)
    assert len(plot_drift(explain.drift(study, held_out.iloc[:40])).data[0].y) == 5
    assert plot_drift(explain.drift(study, held_out.iloc[:0])).data[0].y.sum() == 0.0


def test_each_row_stands_where_its_quantiles_are(study, held_out):
    found = explain.standing(study, held_out)
    said = study.predictions.loc[held_out.index, "predicted"].tolist()
    figure = plot_standing(found, said, study.classes, selected=int(held_out.index[4]))
    frame = found.to_frame()
    for trace in figure.data[:2]:
        rows = [item[0] for item in trace.customdata]
        assert list(trace.x) == frame.loc[rows, "quantile"].tolist()
        assert list(trace.y) == frame.loc[rows, "novelty_quantile"].tolist()
    assert figure.data[2].x[0] == frame.loc[held_out.index[4], "quantile"]
    other = plot_standing(found, said, study.classes, near="novelty_quantile_all")
    marks = [trace for trace in other.data if trace.customdata is not None]  # the others are lines
    assert sorted(y for trace in marks for y in trace.y) == sorted(frame["novelty_quantile_all"])
