"""Novelty of rows of a study, of new rows, and beside a model alone."""

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import DesignError
from proset.data.samples import load_sample, sample_roles
from proset.explain.familiar.case_standing import leading_similarity, short_words
from proset.study import fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


@pytest.fixture(scope="module")
def picky():
    """A study whose model leaves most numbers unused."""
    return fit_study(load_sample("cancer"), sample_roles("cancer"))


def test_similarity_is_that_of_the_batches_by_the_weights_of_their_prototypes(mixed_study):
    rows = [int(row) for row in mixed_study.split.held_out[:5]]
    found = explain.novelty(mixed_study, rows)
    train, X = mixed_study.encode(mixed_study.split.train).X, mixed_study.encode(rows).X
    batches = mixed_study.model.set_manager_.batches
    assert len(batches) == 2
    shares = np.array([batch.weights.sum() for batch in batches]) / sum(batch.weights.sum() for batch in batches)
    for i, x in enumerate(X):
        mean = np.zeros(len(train))
        for share, batch in zip(shares, batches, strict=True):
            gap = (train - x)[:, batch.active_features].astype(float) * batch.feature_weights
            mean += share * np.exp(-0.5 * np.square(gap).sum(axis=1))
        assert found.similarity[i] == pytest.approx(mean.max(), rel=1e-5)
        assert found.nearest[i] == mixed_study.split.train[mean.argmax()]


def test_no_prototype_of_a_single_batch_is_nearer_than_the_nearest_known_case(study):
    assert study.model.set_manager_.num_batches == 1
    rows = study.split.held_out
    found = explain.novelty(study, rows)
    leading = leading_similarity(study.model.set_manager_, study.encode(rows).X)
    assert (found.similarity >= leading - 1e-6).all()


def test_quantiles_of_held_out_rows_are_their_ranks(study):
    found = explain.novelty(study, study.split.held_out)
    n = len(study.split.held_out)
    for quantile in (found.quantile, found.quantile_all):
        assert quantile.min() == pytest.approx(1 / n)
        assert quantile.max() == 1.0
    order = np.argsort(found.similarity)
    assert (np.diff(found.quantile[order]) >= 0.0).all()


def test_training_rows_are_compared_with_the_others(study):
    row = int(study.split.train[0])
    found = explain.novelty(study, [row])
    assert found.nearest[0] != row
    assert found.nearest_all[0] != row


def test_a_row_has_the_same_numbers_in_the_table_and_as_a_new_one(study):
    known, new = explain.novelty(study), explain.novelty(study, study.table.frame)
    pd.testing.assert_frame_equal(known.to_frame(), new.to_frame(), check_names=False)
    assert (known.similarity[study.table.frame.index.isin(study.split.train)] < 1.0).any()


def test_a_training_row_is_known_by_its_values_whatever_its_number(study):
    frame = study.table.frame.loc[study.split.train[:20]]
    known = explain.novelty(study, study.split.train[:20])
    renumbered = explain.novelty(study, frame.set_axis(range(900, 920), axis=0))
    np.testing.assert_array_equal(renumbered.similarity, known.similarity)
    assert renumbered.nearest.tolist() == known.nearest.tolist()


@pytest.mark.parametrize("what", ["class", "identifier", "none"])
def test_a_new_row_that_is_like_a_training_row_but_not_the_same_is_compared_with_it(study, what):
    frame = study.table.frame.loc[study.split.train[:1]].set_axis([900], axis=0)
    if what == "none":  # nothing says of which class it is
        frame = frame.drop(columns=study.roles.target)
    elif what == "class":
        frame[study.roles.target] = next(name for name in study.classes if name != frame[study.roles.target].iloc[0])
    else:
        frame[study.roles.identifier] = "another"
    found = explain.novelty(study, frame)
    assert (found.similarity[0], found.nearest[0]) == (1.0, study.split.train[0])


def test_the_metric_of_all_features_sees_what_the_model_does_not_look_at():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    model = ClassifierModel(lambda_v=1e-2).fit(X, (X[:, 0] > 0).astype(int))
    unused = next(j for j in range(3) if j not in model.set_manager_.get_active_features())
    odd = X[[5]].copy()
    odd[0, unused] += 50.0
    found = explain.novelty(model, odd, known=X[:150], held_out=X[150:])
    assert found.quantile[0] > 0.05
    assert found.quantile_all[0] == 0.0
    assert found.similarity_all[0] < 1e-6
    assert (found.n_known, found.n_reference) == (150, 50)


def test_a_model_alone_has_to_be_told_what_is_known(study):
    with pytest.raises(ValueError, match="pass the training matrix as 'known'"):
        explain.novelty(study.model, study.encode([1]).X)


def test_new_rows_may_lack_what_the_model_does_not_use(picky):
    unused = [name for name in picky.design.sources if name not in picky.used_columns]
    frame = picky.table.frame.loc[picky.split.held_out[:4]].drop(columns=unused[:1])
    found = explain.novelty(picky, frame)
    assert found.left_out == (unused[0],)
    assert set(found.features_all) == set(picky.design.sources) - set(unused[:1])
    with pytest.raises(DesignError, match=picky.used_columns[0]):
        explain.novelty(picky, frame.drop(columns=picky.used_columns[0]))


def test_an_unused_cell_that_cannot_be_read_counts_as_missing_alone_and_among_others(picky):
    unused = next(name for name in picky.design.sources if name not in picky.used_columns)
    frame = picky.table.frame.loc[picky.split.held_out[:4]].astype({unused: object})
    frame.iloc[1, frame.columns.get_loc(unused)] = "not known"
    together = explain.novelty(picky, frame)
    assert together.left_out == ()
    for i in range(4):
        alone = explain.novelty(picky, frame.iloc[[i]])
        assert alone.to_frame().iloc[0].tolist() == together.to_frame().iloc[i].tolist()


def test_a_frame_and_a_dict_have_one_line_per_case(study):
    found = explain.standing(study, [4, 2])
    frame = found.to_frame()
    assert frame.index.tolist() == [4, 2]
    assert list(frame.columns) == [
        "familiarity", "quantile", "marginal_share", "leading_similarity", "similarity", "novelty_quantile", "nearest",
        "similarity_all", "novelty_quantile_all", "nearest_all", "in words",
    ]  # fmt: skip
    assert frame["in words"].loc[2] == found.words(2).short
    assert all(type(value) in (int, float, str) for value in pd.Series(found.to_dict()).explode())
    assert explain.novelty(study, [4]).to_dict()["nearest"] == [int(frame["nearest"].iloc[0])]


def test_a_study_without_prototypes_or_held_out_rows_still_has_words(empty_study):
    words = explain.standing(empty_study, [3]).words(3)
    assert words.short == "no prototype speaks for it"  # to a model without columns, all cases are alike
    assert words.warning


def test_very_many_rows_of_a_list_have_words_without_known_cases(study, monkeypatch):
    rows = study.split.held_out
    full = short_words(study, rows)
    assert full == explain.standing(study, rows).to_frame()["in words"].tolist()
    monkeypatch.setattr("proset.explain.familiar.case_standing._MOST_PAIRS", 100)
    assert short_words(study, rows) == [words.partition("; ")[0] for words in full]


def test_no_rows_have_no_standing(study):
    assert explain.standing(study, []).to_frame().empty
    assert explain.standing(study, study.table.frame.iloc[:0]).to_frame().empty


def test_equal_row_numbers_in_new_data_are_no_trouble(study):
    frame = study.table.frame.loc[[5, 5]]
    assert len(explain.standing(study, frame).to_frame()) == 2
