"""The New data page: rows without a target come in, are estimated and lead to Case; nothing is lost on the way."""

from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.new_data import (
    Near,
    NewRowOrder,
    NewRows,
    StrayWordsError,
    assumed_words,
    drift_note,
    ordered,
    read_rows,
    rows_to_try,
    score_rows,
    summary,
)
from dashboard.texts import new as new_text
from dashboard.views.new import ORDER
from proset.cli import main
from proset.common.errors import DesignError, TableError
from proset.data.classes import TargetClasses
from proset.data.derived_columns import add_difference, with_new_columns
from proset.data.issues import Role
from proset.data.reading.dialect import MissingWord
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.study import DecisionRule, fit_number_study, fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


def rows_of(study, rows, *, drop=()):
    frame = study.table.frame.loc[rows].drop(columns=[study.roles.target, *drop])
    return read_rows(study, frame.to_csv(index=False).encode(), "new.csv")


def test_a_file_gets_the_numbers_of_the_command_line(study, tmp_path):
    import proset

    model, new, out = tmp_path / "m.proset", tmp_path / "new.csv", tmp_path / "out.csv"
    proset.save(study, model)
    frame = study.table.frame.loc[study.split.held_out[:30]].drop(columns=[study.roles.target])
    new.write_text(frame.to_csv(index=False))
    assert main(["score", str(model), str(new), "--novelty", "-q", "-o", str(out)]) == 0
    scored = score_rows(study, read_rows(study, new.read_bytes(), "new.csv"), DecisionRule())
    buffer = StringIO()
    scored.output.to_csv(buffer, index=False)
    assert pd.read_csv(out).to_csv(index=False) == pd.read_csv(StringIO(buffer.getvalue())).to_csv(index=False)
    assert main(["score", str(model), str(new), "-q", "-o", str(out)]) == 0
    assert not {"nearest_row", "novelty_quantile"} & set(pd.read_csv(out).columns)
    known = study.predictions.loc[study.split.held_out[:30]]
    assert scored.lines["familiarity"].tolist() == known["quantile"].tolist()
    assert scored.lines["estimate"].tolist() == known["predicted"].tolist()


def test_the_unusual_rows_come_first(study):
    rows = rows_of(study, study.split.held_out)
    lines = score_rows(study, rows, DecisionRule()).lines
    lowest = ordered(lines, NewRowOrder.UNUSUAL)[["familiarity", "nearness", "nearness in all columns"]].min(axis=1)
    assert lowest.is_monotonic_increasing
    assert ordered(lines, NewRowOrder.NEARNESS)["nearness"].is_monotonic_increasing
    assert ordered(lines, NewRowOrder.FILE).index.tolist() == list(range(1, len(lines) + 1))


def test_what_the_figure_of_drift_leaves_out_is_said(study):
    train, held_out = study.split.train[:3], study.split.held_out[:5]
    found = score_rows(study, rows_of(study, [*train, *held_out]), DecisionRule()).drift
    assert found.copies >= 3
    assert drift_note(found).startswith(f"Drawn: the {found.n_rows} of 8 rows that equal no training row.")


def test_the_rule_decides_new_rows_too(study):
    rows = rows_of(study, study.split.held_out)
    scored = score_rows(study, rows, DecisionRule(leave_below=0.2))
    assert scored.lines["left"].tolist() == (scored.lines["familiarity"] < 0.2).tolist()
    assert f"{int(scored.lines['left'].sum())} left to a person" in summary(study, scored)


def test_what_is_missing_is_named(study):
    used = len(study.used_columns)
    assert used < len(study.design.sources)
    with pytest.raises(DesignError, match=f"lacks 1 of the {used} column"):
        score_rows(study, rows_of(study, [1, 2], drop=[study.used_columns[0]]), DecisionRule())
    unused = next(name for name in study.design.sources if name not in study.used_columns)
    scored = score_rows(study, rows_of(study, [1, 2], drop=[unused]), DecisionRule())
    assert f"lacks '{unused}'" in assumed_words(scored)
    with pytest.raises(TableError, match="no rows"):
        read_rows(study, b"a,b\n", "empty.csv")


def test_more_rows_than_a_page_can_compare_are_refused_with_the_way_out(study, monkeypatch):
    monkeypatch.setattr("dashboard.services.new_data.MOST_PAIRS", 1_000)
    with pytest.raises(TableError, match="proset score MODEL FILE --novelty"):
        score_rows(study, NewRows(study.table), DecisionRule())


def test_held_out_rows_stand_in_for_a_file(study):
    tried = score_rows(study, rows_to_try(study), DecisionRule())
    held_out = study.judged().loc[study.split.held_out]
    assert tried.lines["estimate"].tolist() == held_out["predicted"].tolist()
    assert tried.lines["confidence"].to_numpy() == pytest.approx(held_out["confidence"].to_numpy(), abs=1e-12)
    assert "held-out rows: compared with themselves, they say nothing about drift" in tried.drift.words


def test_of_many_held_out_rows_some_from_all_over_stand_in(study, monkeypatch):
    monkeypatch.setattr("dashboard.services.new_data.MOST_TRIED", 10)
    tried = rows_to_try(study).frame
    held_out = study.table.frame.loc[study.split.held_out]
    assert len(tried) == 10
    column = study.used_columns[0]
    assert [tried[column].iloc[0], tried[column].iloc[-1]] == [held_out[column].iloc[0], held_out[column].iloc[-1]]


@pytest.mark.slow
@pytest.mark.parametrize("data", ["penguins", "cars"])
@pytest.mark.usefixtures("worked_here")
def test_who_has_no_file_tries_the_page_with_held_out_rows(open_app, data):
    app = open_app("new", data=data, fit="own").wait()
    app.button(key="new.try").click().run()
    assert not app.exception
    n_held_out = len(app.held.fitted.split.held_out)
    assert f"{n_held_out} held-out rows" in app.words()
    app.button(key="new.close").click().run()
    assert app.held.opened.new_rows is None


@pytest.mark.usefixtures("worked_here")
def test_the_page_from_upload_to_case(open_app, study):
    app = open_app("new", data="penguins", fit="own").wait()
    held = app.held
    model = held.study
    assert f"The model uses {len(model.used_columns)} columns: {' · '.join(model.used_columns)}" in app.words()
    frame = model.table.frame.loc[model.split.held_out[:25]].drop(columns=[model.roles.target])
    held.opened.bring(read_rows(model, frame.to_csv(index=False).encode(), "new.csv"))
    app.run()
    assert not app.exception
    text = app.words()
    assert "All 25 rows look exactly like held-out rows" in text
    assert "**25 rows: " in text  # the answer before what else there is to say
    assert text.index("**25 rows: ") < text.index("25 rows equal" if "25 rows equal" in text else "rift")
    # The list has the nearness that the figure shows, and says what unusual is.
    for near, absent in (("nearness in all columns", "nearness"), ("nearness", "nearness in all columns")):
        listed = [item.value for item in app.dataframe if "familiarity" in item.value]
        assert near in listed[0], listed[0].columns
        assert absent not in listed[0]
        assert new_text.UNUSUAL in app.words()
        app.segmented_control(key="new.near.widget").set_value(Near.MODEL).run()
    held.select(CaseRef(CaseSource.NEW, 3))
    app.run()
    assert "New row 3" in app.words()
    # The order is a choice of the page and stands in the address.
    app.selectbox(key="new.order.widget").set_value(NewRowOrder.FILE).run()
    assert app.query_params["order"] == "file"
    assert app.query_params["row"] == "new-3"
    held.forget(ORDER)  # as Back does
    app.run()
    box = app.selectbox(key=app.key("new.order.widget"))
    assert (box.label, box.value) == ("Order", NewRowOrder.UNUSUAL)
    # Rows that this model cannot take are named, and stay for another model.
    held.opened.bring(read_rows(model, frame.iloc[:, :2].to_csv(index=False).encode(), "short.csv"))
    app.run()
    assert not app.exception
    assert "lacks" in app.error[0].value
    assert f"The model uses {len(model.used_columns)} columns: " in app.words()
    assert app.button(key="new.try")  # the page is not left with an error alone
    assert not [one for one in app.segmented_control if one.key == "new.near.widget"]  # there is no figure
    assert held.opened.new_rows is not None
    assert held.case is None
    # Another model of the table estimates the same rows.
    held.opened.bring(read_rows(model, frame.to_csv(index=False).encode(), "new.csv"))
    other = fit_study(model.table, model.roles, settings=replace(model.settings, random_state=5, lambda_w=1e-3))
    held.opened.add(other)
    app.run()
    assert not app.exception
    assert held.study is other
    assert held.opened.new_rows is not None
    # With another table they go, and come back with their own.
    opened = held.opened
    held.open_table(load_sample("iris_2f"), sample="iris_2f", roles=sample_roles("iris_2f"))
    assert held.opened.new_rows is None
    held.reopen(opened)
    app.run()
    assert "25 rows: " in app.words()
    app.button(key="new.look").click().run()
    assert [case.source for case in held.cases.picked] == [CaseSource.NEW] * 25
    app.go("new").button(key="new.close").click().run()
    assert held.opened.new_rows is None
    assert held.opened.walk is None
    assert held.study is other


@pytest.fixture(scope="module")
def commas():
    """Return a model of numbers with decimal commas."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=200).round(2)
    lines = [f"{x};{y};{'big' if x > 0 else 'small'}" for x, y in zip(size, rng.normal(size=200).round(2), strict=True)]
    data = "\n".join(["size;other;kind", *lines]).replace(".", ",").encode()
    table = read_table(data, name="sizes.csv")
    return fit_study(table, guess_roles(table, target="kind").roles)


NEW = b"size;other\n1,2;0,5\n0,3;1,5\nk.A.;0,1\n-0,7;0,2\n"


def test_a_word_among_numbers_is_named_with_its_own_row(commas):
    with pytest.raises(TableError, match=r"row 3 of 'size' holds 'k\.A\.'") as caught:
        read_rows(commas, NEW, "new.csv")
    rows = read_rows(commas, NEW, "new.csv", missing=caught.value.words)
    assert rows.frame["size"].tolist()[:2] == [1.2, 0.3]
    assert np.isnan(rows.frame["size"].iloc[2])
    with pytest.raises(DesignError, match=r"row 3 holds 'k\.A\.'"):  # a script is told the same
        commas.design.transform(read_table(NEW, name="new.csv").frame)


@pytest.mark.parametrize("counted", [False, True])
def test_a_word_among_dates_is_named_and_does_not_take_the_dates_along(counted):
    days = pd.date_range("2020-01-01", periods=60)
    ends = [f"{day + pd.Timedelta(days=3 + i % 2 * 9):%d.%m.%Y}" for i, day in enumerate(days)]
    lines = [f"{day:%d.%m.%Y};{end};{'ab'[i % 2]}" for i, (day, end) in enumerate(zip(days, ends, strict=True))]
    table = read_table("\n".join(["start;end;kind", *lines]).encode(), name="stays.csv")
    roles = guess_roles(table, target="kind").roles
    if counted:
        table = add_difference(table, "start", "end")
        roles = with_new_columns(roles, table).with_role("end", Role.EXTRA)
    study = fit_study(table, roles)
    new = b"start;end\n01.02.2021;13.02.2021\n02.02.2021;unbekannt\n03.02.2021;06.02.2021\n"
    with pytest.raises(TableError, match=r"the dates that .* row 2 of 'end' holds 'unbekannt'\.") as caught:
        read_rows(study, new, "new.csv")
    rows = read_rows(study, new, "new.csv", missing=caught.value.words)
    assert rows.frame["end"].tolist()[::2] == [pd.Timestamp("2021-02-13"), pd.Timestamp("2021-02-06")]
    assert len(study.score(rows.frame)) == 3
    with pytest.raises(DesignError, match=r"'end' has the role date, but row 2 holds 'unbekannt'\."):
        study.score(read_table(new, name="new.csv").frame)


@pytest.mark.parametrize("number", [False, True])
def test_a_file_that_the_model_cannot_take_does_not_replace_the_one_that_is_open(app, number):
    table = read_table(("size,price\n" + "".join(f"{i},{3 * i + i % 7}\n" for i in range(60))).encode(), name="t.csv")
    roles = guess_roles(table, target="price").roles
    if number:
        app.held.open_study(fit_number_study(table, roles.as_number()))
    else:
        app.held.open_study(fit_study(table, roles.with_classes(TargetClasses(cuts=(90,)))))
    app.go("new")
    app.file_uploader(key="new.file").set_value(("good.csv", b"size\n1\n2\n3\n", "text/csv")).run()
    assert app.held.opened.new_rows.table.name == "good.csv"
    app.file_uploader(key="new.file").set_value(("other.csv", b"q,r\n1,2\n", "text/csv")).run()
    assert not app.exception
    assert "lacks the only column that the model needs: 'size'" in app.words()
    assert "'good.csv', is still there" in app.words()
    assert app.held.opened.new_rows.table.name == "good.csv"


def test_points_among_decimal_commas_are_named_at_once_with_the_words_and_nothing_else(commas):
    new = b"size;other\n1,2;0,5\n3.100,00;0,1\n40;0,2\nk.A.;0,3\n114.90;0,1\n99,26;1,5\n"
    with pytest.raises(
        TableError, match=r"row 4 of 'size' holds 'k\.A\.'; row 5 of 'size' holds '114\.90'\."
    ) as caught:
        read_rows(commas, new, "new.csv")
    rows = read_rows(commas, new, "new.csv", missing=caught.value.words)
    assert rows.frame["size"].dropna().tolist() == [1.2, 3100.0, 40.0, 99.26]


def test_what_was_counted_as_missing_stays_so_while_more_is_asked(app, commas, monkeypatch):
    asked = []

    def refused(study, data, name, *, missing=(), **options):
        asked.append([word.text for word in missing])
        raise StrayWordsError("Cells cannot be read.", (MissingWord(f"word {len(asked)}", "size"),))

    monkeypatch.setattr("dashboard.components.rows.new_upload.read_rows", refused)
    app.held.open_study(commas)
    app.go("new")
    app.file_uploader(key="new.file").set_value(("new.csv", NEW, "text/csv")).run()
    app.button(key="new.missing").click().run()
    app.button(key="new.missing").click().run()
    assert asked == [[], ["word 1"], ["word 2", "word 1"]]


def test_a_word_among_numbers_is_counted_as_missing_with_a_click(app, commas):
    app.held.open_study(commas)
    app.go("new")
    app.file_uploader(key="new.file").set_value(("new.csv", NEW, "text/csv")).run()
    assert "row 3 of 'size' holds 'k.A.'" in app.words()
    assert app.selectbox(key="new.options.decimal")  # how the file is read can be said here
    app.button(key="new.missing").click().run()
    assert not app.exception
    assert "4 rows" in app.words()
    assert app.held.opened.new_rows.frame["size"].tolist()[:2] == [1.2, 0.3]
