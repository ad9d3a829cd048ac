"""The Data page: examples, uploads good and bad, roles, findings, the address."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

from proset.data.issues import Role
from proset.data.profile import profile_column
from proset.data.role_guess import review_roles
from proset.data.samples import SAMPLES
from proset.plots import style

CSV = b"name;size;kind\n" + b"".join(f"case {i};{i},5;{'big' if i > 15 else 'small'}\n".encode() for i in range(30))


def upload(at, name, content):
    at.file_uploader(key="source.file").set_value((name, content, "text/csv")).run()
    return at


def test_the_empty_page_offers_examples_and_an_upload(app):
    assert not app.exception
    assert app.title[0].value == "Data"
    for sample in SAMPLES.values():
        assert sample.look_for in app.words()
    assert app.file_uploader(key="source.file").label == "Open a file of your own"


@pytest.mark.parametrize("name", main_cases(SAMPLES, every=4))
def test_every_example_opens_with_one_click(app, name):
    app.button(key=f"sample.{name}").click().run()
    assert not app.exception
    assert not app.error
    assert app.held.recipe.roles.target == SAMPLES[name].target
    assert SAMPLES[name].title in app.words()
    assert app.target().value == SAMPLES[name].target


def test_an_upload_is_read_and_its_dialect_found(app):
    upload(app, "mine.csv", CSV)
    assert not app.exception
    table = app.held.table
    assert table.frame["size"].tolist()[:2] == [0.5, 1.5]
    assert "columns separated by semicolon" in app.words()
    assert "decimal mark: comma" in app.words()


def test_each_column_of_an_upload_is_looked_at_once(app, monkeypatch):
    seen, reviews = [], []
    monkeypatch.setattr(
        "proset.data.table.profile_column", lambda cells, **how: seen.append(cells.name) or profile_column(cells, **how)
    )
    monkeypatch.setattr(
        "dashboard.services.data.columns.review_roles", lambda *given: reviews.append(given) or review_roles(*given)
    )
    upload(app, "mine.csv", CSV)
    assert not reviews  # what was found while guessing holds as long as the guess does
    app.target().set_value("kind").run()
    app.target().set_value("size").run()
    assert not app.exception
    assert seen == ["name", "size", "kind"]


def test_bars_of_columns_have_no_hue_of_a_class(app):
    upload(app, "mine.csv", CSV)
    app.target().set_value("kind").run()
    (looks,) = (json.loads(one.proto.columns) for one in app.dataframe if "relation" in one.proto.columns)
    assert {looks[name]["type_config"]["color"] for name in ("relation", "distribution")} == {style.NEUTRAL}


def test_the_target_can_be_changed(app):
    upload(app, "mine.csv", CSV)
    app.target().set_value("kind").run()
    roles = app.held.recipe.roles
    assert roles.target == "kind"
    assert not app.error


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8),
        ("empty.csv", b""),
        ("header.csv", b"a,b,c\n"),
        ("damaged.xlsx", b"PK\x03\x04 not a workbook"),
        ("damaged.csv.gz", gzip.compress(CSV, mtime=0)[:40]),
        ("damaged.parquet", b"PAR1 and nothing else"),
    ],
)
def test_a_bad_file_is_refused_in_words_and_the_open_table_stays(app, name, content):
    upload(app, "mine.csv", CSV)
    before = app.held.table
    upload(app, name, content)
    assert not app.exception
    assert len(app.error) == 1
    assert "Traceback" not in app.error[0].value
    assert app.held.table is before
    assert "still there" in app.words()


def test_a_bad_first_file_leaves_the_page_usable(app):
    upload(app, "picture.csv", bytes(range(256)) * 8)
    assert len(app.error) == 1
    app.button(key="sample.wine").click().run()
    assert not app.error
    assert app.held.opened.sample == "wine"


def test_a_saved_study_that_is_none_is_refused(app):
    app.file_uploader(key="source.study").set_value(("x.proset", b"PK and nothing", "application/zip")).run()
    assert not app.exception
    assert len(app.error) == 1
    assert app.held.table is None


def test_reading_again_with_other_options(app):
    upload(app, "mine.csv", CSV)
    app.target().set_value("kind").run()
    app.selectbox(key="source.decimal").set_value(".")
    app.button(key="FormSubmitter:source.options-Read again").click().run()
    assert not app.exception
    assert app.held.table.dialect.decimal == "."
    assert app.held.recipe.roles.target == "kind"


def test_lines_below_the_table_are_named_and_a_person_has_the_last_word(app):
    upload(app, "mine.csv", CSV.rstrip(b"\n") + b"\nTotal;99\n")
    n_rows = len(app.held.table.frame)
    assert app.held.table.dialect.footer == 1
    assert "left out as a line below the table" in app.words()
    app.number_input(key="source.footer").set_value(0)
    app.button(key="FormSubmitter:source.options-Read again").click().run()
    assert not app.exception
    assert len(app.held.table.frame) == n_rows + 1
    assert "left out as a line below the table" not in app.words()


def test_impossible_options_keep_the_table(app):
    content = "naïve;ß\n".encode("latin-1") + b"1;a\n2;b\n" * 20
    upload(app, "latin.csv", content)
    before = app.held.table
    app.selectbox(key="source.encoding").set_value("utf-8")
    app.button(key="FormSubmitter:source.options-Read again").click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert app.held.table is before


def test_a_suggestion_is_applied_with_one_click(app):
    rows = [f"{i % 11}.5,{'' if i % 5 else i},{'yes' if i % 3 else 'no'}" for i in range(60)]
    upload(app, "shop.csv", ("size,mostly empty,bought\n" + "\n".join(rows)).encode())
    app.target().set_value("bought").run()
    suggestions = [button for button in app.button if str(button.key).startswith("findings.")]
    assert suggestions
    assert "'mostly empty' is missing in 80%" in app.words()
    suggestions[0].click().run()
    assert not app.exception
    assert app.held.recipe.roles.by_column["mostly empty"] is Role.EXTRA
    assert "is missing in 80%. " not in app.words()


def test_the_split_is_kept_over_a_page_change(app):
    app.button(key="sample.wine").click().run()
    app.slider(key="split.share").set_value(20).run()
    app.number_input(key="split.seed").set_value(4).run()
    app.go("fit")
    app.go("data")
    assert app.slider(key="split.share").value == 20
    assert app.number_input(key="split.seed").value == 4


def test_a_class_with_one_row_is_named_before_fitting(app):
    upload(app, "rare.csv", CSV + b"last;99,0;rare\n")
    app.target().set_value("kind").run()
    assert not app.exception
    assert "'rare'" in app.words()
    app.go("fit")
    assert "'rare'" in app.error[0].value.replace("\\", "")
    assert not [button for button in app.button if button.key == "fit.start"]


def test_markup_in_column_names_is_shown_as_it_is(app):
    content = CSV.replace(b"name", b"[click](http://evil) $x$ **b**")
    upload(app, "mine.csv", content)
    assert not app.exception
    for element in (*app.markdown, *app.caption, *app.warning):
        assert "[click](" not in element.value


@pytest.mark.slow
def test_a_wide_table_is_cut_in_the_preview_only(app):
    frame = pd.DataFrame(np.arange(300 * 300).reshape(300, 300) % 17, columns=[f"c{i}" for i in range(300)])
    frame["kind"] = ["a", "b"] * 150
    upload(app, "wide.csv", frame.to_csv(index=False).encode())
    assert not app.exception
    assert "the first 200 of 300 rows and the first 60 of 301 columns" in app.words()
    (editor,) = [editor for editor in app.data_editor if str(editor.key).startswith("roles.editor.")]
    assert len(editor.value) == 301


def test_an_address_opens_data_roles_and_case(open_app):
    at = open_app(data="penguins", row="12", role="extra:sex", n_iter="3")
    assert not at.exception
    assert not at.warning
    assert at.held.opened.sample == "penguins"
    assert at.held.recipe.roles.by_column["sex"] is Role.EXTRA
    assert at.held.recipe.settings.n_iter == 3
    assert at.held.case.row == 12
    assert dict(at.query_params) == {"data": "penguins", "row": "12", "role": "extra:sex", "n_iter": "3"}


def test_a_bad_address_gives_a_notice_and_is_cleaned(open_app):
    at = open_app(data="wine", row="nobody", lambda_v="[a](http://evil)", other="1")
    assert not at.exception
    assert len(at.warning) == 3
    assert all("[a](" not in item.value for item in at.warning)
    assert dict(at.query_params) == {"data": "wine"}


def test_what_only_another_page_knows_is_dropped_without_a_word(open_app):
    """Back, pressed early, may lead to where the browser has the values of the page that one was on the way to."""
    at = open_app(data="wine", these="list", face="familiarity")
    assert not at.warning
    assert dict(at.query_params) == {"data": "wine"}


def test_an_unknown_data_set_in_the_address_leads_to_the_empty_page(open_app):
    at = open_app(data="salaries")
    assert "names the data set 'salaries', which is not known here" in at.words()
    assert at.held.table is None
    assert dict(at.query_params) == {}


def test_the_address_never_speaks_of_uploaded_data(app):
    upload(app, "secret.csv", CSV)
    shown = dict(app.query_params)
    assert list(shown) == ["open"]
    assert "secret" not in str(shown)


def test_the_choice_of_a_target_belongs_to_its_table(app):
    app.button(key="sample.iris_2f").click().run()
    former = app.target()
    app.button(key="sample.wine").click().run()
    assert app.target().key != former.key
    assert app.held.opened.recipe.roles.target == SAMPLES["wine"].target


def test_many_suggestions_of_one_kind_are_one_line_and_one_click(app):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"q{i}": rng.integers(1, 6, size=120) for i in range(12)})
    frame["size"] = rng.normal(size=120).round(3)
    frame["kind"] = ["a", "b"] * 60
    upload(app, "codes.csv", frame.to_csv(index=False).encode())
    assert "Nothing stands in the way" in app.words()
    assert "12 columns of whole numbers with few values" in app.words()
    assert app.button(key="findings.few_numbers.q3").label == "Use as categorical"
    app.button(key="findings.group.few_numbers.categorical").click().run()
    assert not app.exception
    assert app.held.recipe.roles.of(Role.CATEGORICAL) == tuple(f"q{i}" for i in range(12))
    assert "12 columns" not in app.words()


def test_two_suggestions_of_one_kind_stay_single(app):
    frame = pd.DataFrame({f"q{i}": np.arange(120) % (3 + i) for i in range(2)} | {"kind": ["a", "b"] * 60})
    upload(app, "codes.csv", frame.to_csv(index=False).encode())
    assert not [button for button in app.button if str(button.key).startswith("findings.group.")]


def test_what_is_held_out_is_said_once_where_it_is_changed(app):
    app.button(key="sample.cancer").click().run()
    labels = [box.label.replace("\\", "") for box in app.expander]
    assert "Which rows are held out: 30 % of each class, drawn at random, seed 0" in labels
    assert "drawn at random" not in app.words()
    # How cells are read is no finding: it stands below, with the rows.
    order = list(app.main)
    places = [order.index(app.main.header[-1]), order.index(next(b for b in app.expander if "'missing'" in b.label))]
    assert places == sorted(places)


def test_the_table_of_columns_has_one_value_for_example_the_typical_one(app):
    app.button(key="sample.cancer").click().run()
    order = next(list(item.proto.column_order) for item in app.main if _is_editor(item))
    assert "typical" in order
    assert "example" not in order


def test_words_of_columns_have_room_and_keep_their_beginning(app):
    answer = "Neither agree nor disagree"
    lines = [f"2024-03-{1 + k % 28:02d} 03:{k % 60:02d}:00,{answer},{'long ' * 20},{'ab'[k % 2]}" for k in range(60)]
    upload(app, "survey.csv", "\n".join(["seen,manager,note,leaves", *lines]).encode())
    editor = next(item for item in app.main if _is_editor(item))
    shown = editor.value.set_index("column")
    assert shown.loc["manager", "typical"] == answer
    assert shown.loc["note", "typical"] == f"{'long ' * 5}long…"
    looks = json.loads(editor.proto.columns)
    for name in ("typical", "lowest", "highest"):  # right-aligned: what is too long would lose its beginning
        assert looks[name]["width"] >= 6 * shown[name].str.len().max(), name


def test_the_first_picture_is_not_of_an_identifier(app):
    lines = [f"SO-{500 + k},{k % 9},{1.5 * k}" for k in range(60)]
    upload(app, "orders.csv", "\n".join(["order,quantity,revenue", *lines]).encode())
    assert app.held.recipe.roles.target is None
    (box,) = [box for box in app.selectbox if str(box.key).startswith("profile.column.")]
    assert box.value == "quantity"


def _is_editor(item):
    return "relation" in getattr(getattr(item, "proto", None), "column_order", ())
