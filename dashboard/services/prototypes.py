"""Words and frames of the Prototypes page: the prototype chosen, the cases it is measured on, what it decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseRef, CaseSet, Part, Picker, Within, part_rows
from dashboard.services.params import EnumParam, Param
from proset.common.spread import spread_out
from proset.common.words import count_words, measure, number, percent, shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from proset.explain.cases.places import ValuePlaces
    from proset.explain.structure.prototype_table import PrototypeTable
    from proset.explain.structure.reverse_view import PrototypeView
    from proset.study import Study
    from proset.study.any_study import AnyStudy

MOST_PAIRS = 1_000_000
"""Cases times prototypes that a page looks at; some tenths of a second. More cases are thinned out evenly."""


@dataclass(frozen=True, order=True)
class PrototypeRef:
    """One prototype: a row of the table in one batch.

    Attributes
    ----------
    batch : int
        From 1.
    row : int
        Row id.

    Examples
    --------
    >>> PrototypeRef(1, 341).text, PrototypeRef.read("2-7"), PrototypeRef.read("7"), PrototypeRef.read("a-7")
    ('1-341', PrototypeRef(batch=2, row=7), None, None)
    """

    batch: int
    row: int

    @classmethod
    def read(cls, text: str) -> PrototypeRef | None:
        """Return the prototype that a text from an address names; None if it names none."""
        batch, dash, row = text.partition("-")
        digits = all(part.isascii() and part.isdecimal() and len(part) < 19 for part in (batch, row))
        return cls(int(batch), int(row)) if dash and digits else None

    @property
    def text(self) -> str:
        """Name of the prototype in an address."""
        return f"{self.batch}-{self.row}"


@dataclass(frozen=True)
class OnePrototype(Param[PrototypeRef | None]):
    """One prototype of a model, or none."""

    allowed = "a batch and a row, such as 1-341"

    def read(self, text: str) -> PrototypeRef | None:
        """Return the prototype that a text names; whether there is one is not known here."""
        return PrototypeRef.read(text)

    def write(self, value: PrototypeRef | None) -> str:
        """Return the text."""
        return "" if value is None else value.text


PROTOTYPE: OnePrototype = OnePrototype("prototype", None, of_model=True)
"""The prototype that is looked at; None for that of the first card."""


class CardOrder(StrEnum):
    """Orders of the prototypes."""

    CASES = "cases"
    WRONG = "wrong"
    WEIGHT = "weight"


CARDS = EnumParam("cards", CardOrder.CASES)
"""Which prototypes come first."""
MOST_CARDS = 8
_MOST_BESIDE = 3
_CARDS_BY = {CardOrder.CASES: "dominant", CardOrder.WRONG: "wrong", CardOrder.WEIGHT: "weight"}


def card_places(table: PrototypeTable, order: CardOrder, *, settling: bool = False) -> list[int]:
    """Return the places in the table of the prototypes that come first in an order; equal ones by weight.

    Parameters
    ----------
    settling : bool
        Only those that help to settle a case; the heaviest one if there are none.
    """
    return _ordered(table, order, settling=settling).index[:MOST_CARDS].tolist()


def _ordered(table: PrototypeTable, order: CardOrder, *, settling: bool) -> pd.DataFrame:
    """Return prototypes in an order, equal ones by weight."""
    frame = table.frame[table.frame["dominant"] > 0] if settling else table.frame
    frame = frame if len(frame) else table.frame.nlargest(1, "weight")
    return frame.sort_values([_CARDS_BY[order], "weight"], ascending=False, kind="stable")


def card_title(table: PrototypeTable, place: int) -> str:
    """Return what a card is called: its name, with the batch where the model has several."""
    line = table.frame.loc[place]
    name = str(line["name"])
    return f"{name[:1].upper()}{name[1:]}{', batch ' + str(line['batch']) if several_batches(table.frame) else ''}"


def card_words(line: pd.Series) -> tuple[str, str]:
    """Say how many cases a prototype helps to settle, and how many of these are wrong.

    Parameters
    ----------
    line : Series
        Of the frame of a prototype table.

    Examples
    --------
    >>> card_words(pd.Series({"dominant": 7, "wrong": 2, "wrong share": 2 / 7}))
    ('helps to settle 7 cases', '2 of them wrong (28.6 %)')
    >>> card_words(pd.Series({"dominant": 0, "wrong": 0, "wrong share": np.nan}))
    ('helps to settle no case', '')
    """
    settles = count_words(int(line["dominant"]), "case") if line["dominant"] else "no case"
    share = f"{int(line['wrong']):,} of them wrong ({percent(line['wrong share'])})"
    known = line["wrong share"] == line["wrong share"]  # nan is not itself
    return f"helps to settle {settles}", "" if not known else share if line["wrong"] else "none of them wrong"


def measured_rows(
    judged: pd.DataFrame, part: Part, n_prototypes: int, within: Within | None = None
) -> NDArray[np.int64]:
    """Return the row ids of a part on which prototypes are measured, an even choice of them if there are too many.

    Examples
    --------
    >>> judged = pd.DataFrame({"part": ["train"] * 4}, index=[3, 5, 7, 9])
    >>> measured_rows(judged, Part.TRAIN, 2).tolist(), measured_rows(judged, Part.TRAIN, MOST_PAIRS // 2).tolist()
    ([3, 5, 7, 9], [3, 9])
    """
    rows: NDArray[np.int64] = part_rows(judged, part, within).index.to_numpy(dtype=np.int64)
    most = max(1, MOST_PAIRS // max(1, n_prototypes))
    return spread_out(rows, most)


def measured_words(count: int, part_count: int, what: str) -> str:
    """Say on how many rows prototypes are measured; `what` they are, such as "held-out rows".

    Examples
    --------
    >>> measured_words(171, 171, "held-out rows"), measured_words(100, 5000, "training rows")
    ('Measured on all 171 held-out rows.', 'Measured on 100 of 5,000 training rows, evenly drawn from the table.')
    """
    if count == part_count:
        return f"Measured on {f'all {count:,}' if count != 1 else 'the 1'} {what}."
    return f"Measured on {count:,} of {part_count:,} {what}, evenly drawn from the table."


def table_frame(table: PrototypeTable, order: CardOrder, *, settling: bool = False) -> pd.DataFrame:
    """Return the table as it is shown: names only where rows have some, batches only where there are several.

    Parameters
    ----------
    table : PrototypeTable
        From :func:`called`.
    order : CardOrder
        Which prototypes come first; the index says where each stands in `table`.
    settling : bool
        As :func:`card_places` takes it.
    """
    columns = ["row", "name", "class", "batch", "dominant", "wrong", "wrong share", "misled", "changed"]
    frame = _ordered(table, order, settling=settling)[[*columns, "own class", "weight"]]
    return _without_row_names(frame.drop(columns=[] if several_batches(table.frame) else ["batch"]))


def called(study: Study, table: PrototypeTable) -> PrototypeTable:
    """Return the table with short names of its rows, by which everything on the page calls them."""
    return replace(table, frame=_with_short_names(study, table.frame))


def briefly_named(study: AnyStudy, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a list with short names of its rows, and without names where they are but the numbers of the rows.

    Parameters
    ----------
    study : AnyStudy
        Whose rows they are.
    frame : DataFrame
        With ``name``; the row ids are ``row``, or else the index.
    """
    return _without_row_names(_with_short_names(study, frame))


def _with_short_names(study: AnyStudy, frame: pd.DataFrame) -> pd.DataFrame:
    """Call rows as there is room for."""
    rows = frame.get("row", frame.index)
    return frame.assign(name=[study.short_name(*entry) for entry in zip(frame["name"], rows, strict=True)])


def _without_row_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave names out where they only repeat the numbers of the rows."""
    rows = frame.get("row", frame.index)
    named = any(name != f"row {row}" for name, row in zip(frame["name"], rows, strict=True))
    return frame if named else frame.drop(columns="name")


def several_batches(prototypes: pd.DataFrame) -> bool:
    """Tell whether prototypes are of several batches; otherwise none is named."""
    return bool(prototypes["batch"].max() > prototypes["batch"].min())


def finding_words(table: PrototypeTable) -> str:
    """Say how many prototypes decide, how often wrongly, which misleads most, and how many are oddly placed.

    Parameters
    ----------
    table : PrototypeTable
        From :func:`proset.explain.prototypes`.
    """
    frame, every = table.frame, len(table.frame)
    settling = int((frame["dominant"] > 0).sum())
    who = count_words(every, "prototype") if settling == every else f"{settling:,} of {every:,} prototypes"
    said = f"{who} {'decides' if settling == 1 else 'decide'} {count_words(table.n_cases, 'row')}"
    if table.n_wrong:
        said += f", {table.n_wrong:,} of them wrongly: {_misleading_words(frame, table.n_wrong)}"
    elif table.n_decided:
        said += ", none of them wrongly"
    odd = frame.drop_duplicates("row")
    odd = odd[(odd["others say"] != "") & (odd["others say"] != odd["class"])]
    away = f" {count_words(len(odd), 'prototype stands', 'prototypes stand')} among cases of another class."
    return f"{said}.{away if len(odd) else ''}"


def _misleading_words(frame: pd.DataFrame, n_wrong: int) -> str:
    """Say which prototype speaks most often for the class that is wrongly said."""
    worst = frame[frame["misled"] == frame["misled"].max()].sort_values("weight", ascending=False)
    first, most = worst.iloc[0], int(worst["misled"].iloc[0])
    if not most:
        return "none speaks for the class that is wrongly said"
    if most == 1 < n_wrong:
        return "none misleads in more than one of these"
    name = f"{first['name']} ({shown(first['class'])})"
    if len(worst) == 1:
        wrong, settled = int(first["wrong"]), f"the {int(first['dominant']):,} that it helps to settle"
        which = ("both" if most == 2 else f"all {most:,}") if most == wrong else f"{most:,} of the {wrong:,}"
        return f"{name} misleads {'there' if n_wrong == 1 else f'most often, in {which} wrong ones among {settled}'}"
    others = count_words(len(worst) - 1, "other")
    return f"{name} and {others} mislead {'there' if n_wrong == 1 else f'most often, in {most:,} of these each'}"


def decides_words(view: PrototypeView) -> str:
    """Say what a prototype decides.

    Parameters
    ----------
    view : PrototypeView
        From :func:`proset.explain.prototype_view`.
    """
    n = len(view.decides)
    if n == 0:
        return f"It is in the dominant set of none of the {count_words(view.n_cases, 'row')}: others settle them all."
    first = int(view.decides["first"].sum())
    helps = f"It helps to settle {n:,} of {count_words(view.n_cases, 'row')}"
    lead = "in none of them it counts most" if not first else f"in {first:,} of them no prototype counts more"
    return f"{helps}; {lead}. {_wrong_words(view)}".rstrip()


def _wrong_words(view: PrototypeView) -> str:
    """Say how often the cases that it helps to settle are wrong, beside all of them."""
    decided = view.decides["correct"].notna()
    n, wrong = int(decided.sum()), int(view.decides["correct"].eq(False).sum())
    if not n:
        return ""
    overall = f"{percent(view.n_wrong / view.n_decided)} of all {view.n_decided:,}"
    if not wrong:
        return f"None of these is misclassified{f', against {overall}' if view.n_wrong else ''}."
    misled = int((view.decides["correct"].eq(False) & view.decides["predicted"].eq(view.target)).sum())
    side = "in none of these it speaks for the class wrongly said" if not misled else _side(misled, wrong)
    return f"{count_words(wrong, 'is', 'are')} misclassified ({percent(wrong / n)}, against {overall}); {side}."


def _side(misled: int, wrong: int) -> str:
    """Say how often it speaks for the class that is wrongly said."""
    if misled == wrong:
        return "it speaks for the class wrongly said" + (" in each of them" if wrong > 1 else "")
    return f"in {misled:,} of these it speaks for the class wrongly said"


def without_words(view: PrototypeView) -> str:
    """Say what would change without a prototype, the others as they are.

    Parameters
    ----------
    view : PrototypeView
        From :func:`proset.explain.prototype_view`.
    """
    changed = view.changed
    mended = int(((changed["after"] == changed["actual"]) & changed["actual"].notna()).sum())
    spoilt = int((changed["before"] == changed["actual"]).sum())
    what = [f"{mended:,} mended" if mended else "", f"{spoilt:,} spoilt" if spoilt else ""]
    kinds = ", ".join(filter(None, what))
    said = "no decision" if changed.empty else count_words(len(changed), "decision")
    sentence = f"Without it, the other prototypes as they are, {said} would change{f' ({kinds})' if kinds else ''}."
    if np.isnan(view.log_loss):
        return sentence
    before, after = measure(view.log_loss), measure(view.log_loss_without)
    if before == after:
        return f"{sentence} The log-loss stays at {before}."
    verdict = "rises" if view.log_loss_without > view.log_loss else "falls"
    return (
        f"{sentence} The log-loss {verdict} from {before} to {after}{', which is worse' if verdict == 'rises' else ''}."
    )


def own_words(own_class: float, target: str, likely: str) -> str:
    """Say what the prototypes of all other rows make of the place where a prototype stands.

    Parameters
    ----------
    own_class : float
        Estimate for its own class, in [0, 1].
    likely : str
        The most probable class.

    Returns
    -------
    str
        A sentence; with a warning where its own class is not the likely one.

    Examples
    --------
    >>> own_words(0.42, "cat", "cat")
    "Judged by all other rows' prototypes, its own row is 'cat' with 42.0 %."
    >>> own_words(0.03, "cat", "dog").endswith("Look whether its class is right.")
    True
    """
    said = f"Judged by all other rows' prototypes, its own row is '{shown(target)}' with {percent(own_class)}"
    if likely == target:
        return f"{said}."
    return f"{said}, and rather '{shown(likely)}'. So it stands among other cases. Look whether its class is right."


def values_frame(places: ValuePlaces, used: Collection[str], target: str) -> pd.DataFrame:
    """Return the values of a prototype beside those of each class, of more than three only of its own.

    Parameters
    ----------
    places : ValuePlaces
        Of its row, from :func:`proset.explain.value_places`.
    used : collection of str
        Columns that its batch uses.
    target : str
        Its class.

    Returns
    -------
    DataFrame
        Index the columns of the table; ``value`` and one column per class: the median of its training rows, of a level
        the share of them that has it.
    """
    classes = places.classes if len(places.classes) <= _MOST_BESIDE else (target,)
    frame = places.frame.set_index("column")[["value"]]
    numbers = places.frame["kind"].eq("number").to_numpy() & places.frame["number"].notna().to_numpy()
    frame.loc[numbers, "value"] = [number(float(value)) for value in frame.loc[numbers, "value"]]
    for label in classes:
        middle = places.spread[places.spread["class"] == label].set_index("column")["median"].reindex(frame.index)
        shares = places.places[label].to_numpy()
        frame[label] = [_beside(*entry) for entry in zip(places.frame["kind"], middle, shares, strict=True)]
    return frame[frame.index.isin(list(used))]


def _beside(kind: str, median: float, share: float) -> str:
    """Return what a class has in a column, as text."""
    if kind == "level":
        return "" if np.isnan(share) else f"{percent(share)} the same"
    if np.isnan(median):
        return ""
    return f"{pd.Timestamp(median, unit='D'):%Y-%m-%d}" if kind == "date" else number(median)


def decided_cases(view: PrototypeView) -> CaseSet:
    """Return the cases that a prototype helps to settle as a list to look through, the largest share first."""
    return CaseSet(picked=tuple(CaseRef.in_table(row) for row in view.decides.index), by=Picker.PROTOTYPE)
