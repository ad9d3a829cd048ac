"""The search by algorithm 2.2 on the Fit page with the real worker: stopped, resumed, another choice."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from patience import wait_until

from dashboard import cache
from dashboard.components.fit.fit_mode import MODE
from dashboard.services.fit.modes import Mode
from dashboard.work import processes
from dashboard.work.limits import SCHEDULER_VARIABLE
from proset.data.samples import load_sample, sample_roles
from proset.selection import SearchPlan
from proset.selection.scores import FoldScores
from proset.storage import to_bytes
from proset.study import fit_study, search_study
from proset.study.recipe import Recipe
from proset.study.settings import suggest_settings

PLAN = SearchPlan(n_trials=5, n_folds=3, max_batches=2, second_look=True)
FEW = replace(suggest_settings(150, 2), num_candidates=30)
ASKED = Recipe(sample_roles("iris_2f"), settings=FEW, plan=PLAN)
ASKED_TABLE = load_sample("iris_2f")


@pytest.fixture(scope="module")
def searched():
    """A small search of iris as the worker would make it, for tests that are not about the worker."""
    return search_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW, plan=PLAN)


@pytest.fixture
def iris(app):
    """The app with iris opened, set to a small search."""
    app.held.open_table(ASKED_TABLE, sample="iris_2f", roles=ASKED.roles).edit(settings=FEW, plan=PLAN)
    app.held.put(MODE, Mode.SEARCH)
    return app.go("fit")


@pytest.fixture
def iris_by_hand(app):
    """The same, set in the form."""
    app.button(key="sample.iris_2f").click().run()
    by_the_report(app).number_input(key="fit.num_candidates").set_value(30).run()
    assert "50 pairs of penalties × 5 folds = 250 fits" in app.words()  # as the report has it
    app.selectbox(key="search.penalties").set_value("features").run()
    app.toggle(key="search.second_look").set_value(True).run()
    for name in ("n_trials", "n_folds", "max_batches"):
        app.number_input(key=f"search.{name}").set_value(getattr(PLAN, name)).run()
    return app


def by_the_report(app):
    """Choose a search by algorithm 2.2."""
    app.go("fit").segmented_control(key="fit.mode").set_value("search").run()
    app.radio(key="search.method").set_value("report").run()
    return app


@pytest.fixture
def found(app, searched):
    """The app with a searched study opened from a file."""
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(searched), "application/zip")).run()
    return app.go("fit")


def search(at, hold):
    """Press Search and wait for the worker."""
    hold(0)
    at.button(key="search.start").click().run()
    assert at.job is not None
    hold.let_go()
    return at.wait()


def points(at, stage):
    """The list below the figure of a step."""
    return next(item for item in at.selectbox if item.key.startswith(f"search.point.{stage}."))


def charts(at):
    return len(at.get("plotly_chart"))


def test_the_search_says_what_it_will_do_and_keeps_its_settings(iris_by_hand):
    iris = iris_by_hand
    assert not iris.exception
    assert iris.held.recipe.like(ASKED).differences(ASKED) == ""
    assert "5 penalties × 3 folds = 15 fits, then 0 to 2 batches × 3 folds = 9 fits" in iris.words()
    iris.selectbox(key="search.penalties").set_value("both").run()
    assert "50 pairs of penalties × 3 folds = 150 fits" in iris.words()
    iris.go("data")
    iris.go("fit")
    assert iris.number_input(key="search.n_trials").value == 50
    assert iris.selectbox(key="search.penalties").value == "both"


def test_what_is_searched_is_not_asked_for(iris):
    shown = {item.key for item in iris.select_slider}
    assert "fit.lambda_v" not in shown
    assert "fit.lambda_w" in shown
    iris.selectbox(key="search.penalties").set_value("both").run()
    assert "fit.lambda_w" not in {item.key for item in iris.select_slider}


def test_a_search_runs_to_the_end_and_equals_the_api(iris, searched, hold):
    search(iris, hold)
    assert not iris.exception
    assert not iris.error
    study = iris.held.study
    assert study.search.to_state() == searched.search.to_state()
    assert study.probabilities.equals(searched.probabilities)
    assert "How the settings were found" in iris.words()
    assert charts(iris) == 3
    assert "Changed since" not in iris.words()
    assert iris.held.recipe.settings == FEW, "what was found is the model's, nobody has chosen it"


def test_the_same_search_of_bundled_data_is_taken_over_at_once(iris, searched, open_app):
    cache.keep_sample_study("iris_2f", searched, asked=ASKED)
    iris.button(key="search.start").click().run()
    assert iris.job is None
    assert iris.held.study is searched


def test_a_choice_of_a_person_is_not_taken_for_the_result_of_a_search(iris, searched, hold):
    hold(0)
    other = replace(searched, search=searched.search.with_batches(0))
    cache.keep_sample_study("iris_2f", other, asked=ASKED)
    iris.button(key="search.start").click().run()
    assert iris.job is not None


def test_a_study_opened_with_its_search_shows_the_same_figures(found, searched):
    assert not found.exception
    assert charts(found) == 3
    assert found.held.opened.plan == PLAN
    assert found.segmented_control(key="fit.mode").value == "search"
    assert "Changed since" not in found.words()


def test_pairs_of_penalties_are_shown_as_a_surface(app):
    plan = SearchPlan(lambda_v=(1e-4, 1e-1), lambda_w=(1e-9, 1e-4), n_trials=5, n_folds=2, max_batches=1)
    study = search_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW, plan=plan)
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(study), "application/zip")).run()
    app.go("fit")
    assert not app.exception
    assert len(points(app, 1).options) == 5
    assert all("prototype penalty" in option for option in points(app, 1).options)


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_another_number_of_batches_refits(found, searched):
    other = next(n for n in (2, 1) if n != searched.search.chosen_batches)
    points(found, 2).set_value(other).run()
    assert "The final model is fitted again." in found.words()
    found.button(key="search.refit").click().run()
    found.wait()
    assert not found.exception
    study = found.held.study
    assert study.settings.n_iter == other
    assert study.search.batches == other
    assert points(found, 2).value == other
    assert found.held.opened.proposal is None
    assert "Changed since" not in found.words()


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_other_penalties_run_step_2_again(found, searched):
    other = next(label for label in searched.search.stage_1.index if label not in searched.search.curves)
    points(found, 1).set_value(other).run()
    assert "Step 2 finds the number of batches for it, 9 fits" in found.words()
    found.button(key="search.refit").click().run()
    found.wait()
    study = found.held.study
    assert study.settings.lambda_v == searched.search.stage_1.loc[other, "lambda_v"]
    assert study.search.complete


def test_the_second_look_can_be_left_out(iris):
    again = "again for smaller penalties while they do better"
    assert again in iris.words()
    iris.toggle(key="search.second_look").set_value(False).run()
    assert again not in iris.words()
    assert iris.held.opened.plan.second_look is False


def test_what_the_second_look_found_is_said_and_can_be_chosen_without_step_2(app):
    # Two batches are much better than one with the smallest penalty, which looks no better in step 1.
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    study = search_study(table, roles, settings=FEW, plan=replace(PLAN, random_state=1))
    first, curves = study.search, {}
    ladder = []
    while (row := replace(first, curves=curves).to_do()) is not None:
        ladder.append(row)
        curves[row] = pretended(first, 0.4 - 0.1 * len(ladder))
    better = replace(first, curves=curves)
    lambda_v, lambda_w = better.chosen_penalties
    settings = replace(study.settings, lambda_v=lambda_v, lambda_w=lambda_w, n_iter=better.chosen_batches)
    pretence = replace(fit_study(table, roles, settings=settings), search=better)
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(pretence), "application/zip")).run()
    app.go("fit")
    assert not app.exception
    assert len(ladder) > 1
    assert "with more batches this one is better by more than the folds differ" in app.words()
    points(app, 1).set_value(ladder[0]).run()
    assert "Step 2 is done with it and takes 2 batches there." in app.words()
    assert "The final model is fitted again." in app.words()
    assert "Step 2 finds" not in app.words()


def pretended(record, lowest):
    """Scores of step 2 that fall to the given log-loss with the last batch."""
    losses = np.linspace(0.9, lowest, record.plan.max_batches + 1)[:, None] + [[-0.01, 0.0, 0.01]]
    return FoldScores(losses, np.full_like(losses, 2.0), np.full_like(losses, 9.0))


def test_the_chosen_point_can_be_kept(found, searched):
    other = next(n for n in (2, 1) if n != searched.search.chosen_batches)
    points(found, 2).set_value(other).run()
    found.button(key="search.withdraw").click().run()
    assert points(found, 2).value == searched.search.chosen_batches
    assert "search.refit" not in {button.key for button in found.button}


def test_a_figure_forgets_a_click_once_another_point_is_looked_at(found, searched):
    def versions():
        opened = found.held.opened
        anchors = {name: value for (_, name), value in opened.values.items()}
        return [anchors[f"anchor.search.figure.{stage}.{opened.current}"].version for stage in (1, 2)]

    first, second = versions()
    points(found, 2).set_value(next(n for n in (2, 1) if n != searched.search.chosen_batches)).run()
    assert versions() == [first, second + 1]  # nothing was picked in the first, so there is nothing to forget
    found.button(key="search.withdraw").click().run()
    assert versions() == [first, second + 2]


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_a_fit_with_own_settings_begins_with_what_was_found_and_keeps_the_search_it_replaces(found, searched):
    found.segmented_control(key="fit.mode").set_value("own").run()
    assert found.held.recipe.settings == FEW
    assert found.button(key="fit.found").label == "Begin with what the search has found"
    found.button(key="fit.found").click().run()
    assert found.held.recipe.settings == searched.settings
    assert "fit.found" not in {button.key for button in found.button}
    found.button(key="fit.defaults").click().run()
    found.number_input(key=found.key("fit.num_candidates")).set_value(30).run()
    found.button(key="fit.start").click().run()
    found.wait()
    assert found.held.study.search is None
    found.segmented_control(key="fit.mode").set_value("search").run()
    assert "only the chosen model is still to be fitted" in found.words()
    found.button(key="search.resume").click().run()
    found.wait()
    assert found.held.study.search.to_state() == searched.search.to_state()


def test_where_nothing_is_chosen_that_is_said_with_a_way_out(app):
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    study = search_study(table, roles, settings=FEW, plan=replace(PLAN, lambda_v=(1e-3, 10.0), second_look=False))
    losses = np.array([[0.9, 0.9, 0.9], [0.5, 1.3, 0.6], [0.6, 1.3, 0.6]])
    none = FoldScores(losses, np.full_like(losses, 2.0), np.full_like(losses, 9.0))
    record = replace(study.search, curves={study.search.chosen(1): none})
    assert record.chosen_batches == 0
    nothing = replace(fit_study(table, roles, settings=replace(study.settings, n_iter=0)), search=record)
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(nothing), "application/zip")).run()
    app.go("fit")
    words = app.words()
    assert "No model is better than none by more than the folds differ" in words
    assert "pick another point of the search, if one has a lower log-loss" in words
    assert "is not what is to be foreseen, choose another target on the Data page" in words
    assert "a larger one may give" not in words
    assert "Try a smaller feature penalty" not in words


def test_a_change_of_the_plan_makes_the_study_stale(found):
    found.number_input(key="search.n_folds").set_value(4).run()
    assert "Changed since: the search settings." in found.words()
    found.number_input(key="search.n_folds").set_value(PLAN.n_folds).run()
    assert "Changed since" not in found.words()


@pytest.mark.slow
def test_a_search_is_stopped_and_goes_on_from_there(app, hold):
    app.button(key="sample.iris_2f").click().run()
    by_the_report(app).number_input(key="search.n_folds").set_value(3).run()
    app.number_input(key="search.max_batches").set_value(1).run()
    hold(3)
    app.button(key="search.start").click().run()
    wait_until(lambda: app.job.poll() and app.job.progress().done >= 3)
    process, folder = app.job._entry.process, app.job.folder
    app.button(key="job.cancel.fit.search").click().run()
    assert process.poll() is not None
    assert not folder.exists()
    assert "Stopped after " in app.words()
    before = app.held.opened.stopped.record
    assert before.scores_1.done.sum() >= 3
    app.button(key="search.resume").click().run()
    app.wait()
    after = app.held.study.search
    assert after.complete
    kept = before.scores_1.done
    assert (after.scores_1.log_loss[kept] == before.scores_1.log_loss[kept]).all()
    assert app.held.opened.stopped is None


def test_a_search_stopped_at_once_says_that_nothing_changed(iris, monkeypatch):
    # A worker that never gets to its first fit, however fast the machine is.
    idle = (sys.executable, "-c", "import sys; sys.stdin.read()")
    monkeypatch.setattr(processes, "start", lambda _module, _folder: processes.popen(idle, subprocess.DEVNULL))
    iris.button(key="search.start").click().run()
    iris.button(key="job.cancel.fit.search").click().run()
    assert "The search was cancelled. Nothing else has changed." in iris.words()
    assert iris.button(key="search.start")


@pytest.mark.slow
def test_too_many_folds_are_refused_in_words(iris, hold):
    iris.slider(key="fit.max_fraction").set_value(0.95).run()
    iris.number_input(key="search.n_folds").set_value(20).run()
    search(iris, hold)
    words = iris.words()
    assert "Traceback" not in words


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_told_with_a_way_out(iris, monkeypatch, hold):
    monkeypatch.setenv(SCHEDULER_VARIABLE, "tcp://127.0.0.1:9")
    iris.run()
    assert "Runs on tcp://127.0.0.1:9" in iris.words()
    search(iris, hold)
    assert "tcp://127.0.0.1:9" in iris.error[0].value.replace("\\", "")
    assert SCHEDULER_VARIABLE in iris.words()
    assert "Traceback" not in iris.words()
