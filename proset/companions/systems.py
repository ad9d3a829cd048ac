"""The systems that stand beside each other: what each is, what it has, and how to make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from sklearn.utils.validation import has_fit_parameter

from proset.common.errors import ProsetError, StorageError
from proset.common.words import count_words, number, power_words, shown
from proset.companions.protocol import Offer, PrototypeModel


@dataclass(frozen=True, eq=False)
class System:
    """One system, with the settings that a comparison uses.

    Attributes
    ----------
    key : str
        Its name in plans and files.
    title : str
        Its name in tables and legends.
    about : str
        One sentence that says what it is.
    knob : str
        What its size changes with, in words.
    home : str
        Module and class of its estimator, as "module:class"; loaded when it is asked for.
    quick, tuned : mapping of str to object
        Parameters of one sensible setting, and of an estimator that chooses its settings itself, from the rows that it
        is fitted to only.
    quick_home, tuned_home : str
        The estimators for `quick` and `tuned`, where they are others.
    needs : str
        Package without which it cannot run; "" for none.
    """

    key: str
    title: str
    about: str
    knob: str
    home: str
    quick: Mapping[str, Any] = field(default_factory=dict)
    tuned: Mapping[str, Any] = field(default_factory=dict)
    quick_home: str = ""
    tuned_home: str = ""
    needs: str = ""

    @cached_property
    def estimator(self) -> Any:
        """Class of the estimator, imported when it is asked for."""
        return _load(self.home)

    @property
    def offers(self) -> frozenset[Offer]:
        """Answers that its models give beyond predictions."""
        return frozenset(Offer) - self.lacks

    @property
    def lacks(self) -> frozenset[Offer]:
        """Answers that its models have no notion of."""
        found: frozenset[Offer] = self.estimator.lacks
        return found

    @property
    def uses_weights(self) -> bool:
        """True if its fit takes sample weights."""
        return bool(has_fit_parameter(self.estimator, "sample_weight"))

    def missing(self) -> str:
        """Say why it cannot run here; "" if it can."""
        if not self.needs or find_spec(self.needs) is not None:
            return ""
        return f'{self.title} needs the package {self.needs}: pip install "proset-dashboard[reference]"'

    def make(self, *, tuned: bool = False, random_state: int = 0, **params: Any) -> Any:
        """Return an estimator that is not fitted.

        Parameters
        ----------
        tuned : bool, default=False
            Whether it is to choose its settings itself.
        random_state : int, default=0
            What its random choices start from.
        **params
            Parameters to set instead of those that comparisons use.

        Examples
        --------
        >>> SYSTEMS["knn"].make(n_neighbors=5)
        KnnPrototypes(n_neighbors=5, prior=1.0)
        """
        kind = _load((self.tuned_home if tuned else self.quick_home) or self.home)
        given = {**(self.tuned if tuned else self.quick), **params}
        if "random_state" in kind._get_param_names():
            given.setdefault("random_state", random_state)
        return kind(**given)

    def settings_words(self, model: PrototypeModel) -> str:
        """Say in a short phrase what a fitted model uses."""
        return _WORDS[self.key](model)


def load_model(state: Mapping[str, Any]) -> PrototypeModel:
    """Make a model again from what its ``to_dict`` returned, whatever system it is of.

    Parameters
    ----------
    state : mapping
        ``"meta"`` (JSON values, the name of the class among them) and ``"arrays"``.

    Returns
    -------
    PrototypeModel
        Fitted; estimates are those of the model that was saved.

    Raises
    ------
    StorageError
        If it is of no known system, or damaged.

    Examples
    --------
    >>> from proset.companions.adapters import KnnPrototypes
    >>> model = KnnPrototypes(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"])
    >>> load_model(model.to_dict()).predict([[0.9]]).tolist()
    ['b']
    """
    meta = state.get("meta") if isinstance(state, Mapping) else None
    name = meta.get("system") if isinstance(meta, Mapping) else None
    for system in SYSTEMS.values():
        for home in filter(None, (system.home, system.quick_home, system.tuned_home)):
            if name == home.split(":")[1]:
                found: PrototypeModel = _load(home).from_dict(state)
                return found
    raise StorageError(f"A model of the kind '{shown(name)}' is not known.", hint="It may be from a newer version.")


def available() -> tuple[str, ...]:
    """Return the keys of the systems that can run here.

    Examples
    --------
    >>> "proset" in available()
    True
    """
    return tuple(key for key, system in SYSTEMS.items() if not system.missing())


def the_system(key: str) -> System:
    """Return a system by its key.

    Parameters
    ----------
    key : str
        A key of :data:`SYSTEMS`.

    Raises
    ------
    ProsetError
        If there is none.

    Examples
    --------
    >>> the_system("pvm").title
    'Prototype vector machine'
    """
    if key not in SYSTEMS:
        raise ProsetError(f"There is no system '{shown(key)}'.", hint=f"Known are {', '.join(SYSTEMS)}.")
    return SYSTEMS[key]


def _load(home: str) -> Any:
    """Return the class that stands at "module:class"."""
    module, name = home.split(":")
    return getattr(import_module(module), name)


def _short(value: Any) -> str:
    """Write a penalty: as a decimal where that is short, as a power of ten where it is not."""
    return number(float(value)) if value == 0.0 or float(value) >= 1e-3 else power_words(float(value))


def _proset_words(model: Any) -> str:
    """Say which penalties and batches."""
    inner = model.model_
    batches = count_words(inner.set_manager_.num_batches, "batch", "batches")
    if inner.n_joined > 1:
        batches += f" of {inner.n_joined} joined fits"
    words = f"{batches}, penalties {_short(inner.lambda_v)} on features and {_short(inner.lambda_w)} on prototypes"
    return words if inner.weight_factor == 1.0 else f"{words}, weights times {number(inner.weight_factor)}"


def _pvm_words(model: Any) -> str:
    """Say which radius."""
    return f"radius {number(float(model.eps_))}, {count_words(len(model.prototypes()), 'prototype')}"


def _smp_words(model: Any) -> str:
    """Say which penalties."""
    used = {name: getattr(model, name) for name in ("n_prototypes", "lam", "mu")} | getattr(model, "best_params_", {})
    per_class = count_words(int(used["n_prototypes"]), "prototype")
    return f"up to {per_class} per class, lambda {_short(used['lam'])}, mu {_short(used['mu'])}"


def _gbmap_words(model: Any) -> str:
    """Say how many stages."""
    chosen = getattr(model, "model_", model)
    return f"{count_words(int(chosen.n_boosts), 'stage')}, beta {_short(chosen.beta)}, ridge {_short(chosen.ridge)}"


def _knn_words(model: Any) -> str:
    """Say how many neighbours, and what the class shares count beside them."""
    prior = f", the class shares like {number(model.prior_)} of one" if model.prior_ else ""
    return f"{count_words(int(model.n_neighbors_), 'neighbour')}{prior}"


def _xgb_words(model: Any) -> str:
    """Say which trees."""
    if not model.n_rounds_:
        return "class shares alone, no trees"
    return f"{count_words(model.n_rounds_, 'round')}, trees of depth {model.max_depth_} at most"


_WORDS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "proset": _proset_words,
        "pvm": _pvm_words,
        "smp": _smp_words,
        "gbmap": _gbmap_words,
        "knn": _knn_words,
        "xgboost": _xgb_words,
    }
)

_ADAPTERS, _COMPANIONS = "proset.companions.adapters", "proset.companions"

SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        system.key: system
        for system in (
            System(
                key="proset",
                title="proset",
                about="Estimates are sums over a few weighted training rows, compared in a few weighted columns.",
                knob="batches",
                home=f"{_ADAPTERS}:ProsetPrototypes",
                # Near the best of what was tried on five tables; benchmarks are the place for more than that.
                quick={"n_iter": 3, "lambda_v": 5e-3, "lambda_w": 1e-6, "weight_factor": 0.5},
                tuned={"search": "joint"},
            ),
            System(
                key="pvm",
                title="Prototype vector machine",
                about="Covers each class with balls around a few training rows; the nearest of these rows decides.",
                knob="radius",
                home=f"{_COMPANIONS}.pvm:PVMClassifier",
                quick={"eps": "cv", "cv": 5},  # a radius has no usual value: it depends on the table
                tuned={"eps": "cv"},
            ),
            System(
                key="smp",
                title="Sparse multi-prototype",
                about="Fits a few sparse vectors per class; the class of the vector with the largest product wins.",
                knob="penalty",
                home=f"{_COMPANIONS}.smp:SMPClassifier",
                quick={"fit_intercept": True},  # without one, a class between two others has no vector that wins
                tuned={
                    "fit_intercept": True,
                    "n_prototypes": (1, 3),
                    "lam": (0.0, 0.03),
                    "mu": (0.03, 0.01, 0.003, 0.001, 1e-4),
                },
                tuned_home=f"{_COMPANIONS}.smp:SMPClassifierCV",
            ),
            System(
                key="gbmap",
                title="gbmap",
                about="Adds up bent directions, stage by stage; the stages also make a distance between rows.",
                knob="stages",
                home=f"{_COMPANIONS}.gbmap:GBMapClassifier",
                quick={"betas": (1.0,), "ridges": (1e-2, 3e-1), "most_boosts": 10, "n_folds": 3},
                quick_home=f"{_ADAPTERS}.gbmap_search:GBMapSearched",
                tuned_home=f"{_ADAPTERS}.gbmap_search:GBMapSearched",
            ),
            System(
                key="knn",
                title="Nearest neighbours",
                about="Lets the nearest training rows vote; every training row is kept.",
                knob="neighbours",
                home=f"{_ADAPTERS}:KnnPrototypes",
                quick={"n_neighbors": "sqrt", "prior": 1.0},
                tuned={"n_neighbors": "cv", "rule": "best", "prior": "cv"},
            ),
            System(
                key="xgboost",
                title="XGBoost",
                about="Adds up many small decision trees; it has no prototypes and no distance.",
                knob="rounds",
                home=f"{_ADAPTERS}:XgbPrototypes",
                quick={"max_depth": 3},
                # The rule of the report takes smaller trees at a price; beside models that are simple for people to
                # read, trees are there for their loss.
                tuned={
                    "search": True,
                    "n_trials": 10,
                    "max_rounds": 600,
                    "patience": 50,
                    "final_rate": 0.03,
                    "rule": "best",
                },
                needs="xgboost",
            ),
        )
    }
)
"""By key, in the order in which tables list them."""
