"""A target that is a number, from the upload to the fitted model: Data, Fit, the menu, addresses, what is kept."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from number_tables import houses, priced, table_of

from dashboard.components.fit.fit_mode import MODE
from dashboard.services.data.target import Ranges
from dashboard.services.fit.modes import Mode
from dashboard.services.numbers.fit import notice
from proset.data.samples import load_sample, sample_roles
from proset.data.scales import Scale
from proset.data.split import Split
from proset.explain.numbers.quality import number_quality
from proset.selection import NumberPlan
from proset.storage import to_bytes
from proset.study import FitSettings, NumberSettings, NumberStudy, fit_number_study, fit_study
from proset.study.verdict_words import better_words
from proset.workspace import StudyFacts

pytestmark = pytest.mark.usefixtures("worked_here")


def upload(app, frame, target="price"):
    content = frame.to_csv(index=False).encode()
    app.go("data").file_uploader(key="source.file").set_value(("houses.csv", content, "text/csv")).run()
    app.target().set_value(target).run()
    return app


def take_as(app, choice):
    (widget,) = [item for item in app.segmented_control if str(item.key).startswith("target.ranges.")]
    widget.set_value(choice).run()


def names(app):
    return [item.proto.page for item in app.get("page_link")]


def test_from_the_upload_to_a_model_without_a_word_about_classes(app):
    upload(app, houses())
    assert any("30 % of each third of the numbers" in box.label for box in app.expander)
    app.fit()
    assert not app.exception
    assert isinstance(app.held.number, NumberStudy)
    assert app.held.study is None
    said = app.words()
    assert "Off by" in said
    assert "the same answer for everybody" in said
    assert "48 held-out rows" in said
    assert "class" not in said.lower()
    assert not app.held.opened.stale
    assert [entry.label for entry in app.metric][:2] == ["Mean absolute error", "Root mean square error"]


@pytest.mark.slow
def test_the_menu_has_every_page(app):
    upload(app, houses()).fit()
    menu = " ".join(names(app))
    assert all(page in menu for page in ("fit", "compare", "review", "report"))


@pytest.mark.slow
def test_columns_that_say_nothing_are_named_and_can_be_kept(app):
    frame = houses().assign(dice=np.random.default_rng(0).normal(size=160))
    upload(app, frame).fit()
    assert (
        "Left out, because shuffling them on unseen rows changed nothing beyond chance: 2 of 4 columns (age, dice)."
        in app.words()
    )
    assert "dice" not in app.held.number.used_columns
    app.held.put(MODE, Mode.SEARCH)
    app.go("fit")
    app.checkbox(key="number.search.drop_columns").uncheck().run()
    assert not app.held.opened.number_plan.drop_columns
    assert not app.exception


@pytest.mark.slow
def test_a_search_tries_what_is_set(app):
    upload(app, houses()).held.put(MODE, Mode.SEARCH)
    app.go("fit")
    app.number_input(key="number.search.n_trials").set_value(2).run()
    app.number_input(key="number.search.n_folds").set_value(2).run()
    app.number_input(key="number.search.max_batches").set_value(1).run()
    app.button(key="search.start").click().run()
    app.wait()
    assert not app.exception
    assert app.held.number.search.plan == NumberPlan(n_trials=2, n_folds=2, max_batches=1)
    assert not app.held.opened.stale


def test_the_scale_is_left_to_the_search_or_stated(app):
    upload(app, houses()).held.put(MODE, Mode.SEARCH)
    app.go("fit")
    box = app.selectbox(key="fit.scale")
    assert box.value == "choose"
    assert len(box.options) == 4
    assert "3 scales of numbers on each fold" in app.words()
    box.set_value("quantile").run()
    assert (app.held.opened.number_plan.scales, app.held.recipe.settings.scale) == ((), Scale.QUANTILE)
    app.selectbox(key="fit.scale").set_value("choose").run()
    assert (app.held.opened.number_plan, app.held.recipe.settings.scale) == (NumberPlan(), Scale.STANDARD)
    app.held.put(MODE, Mode.QUICK)
    app.run()
    assert app.selectbox(key=app.key("fit.scale")).value == "standard"
    assert len(app.selectbox(key=app.key("fit.scale")).options) == 3


def test_own_settings_are_those_of_a_number(app):
    upload(app, houses()).held.put(MODE, Mode.OWN)
    app.go("fit")
    assert isinstance(app.held.recipe.settings, NumberSettings)
    assert {"fit.min_spread", "fit.lambda_beta"} <= {str(item.key) for item in (*app.slider, *app.select_slider)}
    assert "fit.max_prototypes" in {str(item.key) for item in app.number_input}
    app.number_input(key="fit.n_iter").set_value(1).run()
    app.fit()
    assert app.held.number.settings.n_iter == 1


@pytest.mark.slow
def test_ranges_and_a_number_are_two_models_of_one_table(app):
    upload(app, houses()).fit()
    app.go("data")
    take_as(app, Ranges.MEDIAN)
    assert isinstance(app.held.recipe.settings, FitSettings)
    assert not isinstance(app.held.recipe.settings, NumberSettings)
    assert "whether the target is a number or classes" in app.held.opened.changes
    app.fit()
    assert not app.exception
    assert app.held.study is not None
    assert len(app.held.opened.models) == 2
    for page in ("fit", "quality", "map", "data"):
        assert not app.go(page).exception
    first = next(iter(app.held.opened.models))
    app.held.opened.switch(first)
    app.go("fit")
    assert not app.exception
    assert app.held.number is not None
    assert app.held.recipe.roles.number


def test_a_model_that_adds_nothing_says_what_to_do_next(app):
    table, roles = table_of(houses())
    bare = fit_number_study(table, roles, settings=NumberSettings(n_iter=0))
    app.held.open_study(bare)
    said = app.go("fit").words()
    assert not app.exception
    assert ":material/lightbulb: Run a search" in said
    assert "If 'price' is not what is to be foreseen, choose another target" in said
    worse = replace(priced(), metrics=replace(priced().metrics, crps=priced().metrics.naive_crps))
    searched = replace(worse, search=SimpleNamespace(plan=NumberPlan()))
    assert notice(worse).advice.startswith("Run a search")
    assert notice(searched).advice == better_words(searched=True)
    assert notice(priced()).advice == ""
    good = notice(priced())
    unlikely = notice(
        replace(priced(), metrics=replace(priced().metrics, log_score=priced().metrics.naive_log_score + 1))
    )
    assert "By the log score it is worse" not in good.text
    assert "By the log score it is worse than that answer" in unlikely.text
    assert unlikely.kind == "warning"
    hardly = notice(replace(priced(), metrics=replace(priced().metrics, crps=0.9995 * priced().metrics.naive_crps)))
    assert "adds little: it takes away under 0.1 % of the error" in hardly.text
    assert (good.kind, hardly.kind) == ("success", "info")
    assert "adds little" not in good.text


def test_the_verdict_judges_by_the_score_that_it_names():
    study = priced()
    assert "luck" not in notice(study).text
    assert notice(study).kind == "success"
    few = Split(study.split.train, study.split.held_out[:3], study.split.unlabelled, study.split.settings)
    doubtful = replace(study, split=few)
    assert not number_quality(doubtful).measures.loc["CRPS", "gain_low"] > 0.0
    assert "(CRPS); that may be luck." in notice(doubtful).text
    assert notice(doubtful).kind == "info"


def test_a_target_with_a_word_in_it_says_where_and_what_to_do(app):
    frame = houses().astype({"price": object})
    frame.loc[6, "price"] = "dear"
    upload(app, frame)
    app.held.opened.edit(roles=app.held.recipe.roles.as_number())
    app.go("data")
    assert not app.exception
    assert "'dear' in row 7" in app.words()
    assert "'dear' in row 7" in app.go("fit").words()


def test_a_saved_study_opens_on_its_pages(app):
    file = ("m.proset", to_bytes(priced()), "application/zip")
    app.go("data").file_uploader(key="source.study").set_value(file).run()
    assert not app.exception
    assert app.held.number.id == priced().id
    assert "Off by" in app.go("fit").words()


@pytest.mark.slow
def test_a_model_of_classes_stays_when_the_next_one_is_of_a_number(app):
    table, roles = load_sample("wine"), sample_roles("wine")
    opened = app.held.open_table(table, roles=roles)
    opened.add(fit_study(table, roles))
    other = next(name for name in roles.features if table.profiles[name].n_distinct > 50)
    opened.edit(roles=roles.with_role(other, "target").as_number())
    app.go("fit")
    assert not app.exception
    # What is shown is a model of the former target: header, card and notice say so, and nothing else has changed.
    said = app.words()
    assert f"target] **{roles.target}** :gray[(next fit: {other})]" in said
    assert app.held.opened.changes == f"the target ('{roles.target}' before, '{other}' now)"
    assert StudyFacts.of(table, other, app.held.study).target == roles.target
    assert app.held.study is not None
    assert "number.search" not in str([item.key for item in app.number_input])
    app.fit()
    assert app.held.number is not None
