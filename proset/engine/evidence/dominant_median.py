"""The dominant set of a number: the prototypes that hold the median, whichever of the others were taken away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray


def dominant_of_median(
    impact: FloatArray, below: tuple[FloatArray, FloatArray], everybody: tuple[float, float]
) -> NDArray[np.bool_]:
    """Find the fewest most influential prototypes without which, and only without which, the median can leave a range.

    Parameters
    ----------
    impact : ndarray of shape (P,)
        Impact of each prototype on the answer, finite and not negative.
    below : pair of ndarray of shape (P,)
        For the lower and for the upper end of the range: the probability, in [0, 1], that each prototype sees below it.
        The median of the whole answer is in the range.
    everybody : pair of float
        The same of the marginal distribution, whose impact is 1 and which always stays.

    Returns
    -------
    ndarray of bool, shape (P,)
        True for the members. Prototypes of equal impact are in or out together.

    Notes
    -----
    What algorithm 4.1 is for the class of a case (ours). Of the answer (R1) without some prototypes, the median is at
    most u where the impacts times (probability below u - 1/2) of what is left sum to at least 0. The worst that can be
    taken away is whatever is more likely below u than above it: so for each number of members one sum tells for every
    choice of the others at once. It grows with each member, as does that of the lower end, with signs exchanged.

    Examples
    --------
    >>> below = np.array([0.0, 0.1, 0.0]), np.array([1.0, 0.9, 0.0])
    >>> dominant_of_median(np.array([9.0, 1.0, 2.0]), below, (0.4, 0.6)).tolist()
    [True, False, False]
    """
    order = np.argsort(-impact, kind="stable")
    ranked = impact[order]
    # What has to stay at least 0: for the upper end, and with signs exchanged for the lower one.
    terms = np.stack([0.5 - below[0][order], below[1][order] - 0.5]) * ranked
    start = np.array([0.5 - everybody[0], everybody[1] - 0.5]) + np.minimum(terms, 0.0).sum(axis=1)
    reached = start[:, None] + np.cumsum(np.maximum(terms, 0.0), axis=1)
    held = np.concatenate([start[:, None], reached], axis=1).min(axis=0) >= 0.0
    may_end = np.diff(ranked, prepend=np.inf, append=-1.0) < 0.0
    possible = np.flatnonzero(held & may_end)
    size = int(possible[0]) if len(possible) else len(ranked)  # by rounding alone not even all hold it
    members = np.zeros(impact.shape[0], dtype=bool)
    members[order[:size]] = True
    return members
