"""Findings that a study was fitted in spite of: what may make its measures look better than they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.data.issues import Issue
from proset.data.risks import flattering
from proset.data.role_guess import review_roles

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy


def ignored_risks(study: AnyStudy) -> tuple[Issue, ...]:
    """Return leaks that are learned from, and rows that belong together or follow one another but were split apart.

    Parameters
    ----------
    study : Study
        Fitted; its table is looked at again, which takes about as long as when it was opened.

    Returns
    -------
    tuple of Issue
        The worst first; each names its column.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> ignored_risks(fit_sample("cancer"))
    ()
    """
    split = study.split.settings
    return tuple(flattering(review_roles(study.table, study.roles, groups=split.groups, by_time=split.by_time)))
