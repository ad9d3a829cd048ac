"""SHAP values, familiarity and impacts of models and studies: they add up, and say whose they are."""

import json

import numpy as np
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import StudyError
from proset.engine.set_manager import Batch


def test_the_shap_package_gets_the_cases_with_their_values(mixed_study):
    pytest.importorskip("shap")
    rows = [1, 2, 4]  # row 4 has no size
    handed_over = explain.shap_values(mixed_study, rows).to_shap()
    size, island = (mixed_study.roles.features.index(name) for name in ("size (cm)", "island"))
    told = mixed_study.table.frame.loc[rows]
    np.testing.assert_array_equal(handed_over.data[:, size], told["size (cm)"].to_numpy())
    assert np.isnan(handed_over.data[2, size])
    assert handed_over.display_data[:, island].tolist() == told["island"].tolist()
    assert np.argsort(handed_over.data[:, island], kind="stable").tolist() == np.argsort(told["island"]).tolist()
    assert explain.shap_values(mixed_study, mixed_study.encode(rows).X).to_shap().data is None
    X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    model = ClassifierModel().fit(X, list("aaabbb"))
    np.testing.assert_array_equal(explain.shap_values(model, X, X[0]).to_shap().data, X)


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(4)
    X = random.normal(size=(120, 6))
    X[:, 3] = 7.0  # does not vary, so it is never used
    model = ClassifierModel(n_iter=2, lambda_v=1e-4, random_state=1).fit(
        X, np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    )
    return model, X


class TestShapValues:
    """What each feature adds to each probability."""

    def test_shape_and_sums_of_a_model(self, fitted):
        model, X = fitted
        reference = explain.choose_reference_point(model, X)
        found = explain.shap_values(model, X[:7], reference)
        assert found.values.shape == found.standard_error.shape == (7, 6, 2)
        assert found.base_values.shape == (2,)
        np.testing.assert_allclose(found.base_values, model.predict_proba(reference.x[None])[0], atol=1e-12)
        np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict_proba(X[:7]), atol=1e-9)
        np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-12)  # what one class gains, the other loses
        assert (found.values[:, 3] == 0.0).all()
        assert found.exact.all()
        assert found.gap < 1e-9

    def test_features_of_a_study_are_columns_of_its_table(self, mixed_study):
        rows = mixed_study.split.held_out[:5]
        found = explain.shap_values(mixed_study, rows, int(mixed_study.split.train[0]))
        assert found.features == ("size (cm)", "island")
        assert found.index.tolist() == rows.tolist()
        assert found.reference == mixed_study.split.train[0]
        np.testing.assert_allclose(
            found.values.sum(axis=1) + found.base_values, mixed_study.probabilities.loc[rows], atol=1e-9
        )

    def test_all_coalitions_are_taken_where_that_costs_no_more_than_sampling(self):
        X = np.random.default_rng(0).normal(size=(100, 13))
        model = ClassifierModel(n_iter=0).fit(X, np.arange(100) % 2)
        weights = np.full(13, 0.3, np.float32), np.ones(60, np.float32)
        batch = Batch(np.arange(13), weights[0], X[40:], np.arange(60) % 2, weights[1], np.arange(40, 100))
        model.set_manager_ = model.set_manager_.add_batch(batch)
        found = explain.shap_values(model, X[:2], X[9])
        assert found.exact.all()
        assert (found.evaluations == 2**13).all()
        assert not explain.shap_values(model, X[:2], X[9], max_evaluations=1_000).exact.any()
        assert not explain.shap_values(model, X[:2], X[9], exact_up_to=12).exact.any()

    def test_frames_have_standard_errors_where_values_are_sampled(self, fitted):
        model, X = fitted
        exact, drawn = (explain.shap_values(model, X[:3], X[9], exact_up_to=n, max_evaluations=200) for n in (12, 0))
        assert len(exact.to_frame().columns) == 3
        frame = drawn.to_frame()
        errors = frame[[f"standard error, {label}" for label in drawn.classes]]
        np.testing.assert_array_equal(errors.to_numpy(), drawn.standard_error.reshape(errors.shape))
        assert errors.to_numpy().max() > 0.0

    def test_a_case_gets_the_same_values_alone(self, fitted):
        model, X = fitted
        settings = {"reference": X[9], "exact_up_to": 0, "max_evaluations": 200}
        whole = explain.shap_values(model, X[:5], **settings)
        alone = explain.shap_values(model, X[3:4], **settings)
        assert not whole.exact.any()
        assert (whole.values[3] == alone.values[0]).all()
        assert (explain.shap_values(model, X[:5], **settings, random_state=1).values != whole.values).any()

    def test_between_two_classes(self, fitted):
        model, X = fitted
        found = explain.shap_values(model, X[:3], X[9])
        steps = found.steps(1, "yes", "no")
        assert (found.between("yes", "no").loc[1] == steps.values).all()
        assert steps.values.sum() == pytest.approx(steps.estimate - steps.base, abs=1e-9)
        alone = found.steps(1, "yes")
        assert alone.estimate == pytest.approx(found.estimates[1, 1])
        assert alone.ordered.abs().is_monotonic_decreasing
        assert (alone.ordered != 0.0).all()
        assert alone.to_frame().shape == (6, 2)
        json.dumps(alone.to_dict())

    def test_importance_is_the_mean_absolute_value(self, fitted):
        model, X = fitted
        found = explain.shap_values(model, X, X[9])
        importance = found.importance()
        expected = np.abs(found.values).mean(axis=0)
        for place, name in enumerate(found.features):
            assert importance.loc[name].to_numpy() == pytest.approx(expected[place])
        assert importance.sum(axis=1).is_monotonic_decreasing

    def test_frame_and_dict_hold_everything(self, fitted):
        model, X = fitted
        found = explain.shap_values(model, X[:2], X[9])
        frame = found.to_frame()
        assert frame.shape == (12, 3)
        assert frame.loc[1, "yes"].tolist() == found.values[1, :, 1].tolist()
        assert json.loads(json.dumps(found.to_dict()))["values"] == found.values.tolist()

    def test_progress_is_told(self, fitted):
        model, X = fitted
        told = []
        explain.shap_values(model, X[:3], X[9], progress=lambda done, total: told.append((done, total)))
        assert told[-1] == (3, 3)
        assert told == sorted(told)

    def test_what_does_not_fit_is_refused(self, fitted, mixed_study):
        model, X = fitted
        with pytest.raises(ValueError, match="pass a reference"):
            explain.shap_values(model, X[:2])
        with pytest.raises(ValueError, match="exact_up_to"):
            explain.shap_values(model, X[:2], X[9], exact_up_to=21)
        with pytest.raises(ValueError, match="max_evaluations"):
            explain.shap_values(model, X[:2], X[9], max_evaluations=0)
        with pytest.raises(StudyError, match="no row 9999"):
            explain.shap_values(mixed_study, [9999])
        found = explain.shap_values(model, X[:2], X[9])
        with pytest.raises(ValueError, match="no class 'maybe'; the classes are 'no', 'yes'"):
            found.steps(0, "maybe")
        with pytest.raises(ValueError, match="not among those"):
            found.steps(5, "yes")

    def test_a_model_without_features_attributes_nothing(self, empty_study):
        found = explain.shap_values(empty_study, empty_study.split.held_out[:3])
        assert not found.values.any()
        assert found.gap < 1e-12
        assert found.importance().shape == (2, 2)
        assert not explain.attribute_familiarity(empty_study).values.any()
        assert explain.attribute_impact(empty_study, 1).values.shape == (0, 2)

    def test_a_study_takes_rows_that_are_not_in_its_table(self, mixed_study):
        rows = mixed_study.split.held_out[:2]
        encoded = mixed_study.encode(rows).X.astype(np.float64)
        inside, outside = (explain.shap_values(mixed_study, cases) for cases in (rows, encoded))
        assert (inside.values == outside.values).all()
        assert outside.index.tolist() == [0, 1]
        with pytest.raises(ValueError, match="one row of"):
            explain.shap_values(mixed_study, np.full((1, encoded.shape[1]), np.nan))


class TestFamiliarity:
    """Which features make a case more or less familiar."""

    def test_values_add_up(self, fitted):
        model, X = fitted
        found = explain.attribute_familiarity(model, X[:20], X[9])
        assert found.values.shape == (20, 6)
        np.testing.assert_allclose(
            found.values.sum(axis=1), model.familiarity(X[:20]) - model.familiarity(X[9:10]), rtol=1e-9, atol=1e-9
        )
        assert not found.values[9].any()

    def test_the_feature_that_is_out_of_range_is_found(self, fitted):
        model, X = fitted
        odd = X[9].copy()
        odd[1] = 40.0
        found = explain.attribute_familiarity(model, odd[None], X[9])
        assert found.values[0].argmin() == 1
        familiarity = model.familiarity(np.stack([odd, X[9]]))
        # Nothing else differs, so all of the fall is its own; a batch that does without it keeps the rest.
        assert found.values[0, 1] == pytest.approx(familiarity[0] - familiarity[1], rel=1e-6)
        assert found.base == pytest.approx(familiarity[1], rel=1e-6)
        looking = [one for one in model.set_manager_.batches if one is not None and 1 in one.active_features]
        theirs = sum(one.similarity(X[9:10]) @ one.weights for one in looking)
        assert looking
        assert found.values[0, 1] == pytest.approx(-float(theirs[0]), rel=1e-5)

    def test_a_study_has_one_column_per_column_of_its_table(self, mixed_study):
        rows = mixed_study.split.held_out
        found = explain.attribute_familiarity(mixed_study, rows)
        assert found.to_frame().columns.tolist() == ["size (cm)", "island"]
        assert found.to_frame().index.tolist() == rows.tolist()
        np.testing.assert_allclose(found.familiarity, mixed_study.predictions.loc[rows, "familiarity"], rtol=1e-9)
        assert found.gap < 1e-9
        json.dumps(found.to_dict())


class TestImpact:
    """Why each prototype counts."""

    def test_values_add_up_and_sum_to_familiarity(self, mixed_study):
        row = int(mixed_study.split.held_out[0])
        found = explain.attribute_impact(mixed_study, row)
        change = found.prototypes["impact"] - found.prototypes["base"]
        np.testing.assert_allclose(found.values.sum(axis=1), change, atol=1e-9)
        whole = explain.attribute_familiarity(mixed_study, [row])
        np.testing.assert_allclose(found.values.sum(axis=0), whole.values[0], atol=1e-9)
        assert found.prototypes["impact"].is_monotonic_decreasing

    def test_prototypes_are_named_as_on_the_case_page(self, mixed_study):
        row = int(mixed_study.split.held_out[0])
        found = explain.attribute_impact(mixed_study, row)
        known = explain.explain_case(mixed_study, row).prototypes
        assert sorted(found.prototypes["sample"]) == sorted(known["sample"])
        np.testing.assert_allclose(found.prototypes["impact"], known["impact"].astype(float), rtol=1e-9)
        assert found.index == row
        assert list(found.to_frame().columns[-2:]) == ["by size (cm)", "by island"]
        json.dumps(found.to_dict())

    def test_a_case_may_be_a_row_of_the_matrix(self, fitted):
        model, X = fitted
        found = explain.attribute_impact(model, X[0], explain.choose_reference_point(model, X))
        assert found.index is None
        assert found.values.shape == (model.set_manager_.get_num_prototypes(), 6)


class TestInteractions:
    """Which features work together in the votes."""

    def test_a_pair_is_what_one_feature_does_with_and_without_the_other(self, fitted):
        """By the model alone: of two features that are changed, all votes of all four rows."""
        model, X = fitted
        case, point = X[3], X[9].copy()
        point[2:] = case[2:]
        found = explain.shapley_interactions(model, case[None], point)
        four = np.stack([case, case, case, point])
        four[1, 0], four[2, 1] = point[0], point[1]
        votes = model.set_manager_.unnormalized(four)
        place = found.pairs.index(("x0", "x1"))
        np.testing.assert_allclose(found.values[0, place], votes[0] - votes[1] - votes[2] + votes[3], atol=1e-9)
        assert not np.delete(found.values[0], place, axis=0).any()
        np.testing.assert_allclose(found.votes[0] - found.base_votes, votes[0] - votes[3], atol=1e-9)

    def test_columns_whose_classes_follow_from_both_work_together_most(self, fitted):
        model, X = fitted
        found = explain.shapley_interactions(model, X, explain.choose_reference_point(model, X))
        strength = found.strength()
        assert strength.index[0] == ("x0", "x1")
        assert found.words.startswith("'x0' and 'x1' work together most: of all")
        sizes = strength.sum(axis=1)
        assert sizes.is_monotonic_decreasing
        assert f"{100 * sizes.iloc[0] / sizes.sum():.1f} % is theirs" in found.words
        np.testing.assert_allclose(sizes.iloc[0], np.abs(found.values[:, found.pairs.index(("x0", "x1"))]).sum() / 120)

    def test_a_category_is_one_player(self, mixed_study):
        rows = mixed_study.split.held_out
        found = explain.shapley_interactions(mixed_study, rows, int(mixed_study.split.train[0]))
        assert found.pairs == (("size (cm)", "island"),)
        assert found.index.tolist() == rows.tolist()
        assert "'size (cm)' and 'island' are the only pair" in found.words
        assert found.to_frame().columns.tolist() == ["feature", "other", *mixed_study.classes]
        assert json.loads(json.dumps(found.to_dict()))["values"] == found.values.tolist()

    def test_one_case_for_a_class_and_between_two(self, fitted):
        model, X = fitted
        found = explain.shapley_interactions(model, X[:3], X[9])
        one, lead = found.of(1, "yes"), found.of(1, "yes", "no")
        assert one.abs().is_monotonic_decreasing
        place = found.pairs.index(lead.index[0])
        assert lead.iloc[0] == found.values[1, place, 1] - found.values[1, place, 0]
        assert (one != 0.0).all()
        with pytest.raises(ValueError, match="no class 'maybe'; the classes are 'no', 'yes'"):
            found.of(1, "maybe")
        with pytest.raises(ValueError, match="not among those"):
            found.of(7, "yes")

    def test_without_two_columns_there_is_no_pair(self, empty_study, fitted):
        found = explain.shapley_interactions(empty_study, empty_study.split.held_out[:3])
        assert found.values.shape == (3, 0, 2)
        assert found.words == "There is no pair: the model uses fewer than two columns."
        assert found.strength().shape == (0, 2)
        assert found.to_frame().empty
        assert found.of(found.index[0], found.classes[0]).empty
        model, X = fitted
        same = explain.shapley_interactions(model, X[9:10], X[9])
        assert same.words.startswith("No two columns change the votes of these cases together")

    def test_without_a_case_nothing_is_said_of_these_cases(self, mixed_study):
        found = explain.shapley_interactions(mixed_study, [], int(mixed_study.split.train[0]))
        assert found.words == "There is no case in whose votes columns could work together."
        with pytest.raises(StudyError, match=r"no case to choose a reference point from\. Give one row"):
            explain.choose_reference_point(mixed_study, [])
