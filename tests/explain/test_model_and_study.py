"""Every name of ``explain`` is called with a model and with a study, as in a notebook; what needs a study says so."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, RegressorModel, explain, fit_number_study, read_table
from proset.common.notebook import Displayed
from proset.data.role_guess import guess_roles
from proset.explain.slices.conditions import Condition, ConditionKind
from proset.explain.slices.slice import Slice
from proset.study import Study
from proset.study.number_unseen import judge_numbers_unseen
from proset.study.unseen import judge_unseen

# Called with what is explained, cases of it, their classes, what it was fitted to with its classes, and held-out cases.
# Beside a study all of these but the cases are known to it.
CALLS = {
    "abstention": lambda e, d: explain.abstention(e, d.cases, d.y, by="novelty", known=d.known),
    "Evidence": lambda e, d: explain.Evidence(d.one(e)).shap_frame(),
    "as_case": lambda e, d: d.one(e),
    "attribute_familiarity": lambda e, d: explain.attribute_familiarity(e, d.cases, d.point),
    "attribute_impact": lambda e, d: explain.attribute_impact(e, d.case, d.point),
    "batch_map": lambda e, d: explain.batch_map(e, 1, cases=d.cases),
    "calibration": lambda e, d: explain.calibration(e, d.cases, d.y),
    "choose_reference_point": lambda e, d: explain.choose_reference_point(e, d.training),
    "class_medoid": lambda e, d: explain.class_medoid(e, d.training, d.classes, class_name="big"),
    "contradictions": lambda e, d: explain.contradictions(e, d.case, known=d.known, y=d.classes),
    "counterfactuals": lambda e, d: explain.counterfactuals(e, d.case, known=d.known, y=d.classes),
    "drift": lambda e, d: explain.drift(e, d.cases, known=d.known, held_out=d.held_out),
    "explain_case": lambda e, d: explain.explain_case(e, d.case, known=d.known),
    "find_error_slices": lambda e, d: explain.find_error_slices(e, d.unseen(e)),
    "quality_by": lambda e, d: explain.quality_by(e, "class"),
    "slice_rows": lambda e, d: explain.slice_rows(e, Slice((Condition(ConditionKind.PART, values=("held_out",)),))),
    "familiarity": lambda e, d: explain.familiarity(e, d.cases, held_out=d.held_out),
    "familiarity_halves": lambda e, d: explain.familiarity_halves(e, d.cases, d.y),
    "feature_densities": lambda e, d: explain.feature_densities(e, d.training, d.classes),
    "feature_scatter": lambda e, d: explain.feature_scatter(e, d.cases),
    "feature_weights": lambda e, d: explain.feature_weights(e),
    "label_errors": lambda e, d: explain.label_errors(e, d.unseen(e)),
    "review_queue": lambda e, d: explain.review_queue(e, d.unseen(e)),
    "map_agreement": lambda e, d: explain.map_agreement(explain.batch_map(e, 1, cases=d.cases)),
    "nearest_cases": lambda e, d: explain.nearest_cases(e, d.case, known=d.known, y=d.classes),
    "not_alike": lambda e, d: explain.not_alike(e, d.case, d.point, label=d.label, known=d.known, y=d.classes),
    "novelty": lambda e, d: explain.novelty(e, d.cases, known=d.known, held_out=d.held_out),
    "column_errors": lambda e, d: explain.column_errors(study_of_a_number(), column="size"),
    "number_course": lambda e, d: explain.number_course(study_of_a_number(), feature="size"),
    "number_review_queue": lambda e, d: explain.number_review_queue(d.of_number(e)),
    "wrong_numbers": lambda e, d: explain.wrong_numbers(d.of_number(e), judge_numbers_unseen(study_of_a_number())),
    "number_errors": lambda e, d: explain.number_errors(study_of_a_number()),
    "number_levels": lambda e, d: explain.number_levels(two_columns_of_a_number(), n_points=5),
    "number_map": lambda e, d: explain.number_map(study_of_a_number()),
    "number_prototype_view": lambda e, d: explain.number_prototype_view(
        study_of_a_number(), 1, int(study_of_a_number().prototypes["row"].iloc[0])
    ),
    "number_prototypes": lambda e, d: explain.number_prototypes(study_of_a_number()),
    "number_quality": lambda e, d: explain.number_quality(study_of_a_number()),
    "number_quality_by": lambda e, d: explain.number_quality_by(study_of_a_number()),
    "number_stability": lambda e, d: explain.number_stability(study_of_a_number(), n_repeats=2),
    "number_steps": lambda e, d: explain.number_steps(study_of_a_number()),
    "number_surface": lambda e, d: explain.number_surface(two_columns_of_a_number(), x="size", y="age", n_points=5),
    "number_answer": lambda e, d: explain.number_answer(of_a_number(), [0.3, 1.0]),  # neither: a model of a number
    "number_moves": lambda e, d: explain.number_moves(study_of_a_number(), 3, 20.0),
    "number_neighbours": lambda e, d: explain.number_neighbours(study_of_a_number(), 3),
    "number_ranges": lambda e, d: explain.number_ranges(study_of_a_number()),
    "number_shap": lambda e, d: explain.number_shap(of_a_number(), [0.3, 1.0], [0.0, 0.0]),
    "number_what_if": lambda e, d: explain.number_what_if(study_of_a_number(), 3, {"size": 30}),
    "prototype_view": lambda e, d: explain.prototype_view(e, 1, d.prototype, d.cases, d.y),
    "prototypes": lambda e, d: explain.prototypes(e, d.cases, d.y),
    "quality": lambda e, d: explain.quality(e, d.cases, d.y),
    "ranking_curves": lambda e, d: explain.ranking_curves(e, d.cases, d.y),
    "shap_values": lambda e, d: explain.shap_values(e, d.cases, d.point),
    "shapley_interactions": lambda e, d: explain.shapley_interactions(e, d.cases, d.point),
    "smallest_flip": lambda e, d: explain.smallest_flip(e, d.case, known=d.known),
    "stability": lambda e, d: explain.stability(e, n_repeats=2),
    "standing": lambda e, d: explain.standing(e, d.cases, known=d.known, held_out=d.held_out),
    "standing_words": lambda e, d: explain.standing_words(quantile=0.5, leading_similarity=0.5, marginal_share=0.1),
    "surface": lambda e, d: explain.surface(e, cases=d.cases, n_points=5),
    "value_evidence": lambda e, d: explain.value_evidence(e),
    "value_places": lambda e, d: explain.value_places(e, d.case, known=d.known, y=d.classes),
    "value_ranges": lambda e, d: explain.value_ranges(e, known=d.known),
    "where_alike": lambda e, d: explain.where_alike(e, 1, d.prototype, d.cases, known=d.known),
    "what_if": lambda e, d: explain.what_if(e, d.case, {explain.as_case(e, d.case).frame.columns[0]: 50.0}),
}


def of_a_number():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return RegressorModel(n_iter=1, random_state=0).fit(X[:, :2], X[:, 0] + 0.3 * X[:, 2])


@cache
def study_of_a_number():
    lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    table = read_table("\n".join(lines).encode(), name="prices.csv")
    return fit_number_study(table, guess_roles(table, target="price").roles)


@cache
def two_columns_of_a_number():
    lines = ["size,age,price"] + [f"{value},{value % 7},{3 * value + value % 7}" for value in range(60)]
    table = read_table("\n".join(lines).encode(), name="prices.csv")
    return fit_number_study(table, guess_roles(table, target="price").roles)


class Rows:
    """What a call is made with: matrices beside a model, row ids beside a study."""

    def __init__(self, explained, study):
        held_out, train = study.split.held_out, study.split.train
        labels = study.labels
        self.prototype = int(study.prototypes["row"].iloc[0])
        if isinstance(explained, Study):
            self.cases, self.training, self.case, self.point = held_out, train, int(held_out[0]), int(train[0])
            self.y = self.classes = self.known = self.held_out = self.label = None
            return
        self.cases = self.held_out = pd.DataFrame(study.encode(held_out).X, index=held_out)
        self.training = self.known = study.encode(train).X
        self.case, self.point = self.cases.to_numpy()[0], self.training[0]
        self.y, self.classes = labels.loc[held_out].to_numpy(), labels.loc[train].to_numpy()
        self.label = str(self.classes[0])
        self.prototype = int(np.flatnonzero(train == self.prototype)[0])

    def of_number(self, explained):
        """Return a study of a number in place of one of classes; a model alone as it is."""
        return study_of_a_number() if isinstance(explained, Study) else explained

    def unseen(self, explained):
        """Return folds of a study; a model alone has none."""
        return judge_unseen(explained, n_folds=3) if isinstance(explained, Study) else None

    def one(self, explained):
        """Return the case, with all that explanations of it need."""
        return explain.as_case(explained, self.case, known=self.known, y=self.classes)


@pytest.fixture(scope="module", params=["model", "study"])
def given(request, mixed_study):
    explained = mixed_study if request.param == "study" else mixed_study.model
    return explained, Rows(explained, mixed_study)


def test_each_name_has_a_call():
    assert set(CALLS) == set(explain.__all__)


@pytest.mark.parametrize("name", explain.__all__)
def test_each_name_takes_a_model_and_a_study(given, name):
    explained, rows = given
    module = getattr(explain, name).__module__
    if isinstance(explained, ClassifierModel) and (
        ".study_only." in module or ".review." in module or ".slices." in module
    ):
        with pytest.raises(
            TypeError, match=rf"{name} needs a (Number)?Study.* fit one with proset\.fit_(number_)?study"
        ):
            CALLS[name](explained, rows)
    else:
        found = CALLS[name](explained, rows)
        assert found is not None
        if hasattr(found, "to_dict") and not isinstance(found, pd.DataFrame):
            json.dumps(found.to_dict(), allow_nan=False)
        lines = repr(found).split("\n") if isinstance(found, Displayed) else []
        assert len(lines) <= 2
        assert max(map(len, lines), default=0) <= 160


@pytest.mark.parametrize("name", ["standing", "novelty", "familiarity", "quality", "drift"])
def test_a_model_says_what_its_study_says(mixed_study, name):
    beside_model, of_study = (CALLS[name](e, Rows(e, mixed_study)) for e in (mixed_study.model, mixed_study))
    shared = ["similarity", "quantile", "familiarity", "distance", "less", "value", "marginal_share", "in words"]
    one, other = beside_model.to_frame(), of_study.to_frame()
    columns = [column for column in shared if column in one]
    assert columns
    pd.testing.assert_frame_equal(one[columns], other[columns], check_names=False)


def test_densities_of_a_model_are_those_of_its_matrix(mixed_study):
    rows = Rows(mixed_study.model, mixed_study)
    found = explain.feature_densities(mixed_study.model, rows.training, rows.classes)
    assert {one.name for one in found.features} <= {column.name for column in mixed_study.design.columns} | {
        f"x{j}" for j in range(len(mixed_study.design.columns))
    }
    assert (found.n_rows, found.classes) == (len(mixed_study.split.train), mixed_study.classes)
    number = next(one for one in found.features if one.kind == "number")
    step = number.places[1] - number.places[0]
    assert np.allclose(number.samples.sum() * step, 1.0, atol=0.01)
    assert len(number.prototypes)
    assert number.prototypes["place"].between(number.places[0], number.places[-1]).all()


def test_what_a_model_lacks_is_asked_for_by_its_parameter(mixed_study):
    X = Rows(mixed_study.model, mixed_study).training
    with pytest.raises(ValueError, match="as 'known'"):
        explain.standing(mixed_study.model, X)
    with pytest.raises(ValueError, match="as 'held_out'"):
        explain.drift(mixed_study.model, X, known=X)
    with pytest.raises(ValueError, match="pass a matrix"):
        explain.feature_densities(mixed_study.model)


def test_without_held_out_rows_a_case_of_a_model_stands_among_training_rows(mixed_study):
    rows = Rows(mixed_study.model, mixed_study)
    found = explain.standing(mixed_study.model, rows.training, known=rows.known)
    assert found.among == "training rows"
    assert found.quantile.max() == 1.0
    assert found.quantile.min() > 0.0


def test_values_are_those_that_the_table_holds(mixed_study):
    """Not what rounding to single precision made of them."""
    known = mixed_study.table.frame["size (cm)"].loc[mixed_study.split.train]
    (evidence,) = explain.value_evidence(mixed_study, features=["size (cm)"]).features
    assert set(evidence.places) <= set(known)
    row = int(known.index[0])
    line = explain.value_places(mixed_study, row).frame.set_index("column").loc["size (cm)"]
    assert line[["low", "high", "number"]].tolist() == [known.min(), known.max(), known[row]]
