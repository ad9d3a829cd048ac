"""Ours, from this working tree: one small function per contestant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from fitted import Fitted

from proset import ClassifierModel
from proset.selection import AnyPlan, JointPlan, SearchPlan, select_hyperparameters, settings_found
from proset.selection.rare_classes import ClassesSetAside

PACKAGES = ("scikit-learn", "numpy", "scipy", "numba")


def quick(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what *Quick fit* does."""
    return searched(X, y, JointPlan.quick())


def search(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what a search does by default."""
    return searched(X, y, JointPlan())


def as_grown(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Search on the standard scale, and take the model as its batches were grown: neither corrected nor thinned."""
    return searched(X, y, JointPlan(corrections=(0.0,), thinnings=(0.0,), scales=()))


def algorithm(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Follow algorithm 2.2 with a fixed penalty on prototype weights."""
    return searched(X, y, SearchPlan(second_look=False))


def before(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what a search did by default before there was the joint one: algorithm 2.2 with a second look."""
    return searched(X, y, SearchPlan(second_look=True))


def searched(X: np.ndarray, y: np.ndarray, plan: AnyPlan) -> Fitted:
    """Search as :class:`proset.ProsetClassifierCV` does; the features are on the standard scale already."""
    model = ClassifierModel(random_state=0)
    rare = ClassesSetAside.of(y, None, plan.fraction(len(y)) if isinstance(plan, JointPlan) else model.max_fraction)
    transform = "choose" if isinstance(plan, JointPlan) and plan.scales else None
    found = select_hyperparameters(model, rare.rest(X), rare.rest(y), plan=plan, n_jobs=1, transform=transform)
    chosen = settings_found(found.record)
    chosen["n_batches"] = chosen.pop("n_iter")
    fitted = of_model(
        rare.back_in(found.model), chosen | ({"scale": str(chosen["scale"])} if "scale" in chosen else {})
    )
    if transform is None:
        return fitted

    def account() -> dict[str, int]:
        active = found.model.set_manager_.get_active_features()
        sources = getattr(found.transform, "sources_", None)  # of evidence, a column may have several
        return fitted.account() | {"features": len(np.unique(active if sources is None else sources[active]))}

    return replace(fitted, predict=lambda rows: fitted.predict(found.transform.transform(rows)), account=account)


def of_model(model: ClassifierModel, chosen: dict[str, float]) -> Fitted:
    """Hand back a fitted model."""
    manager = model.set_manager_

    def account() -> dict[str, int]:
        return {"features": len(manager.get_active_features()), "size": manager.get_num_prototypes()}

    return Fitted(model.predict_proba, account, chosen)


CONTESTANTS = {"quick": quick, "search": search, "as-grown": as_grown, "algorithm": algorithm, "before": before}
