"""Sources of a table: a bundled data set, a file of one's own, or a saved study."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from dashboard.components import words
from dashboard.components.figure_panel import is_dark
from dashboard.services.data import reading as service
from dashboard.services.data.examples import ORDER, Example, examples
from dashboard.session import kept, widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import kept as kept_text
from dashboard.texts.common import FILE_KEPT
from proset.common.errors import ProsetError
from proset.data.guarded import read_table_guarded
from proset.data.missing_words import declare
from proset.data.reading.dialect import MOST_FOOTER, Dialect
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.plots import style
from proset.storage import from_bytes

_FILE_KEY = "source.file"
_STUDY_KEY = "source.study"
_OPTIONS = ("encoding", "delimiter", "decimal", "sheet", "header", "footer")


def gallery(session: Session, *, key: str = "sample", opened: Callable[[str], None] | None = None) -> bool:
    """Show the bundled data sets as cards: a small map, the size, what to look for, and one click to open it.

    `opened` opens one instead of opening its table alone. Returns whether one was clicked.
    """
    take, clicked = opened or partial(open_sample, session), False
    grid = st.grid(4, min_column_width=210, gap="small")
    for name in ORDER:
        sample, example = SAMPLES[name], examples()[name]
        with grid.cell(), st.container(border=True, gap="xsmall", height="stretch"):
            st.html(_picture(example))
            clicked |= st.button(
                words.label(sample.title), key=f"{key}.{name}", on_click=take, args=(name,), width="stretch"
            )
            st.caption(f"**{example.words}**  \n{words.caption(sample.look_for)}")
    return clicked


def _picture(example: Example) -> str:
    """Return the small map as an image that is read out as what it shows, in the colours of the page."""
    drawn = example.picture
    if is_dark():
        drawn = re.sub("#[0-9A-F]{6}", lambda colour: style.on_dark(colour[0]), drawn)
    data = b64encode(drawn.encode()).decode()
    return f'<img alt="{escape(example.shows)}" style="width:100%;height:80px" src="data:image/svg+xml;base64,{data}">'


def upload(session: Session) -> None:
    """Show the upload for a table and, folded, the one for a saved study; what is wrong is said below each."""
    st.file_uploader(
        "Open a file of your own",
        type=list(service.FILE_TYPES),
        key=_FILE_KEY,
        on_change=_open_file,
        args=(session,),
        help="CSV or TSV, also compressed with gzip, Excel (.xlsx, .xls), OpenDocument (.ods) or Parquet. The first "
        f"line should hold the column names. {_kept_words(session)}",
    )
    problem = session.problem
    if problem is not None and problem.place == service.FILE:
        _refused(session, problem)
        if problem.option:
            _other_options(session, problem.option)
    wrong_study = problem is not None and problem.place == service.STUDY
    with st.expander("Open a saved study", icon=":material/folder_open:", expanded=wrong_study):
        st.file_uploader(
            "A .proset file saved on the Fit page or with proset.save",
            type=["proset"],
            key=_STUDY_KEY,
            on_change=_open_study,
            args=(session,),
        )
        if problem is not None and wrong_study:
            _refused(session, problem)


def _kept_words(session: Session) -> str:
    """Say where a file is kept."""
    workspace = kept.place(session)
    return FILE_KEPT if workspace is None else words.help_text(kept_text.FILE.format(place=workspace.address.words))


def _refused(session: Session, problem: service.ReadingProblem) -> None:
    """Say why something could not be opened."""
    words.notice("error", problem.text)
    if session.table is not None:
        st.caption("The table you had open is still there.")


def _other_options(session: Session, option: str) -> None:
    """Let a person say how a file is written that could not be read."""
    with st.form("upload.options", border=False):
        if option == "sheet":
            st.text_input("Sheet", key="upload.sheet")
        else:
            csv_options(Dialect(), "upload")
        st.form_submit_button("Read it this way", on_click=_open_file, args=(session, True))


def reading_options(session: Session, opened: OpenTable) -> None:
    """Show how the file was read, folded unless it is doubtful, and let a person read it in another way."""
    table, problem = opened.table, session.problem
    if opened.source is None:
        return
    failed = problem is not None and problem.place == service.AGAIN
    with st.expander("How the file was read", icon=":material/tune:", expanded=failed or service.is_doubtful(table)):
        st.markdown(words.markdown(service.reading_words(table)))
        with st.form("source.options", border=False):
            if table.dialect.kind == "csv":
                csv_options(table.dialect, "source")
            elif table.dialect.kind == "excel":
                st.text_input("Sheet", value=words.bare(table.dialect.sheet or ""), key="source.sheet")
            st.checkbox("The first line holds the column names", value=bool(table.dialect.header), key="source.header")
            if table.dialect.kind != "parquet":
                st.number_input(
                    "Lines below the table",
                    min_value=0,
                    max_value=MOST_FOOTER,
                    value=table.dialect.footer or 0,
                    key="source.footer",
                    help="The last rows, if they are no cases: a sum, a mean, where the figures are from.",
                    width=240,
                )
            st.form_submit_button("Read again", on_click=_read_again, args=(session, opened))
        if problem is not None and failed:
            _refused(session, problem)
        st.caption(service.again_words(len(opened.models)))


def csv_options(dialect: Dialect, place: str) -> None:
    """Show the choices that only text files have; any encoding and any delimiter can be typed in."""
    st.selectbox(
        "Encoding",
        service.encoding_choices(dialect.encoding),
        key=f"{place}.encoding",
        format_func=lambda name: words.bare(service.encoding_label(name)),
        accept_new_options=True,
    )
    delimiter, decimal = st.columns(2)
    delimiter.selectbox(
        "Columns separated by",
        _with(list(service.DELIMITER_WORDS), dialect.delimiter),
        key=f"{place}.delimiter",
        format_func=lambda mark: service.DELIMITER_WORDS.get(mark, mark),
        accept_new_options=True,
    )
    decimal.selectbox(
        "Decimal mark",
        _with(list(service.DECIMAL_WORDS), dialect.decimal),
        key=f"{place}.decimal",
        format_func=lambda mark: service.DECIMAL_WORDS.get(mark, mark),
    )


def _with(usual: list[str], found: str | None) -> list[str]:
    """Return the choices with the one that was found in front."""
    return [found, *(entry for entry in usual if entry != found)] if found else [service.AS_FOUND, *usual]


def open_sample(session: Session, name: str) -> None:
    """Open a bundled data set."""
    session.open_table(load_sample(name), sample=name, roles=sample_roles(name))


def _open_file(session: Session, again: bool = False) -> None:
    """Read the uploaded file, as was said if it could not be read otherwise; on failure everything stays as it was."""
    file = widgets.says(_FILE_KEY)
    session.refuse(None)
    if file is None:
        return
    data = file.getvalue()
    try:
        table = read_table_guarded(data, name=file.name, **(stated("upload") if again else {}))
        session.open_table(table, source=data)
    except ProsetError as error:
        session.refuse(service.ReadingProblem.of(error, service.FILE))


def _open_study(session: Session) -> None:
    """Open a saved study; a file that is refused changes nothing."""
    file = widgets.says(_STUDY_KEY)
    session.refuse(None)
    if file is None:
        return
    try:
        study = from_bytes(file.getvalue())
        session.open_study(study)
        session.notice(f"The saved study of '{study.table.name}' is open, with its model.", kind="success")
    except ProsetError as error:
        session.refuse(service.ReadingProblem.of(error, service.STUDY))


def _read_again(session: Session, former: OpenTable) -> None:
    """Read the same bytes with the chosen options; on failure the former table stays."""
    if former.source is None:
        return
    try:
        table = read_table_guarded(former.source, name=former.table.name, **stated("source"))
        table = service.with_former_columns(table, former.table)
        opened = session.open_table(table, source=former.source, roles=service.former_roles(table, former.recipe.roles))
        declared = declare(table, known=former.table.dialect)
    except ProsetError as error:
        session.refuse(service.ReadingProblem.of(error, service.AGAIN))
        return
    if declared is not table:
        session.open_declared(declared, service.roles_after(opened.recipe.roles, opened.guess, declared), opened)


def stated(place: str) -> dict[str, Any]:
    """Return what a form says of how the file is written; nothing if it is not there."""
    asked = [name for name in _OPTIONS if widgets.is_drawn(f"{place}.{name}")]
    chosen = {name: widgets.says(f"{place}.{name}") for name in asked}
    return {name: value for name, value in chosen.items() if value not in (None, "", service.AS_FOUND)}
