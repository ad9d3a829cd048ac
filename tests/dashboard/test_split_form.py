"""The split on the Data page: groups, time, and the question of a repeated identifier."""

import numpy as np
import pytest

from proset.data.issues import Role
from proset.data.split import SplitSettings

pytestmark = pytest.mark.usefixtures("worked_here")


def visits_csv(n=160, who="customer"):
    rng = np.random.default_rng(0)
    lines = [f"{who},day,size,bought"]
    for row in range(n):
        size, day = rng.normal(), f"2023-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
        lines.append(f"C{row // 4:03d},{day},{size:.2f},{'yes' if size + rng.normal() > 0 else 'no'}")
    return "\n".join(lines).encode()


@pytest.fixture
def visits(app):
    app.file_uploader(key="source.file").set_value(("visits.csv", visits_csv(), "text/csv")).run()
    app.target().set_value("bought").run()
    return app


def box(at, name):
    return next(item for item in at.selectbox if str(item.key).startswith(f"split.{name}."))


@pytest.mark.slow
def test_a_repeated_identifier_is_asked_about_and_one_click_answers(visits):
    assert not visits.exception
    assert "'customer' repeats: 40 values in 160 rows. Keep its rows together?" in visits.words()
    assert "Nothing stands in the way" not in visits.words()
    visits.button(key="findings.repeated_identifier.customer").click().run()
    assert not visits.exception
    assert visits.held.recipe.split == SplitSettings(groups="customer")
    assert box(visits, "groups").value == "customer"
    assert "repeats: 40" not in visits.words()
    visits.fit()
    split, owner = visits.held.study.split, visits.held.table.frame["customer"]
    assert not set(owner.loc[split.train]) & set(owner.loc[split.held_out])
    visits.go("data")
    box(visits, "groups").set_value(None).run()
    assert visits.held.recipe.split == SplitSettings()
    visits.go("fit")
    assert "which rows stay together" in visits.words()


def test_another_column_that_repeats_is_a_note_once_rows_are_kept_together(visits):
    box(visits, "groups").set_value("day").run()
    assert not visits.exception
    assert "Keep its rows together?" not in visits.words()
    assert "rows with the same 'customer' may be on both sides" in visits.words()
    assert not [item for item in visits.button if str(item.key).startswith("findings.")]
    box(visits, "groups").set_value("customer").run()
    assert "'customer' repeats" not in visits.words()


def test_candidates_come_first(visits):
    assert box(visits, "groups").options[0] == "customer"
    assert box(visits, "time").options[0] == "day"


def test_a_split_by_time_says_what_it_does(visits):
    box(visits, "time").set_value("day").run()
    assert not visits.exception
    assert visits.held.recipe.split.time == "day"
    assert not [item for item in visits.number_input if item.key == "split.seed"]
    assert "the latest rows lie beyond everything the model has seen of it" in visits.words()
    assert "day" not in box(visits, "groups").options
    visits.slider(key="split.share").set_value(20).run()
    assert visits.held.recipe.split == SplitSettings(0.2, time="day")


def test_rows_without_a_time_are_counted(app):
    content = visits_csv().replace(b"C003,2023", b"C003,").replace(b"C003,-", b"C003,")
    lines = visits_csv().decode().split("\n")
    lines[5] = ",".join([lines[5].split(",")[0], "", *lines[5].split(",")[2:]])
    content = "\n".join(lines).encode()
    app.file_uploader(key="source.file").set_value(("visits.csv", content, "text/csv")).run()
    app.target().set_value("bought").run()
    box(app, "time").set_value("day").run()
    assert "1 row without 'day' is set aside." in app.words()


def test_a_column_that_becomes_the_target_no_longer_splits(visits):
    box(visits, "groups").set_value("customer").run()
    visits.target().set_value("customer").run()
    assert not visits.exception
    assert visits.held.recipe.split.groups is None


def test_what_cannot_be_split_is_said_beside(app):
    app.file_uploader(key="source.file").set_value(("two.csv", visits_csv(24), "text/csv")).run()
    lines = ["who,x,y"] + [f"{'ab'[i % 2]},{i % 7},{'yn'[i % 2]}" for i in range(40)]
    app.file_uploader(key="source.file").set_value(("alone.csv", "\n".join(lines).encode(), "text/csv")).run()
    app.target().set_value("y").run()
    box(app, "groups").set_value("who").run()
    assert not app.exception
    assert "sits in one group of 'who' only" in app.words()
    assert "Nothing stands in the way" not in app.words()
    app.go("fit")
    assert "sits in one group of 'who' only" in app.words()
    assert not [button for button in app.button if button.key == "fit.start"]


def test_the_address_keeps_the_columns_of_a_split(open_app):
    at = open_app(data="penguins", groups="individual", time="first egg seen")
    assert not at.exception
    assert not at.warning
    assert at.held.recipe.split == SplitSettings(groups="individual", time="first egg seen")
    assert dict(at.query_params)["groups"] == "individual"
    at = open_app(data="penguins", groups="species", time="[a](http://evil)")
    assert at.held.recipe.split == SplitSettings()
    assert len(at.warning) == 2


@pytest.mark.parametrize("sample", ["penguins", "heart", "wine"])
def test_bundled_tables_ask_nothing(open_app, sample):
    assert "repeats:" not in open_app(data=sample).words()


def test_numbers_that_say_who_belongs_together_are_no_amount_to_learn_from(app):
    content = visits_csv(who="customer").replace(b"\nC", b"\n1")
    app.file_uploader(key="source.file").set_value(("visits.csv", content, "text/csv")).run()
    app.target().set_value("bought").run()
    former = app.held.recipe.roles.by_column["customer"]
    app.button(key="findings.repeated_identifier.customer").click().run()
    assert former is Role.NUMERIC
    assert app.held.recipe.roles.by_column["customer"] is Role.EXTRA
    assert app.held.recipe.split.groups == "customer"
    assert "is not a feature any more" in app.words()


def stays_csv(n=80):
    rows = ((1 + row % 9, 20 + row * 7 % 50, 11 + row * 3 % 15, "ny"[row % 7 > 2]) for row in range(n))
    lines = ["in,age,out,ill", *(f"2023-03-{a:02d},{age},2023-03-{b:02d},{ill}" for a, age, b, ill in rows)]
    return "\n".join(lines).encode()


@pytest.mark.slow
def test_the_days_between_two_dates_are_added_with_one_click(app):
    app.file_uploader(key="source.file").set_value(("stays.csv", stays_csv(), "text/csv")).run()
    app.target().set_value("ill").run()
    app.slider(key="split.share").set_value(20).run()
    assert "The days from 'in' to 'out' may say more than the two dates" in app.words()
    app.button(key="findings.date_difference.out.in").click().run()
    assert not app.exception
    assert list(app.held.table.frame.columns) == ["in", "age", "out", "days from in to out", "ill"]
    assert app.held.recipe.roles.target == "ill"
    assert app.held.recipe.split.test_fraction == 0.2
    assert "may say more than the two dates" not in app.words()
    app.fit()
    assert app.held.study.table.derived[0].first == "in"


def test_the_hours_of_times_are_added_with_one_click_and_the_times_set_aside(app):
    times = (f"{row * 7 % 24}:{row % 3 * 15:02d}" for row in range(90))
    lines = ["seen,age,ill", *(f"{seen},{20 + row % 50},{'ny'[row % 5 > 1]}" for row, seen in enumerate(times))]
    app.file_uploader(key="source.file").set_value(("visits.csv", "\n".join(lines).encode(), "text/csv")).run()
    app.target().set_value("ill").run()
    assert "looks like times of the day" in app.words()
    app.button(key="findings.clock_time.seen").click().run()
    assert not app.exception
    assert list(app.held.table.frame.columns) == ["seen", "hour of seen", "age", "ill"]
    assert app.held.recipe.roles.by_column["seen"] is Role.EXTRA
    assert app.held.recipe.roles.by_column["hour of seen"] is Role.NUMERIC
    assert "looks like times of the day" not in app.words()


@pytest.mark.slow
def test_models_are_not_closed_by_one_click(app):
    app.file_uploader(key="source.file").set_value(("stays.csv", stays_csv(), "text/csv")).run()
    app.target().set_value("ill").run()
    app.fit().go("data")
    assert "The models fitted so far are closed" in app.words()
    button = app.button(key="findings.date_difference.out.in")
    assert button.label == "Add the column and close the models"
    button.click().run()
    assert not app.held.opened.models
    assert "1 model fitted without it is closed" in app.words()
