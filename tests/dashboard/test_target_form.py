"""Making classes of the target on the Data page: ranges, own cuts, rare classes; and the table of classes behind it."""

import numpy as np
import pandas as pd
import pytest

from dashboard.services.data.target import (
    MOST_LABELS_EDITED,
    Ranges,
    carried_over,
    chosen_ranges,
    class_table,
    edited_classes,
    offered_ranges,
    rare_class_counts,
    rare_classes,
)
from proset.data.classes import TargetClasses
from proset.data.profile import profile_column
from proset.data.role_guess import guess_roles
from proset.data.table import read_table

pytestmark = pytest.mark.usefixtures("worked_here")

RNG = np.random.default_rng(11)
N = 80
PRICES = pd.DataFrame({"size": RNG.uniform(1, 9, N).round(3), "price": RNG.lognormal(3, 1, N).round(2)})
KINDS = pd.DataFrame(
    {"x": RNG.normal(size=60).round(3), "kind": ["a"] * 30 + ["b"] * 20 + ["c"] * 4 + ["d"] * 4 + ["e"] * 2}
)
LABELS = KINDS["kind"].astype("str")


def upload(at, frame, target):
    content = frame.to_csv(index=False).encode()
    at.file_uploader(key="source.file").set_value(("made.csv", content, "text/csv")).run()
    at.target().set_value(target).run()
    return at


def ranges(at):
    """The choice of ranges; a list of none or one."""
    return [item for item in at.segmented_control if str(item.key).startswith("target.ranges.")]


def cuts(at):
    return [item for item in at.text_input if str(item.key).startswith("target.cuts.")]


def classes(at):
    return at.held.recipe.roles.classes


class TestPage:
    @pytest.mark.slow
    def test_an_amount_is_a_number_and_becomes_ranges_with_one_click(self, app):
        upload(app, PRICES, "price")
        (choice,) = ranges(app)
        assert choice.label == "Take it as"
        assert choice.value == Ranges.NUMBER
        assert app.held.recipe.roles.number
        assert "price is a number: the model will state a distribution. Ranges are one click away." in app.words()
        choice.set_value(Ranges.THIRDS).run()
        assert not app.exception
        assert not app.error
        assert len(classes(app).cuts) == 2
        assert "quantity" not in app.words()
        assert ranges(app)[0].value == Ranges.THIRDS
        app.fit()
        assert app.held.study.classes == classes(app).labels

    def test_own_cuts_begin_at_the_median_and_are_refused_in_words(self, app):
        upload(app, PRICES, "price")
        ranges(app)[0].set_value(Ranges.OWN).run()
        former = classes(app)
        assert len(former.cuts) == 1
        cuts(app)[0].set_value("15, high").run()
        assert not app.exception
        assert "'high' is no number" in app.error[0].value.replace("\\", "")
        assert cuts(app)[0].value == "15, high"
        assert classes(app) == former
        cuts(app)[0].set_value("30 15").run()
        assert not app.error
        assert classes(app).cuts == (15.0, 30.0)
        assert cuts(app)[0].value == "15, 30"
        assert ranges(app)[0].value == Ranges.OWN
        opened = app.held.opened
        opened.edit(roles=opened.recipe.roles.with_classes(classes(app).joined(["over 30"], "dear")))
        cuts(app)[0].set_value("15, 40").run()
        assert dict(classes(app).names) == {"over 40": "dear"}

    def test_another_target_starts_anew(self, app):
        upload(app, PRICES, "price")
        ranges(app)[0].set_value(Ranges.MEDIAN).run()
        app.target().set_value("size").run()
        assert classes(app) is None
        assert ranges(app)[0].value == Ranges.NUMBER

    def test_few_whole_numbers_are_classes_or_ranges(self, app):
        upload(app, PRICES.assign(grade=np.arange(N) % 5), "grade")
        assert ranges(app)[0].value == Ranges.VALUES
        ranges(app)[0].set_value(Ranges.MEDIAN).run()
        assert classes(app).labels == ("up to 2", "over 2")
        ranges(app)[0].set_value(Ranges.VALUES).run()
        assert classes(app) is None

    def test_words_have_no_ranges(self, app):
        assert not ranges(upload(app, KINDS, "kind"))

    def test_rare_classes_are_joined_with_one_click(self, app):
        upload(app, KINDS, "kind")
        assert "3 classes have fewer than 6 rows, too few to learn: 'c', 'd', 'e'" in app.words()
        button = app.button(key="target.join")
        assert button.label == "Join the 3 classes with fewer than 6 rows as 'other'"
        button.click().run()
        assert not app.exception
        assert dict(classes(app).names) == {"c": "other", "d": "other", "e": "other"}
        assert "Nothing stands in the way" in app.words()
        app.button(key="target.reset").click().run()
        assert classes(app) is None

    def test_a_rare_class_that_is_another_in_capitals_is_joined_first(self, app):
        upload(app, KINDS.replace({"kind": {"c": "A", "d": "b", "e": "B"}}), "kind")
        first = next(button for button in app.button if str(button.key).startswith("target."))
        assert (first.key, first.label) == ("target.alike", "Join 'A' with 'a', 'B' with 'b'")
        app.go("fit")
        assert app.button(key="target.alike").label == first.label
        app.go("data").button(key="target.alike").click().run()
        assert not app.exception
        assert dict(classes(app).names) == {"A": "a", "B": "b"}
        assert "too few to learn" not in app.words()
        assert "differ only in capitals" not in app.words()

    def test_the_finding_of_classes_in_capitals_joins_them(self, app):
        upload(app, KINDS.replace({"kind": {"c": "A", "d": "A", "e": "A"}}), "kind")
        app.button(key="findings.capitals.kind").click().run()
        assert not app.exception
        assert dict(classes(app).names) == {"A": "a"}
        assert "Joined 'A' with 'a' (10 rows)." in app.words()
        assert "differ only in capitals" not in app.words()

    @pytest.mark.slow
    def test_rare_classes_are_set_aside_with_one_click(self, app):
        upload(app, KINDS, "kind")
        app.button(key="target.aside").click().run()
        assert classes(app).set_aside == ("c", "d", "e")
        assert "10 rows have no class" in app.words()
        app.fit()
        assert app.held.study.classes == ("a", "b")

    @pytest.mark.slow
    def test_a_model_is_stale_when_its_classes_are_made_otherwise(self, app):
        upload(app, KINDS, "kind")
        app.button(key="target.aside").click().run()
        app.fit()
        app.go("data").button(key="target.reset").click().run()
        assert app.held.opened.changes == "the classes of the target"

    def test_markup_in_class_names_is_shown_as_it_is(self, app):
        frame = KINDS.replace({"kind": {"c": "[x](http://evil)"}})
        upload(app, frame, "kind")
        assert not app.exception
        for element in app.markdown:
            assert "[x](http" not in element.value


class TestRanges:
    def test_a_quantity_has_no_values_to_take(self):
        offered = offered_ranges(PRICES["price"], profile_column(PRICES["price"]))
        assert list(offered) == [Ranges.MEDIAN, Ranges.THIRDS, Ranges.QUARTERS, Ranges.OWN]
        assert chosen_ranges(offered, None) is None
        assert chosen_ranges(offered, TargetClasses(cuts=(1.25,))) is Ranges.OWN

    def test_names_stay_when_as_many_ranges_are_cut_elsewhere(self):
        former = TargetClasses((1, 2), {"up to 1": "over 1 to 2"}, ("over 2",), ("over 1 to 2",))
        moved = carried_over(former, TargetClasses((5, 6)))
        assert moved == TargetClasses((5, 6), {"up to 5": "over 5 to 6"}, ("over 6",), ("over 5 to 6",))
        assert carried_over(former, TargetClasses((5,))) == TargetClasses((5,))
        assert carried_over(None, TargetClasses((5,))) == TargetClasses((5,))

    def test_dates(self):
        days = pd.Series(pd.date_range("2024-01-01", periods=100), name="seen")
        made = offered_ranges(days, profile_column(days))[Ranges.MEDIAN]
        assert made.labels == ("before 2024-02-20", "from 2024-02-20")

    @pytest.mark.parametrize("values", [["a", "b", "c"], [0, 1, 0], [2.5, 2.5, 2.5], [None, None, None]])
    def test_nothing_to_cut(self, values):
        series = pd.Series(values * 20, name="x")
        assert offered_ranges(series, profile_column(series)) == {}


class TestTable:
    def test_shows_every_label_in_the_order_of_the_classes(self):
        shown = class_table(LABELS, TargetClasses(names={"c": "a"}, set_aside=("b",), order=("e",)))
        assert shown["label"].tolist() == ["e", "a", "c", "d", "b"]
        assert shown["class"].tolist() == ["e", "a", "a", "d", "b"]
        assert shown["place"].tolist()[:4] == [1, 2, 2, 3]
        assert shown["place"].isna().tolist() == [False] * 4 + [True]
        assert shown["use"].tolist() == [True] * 4 + [False]

    def test_shows_ranges_from_low_to_high(self):
        made = TargetClasses(cuts=(5, 10, 1000))
        shown = class_table(made.label(pd.Series([7.0, 7.5, 1.0, 11.0])), made)
        assert shown["label"].tolist() == list(made.labels)
        assert shown["rows"].tolist() == [1, 2, 1, 0]

    def test_is_cut_where_there_are_very_many(self):
        assert len(class_table(pd.Series([f"k{i}" for i in range(900)]), TargetClasses())) == MOST_LABELS_EDITED

    @pytest.mark.parametrize(
        ("edits", "expected"),
        [
            ({0: {"class": "b"}}, TargetClasses(names={"a": "b"})),
            (
                {2: {"class": " rest "}, 3: {"class": "rest"}},
                TargetClasses(names={"c": "rest", "d": "rest"}, order=("a", "b", "rest", "e")),
            ),
            ({1: {"use": False}}, TargetClasses(set_aside=("b",))),
            ({2: {"place": 1}}, TargetClasses(order=("c", "a", "b", "d", "e"))),
            ({0: {"place": 99}}, TargetClasses(order=("b", "c", "d", "e", "a"))),
            ({0: {"place": 1}}, TargetClasses()),
            ({0: {"class": ""}}, TargetClasses()),
            ({0: {"place": None}}, TargetClasses()),
        ],
    )
    def test_edits(self, edits, expected):
        assert edited_classes(LABELS, TargetClasses(), class_table(LABELS, TargetClasses()), edits) == expected

    def test_a_class_keeps_its_place_under_another_name(self):
        shown = class_table(LABELS, TargetClasses())
        made = edited_classes(LABELS, TargetClasses(), shown, {0: {"class": "z"}})
        assert made.sort(["b", "c", "d", "e", "z"])[0] == "z"
        assert edited_classes(LABELS, made, class_table(LABELS, made), {0: {"class": ""}}).names == {}

    def test_what_is_used_again_has_its_former_name(self):
        former = TargetClasses(set_aside=("b",))
        shown = class_table(LABELS, former)
        position = shown["label"].tolist().index("b")
        assert edited_classes(LABELS, former, shown, {position: {"use": True}}) == TargetClasses()

    def test_the_order_forgets_classes_that_are_gone(self):
        former = TargetClasses(order=("e", "a"))
        shown = class_table(LABELS, former)
        assert edited_classes(LABELS, former, shown, {0: {"use": False}}).order == ("a",)


class TestRare:
    def test_they_are_counted_in_the_order_of_the_classes(self):
        kinds = ["b"] * 12 + ["a"] * 6 + ["c"] * 2
        table = read_table(pd.DataFrame({"x": range(20), "kind": kinds}).to_csv(index=False).encode(), name="made.csv")
        roles = guess_roles(table, target="kind").roles
        ordered = roles.with_classes(TargetClasses(order=("c",)))
        assert rare_class_counts(table, ordered, most=9)["rows"].to_dict() == {"c": 2, "a": 6, "b": 12}
        assert rare_class_counts(table, roles.with_classes(TargetClasses(set_aside=("c",))), most=9) is None
        assert rare_class_counts(table, roles, most=2) is None

    def test_nothing_to_do(self):
        assert rare_classes(pd.Series(["a", "b"] * 10), TargetClasses()) is None

    def test_joining_needs_rows_enough(self):
        rare = rare_classes(pd.Series(["a"] * 9 + ["b"] * 9 + ["c", "d"]), TargetClasses())
        assert rare.joined is None
        assert rare.without.set_aside == ("c", "d")

    def test_setting_aside_needs_two_classes_that_stay(self):
        rare = rare_classes(pd.Series(["a"] * 9 + ["b"] * 5 + ["c"] * 5), TargetClasses())
        assert rare.without is None
        assert rare.joined.apply(pd.Series(["a", "b", "c"])).tolist() == ["a", "other", "other"]

    def test_one_rare_class_is_not_joined_with_itself(self):
        rare = rare_classes(pd.Series(["a"] * 9 + ["b"] * 9 + ["c"] * 5), TargetClasses())
        assert rare.joined is None
        assert rare.without_words == "Set the class with fewer than 6 rows aside"

    def test_a_class_called_other_stays_itself(self):
        labels = pd.Series(["other"] * 9 + ["b"] * 5 + ["c"] * 5)
        assert set(rare_classes(labels, TargetClasses()).joined.names.values()) == {"other 2"}

    def test_what_was_joined_and_is_still_rare_goes_on(self):
        labels = pd.Series(["a"] * 9 + ["b"] * 9 + ["c", "d", "e"])
        rare = rare_classes(labels, TargetClasses(names={"c": "d"}))
        assert rare.without.set_aside == ("c", "d", "e")


class TestProfiles:
    def test_columns_are_shown_with_their_relation(self, app):
        upload(app, PRICES.assign(noise=RNG.normal(size=N).round(3), copy=PRICES["price"] * 2), "price")
        (table,) = [frame.value for frame in app.dataframe if "relation" in frame.value]
        assert table["column"].iloc[0] == "copy"
        ranges(app)[0].set_value(Ranges.MEDIAN).run()
        assert "from the 56 training rows; held-out rows stay unseen" in app.words()
        (table,) = [frame.value for frame in app.dataframe if "relation" in frame.value]
        assert table["column"].iloc[0] == "copy"
        assert table["relation"].iloc[0] > 60 > 10 > table.set_index("column")["relation"]["noise"]
        assert table["missing"].eq(0).all()

    def test_the_figure_is_that_of_the_column_chosen(self, app):
        upload(app, KINDS.assign(z=RNG.normal(size=60).round(3)), "kind")
        app.button(key="target.join").click().run()
        (box,) = [box for box in app.selectbox if str(box.key).startswith("profile.column.")]
        box.set_value("z").run()
        assert not app.exception
        assert [box.value for box in app.selectbox if str(box.key).startswith("profile.column.")] == ["z"]
        app.toggle(key="profile.shares").set_value(True).run()
        assert not app.exception


class TestOtherPages:
    def test_every_page_shows_the_classes_in_their_order(self, app):
        upload(app, PRICES, "price")
        ranges(app)[0].set_value(Ranges.THIRDS).run()
        app.fit()
        order = app.held.study.classes
        assert order[0].startswith("up to")
        for page in ("map", "case", "data", "fit"):
            app.go(page)
            assert not app.exception


class TestRareClassesElsewhere:
    """The same buttons stand where a fit is refused because of them, and nobody has to leave the page."""

    def test_fit_sets_them_aside_and_can_go_on(self, app):
        upload(app, KINDS, "kind")
        app.go("fit")
        assert not [button for button in app.button if button.key == "fit.start"]
        assert "Setting the 3 classes aside leaves 10 of 60 rows with a class out" in app.words()
        app.button(key="target.aside").click().run()
        assert not app.exception
        assert classes(app).set_aside == ("c", "d", "e")
        assert "'c', 'd', 'e' are set aside. 10 of 60 rows with a class have none now" in app.words()
        assert app.button(key="fit.start")

    def test_compare_joins_them_and_offers_the_fit(self, app):
        upload(app, KINDS, "kind")
        app.go("compare")
        app.button(key="target.join").click().run()
        assert dict(classes(app).names) == {"c": "other", "d": "other", "e": "other"}
        assert "'c', 'd', 'e' are one class now, 'other', with 10 rows." in app.words()
        assert app.button(key="guard.fit")

    def test_another_problem_has_no_such_button(self, app):
        upload(app, pd.DataFrame({"x": RNG.normal(size=22).round(3), "kind": ["a"] * 20 + ["b"] * 2}), "kind")
        app.go("fit")
        assert app.error
        assert not [button for button in app.button if str(button.key).startswith("target.")]
