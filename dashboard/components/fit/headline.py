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
    page.section(words.label(right_words(verdict, "unseen")))


def right_words(verdict: Verdict, rows: str) -> str:
    """Say of how many rows, of which these are all or those a model decides, it is right beside the simplest rule."""
    cases = rows if verdict.n_decided == verdict.n_rows else f"{rows} that it decides, out of {verdict.n_rows:,}"
    luck = ""
    if verdict.n_right > verdict.naive_right and verdict.more_right_by_luck:
        # The verdict beside it may rest on many more rows.
        luck = f". {'The' if verdict.repeated is None else 'On these alone, the'} difference may be luck"
    return (
        f"Right for {verdict.n_right:,} of {verdict.n_decided:,} {cases}; always saying "
        f"'{verdict.naive_class}': {verdict.naive_right:,}{luck}"
    )
