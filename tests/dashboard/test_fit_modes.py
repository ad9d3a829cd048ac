"""The three ways to a model on the Fit page, with the real worker: quick fit, joint search, own settings."""

import numpy as np
import pytest
from number_tables import houses
from patience import wait_until

from dashboard import cache
from dashboard.components.fit.fit_mode import MODE
from dashboard.services.fit.modes import Mode, asked, mode_of
from proset.data.samples import load_sample, sample_roles
from proset.selection import JointPlan, NumberPlan, SearchPlan, landmarks
from proset.selection.front import JOINED
from proset.storage import to_bytes
from proset.study import fit_study, search_study
from proset.study.recipe import Recipe
from proset.study.settings import suggest_settings

USUAL = suggest_settings(150, 2)
SMALL = JointPlan(n_folds=3, max_batches=2, scales=(), take_joined=False)  # so that its first trial is one of the front


@pytest.fixture(scope="module")
def quickly():
    """A quick fit of iris as the worker would make it."""
    return search_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=USUAL, plan=JointPlan.quick())


@pytest.fixture(scope="module")
def searched():
    """A small joint search of iris as the worker would make it."""
    return search_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=USUAL, plan=SMALL, n_jobs=1)


@pytest.fixture
def iris(app):
    """The app with iris opened, on the Fit page."""
    app.held.open_table(load_sample("iris_2f"), sample="iris_2f", roles=sample_roles("iris_2f"))
    return app.go("fit")


def to_search(app):
    """Choose a small joint search."""
    app.held.opened.edit(plan=SMALL)
    app.segmented_control(key="fit.mode").set_value("search").run()
    return app


def keys(widgets):
    return {item.key for item in widgets}


def opened(app, study):
    """Open a study from a file."""
    app.go("data").file_uploader(key="source.study").set_value(("s.proset", to_bytes(study), "application/zip")).run()
    return app.go("fit")


def other_point(study):
    """A point that is not the chosen one."""
    record = study.search
    return next(int(label) for label in record.points.index if label != landmarks(record).chosen.label)


# --- quick fit --------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_new_table_begins_with_a_quick_fit_that_equals_the_api(iris, quickly):
    assert iris.segmented_control(key="fit.mode").value == "quick"
    iris.fit()
    assert not iris.exception
    assert not iris.error
    study = iris.held.study
    assert study.settings == quickly.settings
    assert study.probabilities.equals(quickly.probabilities)
    assert study.search.to_state() == quickly.search.to_state()
    assert mode_of(study) is Mode.QUICK
    assert iris.held.recipe.settings == USUAL
    assert "Changed since" not in iris.words()
    assert "What was tried" in {box.label for box in iris.expander}
    assert iris.held.opened.model_names[study.id].startswith("Quick fit, ")


def test_what_a_quick_fit_finds_is_not_asked_for(iris):
    found = {f"fit.{name}" for name in ("n_iter", "lambda_v", "lambda_w", "alpha_v")}
    assert not found & (keys(iris.select_slider) | keys(iris.slider) | keys(iris.number_input))
    iris.segmented_control(key="fit.mode").set_value("own").run()
    assert found <= keys(iris.select_slider) | keys(iris.slider) | keys(iris.number_input)


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_a_quick_fit_is_not_a_search_to_go_on_with_nor_stale_by_its_settings(app, quickly):
    opened(app, quickly)
    assert app.segmented_control(key="fit.mode").value == "quick"
    to_search(app)
    assert "Changed since" not in app.words()
    assert app.held.opened.stopped is None
    app.segmented_control(key="fit.mode").set_value("own").run()
    app.button(key="fit.start").click().run()
    app.wait()
    assert app.held.study.search is None
    assert app.held.opened.stopped is None


@pytest.mark.slow
def test_another_point_of_a_quick_fit_is_fitted_as_a_fit(app, quickly, hold):
    hold(0)
    opened(app, quickly)
    label = other_point(quickly)
    assert not [box for box in app.selectbox if box.key.startswith("search.point.front.")]  # folded, and not drawn
    app.session_state[f"search.tried.{app.held.opened.current}"] = True  # as a click on it does
    app.run()
    next(box for box in app.selectbox if box.key.startswith("search.point.front.")).set_value(label).run()
    app.button(key="search.refit").click().run()
    assert list(app.jobs) == ["fit"]
    hold.let_go()
    app.wait()
    assert not app.exception
    study = app.held.study
    assert study.search.by_hand
    assert study.search.point_row(study.search.chosen) == label
    assert app.held.opened.model_names[study.id].startswith("Own choice after a quick fit, ")
    assert app.held.opened.stopped is None


def test_the_same_quick_fit_of_bundled_data_is_taken_over_at_once(iris, quickly):
    recipe = asked(Recipe(sample_roles("iris_2f"), settings=USUAL, plan=JointPlan()), Mode.QUICK)
    cache.keep_sample_study("iris_2f", quickly, asked=recipe)
    iris.button(key="fit.start").click().run()
    assert iris.job is None
    assert iris.held.study is quickly


# --- own settings -----------------------------------------------------------------------------------------------------
def test_stated_settings_in_an_address_open_as_own_settings(open_app):
    at = open_app("fit", data="iris_2f", lambda_v="0.01")
    assert at.segmented_control(key="fit.mode").value == "own"
    assert open_app("fit", data="iris_2f", num_candidates="30").segmented_control(key="fit.mode").value == "quick"


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_the_link_of_a_quick_fit_opens_the_same_model(open_app, quickly):
    from dashboard.session import links

    at = open_app()
    at.button(key="sample.iris_2f").click().run()
    at.held.add_study(quickly)
    at.go("fit")
    again = open_app("fit", **links.query(at.held, at.held.page)).wait()
    assert not again.exception
    assert again.held.study.settings == quickly.settings
    assert again.held.study.probabilities.equals(quickly.probabilities)


def test_own_settings_can_begin_with_what_the_quick_fit_found(app, quickly):
    opened(app, quickly)
    app.segmented_control(key="fit.mode").set_value("own").run()
    app.button(key="fit.found").click().run()
    assert app.held.recipe.settings == quickly.settings
    assert "Changed since" not in app.words()


# --- joint search -----------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_joint_search_runs_to_the_end_and_equals_the_api(iris, searched, hold):
    hold(0)
    to_search(iris).button(key="search.start").click().run()
    assert list(iris.jobs) == ["search"]
    hold.let_go()
    iris.wait()
    assert not iris.exception
    assert not iris.error
    study = iris.held.study
    assert study.search.to_state() == searched.search.to_state()
    assert iris.button(key="search.start").label == "Search again"
    assert study.probabilities.equals(searched.probabilities)
    words = iris.words()
    assert "How the settings were found" in words
    assert "(diamond)" in words
    assert "(star)" in words
    assert "the measures at the top are of held-out rows" in words
    assert "Changed since" not in words
    assert iris.held.opened.model_names[study.id].startswith("Search, ")


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_a_click_proposes_a_point_and_one_button_fits_with_it(app, searched):
    opened(app, searched)
    assert app.segmented_control(key="fit.mode").value == "search"
    assert app.held.opened.plan == SMALL
    label = other_point(searched)
    points = next(box for box in app.selectbox if box.key.startswith("search.point.front."))
    assert len(points.options) == len(searched.search.points) + 1  # and the joined votes
    points.set_value(label).run()
    assert "Instead of the chosen point" in app.words()
    app.button(key="search.withdraw").click().run()
    assert "search.refit" not in keys(app.button)
    next(box for box in app.selectbox if box.key.startswith("search.point.front.")).set_value(label).run()
    app.button(key="search.refit").click().run()
    app.wait()
    assert not app.exception
    study = app.held.study
    assert study.search.point_row(study.search.chosen) == label
    assert "Your choice: " in app.words()
    assert "The search itself had chosen" in app.words()
    assert "Changed since" not in app.words()


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_joined_votes_are_offered_with_their_price_and_taken_by_a_person(app, searched):
    assert searched.settings.n_joined == 1
    opened(app, searched)
    next(box for box in app.selectbox if box.key.startswith("search.point.front.")).set_value(JOINED).run()
    assert "votes of 4 fits joined" in app.words()
    assert "takes about 4 times as long" in app.words()
    app.button(key="search.refit").click().run()
    app.wait()
    assert not app.exception
    study = app.held.study
    assert study.settings.n_joined == study.model.n_joined == 4
    assert study.search.takes_joined
    assert study.model.set_manager_.num_batches == 4 * study.settings.n_iter
    words = app.words()
    assert "Your choice: " in words
    assert "batches 1 to 4 are the first of each" in words
    assert "Changed since" not in words
    assert "4 joined fits" in app.held.opened.model_names[study.id]
    next(box for box in app.selectbox if box.key.startswith("search.point.front.")).set_value(
        study.search.point_row(study.search.chosen)
    ).run()
    assert "search.refit" in keys(app.button)  # the way back


def test_the_plan_follows_the_form_and_either_way_keeps_its_own(iris):
    to_search(iris)
    iris.selectbox(key="search.rule").set_value("best").run()
    iris.select_slider(key="search.lambda_v.from").set_value(1e-3).run()
    iris.number_input(key="search.n_lambda_v").set_value(3).run()
    iris.number_input(key="search.n_joined").set_value(3).run()
    plan = iris.held.opened.plan
    assert plan.n_joined == 3
    assert (plan.rule, plan.lambda_v, plan.n_lambda_v, plan.n_folds) == ("best", (1e-3, 3e-2), 3, 3)
    iris.radio(key="search.method").set_value("report").run()
    assert iris.held.opened.plan == SearchPlan.report()
    iris.radio(key="search.method").set_value("joint").run()
    assert iris.held.opened.plan == plan


def test_fields_that_are_emptied_or_ends_that_meet_change_nothing(iris):
    plan = to_search(iris).held.opened.plan
    iris.number_input(key="search.n_folds").set_value(None).run()
    iris.select_slider(key="search.lambda_v.to").set_value(plan.lambda_v[0]).run()
    assert not iris.exception
    assert iris.held.opened.plan == plan
    iris.number_input(key="search.n_folds").set_value(2).run()
    assert iris.held.opened.plan.n_folds == 2
    assert "on 2 folds." in iris.words()


@pytest.mark.slow
def test_a_plan_with_a_fixed_penalty_can_be_shown_and_widened(app):
    plan = JointPlan(lambda_w=1e-4, n_folds=2, max_batches=1, n_lambda_v=2)
    study = search_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=USUAL, plan=plan, n_jobs=1)
    opened(app, study)
    assert not app.exception
    assert "search.n_lambda_w" not in keys(app.number_input)
    app.select_slider(key="search.lambda_w.from").set_value(1e-6).run()
    assert not app.exception
    assert app.held.opened.plan.lambda_w == (1e-6, 1e-4)
    assert app.held.opened.plan.n_lambda_w == 2


@pytest.fixture
def stopped(iris, hold):
    """The app with a joint search that was stopped after a trial."""
    hold(1)
    to_search(iris).button(key="search.start").click().run()
    first_trial(iris)
    iris.button(key="job.cancel.fit.search").click().run()
    return iris


def first_trial(app):
    # It is polled, as pages do: that starts what waits for the place of a process that has ended.
    wait_until(
        lambda: app.job.poll() and app.job.progress().done >= 1,
        what=lambda: f"{app.job.poll()} {app.job.message} {app.job.progress()}",
    )


@pytest.mark.slow
def test_a_stopped_search_can_give_its_best_so_far_and_still_go_on(stopped):
    assert "Stopped after " in stopped.words()
    assert {"search.resume", "search.start", "search.best"} <= keys(stopped.button)
    before = stopped.held.opened.stopped.record
    stopped.button(key="search.best").click().run()
    stopped.wait()
    assert not stopped.exception
    study = stopped.held.study
    assert study.search.chosen == before.found.chosen
    assert "The best so far: " in stopped.words() or "Your choice" not in stopped.words()
    assert "The search was stopped after " in stopped.words()
    stopped.button(key="search.resume").click().run()
    stopped.wait()
    after = stopped.held.study.search
    assert not after.by_hand
    assert after.complete
    for pair, scores in before.to_state()["curves"].items():
        assert pair in after.to_state()["curves"], scores
    assert stopped.held.opened.stopped is None


@pytest.mark.slow
def test_one_click_stops_and_takes_the_best_so_far(iris, hold):
    hold(1)
    to_search(iris).button(key="search.start").click().run()
    first_trial(iris)
    iris.button(key="job.best.fit.search").click().run()
    assert list(iris.jobs) == ["search"]
    assert "job.best.fit.search" not in keys(iris.button)
    iris.wait()
    assert iris.held.study.search.by_hand
    assert iris.held.opened.stopped.record.choice is None


@pytest.mark.slow
def test_a_search_for_a_number_can_give_its_best_so_far_and_still_go_on(app, hold):
    content = houses().to_csv(index=False).encode()
    app.go("data").file_uploader(key="source.file").set_value(("houses.csv", content, "text/csv")).run()
    app.target().set_value("price").run()
    app.held.put(MODE, Mode.SEARCH)
    app.held.opened.edit(plan=NumberPlan(n_trials=3, n_folds=2, max_batches=1, n_joined=1, scales=()))
    hold(2)
    app.go("fit").button(key="search.start").click().run()
    wait_until(lambda: app.job.poll() and app.job.progress().done >= 2, what=lambda: app.job.message)
    app.button(key="job.best.fit.search").click().run()
    app.wait()
    assert not app.exception
    found = app.held.number.search
    done = len(found.trials)
    assert found.unfinished
    assert 0 < done < 3
    assert found.chosen == found.best
    assert f"The best so far: the search was ended after {done} of 3 trials." in app.words()
    assert f"Stopped after {done} of 3 trials." in app.words()
    app.button(key="search.resume").click().run()
    app.wait()
    after = app.held.number.search
    assert (after.by_hand, after.complete, len(after.trials)) == (False, True, 3)
    for before, now in zip(found.trials, after.trials, strict=False):
        assert now.log_scores.tolist() == before.log_scores.tolist()
    assert app.held.opened.stopped is None
    assert "The best so far" not in app.words()


@pytest.mark.slow
def test_another_table_in_the_middle_ends_the_search_and_leaves_nothing(stopped, hold):
    hold(1)
    stopped.button(key="search.resume").click().run()
    stopped.go("data").button(key="sample.wine").click().run()
    assert stopped.job is None
    assert stopped.go("fit").held.opened.stopped is None
    assert stopped.segmented_control(key="fit.mode").value == "quick"


def test_two_windows_do_not_share_their_way(open_app):
    first, second = open_app("fit", data="iris_2f"), open_app("fit", data="iris_2f")
    to_search(first)
    second.run()
    assert second.segmented_control(key="fit.mode").value == "quick"
    assert second.held.opened.plan == JointPlan()


@pytest.mark.usefixtures("worked_here")
def test_a_search_that_is_refused_is_told_in_words(iris):
    to_search(iris).number_input(key="search.n_folds").set_value(90).run()
    iris.button(key="search.start").click().run()
    iris.wait()
    assert iris.error
    assert "Traceback" not in iris.words()
    assert iris.button(key="search.start")


def test_a_model_that_was_not_searched_shows_no_front(app):
    opened(app, fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=USUAL))
    assert app.segmented_control(key="fit.mode").value == "own"
    assert "How the settings were found" not in app.words()
    assert "What was tried" not in {box.label for box in app.expander}
    assert to_search(app).button(key="search.start").label == "Search"
    assert np.isfinite(app.held.study.metrics.log_loss)
