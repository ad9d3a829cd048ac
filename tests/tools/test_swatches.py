"""The picture of the colours is that of the colours."""

from __future__ import annotations

import re

from proset.plots import style
from tools import swatches


def test_the_picture_in_docs_is_drawn_from_the_style():
    assert swatches.PICTURE.read_text(encoding="utf-8") == swatches.drawing(), "run python tools/swatches.py"


def test_the_picture_has_every_colour_of_both_pages():
    said = {colour.upper() for colour in re.findall(r"#[0-9A-Fa-f]{6}", swatches.drawing())}
    assert said == {colour.upper() for pair in style.ON_DARK.items() for colour in pair}
