"""Features, Prototypes, New data, Map and Surface of a model of a number: with data, without, and with bad input."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from dashboard.components.numbers.number_tabs import TAB, NumberTab
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.maps.surface import unused_words
from dashboard.services.numbers import prototypes
from dashboard.texts import number_map as text
from dashboard.texts import stability as stability_text
from dashboard.texts.number_surface import WAY_OUT
from proset import explain
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.words import rows_kept_words
from proset.report import model_report, number_report
from proset.selection import NumberPlan
from proset.study import FitSettings, fit_number_study, fit_study
from proset.study.number_fit import search_number_study
from proset.study.settings import suggest_number_settings

PAGES = ("features", "prototypes", "new", "map", "surface")
CLASS_WORDS = ("class", "misclassified", "probability of")
HOSTILE = "size $x$ [y](http://evil.example) <b>"


def flats_frame(n: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    area, town = rng.uniform(30.0, 120.0, n).round(), rng.choice(["Aa", "Bee"], n)
    price = 3.0 * area + np.where(town == "Aa", 60.0, 0.0) + rng.normal(0.0, 6.0, n)
    return pd.DataFrame({HOSTILE: area, "town": town, "rooms": rng.integers(1, 6, n), "price": price.round(1)})


def flats_table():
    return read_table(flats_frame().to_csv(index=False).encode(), name="flats.csv")


@pytest.fixture(scope="module")
def flats():
    table = flats_table()
    return fit_number_study(table, guess_roles(table, target="price").roles.as_number())


@pytest.fixture(scope="module")
def nothing(flats):
    settings = suggest_number_settings(len(flats.table.frame))
    return fit_number_study(flats.table, flats.roles, settings=type(settings)(n_iter=0))


def test_a_surface_says_which_columns_a_model_does_without(open_app, nothing, flats):
    app = open_app()
    app.held.open_study(nothing)
    assert "The model uses no column: it says of every case" in app.go("surface").words()
    assert "this is all of it" not in app.words()
    found = explain.number_surface(flats, x="rooms", y="town", n_points=4)
    assert unused_words(flats, found) == ""
    without = SimpleNamespace(used_columns=("town",))
    assert unused_words(without, found) == "The model does not use 'rooms': along it nothing changes."
    assert "the median is 7.15 everywhere." in replace(found, median=np.full((2, 4), 7.15)).words


@pytest.mark.slow
def test_prototypes_that_are_fewer_rows_say_so_on_the_page_and_in_the_report(open_app, flats, iris_study):
    settings = replace(flats.settings, n_joined=2)
    number = fit_number_study(flats.table, flats.roles, settings=settings)
    classes = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=1, n_joined=3))
    for one, make in ((number, number_report), (classes, model_report)):
        rows, n_train = one.prototypes["row"].nunique(), len(one.split.train)
        assert rows < len(one.prototypes)
        assert not one.prototypes.duplicated(["batch", "row"]).any()
        told = f"The {len(one.prototypes)} prototypes are {rows} of the {n_train} training rows: a row counts once"
        app = open_app("start")
        app.held.open_study(one)
        assert told in app.go("prototypes").words()
        lines = [line for part in make(one, parts=["summary"]).parts for at in part.blocks
                 for line in getattr(at, "lines", ())]  # fmt: skip
        assert any(line.startswith(told) for line in lines)
    once = SimpleNamespace(prototypes=flats.prototypes.drop_duplicates("row"), split=flats.split)
    assert rows_kept_words(once) == ""


@pytest.mark.slow
def test_a_column_that_is_shown_and_not_used_is_named_below_the_surface(open_app):
    plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, n_joined=1, scales=(), random_state=1)
    study = search_number_study(*table_of(houses().drop(columns="district")), plan=plan)
    assert study.used_columns == ("size",)
    app = open_app()
    app.held.open_study(study)
    assert "The model does not use 'age': along it nothing changes." in app.go("surface").words()


@pytest.fixture
def opened(open_app, flats):
    app = open_app()
    app.held.open_study(flats)
    return app


def new_rows(app, csv: bytes) -> None:
    """Bring a file of new rows, as the upload does."""
    from dashboard.services.new_data import read_rows

    app.held.opened.bring(read_rows(app.held.number, csv, "new.csv"))


@pytest.mark.parametrize("page", PAGES)
def test_each_page_is_drawn_without_a_word_about_classes(opened, page):
    opened.go(page)
    assert not opened.exception
    assert not opened.error
    said = opened.words().lower()
    assert not [word for word in CLASS_WORDS if word in said]


@pytest.mark.parametrize("page", [page for page in PAGES if page != "new"])
def test_each_page_is_drawn_without_prototypes(open_app, nothing, page):
    app = open_app()
    app.held.open_study(nothing)
    app.go(page)
    assert not app.exception
    assert not app.error
    if page in ("features", "prototypes"):
        assert "what it says of everybody" in app.words()


def test_features_follow_the_column_and_the_case_that_are_chosen(opened):
    opened.go("features")
    assert "a typical training row" in opened.words()
    column = next(box for box in opened.selectbox if str(box.key).startswith("features.column"))
    town = next(option for option in column.options if "town" in option)
    column.select_index(column.options.index(town)).run()
    assert "Aa" in opened.words()
    opened.held.select(CaseRef.in_table(7))
    opened.run()
    assert "as in row 7, the median" in opened.words()


def test_an_odd_column_in_the_address_is_no_error(open_app, flats):
    app = open_app("features", column="99999", enough="moon")
    app.held.open_study(flats)
    for page in ("features", "surface"):
        app.go(page)
        assert not app.exception


def test_prototypes_open_the_one_that_is_chosen(opened, flats):
    from dashboard.services.prototypes import PROTOTYPE, PrototypeRef

    opened.go("prototypes")
    line = flats.prototypes.iloc[-1]
    opened.held.put(PROTOTYPE, PrototypeRef(int(line["batch"]), int(line["row"])))
    opened.run()
    assert f"Row {int(line['row'])}" in opened.words()
    opened.held.put(PROTOTYPE, PrototypeRef(1, 99_999))
    opened.run()
    assert "has no prototype from row 99999" in opened.words()
    opened.button(key="prototypes.walk").click()  # leads to Case, with the rows in hand
    opened.run()
    assert opened.held.case is not None


def test_the_only_prototype_is_not_compared_with_others(flats):
    found = explain.number_prototypes(flats)
    line = found.frame.iloc[0]
    view = explain.number_prototype_view(flats, int(line["batch"]), int(line["row"]))
    assert prototypes.view_words(view, line, alone=False)[2].startswith("The prototypes of all other rows expect ")
    assert prototypes.view_words(view, line, alone=True)[2].startswith("No other row is a prototype: everybody has ")


def test_new_rows_are_told_with_their_true_numbers(opened):
    frame = flats_frame(200).iloc[160:]
    frame.loc[161, HOSTILE] = np.nan
    opened.go("new")
    new_rows(opened, frame.to_csv(index=False).encode())
    opened.run()
    assert not opened.exception
    said = opened.words()
    assert "40 rows, with medians from" in said
    assert "40 rows with an actual number: the median is off by" in said
    assert "In 1 row something had to be assumed (✓ under Note)" in said
    listed = next(list(item.value) for item in opened.dataframe if "note" in item.value)
    marked = next(item.value["note"] for item in opened.dataframe if "note" in item.value)
    assert set(marked) == {"", "✓"}  # the words would be cut; the card of a selected row has them
    assert listed[: listed.index("note") + 1] == ["median", "lower", "upper", "familiarity", "note"]
    opened.held.select(CaseRef(CaseSource.NEW, 2))
    opened.run()
    assert "New row 2" in opened.words()


def test_new_rows_that_were_learned_from_are_told(opened, flats):
    opened.go("new")
    new_rows(opened, flats.table.frame.loc[flats.split.train[:30]].to_csv(index=False).encode())
    opened.run()
    assert "30 of them equal training rows" in opened.words()


def test_new_rows_without_a_target_and_with_a_bad_one(opened):
    frame = flats_frame(200).iloc[160:]
    opened.go("new")
    new_rows(opened, frame.drop(columns="price").to_csv(index=False).encode())
    opened.run()
    assert "actual number" not in opened.words()
    new_rows(opened, frame.assign(price="dear").to_csv(index=False).encode())
    opened.run()
    assert not opened.exception
    assert "Nothing is said of how good the answers are" in opened.words()


def test_new_rows_that_lack_a_column_are_refused(opened):
    opened.go("new")
    new_rows(opened, flats_frame(200).iloc[160:].drop(columns=HOSTILE).to_csv(index=False).encode())
    opened.run()
    assert opened.error
    assert not opened.exception


def on_the_map(open_app, frame):
    """Open the map of a fitted table, with level lines."""
    table = read_table(frame.round(3).to_csv(index=False).encode(), name="waves.csv")
    app = open_app()
    app.held.open_study(fit_number_study(table, guess_roles(table, target="y").roles.as_number()))
    app.go("map")
    assert "Lines: equal medians" not in app.words()
    app.toggle(key=app.key("map.levels")).set_value(True).run()
    assert not app.exception
    assert app.query_params["levels"] in ("1", ["1"])
    return app


def test_map_draws_level_lines_and_says_how_far_rows_are_from_them(open_app):
    columns = pd.DataFrame(np.random.default_rng(1).normal(size=(160, 3)), columns=list("abc"))
    app = on_the_map(open_app, columns.assign(y=lambda f: f["a"] + f["b"] * f["c"]))
    study, mapping = app.held.number, explain.number_map(app.held.number)
    said = explain.number_levels(study).words(mapping, pd.Index(study.split.held_out))
    assert said in app.words()


def test_a_map_along_a_line_has_no_level_lines_and_says_so(open_app):
    columns = pd.DataFrame({"a": np.random.default_rng(1).normal(size=120)})
    assert text.NO_LINES in on_the_map(open_app, columns.assign(y=lambda f: np.sin(2.0 * f["a"]))).words()


def test_map_takes_each_colour(opened):
    opened.go("map")
    box = next(box for box in opened.selectbox if str(box.key).startswith("map.colour"))
    for place in range(len(box.options)):
        next(box for box in opened.selectbox if str(box.key).startswith("map.colour")).select_index(place).run()
        assert not opened.exception
    assert "The smaller a dot" in opened.words()


def test_surface_goes_through_the_selected_case(opened):
    opened.go("surface")
    assert "Where the model knows such cases" in opened.words()
    opened.held.select(CaseRef.in_table(7))
    opened.run()
    assert "as in row 7" in opened.words()


def test_a_surface_that_is_grey_all_over_names_the_way_out(opened):
    far = flats_frame(1).assign(**{HOSTILE: 90_000.0})
    new_rows(opened, far.to_csv(index=False).encode())
    opened.held.select(CaseRef(CaseSource.NEW, 1))
    opened.go("surface")
    assert WAY_OUT not in opened.words(), "along the odd column there are cases that it knows"
    for axis, column in (("x", "rooms"), ("y", "town")):
        box = opened.selectbox(key=opened.key(f"surface.{axis}"))
        box.select_index(next(at for at, name in enumerate(box.options) if column in name)).run()
    assert "hardly seen anything like this" in opened.words()
    assert WAY_OUT in opened.words()


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_other_seeds_are_tried_on_features_and_told_of_a_case(opened, flats):
    opened.go("features")
    opened.button(key="features.stability.start").click().run()
    opened.wait()
    assert not opened.exception
    found = explain.number_stability(flats)
    assert opened.held.opened.values[flats.id, "stability"].rows.equals(found.rows)
    for sentence in found.words:
        assert sentence in opened.words()
    assert "features.stability.start" not in [button.key for button in opened.button]
    row = int(flats.split.held_out[0])
    opened.held.select(CaseRef.in_table(row))
    opened.go("case")
    opened.held.put(TAB, NumberTab.SEEDS)
    opened.run()
    assert not opened.exception
    assert found.case_words(row) in opened.words()


def test_a_case_that_is_no_row_says_that_it_cannot_be_tried(opened, flats):
    new_rows(opened, flats_frame(3).to_csv(index=False).encode())
    opened.held.select(CaseRef(CaseSource.NEW, 1))
    opened.go("case")
    opened.held.put(TAB, NumberTab.SEEDS)
    opened.run()
    assert not opened.exception
    assert stability_text.ONLY_ROWS in opened.words()


def test_map_begins_with_its_finding_and_says_what_the_selected_case_is(opened):
    opened.go("map")
    study = opened.held.number
    said = study.predictions[study.predictions["part"] == "held_out"]
    outside = int(((said["actual"] < said["lower"]) | (said["actual"] > said["upper"])).sum())
    assert f"**{outside:,} of {len(said):,} held-out row" in opened.words()
    row = int(said.index[0])
    opened.held.select(CaseRef.in_table(row))
    opened.go("map")
    assert not opened.exception
    assert f"Row {row}, held-out row: about " in opened.words()
    assert "Open the case" in [link.label for link in opened.get("page_link")]
