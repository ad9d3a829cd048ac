"""A joint search in words: its result, what the named points give away, what can be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.services.fit.modes import Mode
from dashboard.services.fit.search_plan import tried_words
from proset.common.words import count_words, in_a_row, power_words
from proset.selection import FrontPoint, Rule, batches_words, front_point, is_unfinished, landmarks
from proset.selection.front import (
    JOINED,
    above_words,
    counts_as_good,
    joined_words,
    mean_count,
    penalty_words,
    refined_words,
    scale_words,
)
from proset.study.settings import FitSettings

if TYPE_CHECKING:
    from proset.data.design import Design
    from proset.selection import JointRecord
    from proset.selection.front import Landmarks

_MARKS = {"chosen": "diamond", "one fit alone": "diamond", "best": "star", "smallest as good": "triangle"}
_REFINED = "The model that is used. Round points are as they were grown; refining may make them smaller, too."
_TAKEN = {
    Rule.SE: "The smallest model was taken whose log-loss is above that of the best by no more than one standard error "
    "and no more than 2 % of what the best gains over the class shares.",
    Rule.SD: "The smallest model was taken whose log-loss is above that of the best by no more than one standard "
    "deviation over the folds and no more than 5 % of what the best gains over the class shares.",
    Rule.BEST: "The model with the lowest log-loss was taken.",
}


def found_words(record: JointRecord) -> str:
    """Say what is used: batches and penalties, and how it was found."""
    named = landmarks(record)
    lambda_v, lambda_w = record.chosen_penalties
    what = batches_words(named.chosen.n_batches)
    if named.chosen.n_batches:
        what += f", feature penalty {power_words(lambda_v)}, prototype penalty {power_words(lambda_w)}"
    if record.takes_joined:
        what += f", votes of {record.n_joined} fits joined"
    if not record.by_hand:
        return f"Chosen: {what}."
    best_so_far = is_unfinished(record) and named.chosen.point == named.rule.point
    return f"{'The best so far' if best_so_far else 'Your choice'}: {what}."


def reason_words(record: JointRecord) -> str:
    """Say why this was chosen, and how far the search had come."""
    named, plan = landmarks(record), record.plan
    sentences = []
    if is_unfinished(record):
        _, done, total = record.reached()
        sentences.append(f"The search was stopped after {done} of about {count_words(total, 'trial')}.")
    elif record.by_hand:
        sentences.append(f"The search itself had chosen {_size(named.rule)}, log-loss {named.rule.log_loss:.3f}.")
    elif named.chosen.n_batches == 0:
        sentences.append(
            "No model is better than stating how common each class is by more than the folds differ, so the simplest "
            "is taken: none. To use one all the same, pick a point with a lower log-loss below."
        )
    else:
        sentences.append(_TAKEN[plan.rule])
        if record.takes_joined:
            alone = record.refinement
            larger = alone is not None and front_point(record, JOINED).n_prototypes > alone.n_prototypes
            than = ", which makes it larger than one of them, refined" * larger
            sentences.append(f"Then the votes of {record.n_joined} fits of it were joined{than}.")
    sentences.append(_tried(record))
    return " ".join(filter(None, (*sentences, refined_words(record), scale_words(record))))


def named_lines(record: JointRecord) -> list[tuple[str, str, str]]:
    """Say what each of the named points is and what it gives away; those that coincide share a line.

    Returns
    -------
    list of (str, str, str)
        Its names; log-loss and size; what it gives away against the best. Last come the refined model, if the chosen
        one is refined, and the joined one, if that was tried.
    """
    groups: dict[int, list[str]] = {}
    points: dict[int, FrontPoint] = {}
    for name, point in landmarks(record).by_name.items():
        groups.setdefault(point.label, []).append(f"{name} ({_MARKS[name]})")
        points[point.label] = point
    lines = [
        (in_a_row(names),
         f"log-loss {points[label].log_loss:.3f}, {_size(points[label])}",
         "" if any(name.startswith("best") for name in names) else given_away_words(
             points[label], as_good=counts_as_good(record, points[label])))
        for label, names in groups.items()
    ]  # fmt: skip
    refined = record.refinement
    if refined is not None and refined.changes_anything:
        prototypes = mean_count(refined.n_prototypes, "prototype")
        used = _REFINED if not record.takes_joined else "What the search takes by itself where nothing is joined."
        lines.append(
            (
                "refined (square)" if record.takes_joined else "chosen, refined (square)",
                f"log-loss {refined.log_loss:.3f}, {prototypes}",
                used,
            )
        )
    if record.joined_model is not None:
        point = front_point(record, JOINED)
        used = f"The model that is used. {joined_words(record)}" if record.takes_joined else joined_words(record)
        taken = "chosen, " if record.takes_joined else ""
        lines.append((f"{taken}joined votes (pentagon)", f"log-loss {point.log_loss:.3f}, {point.size}", used))
    return lines


def given_away_words(point: FrontPoint, *, as_good: bool = False) -> str:
    """Say what a point gives away against the best one.

    Parameters
    ----------
    as_good : bool, default False
        Whether the rule counts it as good as the best.
    """
    return f"Against the best its log-loss is {above_words(point, as_good=as_good)}."


def notes(record: JointRecord, design: Design) -> list[str]:
    """Say what a reader of the figure may wonder about, where features are those of a design."""
    best = landmarks(record).best
    whole = record.points[record.points["folds"] == record.plan.n_folds]
    told = [
        "These figures are means over the folds, parts of the training rows; the measures at the top are of held-out "
        "rows, which took no part. So they differ."
    ]
    if any(len(design.own_columns(source)) > 1 for source in set(design.column_sources)):
        told.append("Features are not columns here: a category has one for each of its levels.")
    if record.plan.cv_factr > FitSettings().solver_factr:
        told.append(
            "Fits inside the folds end sooner than that of the model itself, which may keep far fewer prototypes and "
            "fewer features than stated here."
        )
    if len(whole) < len(record.points):
        told.append("Grey points were measured on fewer folds, so they may lie lower without being better.")
    if len(whole) and float(whole["mean"].min()) < best.log_loss - 5e-4:
        told.append(
            "A point may lie below the star: to leave less to luck, each is judged together with its neighbours, one "
            "batch fewer and one more."
        )
    return told


def point_lines(record: JointRecord) -> dict[int, str]:
    """Say in one line each what the points of the figure stand for.

    Returns
    -------
    dict
        By row label in ``record.points``, those on the front first, the smallest before all, then the others by
        log-loss; such as ``log-loss 0.312 (chosen) · 9 features and 41 prototypes on average · 3 batches, feature
        penalty 1e-3``.
    """
    points, named = record.points, landmarks(record)
    front = points[points["on_front"]].sort_values(["n_prototypes", "n_features"])
    rest = points[~points["on_front"]].sort_values("mean")
    joined = [] if record.joined_model is None else [JOINED]
    return {int(label): _point_words(record, int(label), named) for label in [*front.index, *joined, *rest.index]}


def _point_words(record: JointRecord, label: int, named: Landmarks) -> str:
    """Say what one point stands for."""
    point = front_point(record, label)
    names = [name for name, other in named.by_name.items() if other.label == label]
    if label == JOINED:
        names += ["joined votes, chosen" if record.takes_joined else "joined votes"]
    folds = "" if point.folds == record.plan.n_folds else f" on {count_words(point.folds, 'fold')} only"
    parts = [
        f"log-loss {point.log_loss:.3f}{folds}" + (f" ({', '.join(names)})" if names else ""),
        f"{point.size} on average" if point.n_batches else "no prototypes",
        setting_words(point),
    ]
    return " · ".join(parts)


def setting_words(point: FrontPoint) -> str:
    """Say how many batches and which penalties a point stands for.

    Returns
    -------
    str
        Such as ``3 batches, feature penalty 1e-3, prototype penalty 1e-5``.
    """
    joined = f"votes of {point.n_joined} fits joined" if point.n_joined > 1 else ""
    batches = batches_words(point.n_batches)
    return ", ".join(filter(None, (joined, f"{batches} each" if joined else batches, penalty_words(point))))


def price_words(point: FrontPoint) -> str:
    """Say what it costs to use another point."""
    long = f", which takes about {point.n_joined} times as long" if point.n_joined > 1 else ""
    return f"The final model is fitted again{long}."


def title(mode: Mode) -> str:
    """Return what stands above the points."""
    return "What was tried" if mode is Mode.QUICK else "How the settings were found"


def _tried(record: JointRecord) -> str:
    """Say what was tried; a search drops most pairs after a few folds, and one that was stopped has begun some only."""
    plan, points = record.plan, record.points
    reached = points[points["n_batches"] > 0].groupby("pair")["folds"].max()
    begun, fewest, most = len(reached), int(reached.min()), int(reached.max())
    some = f"{begun} of " if begun < plan.n_pairs else ""
    folds = count_words(most, "fold") if fewest == most else f"{fewest} to {most} folds"
    return f"Tried: {some}{tried_words(plan)}, each with up to {batches_words(plan.max_batches)}, on {folds}."


def _size(point: FrontPoint) -> str:
    """Say how large a model is."""
    return point.size if point.n_batches else "no prototypes"
