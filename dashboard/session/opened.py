"""A table that is open, with everything that belongs to it: its recipe, its models, the selected case."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard.services.cases import CaseRef, CaseSet, CaseSource
from dashboard.services.data.reading import is_same_reading
from dashboard.services.data.target import recut
from dashboard.services.models import MOST_MODELS, model_names
from dashboard.services.new_data import NewRows
from dashboard.services.review.filters import MOST_VIEWS, ReviewView
from dashboard.services.slices import MOST_SLICES, new_number
from proset.data.role_guess import RoleGuess, guess_roles
from proset.data.roles import Roles
from proset.data.samples import sample_split
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.selection import AnyPlan, ClassPlan, JointPlan, NumberPlan, SearchPlan, is_quick
from proset.study import DecisionRule, FitSettings, NumberStudy, Study
from proset.study.any_study import AnyStudy
from proset.study.decision import MOST_PROBABLE
from proset.study.guidance import Guidance
from proset.study.recipe import Recipe
from proset.study.settings import NumberSettings, suggest_number_settings, suggest_settings

if TYPE_CHECKING:
    from dashboard.session.keeping import Keeping
    from dashboard.work.tasks import FitRequest
    from proset.explain.slices.slice import Slice
    from proset.workspace import Card, Record
    from proset.workspace.review_import import ReviewImport

_NO_ROWS = pd.DataFrame()


@dataclass(eq=False, repr=False)
class OpenTable:
    """One table and all that is known about it; opening another table replaces the whole object.

    Attributes
    ----------
    table : Table
        As it was read. It stays the same object as long as it is open, so that what was computed from it stays valid.
    guess : RoleGuess
        What was guessed about its columns for the current target.
    recipe : Recipe
        What the next fit would use. It always has the plan of the search that may come, never that of a quick fit; what
        a search has found is the study's and not chosen by anybody, so it does not stand here.
    source : bytes or None
        The uploaded bytes, so that they can be read again in another way.
    sample : str or None
        Name of the bundled data set it is.
    original : OpenTable or None
        What was open before words were declared to mean missing, with its models, so that they can be taken back.
    models : dict of str to Study or NumberStudy
        By id, oldest first; at most :data:`dashboard.services.models.MOST_MODELS`.
    current : str or None
        Id of the model that pages show.
    before_looking : Recipe or None
        What people chose for the next fit, while the recipe is that of a model which is looked at.
    selection : CaseRef or None
        The selected case.
    walk : CaseSet or None
        The cases that a page has made to be looked through; None for the misclassified ones of the part that is chosen.
    proposal : (int, int) or None
        The point of a search's figures that a person looks at instead of the chosen one: step and row label. A joint
        search has step 1 only.
    plans : dict of str to plan
        What was set for the way of searching that is not chosen now, by its name.
    stopped : FitRequest or None
        Goes on from where a search was stopped, or repeats one whose model a single fit has followed. It gives way to a
        later search, or to its own end, never to a fit.
    rules : dict of tuple of str to DecisionRule
        How cases are decided between these classes; a model whose classes are not there takes the most probable one.
    asked_rule : DecisionRule or None
        What an address says about how cases are decided, until there is a model.
    others : dict of CaseSource to DataFrame
        Rows of other sources than the table.
    new_rows : NewRows or None
        New data, as it was read; its rows are among the others.
    said : tuple of Record
        What people have said of its cases, as far as this window knows it.
    brought : (str, ReviewImport) or None
        Name of the last file of verdicts that was brought to this window, and what came of it.
    slice_numbers : dict of Slice to int
        Those that were kept, each with a name of its own, oldest first, and by which number an address means each; no
        number comes again, so that Back never leads to another slice.
    views : tuple of ReviewView
        Filters of the review that were given a name, each with one of its own, oldest first.
    values : dict
        What pages keep, by scope (the id of a model, or an empty text for the table) and name.
    key : str
        Names it in the address of its own session, and in the workspace; it says nothing to anybody else.
    keeping : Keeping or None
        What of it is in the workspace.
    forgotten : bool
        Whether it was deleted from there, so that it is not kept any more.
    refused : bool
        Whether it could not be kept when that was tried last.
    cut : str or None
        What was written down of work that ended when other data was opened.
    follows : OpenTable or None
        The same file as it was read before.
    parted_from : str or None
        Key of the study that another window goes on with.
    """

    table: Table
    guess: RoleGuess
    recipe: Recipe
    source: bytes | None = None
    sample: str | None = None
    original: OpenTable | None = None
    models: dict[str, AnyStudy] = field(default_factory=dict)
    current: str | None = None
    before_looking: Recipe | None = None
    selection: CaseRef | None = None
    walk: CaseSet | None = None
    proposal: tuple[int, int] | None = None
    plans: dict[str, AnyPlan] = field(default_factory=dict)
    stopped: FitRequest | None = None
    rules: dict[tuple[str, ...], DecisionRule] = field(default_factory=dict)
    asked_rule: DecisionRule | None = None
    others: dict[CaseSource, pd.DataFrame] = field(default_factory=dict)
    new_rows: NewRows | None = None
    said: tuple[Record, ...] = ()
    brought: tuple[str, ReviewImport] | None = None
    slice_numbers: dict[Slice, int] = field(default_factory=dict)
    views: tuple[ReviewView, ...] = ()
    values: dict[tuple[str, str], Any] = field(default_factory=dict)
    key: str = field(default_factory=lambda: _new_key())
    keeping: Keeping | None = None
    forgotten: bool = False
    refused: bool = False
    cut: str | None = None
    follows: OpenTable | None = None
    parted_from: str | None = None

    @classmethod
    def start(
        cls, table: Table, *, roles: Roles | None = None, source: bytes | None = None, sample: str | None = None
    ) -> OpenTable:
        """Open a table; without `roles`, they are guessed. A bundled one with a time holds out the latest rows."""
        guess = guess_roles(table, target=roles.target if roles else None)
        if roles is None:
            roles = guess.roles
        elif not roles.guessed:
            # So that a column which stops being the target finds its way back to a feature role.
            roles = replace(roles, guessed=guess.roles.guessed)
        split = SplitSettings() if sample is None else sample_split(sample)
        recipe = Recipe(roles, split, settings=_usual_settings(table, roles), plan=_usual_plan(roles))
        return cls(table, guess, recipe, source=source, sample=sample)

    # --- where it is kept ---------------------------------------------------------------------------------------------
    def forget(self) -> None:
        """Keep it no longer."""
        self.keeping, self.forgotten = None, True

    def is_as_in(self, card: Card) -> bool:
        """Tell whether the workspace has nothing of it that this window does not have."""
        keeping = self.keeping
        return keeping is not None and (keeping.version, len(keeping.models)) == (card.version, card.n_models)

    def is_same(self, other: OpenTable) -> bool:
        """Tell whether work on one is work on the other: one file, read in one way, and not two studies of it."""
        if self is other or self.key == other.key:
            return True
        return is_same_reading(self.table, other.table) and (self.keeping is None or other.keeping is None)

    def part(self) -> None:
        """Go on as a study of its own: another window has changed what is kept."""
        self.parted_from, self.key, self.keeping = self.key, _new_key(), None

    # --- the recipe of the next fit -----------------------------------------------------------------------------------
    @property
    def usual_settings(self) -> FitSettings:
        """Hyperparameters to start from with this table and these roles."""
        return _usual_settings(self.table, self.recipe.roles)

    @property
    def plan(self) -> ClassPlan:
        """The plan of the next search for the hyperparameters of a model of classes."""
        plan = self.recipe.plan
        return JointPlan() if plan is None or isinstance(plan, NumberPlan) else plan

    @property
    def number_plan(self) -> NumberPlan:
        """The plan of the next search for those of a model of a number."""
        return self.recipe.plan if isinstance(self.recipe.plan, NumberPlan) else NumberPlan()

    def search_by(self, *, report: bool) -> None:
        """Search by algorithm 2.2 of the report, or jointly; what was set for either is kept."""
        plan = self.plan
        if isinstance(plan, SearchPlan) == report:
            return
        self.plans[type(plan).__name__] = plan
        usual: AnyPlan = SearchPlan.report() if report else JointPlan()
        self.edit(plan=self.plans.get(type(usual).__name__, usual))

    def edit(
        self,
        *,
        roles: Roles | None = None,
        split: SplitSettings | None = None,
        settings: FitSettings | None = None,
        plan: AnyPlan | None = None,
        guidance: Guidance | None = None,
    ) -> None:
        """Change the recipe; a new target renews the guess.

        Hyperparameters that nobody has changed follow the roles, and so do those of a model of the other kind.
        """
        former = self.recipe
        if roles is not None and roles.number != former.roles.number:
            if former.plan is not None:
                self.plans[type(former.plan).__name__] = former.plan
            usual = _usual_plan(roles)
            plan = self.plans.get(type(usual).__name__, usual)
        now = roles or former.roles
        if split is not None:
            now = recut(self.table, now, former.split, split)
        if settings is None and former.settings != self.usual_settings:
            settings = former.settings
        if settings is None or isinstance(settings, NumberSettings) != now.number:
            settings = _usual_settings(self.table, now)
        self._set_recipe(
            Recipe(
                roles=now,
                split=split or former.split,
                settings=settings,
                plan=plan or former.plan,
                guidance=former.guidance if guidance is None else guidance,
            )
        )

    def take_recipe(self, recipe: Recipe) -> None:
        """Make the recipe of a model that of the next fit, but for what was found; without a search its plan stays."""
        roles = replace(recipe.roles, guessed=recipe.roles.guessed or self.recipe.roles.guessed)
        usual = _usual_settings(self.table, roles)
        settings = replace(recipe.settings, **{name: getattr(usual, name) for name in recipe.finds})
        own = self.recipe.plan if self.recipe.roles.number == roles.number else _usual_plan(roles)
        plan = own if recipe.plan is None or is_quick(recipe.plan) else recipe.plan
        self._set_recipe(replace(recipe, roles=roles, settings=settings, plan=plan))

    def _set_recipe(self, recipe: Recipe) -> None:
        """Take over a recipe; a new target renews the guess."""
        target, self.recipe, self.before_looking = self.recipe.roles.target, recipe, None
        if recipe.roles.target != target:
            self.guess = guess_roles(self.table, target=recipe.roles.target)

    def propose(self, point: tuple[int, int] | None) -> None:
        """Look at another point of a search's figures (step and row label); None for the chosen one."""
        self.proposal = point

    def keep_result(self, study: AnyStudy, name: str, found: Any) -> None:
        """Keep the result of work on a model, under a name."""
        self.values[study.id, name] = found

    def keep_edited(self, rows: pd.DataFrame) -> None:
        """Keep these edited copies of cases instead of the former ones."""
        self.others[CaseSource.EDITED] = rows

    # --- the models ---------------------------------------------------------------------------------------------------
    @property
    def fitted(self) -> AnyStudy | None:
        """The model that pages show, or None before the first fit."""
        return self.models.get(self.current) if self.current is not None else None

    @property
    def study(self) -> Study | None:
        """The model that pages show, if it is one of classes."""
        return self.fitted if isinstance(self.fitted, Study) else None

    @property
    def number(self) -> NumberStudy | None:
        """The model that pages show, if it is one of a number."""
        return self.fitted if isinstance(self.fitted, NumberStudy) else None

    @property
    def class_models(self) -> dict[str, Study]:
        """The models of classes by id, oldest first."""
        return {key: study for key, study in self.models.items() if isinstance(study, Study)}

    @property
    def stale(self) -> bool:
        """True if the current model was made by another recipe than the next fit would use."""
        return bool(self.changes)

    @property
    def changes(self) -> str:
        """Changes since the current model was fitted, in words; empty without any."""
        if self.fitted is None:
            return ""
        made = self.fitted.recipe
        return made.without_found().differences(self.recipe.like(made).without_found())

    def add(self, study: AnyStudy) -> AnyStudy | None:
        """Keep a model and make it the current one; return the one that went to make room, or None."""
        self.models.pop(study.id, None)
        self.models[study.id] = study
        self.current, self.proposal = study.id, None
        return self._make_room()

    def switch(self, key: str) -> None:
        """Make another model the current one, and its recipe that of the next fit."""
        if key in self.models and key != self.current:
            self.current, self.proposal = key, None
            self.follow_model()

    def follow_model(self) -> None:
        """Let the next fit repeat the current model until somebody chooses otherwise: to look is not to choose."""
        if self.fitted is not None:
            chosen = self.chosen_recipe
            self.take_recipe(self.fitted.recipe)
            self.before_looking = chosen

    @property
    def chosen_recipe(self) -> Recipe:
        """Recipe that people chose for the next fit, whichever model is looked at."""
        return self.before_looking or self.recipe

    def remove(self, key: str) -> None:
        """Forget a model; if it was the current one, the newest of the others follows."""
        self.models.pop(key, None)
        self.values = {slot: value for slot, value in self.values.items() if slot[0] != key}
        if self.current == key:
            self.current = self.proposal = None
            if self.models:
                self.switch(next(reversed(self.models)))

    def find(self, key: str) -> str | None:
        """Return the id of the model whose id begins so, or None."""
        return next((known for known in self.models if key and known.startswith(key)), None)

    @property
    def model_names(self) -> dict[str, str]:
        """Names that tell the models apart, by id."""
        return model_names(self.models)

    def _make_room(self) -> AnyStudy | None:
        """Forget the oldest model that is not the current one, if there are too many."""
        if len(self.models) <= MOST_MODELS:
            return None
        oldest = next(key for key in self.models if key != self.current)
        gone = self.models[oldest]
        self.remove(oldest)
        return gone

    # --- cases --------------------------------------------------------------------------------------------------------
    def has(self, case: CaseRef) -> bool:
        """Tell whether there is such a case."""
        rows = self.table.frame if case.source is CaseSource.TABLE else self.others.get(case.source, _NO_ROWS)
        return case.row in rows.index

    def select(self, case: CaseRef | None) -> None:
        """Select a case on every page; None, or one that there is not, clears the selection."""
        self.selection = case if case is not None and self.has(case) else None

    def bring(self, rows: NewRows | None) -> None:
        """Take new rows in place of those that were there; None takes them away, and what was selected among them."""
        self.new_rows = rows
        self.others.pop(CaseSource.NEW, None)
        if rows is not None:
            self.others[CaseSource.NEW] = rows.frame
        if self.selection is not None and self.selection.source is CaseSource.NEW:
            self.selection = None
        if self.walk is not None and any(case.source is CaseSource.NEW for case in self.walk.picked or ()):
            self.walk = None

    def look_through(self, cases: CaseSet | None) -> None:
        """Look through these cases; picked ones that there are not are left out. None for the usual ones."""
        if cases is not None and cases.picked is not None:
            cases = replace(cases, picked=tuple(case for case in cases.picked if self.has(case)))
        self.walk = cases

    def take_along(self, former: OpenTable) -> None:
        """Take over what was chosen for the same rows read in another way, but for roles: recipe, slices, views."""
        recipe = former.recipe
        stated = None if recipe.settings == former.usual_settings else recipe.settings
        self.edit(split=recipe.split, plan=recipe.plan, settings=stated, guidance=recipe.guidance)
        self.slice_numbers, self.views = dict(former.slice_numbers), former.views

    # --- a search that was stopped ------------------------------------------------------------------------------------
    def keep_stopped(self, rest: FitRequest) -> bool:
        """Keep what goes on from where work ended; one that was ended early for its best so far goes on without it.

        Returns
        -------
        bool
            Whether another search that was stopped has given way, and can no longer go on.
        """
        former = self.stopped
        if not self._gives_way(rest):
            return False
        self.stopped = rest.unfinished or rest
        other = former is not None and former.recipe.without_found() != rest.recipe.without_found()
        return other and former is not None and former.record is not None and not former.record.complete

    def end_stopped(self, asked: FitRequest) -> None:
        """Keep what was stopped no longer, now that what was asked for is done; what can still go on does."""
        if self._gives_way(asked):
            self.stopped = asked.unfinished

    def _gives_way(self, request: FitRequest) -> bool:
        """Tell whether what was stopped gives way: a search does to a search, what was chosen from one to anything."""
        return self.stopped is None or self.stopped.by_hand or not request.by_hand

    # --- slices -------------------------------------------------------------------------------------------------------
    @property
    def slices(self) -> tuple[Slice, ...]:
        """Slices that were kept, oldest first."""
        return tuple(self.slice_numbers)

    def keep_slice(self, chosen: Slice) -> None:
        """Keep a slice in place of one of the same name; of too many the oldest goes."""
        number = self.slice_numbers.get(chosen) or new_number()
        others = [each for each in self.slices if each.title != chosen.title]
        self.slice_numbers = {each: self.slice_numbers[each] for each in others[-MOST_SLICES + 1 :]}
        self.slice_numbers[chosen] = number

    def drop_slice(self, chosen: Slice) -> None:
        """Keep a slice no longer."""
        self.slice_numbers.pop(chosen, None)

    def slice_value(self, chosen: Slice) -> Slice | int:
        """Return what stands for a slice in an address: of a bundled table itself, of an upload its number."""
        return chosen if self.sample is not None else self.slice_numbers.get(chosen, chosen)

    def slice_of(self, value: Slice | int) -> Slice | None:
        """Return the slice for which a value stands; None if it is not kept."""
        if not isinstance(value, int):
            return value
        return next((each for each, number in self.slice_numbers.items() if number == value), None)

    # --- views of the review ------------------------------------------------------------------------------------------
    def keep_view(self, view: ReviewView, *, instead: str = "") -> None:
        """Keep a view in place of one of its name and of the one called `instead`; of too many the oldest goes."""
        others = [each for each in self.views if each.name not in (view.name, instead)]
        self.views = (*others[-MOST_VIEWS + 1 :], view)

    def drop_view(self, name: str) -> None:
        """Keep a view no longer."""
        self.views = tuple(each for each in self.views if each.name != name)

    # --- how cases are decided ----------------------------------------------------------------------------------------
    def ask_rule(self, rule: DecisionRule) -> None:
        """Decide by a rule from the next look at a model on; whether it fits is not known before."""
        self.asked_rule = rule

    def rule_for(self, classes: tuple[str, ...]) -> DecisionRule:
        """Return how cases are decided between these classes.

        Raises
        ------
        StudyError
            If a rule was asked for that is made for another number of classes; it is forgotten.
        """
        if self.asked_rule is not None:
            asked, self.asked_rule = self.asked_rule, None
            asked.check(len(classes))
            self.rules[classes] = asked
        return self.rules.get(classes, MOST_PROBABLE)


def _usual_settings(table: Table, roles: Roles) -> FitSettings:
    """Return hyperparameters to start from with a table and roles."""
    n_rows = len(table.frame)
    return suggest_number_settings(n_rows) if roles.number else suggest_settings(n_rows, len(roles.features))


def _usual_plan(roles: Roles) -> AnyPlan:
    """Return the plan of a search unless something else is said."""
    return NumberPlan() if roles.number else JointPlan()


def _new_key() -> str:
    """Return a key; one that began with a dash would be an option on a command line."""
    return secrets.token_urlsafe(9).replace("-", "_")
