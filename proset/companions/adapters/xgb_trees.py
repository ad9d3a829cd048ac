"""Trees in XGBoost's own JSON form, checked before XGBoost gets them: it follows their numbers without looking."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import StorageError
from proset.common.words import shown

_OBJECTIVES = ("binary:logistic", "multi:softprob")
_OF_NODES = (
    "base_weights", "default_left", "left_children", "loss_changes", "parents", "right_children", "split_conditions",
    "split_indices", "split_type", "sum_hessian",
)  # fmt: skip
_NUMBERS = ("base_weights", "split_conditions")


def check_trees(raw: bytes, n_classes: int, n_features: int) -> None:
    """Refuse trees that XGBoost could not walk, or that belong to another table.

    Parameters
    ----------
    raw : bytes
        What ``Booster.save_raw("json")`` returned.
    n_classes, n_features : int
        What the model has.

    Raises
    ------
    StorageError
        Saying what is wrong.

    Examples
    --------
    >>> check_trees(b"{}", 2, 1)
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The saved trees cannot be read: 'learner'.
    """
    groups = n_classes if n_classes > 2 else 1
    try:
        learner = json.loads(raw)["learner"]
        known = learner["learner_model_param"]
        counts = (max(1, int(known["num_class"])), int(known["num_feature"]))
        model = learner["gradient_booster"]["model"]
        trees, info = model["trees"], model["tree_info"]
        fits = learner["objective"]["name"] in _OBJECTIVES and learner["gradient_booster"]["name"] == "gbtree"
        fits = fits and model["iteration_indptr"] == list(range(0, len(trees) + 1, groups))
        fits = fits and int(model["gbtree_model_param"]["num_trees"]) == len(trees) == len(info)
        fits = fits and info == [i % groups for i in range(len(trees))]
        sound = fits and all(_is_sound(tree, n_features) for tree in trees)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise StorageError(f"The saved trees cannot be read: {shown(error, 200)}.") from error
    if counts != (groups, n_features):
        raise StorageError("The saved trees are of another number of classes or columns.")
    if not sound:
        raise StorageError("The saved trees are damaged.")


def n_nodes(raw: bytes) -> int:
    """Count the splits and leaves of trees that were checked."""
    trees = json.loads(raw)["learner"]["gradient_booster"]["model"]["trees"]
    return sum(int(tree["tree_param"]["num_nodes"]) for tree in trees)


def _is_sound(tree: dict[str, Any], n_features: int) -> bool:
    """Tell whether every node but the root is the child of one other, and every split looks at a column there is."""
    size = int(tree["tree_param"]["num_nodes"])
    if size < 1 or any(len(tree[name]) != size for name in _OF_NODES) or any(tree["split_type"]):
        return False
    if int(tree["tree_param"]["num_deleted"]) != 0 or int(tree["tree_param"]["size_leaf_vector"]) > 1:
        return False
    if int(tree["tree_param"]["num_feature"]) != n_features or len(tree["categories"]):
        return False
    left, right = _whole(tree["left_children"]), _whole(tree["right_children"])
    if not np.array_equal(left == -1, right == -1):
        return False
    children = np.concatenate([left[left != -1], right[right != -1]])
    # Each node but the root once, and after its parent: then there are no circles, and nothing is left over.
    once = np.array_equal(np.sort(children), np.arange(1, size))
    after = bool(
        (left[left != -1] > np.flatnonzero(left != -1)).all()
        and (right[right != -1] > np.flatnonzero(right != -1)).all()
    )
    columns = _whole(tree["split_indices"])
    known = bool(((columns >= 0) & (columns < n_features)).all())
    finite = all(np.isfinite(np.asarray(tree[name], dtype=np.float64)).all() for name in _NUMBERS)
    return once and after and known and finite


def _whole(values: list[Any]) -> NDArray[np.int64]:
    """Return whole numbers; anything else is a ValueError."""
    if not all(type(value) is int for value in values):
        raise ValueError("a number of a node is not whole")
    return np.array(values, dtype=np.int64)
