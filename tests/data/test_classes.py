"""How classes are made of the target: ranges, names, what is set aside, their order; and where all of it holds."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from effort import counted

from proset.common.errors import RoleError, StorageError
from proset.data.classes import MOST_RANGES, TargetClasses, check_labels
from proset.data.cuts import cuts_text, equal_ranges, read_cuts
from proset.data.issues import Role
from proset.data.profile import profile_column
from proset.data.role_check import check_roles
from proset.data.role_guess import guess_roles, review_roles
from proset.data.roles import Roles
from proset.data.table import read_table
from proset.data.target import class_order, target_labels, with_evident_order
from proset.selection import SearchPlan
from proset.storage import load, save
from proset.study import FitSettings, fit_study, search_study
from proset.study.recipe import Recipe

RNG = np.random.default_rng(7)
QUICK = FitSettings(n_iter=1, num_candidates=40)


def table_of(**columns):
    return read_table(pd.DataFrame(columns).to_csv(index=False).encode(), name="made.csv")


def prices(n=90):
    """A table whose price follows its size."""
    size = RNG.permutation(np.arange(n)) / 7.0
    return table_of(
        size=size.round(3), noise=RNG.normal(size=n).round(3), price=(10 * size + RNG.normal(size=n)).round(2)
    )


def kinds():
    return table_of(x=RNG.normal(size=60).round(3), kind=["c"] * 30 + ["a"] * 20 + ["b"] * 6 + ["d"] * 3 + ["e"])


def roles_of(table, target, classes=None):
    return guess_roles(table, target=target).roles.with_classes(classes)


class TestRanges:
    def test_a_number_belongs_to_the_range_that_ends_with_it(self):
        said = TargetClasses(cuts=(12, 30)).apply(pd.Series([11.5, 12, 12.01, 30, 31, np.nan, np.inf]))
        assert said.tolist()[:5] == ["up to 12", "up to 12", "over 12 to 30", "over 12 to 30", "over 30"]
        assert said.isna().tolist()[5:] == [True, True]

    def test_a_day_belongs_to_the_range_that_begins_with_it(self):
        days = pd.Series([pd.Timestamp("2024-04-30 23:00"), pd.Timestamp("2024-05-01"), None], name="seen")
        classes = read_cuts("2024-05-01", profile_column(days))
        assert classes.apply(days).tolist()[:2] == ["before 2024-05-01", "from 2024-05-01"]
        assert cuts_text(classes) == "2024-05-01"

    def test_moments_within_a_day_or_a_second(self):
        hours = pd.Series(pd.date_range("2024-05-01 08:00", periods=9, freq="h"), name="seen")
        made = equal_ranges(hours, profile_column(hours), 2)
        assert made.labels == ("before 2024-05-01 13:00:00", "from 2024-05-01 13:00:00")
        assert made.apply(hours).value_counts().tolist() == [5, 4]
        ticks = pd.Series(pd.date_range("2024-05-01 08:00:00.1", periods=9, freq="ms"), name="seen")
        assert equal_ranges(ticks, profile_column(ticks), 3).cuts == ()

    def test_dates_in_text_are_read_as_the_whole_column_spells_them(self):
        days = pd.Series([f"05/{day}/2024" for day in range(1, 31)], name="seen")
        classes = equal_ranges(days, profile_column(days), 2)
        assert classes.dates == "%m/%d/%Y"
        assert classes.apply(pd.Series(["05/02/2024", "05/29/2024"])).tolist() == list(classes.labels)

    @pytest.mark.parametrize("parts", [2, 3, 4])
    def test_offered_ranges_hold_about_as_many_rows_each(self, parts):
        values = pd.Series(RNG.lognormal(size=500), name="x")
        said = equal_ranges(values, profile_column(values), parts).apply(values)
        assert said.value_counts().between(500 // parts - 2, 500 // parts + 2).all()
        assert said.nunique() == parts

    def test_cuts_are_short(self):
        values = pd.Series([4987.3, 4998.1, 5003.7, 5400.0], name="x")
        assert equal_ranges(values, profile_column(values), 2).cuts == (5000.0,)

    def test_many_equal_rows_give_fewer_ranges_and_none_is_empty(self):
        values = pd.Series([0] * 90 + [5, 6, 7, 8, 9] * 2, name="claims")
        classes = equal_ranges(values, profile_column(values), 4)
        assert classes.labels == ("up to 0", "over 0")
        assert equal_ranges(pd.Series([3, 3], name="x"), profile_column(pd.Series([3, 3], name="x")), 2).cuts == ()

    @pytest.mark.parametrize(
        ("text", "cuts"),
        [("1.5,3", (1.5, 3.0)), ("3 1.5", (1.5, 3.0)), ("1,5; 3", (1.5, 3.0)), (" 2 ,2", (2.0,)), ("-1", (-1.0,))],
    )
    def test_own_cuts(self, text, cuts):
        assert read_cuts(text, profile_column(pd.Series([-2, 5.5], name="x"))).cuts == cuts

    @pytest.mark.parametrize(
        ("text", "words"),
        [("", "No cut"), ("low", "'low' is no number"), ("9", "without rows"), ("nan", "no number"), ("-3", "without")],
    )
    def test_impossible_cuts_are_refused(self, text, words):
        with pytest.raises(RoleError, match=words) as caught:
            read_cuts(text, profile_column(pd.Series([-2, 5.5], name="x")))
        assert caught.value.column == "x"
        assert caught.value.hint

    def test_words_cannot_be_cut(self):
        with pytest.raises(RoleError, match="holds no numbers"):
            read_cuts("3", profile_column(pd.Series(["a", "b"], name="kind")))

    def test_too_many_ranges(self):
        with pytest.raises(RoleError, match=f"at most {MOST_RANGES}"):
            TargetClasses(cuts=tuple(range(MOST_RANGES)))


class TestNames:
    def test_two_labels_of_one_name_are_one_class(self):
        classes = TargetClasses().joined(["b", "d"], "other").without(["e"])
        labels = target_labels(kinds().frame, roles_of(kinds(), "kind", classes))
        assert labels.value_counts().to_dict() == {"c": 30, "a": 20, "other": 9}
        assert labels.isna().sum() == 1

    def test_a_label_can_join_one_that_keeps_its_name(self):
        assert TargetClasses(names={"b": "a", "a": "c"}).apply(pd.Series(["a", "b"])).tolist() == ["c", "a"]

    def test_each_of_very_many_names_costs_the_same(self):
        def calls(count):
            labels = pd.Series([f"k{i}" for i in range(count)])
            names = {name: f"c{name}" for name in labels}
            many = TargetClasses(names=names, order=tuple(names.values()))
            with counted() as effort:
                check_labels(many, labels)
                assert many.sort(many.named(labels))[0] == "ck0"
            return effort.calls

        assert calls(20_000) < 2.2 * calls(10_000)

    def test_a_label_joined_again_is_no_longer_set_aside(self):
        classes = TargetClasses(set_aside=("b", "c")).joined(["b"], "x")
        assert (classes.set_aside, dict(classes.names)) == (("c",), {"b": "x"})

    @pytest.mark.parametrize(
        "wrong",
        [
            {"cuts": (3, 1)},
            {"cuts": (1, 1)},
            {"cuts": (float("nan"),)},
            {"names": {"a": "  "}},
            {"names": {"a": "x" * 201}},
            {"names": {"a": "x"}, "set_aside": ("a",)},
            {"order": ("a", "a")},
            {"cuts": (1e9,), "dates": "ISO8601"},
            {"dates": "soon"},
            {"cuts": (1.0, 1.0 + 1e-9), "dates": "ISO8601"},
        ],
    )
    def test_what_is_impossible_whatever_the_table_holds(self, wrong):
        with pytest.raises(RoleError) as caught:
            TargetClasses(**wrong)
        assert caught.value.hint

    @pytest.mark.parametrize("wrong", [{"set_aside": ("z",)}, {"names": {"z": "a"}}, {"order": ("z",)}])
    def test_classes_that_are_not_there_are_named(self, wrong):
        labels = pd.Series(["a", "b"], name="kind")
        with pytest.raises(RoleError, match="'kind' has no class 'z'") as caught:
            check_labels(TargetClasses(**wrong), labels)
        assert "'a', 'b'" in str(caught.value)

    def test_the_order_is_that_of_the_classes_not_of_the_labels(self):
        check_labels(TargetClasses(names={"a": "first"}, order=("first", "b")), pd.Series(["a", "b"]))
        with pytest.raises(RoleError, match="'a'"):
            check_labels(TargetClasses(names={"a": "first"}, order=("a",)), pd.Series(["a", "b"]))


class TestOrder:
    def test_ranges_come_from_low_to_high(self):
        classes = TargetClasses(cuts=(5, 10, 200), names={"over 5 to 10": "middling"})
        assert classes.sort(["over 200", "middling", "up to 5", "over 10 to 200"]) == (
            "up to 5",
            "middling",
            "over 10 to 200",
            "over 200",
        )

    def test_without_a_word_the_alphabet_holds(self):
        assert class_order(Roles({}), ["10", "9", "a"]) == ("10", "9", "a")

    def test_classes_that_are_numbers_ascend_where_the_roles_say_so(self):
        marks = ["10", "2", "n/a", "1", "-3", "2.5"]
        assert TargetClasses(ascending=True).sort(marks) == ("-3", "1", "2", "2.5", "10", "n/a")
        assert TargetClasses(order=("10",), ascending=True).sort(marks)[:2] == ("10", "-3")
        assert TargetClasses().sort(["10", "2"]) == ("10", "2"), "as in former studies"
        said = TargetClasses(ascending=True)
        assert TargetClasses.from_state(said.to_state(), where="here") == said != TargetClasses()
        assert pickle.loads(pickle.dumps(said)) == said
        assert "ascending" not in TargetClasses().to_state(), "former versions can open it"
        with pytest.raises(StorageError):
            TargetClasses.from_state(said.to_state() | {"ascending": 1}, where="here")

    def test_a_scale_ascends_where_the_roles_say_so(self):
        answers = ["often", "never", "refused", "sometimes"]
        assert TargetClasses(ascending=True).sort(answers) == ("never", "sometimes", "often", "refused")
        frame = pd.DataFrame({"answer": answers})
        assert with_evident_order(frame, Roles({"answer": Role.TARGET})).classes == TargetClasses(ascending=True)
        kinds = pd.DataFrame({"kind": ["gentoo", "adelie"]})
        assert with_evident_order(kinds, Roles({"kind": Role.TARGET})).classes is None

    def test_stated_classes_come_first(self):
        assert TargetClasses(cuts=(1,), order=("over 1",)).sort(["up to 1", "over 1"]) == ("over 1", "up to 1")


class TestRoles:
    def test_classes_belong_to_the_target(self):
        classes = TargetClasses(cuts=(3,))
        roles = Roles({"x": Role.NUMERIC, "y": Role.TARGET, "z": Role.TEXT}, {"y": Role.NUMERIC}, classes)
        assert roles.with_role("z", Role.EXTRA).classes == classes
        assert roles.with_role("x", Role.TARGET).classes is None
        assert roles.with_role("y", Role.NUMERIC).classes is None
        assert Roles({"x": Role.NUMERIC}, classes=classes).classes is None

    def test_equality_hash_and_copies_know_them(self):
        plain = Roles({"y": Role.TARGET})
        cut = plain.with_classes(TargetClasses(cuts=(3,)))
        assert plain != cut
        assert cut.with_classes(TargetClasses()) == plain
        assert hash(cut) == hash(copy.deepcopy(cut))
        assert pickle.loads(pickle.dumps(cut)) == cut

    def test_saved_and_read_back(self):
        classes = TargetClasses((0.1, 2e300), {"up to 0.1": "low"}, ("over 2e+300",), ("low",))
        roles = Roles({"y": Role.TARGET}, {}, classes)
        assert Roles.from_dict(json.loads(json.dumps(roles.to_dict()))) == roles
        assert "classes" not in Roles({"y": Role.TARGET}).to_dict()

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("cuts", [True]),
            ("cuts", [2, 1]),
            ("cuts", [10**400]),
            ("names", [["a"]]),
            ("names", [["a", " "]]),
            ("set_aside", ["a", "a"]),
            ("dates", "soon"),
            ("more", 1),
        ],
    )
    def test_nothing_saved_is_trusted(self, field, value):
        state = {"by_column": [["y", "target"]], "guessed": [], "classes": TargetClasses(cuts=(1,)).to_state()}
        state["classes"][field] = value
        with pytest.raises(StorageError, match=r"roles\.classes"):
            Roles.from_dict(state)

    def test_classes_without_a_target_are_refused(self):
        state = {"by_column": [["y", "text"]], "guessed": [], "classes": TargetClasses(cuts=(1,)).to_state()}
        with pytest.raises(StorageError, match="no column is the target"):
            Roles.from_dict(state)


class TestChecks:
    def test_a_quantity_is_refused_and_its_ranges_are_not(self):
        table = prices()
        with pytest.raises(RoleError, match="ranges"):
            check_roles(table, roles_of(table, "price"))
        check_roles(table, roles_of(table, "price", TargetClasses(cuts=(60.0,))))

    def test_naming_alone_makes_no_classes_of_a_quantity(self):
        table = prices()
        label = TargetClasses().label(table.frame["price"]).iloc[0]
        with pytest.raises(RoleError, match="quantity"):
            check_roles(table, roles_of(table, "price", TargetClasses(names={label: "low"})))

    def test_few_whole_numbers_become_classes_when_the_rare_ones_are_joined(self):
        table = table_of(x=RNG.normal(size=70).round(3), points=[*range(12), *[3] * 28, *[7] * 30])
        with pytest.raises(RoleError, match="quantity"):
            check_roles(table, roles_of(table, "points"))
        rare = [str(value) for value in range(12) if value not in (3, 7)]
        check_roles(table, roles_of(table, "points", TargetClasses().joined(rare, "other")))

    def test_cuts_in_words_or_of_the_other_kind_are_refused(self):
        with pytest.raises(RoleError, match="no numbers and no dates"):
            check_roles(kinds(), roles_of(kinds(), "kind", TargetClasses(cuts=(1,))))
        with pytest.raises(RoleError, match="holds numbers, but the cuts are dates"):
            check_roles(prices(), roles_of(prices(), "price", TargetClasses(cuts=(1,), dates="ISO8601")))

    def test_findings_are_about_the_classes(self):
        table = kinds()
        before = {issue.code for issue in review_roles(table, roles_of(table, "kind"))}
        joined = roles_of(table, "kind", TargetClasses(names={"d": "b", "e": "b"}))
        assert "small_class" in before
        assert "small_class" not in {issue.code for issue in review_roles(table, joined)}

    def test_rows_of_one_class_are_no_copies_of_each_other(self):
        table = table_of(x=[1.5, 2.5] * 30, price=np.arange(60) + 0.25)
        found = review_roles(table, roles_of(table, "price", TargetClasses(cuts=(30,))))
        assert "duplicate_rows" not in {issue.code for issue in found}

    def test_a_column_that_the_ranges_were_cut_from_is_found(self):
        table = prices()
        copied = read_table(
            table.frame.assign(again=table.frame["price"] * 2).to_csv(index=False).encode(), name="made.csv"
        )
        codes = {
            i.code
            for i in review_roles(copied, roles_of(copied, "price", TargetClasses(cuts=(60.0,))))
            if i.column == "again"
        }
        assert codes & {"target_ranges", "target_copy"}


@pytest.fixture(scope="module")
def study():
    table = prices()
    roles = roles_of(table, "price", TargetClasses(cuts=(40, 90), names={"up to 40": "z cheap"}))
    return fit_study(table, roles, settings=QUICK)


class TestStudies:
    def test_everything_follows_the_order_of_the_ranges(self, study):
        order = ("z cheap", "over 40 to 90", "over 90")
        assert study.classes == order
        assert tuple(study.probabilities.columns) == order
        assert study.metrics.accuracy > 0.8  # probabilities and classes belong together
        judged = study.predictions
        assert judged["predicted"].eq(study.probabilities.idxmax(axis=1)).all()
        assert judged.loc[judged["part"] == "held_out", "correct"].mean() == pytest.approx(study.metrics.accuracy)

    def test_the_class_of_a_prototype_is_that_of_its_row(self, study):
        kept = study.prototypes
        assert len(kept)
        assert (kept["class"].to_numpy() == study.labels.loc[kept["row"]].to_numpy()).all()

    def test_the_order_changes_no_estimate(self, study):
        plain = fit_study(
            study.table,
            study.roles.with_classes(TargetClasses(cuts=(40, 90), names={"up to 40": "z cheap"}, order=("over 90",))),
            settings=QUICK,
        )
        assert plain.classes[0] == "over 90"
        pd.testing.assert_frame_equal(plain.probabilities[list(study.classes)], study.probabilities)
        assert plain.id != study.id

    def test_many_numbers_ascend_in_new_studies_and_stay_in_former_ones(self, tmp_path):
        kinds = np.repeat(np.arange(12), 12)
        table = table_of(x=(kinds + RNG.normal(size=144) / 4).round(3), kind=kinds)
        guess = guess_roles(table, target="kind").roles
        assert guess_roles(table, target="x").roles.classes is None, "an amount has no classes"
        numbers = tuple(str(k) for k in range(12))
        for roles, order in ((guess, numbers), (guess.with_classes(None), tuple(sorted(numbers)))):
            study = fit_study(table, roles, settings=QUICK)
            assert study.classes == tuple(study.metrics.confusion.index) == order
            save(study, tmp_path / "kept.proset")
            again = load(tmp_path / "kept.proset")
            assert (again.id, again.classes, again.roles) == (study.id, order, study.roles)
            said = study.predictions["predicted"].astype(float) - study.predictions["actual"].astype(float)
            assert said.abs().mean() < 1.0

    def test_saved_and_opened(self, study, tmp_path):
        save(study, tmp_path / "ranges.proset")
        opened = load(tmp_path / "ranges.proset")
        assert (opened.id, opened.roles, opened.classes) == (study.id, study.roles, study.classes)
        pd.testing.assert_frame_equal(opened.score(study.table.frame), study.score(study.table.frame))

    def test_rows_that_are_set_aside_get_estimates_only(self):
        table = kinds()
        study = fit_study(table, roles_of(table, "kind", TargetClasses(set_aside=("d", "e"))), settings=QUICK)
        assert study.classes == ("a", "b", "c")
        assert len(study.split.unlabelled) == 4
        assert study.predictions.loc[study.split.unlabelled, "predicted"].notna().all()

    def test_the_recipe_says_what_is_different(self):
        roles = Roles({"y": Role.TARGET, "x": Role.NUMERIC})
        cut = Recipe(roles.with_classes(TargetClasses(cuts=(3,))))
        assert Recipe(roles).differences(cut) == "the classes of the target"
        assert cut.differences(Recipe(roles.with_role("x", Role.TARGET))) == "the target ('y' before, 'x' now)"

    def test_a_search_ends_with_the_classes_in_their_order(self, study, tmp_path):
        plan = SearchPlan(lambda_v=(1e-3, 1e-1), n_trials=2, n_folds=2, max_batches=1)
        found = search_study(study.table, study.roles, plan=plan, settings=QUICK, n_jobs=1)
        assert found.classes == study.classes
        save(found, tmp_path / "found.proset")
        assert load(tmp_path / "found.proset").id == found.id
