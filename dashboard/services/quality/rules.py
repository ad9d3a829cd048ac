"""Decision rules in words with the names of the classes, and as texts for the address."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dashboard.services.params import Param
from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import ProsetError
from proset.common.words import number, percent, shown
from proset.study.decision import DecisionRule

_LIMITS = JsonLimits(max_bytes=20_000, max_values=3_000, max_depth=4)
_NAMES = {"cutoff", "costs", "leave"}


def rule_words(rule: DecisionRule, classes: tuple[str, ...]) -> str:
    """Say in one sentence how cases are decided.

    Parameters
    ----------
    classes : tuple of K str
        In the order of the probabilities.

    Examples
    --------
    >>> rule_words(DecisionRule(), ("no", "yes"))
    'The model says the most probable class.'
    >>> rule_words(DecisionRule(cutoff=0.2, leave_below=0.05), ("no", "yes"))
    "The model says 'yes' where its probability is above 20.0 %, else 'no'. A person decides the cases that are less \
familiar than 5.0 % of the held-out rows."
    """
    said = "The model says the most probable class."
    if rule.cutoff is not None:
        first, second = (f"'{shown(name)}'" for name in classes)
        said = f"The model says {second} where its probability is above {percent(rule.cutoff)}, else {first}."
    elif rule.costs is not None:
        said = f"The model says the class with the smallest expected cost{_cost_words(rule.costs, classes)}."
    if not rule.leave_below:
        return said
    if rule.leave_below == 1.0:
        return f"{said} A person decides the cases that are less familiar than the most familiar held-out row."
    share = percent(rule.leave_below)
    return f"{said} A person decides the cases that are less familiar than {share} of the held-out rows."


def _cost_words(costs: tuple[tuple[float, ...], ...], classes: tuple[str, ...]) -> str:
    """Name the costs where there are only few."""
    if len(classes) != 2:
        return ""
    first, second = (shown(name) for name in classes)
    return (
        f": {number(costs[0][1])} for saying '{second}' of a case of '{first}', "
        f"{number(costs[1][0])} for saying '{first}' of a case of '{second}'"
    )


@dataclass(frozen=True)
class OneRule(Param[DecisionRule]):
    """A decision rule.

    Examples
    --------
    >>> param = OneRule("rule", DecisionRule())
    >>> param.write(DecisionRule(cutoff=0.2)), param.read('{"cutoff":0.2}') == DecisionRule(cutoff=0.2)
    ('{"cutoff":0.2}', True)
    >>> param.read('{"cutoff":2}') is None, param.read("half") is None
    (True, True)
    """

    allowed = "a decision rule as this program writes it"

    def read(self, text: str) -> DecisionRule | None:
        """Return the rule that a text stands for; it may be made for another number of classes than there are."""
        try:
            state = parse_json(text, "The rule", limits=_LIMITS)
        except ProsetError:
            return None
        return _from_state(state) if isinstance(state, dict) and state.keys() <= _NAMES else None

    def write(self, value: DecisionRule) -> str:
        """Return the text."""
        state: dict[str, Any] = {}
        if value.cutoff is not None:
            state["cutoff"] = value.cutoff
        if value.costs is not None:
            state["costs"] = [[int(cost) if cost.is_integer() else cost for cost in line] for line in value.costs]
        if value.leave_below:
            state["leave"] = value.leave_below
        return json.dumps(state, separators=(",", ":"))


def _from_state(state: dict[str, Any]) -> DecisionRule | None:
    """Return the rule that plain values stand for; None if they stand for none."""
    costs = state.get("costs")
    square = isinstance(costs, list) and all(isinstance(line, list) and all(map(_is_number, line)) for line in costs)
    if costs is not None and not square:
        return None
    try:
        return DecisionRule(
            cutoff=state.get("cutoff"),
            costs=None if costs is None else tuple(map(tuple, costs)),
            leave_below=state.get("leave", 0.0),
        )
    except ProsetError:
        return None


def _is_number(value: object) -> bool:
    """Tell whether a value is a number and not a yes or no."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
