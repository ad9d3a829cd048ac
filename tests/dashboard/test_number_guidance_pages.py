"""What is asked of the next model of a number: on Features, Prototypes and Case, then on Fit, with before and after."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from dashboard.services.cases import CaseRef
from dashboard.services.guidance import as_found
from dashboard.services.history import history
from dashboard.session.written import read_choices, write_choices
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.selection import NumberPlan
from proset.selection.number_scores import NumberColumns
from proset.study import NumberSettings, fit_number_study, search_number_study
from proset.study.any_study import fit_recipe
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

HOSTILE = "pr*ice* <b>x</b> [y](z)"


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(8)
    n = 160
    frame = pd.DataFrame({"size": rng.uniform(30.0, 120.0, n).round(), "town": rng.choice(["Aa", "Bee"], n)})
    frame[HOSTILE] = (3.0 * frame["size"] + 60.0 * (frame["town"] == "Aa") + rng.normal(0.0, 6.0, n)).round(1)
    table = read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    return fit_number_study(table, guess_roles(table, target=HOSTILE).roles, settings=NumberSettings(n_iter=1))


@pytest.fixture
def app(open_app, study):
    app = open_app()
    app.held.open_study(study)
    return app


def asked(app):
    """Requests of the next fit, in words."""
    return [item.words for item in app.held.recipe.guidance]


def free_row(study):
    """Return a training row that is no prototype."""
    return next(int(row) for row in study.split.train if row not in set(study.prototypes["row"]))


def test_columns_are_asked_for_on_features_and_wait_on_fit(app):
    app.go("features")
    app.selectbox(key="features.ask.column").set_value("town").run()
    app.button(key="features.ask.no_column").click().run()
    assert asked(app) == ["Column 'town' is not to be used."]
    assert app.held.opened.changes == "the guidance"
    app.go("fit")
    assert "The next fit listens to what was said: 'town' not to be used." in app.words()
    assert read_choices(write_choices(app.held.opened)).recipe.guidance == app.held.recipe.guidance
    app.button(key="fit.back.0").click().run()
    assert asked(app) == []


def test_a_prototype_is_refused_where_it_is_looked_at(app):
    app.go("prototypes")
    button = next(one for one in app.button if str(one.key).endswith(".no_prototype"))
    row = int(str(button.key).split(".")[1])
    button.click().run()
    assert asked(app) == [f"Row {row} is not to be a prototype."]


@pytest.mark.slow
def test_a_training_row_is_left_out_or_learned_with_another_number(app, study):
    row = free_row(study)
    app.held.select(CaseRef.in_table(row))
    app.go("case")
    app.button(key=f"case.{row}.leave_out").click().run()
    assert asked(app) == [f"Row {row} is left out."]
    app.number_input(key=f"case.{row}.number").set_value(-5e6).run()
    assert "No row of the table has such a number: they go from" in app.words()
    app.number_input(key=f"case.{row}.number").set_value(310.5).run()
    assert "No row of the table has such a number" not in app.words()
    app.button(key=f"case.{row}.relabel").click().run()
    assert "contradict each other" in app.words()
    app.button(key=f"case.{row}.leave_out").click().run()
    assert asked(app) == []
    app.button(key=f"case.{row}.relabel").click().run()
    assert asked(app) == [f"Row {row} is learned as '310.5'."]
    assert app.button(key=f"case.{row}.relabel").label.replace("\\", "") == "Take it back: Learn the row with 310.5"
    app.button(key=f"case.{row}.relabel").click().run()
    assert asked(app) == []
    app.number_input(key=f"case.{row}.number").set_value(None).run()
    assert app.button(key=f"case.{row}.relabel").disabled
    assert not app.exception


@pytest.mark.slow
def test_a_held_out_row_says_why_nothing_can_be_asked_of_it(app, study):
    app.held.select(CaseRef.in_table(int(study.split.held_out[0])))
    app.go("case")
    assert "Only training rows can be guided" in app.words()
    assert "measured against the table" in app.words()
    assert not [one for one in app.button if str(one.key).endswith(".leave_out")]


@pytest.mark.slow
def test_before_and_after_stand_on_fit_once_the_model_has_listened(app, study):
    row = free_row(study)
    said = Guidance(
        (
            GuidanceItem(GuidanceKind.NO_COLUMN, column="town", by="Ann", why="It is to be abolished."),
            GuidanceItem(GuidanceKind.LEAVE_OUT, row=row),
            GuidanceItem(GuidanceKind.RELABEL, row=int(study.prototypes["row"].iloc[0]), label="310.5"),
        )
    )
    app.held.opened.edit(guidance=said)
    app.held.add_study(fit_recipe(study.table, app.held.recipe))
    app.go("fit")
    assert not app.exception
    after = app.held.number
    assert after.used_columns == ("size",)
    lines = history([study, after], {study.id: "First", after.id: "Second"}, after)
    assert lines.loc[1, "Who asked, and why"].startswith("Row ")
    assert "It is to be abolished." in lines.loc[1, "Who asked, and why"]
    assert lines.loc[0, "Difference (95 %)"].startswith("−")  # without the town errors are larger
    assert lines.loc[1, "Difference (95 %)"] == ""
    assert app.selectbox(key=f"fit.history.{after.id}").value == study.id  # the one before, at once
    words = app.words()
    assert "As people have asked: 1 row learned with another number, 1 row left out" in words
    assert "Set aside" not in words
    assert f"On the {after.metrics.n_rows} held-out rows, the distributions of" in words
    assert "are farther off than before (CRPS)" in words
    assert "1 column no longer used: 'town'." in words
    frame = next(one.value for one in app.dataframe if "Difference, 95 %" in one.value.columns)
    assert frame["On held-out rows"].tolist()[2] == "inside the interval of 90 %"
    app.held.select(CaseRef.in_table(int(study.prototypes["row"].iloc[0])))
    app.go("case")
    assert "has learned it as 310.5, as was asked" in app.words()
    assert f"the table states {study.targets.loc[app.held.case.row]:g}" in app.words()
    app.held.select(CaseRef.in_table(row))  # left out now, and still explained
    app.run()
    assert not app.exception
    assert "row left out, as was asked" in app.words()
    assert "the table states" in app.words()
    app.button(key=f"case.{row}.leave_out").click().run()
    assert f"Row {row} is left out." not in asked(app)
    assert len(asked(app)) == 2


@pytest.mark.slow
def test_settings_as_they_are_include_the_columns_that_the_search_left_out():
    table, roles = table_of(houses(120))
    plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, scales=(), random_state=1)
    study = search_number_study(table, roles, plan=plan)
    names = study.search.columns.names
    idle = NumberColumns(names, np.array([name == "size" for name in names], dtype=float), np.ones(len(names)) / 9, -9)
    study = replace(study, search=replace(study.search, columns=idle))
    said = Guidance((GuidanceItem(GuidanceKind.USE_COLUMN, column="age"),))
    asked_for = as_found(said, study)
    assert [item.words for item in asked_for] == [
        "Column 'district' is not to be used.", "Column 'age' is to be used."]  # fmt: skip
    assert as_found(asked_for, study) == asked_for
    again = fit_recipe(table, replace(study.recipe, plan=None, guidance=asked_for))
    assert "district" not in again.used_columns
    assert as_found(said, again) == said
