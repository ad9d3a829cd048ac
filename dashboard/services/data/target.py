"""Ways to make classes of the target: ranges of a quantity, and a table in which classes are edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import pandas as pd

from proset.common.words import count_words, listed
from proset.data.classes import TargetClasses
from proset.data.cuts import Parts, equal_ranges
from proset.data.guessing import MOST_CODES, is_quantity
from proset.data.number_target import FEWEST_VALUES
from proset.data.profile import MOST_COUNTED, CellKind, Profile
from proset.data.roles import Roles
from proset.data.split import SplitSettings, earlier_rows
from proset.data.table import Table
from proset.data.target import FEWEST_CLASS_ROWS, class_order, target_labels, with_evident_order

MOST_LABELS_EDITED = 200


class Ranges(StrEnum):
    """Ways to make classes of numbers or dates."""

    NUMBER = "a number"
    VALUES = "each value"
    MEDIAN = "median"
    THIRDS = "thirds"
    QUARTERS = "quarters"
    OWN = "own cuts"


_PARTS = {Ranges.MEDIAN: Parts.MEDIAN, Ranges.THIRDS: Parts.THIRDS, Ranges.QUARTERS: Parts.QUARTERS}


def offered_ranges(series: pd.Series, profile: Profile) -> dict[Ranges, TargetClasses | None]:
    """Return what each choice makes of the target; empty where there is nothing to cut.

    Returns
    -------
    dict of Ranges to TargetClasses or None
        Each value as a class only where that is possible; own cuts begin at the median.
    """
    few = profile.kind is CellKind.NUMBER and not (is_quantity(profile) and not _has_few(profile))
    if profile.kind not in (CellKind.NUMBER, CellKind.DATE) or profile.n_distinct < (3 if few else 2):
        return {}
    cut = {choice: equal_ranges(series, profile, parts) for choice, parts in _PARTS.items()}
    first: dict[Ranges, TargetClasses | None] = {Ranges.VALUES: None} if few else {}
    return {**first, **cut, Ranges.OWN: cut[Ranges.MEDIAN]}


def ranges_for(table: Table, target: str, split: SplitSettings) -> dict[Ranges, TargetClasses | None]:
    """Return what each choice makes of a target, cut on the rows before the latest where those are held out."""
    series = table.frame[target]
    return offered_ranges(series.loc[earlier_rows(series, split, table.frame)], table.profiles[target])


def may_be_number(profile: Profile) -> bool:
    """Say whether a model of a number can be fitted to a target."""
    return profile.kind is CellKind.NUMBER and profile.n_distinct >= FEWEST_VALUES


def usual_roles(table: Table, roles: Roles) -> Roles:
    """Return roles in which an amount is a number and classes that are numbers ascend, unless more was said."""
    target = roles.target
    if target is None or roles.classes is not None or roles.number:
        return roles
    profile = table.profiles[target]
    amount = is_quantity(profile) and not _has_few(profile) and may_be_number(profile)
    if amount:
        return roles.as_number()
    return in_class_order(table, roles)


def in_class_order(table: Table, roles: Roles) -> Roles:
    """Return roles whose classes stand in their evident order, as numbers and well-known scales have one."""
    target = roles.target
    if target is None or roles.number or needs_ranges(table.profiles[target], roles.classes):
        return roles
    return with_evident_order(table.frame, roles)


def recut(table: Table, roles: Roles, former: SplitSettings, split: SplitSettings) -> Roles:
    """Return the roles with the ranges of the target cut again where another split has other rows before the latest.

    Cuts of a person's own stay.
    """
    target, classes = roles.target, roles.classes
    before, now = ((one.by_time, one.time, one.test_fraction, one.groups) for one in (former, split))
    if target is None or classes is None or not classes.cuts or before == now or not (before[0] or now[0]):
        return roles
    choice = chosen_ranges(ranges_for(table, target, former), classes)
    made = None if choice in (None, Ranges.OWN) else ranges_for(table, target, split)[choice]
    return roles if made is None else roles.with_classes(carried_over(classes, made))


def target_words(table: Table, target: str, cuts: tuple[float, ...], dates: str | None) -> pd.Series:
    """Return the label of each cell of the target: its range where there are cuts, otherwise its word."""
    return TargetClasses(cuts=cuts, dates=dates).label(table.frame[target])


def chosen_ranges(offered: Mapping[Ranges, TargetClasses | None], classes: TargetClasses | None) -> Ranges | None:
    """Say which of the offered choices holds; None where nothing is chosen.

    Examples
    --------
    >>> chosen_ranges({Ranges.VALUES: None, Ranges.MEDIAN: TargetClasses((3,))}, TargetClasses((3,), order=("over 3",)))
    <Ranges.MEDIAN: 'median'>
    """
    cuts = classes.cuts if classes is not None else ()
    if not cuts:
        return Ranges.VALUES if Ranges.VALUES in offered else None
    return next((key for key, made in offered.items() if made is not None and made.cuts == cuts), Ranges.OWN)


def carried_over(former: TargetClasses | None, made: TargetClasses) -> TargetClasses:
    """Return other ranges with the names, places and use that as many former ranges had.

    Examples
    --------
    >>> former = TargetClasses((1,), names={"over 1": "high"}, order=("high",))
    >>> moved = carried_over(former, TargetClasses((2,)))
    >>> dict(moved.names), moved.order
    ({'over 2': 'high'}, ('high',))
    """
    if former is None or not former.cuts or len(former.cuts) != len(made.cuts):
        return made
    now = dict(zip(former.labels, made.labels, strict=True))
    return TargetClasses(
        cuts=made.cuts,
        names={now[label]: now.get(name, name) for label, name in former.names.items() if label in now},
        set_aside=tuple(now[label] for label in former.set_aside if label in now),
        order=tuple(now.get(name, name) for name in former.order),
        dates=made.dates,
    )


def can_edit(profile: Profile, classes: TargetClasses | None) -> bool:
    """Say whether there are classes to edit: ranges, or values that can be classes."""
    if not 2 <= profile.n_distinct <= MOST_COUNTED and not (classes is not None and classes.cuts):
        return False
    return not is_quantity(profile) or _has_few(profile) or (classes is not None and bool(classes.cuts))


def class_table(labels: pd.Series, classes: TargetClasses) -> pd.DataFrame:
    """Return the table in which classes are edited: one row per label, in the order of the classes.

    Parameters
    ----------
    labels : Series of str
        From :meth:`TargetClasses.label`.

    Returns
    -------
    DataFrame
        Columns ``label``, ``rows``, ``class`` (its name), ``use`` and ``place`` (of the class, from 1; missing where
        the label is set aside); at most :data:`MOST_LABELS_EDITED` rows, those of the most frequent labels.
    """
    counts = _counts(labels, classes).head(MOST_LABELS_EDITED)
    frame = pd.DataFrame({"label": counts.index.astype("str"), "rows": counts.to_numpy(dtype="int64")})
    frame["class"] = [classes.names.get(label, label) for label in frame["label"]]
    frame["use"] = ~frame["label"].isin(classes.set_aside)
    places = {name: place for place, name in enumerate(_present(labels, classes), start=1)}
    frame["place"] = pd.array([places.get(name) for name in frame["class"]], dtype="Int64")
    frame.loc[~frame["use"], "place"] = pd.NA
    return frame.sort_values(["place", "rows"], ascending=[True, False], kind="stable", na_position="last").reset_index(
        drop=True
    )


def edited_classes(
    labels: pd.Series, classes: TargetClasses, shown: pd.DataFrame, edits: Mapping[int, Mapping[str, Any]]
) -> TargetClasses:
    """Return the classes after edits in their table.

    Parameters
    ----------
    labels : Series of str
        As for :func:`class_table`.
    classes : TargetClasses
        What held when the table was shown.
    edits : mapping of int to mapping of str to object
        By position of the row: new values of ``class``, ``use`` and ``place``.

    Returns
    -------
    TargetClasses
        A class that got another name keeps its place; an empty name gives the label its own.

    Raises
    ------
    RoleError
        If a name is too long.
    """
    for position, changes in edits.items():
        label = str(shown["label"].iloc[int(position)])
        former = classes.names.get(label, label)
        if "use" in changes:
            classes = classes.joined([label], former) if changes["use"] else classes.without([label])
        if "class" in changes:
            name = (changes["class"] or "").strip() or label
            present = _present(labels, classes)
            classes = classes.joined([label], name)
            if former not in _present(labels, classes) and name not in present:
                order = tuple(name if other == former else other for other in present)
                classes = replace(classes, order=order if classes.order or _is_moved(classes, order) else ())
        if changes.get("place") is not None and label not in classes.set_aside:
            classes = _moved(labels, classes, classes.names.get(label, label), int(changes["place"]))
    return _tidy(labels, classes)


@dataclass(frozen=True)
class RareClasses:
    """Classes with too few rows, and what one click can do about it.

    Attributes
    ----------
    words : str
        Which classes, and how many rows they have.
    joined, without : TargetClasses or None
        The classes after joining the rare ones, and after setting them aside; None where that does not help.
    join_words, without_words : str
        What the two buttons say.
    without_note : str
        How many rows setting aside leaves out.
    join_done, without_done : str
        What has happened after one of them.
    """

    words: str
    joined: TargetClasses | None
    join_words: str
    without: TargetClasses | None
    without_words: str
    without_note: str
    join_done: str
    without_done: str


def rare_classes(labels: pd.Series, classes: TargetClasses) -> RareClasses | None:
    """Find classes with too few rows to be learned, and the two ways out.

    Parameters
    ----------
    labels : Series of str
        From :meth:`TargetClasses.label`.

    Returns
    -------
    RareClasses or None
        None where every class has enough rows.
    """
    counts = classes.named(labels).value_counts()
    small = counts[counts < FEWEST_CLASS_ROWS]
    if small.empty or counts.empty:
        return None
    names = set(small.index)
    rare = [label for label in _counts(labels, classes).index if classes.names.get(label, label) in names]
    rare = [label for label in rare if label not in classes.set_aside]
    left = [name for name in counts.index if name not in names]
    helps = len(small) > 1 and small.sum() >= FEWEST_CLASS_ROWS and bool(left)
    name = _free_name("other", left)
    few = f"fewer than {FEWEST_CLASS_ROWS} rows"
    said = count_words(len(small), "class has", "classes have")
    them = "the class" if len(small) == 1 else f"the {len(small):,} classes"
    rows, labelled = int(small.sum()), int(counts.sum())
    left_out = f"{rows:,} of {count_words(labelled, 'row')} with a class"
    what = listed(small.index)
    return RareClasses(
        words=f"{said} {few}, too few to learn: {what}.",
        joined=_tidy(labels, classes.joined(rare, name)) if helps else None,
        join_words=f"Join {them} with {few} as '{name}'",
        without=_tidy(labels, classes.without(rare)) if len(left) > 1 else None,
        without_words=f"Set {them} with {few} aside",
        without_note=f"Setting {them} aside leaves {left_out} out: {_without_class(rows)}.",
        join_done=f"{what} are one class now, '{name}', with {count_words(rows, 'row')}.",
        without_done=f"{what} {'is' if len(small) == 1 else 'are'} set aside. {left_out} have none now: "
        f"{_without_class(rows)}.",
    )


def _without_class(rows: int) -> str:
    """Say what becomes of rows without a class."""
    return f"{'it is' if rows == 1 else 'they are'} not learned from, only estimated"


def rare_class_counts(table: Table, roles: Roles, *, most: int) -> pd.DataFrame | None:
    """Count the rows of each class where some have too few, so that no split can be shown.

    Returns
    -------
    DataFrame of int or None
        Index: classes; column ``rows``. None where that is not what is wrong.
    """
    counts = target_labels(table.frame, roles).value_counts()
    if not 2 <= len(counts) <= most or counts.min() >= FEWEST_CLASS_ROWS:
        return None
    return counts.to_frame("rows").reindex(pd.Index(class_order(roles, counts.index)))


def needs_ranges(profile: Profile, classes: TargetClasses | None) -> bool:
    """Tell whether the target is a quantity of which no ranges were made, so that its values are no classes.

    Parameters
    ----------
    classes : TargetClasses or None
        How classes are made of it.
    """
    cut = classes is not None and bool(classes.cuts)
    return is_quantity(profile) and not cut and not _has_few(profile)


def _has_few(profile: Profile) -> bool:
    """Say whether single numbers can be classes, some of them joined or set aside."""
    return profile.kind is CellKind.NUMBER and profile.whole and profile.n_distinct <= MOST_CODES


def _counts(labels: pd.Series, classes: TargetClasses) -> pd.Series:
    """Count the rows of each label, ranges without rows included, the most frequent first."""
    counts = labels.value_counts()
    empty = [label for label in classes.labels if label not in counts.index]
    return pd.concat([counts, pd.Series(0, index=pd.Index(empty, dtype="str"))]) if empty else counts


def _present(labels: pd.Series, classes: TargetClasses) -> tuple[str, ...]:
    """List the classes in their order."""
    there = pd.Series(list(_counts(labels, classes).index), dtype="str")
    return classes.sort(classes.named(there).dropna())


def _moved(labels: pd.Series, classes: TargetClasses, name: str, place: int) -> TargetClasses:
    """Put a class at a place, counted from 1."""
    others = [other for other in _present(labels, classes) if other != name]
    at = min(max(place, 1), len(others) + 1) - 1
    order = (*others[:at], name, *others[at:])
    return replace(classes, order=order if _is_moved(classes, order) else ())


def _is_moved(classes: TargetClasses, order: tuple[str, ...]) -> bool:
    """Say whether an order is another one than that which holds without a word."""
    return replace(classes, order=()).sort(order) != order


def _tidy(labels: pd.Series, classes: TargetClasses) -> TargetClasses:
    """Leave classes out of the order that are no longer there."""
    present = set(_present(labels, classes))
    return replace(classes, order=tuple(name for name in classes.order if name in present))


def _free_name(wanted: str, taken: list[str]) -> str:
    """Return a name that no class has."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted} {number}", number + 1
    return name
