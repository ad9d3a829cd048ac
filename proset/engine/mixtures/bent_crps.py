"""The continuous ranked probability score of mixtures that are normal only once they are bent."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from proset.engine.mixtures.mixture import FloatArray, Mixture
from proset.engine.mixtures.units import BentUnits

_AWAY = np.array([0.0, 2.0, 4.5, 8.3])  # edges of panels, in spreads from the mean of a component
_UNHEARD = 1e-12  # weight times spread below which a component has no edges of its own
_LEAST_PANEL = 1.0  # least spreads
_NODES, _SHARES = np.polynomial.legendre.leggauss(6)


def bent_crps(mixture: Mixture, values: FloatArray, units: BentUnits) -> FloatArray:
    """Return the score of one standardised value for each case, in units of the target, shape (n,).

    The integral of the squared difference of the distribution function and that of the true value is taken panel by
    panel, between places around the components that are heard; no closed form is known.

    Examples
    --------
    >>> y = np.exp(np.linspace(-2.0, 2.0, 101))
    >>> units, sure = BentUnits.of(y, np.ones(101)), Mixture(np.ones((1, 1)), np.zeros((1, 1)), np.array([1e-4]))
    >>> far = bent_crps(sure, np.array([1.0]), units)
    >>> bool(abs(far - np.diff(units.outward(np.array([0.0, 1.0])))) < 1e-3)
    True
    """
    found = np.empty(len(values))
    corners = units.corners
    for row, (weights, means, value) in enumerate(zip(mixture.weights, mixture.means, values, strict=True)):
        heard = np.flatnonzero(weights * mixture.spreads > _UNHEARD)
        w, m, h = weights[heard], means[heard], mixture.spreads[heard]
        edges = _edges(m, h, [value, *corners])
        half = 0.5 * np.diff(edges)
        places = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
        below = ndtr((places[:, :, None] - m) / h) @ w
        off = np.where(places < value, below, below - w.sum())
        found[row] = np.einsum("p,pn,n->", half, off * off * units.slopes(places), _SHARES)
    return found


def _edges(means: FloatArray, spreads: FloatArray, fixed: list[float]) -> FloatArray:
    """Return the edges of panels in which nothing changes fast, ascending; the `fixed` ones are among them."""
    away = np.concatenate([-_AWAY[:0:-1], _AWAY])
    edges = np.sort((means[:, None] + spreads[:, None] * away).ravel())
    step = _LEAST_PANEL * float(spreads.min())
    keep = np.concatenate([[True], np.diff(np.floor(edges / step)) > 0.0])
    return np.unique(np.concatenate([edges[keep], edges[-1:], fixed]))
