"""What the Case page lists: prototypes for and against, known cases, the ledger, the way back, changes, facts."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from dashboard import cache
from dashboard.services.case.evidence import MOST_AGAINST, sides
from dashboard.services.case.known import nearest_lines
from dashboard.services.case.ledger import CLASS_SHARES, ledger
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.trail import Trail
from dashboard.services.case.verdict import verdict
from dashboard.services.case.what_if import LONGEST, Edits, EditsParam, History, applied, change_words, kept
from dashboard.services.cases import CaseRef, CaseSource
from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.words import prototype_names
from proset.plots.contributions import contribution_segments
from proset.study import DecisionRule, FitSettings, fit_study

PARAM = EditsParam("edit", Edits())


@pytest.fixture(scope="module")
def reports(patients, patient_roles):
    """Cases of a model of which some rows are prototypes of both batches."""
    study = fit_study(patients, patient_roles, settings=FitSettings(n_iter=2, lambda_v=3e-3))
    return [explain.explain_case(study, row) for row in study.split.held_out[:10]]


def test_prototypes_are_grouped_by_class_those_for_it_first(reports):
    for report in reports:
        found = sides(report, most=3)
        assert found[0].label == report.predicted
        assert len(found) <= 2 + MOST_AGAINST
        against = [side.share for side in found[1:] if side.label != report.actual]
        assert against == sorted(against, reverse=True)
        for side in found:
            mine = report.prototypes[report.prototypes["target"] == side.label]
            assert side.count == len(mine)
            assert side.share == pytest.approx(mine[f"p class {side.label}"].sum())
            assert [voice.row for voice in side.voices] == mine["sample"].head(len(side.voices)).tolist()
            assert [voice.dominant for voice in side.voices] == mine["dominant set"].eq(1).head(3).tolist()


def test_where_no_prototype_speaks_against_the_rest_of_the_whole_is_still_there(reports):
    for report in reports:
        others = report.probabilities.drop(report.predicted)
        lines, other = report.report.copy(), str(others.idxmax())
        alone = (lines["batch"].notna() & (lines["target"] != report.predicted)).to_numpy()
        lines.loc[alone, [f"p class {name}" for name in report.classes]] = 0.0
        found = sides(replace(report, report=lines, actual=report.predicted))
        assert [side.label for side in found] == [report.predicted, other]
        assert (found[1].share, found[1].voices) == (0.0, ())
        assert found[1].estimate == pytest.approx(others.max())


def test_a_new_row_that_stands_in_the_table_is_said_to_be_that_row(iris_study):
    frame = iris_study.table.frame
    row = next(row for row in iris_study.split.train if not frame.duplicated(keep=False).loc[row])
    evidence = CaseEvidence(iris_study, CaseRef(CaseSource.NEW, 1), {CaseSource.NEW: frame.loc[[row]].set_axis([1])})
    first = nearest_lines(evidence).iloc[0]
    (chip,) = [chip.text for chip in verdict(evidence).chips if "nearest" in chip.text and "similarity" in chip.text]
    assert first["row"] == row
    assert chip.startswith(f"the same as row {row}; nearest other: row ")
    assert chip.split("nearest other: row ")[1].split(",")[0] != str(row)


def test_a_row_that_is_a_prototype_of_several_batches_is_named_with_its_batch(reports):
    names = [voice.name for report in reports for side in sides(report, most=50) for voice in side.voices]
    for report in reports:
        mine = [voice.name for side in sides(report, most=50) for voice in side.voices]
        assert len(set(mine)) == len(mine)
    assert any(", batch " in name for name in names)


def test_what_is_written_beside_an_estimate_adds_up_to_it(reports):
    found = 0
    for side in (side for report in reports for side in sides(report) if side.count > len(side.voices)):
        rest, exact = side.rest(len(side.voices)), side.share - sum(voice.share for voice in side.voices)
        assert rest == pytest.approx(exact, abs=0.0035)  # half a unit for each number that is written
        if rest != exact:  # else the rounding of the others leaves nothing for it
            found += 1
            written = [side.estimate - side.share, *(voice.share for voice in side.voices), rest]
            assert sum(round(100 * value, 1) for value in written) == pytest.approx(round(100 * side.estimate, 1))
    assert found > 5


def test_sum_table_and_figure_name_prototypes_alike(reports):
    for report in reports:
        found = ledger(report, most=50)
        names = found.frame["sample name"].iloc[2:].tolist()
        assert len(set(names)) == len(names)
        assert {name for name, _ in found.sum.terms[1:] if "other" not in name} <= set(names)
        drawn = [one.label for one in contribution_segments(report, n_prototypes=50) if one.kind == "prototype"]
        assert len(set(drawn)) == len(drawn)


def test_the_ledger_adds_up_and_names_the_same_prototypes_in_sum_and_table(reports):
    for report in reports:
        found = ledger(report, most=4)
        for name in report.classes:
            column = found.frame[f"p class {name}"]
            assert column.iloc[1:].sum() == pytest.approx(column.iloc[0], abs=1e-12)
        assert found.frame["sample name"].iloc[1] == CLASS_SHARES
        named = found.frame.iloc[2 : 2 + 4]
        said = named.loc[named["target"] == report.predicted, "sample name"].tolist()
        assert [name for name, _ in found.sum.terms if name in set(prototype_names(report.prototypes))] == said
        assert found.frame.columns[6] == f"p class {report.predicted}"
        lines = len(found.frame) - 2 - (found.left > 0)
        assert lines + found.left == len(report.prototypes)


def test_the_first_column_of_the_ledger_is_written_as_the_sum_is_and_adds_up_as_written(reports):
    for report in reports:
        for most in (2, 4, 12):
            found = ledger(report, most=most)
            total, *lines = found.printed
            assert len(found.printed) == len(found.frame)
            assert found.sum.words.endswith(f"= {total}")
            assert [line for line in lines if line != "0 %"] == list(found.sum.written)
            if not any(word in " ".join(found.printed) for word in ("under", "over", "100 %")):
                assert sum(float(line.removesuffix(" %")) for line in lines) == pytest.approx(
                    float(total.removesuffix(" %"))
                )


def test_the_line_of_the_case_names_the_class_that_is_estimated(reports):
    assert any(report.actual != report.predicted for report in reports)
    for report in reports:
        assert ledger(report).frame["target"].iloc[0] == report.predicted


def test_the_ledger_stops_where_terms_no_longer_matter(reports):
    for report in reports:
        found = ledger(report, most=1000)
        impact = report.prototypes["impact"].to_numpy()
        kept = found.frame["impact"].iloc[2 : len(found.frame) - (found.left > 0)]
        assert kept.sum() >= 0.9 * impact.sum()


def test_a_model_without_prototypes_has_a_ledger_too(iris_study):
    from dataclasses import replace

    report = explain.explain_case(iris_study, 1)
    bare = replace(report, report=report.report.iloc[: 1 + len(report.classes)])
    found = ledger(bare)
    assert (found.left, len(found.frame), found.sum.named) == (0, 2, 0)


def test_the_nearest_known_cases_come_by_similarity(study, reports):
    evidence = CaseEvidence(study, CaseRef.in_table(reports[0].row))
    found = nearest_lines(evidence, most=9)
    every = explain.nearest_cases(study, reports[0].row, n_cases=len(study.split.train)).frame
    assert found["similarity"].tolist() == every["similarity"].nlargest(9).tolist()
    known = set(study.prototypes["row"])
    assert [(row in known) for row in found["row"]] == [word == "prototype" for word in found["prototype"]]


def test_a_new_case_has_a_headline_and_a_verdict(study):
    row = int(study.split.held_out[0])
    frame = study.table.frame.loc[[row]].drop(columns="outcome").rename({row: 4})
    others = {CaseSource.NEW: frame}
    evidence = CaseEvidence(study, CaseRef(CaseSource.NEW, 4), others, rule=DecisionRule(leave_below=1.0))
    lines = evidence.headline
    assert (lines.name, lines.actual, lines.correct) == ("New row 4", None, None)
    assert verdict(evidence).mark == ("left to a person" if lines.left else "no class to compare with")


def test_evidence_that_is_kept_is_forgotten_with_its_study():
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FitSettings(num_candidates=20))
    found = CaseEvidence(study, CaseRef.in_table(71), keep=cache.keeper(study))
    parts = [found.report, found.nearest, found.places, found.ranges, found.flip, found.shap, found.familiarity]
    again = CaseEvidence(study, CaseRef.in_table(71), keep=cache.keeper(study))
    assert [again.report, again.shap, again.flip] == [parts[0], parts[5], parts[4]]
    gone = weakref.ref(study)
    del study, found, again, parts
    gc.collect()
    assert gone() is None


def test_the_way_back_is_found_from_wherever_one_came():
    one, two, three = (CaseRef.in_table(row) for row in (1, 2, 3))
    trail = Trail().went(one, two).went(two, three)
    assert (trail.back(three), trail.back(two), trail.back(one)) == (two, one, None)
    assert trail.returned(three).back(two) == one
    long = Trail()
    for row in range(100):
        long = long.went(CaseRef.in_table(row), CaseRef.in_table(row + 1))
    assert len(long.steps) < 50


@pytest.mark.parametrize(
    "text",
    ["x", "{}", "[1]", '{"row":"1"}', '{"row":1,"set":{}}', '{"row":"moon-1","set":{}}', '{"row":"1","set":[]}',
     '{"row":"1","set":{"a":null}}', '{"row":"1","set":{"a":true}}', '{"row":"1","set":{"a":1e999}}',
     '{"row":"1","set":{"a":"' + "x" * 300 + '"}}',
     '{"row":"1","set":{' + ",".join(f'"c{i}":1' for i in range(99)) + "}}"],
)  # fmt: skip
def test_an_address_that_makes_no_sense_changes_nothing(text):
    assert PARAM.read(text) is None


def test_changes_survive_the_address_and_too_many_are_left_out_of_it():
    edits = Edits(CaseRef(CaseSource.NEW, 3), (("größe", 1.25), ("ward", "east"), ("day", "2024-03-01T00:00:00")))
    assert PARAM.read(PARAM.write(edits)) == edits
    many = Edits(CaseRef.in_table(1), tuple((f"a rather long name of a column {i}", 1.5) for i in range(60)))
    assert PARAM.write(many) == ""
    assert len(PARAM.write(edits)) < LONGEST


def test_what_is_kept_is_applied_and_bounds_hold(study):
    ranges = explain.value_ranges(study)
    row = study.table.frame.loc[int(study.split.held_out[0])].to_dict()
    for name, scope in ranges.items():
        cell = scope.levels[-1] if scope.kind is ValueKind.LEVEL else scope.cell(scope.high)
        changes, left = applied(Edits(values=((name, kept(scope, cell)),)), ranges, row)
        assert (list(changes), left) == ([name], [])
        assert explain.what_if(study, int(study.split.held_out[0]), changes).frame[name].iloc[0] == cell
    for name, value in (("age", 1e6), ("age", "30"), ("ward", "moon"), ("ward", 3), ("admitted", 3.0), ("nobody", 1)):
        assert applied(Edits(values=((name, value),)), ranges | {"admitted": DATE}, row) == ({}, [name])
    assert applied(Edits(values=(("admitted", "2024-03-01T00:00+02:00"),)), {"admitted": DATE}, row)[1] == ["admitted"]


def test_a_level_in_a_column_of_floats_is_kept_under_its_word():
    code = {"code": ValueRange("code", ValueKind.LEVEL, levels=("2", "4"))}
    assert applied(Edits(values=(("code", "7"),)), code, {"code": 7.0}) == ({"code": "7"}, [])
    assert change_words({"code": (4.0, "2")}, code) == "Changed: code from 4 to 2."


DATE = ValueRange("admitted", ValueKind.DATE, 19_000.0, 20_000.0)


def test_history_is_bounded_and_of_one_case():
    history, now = History(), Edits(CaseRef.in_table(1))
    for step in range(200):
        history, now = history.did(now), now.changed("a", step)
    assert len(history.past) <= 50
    assert history.of(CaseRef.in_table(2)) == History()
    history, before = history.undo(now)
    assert dict(before.values)["a"] == 198
    assert history.redo(before)[1] == now
    assert np.array_equal(History().undo(now)[1].values, now.values)


def test_the_mark_to_look_twice_stands_where_the_reason_is(study):
    marks = set()
    warned = explain.standing(study).to_frame().sort_values("quantile").index
    for row in [*warned[:8], *warned[-4:]]:
        evidence = CaseEvidence(study, CaseRef.in_table(row))
        report = evidence.report
        familiar, near = verdict(evidence).chips[:2]
        assert (familiar.doubt or near.doubt) is report.standing.warning
        marks.add((familiar.doubt, near.doubt))
        assert not (familiar.doubt and report.quantile >= 0.05 and report.familiarity >= 1.0)
    assert len(marks) > 1


@pytest.mark.slow
def test_a_wrong_case_is_compared_with_a_typical_one_of_its_own_class(study):
    judged = study.judged().dropna(subset="actual")
    for row in judged.index[:40]:
        line, found = judged.loc[row], CaseEvidence(study, CaseRef.in_table(int(row)))
        wrong = f"class-{study.classes.index(line['actual'])}"
        assert found.usual_reference == ("point" if line["correct"] else wrong)
