"""Two cases that a person does not find alike: held to the factors of the kernel, and to the spread of the class."""

import numpy as np
import pytest

from proset import explain
from proset.common.errors import ProsetError
from proset.data.samples import load_sample, sample_roles
from proset.engine.evidence.factors import kernel_factors
from proset.explain.subject import subject_of
from proset.study import FitSettings, fit_study

FEW = FitSettings(num_candidates=40, n_iter=2)


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"), settings=FEW)


def test_factors_are_those_of_the_kernel(study):
    subject = subject_of(study)
    factors = kernel_factors(subject.manager, subject.groups)
    row = int(study.split.held_out[0])
    at = factors.at(study.encode([row]).X)[0]
    for place in (0, len(factors.weights) // 2, len(factors.weights) - 1):
        other = int(study.split.train[factors.sample_index[place]])
        found = explain.not_alike(study, row, other)
        assert found.similarity >= at[:, place].prod() - 1e-6
        if found.batch == factors.batch[place]:
            own = found.columns.set_index("column")["factor"]
            whole = dict(zip(subject.features, at[:, place], strict=True))
            assert own.to_dict() == pytest.approx({name: whole[name] for name in own.index}, abs=1e-5)
            assert found.similarity == pytest.approx(at[:, place].prod(), abs=1e-5)
    assert found.columns["factor"].prod() == pytest.approx(found.similarity)


def test_columns_are_measured_by_the_spread_of_the_class_and_the_unused_ones_are_named(study):
    row, other = int(study.split.held_out[0]), int(study.split.train[5])
    found = explain.not_alike(study, row, other)
    label = study.labels.loc[other]
    assert found.label == label
    train = study.table.frame.loc[study.split.train]
    name = "bill length (mm)"
    line = found.columns.set_index("column").loc[name]
    values = train.loc[study.labels.loc[train.index] == label, name].astype(float)
    here, there = (float(study.table.frame.loc[one, name]) for one in (row, other))
    assert line["apart"] == pytest.approx(abs(here - there) / values.fillna(train[name].median()).std(ddof=0), rel=0.02)
    apart = found.columns["apart"].dropna().to_numpy()
    assert (np.diff(apart) <= 0).all()
    assert not set(found.wanting) & set(study.used_columns)
    assert set(found.wanting) <= set(found.telling)


def test_columns_that_another_batch_uses_are_not_called_unused():
    settings = FitSettings(num_candidates=60, n_iter=3, lambda_v=1e-3)
    study = fit_study(load_sample("cancer"), sample_roles("cancer"), settings=settings)
    pairs = [(int(row), int(other)) for row in study.split.held_out[:6] for other in study.prototypes["row"][:6]]
    found = [explain.not_alike(study, *pair) for pair in pairs]
    assert not any(set(one.wanting) & set(study.used_columns) for one in found)
    looked = [words for one in found for words in one.words if words.startswith("It looks at")]
    assert looked
    assert all(words.startswith("It looks at '") for words in looked)  # names are quoted, as in all other sentences
    elsewhere = [one for one in found if one.columns["elsewhere"].any()]
    assert elsewhere  # batches use different columns
    for one in elsewhere:
        names = one.columns.loc[one.columns["elsewhere"], "column"]
        assert set(names) <= set(study.used_columns)
        told = one.columns["elsewhere"] & (one.columns["apart"] >= 1.0)
        assert told.any() == any(words.startswith("Only other batches look at") for words in one.words)


def test_a_case_is_not_unlike_itself_and_an_unknown_class_is_refused(study):
    row = int(study.split.train[0])
    found = explain.not_alike(study, row, row)
    assert (found.similarity, found.telling, found.wanting) == (1.0, (), ())
    assert "nothing in this table tells them apart" in found.words[-1]
    with pytest.raises(ProsetError, match="class of the other case is not known"):
        explain.not_alike(study, row, int(study.split.held_out[0]))


def test_a_model_without_batches_finds_nothing_alike(study):
    none = fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))
    found = explain.not_alike(none, int(study.split.held_out[0]), int(study.split.train[0]))
    assert (found.batch, found.similarity) == (0, 0.0)
    assert found.words == ("The model has no batch, so it finds no two cases alike.",)
