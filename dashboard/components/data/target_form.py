"""Form for the classes of the target: ranges of a quantity; names, joining, setting aside and order of classes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.data import rare_classes
from dashboard.services.data import target as service
from dashboard.services.data.spellings import joined_spellings
from dashboard.services.data.target import Ranges
from dashboard.services.params import Param
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.common.errors import ProsetError
from proset.data.classes import TargetClasses
from proset.data.cuts import cuts_text, read_cuts
from proset.data.profile import Profile

_OWN = Param("target.own", "")  # the target whose cuts a person writes
_WRITTEN = Param("target.written", ("", ""))  # a target, and cuts for it that could not be read
_VERSION = Param("target.version", 0)
_CUTS_HELP = "Numbers with commas between them, such as 12.5, 30. A range ends with its cut: 12.5 is 'up to 12.5'."
_DAYS_HELP = "Days with commas between them, such as 2024-05-01. The day of a cut begins a range."


def ranges(session: Session, opened: OpenTable) -> None:
    """Offer the ranges of a target that holds numbers or dates."""
    target = opened.recipe.roles.target
    if target is None:
        return
    profile = _profile(opened, target)
    offered = _offered(opened, target)
    if not offered:
        return
    classes = opened.recipe.roles.classes
    chosen = Ranges.NUMBER if opened.recipe.roles.number else service.chosen_ranges(offered, classes)
    if session.get(_OWN) == target and classes is not None and classes.cuts:
        chosen = Ranges.OWN
    widgets.held(
        st.segmented_control,
        "Take it as",
        [*([Ranges.NUMBER] if service.may_be_number(profile) else []), *offered],
        key=f"target.ranges.{opened.table.fingerprint[:12]}",
        value=chosen,
        taken=partial(_take_ranges, session, opened),
        format_func=str.capitalize,
        help="Of a number the model states a distribution: about how much, and how sure. Taken as ranges, numbers and"
        " dates become classes: below and above the median, three or four ranges of about as many rows each, or cut"
        " where you say.",
    )
    if chosen is Ranges.NUMBER:
        st.caption(
            f"{words.caption(target)} is a number: the model will state a distribution. Ranges are one click away."
        )
    if opened.recipe.split.by_time and chosen not in (None, Ranges.NUMBER, Ranges.VALUES, Ranges.OWN):
        st.caption("Cut on the rows before the latest ones, which the model learns from.")
    if chosen is Ranges.OWN:
        _own_cuts(session, opened, target, profile)


def edit(session: Session, opened: OpenTable) -> None:
    """Offer ways out where classes are too small, and a table in which classes are edited."""
    target, classes = opened.recipe.roles.target, opened.recipe.roles.classes
    if target is None or opened.recipe.roles.number or not service.can_edit(_profile(opened, target), classes):
        return
    made = classes or TargetClasses()
    labels = cache.derived(service.target_words, opened.table, target, made.cuts, made.dates)
    rare = service.rare_classes(labels, made)
    if rare is not None:
        st.markdown(f":red[:material/error:] {words.markdown(rare.words)}")
        alike = joined_spellings(labels, made)
        rare_classes.buttons(opened, rare, alike, lambda chosen, _done: take(session, opened, chosen))
    with st.expander("Name, join, set aside or order the classes", icon=":material/edit:"):
        shown = service.class_table(labels, made)
        key = f"target.classes.{opened.table.fingerprint[:12]}.{session.get(_VERSION)}"
        st.caption(
            "Two lines with one name become one class. Rows of a class that is not used count as rows without a class."
        )
        st.data_editor(
            shown,
            key=key,
            on_change=_take_edits,
            args=(session, opened, key),
            hide_index=True,
            num_rows="fixed",
            disabled=["label", "rows"],
            height=min(38 + 35 * len(shown), 388),
            column_config={
                "label": st.column_config.TextColumn("Range" if made.cuts else "Value", width=115),
                "rows": st.column_config.NumberColumn("Rows", format="localized", width=60),
                "class": st.column_config.TextColumn("Class", width=115, max_chars=200),
                "use": st.column_config.CheckboxColumn("Use", width=50),
                "place": st.column_config.NumberColumn(
                    "Place", min_value=1, step=1, width=60, help="Order of the classes in tables and figures."
                ),
            },
        )
        hidden = labels.nunique() - service.MOST_LABELS_EDITED
        if hidden > 0:
            st.caption(f"The {service.MOST_LABELS_EDITED} most frequent values are shown, {hidden:,} more are not.")
        if classes is not None and (classes.names or classes.set_aside or classes.order):
            st.button("Back to the classes as they are in the data", key="target.reset", on_click=take,
                      args=(session, opened, TargetClasses(made.cuts, dates=made.dates)))  # fmt: skip


def _profile(opened: OpenTable, target: str) -> Profile:
    """Return the facts about the target."""
    return opened.table.profiles[target]


def _offered(opened: OpenTable, target: str) -> dict[Ranges, TargetClasses | None]:
    """Return the ranges on offer."""
    split = opened.recipe.split
    return cache.derived(service.ranges_for, opened.table, target, replace(split, seed=0))


def _own_cuts(session: Session, opened: OpenTable, target: str, profile: Profile) -> None:
    """Show the cuts, to be changed."""
    classes = opened.recipe.roles.classes
    if classes is None:
        return
    failed_for, written = session.get(_WRITTEN)
    failed = failed_for == target
    widgets.held(
        st.text_input,
        "Cut at",
        key=f"target.cuts.{opened.table.fingerprint[:12]}",
        value=written if failed else cuts_text(classes),
        taken=partial(_take_cuts, session, opened, target),
        help=_CUTS_HELP if classes.dates is None else _DAYS_HELP,
    )
    if failed:
        try:
            read_cuts(written, profile)
        except ProsetError as error:
            words.notice("error", f"{error} The cuts are still {cuts_text(classes)}.")


def _take_ranges(session: Session, opened: OpenTable, choice: Ranges | None) -> None:
    """Take over a choice of ranges."""
    target = opened.recipe.roles.target
    if target is None:
        return
    if choice is Ranges.NUMBER:
        opened.edit(roles=opened.recipe.roles.as_number())
        return
    offered = _offered(opened, target)
    session.put(_OWN, target if choice is Ranges.OWN else "")
    session.put(_WRITTEN, ("", ""))
    classes = opened.recipe.roles.classes
    if choice is Ranges.OWN and classes is not None and classes.cuts:
        return  # own cuts begin at those that hold
    made = None if choice is None else offered[choice]
    take(session, opened, None if made is None else service.carried_over(classes, made))


def _take_cuts(session: Session, opened: OpenTable, target: str, text: str) -> None:
    """Take over cuts that a person has written, or keep them to say what is wrong."""
    try:
        classes = read_cuts(text, _profile(opened, target))
    except ProsetError:
        session.put(_WRITTEN, (target, text))
        return
    session.put(_WRITTEN, ("", ""))
    take(session, opened, service.carried_over(opened.recipe.roles.classes, classes))


def _take_edits(session: Session, opened: OpenTable, key: str) -> None:
    """Take over what was edited in the table of classes."""
    target = opened.recipe.roles.target
    if target is None:
        return
    made = opened.recipe.roles.classes or TargetClasses()
    labels = made.label(opened.table.frame[target])
    try:
        edits = widgets.says(key)["edited_rows"]
        classes = service.edited_classes(labels, made, service.class_table(labels, made), edits)
    except ProsetError as error:
        session.notice(str(error), kind="error")
        classes = made
    take(session, opened, classes)


def take(session: Session, opened: OpenTable, classes: TargetClasses | None) -> None:
    """Make classes in another way, and draw the table of classes anew."""
    opened.edit(roles=service.in_class_order(opened.table, opened.recipe.roles.with_classes(classes)))
    session.put(_VERSION, session.get(_VERSION) + 1)
