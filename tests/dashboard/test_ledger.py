"""Findings from Data to Fit and Quality: what is ignored stands again, with the column's name."""

import numpy as np
import pandas as pd
import pytest

from proset.data.issues import Role


def visits(n_sparse=7):
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b"], 600)
    frame = pd.DataFrame(
        {f"unit{i}": np.where(rng.random(600) < 0.3, rng.normal(size=600), np.nan) for i in range(n_sparse)}
    )
    frame["code"] = (rng.normal(size=600) + 10.0 * (kind == "a")).round(3)
    frame["patient"] = rng.integers(100, 250, 600)
    return frame.assign(size=(rng.normal(size=600) + 1.0 * (kind == "a")).round(3), kind=kind)


def open_table(at, frame):
    at.file_uploader(key="source.file").set_value(("visits.csv", frame.to_csv(index=False).encode(), "text/csv")).run()
    at.target().set_value("kind").run()
    return at


def folded(at):
    return " ".join(str(item.value) for box in at.expander for item in box.markdown)


def test_a_leak_and_groups_stand_open_above_many_others(app):
    open_table(app, visits())
    assert "alone says the class" in app.words()
    assert "alone says the class" not in folded(app)
    assert "repeats:" not in folded(app)
    words = app.words()
    first = words.index("alone says the class")
    assert first < words.index("repeats:") < words.index("missing in more than half")


def test_all_suggestions_are_said_and_applied(app):
    open_table(app, visits(1))
    button = app.button(key="findings.all")
    assert button.label == "Apply all 3 suggestions"
    assert "Changes: 'code', 'unit0' as extra; rows with the same 'patient' stay together." in app.words()
    button.click().run()
    recipe = app.held.recipe
    assert recipe.split.groups == "patient"
    assert {name for name in ("unit0", "code") if recipe.roles.by_column[name] is Role.EXTRA} == {"unit0", "code"}
    assert not [button for button in app.button if str(button.key).startswith("findings.repeated")]


@pytest.mark.slow
def test_what_is_ignored_stands_on_fit_and_quality(app, worked_here):
    open_table(app, visits(0))
    app.go("fit")
    assert "left as it is" in app.words()
    app.fit()
    assert "'code' alone says the class" in app.words()
    app.go("quality")
    assert "'code' alone says the class" in app.words()
    assert "'patient' repeats" in app.words()
    app.go("data").button(key="findings.all").click().run()
    app.fit()
    assert "left as it is" not in app.words()
    assert "left as it is" not in app.go("quality").words()


@pytest.mark.slow
def test_hourly_rows_can_be_held_out_in_the_order_of_the_file(app, worked_here):
    heat = np.sin(np.arange(400) / 20.0) + np.random.default_rng(0).normal(0, 0.1, 400)
    open_table(app, pd.DataFrame({"heat": heat.round(3), "kind": np.where(heat > 0.2, "on", "off")}))
    assert "Neighbouring rows are alike" in app.words()
    app.button(key="findings.row_order").click().run()
    assert app.held.recipe.split.file_order
    assert "Neighbouring rows are alike" not in app.words()
    box = next(box for box in app.selectbox if str(box.key).startswith("split.time."))
    assert box.options[-1] == "the order of the file"
    app.fit()
    assert app.held.study.split.held_out.tolist() == list(range(281, 401))
    assert "the last 30 % of the file" in app.words()


@pytest.mark.parametrize("order", ["0", "1"])
def test_an_address_can_ask_for_the_order_of_the_file(order):
    from dashboard.services.addresses import address

    asked, _, notes = address.read({"data": ["cancer"], "file_order": [order]})
    assert asked.recipe.split.file_order is (order == "1")
    assert not notes
    written = address.write(asked)
    assert written.get("file_order", "0") == order
