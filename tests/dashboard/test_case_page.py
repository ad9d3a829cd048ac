"""The Case page without a browser: picking a case, and numbers that equal those of the API."""

from __future__ import annotations

import io
import json
import re
from datetime import date
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard import cache
from dashboard.components.case import attribution, what_if
from dashboard.components.case.tabs import TAB
from dashboard.components.case.what_if import EDITS
from dashboard.services.case import selected
from dashboard.services.case.alike import alike_marks
from dashboard.services.case.beside import MOST_UNUSED, plain_value
from dashboard.services.case.evidence import sides
from dashboard.services.case.ledger import ledger
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case_list import listed
from dashboard.services.cases import CaseRef, CaseSet, CaseSource, Part
from dashboard.services.references import reference
from proset import explain
from proset.common.words import percent, unbroken
from proset.data.derived_columns import add_difference, with_new_columns
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain import evidence
from proset.explain.cases.case import explain_case
from proset.explain.phrases import similarity_words
from proset.plots import style
from proset.study import DecisionRule, FitSettings, fit_study


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens the Case page with the bundled iris data, fitted."""

    def start(**params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app("case", data="iris_2f", fit="own", **params)

    return start


@pytest.fixture(scope="module")
def order(iris_study):
    """The misclassified held-out rows in the order of the buttons."""
    rows = listed(iris_study, iris_study.judged(), CaseSet(Part.HELD_OUT)).index.tolist()
    assert len(rows) > 2, "this data must leave some errors to walk through"
    return rows


def find(at, text):
    """Write into the box that finds a case."""
    at.text_input(key="case_picker.text").set_value(text).run()
    return at


def shown_row(at):
    """The row that the page explains, or None."""
    found = re.search(r"^Row (\d+):", at.markup_words(), re.MULTILINE)
    return int(found[1]) if found else None


def test_prototypes_that_are_listed_and_the_rest_add_up_to_the_probability(fitted, order, iris_study):
    first, *against = sides(explain_case(iris_study, order[0]))
    said = list(
        re.findall(
            r"(?:(\d+) others? ([\d.]+|under 0.1) %, )?class share ([\d.]+)", fitted(row=str(order[0])).markup_words()
        )
    )
    assert len(said) >= 1 + len(against)
    for side, (n_others, rest, base) in zip((first, *against), said, strict=False):
        listed_here = side.voices if side is first else side.voices[:2]
        assert int(n_others or 0) == side.count - len(listed_here)
        known = sum(voice.share for voice in listed_here) + float(base) / 100.0
        added = 0.0 if rest in ("", "under 0.1") else float(rest) / 100.0
        assert known + added == pytest.approx(side.estimate, abs=2e-3)


@pytest.mark.parametrize(
    ("params", "text", "link"),
    [({}, "no data", "Go to Data"), ({"data": "iris_2f"}, "no model", "Choose settings first")],
)
def test_an_empty_page_says_what_is_missing_and_links_to_it(open_app, params, text, link):
    at = open_app(**params).go("case")
    assert not at.exception
    assert f"There is {text} yet." in at.words()
    assert [item.label for item in at.main.get("page_link")] == [link]


def test_without_a_case_the_page_lists_the_misclassified_ones_and_says_how_to_find_another(fitted, iris_study):
    at = fitted()
    assert not at.exception
    assert shown_row(at) is None
    judged = iris_study.judged().query("part == 'held_out'")
    wrong = judged.index[~judged["correct"].astype(bool)]
    assert len(wrong) > 0
    assert set(at.dataframe[0].value.index) == set(wrong)
    assert "Any other case is found by its number above, or by a click on the map." in at.words()


def test_a_case_is_found_by_its_row(fitted):
    at = find(fitted(), "17")
    assert shown_row(at) == 17
    assert at.text_input(key="case_picker.text").value == ""
    assert "".join(at.query_params["row"]) == "17"


@pytest.mark.parametrize("text", ["0", "151", "-3", "1.5", "nobody", "=1+1", "<b>x</b>", "9" * 150])
def test_what_is_not_found_is_named_and_changes_nothing(fitted, text):
    at = find(fitted(row="17"), text)
    assert not at.exception
    assert len(at.error) == 1
    assert text[:20] in at.error[0].value.replace("\\", "")
    assert shown_row(at) == 17
    at.run()
    assert not at.error, "the message goes with the next step"


def test_blank_text_is_not_a_question(fitted):
    at = find(fitted(row="17"), "   ")
    assert not at.error
    assert shown_row(at) == 17


@pytest.mark.parametrize("row", ["0", "abc", "17;drop", "<script>", "9" * 400])
def test_a_row_in_the_address_that_makes_no_sense_selects_nothing(fitted, row):
    at = fitted(row=row)
    assert not at.exception
    assert shown_row(at) is None


@pytest.mark.slow
def test_next_goes_through_the_errors_by_confidence_and_starts_again(fitted, order):
    at = fitted()
    seen = []
    for _ in range(len(order) + 1):
        at.button(key="case_picker.1").click().run()
        seen.append(shown_row(at))
    assert seen == [*order, order[0]]
    assert f"1 of {len(order)} misclassified held-out rows, most confident error first" in at.words()


def test_previous_goes_the_other_way(fitted, order):
    at = fitted(row=str(order[1]))
    for expected in (order[0], order[-1], order[-2]):
        at.button(key="case_picker.-1").click().run()
        assert shown_row(at) == expected


def test_the_switch_changes_which_errors_are_walked_through(fitted, iris_study):
    at = fitted()
    at.segmented_control(key="case.part").set_value(Part.TRAIN).run()
    at.button(key="case_picker.1").click().run()
    assert shown_row(at) == listed(iris_study, iris_study.judged(), CaseSet(Part.TRAIN)).index[0]


def test_the_case_survives_a_page_change(fitted):
    at = find(fitted(), "23")
    for page in ("data", "map", "fit", "case"):
        at.go(page)
        assert not at.exception
        assert "".join(at.query_params["row"]) == "23"
    assert shown_row(at) == 23


@pytest.mark.parametrize("place", [0, -1])
def test_the_numbers_on_the_page_are_those_of_the_api(fitted, iris_study, order, place):
    row = order[place]
    at, report = fitted(row=str(row), tab="sum"), explain_case(iris_study, row)
    assert not at.exception
    text, line = at.words(), iris_study.predictions.loc[row]
    said = f"{line['predicted']}, {percent(line['confidence'])}"
    assert f"Row {row}: the model says {said}; the table says {line['actual']} wrong" in text
    assert f"at least as familiar as {percent(line['quantile'])} of held-out rows" in text
    near = explain.novelty(iris_study, [row])
    assert f"similarity {similarity_words(near.similarity[0])}" in text
    dominant = int(report.prototypes["dominant set"].eq(1).sum())
    assert f"{dominant} of {len(report.prototypes)} prototypes" in text
    for sentence in (*report.words[1:], *explain.contradictions(iris_study, row).further_words):
        assert sentence in text
    assert explain.smallest_flip(iris_study, row).words in at.button(key="case.flip").help.replace("\\", "")

    found = ledger(report)
    assert unbroken(found.sum.words) in text  # where the line ends, a sign stays with its number
    assert "The contributions add up to the estimate." in text
    (table,) = (item.value for item in at.dataframe)  # the bars are no table
    assert table[f"p class {report.predicted}"].tolist() == found.frame[f"p class {report.predicted}"].tolist()
    # The column of the class that is said comes first, beside the names.
    assert table.columns[1] == f"p class {report.predicted}"


@pytest.mark.slow
def test_a_star_against_the_class_that_is_said_says_why_it_is_there(fitted, iris_study):
    """Algorithm 4.1 takes prototypes by impact, whichever class they are of."""
    for row in iris_study.split.held_out:
        report = explain_case(iris_study, int(row))
        members = report.prototypes[report.prototypes["dominant set"].eq(1)]
        listed = {voice.row for side in sides(report) for voice in side.voices[:2] if side.label != report.predicted}
        against = members[(members["target"] != report.predicted) & members["sample"].isin(listed)]
        if len(against):
            break
    at = fitted(row=str(int(row)))
    helps = [button.help or "" for button in at.button if (button.key or "").startswith("case.voice.")]
    starred = [text for text in helps if "In the dominant set" in text]
    assert sum("It speaks against that class" in text for text in starred) >= 1
    assert len(starred) > sum("It speaks against that class" in text for text in starred)


def test_the_smallest_change_is_that_of_the_case_as_it_is_changed(fitted, iris_study):
    at = fitted(row="71")
    first = explain.smallest_flip(iris_study, 71).smallest
    at.button(key="case.flip").click().run()
    frame = iris_study.case(71).frame.assign(**{first.feature: first.after})
    now = explain.smallest_flip(iris_study, iris_study.case(frame))
    assert now.predicted == first.predicted
    assert now.words in at.button(key="case.flip").help.replace("\\", "")
    at.button(key="case.flip").click().run()
    changed = dict(at.held.get(EDITS).values)
    assert set(changed) <= {first.feature, now.smallest.feature}
    assert not at.exception


def test_a_step_of_a_slider_can_be_seen_however_fine_a_column_is_and_both_ends_can_be_had(open_app):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"fine": rng.uniform(0, 1, 200).round(6), "coarse": rng.integers(0, 9, 200)})
    frame["kind"] = np.where(frame["fine"] + frame["coarse"] / 9 > 1, "high", "low")
    study = fit_study(read_table(frame), Roles({"fine": Role.NUMERIC, "coarse": Role.NUMERIC, "kind": Role.TARGET}))
    at = open_app()
    at.held.open_study(study)
    at.held.select(CaseRef.in_table(4))
    at.go("case")
    steps = {slider.label.split(" ")[0]: (slider.max - slider.min) / slider.step for slider in at.slider}
    assert steps == pytest.approx({"fine": 1_000, "coarse": 8})


def test_a_prototype_leads_to_its_own_case_and_back(fitted, iris_study):
    at = fitted(row="71")
    side = sides(explain_case(iris_study, 71))[0]
    target = next(voice for voice in side.voices if voice.row != 71)
    at.button(key=f"case.voice.0.{target.name}").click().run()
    assert shown_row(at) == target.row
    assert "What this prototype decides" in [item.label for item in at.button]
    at.button(key="case.back").click().run()
    assert shown_row(at) == 71
    assert "case.back" not in [item.key for item in at.button]


def control(at, key):
    """The control of a column; how far it goes, and how often its value was changed elsewhere, end its key."""
    return next(one for one in (*at.slider, *at.selectbox) if f"{one.key}.".startswith(f"{key}."))


def test_values_can_be_changed_undone_and_opened_as_a_case(fitted, iris_study):
    at = fitted(row="71")
    name, value = "sepal length (cm)", 7.0
    control(at, "whatif.71.2.0").set_value(value).run()
    assert not at.exception
    assert not control(at, "whatif.71.2.0").proto.set_value  # the browser would lose what is pressed meanwhile
    found = explain.what_if(iris_study, 71, {name: value})
    share = percent(float(found.after.probabilities[found.after.predicted]))
    assert f"What if: {found.after.predicted}, {share}" in at.words()
    assert "Changed: sepal length (cm) from 5.9 to 7." in at.words()
    assert "".join(at.query_params["edit"]) == '{"row":"71","set":{"sepal length (cm)":7.0}}'

    at.button(key="whatif.undo").click().run()
    assert control(at, "whatif.71.2.0").value == 5.9
    assert "edit" not in at.query_params
    at.button(key="whatif.redo").click().run()
    assert control(at, "whatif.71.2.0").value == value

    at.button(key="whatif.open").click().run()
    assert not at.exception
    assert f"Edited row 1: the model says {found.after.predicted}, {share}" in at.words()
    assert "A copy of row 71. Changed: sepal length (cm) from 5.9 to 7." in at.words()
    assert "no class to compare with" in at.words()
    at.go("map").go("case")
    assert not at.exception
    at.button(key="case.back").click().run()
    assert shown_row(at) == 71


def test_changes_in_the_address_come_back_and_those_that_do_not_fit_are_named(fitted):
    at = fitted(row="71", edit='{"row":"71","set":{"sepal width (cm)":4.0,"size":3,"sepal length (cm)":99}}')
    assert not at.exception
    assert control(at, "whatif.71.2.1").value == 4.0
    assert "Changes of 'size', 'sepal length (cm)' do not fit this case" in at.words()
    other = fitted(row="72", edit='{"row":"71","set":{"sepal width (cm)":4.0}}')
    assert "Nothing is changed yet. Change a value" in other.words()


def test_no_dashed_line_is_promised_where_none_is_drawn():
    untouched = SimpleNamespace(changes={})
    for flips, said in (((), False), ((SimpleNamespace(size=1.0),), True), ((SimpleNamespace(size=None),), False)):
        words = what_if._moved(SimpleNamespace(flip=SimpleNamespace(flips=flips)), untouched)
        assert words.startswith("Nothing is changed yet. Change a value")
        assert ("dashed" in words) is said


def test_only_the_tab_that_is_open_is_drawn_and_stands_in_the_address(fitted):
    at = fitted(row="71")
    assert not at.exception
    assert len(at.dataframe) == 1
    assert "case.reference" not in [box.key for box in at.selectbox]
    opened = fitted(row="71", tab="shap", reference="row-71")
    assert "case.reference" in [box.key for box in opened.selectbox]
    assert not opened.dataframe  # beside itself no two values bring votes together
    assert "No two values of this case bring votes together" in opened.words()
    assert "".join(opened.query_params["tab"]) == "shap"
    strange = fitted(row="71", tab="moon")
    assert not strange.exception
    assert "".join(strange.query_params.get("tab", "")) == ""


def test_the_report_can_be_taken_away(fitted):
    at = fitted(row="71")
    labels = [item.label for item in at.get("download_button")]
    assert labels == [
        "Report (HTML)",
        "Report (.xlsx)",
        "Report (CSV)",
        "Contributions (HTML)",
        "SHAP values (CSV)",
        "Pairs of columns (CSV)",
        "SHAP waterfall (HTML)",
    ]


def test_files_of_the_attributions_hold_the_values(pictures_study):
    against = reference(pictures_study, "point")
    found = attribution.files(CaseEvidence(pictures_study, CaseRef.in_table(3), against=lambda: against))
    assert [file.label for file in found][-1] == "Pictures and SHAP (HTML)"
    contents = [file.make() for file in found]
    frame = pd.read_csv(io.BytesIO(contents[0]), encoding="utf-8-sig", index_col=0)
    classes, errors = list(pictures_study.classes), [f"{name} (standard error)" for name in pictures_study.classes]
    assert frame.columns.tolist() == classes + errors  # too many columns in use to be exact
    shap = explain.Evidence(pictures_study.case(3), reference=against).shap
    assert np.allclose(frame[classes], shap.values[0])
    assert np.allclose(frame[errors], shap.standard_error[0])
    assert frame[errors].max(axis=None) > 0.0
    pages = [content for file, content in zip(found, contents, strict=True) if file.label.endswith("(HTML)")]
    assert len(pages) == 2
    assert all(against.words.encode() in page for page in pages)
    pairs = pd.read_csv(io.BytesIO(contents[1]), encoding="utf-8-sig")
    used = len(pictures_study.used_columns)
    assert pairs.columns.tolist() == ["feature", "other", *classes]
    assert len(pairs) == used * (used - 1) // 2


@pytest.fixture(scope="module")
def pictures_study():
    """A small fit of the digits."""
    settings = FitSettings(num_candidates=100, max_samples=200)
    return fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)


@pytest.fixture(scope="module")
def visits():
    """Visits to a clinic, of which the day, the ward and a measurement decide; some cells are missing."""
    random = np.random.default_rng(3)
    n = 150
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 200, n), unit="D")
    ward, dose = random.choice(["north", "south", "east"], n), random.normal(5.0, 1.0, n).round(1)
    late = (day > "2024-04-01").astype(int) + (ward == "south") + (dose > 5.5)
    frame = pd.DataFrame({"day": day.strftime("%Y-%m-%d"), "ward": ward, "dose": dose, "kind": late})
    frame.loc[[3, 8], "dose"] = None
    frame["kind"] = frame["kind"].map({0: "none", 1: "some", 2: "much", 3: "much"})
    table = read_table(frame.to_csv(index=False).encode(), name="visits.csv")
    roles = {"day": Role.DATE, "ward": Role.CATEGORICAL, "dose": Role.NUMERIC, "kind": Role.TARGET}
    return fit_study(table, Roles(roles), settings=FitSettings(n_iter=2))


def test_of_several_batches_the_similarity_of_known_cases_says_that_it_is_a_mean(open_app):
    settings = FitSettings(n_iter=1, n_joined=2)
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=settings)
    at = open_app()
    at.held.open_study(study)
    at.held.select(CaseRef.in_table(1))
    said = at.go("case").words()
    assert not at.exception
    near = similarity_words(explain.novelty(study, [1]).similarity[0])
    assert f"similarity {near} (mean of 2 batches)" in said
    assert "Nearest of each class similarity (mean of 2 batches)" in at.markup_words()


def test_a_date_on_a_button_stays_in_one_piece(open_app, visits):
    rows = visits.table.frame.index
    row = next(row for row in rows if getattr(explain.smallest_flip(visits, row).smallest, "feature", None) == "day")
    at = open_app()
    at.held.open_study(visits)
    at.held.select(CaseRef.in_table(int(row)))
    label = at.go("case").button(key="case.flip").label
    first = explain.smallest_flip(visits, row).smallest
    assert re.search(r"\d{4}-\d\d", first.texts[0])
    for text in first.texts:
        assert text.replace("-", "\N{NON-BREAKING HYPHEN}") in label


def test_a_case_that_the_smallest_change_has_brought_to_the_edge_is_said_to_be_there(open_app):
    at = open_app("case", data="cancer", fit="1", row="298")
    assert at.button(key="case.flip").label.startswith("Smallest change: worst radius")
    at.button(key="case.flip").click().run()
    assert not at.exception
    assert at.button(key="case.flip").label.startswith("At the edge: ")


def test_bars_in_lists_have_no_hue_of_a_class(fitted, iris_study):
    at = fitted(row="71", tab="nearest")
    (looks,) = (json.loads(one.proto.columns) for one in at.dataframe if "similarity_all" in one.proto.columns)
    bars = [looks[f"{name} bar"]["type_config"] for name in ("similarity", "similarity_all")]
    assert {bar["color"] for bar in bars} == {style.MODEL}
    assert {bar["format"].strip() for bar in bars} == {""}, "it would write 0.00 for what is under 0.01"


def test_dates_categories_and_missing_values_can_be_changed_and_new_rows_explained(open_app, visits):
    assert set(visits.used_columns) == {"day", "ward", "dose"}
    at = open_app()
    at.held.open_study(visits)
    at.held.select(CaseRef.in_table(4))  # its dose is missing
    at.go("case")
    assert not at.exception
    assert " assumed)" in at.markup_words()
    assert "dose **missing**" in [slider.label for slider in at.slider]

    ranges = list(explain.value_ranges(visits))
    key = {name: f"whatif.4.3.{place}" for place, name in enumerate(ranges)}
    control(at, key["day"]).set_value(date(2024, 6, 1)).run()
    control(at, key["ward"]).set_value("south").run()
    control(at, key["dose"]).set_value(6.5).run()
    assert not at.exception
    found = explain.what_if(visits, 4, {"day": pd.Timestamp("2024-06-01"), "ward": "south", "dose": 6.5})
    assert found.words.split(" with ")[1][:5] in at.words()
    assert f"What if: {found.after.predicted}" in at.words()
    assert "dose from missing to 6.5" in at.words()

    at.held.opened.others[CaseSource.NEW] = visits.table.frame.loc[[7]].drop(columns="kind").set_axis([1], axis=0)
    at.held.select(CaseRef(CaseSource.NEW, 1))
    at.run()
    assert not at.exception
    assert "New row 1: the model says" in at.words()
    probability = float(visits.probabilities.loc[7].max())
    assert percent(probability) in at.words()


def test_a_run_explains_a_case_once_and_a_row_of_the_table_only_in_the_first(open_app, visits, monkeypatch):
    made = []
    for name in ("explain_case", "contradictions", "nearest_cases", "value_places", "smallest_flip", "shap_values"):
        where = selected if name == "nearest_cases" else evidence  # a page asks for more of them at once
        ask = getattr(where, name)
        monkeypatch.setattr(
            where, name, lambda *args, _name=name, _ask=ask, **kw: made.append(_name) or _ask(*args, **kw)
        )
    at = open_app()
    at.held.open_study(visits)
    at.held.select(CaseRef.in_table(11))
    at.held.put(TAB, "shap")
    at.go("case")
    assert not at.exception
    parts = ["contradictions", "explain_case", "nearest_cases", "shap_values", "smallest_flip"]
    assert sorted(made) == parts
    at.run()
    at.held.decide_by(DecisionRule(costs=((0, 1, 1), (1, 0, 1), (9, 1, 0))))
    at.run()
    assert sorted(made) == sorted([*parts, "contradictions", "explain_case", "smallest_flip"])

    made.clear()
    at.held.opened.others[CaseSource.NEW] = visits.table.frame.loc[[7]].drop(columns="kind").set_axis([1], axis=0)
    at.held.select(CaseRef(CaseSource.NEW, 1))
    at.run()
    assert not at.exception
    assert sorted(made) == parts


@pytest.mark.slow
def test_another_case_can_be_compared_with_and_another_class_explained(fitted, iris_study):
    at = fitted(row="71", tab="shap")
    box = at.selectbox(key="case.reference")
    at.selectbox(key="case.reference").set_value(box.options[1] if box.options[1] == "class-0" else "class-0").run()
    assert not at.exception
    assert "Compared with a typical case of 'setosa'" in at.words()
    assert "".join(at.query_params["reference"]) == "class-0"
    at.selectbox(key="case.for").set_value(0).run()
    at.selectbox(key=at.key("case.against")).set_value(2).run()
    assert not at.exception
    assert "The bars add up to the estimate. Exact:" in at.words()
    other = fitted(row="71", tab="shap", reference="row-5")
    assert "Compared with row 5." in other.words()
    strange = fitted(row="71", tab="shap", reference="row-999", **{"for": "77"})
    assert not strange.exception
    assert "There is no such case to compare with; the reference point is taken." in strange.words()
    assert "Compared with the reference point" in strange.words()
    for tab in ("familiar", "places"):
        assert not fitted(row="71", tab=tab).exception


def test_columns_that_work_together_are_those_of_the_class_and_the_comparison(fitted, iris_study):
    at = fitted(row="71", tab="shap", reference="class-0")
    found = explain.shapley_interactions(iris_study, [71], reference(iris_study, "class-0"))
    said = explain_case(iris_study, 71).predicted
    names = iris_study.used_columns
    cells = iris_study.table.frame.loc[[71, reference(iris_study, "class-0").row], list(names)]
    both = [f"{one:g} and {other:g}" for one, other in cells.to_numpy()]
    line = at.dataframe[0].value
    assert line.iloc[0].tolist()[:3] == [" with ".join(names), *both]
    assert line.shape == (1, 4)
    assert float(line.iloc[0, 3]) == pytest.approx(found.of(71, said).iloc[0], rel=0.01)
    assert f"Votes for '{said}' that the two values bring together" in at.words()
    at.selectbox(key="case.for").set_value(0).run()
    at.selectbox(key=at.key("case.against")).set_value(2).run()
    line = at.dataframe[0].value
    assert float(line.iloc[0, 3]) == pytest.approx(found.of(71, "setosa", "virginica").iloc[0], rel=0.01)
    assert "Votes for 'setosa' less those for 'virginica'" in at.words()
    same = fitted(row="71", tab="shap", reference="row-71")
    assert not same.exception
    assert "No two values of this case bring votes together" in same.words()


def test_all_columns_can_be_listed_used_or_not(open_app):
    study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    cache.keep_sample_study("cancer", study)
    row = int(study.split.held_out[0])
    known = set(CaseEvidence(study, CaseRef.in_table(row)).contradictions.columns["column"]) | set(study.used_columns)

    def listed_columns(at):
        assert not at.exception
        table = next(item.proto.body for item in at.get("html") if "case-values" in item.proto.body)
        return set(re.findall(r'<td class="name" title="([^"]*)"', table))

    at = open_app("case", data="cancer", fit="own", row=str(row))
    shown = len(study.used_columns) + MOST_UNUSED
    assert len(listed_columns(at)) == shown < len(known)
    at.toggle(key="case.values").set_value(True).run()
    assert listed_columns(at) == known
    assert at.query_params["values"] == "1"
    at.toggle(key="case.values").set_value(False).run()
    assert len(listed_columns(at)) == shown


def test_values_of_leading_prototypes_are_underlined_where_they_are_alike_and_that_counts(open_app):
    study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    cache.keep_sample_study("cancer", study)
    row = int(study.split.held_out[0])
    at = open_app("case", data="cancer", fit="own", row=str(row))
    assert not at.exception
    table = next(item.proto.body for item in at.get("html") if "case-values" in item.proto.body)
    found = CaseEvidence(study, CaseRef.in_table(row))
    leads = [side.voices[0] for side in found.sides]
    names, columns = list(study.used_columns), study.table.frame
    expected = []
    for lead in leads:
        batch = study.model.set_manager_.batches[lead.batch - 1]
        position = list(study.split.train[batch.sample_index]).index(lead.row)
        train, case = (study.encode(rows).X[:, batch.active_features] for rows in (study.split.train, [row]))
        apart, usual = (np.square((X - batch.prototypes[position]) * batch.feature_weights) for X in (case, train))
        for j, k in enumerate(batch.active_features):
            if np.exp(-apart[0, j] / 2) >= 0.9 and np.exp(-usual[:, j] / 2).mean() <= 0.75:
                expected.append((lead.row, study.design.columns[k].source))
    assert expected
    assert alike_marks(found) == set(expected)
    drawn = re.findall(r'<u class="alike">([^<]*)</u>', table)
    assert sorted(drawn) == sorted(plain_value(columns.loc[place]) for place in expected if place[1] in names[:8])
    assert "underlined" in table


def test_a_strangers_words_are_shown_as_they_are_in_every_part(open_app):
    column, level, label = (
        "![x](http://evil.example/a.png)",
        "[a](http://evil.example/b)",
        "$x$ [c](http://evil.example)",
    )
    random = np.random.default_rng(3)
    size, which = random.normal(5.0, 1.0, 80).round(1), random.choice([level, "plain", "other"], 80)
    kind = np.where(size + (which == level) > 5.3, label, "no")
    frame = pd.DataFrame({column: size, f"{column}2": which, "kind": kind})
    table = read_table(frame.to_csv(index=False).encode(), name="evil.csv")
    roles = {column: Role.NUMERIC, f"{column}2": Role.CATEGORICAL, "kind": Role.TARGET}
    at = open_app()
    at.held.open_study(fit_study(table, Roles(roles)))
    at.held.select(CaseRef.in_table(2))
    for tab in (TAB.words[0], *TAB.words[1:]):
        at.held.put(TAB, tab)
        at.go("case")
        assert not at.exception
    at.slider[0].set_value(6.4).run()
    at.button(key="whatif.open").click().run()
    assert not at.exception
    said = [item.value for kind in (at.markdown, at.caption, at.header, at.warning) for item in kind]
    labels = [item.label for kind in (at.button, at.slider, at.selectbox, at.expander) for item in kind]
    assert any("evil" in text for text in labels)
    for text in (*said, *labels):
        assert "](http" not in str(text), text
        assert "$x$" not in str(text), text


def test_the_nearest_known_case_of_every_class_is_listed(open_app):
    app = open_app("case", data="penguins", fit="1", row="105")
    app.wait()
    app.go("case")
    assert "Nearest of each class" in app.words()
    study = app.held.study
    rows = [int(button.key.rpartition(".")[2]) for button in app.button if str(button.key).startswith("case.known.")]
    assert study.labels.loc[rows].tolist() == ["Adelie", "Adelie", "Gentoo", "Chinstrap"]
    near = explain.nearest_cases(study, 105)
    assert rows == [int(row) for label, many in (("Adelie", 2), ("Gentoo", 1), ("Chinstrap", 1))
                    for row in near.of(label)["row"].head(many)]  # fmt: skip


def test_a_date_follows_the_days_that_are_changed(app):
    rng = np.random.default_rng(0)
    start = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 120), unit="D")
    days = rng.integers(1, 60, 120)
    frame = pd.DataFrame({"start": start, "end": start + pd.to_timedelta(days, unit="D"), "kind": "a"})
    frame.loc[(days > 30) ^ (start.month > 6), "kind"] = "b"
    table = add_difference(read_table(frame), "start", "end")
    study = fit_study(table, with_new_columns(guess_roles(table, "kind").roles, table), settings=FitSettings(n_iter=1))
    assert {"end", "days from start to end"} <= set(study.used_columns)
    row = int(table.frame.loc[study.split.held_out, "start"].idxmax())
    app.held.open_study(study)
    app.held.select(CaseRef.in_table(row))
    app.go("case")
    slider = next(one for one in app.slider if one.label.startswith("days from start to end"))
    slider.set_value(slider.max).run()
    assert not app.exception
    began, former = table.frame.loc[row, ["start", "end"]]
    ended = began + pd.Timedelta(days=slider.max)
    assert ended > table.frame["end"].max()  # beyond the end of its slider
    told = f"end **{ended.date()}** :gray[(was {former.date()})]"
    assert told in [one.label.replace("\\", "") for one in app.slider]
