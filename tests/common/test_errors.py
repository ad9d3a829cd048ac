"""Errors carry what they are about, so that nobody has to read it out of their words."""

import pickle

import pytest

from proset.cli.fit_search import option_names
from proset.common.allowed import Allowed, check_values
from proset.common.errors import ParameterError, ProsetError, StudyError
from proset.compare import ComparePlan
from proset.data.split import SplitSettings
from proset.engine.parameters import check_parameters
from proset.selection import JointPlan, SearchPlan


@pytest.mark.parametrize("kind", [ProsetError, ParameterError])
def test_an_impossible_value_says_which_parameter_has_it(kind):
    with pytest.raises(kind) as caught:
        check_values({"cv": 1, "depth": 3}, {"depth": Allowed(1), "cv": Allowed(2, whole=True)}, kind)
    assert caught.value.parameter == "cv"
    assert caught.value.said_of("--folds") == "--folds is 1; it has to be a whole number of at least 2."
    again = pickle.loads(pickle.dumps(caught.value))  # on its way from a worker
    assert (again.parameter, str(again)) == ("cv", str(caught.value))


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: SearchPlan(n_folds=1), "n_folds"),
        (lambda: SearchPlan(lambda_v=-1.0), "lambda_v"),
        (lambda: SearchPlan(lambda_v=1e-3, n_trials=4), "n_trials"),
        (lambda: SearchPlan(rule="most"), "rule"),
        (lambda: SearchPlan(cv_factr=0.0), "cv_factr"),
        (lambda: SearchPlan(second_look=2), "second_look"),
        (lambda: JointPlan(alpha_v=2.0), "alpha_v"),
        (lambda: JointPlan(max_fraction=1.0), "max_fraction"),
        (lambda: JointPlan(max_rows=1), "max_rows"),
        (lambda: JointPlan(weight_factors=()), "weight_factors"),
        (lambda: JointPlan(weight_factors=(2.0,)), "weight_factors"),
        (lambda: JointPlan(weight_factors=(0.1, 1.0)), "weight_factors"),
        (lambda: ComparePlan(max_rows=1), "max_rows"),
        (lambda: SplitSettings(0.9), "test_fraction"),
        (lambda: check_parameters({"alpha_w": 2.0}), "alpha_w"),
    ],
)
def test_plans_and_settings_name_their_parameter(make, parameter):
    with pytest.raises(ValueError, match=" is ") as caught:
        make()
    assert caught.value.parameter == parameter
    assert caught.value.said_of("--option").startswith("--option is ")


def refused_by_the_model():
    """Raise what a fit raises where the model refuses a setting."""
    try:
        check_parameters({"alpha_v": 2})
    except ParameterError as error:
        raise StudyError(f"The model cannot be fitted: {error}", hint="Change the setting.") from error


def test_an_option_is_named_whatever_the_message_begins_with():
    with pytest.raises(StudyError) as caught, option_names({"n_folds": "--folds"}):
        raise StudyError("Too many folds: 9.", parameter="n_folds", called="Too many folds")
    assert caught.value.message == "--folds: 9."
    with pytest.raises(StudyError) as caught, option_names({"n_folds": "--folds"}):
        raise StudyError("n_folds is what nobody asked about.")  # no parameter: its words are left alone
    assert caught.value.message == "n_folds is what nobody asked about."
    with pytest.raises(StudyError) as caught, option_names({"alpha_v": "--alpha-v"}):
        refused_by_the_model()
    assert str(caught.value) == "--alpha-v is 2; it has to be a number from 0 to 1."
