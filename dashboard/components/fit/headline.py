"""The result of a fit in one line: right for how many cases that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.components import page, words

if TYPE_CHECKING:
    from proset.study.verdict import Verdict


def show(verdict: Verdict) -> None:
    """Say in cases how often the model is right, beside always saying the most common class."""
    if not verdict.n_decided:
        page.section("The result")
        return
    cases = "unseen" if verdict.n_decided == verdict.n_rows else f"unseen that it decides, out of {verdict.n_rows:,}"
    luck = verdict.n_right > verdict.naive_right and verdict.more_right_by_luck
    page.section(
        f"Right for {verdict.n_right:,} of {verdict.n_decided:,} {cases}; always saying "
        f"'{words.label(verdict.naive_class)}': {verdict.naive_right:,}{'. The difference may be luck' if luck else ''}"
    )
