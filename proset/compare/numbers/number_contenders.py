"""The systems that answer with a number, as a comparison takes them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from proset.common.errors import StudyError
from proset.common.words import count_words, listed, number
from proset.companions.systems import SYSTEMS as REGISTRY
from proset.compare.contenders import PROSET, SEARCHED, UNGUIDED, Contender
from proset.compare.numbers.left_out import WithLeftOutErrors
from proset.compare.numbers.levels import LEVELS
from proset.compare.numbers.neighbours import NeighbourNumbers
from proset.compare.numbers.trees import QUICK, TUNED, TreeNumbers
from proset.engine.regressor import RegressorModel
from proset.selection.number_folds import steering_without
from proset.selection.number_search import ProsetRegressorCV
from proset.study.guidance import GuidanceKind
from proset.study.steering import steering_of

if TYPE_CHECKING:
    from proset.compare.plan import ComparePlan
    from proset.study.number_study import NumberStudy

NUMBER_SYSTEMS = (PROSET, "gbmap", "knn", "xgboost")
"""Keys of the systems that answer with a number, in the order in which they are listed."""

UNCALIBRATED = (
    "Its intervals are those of the model itself, as for all systems: the calibrated ones of the other pages are not"
    " part of it."
)
"""Said of a study with calibrated intervals."""

_ABOUT: Mapping[str, str] = MappingProxyType(
    {
        PROSET: "A distribution made of what prototypes say: a few weighted training rows and a few weighted features.",
        "gbmap": "A few learned directions, each bent once, added up to one number; its errors on training rows that"
        " were left out, the same for all cases, make the distribution.",
        "knn": "The distribution of the target among the nearest training rows.",
        "xgboost": "Boosted trees, one set for each of 19 quantiles, put into ascending order.",
    }
)
_BETAS, _BOOSTS = (1.0, 5.0), (10, 20, 40)
_NEIGHBOURS = (5, 10, 15, 20, 30, 50, 75, 100)


def number_contenders(plan: ComparePlan, study: NumberStudy) -> tuple[Contender, ...]:
    """Return the systems of a plan; without tuning, proset takes the settings of the study.

    Raises
    ------
    StudyError
        If one of them knows classes only.
    """
    unknown = [REGISTRY[key].title for key in plan.systems if key not in NUMBER_SYSTEMS]
    if unknown:
        told = f"{listed(unknown)} {'knows' if len(unknown) == 1 else 'know'} classes only, and the target is a number."
        raise StudyError(told, hint=f"Choose among {', '.join(NUMBER_SYSTEMS)}.", parameter="systems")
    return tuple(_contender(key, plan, study) for key in plan.systems)


def prepare_number_systems(systems: tuple[str, ...] = NUMBER_SYSTEMS) -> None:
    """Load and compile what systems spend their time on, by tiny fits; those that cannot run here are passed over."""
    X = np.linspace(-1.0, 1.0, 40)[:, np.newaxis] * [1.0, 0.5]
    makers: Mapping[str, Callable[[], Any]] = {PROSET: RegressorModel, **_QUICK}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key in systems:
            if key in makers and not REGISTRY[key].missing():
                makers[key]().fit(X, X[:, 0]).predict_quantiles(X, LEVELS)


def _gbmaps(seed: int, *, tuned: bool) -> WithLeftOutErrors:
    """Return boosting mappings, of which one is taken."""
    from proset.companions.gbmap.regressor import GBMapRegressor  # needs numba, which others do without

    if not tuned:
        return WithLeftOutErrors([GBMapRegressor(n_boosts=20, random_state=seed)], seed)
    several = [GBMapRegressor(n_boosts=count, beta=beta, random_state=seed) for count in _BOOSTS for beta in _BETAS]
    return WithLeftOutErrors(several, seed)


_QUICK: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "gbmap": lambda seed=0: _gbmaps(seed, tuned=False),
        "knn": lambda seed=0: NeighbourNumbers(20, seed),
        "xgboost": lambda seed=0: TreeNumbers(QUICK, seed),
    }
)
_TUNED: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        PROSET: lambda seed=0: ProsetRegressorCV(random_state=seed),
        "gbmap": lambda seed=0: _gbmaps(seed, tuned=True),
        "knn": lambda seed=0: NeighbourNumbers(_NEIGHBOURS, seed),
        "xgboost": lambda seed=0: TreeNumbers(TUNED, seed),
    }
)


def _contender(key: str, plan: ComparePlan, study: NumberStudy) -> Contender:
    """Return one system."""
    own = key == PROSET and not plan.tuned
    notes = [SEARCHED] if own and study.search is not None else []
    if key == PROSET and (study.guidance.steers if not own else _speaks_of_rows(study)):
        notes.append(UNGUIDED)
    if key == PROSET and study.calibration is not None:
        notes.append(UNCALIBRATED)
    # The matrix of a study is scaled already, so that its own model is the very one that the other pages show.
    make = partial(_Own, study) if own else partial((_TUNED if plan.tuned else _QUICK)[key], plan.random_state)
    return Contender(
        key=key,
        title=REGISTRY[key].title,
        about=_ABOUT[key],
        make=make,
        settings_words=_WORDS[key],
        missing=REGISTRY[key].missing(),
        note=" ".join(notes),
        asked=lambda model, X: model.predict_quantiles(X, LEVELS),
    )


def _speaks_of_rows(study: NumberStudy) -> bool:
    """Tell whether people have said which rows may be prototypes or have to be candidates."""
    return any(len(study.guidance.rows_of(kind)) for kind in (GuidanceKind.NO_PROTOTYPE, GuidanceKind.CANDIDATE))


class _Own:
    """The model of a study, fitted anew: with its settings, and the columns that its search and people have left."""

    def __init__(self, study: NumberStudy) -> None:
        dropped = study.search.dropped if study.search is not None else ()
        asked = steering_of(study.guidance, study.split.train, study.design)
        self._sources = study.design.column_sources
        self._penalty = steering_without(asked, self._sources, dropped).penalty
        self.model_ = RegressorModel(**study.settings.for_model)

    def fit(self, X: np.ndarray, y: np.ndarray, sources: Sequence[str] | None = None) -> _Own:
        """Fit it; a fold that lacks a rare category has other matrix columns, and `sources` says of which columns."""
        penalty = self._penalty
        if penalty is not None and sources is not None:
            by_column = dict(zip(self._sources, penalty.tolist(), strict=True))
            penalty = np.array([by_column.get(name, 1.0) for name in sources])
        fits = penalty is not None and len(penalty) == X.shape[1]
        self.model_.fit(X, y, feature_penalty=penalty if fits else None)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict means."""
        return self.model_.predict(X)

    def predict_quantiles(self, X: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Predict quantiles."""
        return self.model_.predict_quantiles(X, q)


def inner_model(model: Any) -> RegressorModel | None:
    """Return the prototype set within a fitted system; None where it is none."""
    found = getattr(model, "model_", model)
    return found if isinstance(found, RegressorModel) else None


def _proset_words(model: Any) -> str:
    found = inner_model(model)
    assert found is not None
    batches = count_words(len(found.set_manager_.batches), "batch", "batches")
    return f"{batches}, lambda_v {number(found.lambda_v)}, lambda_w {number(found.lambda_w)}"


def _gbmap_words(model: Any) -> str:
    return f"{count_words(model.model_.n_boosts, 'stage')}, beta {number(model.model_.beta)}"


def _tree_words(model: Any) -> str:
    trees, depth = model.params_["n_estimators"], model.params_["max_depth"]
    return f"{count_words(trees, 'tree')} for each quantile, depth {depth}"


_WORDS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        PROSET: _proset_words,
        "gbmap": _gbmap_words,
        "knn": lambda model: f"{model.n_neighbors_} neighbours",
        "xgboost": _tree_words,
    }
)
