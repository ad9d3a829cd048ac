"""One visitor's session: the open table, the cases that are looked at, and the values of pages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import cache
from dashboard.services.cases import CaseRef, CaseSet, CaseSource, Part, Within
from dashboard.services.data.reading import ReadingProblem, is_same_reading
from dashboard.services.models import MOST_MODELS
from dashboard.services.page import Page
from dashboard.services.params import EnumParam, Param
from dashboard.services.quality.rules import OneRule
from dashboard.services.slices import SLICE, rows_within
from dashboard.session import jobs
from dashboard.session.former import Former
from dashboard.session.messages import Messages
from dashboard.session.opened import OpenTable
from dashboard.session.page_tools import PageTools
from dashboard.texts import kept
from dashboard.work.tasks import FIT, SEARCH, FitRequest
from proset.common.errors import StudyError
from proset.data.roles import Roles
from proset.data.table import Table
from proset.plots.page_look import LARGER
from proset.selection import is_quick
from proset.study import DecisionRule, NumberStudy, Study
from proset.study.any_study import AnyStudy
from proset.study.decision import MOST_PROBABLE
from proset.study.recipe import Recipe

if TYPE_CHECKING:
    from proset.explain.slices.slice import Slice

T = TypeVar("T")

_KEY = "proset.session"
PART = EnumParam("part", Part.HELD_OUT)
"""Part of the rows that the Map and the Case page speak of; one choice for both."""
RULE = OneRule("rule", MOST_PROBABLE)
"""The decision rule, on the pages that put it into their address."""


@dataclass(eq=False, repr=False)
class Session(Messages):
    """One visitor.

    Attributes
    ----------
    opened : OpenTable or None
        The table with everything that belongs to it; None before one is opened.
    pages : tuple of Page
        All pages of the app.
    page : Page or None
        The one that is drawn.
    problem : ReadingProblem or None
        Why the last file could not be opened, or opened in another way; None if it could.
    tools : PageTools or None
        The place for downloads and the next step in the head of the page that is drawn.
    watched : bool
        Whether the page that is drawn shows work under way already.
    wants_file : bool
        Whether somebody who has a table open has asked for the place where files are opened.
    presenter : bool
        Whether everything is drawn larger, for those who sit at the back.
    read_only : bool
        Whether nothing that is done here is kept: it was opened by a link that says so.
    reviewer : str
        Name under which cases are judged; empty until it was asked for.
    former : Former
        Tables that were open before, for the way back.
    address : dict
        Query parameters of what is shown, as they were written last.
    written : tuple of Recipe and dict, or None
        The last recipe that was written into an address, and how: every link of the menu asks for it.
    """

    opened: OpenTable | None = None
    pages: tuple[Page, ...] = ()
    page: Page | None = None
    problem: ReadingProblem | None = None
    tools: PageTools | None = None
    watched: bool = False
    wants_file: bool = False
    presenter: bool = False
    read_only: bool = False
    reviewer: str = ""
    former: Former = field(default_factory=Former)
    address: dict[str, list[str]] = field(default_factory=dict)
    written: tuple[Recipe, dict[str, str | list[str]]] | None = None

    @property
    def larger(self) -> float:
        """By what factor everything is drawn larger than usual: for a presenter."""
        return LARGER if self.presenter else 1.0

    def wide(self, pixels: int) -> int:
        """Return the width of what has room for this many pixels of words as usual."""
        return round(self.larger * pixels)

    def watch(self) -> None:
        """Note that work under way is drawn on this page; one place of it looks for all."""
        self.watched = True

    def ask_for_file(self) -> None:
        """Show where a file is opened, also where a table is open."""
        self.wants_file = True

    def present(self, *, larger: bool) -> None:
        """Draw everything larger, or as usual again."""
        self.presenter = larger

    def only_read(self) -> None:
        """Keep nothing that is done here."""
        self.read_only = True

    def make_own(self) -> None:
        """Keep what is done here like everything else."""
        self.read_only = False

    def review_as(self, name: str) -> None:
        """Judge cases under a name from now on."""
        self.reviewer = " ".join(name.split())

    def begin_run(self) -> None:
        """Forget what belongs to one run of the app."""
        self.tools, self.watched = None, False

    # --- the open table -----------------------------------------------------------------------------------------------
    @property
    def table(self) -> Table | None:
        """The open table, or None."""
        return self.opened.table if self.opened else None

    @property
    def recipe(self) -> Recipe | None:
        """Recipe of the next fit, or None without a table."""
        return self.opened.recipe if self.opened else None

    @property
    def fitted(self) -> AnyStudy | None:
        """The current model, which may be older than the recipe; None before the first fit."""
        return self.opened.fitted if self.opened else None

    @property
    def study(self) -> Study | None:
        """The current model, if it is one of classes."""
        return self.opened.study if self.opened else None

    @property
    def number(self) -> NumberStudy | None:
        """The current model, if it is one of a number."""
        return self.opened.number if self.opened else None

    @property
    def of_number(self) -> bool:
        """True where pages speak of a number: that of the current model, or of the target before the first fit."""
        if self.fitted is not None:
            return self.number is not None
        return self.recipe is not None and self.recipe.roles.number

    def open_table(
        self, table: Table, *, sample: str | None = None, source: bytes | None = None, roles: Roles | None = None
    ) -> OpenTable:
        """Open a table instead of the present one; see :meth:`OpenTable.start`."""
        return self._open(OpenTable.start(table, roles=roles, source=source, sample=sample))

    def open_study(self, study: AnyStudy) -> None:
        """Open a study with its table and its recipe instead of the present one; see :meth:`OpenTable.start`."""
        opened = self._open(OpenTable.start(study.table, roles=study.roles))
        opened.add(study)
        opened.take_recipe(study.recipe)

    def open_result(self, opened: OpenTable, study: AnyStudy) -> None:
        """Open a table again as it was left, with a model that was fitted meanwhile, and its recipe."""
        self.reopen(opened)
        opened.add(study)
        opened.take_recipe(study.recipe)

    def open_request(self, opened: OpenTable, request: FitRequest) -> None:
        """Open a table again as it was left, with the recipe of a search that ended early, so that it can go on."""
        self.reopen(opened)
        opened.take_recipe(request.recipe)
        self.keep_request(request)

    def open_declared(self, table: Table, roles: Roles, former: OpenTable) -> None:
        """Open a table that differs from `former` in what means missing; its own recipe and its source stay."""
        opened = self._open(OpenTable.start(table, roles=roles, source=former.source))
        opened.take_along(former)
        opened.rules = dict(former.rules)
        opened.original = former.original or former

    def reopen(self, opened: OpenTable) -> None:
        """Open a table again as it was left, with its models."""
        self._open(opened)

    def _open(self, opened: OpenTable) -> OpenTable:
        """Replace the open table; work on the former one ends, unless its person has said that it may go on."""
        former, self.wants_file = self.opened, False
        self.close()
        self.opened = opened
        if former is not None and former.source is not None and former.source is opened.source:
            opened.follows, former.follows = former, None  # no longer chain: each holds a table
        return opened

    def close(self) -> None:
        """Close the open table; the way back leads to it as it was left."""
        if self.opened is not None:
            ended = jobs.leave(self.opened)
            self.tell(ended)
            staying = any(entry.task is SEARCH for entry in jobs.under_way(self.opened))  # brings more than is written
            if ended and not staying and self.opened.keeping is not None:
                self.opened.cut = self.opened.keeping.work
            self.former.keep(self.opened)
        self.opened = self.problem = None

    def refuse(self, problem: ReadingProblem | None) -> None:
        """Say why a file could not be taken; None takes that back."""
        self.problem = problem

    def place_tools(self, place: DeltaGenerator) -> None:
        """Hand over the place beside the title for downloads and the next step."""
        self.tools = PageTools(place)

    def take_primary(self) -> None:
        """Note that the page that is drawn has the button that stands out."""
        if self.tools is not None:
            self.tools.primary = False

    # --- models -------------------------------------------------------------------------------------------------------
    def add_study(self, study: AnyStudy) -> None:
        """Take over a model; one of another table is opened with it."""
        if self.opened is None or not is_same_reading(self.opened.table, study.table):
            self.open_study(study)
        elif self.opened.add(study) is not None:
            self.notice(f"{MOST_MODELS} models are kept; the oldest was removed to make room.", kind="info")

    def add_searched(self, study: AnyStudy, request: FitRequest) -> None:
        """Take over the result of a search; one that was ended early for the best so far can still go on."""
        if self.opened is not None:
            self.opened.end_stopped(request)
        self.add_study(study)

    # --- cases --------------------------------------------------------------------------------------------------------
    @property
    def case(self) -> CaseRef | None:
        """The selected case, or None."""
        return self.opened.selection if self.opened else None

    def selected_row(self, source: CaseSource = CaseSource.TABLE) -> int | None:
        """Return the row of the selected case, if it comes from this source."""
        return self.case.row if self.case is not None and self.case.source is source else None

    @property
    def others(self) -> dict[CaseSource, pd.DataFrame] | None:
        """Rows of other sources than the table; None without a table."""
        return self.opened.others if self.opened else None

    def select(self, case: CaseRef | None) -> None:
        """Select a case on every page; None, or one that there is not, clears the selection."""
        if self.opened is not None:
            self.opened.select(case)

    @property
    def part(self) -> Part:
        """The rows that are looked at: held-out ones unless chosen otherwise, all if none were held out."""
        nothing_held_out = self.fitted is not None and not len(self.fitted.split.held_out)
        return self.chosen(PART) or (Part.ALL if nothing_held_out else Part.HELD_OUT)

    @property
    def cases(self) -> CaseSet:
        """The cases that are looked through."""
        walk = self.opened.walk if self.opened else None
        return self.usual_cases if walk is None else replace(walk, within=None if walk.picked else self.within)

    @property
    def usual_cases(self) -> CaseSet:
        """The cases that are looked through unless others were chosen."""
        return CaseSet(part=self.part, within=self.within)

    @property
    def slice(self) -> Slice | None:
        """The slice that pages follow, or None for all rows."""
        chosen = self.chosen(SLICE)
        return None if chosen is None or self.opened is None else self.opened.slice_of(chosen)

    @property
    def within(self) -> Within | None:
        """The rows of the slice that pages follow; None for all rows."""
        chosen, study = self.slice, self.fitted
        if study is None or self.opened is None:
            return None
        if chosen is None and self.chosen(SLICE) is not None:
            self.notice("The address asks for a slice that is not kept here; all rows are shown.")
            self.forget(SLICE)
        if chosen is None:
            return None
        try:
            return cache.derived(rows_within, study, chosen, self.rule)
        except StudyError as error:
            self.notice(f"The slice cannot be followed, so all rows are shown. {error}")
            self.forget(SLICE)
            return None

    @property
    def rows_key(self) -> str:
        """A short text that tells the rows that are looked at from others, for the key of a widget."""
        within = self.within
        return self.part.value if within is None else f"{self.part.value}.{within.key}"

    def follow(self, chosen: Slice | None) -> None:
        """Look at the rows of a slice on every page that can; None for all rows."""
        if self.opened is None:
            return
        if chosen is None:
            self.forget(SLICE)
        else:
            self.put(SLICE, self.opened.slice_value(chosen))

    def look_at_part(self, part: Part) -> None:
        """Look at other rows; what a page had made to be looked through goes."""
        self.put(PART, part)
        if self.opened is not None:
            self.opened.walk = None

    def look_through(self, cases: CaseSet | None) -> None:
        """Look through these cases on every page; None for the misclassified ones of the part that is chosen."""
        if self.opened is not None:
            self.opened.look_through(cases)

    @property
    def rule(self) -> DecisionRule:
        """The decision rule for the classes of the current model; what is wrong follows from it everywhere."""
        return self._rule_for(self.study) if self.study else MOST_PROBABLE

    def decide_by(self, rule: DecisionRule) -> None:
        """Decide cases by another rule wherever a model of this table has the classes of the current one.

        Raises
        ------
        StudyError
            If the rule is made for another number of classes.
        """
        if self.opened is not None and self.study is not None:
            rule.check(len(self.study.classes))
            self.opened.rules[self.study.classes] = rule
            self.opened.asked_rule = None

    def _rule_for(self, study: Study) -> DecisionRule:
        """Return the rule for the classes of a study."""
        if self.opened is None:
            return MOST_PROBABLE
        try:
            return self.opened.rule_for(study.classes)
        except StudyError as error:
            self.notice(f"The rule in the address cannot be used, so the most probable class is said. {error}")
            return MOST_PROBABLE

    def judged(self, study: Study) -> pd.DataFrame:
        """Return what the rule makes of every row; see :meth:`proset.study.Study.judged`."""
        rule = self._rule_for(study)
        return cache.judged(study, rule)

    def every_row(self, study: AnyStudy) -> pd.DataFrame:
        """Return what the model says of every row: judged by the rule, or the answers of a model of a number."""
        return self.judged(study) if isinstance(study, Study) else study.predictions

    # --- values that pages keep ---------------------------------------------------------------------------------------
    def get(self, param: Param[T]) -> T:
        """Return a page's value: the one that was chosen for this table (or model), or the usual one."""
        chosen = self.chosen(param)
        return param.usual if chosen is None else chosen

    def chosen(self, param: Param[T]) -> T | None:
        """Return a page's value if one was chosen."""
        if self.opened is None:
            return None
        if param == RULE:
            rule = self.opened.asked_rule if self.study is None else self.rule
            return cast(T, rule) if rule not in (None, MOST_PROBABLE) else None
        # What an address says of a model is read before there is one.
        value: T | None = self.opened.values.get(self._slot(param), self.opened.values.get(("", param.name)))
        return value

    def put(self, param: Param[T], value: T) -> None:
        """Keep a page's value; it goes with its table, or with its model."""
        if self.opened is None:
            return
        if isinstance(value, DecisionRule) and param == RULE:
            self.opened.ask_rule(value)
        else:
            self.opened.values[self._slot(param)] = value

    def forget(self, param: Param[Any]) -> None:
        """Take a page's value back to the usual one."""
        if param == RULE:
            self.put(RULE, MOST_PROBABLE)
        elif self.opened is not None:
            for slot in (self._slot(param), ("", param.name)):
                self.opened.values.pop(slot, None)

    def _slot(self, param: Param[Any]) -> tuple[str, str]:
        """Return where a value is kept."""
        current = self.opened.current if self.opened else None
        return (current or "") if param.of_model else "", param.name

    # --- addresses ----------------------------------------------------------------------------------------------------
    def follow_next_address(self) -> None:
        """Show what the address of the next run says, as that of the first."""
        self._done.discard("link")

    @property
    def follows_address(self) -> bool:
        """True if the next run shows what its address says, so that this one must not write another."""
        return "link" not in self._done

    # --- work under way -----------------------------------------------------------------------------------------------
    def is_current(self, request: FitRequest) -> bool:
        """Tell whether a request for the open table asks for what the session would ask for now."""
        if self.recipe is None:
            return False
        asked = request.recipe
        return asked.without_found() == self.recipe.like(asked).without_found()

    @property
    def working(self) -> bool:
        """True while work on the open table is under way."""
        return self.opened is not None and bool(jobs.under_way(self.opened))

    @property
    def fitting(self) -> bool:
        """True while a model of the open table is being made."""
        return self.opened is not None and any(entry.task in (FIT, SEARCH) for entry in jobs.under_way(self.opened))

    def keep_request(self, request: FitRequest) -> None:
        """Keep what goes on from where a search was stopped, and say so where another one gives way."""
        if self.opened is not None and self.opened.keep_stopped(request):
            self.notice(kept.GIVEN_WAY, kind="info")

    def keep_search(self) -> None:
        """Keep the search whose model is about to be followed by that of a single fit, unless another was stopped."""
        study, opened = self.study, self.opened
        record = study.search if study is not None else None
        if opened is None or opened.stopped is not None or study is None or record is None or is_quick(record.plan):
            return
        opened.keep_stopped(FitRequest.going_on(study, record))


def is_new() -> bool:
    """Tell whether the visitor whose page is drawn has no session yet."""
    return _KEY not in st.session_state


def take_over(session: Session) -> None:
    """Make a session that its browser has left that of the visitor whose page is drawn; its address is followed."""
    session.follow_next_address()
    st.session_state[_KEY] = session


def current() -> Session:
    """Return the session of the visitor whose page is drawn."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    session: Session = st.session_state[_KEY]
    return session
