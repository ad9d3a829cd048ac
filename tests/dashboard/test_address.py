"""The shareable address: round trips, and everything a stranger may write into it."""

import pytest

from dashboard.services.address import Address, read, write
from proset.data.issues import Role
from proset.data.samples import SAMPLES, sample_roles
from proset.data.split import SplitSettings
from proset.study.settings import FitSettings, suggest_settings


def as_received(params):
    """What the browser sends back: every parameter as a list of texts."""
    return {name: value if isinstance(value, list) else [value] for name, value in params.items()}


def test_defaults_are_left_out():
    assert write(Address("wine", sample_roles("wine"), settings=suggest_settings(178, 13))) == {"data": "wine"}
    assert write(Address("digits", sample_roles("digits"), settings=suggest_settings(1797, 64))) == {"data": "digits"}


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_data_set_round_trips(name):
    address = Address(name, sample_roles(name), fitted=True, row=2)
    again, table, notes = read(as_received(write(address)))
    assert notes == []
    assert again == address
    assert table.frame.index[1] == 2


def test_changed_roles_split_and_settings_round_trip_exactly():
    roles = sample_roles("penguins").with_role("island", Role.TARGET).with_role("species", Role.EXTRA)
    address = Address(
        "penguins",
        roles,
        SplitSettings(0.25, 7),
        FitSettings(n_iter=3, lambda_v=0.0123456789, num_candidates=50, max_samples=100),
        fitted=True,
        row=12,
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
        ({"data": ["no such"]}, "no data set 'no such'"),
        ({"row": ["5"]}, "names no data set"),
        ({"data": ["../../etc/passwd"]}, "no data set"),
    ],
)
def test_without_a_known_data_set_nothing_is_opened(params, said):
    address, table, notes = read(params)
    assert address is None
    assert table is None
    assert said in notes[0]
    assert "iris_2f" in notes[0]


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
        ("n_iter", "2.5", "a whole number from 0 to 10"),
        ("n_iter", "1000", "from 0 to 10"),
        ("num_candidates", "9" * 5000, "a whole number"),
        ("test", "0.99", "from 0.1 to 0.5"),
        ("split", "-3", "a whole number"),
        ("role", "wizard:alcohol", "'wizard:alcohol'"),
        ("role", "extra:no such column", "'extra:no such column'"),
        ("role", "nonsense", "'nonsense'"),
        ("backend", "tensorflow", "'backend'"),
        ("__class__", "x", "'__class__'"),
    ],
)
def test_what_is_not_allowed_is_named_and_dropped(name, value, said):
    address, _, notes = read({"data": ["wine"], name: [value]})
    assert address == Address("wine", sample_roles("wine"), settings=suggest_settings(178, 13))
    assert len(notes) == 1
    assert said in notes[0]
    assert len(notes[0]) < 250


def test_roles_that_leave_nothing_to_fit_are_refused_together():
    roles = sample_roles("iris_2f")
    params = {"data": ["iris_2f"], "role": [f"extra:{column}" for column in roles.features]}
    address, _, notes = read(params)
    assert address.roles == roles
    assert "cannot be used" in notes[0]
