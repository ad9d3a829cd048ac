"""Where a table comes from: a bundled data set, a file of one's own, or a saved study."""

from __future__ import annotations

import streamlit as st

from dashboard.components import words
from dashboard.services.data import DELIMITER_WORDS, reading_words
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.common.errors import ProsetError
from proset.data.guarded import read_table_guarded
from proset.data.role_guess import guess_roles
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.table import Table
from proset.storage import from_bytes

_FILE_KEY = "source.file"
_STUDY_KEY = "source.study"
_FILE_TYPES = ["csv", "tsv", "txt", "gz", "xlsx", "parquet"]
_ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]
_AS_FOUND = "as found"


def gallery(session: Session) -> None:
    """Show the bundled data sets, one click each, with what to look for."""
    grid = st.grid(4, min_column_width=210, gap="medium")
    for name, sample in SAMPLES.items():
        with grid.cell():
            st.button(
                words.label(sample.title),
                key=f"sample.{name}",
                on_click=_open_sample,
                args=(session, name),
                width="stretch",
            )
            st.caption(words.caption(sample.look_for))


def upload(session: Session) -> None:
    """Show the upload for a table and, folded, the one for a saved study; errors appear in place."""
    st.file_uploader(
        "Open a file of your own",
        type=_FILE_TYPES,
        key=_FILE_KEY,
        on_change=_open_file,
        args=(session,),
        help="CSV, TSV, Excel or Parquet, also compressed with gzip. The first line should hold the column names. "
        "The file is read in this program's memory for your session only and is not kept.",
    )
    with st.expander("Open a saved study", icon=":material/folder_open:"):
        st.file_uploader(
            "A .proset file saved on the Fit page or with proset.save",
            type=["proset"],
            key=_STUDY_KEY,
            on_change=_open_study,
            args=(session,),
        )
    if session.problem:
        words.notice("error", session.problem)
        if session.table is not None:
            st.caption("The table you had open is still there.")


def reading_options(session: Session, opened: OpenTable) -> None:
    """Show how the file was read, folded, and let a person read it in another way."""
    table = opened.table
    if opened.source is None:
        return
    with st.expander("How the file was read", icon=":material/tune:"):
        st.markdown(words.markdown(reading_words(table)))
        with st.form("source.options", border=False):
            if table.dialect.kind == "csv":
                _csv_options(table)
            elif table.dialect.kind == "excel":
                st.text_input("Sheet", value=words.bare(table.dialect.sheet or ""), key="source.sheet")
            st.checkbox("The first line holds the column names", value=bool(table.dialect.header), key="source.header")
            st.form_submit_button("Read again", on_click=_read_again, args=(session, opened))
        st.caption("Reading again starts from fresh column roles; the target stays if its column does.")


def _csv_options(table: Table) -> None:
    """Show the choices that only text files have."""
    encoding, delimiter, decimal = st.columns(3)
    encoding.selectbox("Encoding", _with(_ENCODINGS, table.dialect.encoding), key="source.encoding")
    delimiter.selectbox(
        "Columns separated by",
        _with(list(DELIMITER_WORDS), table.dialect.delimiter),
        key="source.delimiter",
        format_func=lambda mark: DELIMITER_WORDS.get(mark, mark),
    )
    decimal.selectbox("Decimal mark", _with([".", ","], table.dialect.decimal), key="source.decimal")


def _with(usual: list[str], found: str | None) -> list[str]:
    """Return the choices with the one that was found in front."""
    return [found, *(entry for entry in usual if entry != found)] if found else [_AS_FOUND, *usual]


def _open_sample(session: Session, name: str) -> None:
    """Open a bundled data set."""
    session.open_table(load_sample(name), sample=name, roles=sample_roles(name))


def _open_file(session: Session) -> None:
    """Read the uploaded file; if it cannot be read, everything stays as it was and the reason is shown."""
    file = widgets.says(_FILE_KEY)
    if file is None:
        session.problem = ""
        return
    data = file.getvalue()
    try:
        session.open_table(read_table_guarded(data, name=file.name), source=data)
    except ProsetError as error:
        session.problem = str(error)


def _open_study(session: Session) -> None:
    """Open a saved study; a file that is refused changes nothing."""
    file = widgets.says(_STUDY_KEY)
    if file is None:
        session.problem = ""
        return
    try:
        study = from_bytes(file.getvalue())
        session.open_study(study)
        session.notice(f"The saved study of '{study.table.name}' is open, with its model.", kind="success")
    except ProsetError as error:
        session.problem = str(error)


def _read_again(session: Session, former: OpenTable) -> None:
    """Read the same bytes with the chosen options; on failure the former table stays."""
    if former.source is None:
        return
    asked = [name for name in ("encoding", "delimiter", "decimal", "sheet") if widgets.is_drawn(f"source.{name}")]
    chosen = {name: widgets.says(f"source.{name}") for name in asked}
    options = {name: value for name, value in chosen.items() if value and value != _AS_FOUND}
    try:
        table = read_table_guarded(
            former.source, name=former.table.name, header=widgets.says("source.header"), **options
        )
        target = former.recipe.roles.target
        known = target if target in table.frame.columns else None
        session.open_table(table, source=former.source, roles=guess_roles(table, target=known).roles)
    except ProsetError as error:
        session.problem = str(error)
