"""Words that mean missing, on the Data page: suggested, declared, taken back; and errors in their place."""

import pytest
from judgements import judgement

from dashboard.session import verdicts
from proset.data.issues import Role
from proset.explain.slices.conditions import Condition
from proset.explain.slices.slice import Slice
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.workspace.verdicts import row_hash

pytestmark = pytest.mark.usefixtures("worked_here")

CSV = b"dose,state,kind\n" + b"".join(
    f"{'k.A.' if i % 9 == 4 else i / 4},{-999 if i % 7 == 3 else i % 13 + 0.5},{'xy'[i % 2]}\n".encode()
    for i in range(60)
)


def upload(at, name, content):
    at.file_uploader(key="source.file").set_value((name, content, "text/csv")).run()
    assert not at.exception
    return at


def press(at, label, **wanted):
    button = next(b for b in at.button if b.label == label and all(getattr(b, k) == v for k, v in wanted.items()))
    button.click().run()
    assert not at.exception


@pytest.fixture
def opened(app):
    return upload(app, "mine.csv", CSV)


def test_nothing_is_applied_on_its_own_and_one_click_applies(opened):
    assert opened.held.table.frame["state"].min() == -999
    assert "'-999' (9 cells) may mean missing" in opened.words()
    opened.held.opened.edit(roles=opened.held.recipe.roles.with_role("kind", Role.TARGET))
    press(opened, "Count as missing", key="missing.sure.1")
    assert opened.held.table.frame["state"].min() > 0
    assert opened.held.recipe.roles.target == "kind"
    assert "'-999' (9 cells) may mean missing" not in opened.words()
    assert "'k.A.' (7 cells) may mean missing" in opened.words()


@pytest.mark.slow
def test_all_at_once_and_back_again_with_the_model(opened):
    opened.target().set_value("kind").run()
    opened.fit()
    opened.go("data")
    assert "the model fitted so far belongs to the table as it is now" in opened.words()
    former = opened.held.opened
    press(opened, "Count all 2 as missing")
    assert opened.held.study is None
    assert opened.held.recipe.roles.by_column["dose"] is Role.NUMERIC
    assert "'k.A.' in 'dose'" in opened.words()
    press(opened, "Take back", key="missing.back.0")
    assert len(opened.held.table.dialect.missing) == 1
    press(opened, "Take back", key="missing.back.0")
    assert opened.held.opened is former
    assert opened.held.study is not None


@pytest.mark.slow
def test_what_was_asked_and_kept_of_rows_goes_along(opened):
    opened.target().set_value("kind").run()
    opened.fit()
    row = int(opened.held.study.split.train[0])
    item = GuidanceItem(GuidanceKind.NO_PROTOTYPE, row=row)
    opened.held.opened.edit(guidance=Guidance((item,)))
    chosen = Slice((Condition.levels("kind", ["x"]),), "all x")
    opened.held.opened.keep_slice(chosen)
    judged = judgement(1, row=row, row_hash=row_hash(opened.held.table, row), label=opened.held.study.labels[row])
    verdicts.say(opened.held, [judged])
    opened.go("data")
    assert "put aside until everything is taken back, with what was said of its cases" in opened.words()
    press(opened, "Count all 2 as missing")
    assert opened.held.recipe.guidance.items == (item,)
    assert opened.held.opened.slices == (chosen,)
    assert not verdicts.records(opened.held)


def test_a_word_of_ones_own(opened):
    opened.text_input(key="missing.word").set_value("0.5")
    opened.selectbox(key="missing.where").set_value(2)
    press(opened, "Count as missing", key="FormSubmitter:missing.own-Count as missing")
    assert opened.held.table.dialect.missing[0].column == "state"
    assert (opened.held.table.frame["state"] != 0.5).all()
    opened.text_input(key="missing.word").set_value("nowhere")
    press(opened, "Count as missing", key="FormSubmitter:missing.own-Count as missing")
    assert "No cell of the table holds 'nowhere'." in opened.error[0].value.replace("\\", "")
    assert opened.error[0].value.replace("\\", "").endswith("Write it as it stands in the table.")


def test_a_strangers_word_is_shown_as_it_is(app):
    word = "[a](http://evil) $x$ **b**"
    rows = "".join(f"{word if i == 7 else i / 4},{'xy'[i % 2]}\n" for i in range(40))
    upload(app, "mine.csv", f"dose,kind\n{rows}".encode())
    assert "(1 cell) may mean missing" in app.words()
    assert not [item for item in (*app.markdown, *app.caption) if "[a](" in item.value]
    press(app, "Count as missing", key="missing.sure.0")
    assert app.held.table.frame["dose"].isna().sum() == 1
    assert not [item for item in (*app.markdown, *app.caption) if "[a](" in item.value]


def test_an_example_with_declared_words_is_no_longer_the_shared_example(app):
    app.button(key="sample.penguins").click().run()
    app.text_input(key="missing.word").set_value("male")
    press(app, "Count as missing", key="FormSubmitter:missing.own-Count as missing")
    assert app.held.opened.sample is None
    assert list(dict(app.query_params)) == ["open"]
    press(app, "Take back", key="missing.back.0")
    assert app.held.opened.sample == "penguins"


@pytest.mark.slow
def test_the_words_of_a_saved_study_stay_and_cannot_be_taken_back(opened):
    from proset.storage import to_bytes

    opened.target().set_value("kind").run()
    press(opened, "Count all 2 as missing")
    opened.fit()
    data = to_bytes(opened.held.study)
    opened.go("data")
    opened.file_uploader(key="source.study").set_value(("m.proset", data, "application/zip")).run()
    assert not opened.exception
    assert "'k.A.' in 'dose'" in opened.words()
    assert "cannot be taken back here" in opened.words()
    assert not [button for button in opened.button if button.label == "Take back"]


@pytest.mark.slow
def test_reading_again_keeps_what_counts_as_missing_and_it_can_still_be_taken_back(opened):
    press(opened, "Count all 2 as missing")
    opened.selectbox(key="source.decimal").set_value(".")
    press(opened, "Read again")
    assert len(opened.held.table.dialect.missing) == 2
    assert opened.held.recipe.roles.by_column["dose"] is Role.NUMERIC
    press(opened, "Take back", key="missing.back.1")
    press(opened, "Take back", key="missing.back.0")
    assert opened.held.table.dialect.missing == ()
    assert opened.held.table.frame["state"].min() == -999


# --- errors stand where they arose ------------------------------------------------------------------------------------
def place_of(at, text):
    """Return the label of the expander that holds an error; None outside of all."""
    for expander in at.expander:
        if any(text in error.value.replace("\\", "") for error in expander.error):
            return expander.label
    assert any(text in error.value.replace("\\", "") for error in at.error)
    return None


def test_an_error_of_read_again_stands_below_its_button(app):
    upload(app, "latin.csv", "naïve;ß\n".encode("latin-1") + b"1;a\n2;b\n" * 20)
    app.selectbox(key="source.encoding").set_value("utf-8")
    press(app, "Read again")
    assert place_of(app, "not written in utf-8") == "How the file was read"
    assert "--" not in app.error[0].value.replace("\\", "")
    assert "encoding=" not in app.error[0].value.replace("\\", "")
    app.selectbox(key="source.encoding").set_value("cp1252")
    press(app, "Read again")
    assert not app.error


def test_an_error_of_a_saved_study_stands_below_its_upload(app):
    app.file_uploader(key="source.study").set_value(("x.proset", b"PK and nothing", "application/zip")).run()
    assert len(app.error) == 1
    assert place_of(app, "") == "Open a saved study"


def test_a_file_whose_delimiter_is_not_found_asks_for_it_in_its_place(app):
    # AppTest knows no option that is typed in, so the delimiter that is right is for the browser
    upload(app, "colons.csv", b"a:kind\n" + b"".join(f"{i}:{'xy'[i % 2]}\n".encode() for i in range(20)))
    assert place_of(app, "name the character between its columns") is None
    app.selectbox(key="upload.delimiter").set_value("|")
    press(app, "Read it this way")
    assert place_of(app, "The delimiter bar does not occur") is None
    assert app.selectbox(key="upload.delimiter")
    upload(app, "mine.csv", CSV)
    assert not app.error
    assert app.held.table.dialect.delimiter == ","


def test_a_doubtful_encoding_is_a_finding_and_the_choice_is_open(app):
    upload(app, "sex.csv", "id,sex,n\n1,男,2\n2,男,3\n".encode("gbk"))
    assert "The encoding of the file is doubtful" in app.words()
    assert "'男'" in app.words()
    app.selectbox(key="source.encoding").set_value("gb18030")
    press(app, "Read again")
    assert app.held.table.frame["sex"].tolist() == ["男", "男"]
    assert "doubtful" not in app.words()
