"""Tangent distance: the fast way is least squares pair by pair, and what people call the same sign comes near."""

import numpy as np
import pytest
from scipy.ndimage import affine_transform, gaussian_filter
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from proset.common.errors import ProsetError
from proset.companions.pvm import PVMClassifier
from proset.companions.pvm.tangent import TangentDistance
from proset.companions.pvm.tangent_bases import smoothed, tangent_bases, tangents

WIDTH, HEIGHT = 12, 10


def scribbles(n, seed=0):
    """Smooth random strokes."""
    rng = np.random.default_rng(seed)
    raw = gaussian_filter(rng.normal(size=(n, HEIGHT, WIDTH)), (0.0, 1.5, 1.5))
    return (raw / raw.std()).reshape(n, -1)


def a_sign():
    """Draw a digit-like sign, thick enough for a grid of this size."""
    image = np.zeros((16, 16))
    image[3:13, 7:9] = 1.0
    image[3:5, 4:12] = 1.0
    return gaussian_filter(image, 1.2)


def by_least_squares(distance, a, b):
    """Squared distance of two images by plain least squares."""
    pictures = smoothed(np.stack([a, b]).reshape(2, distance.height, distance.width), distance.sigma)
    P, Q = tangent_bases(pictures).astype(np.float64)
    if distance.smooth_images:
        a, b = pictures.reshape(2, -1)
    A = np.hstack([P.T, -Q.T][: distance.sides])
    k = A.shape[1]
    stacked = np.vstack([A, np.sqrt(distance.ridge) * np.eye(k)])
    goal = np.concatenate([b - a, np.zeros(k)])
    steps = np.linalg.lstsq(stacked, goal, rcond=None)[0]
    return float(((stacked @ steps - goal) ** 2).sum())


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("smooth_images", [False, True])
@pytest.mark.parametrize("ridge", [0.001, 0.01, 0.5])
def test_the_fast_way_is_least_squares_pair_by_pair(sides, smooth_images, ridge):
    X, Z = scribbles(7), np.vstack([scribbles(5, seed=1), scribbles(3)])
    distance = TangentDistance(WIDTH, HEIGHT, sides=sides, smooth_images=smooth_images, ridge=ridge)
    expected = [[by_least_squares(distance, x, z) for z in Z] for x in X]
    np.testing.assert_allclose(distance(X, Z) ** 2, expected, rtol=2e-4, atol=1e-6)


@pytest.mark.slow
def test_more_pairs_than_a_block_and_a_lot_of_rows_hold():
    few, many = scribbles(3), scribbles(2_300, seed=2)
    distance = TangentDistance(WIDTH, HEIGHT)
    found = distance(few, many)
    np.testing.assert_allclose(distance(many, few).T, found, rtol=1e-5, atol=1e-5)
    places = [0, 63, 64, 2_047, 2_048, 2_299]
    np.testing.assert_allclose(found[:, places], distance(few, many[places]), rtol=1e-5, atol=1e-5)


def test_all_pairs_of_one_matrix_are_a_symmetric_matrix_with_zeros():
    X = scribbles(70)
    distance = TangentDistance(WIDTH, HEIGHT)
    found = distance(X)
    np.testing.assert_array_equal(found, found.T)
    assert not found.diagonal().any()
    np.testing.assert_allclose(found, distance(X, X), rtol=1e-4, atol=1e-5)


def test_never_more_than_the_euclidean_distance_and_two_sides_give_no_more_than_one():
    X, Z = scribbles(20), scribbles(30, seed=1)
    euclidean = np.linalg.norm(X[:, None] - Z, axis=2)
    one, two = (TangentDistance(WIDTH, HEIGHT, sides=sides, smooth_images=False)(X, Z) for sides in (1, 2))
    assert (one <= euclidean * (1 + 1e-6)).all()
    assert (two <= one * (1 + 1e-6)).all()
    stiff = TangentDistance(WIDTH, HEIGHT, smooth_images=False, ridge=1e9)(X, Z)
    np.testing.assert_allclose(stiff, euclidean, rtol=1e-5)


TURN = np.deg2rad(6.0)
CHANGES = {
    "to the side": (np.eye(2), (0.0, 0.5)),
    "up": (np.eye(2), (0.5, 0.0)),
    "turned": (np.array([[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]]), (0.0, 0.0)),
    "larger": (np.eye(2) * 0.94, (0.0, 0.0)),
    "wider and lower": (np.diag([1.06, 0.94]), (0.0, 0.0)),
    "along a diagonal": (np.array([[1.0, 0.06], [0.06, 1.0]]), (0.0, 0.0)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_sign_is_near_its_changed_copy(change):
    image = a_sign()
    matrix, shift = CHANGES[change]
    centre = np.full(2, 7.5)
    changed = affine_transform(image, matrix, offset=centre - matrix @ centre + shift, order=3)
    rows = np.stack([image, changed]).reshape(2, -1)
    euclidean = np.linalg.norm(rows[0] - rows[1])
    assert TangentDistance(16, 16, sigma=0.0)(rows)[0, 1] < 0.2 * euclidean


def test_a_sign_is_near_its_copy_by_a_thicker_pen():
    image = a_sign()
    down, right = np.gradient(image)
    rows = np.stack([image, image + 0.8 * (down**2 + right**2)]).reshape(2, -1)
    assert TangentDistance(16, 16, sigma=0.0)(rows)[0, 1] < 0.15 * np.linalg.norm(rows[0] - rows[1])


def test_directions_are_derivatives_of_the_changes():
    y, x = np.mgrid[:9, :9] - 4.0
    picture = np.exp(-((x - 1.0) ** 2 + 2.0 * y**2) / 80.0)[None]
    along_x, along_y = -(x - 1.0) / 40.0 * picture[0], -y / 20.0 * picture[0]
    expected = [
        along_x,
        along_y,
        y * along_x - x * along_y,
        x * along_x + y * along_y,
        x * along_x - y * along_y,
        y * along_x + x * along_y,
        along_x**2 + along_y**2,
    ]
    np.testing.assert_allclose(tangents(picture)[0, :, 1:-1, 1:-1], np.array(expected)[:, 1:-1, 1:-1], atol=0.01)


def test_bases_are_orthonormal_and_zero_where_there_are_no_directions():
    pictures = np.concatenate([scribbles(4).reshape(-1, HEIGHT, WIDTH), np.full((1, HEIGHT, WIDTH), 3.0)])
    stripes = np.tile(np.sin(np.arange(WIDTH)), (HEIGHT, 1))[None]
    bases = tangent_bases(np.concatenate([pictures, stripes]))
    products = bases @ bases.transpose(0, 2, 1)
    np.testing.assert_allclose(products[:4], np.broadcast_to(np.eye(7), (4, 7, 7)), atol=1e-5)
    assert not bases[4].any()
    assert 2 <= round(float(np.trace(products[5]))) < 7  # stripes do not change up and down


def test_an_empty_image_is_as_far_as_what_cannot_be_moved_away():
    X = np.vstack([scribbles(3), np.zeros((1, WIDTH * HEIGHT))])
    found = TangentDistance(WIDTH, HEIGHT)(X)
    assert np.isfinite(found).all()
    assert (found[3, :3] > 0.0).all()


def test_equal_images_are_at_distance_zero_wherever_their_grey_values_lie():
    X = scribbles(5) * 100.0 + 128.0
    assert TangentDistance(WIDTH, HEIGHT)(X, X[::-1]).T[::-1].diagonal().max() < 0.05


def test_prepared_images_give_what_a_call_gives():
    X, Z = scribbles(9), scribbles(6, seed=1)
    distance = TangentDistance(WIDTH, HEIGHT)
    left, right = distance.prepare(X), distance.prepare(Z)
    np.testing.assert_array_equal(distance.between(left, right), distance(X, Z))
    rows = np.array([4, 0, 7])
    np.testing.assert_allclose(distance.between(left[rows], right[[1, 2]]), distance(X[rows], Z[1:3]), rtol=1e-5)
    assert len(left[rows]) == 3


@pytest.mark.parametrize("eps", [12.0, "cv"])
def test_it_is_a_metric_of_the_prototype_vector_machine(eps):
    X, y = load_digits(return_X_y=True)
    X, y, more = X[:150], y[:150], X[150:200]
    distance = TangentDistance(8, 8, sigma=0.5)
    options = {"eps": eps, "standardize": False, "cv": 3, "random_state": 0}
    model = PVMClassifier(metric=distance, **options).fit(X, y)
    given = PVMClassifier(metric="precomputed", **options).fit(distance(X), y)
    np.testing.assert_array_equal(model.prototype_indices_, given.prototype_indices_)
    np.testing.assert_array_equal(model.predict(more), given.predict(distance(more, X)))
    assert (model.predict(more) == load_digits().target[150:200]).mean() > 0.8
    assert clone(model).get_params()["metric"] == distance


def test_it_is_a_metric_of_nearest_neighbours_and_can_be_cloned():
    X, Z = scribbles(12), scribbles(4, seed=1)
    distance = TangentDistance(WIDTH, HEIGHT, sigma=0.5)
    model = clone(KNeighborsClassifier(1, metric="precomputed")).fit(distance(X), np.arange(12))
    np.testing.assert_array_equal(model.predict(distance(Z, X)), distance(Z, X).argmin(axis=1))
    assert clone(distance, safe=False) == distance


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 1}, "1 x 10 pixels"),
        ({"sides": 3}, "sides=3"),
        ({"sigma": -1.0}, "sigma=-1.0"),
        ({"sigma": float("nan")}, "sigma=nan"),
        ({"ridge": 0.0}, "ridge=0.0 must be at least 0.001"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ProsetError, match=words):
        TangentDistance(**{"width": WIDTH, "height": HEIGHT} | options)


def test_what_are_no_images_of_that_size_is_refused():
    distance = TangentDistance(WIDTH, HEIGHT)
    with pytest.raises(ProsetError, match="have 120 columns, these have 7"):
        distance(np.zeros((2, 7)))
    with pytest.raises(ValueError, match="NaN"):
        distance(np.full((2, 120), np.nan))
    with pytest.raises(ProsetError, match="too large"):
        distance(np.full((2, 120), 1e30))
