"""The Fit page with the real worker: to the end, cancelled, crashed, stale; saved and opened again."""

import os
import signal
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from patience import wait_until

from dashboard import cache
from dashboard.components import fitted
from dashboard.components.fit import headline
from dashboard.components.fit.fit_mode import MODE
from dashboard.services.fit import verdict
from dashboard.services.fit.modes import Mode
from proset.data.issues import Role
from proset.data.number_split import split_table
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.scales import Scale
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.selection import JointPlan, is_quick
from proset.storage import to_bytes
from proset.study import FitSettings, fit_study
from proset.study.judging import judge_model
from proset.study.repeats import with_repeats
from proset.study.settings import suggest_settings
from proset.study.verdict import VerdictKind


@pytest.fixture
def iris(app):
    """The app with iris opened and few candidates, so that a fit takes a moment only."""
    opened = app.held.open_table(load_sample("iris_2f"), sample="iris_2f", roles=sample_roles("iris_2f"))
    opened.edit(settings=FEW)
    app.held.put(MODE, Mode.OWN)
    return app.go("fit")


def own_settings(app):
    """Go to the Fit page and choose to state the settings."""
    app.go("fit").segmented_control(key="fit.mode").set_value("own").run()
    return app


FEW = replace(suggest_settings(150, 2), num_candidates=30)


@pytest.fixture(scope="module")
def studies():
    """Fits of iris as the worker would make them, for tests that are not about the worker."""
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    few = FEW
    plans = [(SplitSettings(), few), (SplitSettings(0.4), few), (SplitSettings(), replace(few, n_iter=0))]
    return [with_repeats(fit_study(table, roles, split=split, settings=settings)) for split, settings in plans]


@pytest.fixture
def fitted_before(iris, studies):
    """The app with iris opened, on a server where others have already made these fits."""
    for study in studies:
        cache.keep_sample_study("iris_2f", study)
    return iris


def running_process(at):
    """Return the process of the fit under way, once it has begun."""
    wait_until(lambda: at.job._entry.process is not None)
    return at.job._entry.process


@pytest.mark.parametrize("data", ["penguins", "cars"])
def test_what_goes_in_is_said_before_the_fit(app, data):
    opened = app.held.open_table(load_sample(data), sample=data, roles=sample_roles(data))
    said = app.go("fit").words()
    parts = split_table(opened.table.frame, opened.recipe.roles, opened.recipe.split)
    assert f"{len(parts.train)} training rows; {len(parts.held_out)} rows are held out" in said
    assert f"{len(opened.recipe.roles.features)} columns may be used" in said
    assert len(app.get("plotly_chart")) == 1  # the rows of each class, or the numbers, in both parts
    opened.edit(roles=opened.recipe.roles.with_role(opened.recipe.roles.target, Role.EXTRA))
    app.run()
    assert "What goes in" not in app.words()


def test_columns_that_a_unit_makes_text_are_named_before_a_model_does_without_them(app):
    lines = [f"{9 + k},50 €;{k % 7};{'ja' if k % 3 else 'nein'}" for k in range(90)]
    table = read_table("\n".join(["Umsatz;Tickets;gekündigt", *lines]).encode(), name="kunden.csv")
    app.held.open_table(table)
    unseen = "The model does not see the numbers of 'Umsatz'"
    assert unseen in app.go("fit").words()
    app.go("data").button(key="units.0").click().run()
    assert unseen not in app.go("fit").words()


@pytest.mark.parametrize("page", ["fit", "map", "case"])
def test_pages_without_data_say_so_and_link_to_it(app, page):
    app.go(page)
    assert not app.exception
    assert "There is no data yet." in app.words()
    assert app.get("page_link")


def test_a_fit_runs_to_the_end_and_equals_the_api(iris):
    iris.fit()
    assert not iris.exception
    assert not iris.error
    study = iris.held.study
    again = fit_study(study.table, study.roles, settings=FEW)
    assert study.metrics.log_loss == again.metrics.log_loss
    shown = {metric.label: metric.value for metric in iris.metric}
    assert shown["Log-loss"] == f"{again.metrics.log_loss:.3f}"
    assert shown["Balanced accuracy"] == f"{100 * again.metrics.balanced_accuracy:.1f} %"
    assert f"naive {again.metrics.naive_log_loss:.3f}" in [metric.delta for metric in iris.metric]
    assert "The model says the most probable class." in iris.words()
    assert "The model is fitted." in iris.words()
    assert "Batch 1: " in iris.words()


def test_the_same_fit_of_bundled_data_is_taken_over_at_once(fitted_before, studies, open_app):
    fitted_before.go("fit").button(key="fit.start").click().run()
    study = fitted_before.held.study
    assert study is studies[0]
    other = open_app(data="iris_2f", num_candidates="30", fit="own", row="5").go("case")
    assert other.held.study is study
    assert other.held.case.row == 5


@pytest.mark.slow
def test_a_link_to_a_fitted_model_fits_it_and_shows_the_case(open_app, hold):
    hold(0)
    at = open_app(data="iris_2f", num_candidates="31", fit="1", row="5").go("case")
    assert not at.exception
    assert is_quick(at.job.request.recipe.plan)
    assert at.job is not None
    assert "being fitted" in at.words()
    assert dict(at.query_params)["fit"] == "1"
    hold.let_go()
    at.wait()
    assert not at.exception
    assert at.held.study.settings.num_candidates == 31
    assert at.held.case.row == 5
    assert dict(at.query_params) == {"data": "iris_2f", "num_candidates": "31", "fit": "1", "row": "5"}


def test_cancel_ends_the_worker_and_keeps_the_former_model(app, hold):
    app.button(key="sample.iris_2f").click().run()
    hold(0)
    app.go("fit").button(key="fit.start").click().run()
    process = running_process(app)
    folder = app.job.folder
    app.button(key="job.cancel.fit.fit").click().run()
    assert process.poll() is not None
    assert app.job is None
    assert not folder.exists()
    assert "cancelled" in app.words()
    assert app.button(key="fit.start")


@pytest.mark.parametrize(("sign", "said"), [(signal.SIGKILL, "memory ran out"), (signal.SIGABRT, "ended unexpectedly")])
def test_a_worker_that_dies_gives_a_message_and_a_second_try(app, sign, said, hold):
    app.button(key="sample.iris_2f").click().run()
    hold(0)
    app.go("fit").button(key="fit.start").click().run()
    os.kill(running_process(app).pid, sign)
    app.wait()
    assert not app.exception
    assert said in app.words()
    assert "Traceback" not in app.words()
    assert app.button(key="fit.start")


def test_other_pages_stay_usable_during_a_fit(app, hold):
    app.button(key="sample.iris_2f").click().run()
    hold(0)
    app.go("fit").button(key="fit.start").click().run()
    app.go("data")
    assert not app.exception
    assert app.button(key="job.cancel.sidebar.fit")
    app.go("map")
    assert "being fitted" in app.words()
    app.go("data").button(key="sample.wine").click().run()
    assert app.job is None
    assert "another table was opened" in app.words()


def test_a_change_after_the_fit_makes_it_stale_everywhere(fitted_before):
    iris = fitted_before.fit()
    iris.go("data").slider(key="split.share").set_value(40).run()
    for page in ("fit", "map", "case"):
        iris.go(page)
        assert not iris.exception
        assert "Changed since: the split into training and held-out rows." in iris.words()
    iris.fit()
    assert "Changed since" not in iris.words()
    assert iris.held.study.split.settings.test_fraction == 0.4


def test_while_a_model_is_made_nothing_asks_to_fit_again(iris, hold):
    iris.fit()
    iris.go("data").slider(key="split.share").set_value(35).run()
    hold(0)
    iris.go("fit").button(key="fit.start").click().run()
    assert iris.job is not None
    assert "again to bring it up to date" not in iris.words()
    for mode in iris.segmented_control(key="fit.mode").options:
        iris.segmented_control(key="fit.mode").set_value(mode).run()
        assert not {"Fit again", "Search"} & {button.label for button in iris.button}


def test_settings_are_kept_over_a_page_change_and_can_be_reset(iris):
    iris.select_slider(key="fit.lambda_v").set_value(0.01).run()
    iris.go("data")
    iris.go("fit")
    assert iris.select_slider(key="fit.lambda_v").value == 0.01
    assert iris.number_input(key="fit.num_candidates").value == 30
    iris.button(key="fit.defaults").click().run()
    assert iris.select_slider(key=iris.key("fit.lambda_v")).value == suggest_settings(150, 2).lambda_v
    assert iris.held.recipe.settings == suggest_settings(150, 2)


def test_a_budget_of_prototypes_is_kept_to_and_an_empty_one_is_no_limit(iris):
    iris.segmented_control(key="fit.mode").set_value("own").run()
    assert iris.number_input(key="fit.max_prototypes").value is None
    iris.number_input(key="fit.max_prototypes").set_value(4).run()
    assert iris.held.opened.recipe.settings.max_prototypes == 4
    assert "Most prototypes 4" in " ".join(caption.value for caption in iris.caption)
    iris.slider(key="fit.thinning").set_value(0.003).run()
    assert iris.held.opened.recipe.settings.thinning == 0.003
    iris.number_input(key="fit.max_prototypes").set_value(None).run()
    assert iris.held.opened.recipe.settings.max_prototypes is None


def test_more_prototypes_than_one_can_argue_with_are_called_that_and_a_limit_is_offered(iris, monkeypatch):
    iris.fit()
    assert "too many to go through" not in iris.words()
    monkeypatch.setattr(verdict, "_MANY", 3)
    monkeypatch.setattr(verdict, "_FEW", 2)
    monkeypatch.setattr(verdict, "_FEW_OF_CLASS", 1)
    assert len(iris.held.study.prototypes) > 3
    assert "These are too many to go through and argue with. With a limit," in iris.go("fit").words()
    iris.button(key="fit.fewer_prototypes").click().run()
    assert iris.held.opened.recipe.settings.max_prototypes == 3
    assert "fit.fewer_prototypes" not in [button.key for button in iris.button]
    iris.fit()
    assert not iris.exception
    assert len(iris.held.study.prototypes) <= 3
    assert "too many to go through" not in iris.words()


def test_no_batch_is_a_model_and_is_called_what_it_is(fitted_before):
    iris = fitted_before
    iris.number_input(key="fit.n_iter").set_value(0).run()
    iris.fit()
    assert not iris.exception
    assert "only states how common each class is" in iris.words()


def test_a_study_is_saved_and_opened_again(app, studies):
    iris, study = app, studies[0]
    app.button(key="sample.wine").click().run()
    iris.file_uploader(key="source.study").set_value(("s.proset", to_bytes(study), "application/zip")).run()
    assert not iris.exception
    opened = iris.held.study
    assert opened.probabilities.equals(study.probabilities)
    assert iris.held.opened.sample is None
    iris.go("fit")
    assert not iris.exception
    assert iris.metric[0].value == f"{study.metrics.log_loss:.3f}"


@pytest.fixture(scope="module")
def rare():
    """A study of a table whose rare class is mostly missed."""
    random = np.random.default_rng(7)
    values = random.normal(size=(1500, 4))
    yes = 1.3 * values[:, 0] + 0.8 * values[:, 1] - 2.6 + 1.2 * random.normal(size=1500) > 0
    frame = pd.DataFrame(values.round(3), columns=list("abcd")).assign(churn=np.where(yes, "yes", "no"))
    table = read_table(frame.to_csv(index=False).encode(), name="churn.csv")
    study = fit_study(table, guess_roles(table, target="churn").roles)
    assert judge_model(study).classes[1].mostly_missed
    return study


@pytest.mark.slow
def test_a_model_that_misses_a_class_is_not_green_and_says_which(app, rare):
    app.button(key="sample.wine").click().run()
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(rare), "application/zip")).run()
    app.go("fit")
    assert not app.exception
    assert not app.success
    verdict = judge_model(rare)
    assert "does not work for every class" in app.words()
    lost = verdict.classes[1].rows - verdict.classes[1].found
    assert f"It misses {lost} of the {verdict.classes[1].rows} rows of 'yes'" in app.words()
    assert "Run a search: it compares settings on the training rows alone." in app.words()
    app.go("quality")
    shown = next(frame.value for frame in app.dataframe if "found share" in frame.value)
    pd.testing.assert_frame_equal(shown, verdict.table(), check_dtype=False, check_index_type=False)


@pytest.mark.slow
@pytest.mark.parametrize("many", [False, True])
def test_of_many_steps_that_ended_well_one_line_is_left_and_trouble_stays_in_sight(iris, monkeypatch, many):
    lines = [(True, f"Step {number}.") for number in range(9 if many else 4)] + [(False, "Stopped early.")]
    monkeypatch.setattr(fitted, "solver_lines", lambda _: lines)
    app = iris.fit()
    folded = [box for box in app.expander if box.label == f"How it was fitted: {9 if many else 4} steps ended well"]
    assert len(folded) == 1
    assert "Stopped early." in app.words()
    assert all("Stopped early." not in element.value for box in folded for element in box.markdown)
    assert "Step 3." in app.words()


def test_the_result_takes_the_place_of_the_form(iris, worked_here):
    iris.fit()
    assert iris.button(key="fit.start").proto.type == "secondary"
    assert "Takes about" not in iris.words()  # it has said what it took
    (folded,) = [box for box in iris.expander if "Change it" in box.label]
    assert "fitted in" in folded.label
    assert not folded.proto.expanded
    study = iris.held.study
    verdict = judge_model(study)
    assert f"Right for {verdict.n_right} of {verdict.n_decided} unseen; always saying" in iris.words()
    # Said once, in the one headline: the verdict below goes on from there.
    assert iris.words().lower().count(f"right for {verdict.n_right}") == 1
    first, second, *_ = [item.value for item in iris.main.header]
    assert first.startswith("Right for")
    assert second == "What the model looks at"
    iris.held.opened.edit(split=SplitSettings(seed=3))
    iris.go("fit")
    assert iris.button(key="fit.start").proto.type == "primary"
    assert not [button for button in iris.button if str(button.key).startswith("next.")]


@pytest.mark.slow
def test_the_backend_is_chosen_under_advanced(iris):
    box = iris.selectbox(key="fit.backend")
    assert box.options[0] == "Compiled code on the processor"
    assert "1.4 to 6 times as long" in iris.words()
    iris.held.opened.edit(settings=replace(iris.held.recipe.settings, backend="tensorflow"))
    assert "TensorFlow" in iris.go("fit").words()
    iris.button(key="fit.defaults").click().run()
    assert iris.held.recipe.settings.backend == "compiled"


@pytest.mark.exhaustive
def test_the_scale_of_numbers_is_left_to_a_search_or_stated(iris):
    box = iris.selectbox(key=iris.key("fit.scale"))
    assert box.value == "standard"
    assert len(box.options) == 4
    box.set_value("quantile").run()
    assert iris.held.recipe.settings.scale is Scale.QUANTILE
    assert "Scale of numbers quantile: by rank" in iris.words()
    iris.segmented_control(key="fit.mode").set_value("quick").run()
    assert iris.selectbox(key=iris.key("fit.scale")).value == "quantile"  # stated, a quick fit does not choose
    assert len(iris.selectbox(key=iris.key("fit.scale")).options) == 4
    iris.selectbox(key=iris.key("fit.scale")).set_value("choose").run()
    assert iris.held.recipe.settings.scale is Scale.STANDARD
    iris.segmented_control(key="fit.mode").set_value("search").run()
    assert iris.selectbox(key=iris.key("fit.scale")).value == "choose"
    iris.selectbox(key=iris.key("fit.scale")).set_value("squashed").run()
    assert (iris.held.recipe.settings.scale, iris.held.opened.plan.scales) == (Scale.SQUASHED, ())
    assert "scales of numbers, on" not in iris.words()
    iris.button(key="fit.defaults").click().run()
    assert iris.selectbox(key=iris.key("fit.scale")).value == "choose"
    assert (iris.held.recipe.settings.scale, iris.held.opened.plan.scales) == (Scale.STANDARD, JointPlan().scales)


@pytest.fixture(scope="module")
def checked():
    """Iris with a model whose verdict is the same in every cross-validation."""
    few = FitSettings(num_candidates=30)
    return with_repeats(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=few))


def test_a_model_that_works_for_every_class_is_green(app, checked):
    assert judge_model(checked).firm
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(checked), "application/zip")).run()
    app.go("fit")
    assert "for every class" in app.success[0].value
    assert "So say 10 of 10 cross-validations with these settings" in app.words()


def test_luck_on_few_rows_is_told_from_what_cross_validation_says(checked):
    verdict = replace(judge_model(checked), n_right=31, naive_right=30, more_right_by_luck=True)
    assert headline.right_words(verdict, "unseen").endswith(": 30. On these alone, the difference may be luck")
    alone = replace(verdict, repeated=None)
    assert headline.right_words(alone, "unseen").endswith(": 30. The difference may be luck")


def test_a_study_without_cross_validation_is_not_green(app, checked):
    """As one that an older version saved."""
    older = replace(checked, left_out=None)
    app.file_uploader(key="source.study").set_value(("s.proset", to_bytes(older), "application/zip")).run()
    app.go("fit")
    assert judge_model(older).kind is VerdictKind.GOOD
    assert not app.success
    assert "This rests on 45 held-out rows only" in app.words()


def test_the_finding_stands_apart_from_what_it_rests_on(fitted_before):
    app = fitted_before.fit()
    (verdict,) = [item.value for item in (*app.success, *app.info, *app.warning)]
    assert "It takes away" in verdict
    assert "cross-validations" not in verdict
    (checked,) = [item.value for item in app.caption if item.value.startswith("**How the verdict was checked.**")]
    assert "cross-validations with these settings" in checked.replace("\\", "")
    assert f"{len(app.held.study.prototypes)} prototypes: " in app.words()
    (how,) = [box for box in app.expander if box.label.startswith("How it was fitted")]
    assert not how.proto.expanded
    assert "Converged after" in " ".join(item.value for item in how.markdown)


def test_the_button_comes_before_what_may_be_changed_and_own_settings_are_open(iris):
    (advanced,) = [box for box in iris.expander if box.label == "Advanced"]
    assert advanced.proto.expanded
    keys = [str(getattr(node, "key", "")) for node in iris.main]
    assert keys.index("fit.start") < keys.index("fit.n_iter")
    iris.segmented_control(key="fit.mode").set_value("quick").run()
    (advanced,) = [box for box in iris.expander if box.label == "Advanced"]
    assert not advanced.proto.expanded
