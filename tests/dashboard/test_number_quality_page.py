"""The Quality page of a number: what it says, its lists and choices, and tables that are hard to speak of."""

from __future__ import annotations

import numpy as np
import pytest
from number_tables import houses, priced, table_of

from dashboard.components.quality.by_group import BY
from dashboard.services.cases import CaseRef, Part
from dashboard.services.numbers import quality as service
from dashboard.services.numbers.quality import ERRORS
from proset import explain
from proset.data.classes import TargetClasses
from proset.data.role_guess import guess_roles
from proset.data.split import Split, SplitSettings
from proset.data.table import read_table
from proset.study import fit_number_study, fit_study


def nothing_held_out():
    """A study whose rows have all been learned from."""
    table, roles = table_of(houses(60))
    rows = table.frame.index.to_numpy(dtype=np.int64)
    return fit_number_study(table, roles, split=Split(rows, rows[:0], rows[:0], SplitSettings()))


def opened(app, study):
    app.held.open_study(study)
    app.go("quality")
    assert not app.exception
    return app


def shown(app, column):
    """The frame of the table that has a column."""
    return next(frame.value for frame in app.dataframe if column in frame.value)


def selectbox(app, label):
    return next(box for box in app.selectbox if box.label == label)


def test_it_says_what_the_engine_says_without_a_word_about_classes(app):
    study = priced()
    opened(app, study)
    found = explain.number_quality(study)
    said = app.words()
    assert found.words in said
    assert found.levels_words in said
    assert f"for its level alone; the sentence corrects for looking at all {len(found.coverage)}." in said
    assert found.places.words in said
    assert explain.number_errors(study).words in said
    groups = explain.number_quality_by(study)
    assert groups.words in said
    assert f"for its group alone; the sentence corrects for looking at all {len(groups.frame)}." in said
    assert "class" not in said.lower()
    assert "has learned" not in said
    assert "Beyond luck, better than everybody in all four" in said
    table = shown(app, "everybody")
    assert table["value"].to_dict() == service.measure_frame(found)["value"].to_dict()
    assert [entry.value for entry in app.header][1:] == [
        "Furthest outside", "Do the intervals hold?", "Where intervals miss", "By familiarity or group",
        "Errors by column",
    ]  # fmt: skip
    assert len(app.get("plotly_chart")) == 5


def test_the_rows_furthest_outside_are_listed_and_a_selected_one_leads_to_its_case(app):
    study = priced()
    opened(app, study)
    out = explain.number_quality(study).outside
    assert len(out)
    table = shown(app, "beyond")
    assert table.index.tolist() == out.index.tolist()
    assert table["actual"].tolist() == out["actual"].tolist(), "the number that Case calls the row's own"
    row = int(out.index[0])
    assert not [link for link in app.get("page_link") if link.proto.label == f"Look at row {row}"]
    app.held.select(CaseRef.in_table(row))
    app.go("quality")
    assert [link for link in app.get("page_link") if link.proto.label == f"Look at row {row}"]


@pytest.mark.slow
def test_training_rows_carry_a_warning(app):
    study = priced()
    opened(app, study)
    app.segmented_control(key=app.key("quality.part")).set_value(Part.TRAIN).run()
    assert not app.exception
    assert explain.number_quality(study, study.split.train).words in app.words()
    assert "that it is better on them says little" in app.words()
    assert "Beyond luck" not in app.words()
    assert "does not say how good it is on new cases" in str([entry.value for entry in app.warning])
    app.segmented_control(key=app.key("quality.part")).set_value(Part.ALL).run()
    assert not app.exception
    assert f"from {len(study.split.train)} of which the model has learned" in app.words()


def test_groups_and_columns_are_chosen_and_kept(app):
    study = priced()
    opened(app, study)
    places = {name: place for place, name in service.table_columns(study).items()}
    selectbox(app, "Groups by").set_value(places["district"]).run()
    assert not app.exception
    assert app.held.get(BY) == places["district"]
    assert explain.number_quality_by(study, "district").words in app.words()
    place = places["age"]
    first = explain.number_errors(study).frame.index[0]
    if first != "age":
        selectbox(app, "Column").set_value(place).run()
        assert not app.exception
        assert app.held.get(ERRORS) == place


@pytest.mark.slow
def test_a_group_is_the_same_column_for_a_model_of_classes(app):
    lines = ["price,size,town"] + [f"{3 * i + i % 7},{i},{'ab'[i % 2]}" for i in range(60)]
    table = read_table("\n".join(lines).encode(), name="prices.csv")
    roles = guess_roles(table, target="price").roles
    opened(app, fit_number_study(table, roles.as_number()))
    selectbox(app, "Groups by").set_value(2).run()
    app.held.add_study(fit_study(table, roles.with_classes(TargetClasses(cuts=(90,)))))
    app.run()
    assert not app.exception
    assert app.held.get(BY) == 2
    box = selectbox(app, "Groups")
    assert box.options[box.index] == "size"
    app.held.opened.switch(next(iter(app.held.opened.models)))
    app.run()
    box = selectbox(app, "Groups by")
    assert box.options[box.index] == "size"


def test_a_choice_that_is_no_column_counts_as_the_first(app):
    app.held.open_study(priced())
    app.held.put(BY, 99_999)
    app.held.put(ERRORS, 99_999)
    app.go("quality")
    assert not app.exception
    assert selectbox(app, "Groups by").value == 0


def test_nothing_held_out_is_measured_on_all_rows_and_says_so(app):
    study = nothing_held_out()
    opened(app, study)
    assert "from which the model has learned" in app.words()
    assert app.warning


def test_a_part_without_rows_says_so(app):
    study = nothing_held_out()
    app.held.open_study(study)
    app.held.look_at_part(Part.HELD_OUT)
    app.go("quality")
    assert not app.exception
    assert "None of these rows has a number" in app.words()


def test_strangers_words_and_one_feature_and_few_rows(app):
    frame = houses(26)[["size", "price"]].rename(columns={"size": "**[x](http://evil.example)**", "price": "<b>`p`"})
    frame.loc[3, "<b>`p`"] = None
    opened(app, fit_number_study(*table_of(frame, "<b>`p`")))
    said = app.words()
    assert "So few rows show only strong" in said
    assert all("[x](http" not in str(item.value) for kind in (app.markdown, app.caption, app.header) for item in kind)


def test_without_data_it_offers_an_example(app):
    app.go("quality")
    assert not app.exception
    assert "There is no data yet" in app.words()
