"""A search for the fewest changes of a case that lead to an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proset.engine.kernels.similarity import FloatArray, IntArray, single_threaded_blas
from proset.explain.cases.counterfactual_terms import Aim, KernelTerms
from proset.explain.cases.counterfactual_values import ValueChoice

MOST_VALUES, MOST_ALONE, FEWEST_VALUES = 64, 1_024, 4
"""Values of one feature that are tried, with others and alone, as far as there is room for them."""
MOST_TOGETHER = 6
"""Changes of so many features are looked for from the case itself; more only from known cases."""
_MOST_FACTORS = 2_000_000
_MOST_PRODUCTS = 60_000_000
_MOST_SHARES = 600_000
_MOST_STARTS, _MOST_TERMS, _WIDEST = 8, 3_000_000, 60
_SAFE = 1e-9

Places = tuple[int, ...]


@dataclass(frozen=True)
class FoundChange:
    """New values of some features.

    Attributes
    ----------
    values : tuple of (int, object)
        Place of the feature among the choices, and its value; ascending by place.
    size : float
        Sum of the changes in standard deviations.
    """

    values: tuple[tuple[int, Any], ...]
    size: float

    @property
    def places(self) -> Places:
        """Which features change."""
        return tuple(place for place, _ in self.values)


def values_per_feature(n_features: int, n_prototypes: int, most: int) -> int:
    """Return how many values of each feature there is room for."""
    room = _MOST_FACTORS // max(1, n_features * n_prototypes)
    return int(np.clip(room, FEWEST_VALUES, most))


class ChangeSearch:
    """A search over the values of some features.

    Every single value is tried, then pairs of values (of many, as many as there is time for, evenly spread), then
    the best pairs are extended, one feature at a time. Where no two changes do, known cases that are an answer show a
    way: the case takes all their values, and those that are not needed are taken back.

    Parameters
    ----------
    terms : KernelTerms
        Of the features that count, in any order.
    aim : Aim
        What is looked for.
    choices : sequence of ValueChoice
        Features that may change.
    index : sequence of int
        Where each of them stands among the terms.
    """

    def __init__(self, terms: KernelTerms, aim: Aim, choices: Sequence[ValueChoice], index: Sequence[int]) -> None:
        self._terms, self._aim, self._choices, self._index = terms, aim, list(choices), list(index)
        self._own = terms.own[self._index]
        self._total = terms.own.sum(axis=0)
        width = max(len(choice.values) for choice in choices)
        self._sizes = np.full((len(choices), width), np.inf)
        self._factors = np.zeros((len(choices), width, len(terms.weights)))
        for f, choice in enumerate(choices):
            self._sizes[f, : len(choice.values)] = choice.sizes
            self._factors[f, : len(choice.values)] = terms.of(self._index[f], choice.matrix)
        np.exp(np.negative(self._factors, out=self._factors), out=self._factors)
        self._found: dict[Places, FoundChange] = {}

    def run(self, starts: FloatArray, most: int) -> list[FoundChange]:
        """Return changes that lead to the answer, few features first; no one includes another.

        Parameters
        ----------
        starts : float64 array of shape (R, D)
            Known cases that are an answer, as the model sees them, the nearest first.
        most : int
            How many are wanted.
        """
        with single_threaded_blas():
            self._take_singles()
            if len(self._found) < most:
                self._take_rare_singles()
            if len(self._found) < most and len(self._choices) > 1:
                states = self._take_pairs()
                if not self._found:
                    self._take_back(starts)
                    self._extend(states)
            refined = [self._refined(found) for found in self._different(3 * most)]
        order = sorted(refined, key=lambda found: (len(found.values), found.size, found.places))
        return _told_apart(order)[:most]

    def _take_singles(self) -> None:
        """Try every value of every feature."""
        rest = np.exp(self._own - self._total)[:, :, None]
        fits, _ = self._aim.measure(self._terms.products(self._factors, rest)[:, :, 0])
        best = np.where(fits, self._sizes, np.inf)
        for f in np.flatnonzero(np.isfinite(best.min(axis=1))).tolist():
            self._keep({f: int(best[f].argmin())})

    def _take_rare_singles(self) -> None:
        """Try the values that stand between these, too, of features none of which does alone."""
        for f, choice in enumerate(self._choices):
            if (f,) not in self._found and len(choice.every) > len(choice.values):
                fits, _ = self._aim.measure(self._terms.sums(self._total + self._difference(f, choice.every)))
                for place in np.flatnonzero(fits).tolist():
                    self._add({f: choice.every[place]})

    def _take_pairs(self) -> list[tuple[float, dict[int, int]]]:
        """Try pairs of values of features none of which does alone; return the best of each two features."""
        left = [f for f in range(len(self._choices)) if (f,) not in self._found]
        some, states = self._some(len(left)), []
        for n, f in enumerate(left[:-1]):
            others = left[n + 1 :]
            sums = self._of_pairs(f, others, some)
            fits, slack = self._aim.measure(sums)
            sizes = (
                self._sizes[f, some[f]][None, :, None]
                + self._sizes[others][np.arange(len(others))[:, None], some[others]][:, None, :]
            )
            real = np.isfinite(sizes)
            sizes, slack = np.where(fits, sizes, np.inf), np.where(real, slack, -np.inf)
            for m, other in enumerate(others):
                wanted = np.isfinite(sizes[m]).any()
                place = int(sizes[m].argmin() if wanted else slack[m].argmax())
                one, two = divmod(place, some.shape[1])
                pair = {f: int(some[f, one]), other: int(some[other, two])}
                if wanted:
                    self._keep(pair)
                elif np.isfinite(slack[m, one, two]):
                    states.append((float(slack[m, one, two]), pair))
        return states

    def _some(self, n_features: int) -> IntArray:
        """Return which values of each feature are tried in pairs, shape (F, g); repeated where there are fewer."""
        pairs = max(1, n_features * (n_features - 1) // 2)
        n_prototypes, n_classes = len(self._terms.weights), len(self._terms.classes)
        room = min(_MOST_PRODUCTS / (pairs * max(1, n_prototypes)), _MOST_SHARES / (pairs * n_classes))
        width = int(np.clip(np.sqrt(room), FEWEST_VALUES, self._sizes.shape[1]))
        counts = np.array([len(choice.values) for choice in self._choices])
        return np.round(np.linspace(0.0, 1.0, width)[None, :] * (counts[:, None] - 1)).astype(np.int64)

    def _of_pairs(self, f: int, others: list[int], some: IntArray) -> FloatArray:
        """Return the sums by class for pairs of values of a feature and each of some others, (others, g, g, K)."""
        rest = np.exp(self._own[f] + self._own[others] - self._total)[:, None, :]
        second = self._factors[np.array(others)[:, None], some[others]].transpose(0, 2, 1)
        return self._terms.products(rest * self._factors[f, some[f]], second)

    def _extend(self, states: list[tuple[float, dict[int, int]]]) -> None:
        """Add one feature after the other to the best states, as long as that may need fewer than was found."""
        depth = 2
        while states and depth < min(MOST_TOGETHER, self._fewest() - 1, len(self._choices)):
            states.sort(key=lambda state: (-state[0], sorted(state[1])))
            found: dict[Places, tuple[float, dict[int, int]]] = {}
            for slack, state in self._longer([state for _, state in states[: self._width()]]):
                key = tuple(sorted(state))
                if key not in found or slack > found[key][0]:
                    found[key] = (slack, state)
            states, depth = list(found.values()), depth + 1

    def _width(self) -> int:
        """Return how many states there is time for."""
        return int(np.clip(_MOST_PRODUCTS // max(1, self._factors.size), 2, _WIDEST))

    def _longer(self, states: list[dict[int, int]]) -> Iterator[tuple[float, dict[int, int]]]:
        """Yield the best change of one more feature for each state, or keep those that lead to the answer."""
        terms = np.stack([self._sum(state) for state in states])
        for f, choice in enumerate(self._choices):
            rest = np.exp(np.minimum(self._own[f] - terms, 0.0))  # above 0 only where the feature has changed already
            fits, slack = self._aim.measure(self._terms.products(rest, self._factors[f, : len(choice.values)].T))
            for state, fit, lead in zip(states, fits, slack, strict=True):
                if f in state:
                    continue
                if fit.any():
                    self._keep({**state, f: int(np.where(fit, self._sizes[f, : len(fit)], np.inf).argmin())})
                else:
                    yield float(lead.max()), {**state, f: int(lead.argmax())}

    def _sum(self, state: dict[int, int]) -> FloatArray:
        """Return the exponents of the case with some values, shape (J,)."""
        result: FloatArray = self._total.copy()
        for f, place in state.items():
            result += self._terms.of(self._index[f], self._choices[f].matrix[[place]])[0] - self._own[f]
        return result

    def _take_back(self, starts: FloatArray) -> None:
        """Let the case take the values of known ones, and take back what is not needed."""
        room = _MOST_TERMS // max(1, self._own.size * len(self._choices))
        for row in starts[: int(np.clip(room, 1, _MOST_STARTS))]:
            values = {f: choice.of_row(row) for f, choice in enumerate(self._choices)}
            self._take_back_one({f: value for f, value in values.items() if value is not None})

    def _take_back_one(self, values: dict[int, Any]) -> None:
        """Take back changes one after the other, that which leaves most room first."""
        steps = {f: self._difference(f, [value])[0] for f, value in values.items()}
        terms = self._total + sum(steps.values()) if steps else self._total
        fits, _ = self._aim.measure(self._terms.sums(terms))
        if not bool(fits):
            return
        while steps:
            names = list(steps)
            without = terms - np.stack([steps[f] for f in names])
            fits, slack = self._aim.measure(self._terms.sums(without))
            if not fits.any():
                break
            gone = names[int(np.where(fits, slack, -np.inf).argmax())]
            terms = terms - steps.pop(gone)
        self._add({f: values[f] for f in steps})

    def _difference(self, f: int, values: Any) -> FloatArray:
        """Return by how much some values of a feature change the exponents, shape (n, J)."""
        return self._terms.of(self._index[f], self._choices[f].encoded(values)) - self._own[f]

    def _refined(self, found: FoundChange) -> FoundChange:
        """Return the same change with each number as near to the case's own as the answer allows."""
        values = dict(found.values)
        steps = {f: self._difference(f, [value])[0] for f, value in values.items()}
        for f in sorted(values, key=lambda f: -self._size(f, values[f])):
            choice = self._choices[f]
            for _ in range(2 if choice.ordered else 0):
                nearer = choice.nearer(values[f])
                others = self._total + sum(step for other, step in steps.items() if other != f)
                changed = self._difference(f, nearer)
                fits, slack = self._aim.measure(self._terms.sums(others + changed))
                good = np.flatnonzero(fits & (slack > _SAFE))
                if not len(good):
                    break
                values[f], steps[f] = float(nearer[good[0]]), changed[good[0]]
        return self._change(values)

    def _size(self, f: int, value: Any) -> float:
        """Return the size of one change."""
        choice = self._choices[f]
        return abs(value - choice.own) / choice.scope.spread if choice.ordered else 1.0

    def _change(self, values: dict[int, Any]) -> FoundChange:
        """Return values in one shape."""
        return FoundChange(tuple(sorted(values.items())), sum(self._size(f, value) for f, value in values.items()))

    def _keep(self, state: dict[int, int]) -> None:
        """Keep values by their places."""
        self._add({f: self._choices[f].values[place] for f, place in state.items()})

    def _add(self, values: dict[int, Any]) -> None:
        """Keep a change, unless a smaller one of the same features is known."""
        change = self._change(values)
        known = self._found.get(change.places)
        if change.places and (known is None or change.size < known.size):
            self._found[change.places] = change

    def _fewest(self) -> int:
        """Return how many features the best change needs that was found."""
        return min(map(len, self._found), default=len(self._choices) + 1)

    def _different(self, most: int) -> list[FoundChange]:
        """Return changes none of which includes another, few features first, then small ones."""
        every = sorted(self._found.values(), key=lambda found: (len(found.values), found.size, found.places))
        kept: list[FoundChange] = []
        for found in every:
            if len(kept) < most and not any(set(one.places) <= set(found.places) for one in kept):
                kept.append(found)
        return kept


def _told_apart(order: list[FoundChange]) -> list[FoundChange]:
    """Return changes so that, among those of as many features, each is followed by one that has little of it."""
    result: list[FoundChange] = []
    while order:
        used = {place for found in result for place in found.places}
        best = min(order, key=lambda found: (len(found.values), len(used & set(found.places)), order.index(found)))
        order = [found for found in order if found is not best]
        result.append(best)
    return result
