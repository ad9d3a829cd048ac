"""Draw the colours of the figures as one picture, docs/pictures/colours.svg, from proset/plots/style.py."""

from __future__ import annotations

from pathlib import Path

from proset.plots import style

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "colours.svg"
_WIDTH, _LINE, _EDGE, _SQUARE = 620, 30, 20, 26
_RESERVED = {
    "WRONG": "wrong: a ring, a frame, a hatch",
    "MODEL": "the model itself: familiarity, nearness, weights, the current one of several",
    "NEUTRAL": "whatever is no class: systems, thresholds, bars of counts",
    "INK": "text, contours, the selected case",
}


def drawing() -> str:
    """Return the picture: the light page above, the dark one below."""
    classes = len(style.CLASS_COLOURS)
    height = _LINE * (len(_RESERVED) + 6) + 2 * _EDGE
    halves = [_page(place * height, height, classes, dark=dark) for place, dark in enumerate((False, True))]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{2 * height}" font-family="sans-serif"'
    return f'{head} font-size="14">\n{"".join(halves)}</svg>\n'


def _page(top: int, height: int, classes: int, *, dark: bool) -> str:
    """Return all colours as they are on one page."""

    def on(colour: str) -> str:
        return style.on_dark(colour) if dark else colour

    def line(number: int) -> int:
        return top + _EDGE + _LINE * number

    def word(x: int, number: int, text: str) -> str:
        return f'<text x="{x}" y="{line(number) + 18}" fill="{on(style.INK)}">{text}</text>\n'

    def square(x: float, number: int, colour: str, width: float = _SQUARE) -> str:
        return f'<rect x="{x:g}" y="{line(number)}" width="{width:g}" height="{_SQUARE - 4}" fill="{on(colour)}"/>\n'

    parts = [f'<rect y="{top}" width="{_WIDTH}" height="{height}" fill="{on(style.GROUND)}"/>\n']
    parts.append(word(_EDGE, 0, f"{'Dark' if dark else 'Light'} page: classes, in their order"))
    parts += [square(_EDGE + i * (_SQUARE + 6), 1, style.CLASS_COLOURS[i]) for i in range(classes)]
    for number, (name, meaning) in enumerate(_RESERVED.items(), start=2):
        parts += [square(_EDGE, number, getattr(style, name)), word(_EDGE + _SQUARE + 10, number, meaning)]
    scales = {
        "familiarity, nearness, weight: from little to much": style.RAMP,
        "probability of the second of two classes, from 0 to 1": style.probability_scale(["a", "b"], 1),
        "probability of one of several classes, from 0 to 1": style.probability_scale(["a", "b", "c"], 1),
        "any other number": style.GREYS,
    }
    for number, (meaning, scale) in enumerate(scales.items(), start=2 + len(_RESERVED)):
        key = f"{'dark' if dark else 'light'}{number}"
        stops = "".join(f'<stop offset="{at:g}" stop-color="{on(colour)}"/>' for at, colour in scale)
        parts.append(f'<linearGradient id="{key}">{stops}</linearGradient>\n')
        parts.append(square(_EDGE, number, f"url(#{key})", 160) + word(_EDGE + 170, number, meaning))
    return "".join(parts)


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
