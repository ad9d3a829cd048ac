"""Points of a joint search, and what each gives away against the best, for pages and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from proset.common.words import count_words, in_a_row, power_words
from proset.selection.joint_record import JointRecord
from proset.selection.joint_rules import Point, model_size
from proset.selection.rules import Rule

JOINED = -1
"""Label of the joined model, which is no row of :attr:`JointRecord.points`."""

_NOTHING_TO_SEE = 0.0005  # a difference that reads as 0.000


@dataclass(frozen=True)
class FrontPoint:
    """One model that a joint search has scored.

    Attributes
    ----------
    label : int
        Row label in :attr:`JointRecord.points`, or :data:`JOINED`.
    point : (int, int)
        Number of the pair of penalties, and number of batches.
    lambda_v, lambda_w : float
        The penalties.
    folds : int
        On how many folds it was scored.
    log_loss, sd : float
        Mean over these folds and standard deviation; nan for the latter on one fold.
    above, error : float
        By how much its log-loss is above that of the best on the folds that both have, and the standard error of that;
        nan where there is nothing to compare.
    n_features, n_prototypes : float
        Means over these folds.
    on_front : bool
        No other point on all folds is both better and smaller.
    n_joined : int
        Fits whose votes are joined.
    """

    label: int
    point: Point
    lambda_v: float
    lambda_w: float
    folds: int
    log_loss: float
    sd: float
    above: float
    error: float
    n_features: float
    n_prototypes: float
    on_front: bool
    n_joined: int = 1

    @property
    def n_batches(self) -> int:
        """Number of batches of each fit."""
        return self.point[1]

    @property
    def size(self) -> str:
        """Size of the model in words: means over the folds, to whole numbers.

        Examples
        --------
        >>> FrontPoint(3, (1, 2), 1e-3, 1e-5, 5, 0.3, 0.02, 0.0, 0.0, 1.2, 40.6, True).size
        '1 feature and 41 prototypes'
        """
        return f"{mean_count(self.n_features, 'feature')} and {mean_count(self.n_prototypes, 'prototype')}"


@dataclass(frozen=True)
class Landmarks:
    """The points that are named: what is used, what the rule makes of all, the best, and the smallest as good as it.

    Where joined votes are used, `chosen` is the point that they begin from, which is no longer called the chosen one.
    """

    chosen: FrontPoint
    rule: FrontPoint
    best: FrontPoint
    sparsest: FrontPoint
    takes_joined: bool = False

    @property
    def by_name(self) -> dict[str, FrontPoint]:
        """Points that are marked in a figure, by name."""
        return {
            "one fit alone" if self.takes_joined else "chosen": self.chosen,
            "best": self.best,
            "smallest as good": self.sparsest,
        }


def mean_count(mean: float, what: str) -> str:
    """Say a mean number of things, to the nearest whole number.

    Examples
    --------
    >>> mean_count(1.3, "feature"), mean_count(1499.6, "prototype"), mean_count(0.2, "feature")
    ('1 feature', '1,500 prototypes', 'under 1 feature')
    """
    return f"under 1 {what}" if 0.0 < mean < 0.5 else count_words(round(mean), what)


def front_point(record: JointRecord, label: int) -> FrontPoint:
    """Return a row of :attr:`JointRecord.points`, or the joined model for :data:`JOINED`.

    Raises
    ------
    KeyError
        If there is no row with this label.
    """
    if label == JOINED:
        return _joined_point(record)
    row = record.points.loc[[label]].to_dict("records")[0]
    return FrontPoint(
        label=int(label),
        point=(int(row["pair"]), int(row["n_batches"])),
        lambda_v=float(row["lambda_v"]),
        lambda_w=float(row["lambda_w"]),
        folds=int(row["folds"]),
        log_loss=float(row["mean"]),
        sd=float(row["sd"]),
        above=float(row["above"]),
        error=float(row["error"]),
        n_features=float(row["n_features"]),
        n_prototypes=float(row["n_prototypes"]),
        on_front=bool(row["on_front"]),
    )


def landmarks(record: JointRecord) -> Landmarks:
    """Return the points that are named.

    Raises
    ------
    StudyError
        If nothing is finished yet.
    """
    found = record.found
    points = (record.chosen, found.chosen, found.best, found.sparsest)
    chosen, rule, best, sparsest = (front_point(record, record.point_row(point)) for point in points)
    return Landmarks(chosen, rule, best, sparsest, record.takes_joined)


def scale_words(record: JointRecord) -> str:
    """Say which scale of the numbers was taken and why; empty where none was chosen."""
    return "" if record.scale is None else record.scale.words


def _joined_point(record: JointRecord) -> FrontPoint:
    """Return the joined model as a point."""
    found, named = record.joined_model, landmarks(record)
    if found is None:
        raise KeyError(JOINED)
    above, error = record.joined_above
    beaten = record.points.query("on_front")
    size = model_size(np.array([found.n_features]), np.array([found.n_prototypes]))[0]
    sizes = model_size(beaten["n_features"].to_numpy(), beaten["n_prototypes"].to_numpy())
    on_front = not ((beaten["mean"].to_numpy() <= found.log_loss) & (sizes <= size)).any()
    return replace(
        named.rule,
        label=JOINED,
        log_loss=found.log_loss,
        sd=found.sd,
        above=above,
        error=error,
        n_features=found.n_features,
        n_prototypes=found.n_prototypes,
        on_front=bool(on_front),
        n_joined=found.n_joined,
    )


def used_label(record: JointRecord) -> int:
    """Return the label of the point that is used."""
    return JOINED if record.takes_joined else record.point_row(record.chosen)


def with_label(record: JointRecord, label: int) -> JointRecord:
    """Choose the point with a label.

    Raises
    ------
    StudyError
        If it was not scored.
    """
    return record.with_joined() if label == JOINED else record.with_point(*front_point(record, label).point)


def joined_words(record: JointRecord) -> str:
    """Say what joined votes come to beside the rule's choice, refined, and what they cost; empty where untried."""
    found = record.joined_model
    if found is None:
        return ""
    direction = "lower" if found.below > 0.0 else "higher"
    chance = "" if abs(found.below) > found.error else ", not more than chance"
    return (
        f"{found.n_joined} fits like the rule's choice, each with candidates of its own, have their votes joined and "
        f"are refined as one model. Over the folds its log-loss is {found.log_loss:.3f} with "
        f"{mean_count(found.n_prototypes, 'prototype')}, {direction} than that of one such fit, refined as well, by "
        f"{abs(found.below):.3f} ± {found.error:.3f}{chance}. "
        f"The last fit takes about {found.n_joined} times as long."
    )


def refined_words(record: JointRecord) -> str:
    """Say how the chosen model is refined, and what that comes to over the folds; empty where it is not."""
    found = record.joined_model if record.takes_joined else record.refinement
    if found is None or not (found.changes_anything or record.takes_joined):
        return ""
    point = front_point(record, record.point_row(record.chosen))
    done = []
    if record.takes_joined:
        done.append(f"the votes of {record.n_joined} such fits are joined")
    if found.correction:
        done.append(
            f"the weights of all its prototypes are fitted together once more (correction {found.correction:g})"
        )
    if found.thinning:
        done.append(f"prototypes that say next to nothing are taken out (thinning {found.thinning:g})")
    return (
        f"The chosen model is refined: {in_a_row(done)}. Over the folds that takes its log-loss from "
        f"{point.log_loss:.3f} to {found.log_loss:.3f}, and its prototypes from {point.n_prototypes:,.0f} to "
        f"{found.n_prototypes:,.0f}."
    )


def is_unfinished(record: JointRecord) -> bool:
    """Tell whether the search has not come to its end, its last look included, whatever a person has chosen."""
    return not replace(record, choice=None).complete


def counts_as_good(record: JointRecord, point: FrontPoint) -> bool:
    """Tell whether the rule counts a named point as good as the best: the smallest such, and what it took for that.

    Parameters
    ----------
    record : JointRecord
        With a choice, or finished.
    point : FrontPoint
        One of :func:`landmarks`.
    """
    found = record.found
    return point.point == found.sparsest or (record.plan.rule is Rule.SE and point.point == found.chosen)


def above_words(point: FrontPoint, *, as_good: bool = False) -> str:
    """Say how far a point is above the best, and whether that is more than chance.

    Parameters
    ----------
    point : FrontPoint
        Another one than the best.
    as_good : bool, default False
        The rule counts it as good. It judges each point together with its neighbours, so it may do so where the point
        by itself is above the best by more than a standard error.

    Examples
    --------
    >>> point = FrontPoint(3, (1, 2), 1e-3, 1e-5, 5, 0.3, 0.02, 0.004, 0.006, 9.0, 41.0, True)
    >>> above_words(point)
    'higher by 0.004 ± 0.006, not more than chance'
    """
    if math.isnan(point.above):
        return "not compared with the best on a fold that both have"
    if math.isnan(point.error):
        return f"{_by(point.above)} on the one fold that both have"
    if abs(point.above) < _NOTHING_TO_SEE:
        return f"the same within ± {point.error:.3f}"
    if point.above < 0.0:
        return f"not higher: {_by(point.above)} ± {point.error:.3f}"
    chance = "not more than chance" if point.above <= point.error else "more than one standard error"
    if as_good and point.above > point.error:
        chance = "not more than chance when judged with its neighbours, one batch fewer and one more"
    return f"{_by(point.above)} ± {point.error:.3f}, {chance}"


def penalty_words(point: FrontPoint) -> str:
    """Say which penalties a point stands for; without batches they do not matter.

    Examples
    --------
    >>> penalty_words(FrontPoint(3, (1, 2), 1e-3, 1e-5, 5, 0.3, 0.02, 0.0, 0.0, 9.0, 41.0, True))
    'feature penalty 1e-3, prototype penalty 1e-5'
    """
    if not point.n_batches:
        return ""
    return f"feature penalty {power_words(point.lambda_v)}, prototype penalty {power_words(point.lambda_w)}"


def _by(difference: float) -> str:
    """Say a difference in log-loss."""
    if abs(difference) < _NOTHING_TO_SEE:
        return "the same"
    return f"{'higher' if difference > 0 else 'lower'} by {abs(difference):.3f}"
