"""Prototypes as cards where rows are pictures, each with what it decides in counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import picture_strip, words
from dashboard.components.figure_panel import is_dark
from dashboard.services import prototypes as service
from dashboard.services.pictures import pictures
from dashboard.services.prototypes import CARDS
from dashboard.session.session import Session
from proset.plots import style

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.structure.prototype_table import PrototypeTable
    from proset.study import Study

_SIGNS = {True: ":material/radio_button_checked:", False: ":material/radio_button_unchecked:"}
_TEXT = "font-size:0.875rem;line-height:1.4"
_PICTURE = "width:4rem;height:4rem;object-fit:contain;image-rendering:pixelated"


def show(
    session: Session, study: Study, table: PrototypeTable, chosen: int, *, key: str, choose: Callable[[int], None]
) -> None:
    """Show the first prototypes of the order as cards if rows are pictures; `choose` gets the place of one clicked."""
    places = service.card_places(table, session.get(CARDS), settling=session.within is not None)
    lines = table.frame.loc[places].reset_index(names="place")
    found = pictures(study, lines["row"].tolist())
    if not found:
        return
    # As words they need more contrast than as marks.
    readable = style.on_dark if is_dark() else style.of_text
    colours = {name: readable(colour) for name, colour in style.class_colours(study.classes).items()}
    with st.container(horizontal=True, gap="small", key=f"{key}-gallery-cards-4"):
        for (_, line), picture in zip(lines.iterrows(), picture_strip.addresses(found), strict=True):
            place = int(line["place"])
            with st.container(border=True, gap="xxsmall"):
                st.button(
                    words.label(service.card_title(table, place)),
                    key=f"{key}.card.{place}",
                    type="tertiary",
                    icon=_SIGNS[place == chosen],
                    on_click=choose,
                    args=(place,),
                )
                st.html(_card(line, picture, colours[str(line["class"])]))


def _card(line: pd.Series, picture: str, colour: str) -> str:
    """Return what a card says, beside its picture."""
    label = words.html(str(line["class"]))
    said = "<br>".join(map(words.html, service.card_words(line)))
    image = f'<img alt="{label}" style="{_PICTURE}" src="{picture}">'
    text_part = f'<div style="{_TEXT}"><b style="color:{colour}">{label}</b><br>{said}</div>'
    return f'<div style="display:flex;gap:0.8rem;align-items:center">{image}{text_part}</div>'
