"""The Case page of a number: empty, with a case of each kind, and with names and cells that would be something else."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import proset
from dashboard.components.numbers import number_tabs
from dashboard.components.numbers.number_tabs import ANSWER, BEYOND, TAB, AnswerKind, NumberTab
from dashboard.services.case.beside import MOST_ASKED
from dashboard.services.cases import CaseRef, CaseSet, CaseSource, Filter, Part, Picker
from dashboard.services.numbers.number_beside import values_beside
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.numbers.number_walk import NumberList, rows_of
from proset import explain
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.explain.phrases import mean_of_batches, similarity_words
from proset.report import number_case_report

EVIL = "age <b>x</b> [y](z)"


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(1)
    n = 200
    frame = pd.DataFrame({"size": rng.integers(20, 120, n), "hue": rng.choice(["red", "blue <i>"], n)})
    frame[EVIL] = rng.integers(0, 60, n)
    frame["price"] = 100 + 3.0 * frame["size"] - 2 * frame[EVIL] + rng.normal(0, 5, n).round(1)
    frame.loc[[3, 4], "price"] = np.nan
    table = proset.read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    return proset.fit_number_study(table, guess_roles(table, target="price").roles)


@pytest.fixture
def shown(open_app, study):
    """Return a function that opens the page with a case."""

    def show(case=None, **other):
        at = open_app("start")
        at.held.open_study(study)
        for source, frame in other.items():
            at.held.opened.others[CaseSource(source)] = frame
        at.held.select(case)
        at.go("case")
        assert not at.exception
        return at

    return show


def test_a_row_has_one_name_on_the_whole_screen(open_app, study):
    """A bare number is long with the name of its column before it: in lists the number of the row stands for it."""
    frame = study.table.frame.assign(flat=[9000 + 7 * i for i in range(len(study.table.frame))])
    table = proset.read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    roles = guess_roles(table, target="price").roles.with_role("flat", Role.IDENTIFIER)
    named = proset.fit_number_study(table, roles)
    at = open_app("start")
    at.held.open_study(named)
    at.held.select(CaseRef.in_table(10))
    at.go("case")
    voices = [button.label for button in at.button if str(button.key).startswith("number.voice.")]
    assert voices
    assert all(label.startswith("row ") for label in voices)
    assert "nearest known case: row " in at.markup_words()


def test_without_a_case_rows_are_listed_and_next_opens_the_first(shown, study):
    at = shown()
    assert "No held-out rows outside their interval." in at.words()
    assert at.button(key="case_picker.1").disabled
    at.selectbox(key=at.key("number.list")).set_value(NumberList.ERROR).run()
    listed = rows_of(study.predictions, Part.HELD_OUT, NumberList.ERROR)
    assert at.dataframe[0].value.index.tolist() == listed.index.tolist()
    at.button(key="case_picker.1").click().run()
    assert at.held.case == CaseRef.in_table(listed.index[0])
    assert f"Row {listed.index[0]}: about" in at.words()
    assert "the interval" in at.words()


def test_of_several_batches_each_similarity_says_whose_it_is(study, open_app):
    settings = replace(study.settings, n_joined=2)
    several = proset.fit_number_study(study.table, study.roles, settings=settings)
    row, n_batches = int(several.split.held_out[0]), len(several.nearness.by_model.known.kernels)
    assert n_batches > 1
    app = open_app("start")
    app.held.open_study(several)
    app.held.select(CaseRef.in_table(row))
    said = app.go("case").words()
    near = explain.number_neighbours(several, row).frame.iloc[0]
    assert f"similarity {similarity_words(near['similarity'])} (mean of {n_batches} batches)" in said
    assert "then similarity to this case in the prototype's own batch." in said
    assert f"as the model measures it (mean of {n_batches} batches). Tick one" in app_tab(app)
    (known,) = [at for part in number_case_report(several, several.case(row)).parts if part.name == "nearest"
                for at in part.blocks]  # fmt: skip
    assert f"(mean of {n_batches} batches)" in known.caption
    assert mean_of_batches(study) == ""


def app_tab(app):
    """Return what the list of the nearest known cases says."""
    app.held.put(TAB, NumberTab.NEAREST)
    app.run()
    return app.words()


def test_a_case_says_its_number_its_interval_and_what_its_row_states(shown, study):
    row = int(study.split.held_out[0])
    at = shown(CaseRef.in_table(row))
    said = study.predictions.loc[row]
    assert f"about {said['median']:.3g}"[:8] in at.words()
    inside = "inside" if said["inside"] else "above" if said["actual"] > said["upper"] else "below"
    assert f"{inside} the interval" in at.words()
    assert "held-out row" in at.words()
    assert "in this case" in at.words()
    assert "class" not in at.words().lower()
    assert len(at.get("plotly_chart")) == 3


def test_a_training_row_says_that_the_model_has_seen_it(shown, study):
    at = shown(CaseRef.in_table(int(study.split.train[0])))
    assert "has seen its number" in at.words()


def test_a_row_without_a_number_states_none(shown):
    at = shown(CaseRef.in_table(4))
    assert "no number to compare with" in at.words()
    assert "states" not in at.markup_words()


def test_a_value_that_is_changed_moves_the_answer(shown, study):
    row = int(study.split.held_out[0])
    at = shown(CaseRef.in_table(row))
    slider = next(one for one in at.slider if str(one.label).startswith("size"))
    before = next(line for line in at.markup_words().split("\n") if line.startswith("What if"))
    slider.set_value(119 if slider.value < 70 else 20).run()
    after = next(line for line in at.markup_words().split("\n") if line.startswith("What if"))
    assert before != after
    assert "Changed: size from" in at.words()
    at.button(key="whatif.open").click().run()
    assert at.held.case == CaseRef(CaseSource.EDITED, 1)
    assert "no number to compare with" in at.words()
    assert "edited copy" in at.words()


def test_a_new_row_is_explained_with_its_own_number(shown, study):
    row = int(study.split.held_out[0])
    new = study.table.frame.loc[[row]].assign(price=9_999.0).set_axis(pd.Index([1], name="row"))
    at = shown(CaseRef(CaseSource.NEW, 1), new=new)
    assert "its row states 9999" in at.words()
    assert "above the interval" in at.words()


def test_words_of_strangers_stay_words(shown, study):
    at = shown(CaseRef.in_table(int(study.split.held_out[0])))
    bodies = "".join(item.proto.body for item in at.get("html"))
    assert "age &lt;b&gt;x&lt;/b&gt;" in bodies
    assert "<b>x</b>" not in bodies
    assert "blue <i>" not in bodies


def test_picked_cases_are_looked_through_instead_of_a_list(shown, study):
    rows = [int(row) for row in study.split.train[:2]]
    at = shown(CaseRef.in_table(rows[0]))
    picked = tuple(map(CaseRef.in_table, rows))
    at.held.look_through(CaseSet(which=Filter.ALL, picked=picked, by=Picker.MAP))
    at.run()
    at.button(key="case_picker.1").click().run()
    assert at.held.case == picked[1]


def test_tabs_and_a_row_to_compare_with(shown, study):
    rows = [int(row) for row in study.split.held_out[:2]]
    at = shown(
        CaseRef.in_table(rows[0]),
    )
    assert "Exact Shapley values" in at.words()
    at.text_input(key="number.reference").set_value(str(rows[1])).run()
    assert f"the median for row {rows[1]} (dotted)" in at.words()
    at.text_input(key="number.reference").set_value("99999").run()
    assert "99999" in at.words()
    at.segmented_control(key=at.key("number.tab")).set_value("nearest").run()
    assert len(at.dataframe[0].value) == 10


def test_a_model_without_prototypes_says_what_everybody_says(shown, open_app, study):
    bare = proset.fit_number_study(study.table, study.roles, settings=replace(study.settings, n_iter=0))
    at = open_app("start")
    at.held.open_study(bare)
    at.held.select(CaseRef.in_table(6))
    at.go("case")
    assert not at.exception
    assert "has no prototypes" in at.words()
    assert "it says of every case what it says of everybody" in at.words()
    assert not at.slider


@pytest.mark.slow
def test_all_columns_of_a_number_can_be_listed():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=200).round(2) for i in range(19)})
    frame["price"] = (100 + 9 * frame["x0"] + rng.normal(size=200)).round(1)
    table = proset.read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    study = proset.fit_number_study(table, guess_roles(table, target="price").roles)
    evidence = NumberEvidence(study, CaseRef.in_table(1))
    few, every = values_beside(evidence), values_beside(evidence, MOST_ASKED)
    assert len(few.lines) < few.n_used + few.n_unused == len(every.lines) == 19


def test_values_stand_beside_prototypes_and_known_cases_and_none_twice(study):
    for row in map(int, study.split.held_out[:5]):
        found = values_beside(NumberEvidence(study, CaseRef.in_table(row)))
        names = [name for _, name, _ in found.heads[1:]]
        assert len(names) == len(set(names)) == 4
        assert f"row {row}" not in names
        assert {line.column for line in found.lines} <= set(study.roles.features)


def test_the_smallest_change_goes_to_the_controls(shown, study):
    row = int(study.split.held_out[0])
    at = shown(CaseRef.in_table(row))
    at.segmented_control(key=at.key("number.tab")).set_value("change").run()
    assert not at.exception
    assert "The median moves by +" in at.words()
    at.button(key="number.try").click().run()
    assert "Changed:" in at.words()
    at.number_input(key="number.by").set_value(1e9).run()
    assert "No change of one column moves the median" in at.words()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "functional", "at"),
    [("mean", "mean", None), ("lower", "quantile", 0.05), ("upper", "quantile", 0.95), ("above", "above", 300.0)],
)
def test_each_answer_is_divided_among_the_columns(shown, study, kind, functional, at):
    row = int(study.split.held_out[0])
    page = shown(CaseRef.in_table(row))
    page.held.put(ANSWER, AnswerKind(kind))
    page.run()
    if kind == "above":
        usual = float(f"{study.targets.reindex(study.split.train).median():.4g}")
        assert page.number_input(key="number.beyond").value == usual
        page.number_input(key="number.beyond").set_value(at).run()
        assert page.held.get(BEYOND) == at
    assert not page.exception
    found = explain.number_shap(study, row, functional=functional, at=at)
    said = page.words()
    assert f"the {found.what} for row" in said
    if kind == "above":
        assert f"to {percent(found.answer)} for this case" in said
        page.number_input(key="number.beyond").set_value(None).run()
        assert not page.exception


@pytest.mark.parametrize(("error", "said"), [(8.4e-6, "off by next to nothing."), (0.025, "off by about 0.025.")])
def test_what_sampled_parts_may_be_off_by_is_no_power_of_ten(error, said):
    found = SimpleNamespace(
        columns=("a", "b"), exact=False, evaluations=4864, values=np.array([1.4, -0.2]), errors=np.array([error, 0.0])
    )
    assert said in number_tabs._how(found)
