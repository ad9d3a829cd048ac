"""Prototypes as cards: a picture where rows are pictures, and in counts what each decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import picture_strip, words
from dashboard.components.figure_panel import is_dark
from dashboard.services import prototypes as service
from dashboard.services.pictures import pictures
from dashboard.services.prototypes import CARDS
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import prototypes as text
from proset.plots import style

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.structure.prototype_table import PrototypeTable
    from proset.study import Study

_SIGNS = {True: ":material/radio_button_checked:", False: ":material/radio_button_unchecked:"}
_TEXT = "font-size:0.875rem;line-height:1.4"
_PICTURE = "width:4.5rem;height:4.5rem;object-fit:contain;image-rendering:pixelated"


def show(
    session: Session, study: Study, table: PrototypeTable, chosen: int, *, key: str, choose: Callable[[int], None]
) -> None:
    """Show the first cards of an order that can be chosen; `choose` gets the place in the table of one clicked."""
    places = service.card_places(table, session.get(CARDS), settling=session.within is not None)
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.choose(session, CARDS, "Order of the cards", key=f"{key}.order", words=text.CARDS.__getitem__)
        st.caption(service.cards_words(len(places), len(table.frame)), width="content")
    lines = table.frame.loc[places].reset_index(names="place")
    found = pictures(study, lines["row"].tolist())
    shown = picture_strip.addresses(found) if found else [None] * len(places)
    # As words they need more contrast than as marks.
    readable = style.on_dark if is_dark() else style.of_text
    colours = {name: readable(colour) for name, colour in style.class_colours(study.classes).items()}
    with st.container(horizontal=True, gap="small", key=f"{key}-gallery-cards-4"):
        for (_, line), picture in zip(lines.iterrows(), shown, strict=True):
            place = int(line["place"])
            with st.container(border=True, gap="xsmall"):
                st.button(
                    words.label(service.card_title(table, place)),
                    key=f"{key}.card.{place}",
                    type="tertiary",
                    icon=_SIGNS[place == chosen],
                    on_click=choose,
                    args=(place,),
                )
                st.html(_card(line, picture, colours[str(line["class"])]))


def _card(line: pd.Series, picture: str | None, colour: str) -> str:
    """Return what a card says, beside its picture."""
    label = str(line["class"])
    said = "<br>".join(map(words.html, service.card_words(line)))
    image = f'<img alt="{words.html(label)}" style="{_PICTURE}" src="{picture}">' if picture else ""
    text_part = f'<div style="{_TEXT}"><b style="color:{colour}">{words.html(label)}</b><br>{said}</div>'
    return f'<div style="display:flex;gap:0.8rem;align-items:center">{image}{text_part}</div>'
