"""A search for a model of a number tries a target with a long tail bent, before all else but scales."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from proset import ProsetRegressorCV, explain
from proset.common.errors import StorageError, StudyError
from proset.engine.mixtures.units import BentUnits
from proset.explain.numbers.number_facts import number_limits
from proset.selection import Cancelled, NumberPlan, NumberRecord
from proset.selection.number_bend import chosen_bend
from proset.selection.number_words import number_search_report, number_search_words
from proset.storage import from_bytes, to_bytes
from proset.study import fit_number_study, search_number_study
from proset.study.number_fit import number_problem
from proset.study.number_time import number_seconds_needed
from proset.study.settings import NumberSettings

PLAN = NumberPlan(
    n_trials=1,
    n_folds=3,
    max_batches=2,
    n_joined=1,
    corrections=(0.0,),
    thinnings=(0.003,),
    drop_columns=False,
    scales=(),
)


def estates(n: int = 320, seed: int = 0) -> pd.DataFrame:
    """Return estates whose price is a product: a square metre adds a share, and so does chance."""
    rng = np.random.default_rng(seed)
    size, district = rng.normal(0.0, 1.0, n).round(2), rng.choice(["north", "south"], n)
    price = np.exp(4.0 + 0.9 * size + 0.8 * (district == "south") + rng.normal(0.0, 0.3, n))
    return pd.DataFrame({"size": size, "district": district, "price": price.round(2)})


@pytest.fixture(scope="module")
def study():
    return search_number_study(*table_of(estates()), plan=PLAN)


@pytest.fixture(scope="module")
def plain():
    return search_number_study(*table_of(estates()), plan=replace(PLAN, bend_target=False))


@pytest.mark.slow
def test_where_errors_are_in_proportion_the_bent_target_is_taken_and_said(study, plain):
    record = study.search
    assert len(record.bends) == 3
    assert record.bend.bent
    assert study.settings.bend_target
    assert isinstance(study.model.units_, BentUnits)
    assert "The target has a long tail and is taken bent" in number_search_words(record)
    assert "taken bent" in " ".join(number_search_report(record).split())
    assert plain.search.bends == ()
    assert not plain.settings.bend_target
    assert study.metrics.log_score < plain.metrics.log_score
    assert study.metrics.crps < 1.05 * plain.metrics.crps  # on other rows than those that decided
    assert study.bend_words.endswith("the larger the number.")
    assert study.bend_words in number_limits(study)


def test_a_target_without_a_long_tail_is_not_tried():
    study = search_number_study(*table_of(houses()), plan=PLAN)
    assert study.search.bends == ()
    assert study.search.bend is None
    assert not study.settings.bend_target
    assert study.bend_words == ""


def test_both_measures_have_to_agree():
    better, farther = (3.0, 1.0, 2.8, 0.9), (3.0, 1.0, 2.8, 1.1)
    assert chosen_bend((better, better)).bent
    assert not chosen_bend((farther, farther)).bent
    assert "larger CRPS" in chosen_bend((farther, farther)).words
    unsure = chosen_bend(((3.0, 1.0, 2.5, 0.9), (3.0, 1.0, 3.3, 0.9)))
    assert not unsure.bent
    assert "not enough" in unsure.words
    worse = chosen_bend(((3.0, 1.0, 3.5, 0.9),) * 2)
    assert not worse.bent
    assert "no lower log score" in worse.words


@pytest.mark.exhaustive
def test_a_search_that_is_stopped_while_it_tries_goes_on_from_there(study):
    def stop(now):
        if len(now.finished().bends) == 2:
            raise Cancelled

    with pytest.raises(Cancelled) as stopped:
        search_number_study(*table_of(estates()), plan=PLAN, progress=stop)
    kept = NumberRecord.from_state(json.loads(json.dumps(stopped.value.record.to_state())))
    assert (len(kept.bends), kept.bend, kept.trials) == (2, None, ())
    done = search_number_study(*table_of(estates()), plan=PLAN, record=kept)
    assert done.id == study.id


@pytest.mark.slow
def test_it_is_saved_and_read(study, plain):
    again = from_bytes(to_bytes(study))
    assert again.id == study.id
    assert again.search.bends == study.search.bends
    rows = list(study.split.held_out)
    pd.testing.assert_frame_equal(again.predictions.loc[rows], study.predictions.loc[rows])
    assert "bend" not in json.dumps(plain.search.to_state()), "a plan that does not try it is written as before"


@pytest.mark.slow
@pytest.mark.parametrize(
    "bends", [[[1.0, 2.0, 3.0]], "no", [[1.0, 1.0, 1.0, None]] * 3, [[1.0, 1.0, 1.0, 1.0]] * 4, [[1.0, 1.0, 1.0, 1.0]]]
)
def test_a_damaged_record_is_refused(study, bends):
    state = json.loads(json.dumps(study.search.to_state())) | {"bends": bends}
    with pytest.raises(StorageError, match="bends"):
        NumberRecord.from_state(state)


def test_the_plan_is_checked():
    with pytest.raises(StudyError, match="bend_target"):
        replace(PLAN, bend_target=1)
    assert NumberPlan.quick().is_quick
    assert replace(NumberPlan.quick(), bend_target=False).is_quick


def test_trying_takes_time():
    problem = number_problem(*table_of(estates()))
    times = [
        number_seconds_needed(
            problem, NumberSettings(), replace(PLAN, bend_target=bends), clock=iter(range(9)).__next__
        )
        for bends in (False, True)
    ]
    assert times[1].search > times[0].search


@pytest.mark.exhaustive
def test_the_estimator_asks_its_folds_too():
    frame = estates()
    X = np.column_stack([frame["size"], frame["district"] == "south"])
    search = ProsetRegressorCV(n_trials=1, n_folds=3, max_batches=2, n_joined=1, random_state=0).fit(X, frame["price"])
    assert search.settings_["bend_target"]
    assert isinstance(search.model_.units_, BentUnits)


@pytest.mark.slow
# --- what is explained ------------------------------------------------------------------------------------------------
def test_the_parts_of_an_answer_add_up_in_units_of_the_target(study):
    case = int(study.split.held_out[0])
    found = explain.number_answer(study, case)
    np.testing.assert_allclose(found.humps.sum(axis=0), found.density, rtol=1e-9)
    np.testing.assert_allclose(found.adjustments.sum(axis=1), found.prototypes["adjustment"], rtol=1e-6, atol=1e-9)
    said = study.distribution([case])
    np.testing.assert_allclose(found.density, said.pdf(found.places[None, :])[0], rtol=1e-9)
    mass = np.trapezoid(found.density, found.places)
    assert mass == pytest.approx(float(np.diff(said.cdf(found.places[None, [0, -1]])[0])[0]), abs=2e-3)


@pytest.mark.slow
def test_what_is_added_for_a_step_grows_with_the_number(study):
    own = study.model.set_manager_.density_batches[0]
    dear, cheap = (int(np.argmax(sign * own.values)) for sign in (1, -1))
    cases = study.split.train[own.sample_index]
    found = [explain.number_answer(study, int(cases[at])) for at in (dear, cheap)]
    assert found[0].median > found[1].median
    assert found[0].width > found[1].width
    steps = explain.number_steps(study).frame
    assert steps.loc["size", "change"].max() > 0.0


@pytest.mark.slow
def test_a_fit_with_stated_settings_can_bend_too():
    table, roles = table_of(estates())
    study = fit_number_study(table, roles, settings=NumberSettings(n_iter=1, bend_target=True))
    assert study.bend_words
    left = estates().assign(price=lambda frame: 1e4 - frame["price"])
    study = fit_number_study(*table_of(left), settings=NumberSettings(n_iter=1, bend_target=True))
    assert study.bend_words.endswith("the smaller the number.")
