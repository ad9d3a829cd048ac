"""A study whose target is a number: fitted, searched, stopped and gone on with, refused in words."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, priced, table_of

from proset.common.errors import OtherSearchError, RoleError, StorageError, StudyError
from proset.data.split import SplitSettings
from proset.selection import Cancelled, NumberPlan, NumberRecord
from proset.study import (
    FitSettings,
    NumberSettings,
    NumberStudy,
    fit_number_choice,
    fit_number_study,
    fit_study,
    search_number_study,
)
from proset.study.any_study import fit_recipe, of_classes, recipe_problem, recipe_seconds, search_recipe
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.recipe import Recipe

FEW = NumberPlan(n_trials=2, n_folds=2, max_batches=2)


@pytest.fixture(scope="module")
def study() -> NumberStudy:
    return priced()


@pytest.fixture(scope="module")
def searched() -> NumberStudy:
    return search_number_study(*table_of(houses()), plan=FEW)


class TestAnswers:
    def test_it_is_far_better_than_the_answer_for_everybody(self, study):
        assert study.metrics.n_rows == len(study.split.held_out) == 48
        assert study.metrics.mae < 0.35 * study.metrics.naive_mae
        assert study.metrics.crps < 0.35 * study.metrics.naive_crps
        assert study.metrics.log_score < study.metrics.naive_log_score - 0.8
        assert 0.75 <= study.metrics.covered <= 1.0
        assert 0.8 < study.metrics.explained < 1.0

    def test_predictions_are_what_the_model_says_of_encoded_rows(self, study):
        said, X = study.predictions, study.encode().X
        assert said["median"].to_numpy() == pytest.approx(study.model.predict_quantiles(X, 0.5))
        assert said[["lower", "upper"]].to_numpy() == pytest.approx(study.model.predict_interval(X, 0.9))
        assert said["mean"].to_numpy() == pytest.approx(study.model.predict(X))
        assert (said["error"] == said["median"] - said["actual"]).all()
        place = study.model.predict_distribution(X).cdf(said["actual"].to_numpy())
        assert said["place"].to_numpy() == pytest.approx(place)
        inside = said["actual"].between(said["lower"], said["upper"])
        assert (said["inside"].astype(bool) == inside).all()
        held_out = said[said["part"] == "held_out"]
        assert float(held_out["inside"].astype(bool).mean()) == study.metrics.covered
        assert float(held_out["error"].abs().mean()) == pytest.approx(study.metrics.mae)

    def test_prototypes_name_rows_of_the_table(self, study):
        rows = study.prototypes["row"]
        assert set(rows) <= set(study.split.train.tolist())
        assert study.prototypes["target"].to_numpy() == pytest.approx(study.targets.loc[rows].to_numpy())
        assert (study.prototypes["spread"] > 0).all()

    def test_the_column_that_says_nothing_is_worth_least(self, study):
        # By what answers make of it: a column that slopes speak for needs next to no weight in the kernel.
        frame = study.table.frame.drop(columns=["price", "house"])
        said = study.score(frame)["median"].to_numpy()

        def moved(column):
            turned = frame.assign(**{column: frame[column].to_numpy()[::-1]})
            return np.abs(study.score(turned)["median"].to_numpy() - said).mean()

        assert moved("age") < 0.25 * moved("size")

    def test_new_rows_are_answered_like_those_of_the_table(self, study):
        frame = study.table.frame.drop(columns=["price", "house"])
        scores = study.score(frame)
        assert scores["median"].to_numpy() == pytest.approx(study.predictions["median"].to_numpy())
        assert (scores["note"] == "").all()
        unknown = frame.head(2).assign(size=[np.nan, 80.0])
        assert "size missing" in study.score(unknown)["note"].iloc[0]

    def test_rows_without_a_number_are_answered_but_neither_learned_nor_measured(self):
        frame = houses()
        frame.loc[:9, "price"] = np.nan
        study = fit_number_study(*table_of(frame))
        assert len(study.split.unlabelled) == 10
        assert study.predictions["median"].notna().all()
        assert study.predictions.loc[1:10, ["actual", "error", "place"]].isna().all(axis=None)
        assert study.predictions.loc[1:10, "inside"].isna().all()
        assert study.metrics.n_rows == len(study.split.held_out)

    def test_it_says_what_it_is(self, study):
        assert repr(study).startswith("NumberStudy: 'price' of 'houses.csv'")
        assert "48 held out: mean absolute error" in repr(study)


class TestParts:
    def test_both_parts_have_low_and_high_numbers(self, study):
        train, out = (study.targets.loc[pd.Index(rows)] for rows in (study.split.train, study.split.held_out))
        assert out.quantile([0.1, 0.5, 0.9]).to_numpy() == pytest.approx(
            train.quantile([0.1, 0.5, 0.9]).to_numpy(), rel=0.2
        )

    def test_groups_stay_together_and_times_order(self):
        frame = houses().assign(owner=np.arange(160) // 4, day=np.arange(160))
        table, roles = table_of(frame)
        together = fit_number_study(table, roles, split=SplitSettings(groups="owner"))
        owners = table.frame["owner"]
        assert not set(owners.loc[together.split.train]) & set(owners.loc[together.split.held_out])
        latest = fit_number_study(table, roles, split=SplitSettings(time="day"))
        assert latest.split.train.max() < latest.split.held_out.min()


class TestSearch:
    def test_what_was_chosen_is_what_was_fitted(self, searched):
        assert searched.search.complete
        assert searched.settings.n_iter == searched.search.chosen[1]
        assert all(getattr(searched.settings, name) == value for name, value in searched.search.found.items())
        assert searched.recipe.finds == FEW.sets
        assert searched.search.log_score == searched.search.refinement.log_score
        assert searched.search.log_score <= searched.search.points()["mean"].min() + 0.1
        assert len(searched.prototypes) == searched.model.refinement_.n_after

    @pytest.mark.exhaustive
    def test_the_same_twice_and_a_person_may_choose(self, searched):
        again = search_number_study(searched.table, searched.roles, plan=FEW)
        assert again.id == searched.id
        other = fit_number_choice(searched, searched.search.with_choice(1, 0))
        assert other.settings.n_iter == 0
        assert other.settings.correction == 0.0  # folds have said nothing about this one
        assert other.search.by_hand
        assert len(other.prototypes) == 0
        assert len(set(other.predictions["median"])) == 1
        with pytest.raises(StudyError, match="not tried"):
            searched.search.with_choice(7, 0)

    @pytest.mark.slow
    def test_a_search_that_is_stopped_goes_on(self, searched):
        table, roles = table_of(houses())

        def stop(now):
            if now.done == 1:
                raise Cancelled

        with pytest.raises(Cancelled) as stopped:
            search_number_study(table, roles, plan=FEW, progress=stop)
        record = NumberRecord.from_state(stopped.value.record.to_state())
        assert len(record.trials) == 1
        seen = []
        went_on = search_number_study(table, roles, record=record, progress=seen.append)
        assert went_on.id == searched.id
        assert min(now.done for now in seen if now.stage == 1) == 1
        assert [now.share for now in seen] == sorted(now.share for now in seen)
        assert seen[-1].stage == 3

    @pytest.mark.exhaustive
    def test_the_last_look_goes_on_where_it_was_stopped(self, searched):
        table, roles = table_of(houses())
        records = []

        def stop(now):
            if now.stage == 1 and (found := now.finished()).refined:
                records.append(found)
                raise Cancelled

        with pytest.raises(Cancelled):
            search_number_study(table, roles, plan=FEW, progress=stop)
        record = NumberRecord.from_state(json.loads(json.dumps(records[0].to_state())))
        assert (len(record.refined), record.to_refine, record.complete) == (1, 1, False)
        assert record.refinement is None
        assert search_number_study(table, roles, record=record).id == searched.id

    def test_a_record_of_before_there_were_refinements_is_complete(self, searched):
        state = searched.search.to_state()
        del state["refined"]
        for name in ("corrections", "thinnings"):
            del state["plan"][name]
        record = NumberRecord.from_state(state)
        assert record.complete
        assert not record.plan.refines
        assert "correction" not in record.found
        assert record.log_score == record.points()["mean"].min()

    @pytest.mark.parametrize(
        "damage",
        [
            lambda state: state["refined"].append(state["refined"][0]),
            lambda state: state["log_scores"].pop(),
            lambda state: state["refined"][0]["prototypes"].pop(),
            lambda state: state["refined"][0]["log_scores"].pop(),
            lambda state: state["refined"][0]["log_scores"][0].pop(),
            lambda state: state["refined"][0].update(more=1),
            lambda state: state["plan"].update(thinnings=[0.1, 0.0]),
            lambda state: state["plan"].update(corrections=[2.0]),
        ],
    )
    def test_a_damaged_record_is_refused(self, searched, damage):
        state = json.loads(json.dumps(searched.search.to_state()))
        damage(state)
        with pytest.raises(StorageError):
            NumberRecord.from_state(state)

    def test_a_record_of_another_search_is_refused(self, searched):
        table, roles = table_of(houses(seed=1))
        with pytest.raises(OtherSearchError, match="other data"):
            search_number_study(table, roles, plan=FEW, record=searched.search)


class TestRecipe:
    @pytest.mark.exhaustive
    def test_a_recipe_makes_the_study_that_it_says(self, searched):
        recipe = Recipe(searched.roles, settings=NumberSettings(), plan=FEW)
        made = search_recipe(searched.table, recipe)
        assert made.id == searched.id
        once = fit_recipe(searched.table, replace(recipe, plan=None))
        assert isinstance(once, NumberStudy)
        assert once.id == priced().id
        assert recipe_seconds(recipe_problem(searched.table, recipe), recipe).search > 0.0

    def test_settings_of_the_other_kind_are_refused(self, searched):
        with pytest.raises(StudyError, match=r"not those of a model of a number.*Take NumberSettings"):
            Recipe(searched.roles, settings=FitSettings())
        with pytest.raises(StudyError, match=r"not those of a model of classes.*Take FitSettings"):
            replace(searched.recipe, roles=searched.roles.with_classes(None))

    def test_a_number_and_classes_are_told_apart(self, searched):
        recipe = searched.recipe
        other = Recipe(recipe.roles.with_classes(None), recipe.split)
        assert recipe.differences(other) == "whether the target is a number or classes"
        with pytest.raises(StudyError, match=r"The report is of classes.*'price'"):
            of_classes(searched, "The report")


class TestRefusals:
    def test_classes_are_not_fitted_to_a_number(self, study):
        with pytest.raises(RoleError, match="taken as a number"):
            fit_study(study.table, study.roles)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda frame: frame.head(12), "12 rows; .*at least 20"),
            (lambda frame: frame.assign(price=[1.0, 2.0] * 80), "2 different values"),
            (lambda frame: frame.assign(price=["7"] * 80 + ["dear"] * 80), r"'dear' in row 81"),
        ],
    )
    def test_targets_that_are_no_numbers(self, change, message):
        table, roles = table_of(change(houses()))
        with pytest.raises(RoleError, match=message):
            fit_number_study(table, roles)

    def test_a_bad_setting_is_named(self, study):
        with pytest.raises(StudyError, match="lambda_v"):
            fit_number_study(study.table, study.roles, settings=NumberSettings(lambda_v=-1.0))

    def test_guidance_for_classes_is_refused_in_words(self, study):
        said = Guidance((GuidanceItem(GuidanceKind.RELABEL, row=int(study.split.train[0]), label="dear"),))
        with pytest.raises(StudyError, match="cannot be learned as 'dear': that is no number"):
            fit_recipe(study.table, replace(study.recipe, guidance=said))


def test_prototypes_have_the_numbers_of_the_table_also_where_the_target_is_bent():
    rng = np.random.default_rng(0)
    x = rng.normal(size=240).round(3)
    frame = pd.DataFrame({"x": x, "claim": np.where(x > 0.4, rng.gamma(1.0, 900.0, 240).round(2), 0.0)})
    table, roles = table_of(frame, "claim")
    study = fit_number_study(table, roles, settings=NumberSettings(bend_target=True))
    found = study.prototypes
    assert (found["target"] == 0.0).any()
    assert found["target"].tolist() == table.frame["claim"].loc[found["row"]].tolist()
