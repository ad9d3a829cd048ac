"""The Compare page: what it offers, what it shows of a comparison, and what becomes of work that ends early."""

from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hostile.names import STRANGE, study_of
from patience import HANG
from variants import main_cases

from dashboard import cache
from dashboard.components import downloads
from dashboard.components.compare import planes
from dashboard.components.compare import start as compare_start
from dashboard.components.jobs import later
from dashboard.services.cases import CaseRef, CaseSet, Picker
from dashboard.services.compare.case import prototype_names, values_frame
from dashboard.services.compare.choices import PARAMS, CompareAspect, pair_number, plan_of, smaller_label
from dashboard.services.compare.found import headline, metric_lines, surfaces_words
from dashboard.services.compare.standing import SystemStanding
from dashboard.work.progress import ProgressWriter
from dashboard.work.tasks import COMPARE, CompareRequest
from dashboard.work.tasks import compare as compare_task
from dashboard.work.tasks.compare import _write_so_far
from proset.common.errors import StorageError
from proset.common.words import unbroken
from proset.compare import (
    ComparePlan,
    CompareProgress,
    SideSurface,
    SystemTime,
    TimeEstimate,
    compare,
    comparison_json,
    disagreements,
    explain_row,
    metric_table,
)
from proset.compare.contenders import contenders_of
from proset.compare.verdict import verdict
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.study import DecisionRule, fit_study

DRIFT_FILE = "Tells shifted rows from usual ones (HTML)"
FEW = ComparePlan(("proset", "smp", "knn"), n_folds=2)


@pytest.fixture(scope="module")
def found(iris_study):
    """A comparison of four systems with the model of the iris data."""
    return compare(iris_study, ComparePlan(("proset", "pvm", "smp", "knn", "xgboost"), n_folds=3))


def quickly(study, plan, clock):
    """An estimate that measures nothing."""
    return TimeEstimate(plan, 100, (SystemTime("proset", "proset", 1.0, True, ""),), 120.0, None, float("nan"))


@pytest.fixture
def shown(open_app, iris_study, found, monkeypatch):
    """Return a function that opens the page with a comparison that was made."""
    monkeypatch.setattr(compare_start, "estimate", quickly)

    def start(page="compare", comparison=found, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page, data="iris_2f", fit="own", **params)
        at.held.opened.values[iris_study.id, "comparison"] = comparison
        at.run()
        assert not at.exception
        return at

    return start


def frame(at, key):
    """The table with that key."""
    return next(item.value for item in at.dataframe if str(item.proto.id).endswith(key) or key in str(item.key))


def with_column(at, column):
    """The table that has a column."""
    return next(item.value for item in at.dataframe if column in item.value)


class TestBeforeAComparison:
    @pytest.fixture(autouse=True)
    def _estimates_are_waited_for(self, monkeypatch):
        monkeypatch.setattr(later, "_WAIT", HANG)

    def test_it_says_what_each_system_is_and_how_long_it_takes(self, open_app, iris_study):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="proset,knn")
        assert not at.exception
        assert "PVM, Prototype vector machine" in at.words()
        assert "This takes about" in at.words()
        assert "Longer while other work runs on this server." in at.words()
        assert at.button(key="compare.start").label == "Compare"
        assert at.pills(key="compare.systems").value == ["proset", "knn"]

    def test_where_the_time_cannot_be_told_it_can_be_started_all_the_same(self, open_app, iris_study, monkeypatch):
        def stumbles(*_, **__):
            raise FloatingPointError("overflow")

        monkeypatch.setattr(compare_start, "estimate", stumbles)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="smp,xgboost")
        assert not at.exception
        assert "How long it takes cannot be told. overflow." in at.words()
        assert at.button(key="compare.start")

    @pytest.mark.slow
    def test_a_process_gets_ready_while_one_chooses_and_not_while_the_comparison_runs(
        self, open_app, iris_study, monkeypatch, hold
    ):
        hold(1)
        asked = []
        monkeypatch.setattr(compare_start.jobs, "get_ready", lambda: asked.append(None))
        monkeypatch.setattr(compare_start, "estimate", quickly)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="smp,knn")
        assert asked
        asked.clear()
        at.button(key="compare.start").click().run()
        at.run()
        assert len(asked) <= 1  # of the run in which the button was pressed

    def test_one_system_is_nothing_to_compare(self, open_app, iris_study):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="knn")
        assert "Choose at least two systems." in at.words()
        assert not [button for button in at.button if button.key == "compare.start"]
        assert plan_of((), tuned=True) is None

    def test_what_would_take_long_is_said_and_the_smaller_version_offered(self, open_app, iris_study, monkeypatch):
        small = ComparePlan(("proset", "gbmap"), max_rows=60)
        slow = (SystemTime("proset", "proset", 500.0, True, ""), SystemTime("knn", "kNN", 1.0, True, ""))

        def made_up(study, plan, clock):
            return TimeEstimate(plan, 9_000, slow, 120.0, small, 4.0)

        started = []
        monkeypatch.setattr(compare_start, "estimate", made_up)
        monkeypatch.setattr(
            compare_start.study_job, "start", lambda session, study, task, request, **_: started.append(request.plan)
        )
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="proset,gbmap")
        assert "This takes about 8 min. Most of it is proset" in at.words()
        assert at.button(key="compare.smaller").label == "Compare with 60 rows (about 4 s)"
        at.button(key="compare.smaller").click().run()
        at.button(key="compare.start").click().run()
        assert started == [small, ComparePlan(("proset", "gbmap"))]

    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("compared", "moon", "one of quality, size"),
            ("systems", "proset,svm", "a list of proset, pvm"),
            ("setting", "best", "one of quick, tuned"),
            ("distance", "moon", "one of raw, proset"),
            ("pair", "99", "a whole number from 0 to 36"),
        ],
    )
    def test_an_address_that_is_not_allowed_is_refused_in_words(self, open_app, iris_study, name, value, allowed):
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", **{name: value})
        assert not at.exception
        assert f"{name} = '{value}', which is not {allowed}" in at.words()


class TestWithAComparison:
    def test_the_table_holds_the_measures_of_the_engine(self, shown, found):
        at = shown()
        table, numbers = metric_table(found), with_column(at, "log_loss_mean")
        assert numbers["log_loss_mean"].tolist() == table.frame["log_loss_mean"].tolist()
        assert numbers["roc_auc_held_out"].tolist() == table.frame["roc_auc_held_out"].tolist()
        best = numbers.index[numbers["equivalent"] == "best"].tolist()
        assert best == [table.frame.loc[table.best, "title"]]
        alike = table.frame.index[table.frame["equivalent"].fillna(False)].drop(table.best)
        assert numbers.index[numbers["equivalent"] == "yes"].tolist() == table.frame.loc[alike, "title"].tolist()
        assert " ".join(table.words) in at.words()
        assert "5 systems, proset with the settings of this model, the others with quick settings, on 105" in at.words()
        assert "each with its quick settings" not in at.words()
        alone = replace(found, plan=replace(found.plan, systems=("proset", "knn")))
        assert "proset with the settings of this model, the other with quick" in headline(alone)

    @pytest.mark.slow
    def test_what_is_said_below_a_figure_is_of_this_figure(self, shown):
        sizes = shown(compared="size").words()
        assert "Without prototypes, so not shown: XGBoost." in sizes
        assert "one feature per level" not in sizes
        assert "one feature per level" in shown(compared="size", along="n_features").words()
        features = shown(compared="features").words()
        assert "A column without squares" not in features
        assert (
            "Of the prototypes that two systems have together, those that both have; an empty square: none." in features
        )
        assert "**Nearest neighbours**" in shown().words()
        assert "kNN" not in shown().words()

    def test_drift_bars_beside_each_other_have_one_axis(self, shown):
        figures = [json.loads(item.proto.spec) for item in shown(compared="drift").get("plotly_chart")]
        ranges = [figure["layout"]["xaxis"]["range"] for figure in figures]
        assert all(one == ranges[0] for one in ranges)

    @pytest.mark.slow
    @pytest.mark.parametrize("aspect", list(CompareAspect))
    def test_each_part_has_an_address_and_is_drawn(self, shown, aspect):
        at = shown(compared=aspect.value, row="71")
        assert at.segmented_control(key="compare.aspect").value == aspect
        figures = {CompareAspect.QUALITY: 1, CompareAspect.COST: 0, CompareAspect.FEATURES: 2}
        if aspect is not CompareAspect.DRIFT:
            assert len(at.get("plotly_chart")) == figures.get(aspect, 1)
        labels = [item.label for item in at.get("download_button")]
        assert {"Measures (CSV)", "All numbers (JSON)"} <= set(labels)
        assert not at.warning

    def test_a_sentence_says_first_how_proset_stands(self, shown, found):
        assert verdict(found)
        assert f"**{unbroken(verdict(found))}**" in shown().words().replace("\\", "")

    def test_the_number_of_prototypes_is_that_of_the_model_where_it_is_not_a_mean(self, shown, found, iris_study):
        assert with_column(shown(compared="cost"), "n_prototypes").loc["proset", "n_prototypes"] == len(
            iris_study.prototypes
        )
        assert "Counts are means over the folds; the model of all rows may have more" in shown(compared="size").words()

    def test_a_pair_lists_its_rows_and_leads_through_them(self, shown, found, iris_study):
        rows = disagreements(iris_study, found).rows
        apart = rows.index[rows["proset_says"] != rows["xgboost_says"]].tolist()
        assert apart
        at = shown(compared="disagree", pair=str(pair_number("proset", "xgboost")))
        listed = with_column(at, "gap")
        assert listed.index.tolist() == apart
        assert list(listed.columns) == ["actual", "proset", "xgboost", "gap"]
        at.button(key="compare.walk").click().run()
        assert at.held.cases == CaseSet(picked=tuple(map(CaseRef.in_table, apart)), by=Picker.COMPARE)
        assert at.held.case == CaseRef.in_table(apart[0])
        at.go("case")
        assert "on which systems disagree" in at.words()
        at.go("compare").selectbox(key="compare.pair").set_value(0).run()
        assert with_column(at, "gap").index.tolist() == rows.index.tolist()
        assert "pair" not in at.query_params

    @pytest.mark.parametrize("pair", ["1", str(pair_number("proset", "gbmap"))])
    def test_a_pair_that_was_not_compared_is_told_and_leaves_the_address(self, shown, pair):
        at = shown(compared="disagree", pair=pair)
        assert f"The address says pair = '{pair}', which this comparison does not have" in at.words()
        assert "pair" not in at.query_params
        at.run()
        assert "does not have" not in at.words()

    def test_long_names_of_classes_take_the_whole_width(self, shown, monkeypatch):
        layouts = {}
        for longest in (10, 30):
            monkeypatch.setattr("dashboard.components.compare.rows._longest", lambda _, found=longest: found)
            tables = [item for item in shown(compared="disagree").dataframe if "gap" in item.value]
            layouts[longest] = json.loads(tables[0].proto.columns)["actual"]["width"]
        assert layouts[30] > layouts[10]

    def test_of_very_many_rows_the_most_disputed_are_listed(self, shown, found, iris_study, monkeypatch):
        rows = disagreements(iris_study, found).rows
        monkeypatch.setattr("dashboard.services.compare.found.MOST_LISTED", 2)
        shorter = replace(found, seconds=found.seconds + 1.0)  # told from the one whose list is kept
        at = shown(compared="disagree", comparison=shorter)
        assert f"The 2 most disputed of {len(rows)} rows." in at.words()
        assert with_column(at, "gap").index.tolist() == rows.index[:2].tolist()

    def test_each_system_says_what_it_makes_of_the_selected_row(self, shown, found, iris_study):
        row = int(disagreements(iris_study, found).rows.index[0])
        at = shown(compared="disagree", row=str(row))
        assert f"What each system says of row {row}" in at.words()
        assert "No system has learned from this row." in at.words()
        for entry in found.systems:
            said = found.classes[int(entry.probabilities[found.measured.tolist().index(row)].argmax())]
            right = "right" if said == iris_study.labels[row] else "wrong"
            (line,) = re.findall(rf"\*\*{entry.title}\*\*  \n(.*)", at.words())
            assert line.startswith(f"'{said}', ")
            assert line.endswith(right)
        learned = int(found.rows[0])
        at.held.select(CaseRef.in_table(learned))
        at.run()
        assert "Every system has learned from this row" in at.words()

    @pytest.mark.slow
    def test_a_model_that_was_searched_for_is_said_to_be_flattered(self, shown, open_app, searched):
        assert "flatter" not in shown().words().partition("How to read")[0]
        plan = ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False)
        for tuned, said in ((False, True), (True, False)):
            at = open_app("data")
            at.held.open_study(searched)
            at.held.opened.values[searched.id, "comparison"] = replace(
                compare(searched, plan), plan=replace(plan, tuned=tuned)
            )
            at.go("compare")
            assert not at.exception
            assert ("its folds flatter it" in at.words()) is said
            assert ("it is not the model of the other pages" in at.words()) is tuned

    def test_the_case_page_has_them_too_once_there_is_a_comparison(self, shown, found):
        at = shown("case", row="1", tab="systems")
        assert "The nearest prototype decides." in at.words()
        at.held.opened.values = {slot: v for slot, v in at.held.opened.values.items() if slot[1] != "comparison"}
        at.run()
        assert not at.exception
        assert "The nearest prototype decides." not in at.words()

    def test_a_distance_that_there_is_not_counts_as_the_first(self, shown):
        at = shown(compared="map", distance="xgboost")
        assert at.selectbox(key="compare.distance").value == "raw"

    def test_the_map_says_whose_distance_it_is_and_speaks_of_rings_where_there_are_some(
        self, shown, found, monkeypatch
    ):
        plain = shown(compared="map", distance="raw").words()
        assert "the more alike they are in all features," in plain
        assert "Rings: what this model gets wrong." in plain
        made = planes.distance_map

        def all_right(*args):
            drawn = made(*args)
            return replace(drawn, rows=drawn.rows.assign(predicted=drawn.rows["actual"]))

        monkeypatch.setattr(planes, "distance_map", all_right)
        said = shown(compared="map", distance="smp", comparison=replace(found, seconds=found.seconds + 3.0)).words()
        assert "None of these rows is one that Sparse multi-prototype gets wrong." in said
        assert "Rings:" not in said
        assert "the more alike they are to Sparse multi-prototype," in said

    @pytest.mark.parametrize(
        ("fixed", "others", "words"),
        [
            ({}, ["b"], ": b."),  # the model of the other pages does not use it; other systems may
            ({"a": "1.5"}, ["b", "a"], ": a 1.5; b."),
            ({"a": "1.5"}, list("abcde"), ": a 1.5; 4 more features."),
            ({}, list("abcde"), ": 5 features."),
        ],
    )
    def test_what_is_fixed_is_named_where_it_is_little(self, fixed, others, words):
        surface = SimpleNamespace(likeliest=np.zeros(4), fixed=pd.Series(fixed, dtype="str"))
        said = surfaces_words((SideSurface("proset", "proset", surface),), others)
        assert said == f"Fixed at the middle of the training rows{words}"

    def test_familiarity_is_no_face_of_these_surfaces(self, shown):
        at = shown(compared="surfaces", face="familiarity")
        assert at.selectbox(key="surface.face").value[0] == "class"

    def test_what_was_chosen_since_is_said(self, shown):
        at = shown(systems="proset,knn")
        assert "Chosen now, and not compared yet: without Prototype vector machine, without Sparse" in at.words()
        assert "not compared yet" not in shown(systems="proset,pvm,smp,knn,xgboost").words()
        assert (
            "not compared yet: tuned settings." in shown(systems="proset,pvm,smp,knn,xgboost", setting="tuned").words()
        )

    def test_another_rule_does_not_count_here_and_that_is_said(self, shown):
        at = shown()
        assert "the rule of the other pages" not in at.words()
        at.held.decide_by(DecisionRule(leave_below=0.2))
        at.run()
        assert "the rule of the other pages does not count" in at.words()

    def test_equal_means_keep_their_own_deviations(self, found):
        """A cell is written by its number: two that are equal would both get the deviation of the last."""
        scores = [np.full((3, 4), 0.5), np.tile([[0.25], [0.5], [0.75]], 4)]
        systems = [replace(entry, fold_scores=own) for entry, own in zip(found.systems, scores, strict=False)]
        numbers, texts = metric_lines(metric_table(replace(found, systems=tuple(systems))))
        assert texts["log_loss_mean"].tolist() == ["0.500 ± 0.000", "0.500 ± 0.250"]
        assert numbers["log_loss_mean"].nunique() == 2
        assert numbers["log_loss_mean"].tolist() == pytest.approx([0.5, 0.5])

    @pytest.mark.slow
    def test_folds_that_follow_each_other_in_time_are_not_said_to_be_random(self, open_app):
        rng = np.random.default_rng(0)
        y = np.array(["a", "b"])[rng.integers(0, 2, 90)]
        days = pd.date_range("2020-01-01", periods=90).strftime("%Y-%m-%d")
        text = pd.DataFrame({"x": rng.normal(size=90), "of": np.arange(90) // 2, "day": days, "y": y}).to_csv(
            index=False
        )
        table = read_table(text.encode())
        roles = guess_roles(table, target="y").roles
        study = fit_study(table, roles, split=SplitSettings(time="day", groups="of"))
        at = open_app("data")
        at.held.open_study(study)
        at.held.opened.values[study.id, "comparison"] = compare(study, replace(FEW, systems=("proset", "knn")))
        at.go("compare")
        said = at.words()
        assert "No fold measures a row of" not in said
        assert "Each fold learns from the rows before it by 'day', so" in said
        assert "Rows with the same 'of' are never on both sides of a fold." in said

    def test_a_class_that_no_fold_measures_is_named(self, shown, found):
        assert "No fold measures a row of 'setosa'" in shown(comparison=replace(found, unmeasured=("setosa",))).words()

    def test_another_model_has_no_comparison(self, shown, iris_study):
        at = shown()
        other = fit_study(iris_study.table, iris_study.roles, split=SplitSettings(seed=5))
        at.held.add_study(other)
        at.run()
        assert not at.exception
        assert at.button(key="compare.start").label == "Compare"

    def test_the_files_hold_the_numbers(self, shown, found):
        at = shown()
        by_label = {item.label: item for item in at.get("download_button")}
        offered = ("Disagreements", "Estimates", "Measures by fold")
        assert {*(f"{name} (CSV)" for name in offered), "All tables (Excel)"} <= set(by_label)
        held = json.loads(comparison_json(at.held.study, found))
        assert [line["key"] for line in held["measures"]] == list(found.plan.systems)
        assert held["plan"] == found.plan.to_state()
        assert "NaN" not in json.dumps(held)

    def test_every_table_begins_with_what_its_lines_are(self, shown, monkeypatch):
        offered = {}
        monkeypatch.setattr(downloads, "show", lambda *files, key: offered.update({file.label: file for file in files}))
        shown()
        heads = {
            label: file.make().decode("utf-8-sig").split(",")[0] for label, file in offered.items() if "CSV" in label
        }
        assert heads == {
            "Measures (CSV)": "key",
            "Measures by fold (CSV)": "system",
            "Sizes (CSV)": "system",
            "Features (CSV)": "feature",
            "Disagreements (CSV)": "row",
            "Estimates (CSV)": "row",
            "Cost (CSV)": "key",
            "Drift (CSV)": "key",
        }


class TestOddTables:
    def walk(self, open_app, study, comparison):
        """Open each part of the page."""
        at = open_app("data")
        at.held.open_study(study)
        at.held.opened.values[study.id, "comparison"] = comparison
        at.held.select(CaseRef.in_table(int(comparison.measured[0])))
        said = {}
        for aspect in CompareAspect:
            at.held.put(PARAMS[0], aspect)
            at.go("compare")
            assert not at.exception, aspect
            said[aspect] = at.words()
        return at, said

    @pytest.mark.slow
    @pytest.mark.parametrize("key", main_cases(["markdown picture", "html picture"], every=2))
    def test_strangers_words_are_no_markup(self, open_app, key):
        study = study_of(STRANGE[key])
        at = open_app("data")
        at.held.open_study(study)
        found = compare(study, ComparePlan(("proset", "smp", "knn"), n_folds=2))
        at.held.opened.values[study.id, "comparison"] = found
        at.held.select(CaseRef.in_table(int(found.measured[0])))
        for aspect in CompareAspect:
            at.held.put(PARAMS[0], aspect)
            at.go("compare")
            assert not at.exception, aspect
            kinds = (at.markdown, at.caption, at.header, at.info, at.warning)
            assert not [item for kind in kinds for item in kind if STRANGE[key] in str(item.value)], aspect

    @pytest.mark.slow
    def test_one_feature_has_no_surface(self, open_app, iris_study):
        study = fit_study(iris_study.table, iris_study.roles.with_role("sepal width (cm)", Role.EXTRA))
        _, said = self.walk(open_app, study, compare(study, FEW))
        assert "Surfaces need two features that can vary." in said[CompareAspect.SURFACES]

    @pytest.mark.slow
    def test_without_held_out_rows_it_says_what_is_measured_on(self, open_app, iris_study, found):
        # No table that can be cut into folds is without held-out rows; a comparison by a script may be.
        rows = iris_study.split.train
        systems = tuple(
            replace(entry, probabilities=iris_study.probabilities.loc[rows].to_numpy()) for entry in found.systems
        )
        _, said = self.walk(open_app, iris_study, replace(found, which="training rows", measured=rows, systems=systems))
        assert "only the first says what to expect of new cases" in said[CompareAspect.QUALITY]
        assert "measured on 3 folds and 105 training rows" in said[CompareAspect.QUALITY]

    @pytest.mark.slow
    def test_the_smallest_table_that_can_be_fitted_is_compared_on_fewer_folds(self, open_app):
        lines = [f"{i % 7},{i},{'xy'[i % 2]}" for i in range(12)]
        table = read_table("\n".join(["a,b,c", *lines]).encode(), name="twelve.csv")
        study = fit_study(table, Roles({"a": Role.NUMERIC, "b": Role.NUMERIC, "c": Role.TARGET}))
        at = open_app("data")
        at.held.open_study(study)
        at.go("compare")
        at.button(key="compare.start").click().run()
        at.wait()
        assert not at.exception
        assert "Traceback" not in at.words()
        assert "on 8 training rows, measured on 4 folds and 4 held-out rows." in at.words()

    def test_the_smaller_version_says_all_that_is_less(self):
        tuned, few = ComparePlan(tuned=True), ComparePlan(max_rows=5_000)
        for smaller, words in (
            (few, "5,000 rows and quick settings"),
            (replace(few, tuned=True), "5,000 rows"),
            (ComparePlan(), "quick settings"),
        ):
            label = smaller_label(TimeEstimate(tuned, 9_000, (), 120.0, smaller, 4.0))
            assert label == f"Compare with {words} (about 4 s)"

    def test_two_that_agree_do_so_on_the_rows_measured(self, open_app, iris_study):
        twins = [replace(one, make=contenders_of(FEW, iris_study)[2].make) for one in contenders_of(FEW, iris_study)]
        _, said = self.walk(open_app, iris_study, compare(iris_study, FEW, contenders=twins))
        assert "the same for every row that they are measured on." in said[CompareAspect.DISAGREE]

    def test_a_system_that_fails_says_so_and_the_others_are_shown(self, open_app, iris_study):
        first, *others = contenders_of(FEW, iris_study)
        found = compare(iris_study, FEW, contenders=(replace(first, make=lambda: 1 / 0), *others))
        at, said = self.walk(open_app, iris_study, found)
        assert "proset: " in said[CompareAspect.QUALITY]
        assert "Traceback" not in said[CompareAspect.QUALITY]
        at.held.put(PARAMS[0], CompareAspect.QUALITY)
        at.go("compare")
        assert with_column(at, "equivalent")["equivalent"].tolist()[0] == "failed"

    @pytest.mark.slow
    def test_what_fails_after_the_folds_takes_no_place_in_the_table_away(self, open_app, iris_study, found):
        late = [replace(entry, failed="Shifted rows: too few.") for entry in found.systems]
        numbers, _ = metric_lines(metric_table(replace(found, systems=tuple(late))))
        before, _ = metric_lines(metric_table(found))
        assert numbers["equivalent"].tolist() == before["equivalent"].tolist()
        _, said = self.walk(open_app, iris_study, replace(found, systems=tuple(late)))
        assert "Shifted rows: too few." in said[CompareAspect.QUALITY]
        assert "Here: " in said[CompareAspect.QUALITY]

    @pytest.mark.parametrize("aspect", [CompareAspect.DISAGREE, CompareAspect.SURFACES, CompareAspect.MAP])
    def test_a_system_that_stumbles_when_it_is_asked_says_so(self, shown, found, monkeypatch, aspect):
        def stumbles(*_, **__):
            raise ValueError("no such luck")

        for place, name in (
            ("compare.case", "explain_row"),
            ("compare.planes", "side_surfaces"),
            ("compare.planes", "distance_map"),
        ):
            monkeypatch.setattr(f"dashboard.components.{place}.{name}", stumbles)
        at = shown(compared=aspect.value, row="1", comparison=replace(found, seconds=found.seconds + 2.0))
        assert "A system of the comparison cannot answer. No such luck." in at.words() or "no such luck" in at.words()

    def test_all_systems_may_fail(self, open_app, iris_study):
        none = [replace(one, make=lambda: 1 / 0) for one in contenders_of(FEW, iris_study)]
        found = compare(iris_study, FEW, contenders=none)
        self.walk(open_app, iris_study, found)


class TestTheJob:
    @pytest.mark.slow
    def test_it_brings_what_is_computed_here(self, iris_study, tmp_path, monkeypatch):
        told = []
        monkeypatch.setattr(compare_task, "_SECONDS_BETWEEN_WORDS", 0.0)
        monkeypatch.setattr(
            compare_task,
            "_write_so_far",
            lambda now, folder: (_write_so_far(now, folder), told.append(COMPARE.so_far(folder))),
        )
        request = CompareRequest(iris_study, FEW)
        COMPARE.write(request, tmp_path)
        read = COMPARE.read(tmp_path)
        assert read.plan == FEW
        assert COMPARE.so_far(tmp_path) is None
        COMPARE.run(read, ProgressWriter(tmp_path / "progress.jsonl"), tmp_path)
        brought, here = COMPARE.result(request, tmp_path), compare(iris_study, FEW)
        for one, other in zip(brought.systems, here.systems, strict=True):
            np.testing.assert_allclose(one.fold_scores, other.fold_scores)
            np.testing.assert_allclose(one.probabilities, other.probabilities)
        last = json.loads((tmp_path / "progress.jsonl").read_text().splitlines()[-1])
        assert (last["stage"], last["remaining"]) == ("keeping", None)
        assert all(doing for doing, _ in told[:-1])
        doing, standings = told[-1]
        assert doing == ""
        assert [line.title for line in standings] == [entry.title for entry in here.systems]

    def test_a_comparison_of_another_model_is_refused(self, iris_study, tmp_path):
        request = CompareRequest(iris_study, ComparePlan(("knn", "smp"), n_folds=2, sizes=False, drift=False))
        COMPARE.write(request, tmp_path)
        COMPARE.run(request, ProgressWriter(tmp_path / "progress.jsonl"), tmp_path)
        other = fit_study(iris_study.table, iris_study.roles, split=SplitSettings(seed=3))
        with pytest.raises(StorageError):
            COMPARE.result(CompareRequest(other, request.plan), tmp_path)

    @pytest.mark.parametrize(
        "text", ["", "[]", '{"systems": 3}', '{"systems": [1, ["a"], ["a", 0.1, "b", ""], [1, 2, 3, 4]]}']
    )
    def test_what_a_worker_wrote_badly_shows_nothing(self, tmp_path, text):
        (tmp_path / "so_far.json").write_text(text)
        found = COMPARE.so_far(tmp_path)
        assert found is None or found[1] == ()

    def test_what_it_wrote_well_is_shown(self, tmp_path):
        (tmp_path / "so_far.json").write_text(
            '{"doing": "kNN", "systems": [["kNN", 0.5, 2, ""], ["SMP", null, 0, "no"]]}'
        )
        assert COMPARE.so_far(tmp_path) == (
            "kNN",
            (SystemStanding("kNN", 2, 0.5, ""), SystemStanding("SMP", 0, None, "no")),
        )

    def test_how_long_each_was_thought_to_take_goes_with_the_request(self, iris_study, tmp_path):
        times = (SystemTime("smp", "SMP", 9.0, True, ""), SystemTime("knn", "kNN", float("nan"), True, "overflow"))
        needed = TimeEstimate(FEW, 100, times, 120.0, None, float("nan"))
        COMPARE.write(CompareRequest(iris_study, FEW, needed), tmp_path)
        read = COMPARE.read(tmp_path)
        assert [(entry.key, entry.seconds) for entry in read.needed.systems] == [("smp", 9.0)]
        for text in ("{}", "[]", '{"smp": "x"}', '{"smp": -1}', ""):
            (tmp_path / "needed.json").write_text(text)
            assert COMPARE.read(tmp_path).needed is None

    @pytest.mark.slow
    def test_one_that_went_on_opens_with_its_table_and_with_what_was_chosen_for_it(
        self, open_app, iris_study, monkeypatch, hold
    ):
        hold(1)
        monkeypatch.setattr(compare_start, "estimate", quickly)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="smp,knn")
        at.button(key="compare.start").click().run()
        at.toggle(key="job.stays.compare.compare").set_value(True).run()
        at.go("data").button(key="sample.wine").click().run()
        hold.let_go()
        at.wait()
        at.button(key="job.offer.open.0").click().run()
        at.go("compare")
        assert not at.exception
        assert "2 systems, each with its quick settings" in at.words()
        assert "not compared yet" not in at.words()

    def test_the_last_word_is_of_no_system(self, tmp_path):
        _write_so_far(CompareProgress("", "done", 4, 4, 1.0, ()), tmp_path)
        assert COMPARE.so_far(tmp_path) == ("", ())

    @pytest.mark.slow
    def test_one_of_bundled_data_that_was_made_before_opens_at_once_for_all(self, open_app, iris_study, monkeypatch):
        monkeypatch.setattr(compare_start, "estimate", quickly)
        cache.keep_sample_study("iris_2f", iris_study)
        first = open_app("compare", data="iris_2f", fit="own", systems="smp,knn")
        first.button(key="compare.start").click().run()
        first.wait()
        second = open_app("compare", data="iris_2f", fit="own", systems="smp,knn")
        assert "This server has made this comparison before: it opens at once." in second.words()
        assert "This takes about" not in second.words()
        second.button(key="compare.start").click().run()
        assert not second.jobs
        slot = iris_study.id, "comparison"
        assert second.held.opened.values[slot] is first.held.opened.values[slot]
        other = open_app("compare", data="iris_2f", fit="own", systems="smp,knn", setting="tuned")
        assert "it opens at once" not in other.words()

    def test_one_of_a_persons_own_table_is_kept_for_nobody_else(self, open_app, iris_study, found):
        at = open_app("data")
        at.held.open_study(iris_study)
        cache.keep_sample_work(iris_study.id, plan_of(("smp", "knn"), tuned=False), found)
        assert compare_start.study_job.known(at.held, iris_study, plan_of(("smp", "knn"), tuned=False)) is None

    @pytest.mark.slow
    def test_it_runs_and_its_result_stays_with_its_model(self, open_app, iris_study, hold):
        hold(1)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="smp,knn", compared="cost")
        at.button(key="compare.start").click().run()
        assert at.job is not None
        assert "being fitted" not in at.words()
        hold.let_go()
        at.wait()
        assert not at.exception
        assert at.held.opened.values[iris_study.id, "comparison"].plan.systems == ("smp", "knn")
        assert "n_prototypes" in with_column(at, "fit_seconds")

    @pytest.mark.slow
    def test_of_another_model_and_of_one_that_is_gone_it_says_so(self, open_app, iris_study, monkeypatch, hold):
        hold(1)
        monkeypatch.setattr(compare_start, "estimate", quickly)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own", systems="knn,smp")
        at.button(key="compare.start").click().run()
        other = fit_study(iris_study.table, iris_study.roles, split=SplitSettings(seed=6))
        at.held.add_study(other)
        at.run()
        assert "The comparison under way is of another model" in at.words()
        at.held.opened.remove(iris_study.id)
        hold.let_go()
        at.wait()
        assert not at.exception
        assert "The model that the comparison was about is no longer kept" in at.words()
        assert at.button(key="compare.start").label == "Compare"

    @pytest.mark.parametrize("end", ["cancelled", "killed"])
    def test_what_ends_early_says_so_and_leaves_the_page_as_it_was(self, open_app, iris_study, end, hold):
        hold(1)
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app("compare", data="iris_2f", fit="own")
        at.button(key="compare.start").click().run()
        if end == "cancelled":
            at.button(key="job.cancel.compare.compare").click().run()
            assert "The comparison was cancelled. Nothing else has changed." in at.words()
        else:
            os.kill(at.job._entry.process.pid, signal.SIGKILL)
            at.wait()
            assert (
                "The comparison was ended from outside, by the system where memory ran out, or by a person."
                in at.words()
            )
        assert not at.exception
        assert at.button(key="compare.start").label == "Compare"

    @pytest.mark.slow
    def test_another_table_ends_it_and_the_way_back_has_the_former_comparison(self, shown, found, hold):
        hold(1)
        at = shown()
        at.button(key="compare.start").click().run()
        at.go("data").button(key="sample.wine").click().run()
        assert not at.exception
        assert "The comparison under way was stopped because another table was opened." in at.words()
        assert not at.jobs


def test_every_part_of_the_page_has_its_file(shown, found):
    frames = {"Sizes (CSV)", "Features (CSV)", "Cost (CSV)", "Drift (CSV)"}
    assert frames <= {item.label for item in shown().get("download_button")}
    for aspect, label in (
        (CompareAspect.SIZE, "Error against size (HTML)"),
        (CompareAspect.MAP, "Map (HTML)"),
        (CompareAspect.DRIFT, DRIFT_FILE),
    ):
        at = shown(compared=aspect.value)
        assert label in {item.label for item in at.get("download_button")}
    assert isinstance(found.systems[0].path, pd.DataFrame)


def test_prototypes_are_called_as_on_the_other_pages(iris_study):
    frame = iris_study.table.frame.copy()
    names = [f"plant {row}" for row in frame.index]
    frame.insert(0, "plant", names)
    named = read_table(frame.to_csv(index=False).encode(), name="plants.csv")
    roles = Roles({"plant": Role.IDENTIFIER, **iris_study.roles.by_column})
    for study, words in (
        (iris_study, ("Row {}", "Near row {}")),
        (fit_study(named, roles), ("plant {}", "Near plant {}")),
    ):
        found = compare(study, ComparePlan(("proset", "smp"), n_folds=2, sizes=False, drift=False))
        for one, word in zip(explain_row(study, found, 1), words, strict=True):
            called = prototype_names(study, one)
            assert called == [word.format(row) for row in one.prototypes["row"]]
            assert values_frame(study, one).columns[1] == called[0]
