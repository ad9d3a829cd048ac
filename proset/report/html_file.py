"""A report as one HTML file that needs nothing else: no network, no other file."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from plotly.io import to_json
from plotly.offline import get_plotlyjs

from proset.common.words import number, percent, shown, unbroken
from proset.plots.page_look import for_page
from proset.report.cell_texts import cell_texts
from proset.report.document import Block, Document, Facts, Picture, ReportPart, ReportTable, Words

_LONGEST = 2_000
_LONGEST_CELL = 120
_WHOLE = r"\d{4}-\d\d-\d\d( \d\d:\d\d)?|row \d+"
_NUMBER = r"(?:[<>≥≤] |under |over )?[+−-]?[\d.,]+(?: %)?"

# Nothing may be fetched, sent or framed by the file, whatever a table holds.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none';"
    " form-action 'none'"
)
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: #1f2933; background: #fff;
       max-width: 760px; margin: 32px auto; padding: 0 20px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 34px 0 8px; border-bottom: 1px solid #d0d7de;
       padding-bottom: 4px; }
p, li { margin: 4px 0; overflow-wrap: break-word; } .lead { color: #52606d; margin: 0; } .caption { color: #52606d;
       font-size: 13px; }
nav ul { columns: 2; padding-left: 18px; margin: 12px 0 0; } nav a { color: #1f4e79; }
table { border-collapse: collapse; font-size: 13px; margin: 10px 0; width: 100%; }
.wide { overflow-x: auto; width: max-content; min-width: 100%; max-width: min(50vw + 360px, 100vw - 40px); }
th, td { text-align: left; padding: 3px 8px; border-bottom: 1px solid #e4e7eb; vertical-align: top;
       overflow-wrap: break-word; max-width: 220px; }
th { background: #1f3a5f; color: #fff; font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap;
       font-variant-numeric: tabular-nums; } th.n { white-space: normal; } td.d { white-space: nowrap; }
tr.marked td { background: #fff2cc; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px;
       font-size: 14px; } dt { color: #52606d; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 12px 0; } figcaption { margin-top: 8px; }
footer { margin-top: 40px; color: #52606d; font-size: 13px; border-top: 1px solid #d0d7de; }
noscript { background: #fff2cc; display: block; padding: 8px; }
#summary h2 + p, #verdict h2 + p { font-size: 17px; font-weight: 600; }
@page { margin: 12mm; }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 11pt; } h1 { font-size: 22px; }
  nav { display: none; }
  #map, #picture, #summary:not(:has(+ #map, + #picture)) { break-after: page; }
  h2 { break-after: avoid; margin-top: 22px; } figure, tr, dl { break-inside: avoid; }
  thead { display: table-header-group; }
  .modebar { display: none !important; }
  .wide { overflow: visible; width: auto; max-width: none; } table { font-size: 8.5pt; }
  th, td { padding: 2px 5px; } }
"""
_DRAW = """
for (const place of document.querySelectorAll('figure[data-figure^="KEY-"]')) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  const box = place.querySelector("div");
  Plotly.newPlot(box, figure.data, figure.layout, {displaylogo: false, displayModeBar: false, responsive: false});
}
"""
_NO_SCRIPT = "The figures need JavaScript. All sentences and tables are here without it."


def to_html(document: Document) -> str:
    """Write a report as one HTML file.

    The file holds its figures with the code that draws them, nothing is loaded, and whatever a table holds is shown as
    it is. It prints in portrait; with figures it has about 5 MB, of which 4.7 MB are that code, without figures some
    ten kB.

    Parameters
    ----------
    document : Document
        From :func:`proset.report.model_report` or :func:`proset.report.case_report`.

    Examples
    --------
    >>> from proset.report.document import ReportPart
    >>> text = to_html(Document("<b>", ("About a table.",), (ReportPart("data", "Data", (Words(("x < y",)),)),)))
    >>> "&lt;b&gt;" in text, "x &lt; y" in text, "<script" in text
    (True, True, False)
    """
    writer = _Writer("figure")
    parts = writer.parts(document.parts)
    links = "".join(f'<li><a href="#{_text(part.name)}">{_text(part.title)}</a></li>' for part in document.parts)
    lead = "\n".join(f'<p class="lead">{_text(line)}</p>' for line in document.lead)
    drawing = (
        f"<noscript>{_NO_SCRIPT}</noscript>\n<script>{_drawing_code()}</script>\n{writer.drawing()}"
        if writer.figures
        else ""
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_text(document.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>{_text(document.title)}</h1>
{lead}
<nav aria-label="Parts"><ul>{links}</ul></nav>
</header>
<main>
{parts}
</main>
{drawing}
</body>
</html>
"""


def to_fragment(parts: Sequence[ReportPart], key: str, *, with_code: bool) -> str:
    """Write parts of a report to stand within another page, such as a notebook.

    Parameters
    ----------
    parts : sequence of ReportPart
        What it says.
    key : str
        Letters, digits and underscores that no other fragment of that page has.
    with_code : bool
        Whether the code that draws figures, 4.7 MB, goes with it; once in a page is enough.
    """
    writer = _Writer(key)
    body = writer.parts(parts)
    code = f"<script>{_drawing_code()}</script>\n" if with_code and writer.figures else ""
    return f"{body}\n{code}{writer.drawing()}"


class _Writer:
    """Writes blocks, and keeps the figures for the end of the file, where the code that draws them stands."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.figures: list[str] = []

    def parts(self, parts: Sequence[ReportPart]) -> str:
        """Write parts with their headings."""
        return "\n".join(
            f'<section id="{_text(part.name)}">\n<h2>{_text(part.title)}</h2>\n'
            + "\n".join(self.block(block) for block in part.blocks)
            + "\n</section>"
            for part in parts
        )

    def drawing(self) -> str:
        """Write the figures as data, and what draws them; nothing without figures."""
        return f"{''.join(self.figures)}<script>{_DRAW.replace('KEY', self.key)}</script>" if self.figures else ""

    def block(self, block: Block) -> str:
        """Write one block."""
        if isinstance(block, Words):
            return _words(block)
        if isinstance(block, Facts):
            pairs = "".join(f"<dt>{_text(name)}</dt><dd>{_value(value)}</dd>" for name, value in block.pairs)
            return f"<dl>{pairs}</dl>"
        if isinstance(block, ReportTable):
            return _grid(block)
        return self._picture(block)

    def _picture(self, block: Picture) -> str:
        """Write the place of a figure."""
        key = f"{self.key}-{len(self.figures) + 1}"
        copy = for_page(block.figure.__class__(block.figure))
        height = int(copy.layout.height or 420)
        copy.update_layout(width=block.width, height=height, autosize=False, paper_bgcolor="#FFFFFF", dragmode=False)
        # As data, not as code: no text in a figure can end the script or begin another one.
        content = str(to_json(copy, validate=False)).replace("<", "\\u003c").replace(">", "\\u003e")
        content = content.replace("&", "\\u0026")
        self.figures.append(f'<script type="application/json" id="{key}">{content}</script>\n')
        caption = f'<figcaption class="caption">{_text(block.caption)}</figcaption>' if block.caption else ""
        size = f"width:{block.width}px;height:{height}px"
        return (
            f'<figure data-figure="{key}"><div role="img" aria-label="{_text(block.alt)}" style="{size}"></div>'
            f"{caption}</figure>"
        )


def _words(block: Words) -> str:
    """Write sentences."""
    if block.as_list:
        return "<ul>" + "".join(f"<li>{unbroken(_text(line))}</li>" for line in block.lines) + "</ul>"
    return "\n".join(f"<p>{unbroken(_text(line))}</p>" for line in block.lines)


def _grid(block: ReportTable) -> str:
    """Write a table; numbers stand at the right."""
    frame = block.frame if block.marked is None else block.frame.drop(columns=block.marked)
    marked = np.zeros(len(frame), dtype=bool) if block.marked is None else block.frame[block.marked].to_numpy(bool)
    sides = [_side(frame.iloc[:, j]) for j in range(frame.shape[1])]
    head = "".join(f'<th scope="col"{side}>{_text(name)}</th>' for side, name in zip(sides, frame.columns, strict=True))
    columns = [_cells(frame.iloc[:, j], share=str(name) in block.shares) for j, name in enumerate(frame.columns)]
    lines = []
    for i, tinted in enumerate(marked.tolist()):
        cells = "".join(f"<td{side}>{column[i]}</td>" for side, column in zip(sides, columns, strict=True))
        lines.append(f'<tr class="marked">{cells}</tr>' if tinted else f"<tr>{cells}</tr>")
    caption = f'<p class="caption">{_text(block.caption)}</p>' if block.caption else ""
    body = "\n".join(lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>{caption}'


def _side(values: pd.Series) -> str:
    """Return the class of a column's cells: numbers stand at the right, dates and rows are not broken."""
    if _is_number(values):
        return ' class="n"'
    texts = cell_texts(values)
    known = texts[texts != ""]
    if len(known) and known.str.fullmatch(_NUMBER).all():
        return ' class="n"'
    return ' class="d"' if len(known) and known.str.fullmatch(_WHOLE).all() else ""


def _is_number(values: pd.Series) -> bool:
    """Tell whether a column holds numbers."""
    return pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)


def _cells(values: pd.Series, *, share: bool) -> list[str]:
    """Return the cells of a column, escaped."""
    if share:
        return ["" if pd.isna(value) else percent(float(value)) for value in values]
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        known = values.dropna()
        pattern = "%Y-%m-%d" if (known == known.dt.normalize()).all() else "%Y-%m-%d %H:%M"
        values = values.dt.strftime(pattern)
    return [_value(value) for value in values]


def _value(value: Any) -> str:
    """Return one value, escaped: numbers as people write them, missing ones empty."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        # Years, row ids and codes are not amounts: no separators.
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return html.escape(number(float(value)))
    return _text(value, longest=_LONGEST_CELL if not isinstance(value, str) or len(value) > _LONGEST else _LONGEST)


def _text(text: object, *, longest: int = _LONGEST) -> str:
    """Return a text that is shown as it is, and may stand between tags and in attributes."""
    return html.escape(shown(text, longest), quote=True)


@lru_cache(maxsize=1)
def _drawing_code() -> str:
    """Return the code that draws the figures; a closing tag within it would end the script."""
    return str(get_plotlyjs()).replace("</script", "<\\/script")
