"""Tangent distance: grey images are near each other if small changes of position, shape and stroke bring them together.

Each image may move along seven directions, the derivatives of changes that leave the sign what it is: a shift to the
side and one up, a turn, a change of size, a stretch along one axis (and one diagonal) at the cost of the other, and a
thicker line (Simard, Le Cun and Denker, 1993). The distance is what is left once the best steps have been taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from proset.common.errors import ProsetError
from proset.companions.pvm.tangent_bases import N_DIRECTIONS, smoothed, tangent_bases
from proset.engine.kernels.similarity import single_threaded_blas
from proset.engine.kernels.threads import run_parts

ROWS, COLUMNS = 16, 2048  # images of a block: the products of their bases, 6 MB, are all that exists of pairs at a time
LEAST_RIDGE = 1e-3
LARGEST_GREY = 1e15  # squares of larger values leave single precision


@dataclass(frozen=True)
class PreparedImages:
    """Images as the distance needs them; indexed by rows.

    Attributes
    ----------
    grey : float32 array of shape (n, D)
        Grey values.
    bases : float32 array of shape (n, 7, D)
        Orthonormal directions; zero where an image has fewer.
    along : float32 array of shape (n, 7)
        What each image has along its own directions.
    """

    grey: NDArray[np.float32]
    bases: NDArray[np.float32]
    along: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.grey)

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[np.integer]) -> PreparedImages:
        """Return some of the images."""
        return PreparedImages(self.grey[rows], self.bases[rows], self.along[rows])


@dataclass(frozen=True)
class TangentDistance:
    """Tangent distance between the rows of two matrices of grey images.

    Parameters
    ----------
    width, height : int
        Columns and rows of an image; a row of a matrix holds an image line by line.
    sides : {2, 1}
        How many of two images may move. With 1 the second one stays: faster, but no longer symmetric.
    sigma : float
        Standard deviation, in pixels, of the Gaussian that smooths an image before its derivatives are taken.
    smooth_images : bool
        Compare the smoothed images too, instead of smoothing for the derivatives only.
    ridge : float
        What a step costs per squared length of the change it makes, at least 0.001. The planes are near the truth for
        small steps only; this keeps images from going far along them, and makes the best steps unique.

    Notes
    -----
    With orthonormal bases P of the directions at x and Q of those at y, the squared distance is the minimum over a and
    b of ``|x + P a - y - Q b|^2 + ridge (|a|^2 + |b|^2)``: never more than the Euclidean distance of what is compared,
    0 for equal images, symmetric with two sides. The triangle inequality need not hold. Values are computed in single
    precision; they are good to about 0.001 of the Euclidean distance.

    The defaults are those with which the nearest of all other training digits is wrong least often for the handwritten
    digits of the paper, images of 16 x 16 pixels (``benchmarks/tables.md``).

    What each image needs is found once by `prepare`; `between` takes prepared images. A call does both.

    Examples
    --------
    >>> from sklearn.metrics import euclidean_distances
    >>> image = np.zeros((9, 9))
    >>> image[2:7, 4] = 1.0
    >>> rows = np.stack([image, np.roll(image, 1, axis=1)]).reshape(2, -1)
    >>> [f"{found[0, 1]:.1f}" for found in (euclidean_distances(rows), TangentDistance(9, 9)(rows))]
    ['3.2', '0.1']
    """

    width: int
    height: int
    sides: int = 2
    sigma: float = 0.7
    smooth_images: bool = True
    ridge: float = 0.01

    def __post_init__(self) -> None:
        if self.width < 2 or self.height < 2:
            raise ProsetError(f"An image of {self.width} x {self.height} pixels has no directions: take 2 x 2 or more.")
        if self.sides not in (1, 2):
            raise ProsetError(f"sides={self.sides!r} must be 1 or 2: how many of two images may move.")
        if not (np.isfinite(self.sigma) and self.sigma >= 0.0):
            raise ProsetError(f"sigma={self.sigma!r} must be a number of pixels, 0 or more.")
        if not (np.isfinite(self.ridge) and self.ridge >= LEAST_RIDGE):
            raise ProsetError(
                f"ridge={self.ridge!r} must be at least {LEAST_RIDGE}: with less, single precision fails."
            )

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> NDArray[np.float32]:
        """Return the distances of the images in the rows of two matrices.

        Parameters
        ----------
        A : array-like of shape (n, width * height)
            Images.
        B : array-like of shape (m, width * height), optional
            Other images; those of `A` if left out, which takes little more than half the time with two sides.

        Returns
        -------
        ndarray of shape (n, m)
            Distances, 0 or more.
        """
        left = self.prepare(A)
        return self.between(left, left if B is None else self.prepare(B))

    def prepare(self, X: ArrayLike) -> PreparedImages:
        """Find the directions of the images in the rows of a matrix."""
        raw = check_array(X, dtype=np.float64)
        n_pixels = self.width * self.height
        if raw.shape[1] != n_pixels:
            raise ProsetError(
                f"Images of {self.width} x {self.height} pixels have {n_pixels} columns, these have {raw.shape[1]}."
            )
        if np.abs(raw).max() > LARGEST_GREY:
            raise ProsetError(
                f"Grey values beyond {LARGEST_GREY:g} are too large for the tangent distance: scale them."
            )
        pictures = raw.reshape(-1, self.height, self.width)
        soft = smoothed(pictures, self.sigma)
        bases = tangent_bases(soft)
        grey = (soft if self.smooth_images else pictures).reshape(len(raw), n_pixels).astype(np.float32)
        return PreparedImages(grey, bases, np.matmul(bases, grey[:, :, None])[:, :, 0])

    def between(self, left: PreparedImages, right: PreparedImages) -> NDArray[np.float32]:
        """Return the distances of prepared images, as a call does."""
        from proset.companions.pvm.tangent_compiled import mirror

        out = np.empty((len(left), len(right)), np.float32)
        is_mirrored = left is right and self.sides == 2
        for start in range(0, len(right), COLUMNS):
            stop = min(start + COLUMNS, len(right))
            needed = left[:stop] if is_mirrored else left
            self._fill(needed, right[start:stop], out[: len(needed), start:stop])
        if is_mirrored:
            mirror(out)
        return np.sqrt(out, out=out)

    def _fill(self, left: PreparedImages, right: PreparedImages, out: NDArray[np.float32]) -> None:
        """Set `out` to the squared distances of all pairs of two lots of images."""
        from proset.companions.pvm.tangent_compiled import squared_differences, two_sided

        n_right, n_pixels = right.grey.shape
        bases = np.ascontiguousarray(right.bases.transpose(1, 0, 2)).reshape(N_DIRECTIONS * n_right, n_pixels).T
        along = np.ascontiguousarray(right.along.T)
        ridge = np.float32(self.ridge)

        def fill_rows(part: int) -> None:
            rows = slice(part * ROWS, (part + 1) * ROWS)
            lot, squares = left[rows], out[rows]
            directions = lot.bases.reshape(-1, n_pixels)
            squared_differences(lot.grey, right.grey, squares)
            of_right = (directions @ right.grey.T).reshape(-1, N_DIRECTIONS, n_right)
            if self.sides == 1:
                steps = lot.along[:, :, None] - of_right
                squares -= np.einsum("nkm,nkm->nm", steps, steps) / (1 + ridge)
                np.maximum(squares, 0.0, out=squares)
                return
            cross = (directions @ bases).reshape(-1, N_DIRECTIONS, N_DIRECTIONS, n_right)
            of_left = (lot.grey @ bases).reshape(-1, N_DIRECTIONS, n_right)
            two_sided(cross, of_right, lot.along, of_left, along, ridge, squares)

        with single_threaded_blas():  # the parts share the cores already
            run_parts(fill_rows, -(-len(left) // ROWS))
