"""What the Features page says about features without weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.words import count_words, shown
from proset.explain.features import Dropped

if TYPE_CHECKING:
    from proset.explain.features import FeatureWeights

_MOST_NAMED = 40


def dropped_lines(found: FeatureWeights) -> tuple[str, ...]:
    """Say which features have no weight, one line for each reason.

    Parameters
    ----------
    found : FeatureWeights
        From :func:`proset.explain.feature_weights`.

    Returns
    -------
    tuple of str
        Empty if every feature is used.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import feature_weights
    >>> from proset.study import fit_study
    >>> found = feature_weights(fit_study(load_sample("digits"), sample_roles("digits")))
    >>> [line.split(":")[0] for line in dropped_lines(found)]
    ['The model does without 35 features', '3 features do not vary among the training rows']
    """
    why = found.dropped["why"]
    unused = [str(name) for name in found.dropped.index[why == Dropped.UNUSED.value]]
    single = found.dropped.index[why == Dropped.SINGLE_VALUE.value]
    lines = []
    if unused:
        lines.append(f"The model does without {count_words(len(unused), 'feature')}: {_named(unused)}.")
    if len(single) == 1:
        lines.append(str(found.dropped.loc[single[0], "words"]))
    elif len(single):
        names = _named([str(name) for name in single])
        lines.append(f"{count_words(len(single), 'feature')} do not vary among the training rows: {names}.")
    return tuple(lines)


def _named(names: list[str]) -> str:
    """List names; of very many the first ones."""
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(shown(name) for name in names[:_MOST_NAMED]) + more
