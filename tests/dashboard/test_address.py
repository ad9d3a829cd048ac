"""The shareable address: round trips, and everything a stranger may write into it."""

from dataclasses import replace

import pytest

from dashboard.services.addresses.address import Address, read, write
from dashboard.services.addresses.parts import View
from dashboard.services.cases import CaseRef, Part
from dashboard.services.params import EnumParam, Flag, Number
from proset.data.classes import TargetClasses
from proset.data.issues import Role
from proset.data.samples import SAMPLES, load_sample, sample_roles, sample_split
from proset.data.scales import Scale
from proset.data.split import SplitSettings
from proset.study.recipe import Recipe
from proset.study.settings import BOUNDS, Bounds, FitSettings, NumberSettings, suggest_number_settings, suggest_settings


def as_received(params):
    """What the browser sends back: every parameter as a list of texts."""
    return {name: value if isinstance(value, list) else [value] for name, value in params.items()}


def usual(name):
    """What is chosen for a bundled data set unless something else is."""
    roles = sample_roles(name)
    return Recipe(roles, settings=suggest_settings(len(load_sample(name).frame), len(roles.features)))


def test_defaults_are_left_out():
    assert write(Address("wine", usual("wine"))) == {"data": "wine"}
    assert write(Address("digits", usual("digits"))) == {"data": "digits"}


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_data_set_round_trips(name):
    roles = sample_roles(name)
    recipe = Recipe(roles, sample_split(name), NumberSettings() if roles.number else FitSettings())
    address = Address(name, recipe, fitted=True, view=View(CaseRef.in_table(2)))
    again, table, notes = read(as_received(write(address)))
    assert notes == []
    assert again == address
    assert table.frame.index[1] == 2


def test_a_data_set_with_a_time_holds_out_its_latest_rows_unless_something_else_is_stated():
    roles, settings = sample_roles("cars"), suggest_number_settings(len(load_sample("cars").frame))

    def split_of(**given):
        address, _, notes = read({"data": ["cars"]} | {name: [value] for name, value in given.items()})
        assert notes == []
        return address.recipe.split

    assert split_of() == sample_split("cars") == SplitSettings(time="model year")
    assert "time" not in write(Address("cars", Recipe(roles, split_of(), settings)))
    for split in (SplitSettings(), SplitSettings(file_order=True), SplitSettings(groups="model year")):
        written = write(Address("cars", Recipe(roles, split, settings)))
        assert split_of(**{name: value for name, value in written.items() if name != "data"}) == split
    assert split_of(file_order="1") == SplitSettings(file_order=True)
    assert split_of(role="target:model year").time is None, "the target cannot say which rows are the latest"


def test_a_bundled_number_taken_as_ranges_round_trips():
    roles = sample_roles("concrete").with_classes(TargetClasses(cuts=(30,)))
    written = write(Address("concrete", Recipe(roles)))
    assert "number" not in written
    again, _, notes = read(as_received(written))
    assert notes == []
    assert again.recipe.roles == roles
    assert read({"data": ["concrete"]})[0].recipe.roles.number, "as it comes"


def test_changed_roles_split_and_settings_round_trip_exactly():
    roles = sample_roles("penguins").with_role("island", Role.TARGET).with_role("species", Role.EXTRA)
    address = Address(
        "penguins",
        Recipe(
            roles,
            SplitSettings(0.25, 7),
            FitSettings(n_iter=3, lambda_v=0.0123456789, num_candidates=50, max_samples=100, scale=Scale.SQUASHED),
        ),
        fitted=True,
        view=View(CaseRef.in_table(12)),
    )
    params = write(address)
    assert "alpha_v" not in params
    again, _, notes = read(as_received(params))
    assert notes == []
    assert again == address


def test_an_empty_address_opens_nothing_and_says_nothing():
    assert read({}) == (None, None, [])


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"data": ["no such"]}, "the data set 'no such', which is not known here"),
        ({"row": ["5"]}, "names no data set"),
        ({"data": ["../../etc/passwd"]}, "which is not known here"),
    ],
)
def test_without_a_known_data_set_nothing_is_opened(params, said):
    address, table, notes = read(params)
    assert address is None
    assert table is None
    assert said in notes[0]
    assert "Choose data on the Data page." in notes[0]
    assert "iris_2f" not in notes[0]  # our own name for it, which no page shows


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("row", "0", "row '0'"),
        ("row", "999999", "row '999999'"),
        ("row", "-1", "row '-1'"),
        ("row", "1e2", "row '1e2'"),
        ("row", "9" * 5000, "9..."),
        ("lambda_v", "banana", "a number from 1e-06 to 0.1"),
        ("lambda_v", "nan", "a number from"),
        ("lambda_v", "5", "a number from"),
        ("n_iter", "2.5", "a whole number from 0 to 100"),
        ("n_iter", "1000", "from 0 to 100"),
        ("num_candidates", "9" * 5000, "a whole number"),
        ("test", "0.99", "from 0.1 to 0.5"),
        ("split", "-3", "a whole number"),
        ("role", "wizard:alcohol", "'wizard:alcohol'"),
        ("role", "extra:no such column", "'extra:no such column'"),
        ("role", "nonsense", "'nonsense'"),
        ("backend", "tensorflow", "'backend'"),
        ("scale", "crooked", "one of standard, squashed, quantile"),
        ("__class__", "x", "'__class__'"),
    ],
)
def test_what_is_not_allowed_is_named_and_dropped(name, value, said):
    address, _, notes = read({"data": ["wine"], name: [value]})
    assert address == Address("wine", usual("wine"))
    assert len(notes) == 1
    assert said in notes[0]
    assert len(notes[0]) < 250


def test_roles_that_leave_nothing_to_fit_are_refused_together():
    roles = sample_roles("iris_2f")
    params = {"data": ["iris_2f"], "role": [f"extra:{column}" for column in roles.features]}
    address, _, notes = read(params)
    assert address.recipe.roles == roles
    assert "cannot be used" in notes[0]


OWN = (
    EnumParam("part", Part.HELD_OUT),
    Flag("fade", False),
    Number("k", 5, bounds=Bounds(1, 20, whole=True)),
)


def test_what_a_page_declares_is_written_read_and_left_out_where_it_is_usual():
    address = Address("wine", usual("wine"), view=View(own={"part": Part.TRAIN, "fade": True, "k": 7}))
    params = write(address, OWN)
    assert params == {"data": "wine", "part": "train", "fade": "1", "k": "7"}
    again, _, notes = read(as_received(params), OWN)
    assert notes == []
    assert again == address
    assert write(Address("wine", usual("wine"), view=View(own={"part": Part.HELD_OUT, "fade": False})), OWN) == {
        "data": "wine"
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("part", "cellar", "which is not one of held_out, train, all"),
        ("part", "", "which is not one of"),
        ("fade", "yes", "which is not 1 or 0"),
        ("k", "21", "which is not a whole number from 1 to 20"),
        ("k", "nan", "which is not a whole number"),
    ],
)
def test_what_a_page_does_not_allow_is_named_and_dropped(name, value, said):
    address, _, notes = read({"data": ["wine"], name: [value]}, OWN)
    assert address == Address("wine", usual("wine"))
    assert len(notes) == 1
    assert said in notes[0]


def test_what_another_page_declares_is_not_known_here():
    address, _, notes = read({"data": ["wine"], "part": ["train"]})
    assert address == Address("wine", usual("wine"))
    assert "'part'" in notes[0]


@pytest.mark.parametrize("name", ["new-1", "edited-2", "table-3"])
def test_a_case_that_no_link_can_bring_along_is_not_selected(name):
    address, _, notes = read({"data": ["wine"], "row": [name]})
    assert (address.view.case is None) == (name != "table-3")
    assert len(notes) == (name != "table-3")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BOUNDS if name in FitSettings.__dataclass_fields__])
def test_the_ends_of_every_range_are_accepted_as_the_page_writes_them(name):
    kind = int if BOUNDS[name].whole else float
    for end in (kind(BOUNDS[name].low), kind(BOUNDS[name].high)):
        recipe = replace(usual("wine"), settings=replace(usual("wine").settings, **{name: end}))
        again, _, notes = read(as_received(write(Address("wine", recipe))))
        assert notes == []
        assert again.recipe == recipe


class TestClasses:
    """How classes are made of the target stands in the address, and nothing there is trusted."""

    def test_written_and_read_back(self):
        roles = sample_roles("penguins").with_role("body mass (g)", Role.TARGET)
        roles = roles.with_classes(TargetClasses((4000.0,), {"up to 4000": "light & <b>"}, (), ("over 4000",)))
        params = write(Address("penguins", Recipe(roles)))
        found, _, notes = read(as_received(params))
        assert not notes
        assert found.recipe.roles == roles

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[1]",
            '{"cuts": [1]}',
            '{"cuts":[1],"names":[],"set_aside":[],"order":[],"dates":null}',
            '{"cuts":[],"names":[],"set_aside":["nobody"],"order":[],"dates":null}',
            "[" * 30_000,
        ],
    )
    def test_what_is_wrong_is_left_out_with_a_note(self, text):
        found, _, notes = read({"data": ["penguins"], "classes": [text]})
        assert len(notes) == 1
        assert "each value is a class" in notes[0]
        assert "file" not in notes[0]
        assert found.recipe.roles == sample_roles("penguins")
