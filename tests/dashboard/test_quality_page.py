"""The Quality page: what it measures, its lists, the rule, and what of it stands in the address."""

from __future__ import annotations

import json

import pytest

from dashboard import cache
from dashboard.components.quality import confusion_matrix, decision_rule
from dashboard.services.cases import CaseOrder, CaseSet, Filter, Part
from dashboard.services.quality.quality import cell_set, halves_words, measure_lines, offers, rows_words
from dashboard.services.quality.rules import OneRule, rule_words
from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.plots.confusion import plot_confusion
from proset.study import DecisionRule, fit_study
from proset.study.decision import MOST_PROBABLE
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

CAREFUL = DecisionRule(leave_below=0.3)


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens a page with the bundled iris data, fitted."""

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", **params)
        assert not at.exception
        return at

    return start


def shown(at, column):
    """The values of the table that has a column."""
    return next(frame.value for frame in at.dataframe if column in frame.value)


def asked(at, name):
    """The texts under a name in the address."""
    value = at.query_params.get(name, [])
    return [value] if isinstance(value, str) else list(value)


def test_it_shows_the_measures_of_the_engine_with_their_intervals(fitted, iris_study):
    at = fitted("quality")
    found = explain.quality(iris_study)
    table = shown(at, "interval")
    assert table["value"].to_dict() == {line.label: line.value for line in measure_lines(found)}
    assert table.loc["Accuracy", "interval"].startswith(f"{100 * found.accuracy.low:.1f} % to ")
    assert rows_words(found, Part.HELD_OUT) in at.words()
    assert rule_words(MOST_PROBABLE, iris_study.classes) in at.words()
    wrong = iris_study.judged().query("part == 'held_out' and wrong").index
    assert sorted(shown(at, "confidence").index) == sorted(wrong)
    assert [entry.value for entry in at.header] == ["By class", "Where it goes wrong", "By group", "Measures"]


@pytest.mark.slow
def test_rows_that_count_with_the_class_of_people_are_counted(open_app):
    """Right and wrong refer to what was learned there, and the table states another class."""
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    train = fit_study(table, roles).split.train
    items = [GuidanceItem(GuidanceKind.RELABEL, row=int(row), label="virginica") for row in train[:2]]
    app = open_app("quality", data="iris_2f", fit="own", part="train")
    app.held.add_study(fit_study(table, roles, guidance=Guidance(tuple(items))))
    app.run()
    assert "2 of them count with the class that people gave them and the model has learned." in app.words()
    app.segmented_control(key="quality.part").set_value(Part.HELD_OUT).run()
    assert "that people gave" not in app.words()


def test_the_matrix_is_drawn_once_for_the_rows_and_the_rule_that_it_shows(fitted, iris_study, monkeypatch):
    monkeypatch.setattr(cache, "_DERIVED", cache.DerivedValues(per_owner=(200, 2**28), in_all=(2_000, 2**30)))
    drawn = []

    def draw(counts, **how):
        drawn.append(counts.to_numpy().sum())
        return plot_confusion(counts, **how)

    monkeypatch.setattr(confusion_matrix, "plot_confusion", draw)
    at = fitted("quality")
    held_out = len(iris_study.split.held_out)
    assert drawn == [held_out]
    first = at.get("plotly_chart")[0].proto.spec
    at.go("data")
    at.go("quality")
    assert drawn == [held_out]  # found
    at.segmented_control(key="quality.part").set_value(Part.ALL).run()
    assert not at.exception
    assert drawn == [held_out, len(iris_study.judged())]
    assert at.get("plotly_chart")[0].proto.spec != first
    at.segmented_control(key="quality.part").set_value(Part.HELD_OUT).run()
    assert at.get("plotly_chart")[0].proto.spec == first
    assert len(drawn) == 2


@pytest.mark.parametrize("figure", ["roc", "precision_recall", "calibration", "familiarity"])
def test_each_figure_has_an_address_of_its_own(fitted, iris_study, figure):
    at = fitted("quality", show=figure, **{"class": "1"})
    assert at.segmented_control(key="quality.show").value == figure
    assert len(at.get("plotly_chart")) == (2 if figure == "familiarity" else 1)
    if figure == "familiarity":
        halves = explain.familiarity_halves(iris_study)
        assert halves_words(halves) in at.words()
        assert (
            shown(at, "log_loss")["accuracy"].tolist()
            == halves.frame.loc[["overall", "high", "low"], "accuracy"].tolist()
        )
    if figure == "calibration":
        assert "The stated probability of 'setosa' is off by" in at.words()
        at.selectbox(key="quality.class").set_value(0).run()
        assert "The stated probability of the most probable class is off by" in at.words()
        assert "class" not in at.query_params


def test_a_cell_becomes_the_list_that_map_and_case_walk_through(fitted, iris_study):
    at = fitted("quality")
    judged = iris_study.judged()
    cell = cell_set(Part.HELD_OUT, "versicolor", "virginica")
    rows = cell.rows(judged).index.tolist()
    assert rows
    at.selectbox(key="quality.lists").set_value(cell).run()
    assert not at.exception
    assert at.held.cases == cell
    assert shown(at, "confidence").index.tolist() == rows
    assert asked(at, "cases") == ["part:held_out", "which:all", "actual:versicolor", "predicted:virginica"]
    at.go("map")
    assert shown(at, "confidence").index.tolist() == rows
    assert f"{len(rows)} held-out row{'s' * (len(rows) > 1)} of 'versicolor', said to be 'virginica'" in at.words()
    at.go("case")
    assert f"{cell.counted(len(rows))}, most confident error first" in at.words()
    at.go("quality").selectbox(key="quality.lists").set_value(CaseSet()).run()
    assert at.held.opened.walk is None


def test_the_rule_changes_what_is_wrong_everywhere_and_stands_in_the_address(fitted, iris_study):
    at = fitted("quality")
    at.number_input(key="quality.rule.leave").set_value(30.0).run()
    assert not at.exception
    assert at.held.rule == CAREFUL
    judged = iris_study.judged(CAREFUL)
    left = judged.query("part == 'held_out'")["left"].sum()
    assert f"{left} are left to a person and not counted as right or wrong." in at.words()
    assert json.loads(asked(at, "rule")[0]) == {"leave": 0.3}
    offered = [offer.cases for offer in offers(judged, Part.HELD_OUT, iris_study.classes)]
    assert CaseSet(Part.HELD_OUT, Filter.LEFT, CaseOrder.UNFAMILIAR) in offered
    at.go("map")
    assert asked(at, "rule")
    at.go("quality").radio(key="quality.rule.kind").set_value("costs").run()
    assert not at.exception
    assert at.held.rule.costs == ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    at.button(key="quality.rule.back").click().run()
    assert at.held.rule == MOST_PROBABLE
    assert not asked(at, "rule")


def test_costs_of_more_classes_than_the_form_offers_are_shown(fitted, monkeypatch):
    monkeypatch.setattr(decision_rule, "_MOST_CLASSES", 2)
    costs = DecisionRule(costs=((0, 1, 1), (1, 0, 1), (9, 1, 0)))
    at = fitted("quality", rule=OneRule("rule", MOST_PROBABLE).write(costs))
    assert not at.exception
    assert at.held.rule == costs
    assert list(at.radio(key="quality.rule.kind").options) == ["The most probable class"]


def test_a_rule_in_the_address_holds_from_the_first_page_on(fitted, iris_study):
    at = fitted("quality", rule=OneRule("rule", MOST_PROBABLE).write(CAREFUL))
    assert at.held.rule == CAREFUL
    assert rule_words(CAREFUL, iris_study.classes) in at.words()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('{"cutoff":0.3}', "A cutoff decides between two classes"),
        ("half", "which is not a decision rule"),
    ],
)
def test_a_rule_in_the_address_that_cannot_be_is_refused_in_words(fitted, rule, said):
    at = fitted("quality", rule=rule)
    assert said in at.words()
    assert at.held.rule == MOST_PROBABLE


def test_training_rows_come_with_a_warning(fitted):
    at = fitted("quality", part="train")
    assert "The model has learned from training rows, so this does not say how good it is on new cases." in at.words()


def test_the_lists_on_offer_are_the_cells_of_the_matrix(iris_study):
    judged = iris_study.judged()
    found = offers(judged, Part.HELD_OUT, iris_study.classes)
    counts = iris_study.metrics.confusion
    for offer in found:
        assert len(offer.cases.rows(judged)) == offer.count
    cells = {(offer.cases.actual, offer.cases.predicted): offer.count for offer in found[1:]}
    assert cells == {(i, j): n for i, line in counts.iterrows() for j, n in line.items() if n}
    wrong = [offer.count for offer in found[1:] if offer.cases.actual != offer.cases.predicted]
    assert wrong == sorted(wrong, reverse=True)
    assert found[0].count == sum(wrong)


@pytest.mark.parametrize(
    "rule",
    [MOST_PROBABLE, CAREFUL, DecisionRule(cutoff=0.25), DecisionRule(costs=((0, 0.1), (5, 0)), leave_below=0.01)],
)
def test_a_rule_is_read_as_it_is_written(rule):
    param = OneRule("rule", MOST_PROBABLE)
    assert param.read(param.write(rule)) == rule


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "[]", '{"leave":2}', '{"more":1}', '{"cutoff":"x"}', '{"cutoff":true}'),
        *('{"costs":[[0]]}', '{"costs":5}', '{"costs":[["a"]]}', '{"cutoff":0.5,"costs":[[0,1],[1,0]]}'),
    ],
)
def test_what_is_no_rule_is_not_read(text):
    assert OneRule("rule", MOST_PROBABLE).read(text) is None


def test_rules_are_said_with_the_names_of_the_classes():
    costs = DecisionRule(costs=((0, 1), (5, 0)))
    said = rule_words(costs, ("no", "<yes>"))
    assert "1 for saying '<yes>' of a case of 'no', 5 for saying 'no' of a case of '<yes>'" in said
    assert rule_words(DecisionRule(costs=((0, 1, 1), (1, 0, 1), (1, 1, 0))), ("a", "b", "c")) == (
        "The model says the class with the smallest expected cost."
    )
