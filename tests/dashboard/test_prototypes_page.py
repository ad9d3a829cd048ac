"""The Prototypes page and its words."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from dashboard import cache
from dashboard.services import prototypes as service
from dashboard.services.cases import Part, Picker
from dashboard.services.prototypes import CardOrder, PrototypeRef
from proset import explain
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.structure.prototype_table import PrototypeTable
from proset.explain.structure.reverse_view import PrototypeView
from proset.plots.prototypes import plot_prototypes
from proset.study import FitSettings, fit_study


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens a page with the bundled iris data, fitted."""

    def start(page="prototypes", **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", **params)
        assert not at.exception
        return at

    return start


def test_all_prototypes_are_listed_and_the_first_is_open(fitted, iris_study):
    at = fitted()
    table = explain.prototypes(iris_study)
    listed = next(frame.value for frame in at.dataframe if "own class" in frame.value)
    for name in ("row", "weight", "dominant", "misled", "changed"):
        assert listed[name].tolist() == table.frame.loc[listed.index, name].tolist()
    first = table.frame.loc[service.card_places(table, CardOrder.CASES)[0]]
    assert first["dominant"] == table.frame["dominant"].max()
    view = explain.prototype_view(iris_study, int(first["batch"]), int(first["row"]))
    text = at.words()
    assert f"Row {first['row']}: {first['class']}" in text
    for said in (service.decides_words(view), service.without_words(view)):
        assert said in text
    assert service.measured_words(45, 45, "held-out rows") in text
    assert "prototype" not in at.query_params


def test_names_in_lists_are_short_and_those_that_only_repeat_the_row_are_left_out():
    lists = {}
    for names in ([f"{900 + 2 * k}" for k in range(60)], [f"plant {k}" for k in range(1, 61)]):
        lines = [f"{name},{k},{'a' if k < 30 else 'b'}" for k, name in enumerate(names)]
        table = read_table("\n".join(["site,size,kind", *lines]).encode(), name="plants.csv")
        study = fit_study(table, guess_roles(table, target="kind").roles.with_role("site", Role.IDENTIFIER))
        lists[names[0]] = service.table_frame(service.called(study, explain.prototypes(study)), CardOrder.WEIGHT)
    bare, named = lists.values()
    assert "name" not in bare
    assert named["name"].tolist() == [f"plant {row}" for row in named["row"]]


def test_one_stands_in_the_address_and_leads_to_its_row_and_its_cases(fitted, iris_study):
    table = explain.prototypes(iris_study).frame
    line = table[table["dominant"] > 1].iloc[-1]
    ref = PrototypeRef(int(line["batch"]), int(line["row"]))
    at = fitted(prototype=ref.text)
    assert f"Row {ref.row}: {line['class']}" in at.words()
    view = explain.prototype_view(iris_study, ref.batch, ref.row)
    at.button(key="prototypes.walk").click().run()
    assert at.held.cases.by is Picker.PROTOTYPE
    assert [case.row for case in at.held.cases.picked] == view.decides.index.tolist()
    assert at.held.case.row == view.decides.index[0]
    at.go("prototypes").button(key="prototypes.open").click().run()
    assert at.held.case.row == ref.row


def test_cases_that_it_decides_say_where_they_are_alike(fitted, iris_study):
    table = explain.prototypes(iris_study).frame
    line = table[table["dominant"] > 1].iloc[0]
    batch, row = int(line["batch"]), int(line["row"])
    at = fitted(prototype=PrototypeRef(batch, row).text)
    assert not at.exception
    cases = next(frame.value for frame in at.dataframe if "alike" in frame.value)
    found = explain.where_alike(iris_study, batch, row, cases.index)
    assert cases["alike"].tolist() == [", ".join(columns) for columns in found.columns()]
    assert cases["alike"].any()


@pytest.mark.parametrize(
    ("text", "said"), [("9-1", "Batch 9 of this model has no prototype from row 1."), ("x", "which is not a batch")]
)
def test_a_prototype_that_there_is_not_is_told(fitted, text, said):
    assert said in fitted(prototype=text).words()


def test_a_model_without_prototypes_says_so(open_app, iris_study):
    bare = fit_study(iris_study.table, iris_study.roles, settings=replace(iris_study.settings, n_iter=0))
    cache.keep_sample_study("iris_2f", bare)
    at = open_app("prototypes", data="iris_2f", fit="own", n_iter="0")
    assert not at.exception
    assert "The model has no prototypes" in at.words()


def view(decides, changed, **more):
    """A view of a prototype of class "a" with these cases (actual, predicted) and changes (actual, before, after)."""
    cases = pd.DataFrame(decides, columns=["actual", "predicted"])
    cases["correct"] = (cases["actual"] == cases["predicted"]).astype("boolean")
    cases["first"] = False
    usual = {"log_loss": 0.5, "log_loss_without": 0.5, "n_cases": 20, "n_decided": 20, "n_wrong": 2} | more
    return PrototypeView(
        batch=1, row=7, name="row 7", target="a", weight=1.0, which="held-out rows", decides=cases,
        prototypes=pd.DataFrame(), known=pd.DataFrame(), classes=("a", "b"),
        changed=pd.DataFrame(changed, columns=["actual", "before", "after"]), **usual,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("decides", "said"),
    [
        ([], "It is in the dominant set of none of the 20 rows: others settle them all."),
        (
            [("a", "a")],
            "It helps to settle 1 of 20 rows; in none of them it counts most. "
            "None of these is misclassified, against 10.0 % of all 20.",
        ),
        (
            [("b", "a"), ("a", "a")],
            "It helps to settle 2 of 20 rows; in none of them it counts most. 1 is misclassified (50.0 %, against "
            "10.0 % of all 20); it speaks for the class wrongly said.",
        ),
        (
            [("a", "b"), ("a", "b")],
            "It helps to settle 2 of 20 rows; in none of them it counts most. 2 are misclassified (100 %, against "
            "10.0 % of all 20); in none of these it speaks for the class wrongly said.",
        ),
    ],
)
def test_what_it_decides_is_said_in_words(decides, said):
    assert service.decides_words(view(decides, [])) == said


def test_where_no_row_is_wrong_nothing_is_compared_with_0():
    said = service.decides_words(view([("a", "a")], [], n_wrong=0))
    assert said.endswith("None of these is misclassified.")


@pytest.mark.parametrize(
    ("changed", "losses", "said"),
    [
        ([], {}, "no decision would change. The log-loss stays at 0.500."),
        (
            [("a", "a", "b")],
            {"log_loss_without": 0.6},
            "change (1 spoilt). The log-loss rises from 0.500 to 0.6",
        ),
        (
            [("a", "b", "a")] * 2,
            {"log_loss_without": 0.4},
            "2 decisions would change (2 mended). The log-loss falls",
        ),
        ([("c", "a", "b")], {"log_loss": float("nan")}, "1 decision would change."),
        ([(None, "a", "b")], {"log_loss": float("nan")}, "1 decision would change."),
    ],
)
def test_what_would_change_is_said_in_words(changed, losses, said):
    assert said in service.without_words(view([], changed, **losses))


def test_large_tables_are_thinned_out_and_say_so(iris_study, monkeypatch):
    monkeypatch.setattr(service, "MOST_PAIRS", 100)
    rows = service.measured_rows(iris_study.judged(), Part.ALL, 10)
    assert len(rows) == 10
    assert (rows[0], rows[-1]) == (1, 150)
    assert service.measured_words(10, 150, "rows") == "Measured on 10 of 150 rows, evenly drawn from the table."


@pytest.mark.parametrize("clean", [False, True])
def test_the_figure_has_a_mark_for_each_prototype_that_settles_cases_near_its_counts(iris_study, clean):
    table = explain.prototypes(iris_study)
    settles = table.frame.index[table.frame["dominant"] > 0]
    misleads = table.frame["wrong"] > 0
    assert 1 < misleads.sum() < len(settles) <= len(table.frame)
    picked = next(place for place in settles if misleads[place] != clean)
    figure = plot_prototypes(table, picked=picked)
    drawn = [entry for t in figure.data if t.customdata for entry in zip(t.customdata, t.x, t.y, strict=True)]
    places = {entry[0]: (x, y) for entry, x, y in drawn}
    assert len(set(places.values())) == len(settles)
    bottom = figure.layout.yaxis.range[0]
    for place, (x, y) in places.items():
        line = table.frame.loc[place]
        assert abs(x - line["dominant"]) < 0.5
        assert abs(y - line["wrong"]) < 0.5 if misleads[place] else bottom < y <= 0
    none = table.frame["dominant"] == 0
    assert f"{(~misleads & ~none).sum()} that help to settle no wrong case" in figure.layout.meta
    assert (f"{none.sum()} help" in figure.layout.meta) == (none.sum() > 1)
    marks = [trace for trace in figure.data if trace.name in iris_study.classes]
    assert sorted(entry[0] for trace in marks for entry in trace.customdata) == settles.tolist()
    (diamond,) = (trace for trace in figure.data if trace.name == "chosen prototype")
    assert (diamond.x[0], diamond.y[0]) == places[picked]


@pytest.mark.parametrize(("order", "column"), [("cases", "dominant"), ("wrong", "wrong"), ("weight", "weight")])
def test_the_list_has_all_in_the_order_that_is_chosen_and_the_first_is_open(fitted, iris_study, order, column):
    table = explain.prototypes(iris_study).frame
    at = fitted(cards=order)
    listed = next(frame.value for frame in at.dataframe if "own class" in frame.value)
    assert listed[column].tolist() == table[column].sort_values(ascending=False).tolist()
    assert sorted(listed["row"]) == sorted(table["row"])
    first = table.loc[listed.index[0]]
    assert f"Row {first['row']}: {first['class']}" in at.words()
    assert at.title[0].value == "Prototypes"
    assert not [button for button in at.button if str(button.key).startswith("prototypes.card.")]


def test_the_page_begins_with_who_decides_and_who_misleads(fitted, iris_study):
    table = explain.prototypes(iris_study)
    at = fitted()
    said = service.finding_words(table)
    assert said in at.words()
    settling = (table.frame["dominant"] > 0).sum()
    assert f"{settling} of {len(table.frame)} prototypes decide 45 rows, {table.n_wrong} of them wrongly: " in said


def lines(*misled, wrong, classes="aaaa", more=0):
    """A table of prototypes of which each misleads in so many of the wrong cases, and settles more of them."""
    frame = pd.DataFrame(
        {"row": range(7, 7 + len(misled)), "batch": 1, "class": "a", "misled": misled, "dominant": 5, "weight": 1.0,
         "wrong": [count + more for count in misled], "others say": list(classes)[: len(misled)]}
    ).assign(name=lambda known: [f"row {row}" for row in known["row"]])  # fmt: skip
    return PrototypeTable(frame, "held-out rows", 20, 20, wrong, ("a", "b"))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (lines(0, wrong=0), "1 prototype decides 20 rows, none of them wrongly."),
        (
            lines(2, 1, wrong=4),
            "wrongly: row 7 (a) misleads most often, in both wrong ones among the 5 that it helps to settle.",
        ),
        (
            lines(2, 1, wrong=4, more=1),
            "20 rows, 4 of them wrongly: row 7 (a) misleads most often, in 2 of the 3 wrong ones among the 5 that it"
            " helps to settle.",
        ),
        (lines(2, 2, 2, wrong=4), "wrongly: row 7 (a) and 2 others mislead most often, in 2 of these each."),
        (lines(0, 1, wrong=1), "wrongly: row 8 (a) misleads there."),
        (lines(1, 1, wrong=1), "wrongly: row 7 (a) and 1 other mislead there."),
        (lines(1, 0, wrong=3), "wrongly: none misleads in more than one of these."),
        (lines(0, 0, wrong=3), "wrongly: none speaks for the class that is wrongly said."),
        (lines(0, 0, wrong=0, classes="ab"), "none of them wrongly. 1 prototype stands among cases of another class."),
    ],
)
def test_the_finding_names_who_misleads_most(table, said):
    assert service.finding_words(table).endswith(said)


def test_what_a_prototype_is_like_stands_beside_the_classes(fitted, iris_study):
    at = fitted()
    first = explain.prototypes(iris_study).frame.loc[
        service.card_places(explain.prototypes(iris_study), CardOrder.CASES)[0]
    ]
    shown = next(frame.value for frame in at.dataframe if "value" in frame.value)
    assert "what is typical of a class" in at.words()
    assert shown.columns.tolist() == ["value", *iris_study.classes]
    cells = iris_study.table.frame.loc[first["row"], shown.index]
    assert shown["value"].astype(float).tolist() == cells.astype(float).tolist()
    train = iris_study.table.frame.loc[iris_study.split.train]
    of_class = train[train["species"] == "setosa"][shown.index].median()
    assert shown["setosa"].astype(float).tolist() == pytest.approx(of_class.tolist(), abs=0.01)


def test_levels_say_how_many_of_a_class_have_them_and_many_classes_only_the_own():
    study = fit_study(load_sample("penguins"), sample_roles("penguins"), settings=FitSettings(n_iter=1))
    row = int(study.prototypes["row"].iloc[0])
    columns = [next(name for name in study.used_columns if name != "island"), "island"]
    places, target = explain.value_places(study, row, features=columns), str(study.labels.loc[row])
    frame = service.values_frame(places, columns, target)
    assert frame.index.tolist() == columns
    train = study.table.frame.loc[study.split.train]
    alike = train[train["species"] == target]["island"] == study.table.frame.loc[row, "island"]
    assert frame.loc["island", target] == f"{percent(alike.mean())} the same"
    many = replace(places, classes=tuple("abcd"), places=places.places.assign(a=0.0, b=0.0, c=0.0, d=0.0))
    assert service.values_frame(many, columns, "a").columns.tolist() == ["value", "a"]
    assert service.values_frame(places, (), target).empty


def test_few_prototypes_stay_where_they_are_and_have_a_name(iris_study):
    table = explain.prototypes(iris_study)
    few = table.frame[table.frame["dominant"] > 0].drop_duplicates(["dominant", "wrong"]).head(5)
    figure = plot_prototypes(replace(table, frame=few.reset_index(drop=True)), picked=0)
    marks = {
        entry[0]: (x, y, text)
        for trace in figure.data
        if trace.customdata
        for entry, x, y, text in zip(trace.customdata, trace.x, trace.y, trace.text, strict=True)
    }
    assert [marks[place][:2] for place in range(len(few))] == list(zip(few["dominant"], few["wrong"], strict=True))
    names = [marks[place][2] for place in range(1, len(few))]
    assert all(text in ("", name) for text, name in zip(names, few["name"].iloc[1:], strict=True))
    assert (marks[0][2], [one.text for one in figure.layout.annotations]) == ("", [few["name"].iloc[0]])
    assert "moved" not in figure.layout.meta
    assert "Dotted: wrong as often as all cases" in figure.layout.meta


def test_names_that_would_lie_on_one_another_go_below_or_are_left_out(iris_study):
    table = explain.prototypes(iris_study)
    close = table.frame.head(4).assign(dominant=[50, 51, 52, 200], wrong=[20, 20, 20, 20])
    figure = plot_prototypes(replace(table, frame=close))
    told = {
        entry[0]: (text, side)
        for trace in figure.data
        if trace.customdata
        for entry, text, side in zip(trace.customdata, trace.text, trace.textposition, strict=True)
    }
    first, second, third, last = (told[place] for place in range(4))
    assert [side for _, side in (first, second, last)] == ["top center", "bottom center", "top center"]
    assert [bool(text) for text, _ in (first, second, third, last)] == [True, True, False, True]


@pytest.mark.slow
def test_cards_of_pictures_have_them_and_a_click_opens_one(open_app):
    settings = FitSettings(num_candidates=60, max_samples=120)
    study = fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)
    at = open_app()
    at.held.open_study(study)
    at.go("prototypes")
    assert not at.exception
    cards = [item.proto.body for item in at.get("html") if "helps to settle" in item.proto.body]
    assert len(cards) == service.MOST_CARDS
    assert all(card.count("data:image/png;base64,") == 1 for card in cards)
    opened = [button for button in at.button if str(button.key).startswith("prototypes.card.")]
    places = [int(button.key.rsplit(".", 1)[1]) for button in opened]
    table = explain.prototypes(study).frame
    assert table.loc[places, "dominant"].tolist() == table["dominant"].nlargest(service.MOST_CARDS).tolist()
    assert [button.label.split(",")[0] for button in opened] == [f"Row {row}" for row in table.loc[places, "row"]]
    for card, place in zip(cards, places, strict=True):
        line = table.loc[place]
        assert f"helps to settle {line['dominant']} case" in card
        if line["wrong"]:
            assert f"{line['wrong']} of them wrong ({percent(line['wrong share'])})" in card
    opened[1].click().run()
    assert at.query_params["prototype"] == f"{table['batch'][places[1]]}-{table['row'][places[1]]}"
    assert f"Row {table['row'][places[1]]}: {table['class'][places[1]]}" in at.words()
