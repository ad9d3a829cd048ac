"""Words about the standing of a case: the one place that list, card, page and file take them from.

Whether prototypes speak for a case and whether a known case is near it are two questions. A case in the middle of its
class may have known cases all around it and no prototype near it, because prototypes sit where classes meet; a heavy
prototype may decide a case that it does not resemble. And a quantile alone says little: where all rows are near known
cases, the one that is least so is still near.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from proset.common.words import alike, number, percent
from proset.engine.evidence.known_cases import batch_kernels

if TYPE_CHECKING:
    from proset.study.base import StudyBase

FEW, HALF = 0.05, 0.5
"""Borders between quantiles in words."""
UNLIKE, ALIKE = 0.1, 0.5
"""Borders between similarities in words: below the first nothing is called near, from the second on nothing far."""
MOSTLY_MARGINAL, NEARLY_MARGINAL = 0.5, 0.9
"""Parts of the estimate that are class shares: beyond the first prototypes say little, from the second on nothing."""
HELD_OUT = "held-out rows"
IMPACT_TITLE = "total impact of the prototypes (familiarity as a number)"
"""Title of an axis along which familiarity is no share."""


@dataclass(frozen=True)
class StandingWords:
    """Standing of one case, in words.

    Attributes
    ----------
    prototypes : str
        Whether prototypes say much about it, as a sentence.
    known : str
        Whether a known case is near it, as a sentence; empty if that was not measured.
    short : str
        Both as a phrase, such as "prototypes say much about it; a known case is near".
    warning : bool
        Whether a person should look twice.
    """

    prototypes: str
    known: str
    short: str
    warning: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """Both sentences, as far as there are two."""
        return tuple(sentence for sentence in (self.prototypes, self.known) if sentence)


def standing_words(
    *,
    quantile: float,
    leading_similarity: float,
    marginal_share: float,
    novelty_quantile: float | None = None,
    nearest_similarity: float | None = None,
    novelty_quantile_all: float | None = None,
    among: str = HELD_OUT,
) -> StandingWords:
    """Say where a case stands.

    Parameters
    ----------
    quantile : float
        Share of the held-out rows that are at most as familiar, in [0, 1].
    leading_similarity : float
        Similarity of the prototype with most impact, in [0, 1]; 0 without prototypes.
    marginal_share : float
        Share of the estimate that is the class shares of the training rows, in [0, 1].
    novelty_quantile, nearest_similarity : float or None
        Share of the held-out rows that are no nearer to a known case, and the similarity of the nearest, in the model's
        metric; None if not measured.
    novelty_quantile_all : float or None
        The share in the metric of all features; None if not measured.
    among : str
        What the shares are shares of; training rows where no row was held out.

    Examples
    --------
    >>> words = standing_words(
    ...     quantile=0.004, leading_similarity=0.02, marginal_share=0.9, novelty_quantile=0.6, nearest_similarity=0.79)
    >>> words.short, words.warning
    ('no prototype speaks for it; a known case is near', True)
    >>> words.known
    'A known case is near it: the most similar one has similarity 0.79.'
    """
    prototypes, short, doubt = _of_prototypes(quantile, leading_similarity, marginal_share, among)
    if novelty_quantile is None or nearest_similarity is None:
        return StandingWords(prototypes, "", short, doubt)
    known, near, far = _of_known(novelty_quantile, nearest_similarity, among)
    if novelty_quantile_all is not None and novelty_quantile_all < FEW and not far:
        known += f" Columns that the model does not use included, {_this_far(novelty_quantile_all, among)}."
        near += "; unusual in all columns together"
        far = True
    return StandingWords(prototypes, known, f"{short}; {near}", doubt or far)


def _of_prototypes(quantile: float, similarity: float, marginal_share: float, among: str) -> tuple[str, str, bool]:
    """Say whether prototypes speak for a case: a sentence, a phrase, and whether that is a reason for doubt."""
    rank = _this_unfamiliar(quantile, among)
    if marginal_share >= 1.0:
        sentence = "No prototype speaks for it: the estimate is the share of each class among the training rows."
        return sentence, "no prototype speaks for it", True
    if marginal_share > MOSTLY_MARGINAL:
        none = marginal_share >= NEARLY_MARGINAL
        short = "no prototype speaks for it" if none else "prototypes say little about it"
        sentence = (
            f"{short[0].upper()}{short[1:]}: {percent(marginal_share)} of the estimate is the share of each class "
            f"among the training rows; {rank}."
        )
        return sentence, short, True
    if similarity < UNLIKE:
        sentence = (
            f"Prototypes decide it from afar: the leading one has similarity {similarity_words(similarity)} and counts "
            f"by its weight; {rank}."
        )
        return sentence, "prototypes decide it from afar", quantile < FEW
    if quantile < FEW:
        return f"Prototypes say unusually little about it: {rank}.", "prototypes say little about it", True
    if quantile < HALF:
        return f"Prototypes say less about it than about most: {rank}.", "prototypes say less than usual", False
    return f"Prototypes say much about it: {rank}.", "prototypes say much about it", False


def _of_known(quantile: float, similarity: float, among: str) -> tuple[str, str, bool]:
    """Say whether a known case is near: a sentence, a phrase, and whether that is a reason for doubt."""
    found, rank = f"the most similar one has similarity {similarity_words(similarity)}", _this_far(quantile, among)
    if similarity < UNLIKE:
        return f"No known case is near it: {found}; {rank}.", "no known case is near it", quantile < FEW
    if quantile >= FEW:
        if similarity >= ALIKE:
            return f"A known case is near it: {found}.", "a known case is near", False
        return f"Known cases are at some distance: {found}; {rank}.", "known cases at some distance", False
    if similarity >= ALIKE:
        # All rows have close neighbours here; this one only less so.
        return f"A known case is near it, though {rank}: {found}.", "a known case is near", False
    return f"Known cases are unusually far from it: {found}; {rank}.", "known cases are far from it", True


def _this_unfamiliar(quantile: float, among: str) -> str:
    """Say how many rows are at most as familiar."""
    if quantile <= 0.0:
        return f"none of the {among} is as unfamiliar"
    return f"{_share(quantile, among)} at most as familiar"


def _this_far(quantile: float, among: str) -> str:
    """Say how many rows are at least as far from every known case."""
    if quantile <= 0.0:
        return f"none of the {among} is as far from every known case"
    return f"{_share(quantile, among)} at least as far from every known case"


def _share(quantile: float, among: str) -> str:
    """Begin a sentence about a share. With few rows, none of them is not the same as less than one in a hundred."""
    return f"{'only ' if quantile < FEW else ''}{percent(quantile)} of the {among} are"


def familiarity_words(quantile: float, impact: float) -> str:
    """Return familiarity: its place among known cases in per cent, then the number behind it, the total impact.

    Examples
    --------
    >>> familiarity_words(0.678, 72.31), familiarity_words(0.0004, 0.0002)
    ('67.8 % (total impact 72.3)', 'under 0.1 % (total impact under 0.001)')
    """
    return f"{percent(quantile)} (total impact {impact_words(impact)})"


def impact_words(impact: float) -> str:
    """Return a total impact with three digits, which say enough.

    Examples
    --------
    >>> impact_words(0.0), impact_words(0.0123), impact_words(1234.5)
    ('0', '0.0123', '1234')
    """
    if 0.0 < impact < 0.001:
        return "under 0.001"
    return f"{impact:.3g}" if impact < 1000 else number(round(impact))


def impact_change_words(change: float, largest: float) -> str:
    """Return what is added to a total impact, with the decimals that let a sum be checked whose largest term is given.

    Examples
    --------
    >>> impact_change_words(-75.623, 481.0), impact_change_words(3.6081, 7.92)
    ('−75.6', '+3.608')
    """
    return alike([change, largest], 4, sign=True)[0]


def similarity_words(similarity: float) -> str:
    """Return a similarity with two decimals; only exactly 0 and 1 read as 0 and 1.

    Examples
    --------
    >>> similarity_words(0.791), similarity_words(0.0004), similarity_words(0.9999), similarity_words(0.0)
    ('0.79', 'under 0.01', 'over 0.99', '0')
    """
    if similarity <= 0.0 or similarity >= 1.0:
        return f"{similarity:.0f}"
    text = f"{similarity:.2f}"
    return {"0.00": "under 0.01", "1.00": "over 0.99"}.get(text, text)


def mean_of_batches(study: StudyBase) -> str:
    """Say of what the similarity of a known case is the mean, such as ``" (mean of 3 batches)"``.

    A prototype is like a case by the columns of its own batch; any other known case has no batch, so that all speak.

    Returns
    -------
    str
        Empty where no more than one batch uses columns: both are then the same.
    """
    n_kernels = len(batch_kernels(study.model.set_manager_))
    return f" (mean of {n_kernels:,} batches)" if n_kernels > 1 else ""
