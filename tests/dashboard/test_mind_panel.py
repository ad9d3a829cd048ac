"""The panel on what would change the model's mind: answers, locks that stay, and what is impossible in words."""

from __future__ import annotations

import re

import pytest

from dashboard import cache
from dashboard.components.case import what_if
from dashboard.services.case import mind
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.services.data.fitted import stored_study
from proset import explain
from proset.common.words import percent
from proset.study import FitSettings, fit_study

WRONG = 20
"""A penguin that a model of few columns gets wrong."""


@pytest.fixture(scope="module")
def evidence():
    from proset.data.samples import load_sample, sample_roles

    study = fit_study(load_sample("penguins"), sample_roles("penguins"), settings=FitSettings(lambda_v=0.1))
    assert study.judged().loc[WRONG, "wrong"]
    return CaseEvidence(study, CaseRef.in_table(WRONG))


@pytest.fixture
def panel(open_app, evidence):
    """Return a function that opens the panel of a wrong case."""

    def start(**params):
        cache.keep_sample_study("penguins", evidence.study)
        return open_app("case", data="penguins", fit="own", lambda_v="0.1", row=str(WRONG), tab="mind", **params)

    return start


def place(evidence, column):
    """Position of a column, as it stands in an address."""
    return list(evidence.study.table.frame.columns).index(column)


@pytest.mark.slow
def test_it_shows_what_the_interface_says_and_an_answer_goes_into_the_sliders(panel, evidence):
    at = panel()
    assert not at.exception
    found = explain.counterfactuals(evidence.study, WRONG, to=evidence.report.actual)
    shown = at.markup_words()
    for one in found.found:
        for change in one.changes:
            assert change.column in shown
            assert change.texts[1] in shown
    assert f"Real case: {found.real.row} · {found.real.name}" in shown  # as everywhere else on the page
    assert at.button(key="case.real").label == f"Open {found.real.row} · {found.real.name}"
    # Signs stay with their numbers.
    assert not re.search(r"\d %", shown.split("would have to be others")[1].split("What if:")[0])
    at.button(key="case.mind.1").click().run()
    assert not at.exception
    edits = dict(at.held.get(what_if.EDITS).values)
    assert edits == pytest.approx(found.found[0].values)
    at.button(key="case.real").click().run()
    assert f"Row {found.real.row}:" in at.markup_words() or found.real.name in at.markup_words()


def test_locks_and_directions_are_kept_for_the_table_and_stand_in_the_address(panel, evidence):
    first, second = list(evidence.ranges)[:2]
    at = panel(locked=str(place(evidence, first)), fall=str(place(evidence, second)))
    assert at.multiselect(key="case.locked").value == [place(evidence, first)]
    at.multiselect(key="case.locked").set_value([place(evidence, second)]).run()
    assert at.held.get(mind.LOCKED) == (place(evidence, second),)
    wish = mind.wish_of(evidence, aim=mind.USUAL, locked=at.held.get(mind.LOCKED), rise=(), fall=(10**4,))
    assert wish == mind.ChangeWish(evidence.report.actual, (second,), (), ())
    answers = mind.change_of_mind(evidence, wish)
    assert not any(second in one.values for one in answers.found)


def test_what_may_only_rise_never_falls(panel, evidence):
    to = evidence.report.actual
    falling = {
        change.column
        for one in explain.counterfactuals(evidence.study, WRONG, to=to).found
        for change in one.changes
        if isinstance(change.after, float) and change.after < change.before
    }
    assert falling
    at = panel()
    at.multiselect(key="case.rise").set_value([place(evidence, name) for name in falling]).run()
    found = explain.counterfactuals(evidence.study, WRONG, to=to, may_only_rise=falling)
    for one in found.found:
        assert all(change.after > change.before for change in one.changes if change.column in falling)
        assert all(change.texts[1] in at.markup_words() for change in one.changes)
    assert not at.exception
    assert bool(found.found) is not ("Impossible under these locks" in at.words())


def test_what_is_impossible_is_said_in_words(panel, evidence):
    every = ",".join(str(place(evidence, name)) for name in sorted(evidence.ranges))
    at = panel(locked=every)
    assert not at.exception
    assert "Impossible under these locks" in at.words()
    assert "It would be possible if" in at.words()
    found = explain.counterfactuals(evidence.study, WRONG, to=evidence.report.actual)
    assert f"Real case: {found.real.row} · {found.real.name}" in at.markup_words()
    assert all(column in at.markup_words() for column in mind.differing(evidence, found))


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [{"locked": "species"}, {"rise": "-1"}, {"fall": "9999"}, {"aim": "77"}, {"aim": "x"}, {"locked": "1," * 3000}],
)
def test_an_address_that_makes_no_sense_locks_nothing(panel, params):
    at = panel(**params)
    assert not at.exception
    assert not at.multiselect(key="case.locked").value
    assert "1: it would say" in at.markup_words()


def test_of_several_classes_one_may_be_named(panel, evidence):
    said, actual = evidence.report.predicted, evidence.report.actual
    other = next(k for k, name in enumerate(evidence.study.classes) if name not in (said, actual))
    at = panel()
    assert at.selectbox(key="case.aim").value == evidence.study.classes.index(actual)
    at.selectbox(key="case.aim").set_value(other).run()
    assert at.held.get(mind.AIM) == other
    assert mind.aimed_at(evidence, other) == evidence.study.classes[other]
    at.selectbox(key="case.aim").set_value(mind.ANY).run()
    assert mind.aimed_at(evidence, at.held.get(mind.AIM)) is None


def test_choices_of_another_models_columns_are_kept(evidence):
    offered = list(evidence.ranges)
    unused = next(name for name in evidence.study.table.frame.columns if name not in offered)
    before = (place(evidence, unused), 999)
    after = mind.changed_positions(evidence, before, offered, offered[:1])
    assert after == tuple(sorted({*before, place(evidence, offered[0])}))


@pytest.mark.parametrize("row", [330, 39, 74, 239])
def test_the_smallest_change_comes_first_and_nobody_has_to_become_more_familiar(row):
    evidence = CaseEvidence(stored_study("cancer"), CaseRef.in_table(row))
    own = float(evidence.study.predictions.loc[row, "quantile"])
    found = mind.change_of_mind(evidence)
    assert found.least_familiarity == pytest.approx(min(0.2, own))
    said, smallest = mind.sentence(evidence), evidence.flip.smallest
    sizes = {change.column for change in found.found[0].changes}
    if len(sizes) > 1 or smallest.size < found.found[0].size:
        assert f"if {smallest.feature} were {smallest.texts[1]} instead of {smallest.texts[0]} (probability" in said
        enough = smallest.quantile >= found.least_familiarity  # a larger change that is as familiar says nothing more
        assert (f"With familiarity {percent(found.least_familiarity)} or more, it would say" in said) != enough
    else:
        assert said.endswith("were tried.")


def test_one_sentence_for_where_there_is_no_room(evidence):
    said = mind.sentence(evidence)
    assert said.startswith(f"It would say '{evidence.report.actual}' if ")
    assert "familiarity" in said
