"""A recipe: everything a person chooses before a fit, in one value that can be compared, sent and kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from proset.common.errors import StudyError
from proset.common.words import in_a_row, shown
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.selection.either import AnyPlan, is_quick
from proset.selection.plan import PENALTIES, SearchPlan
from proset.study.guidance import Guidance
from proset.study.settings import FitSettings, NumberSettings


@dataclass(frozen=True)
class Recipe:
    """Roles, split, settings and plan of a fit, and what people have said about the model.

    A penalty that a plan of algorithm 2.2 does not search is that of the settings, whatever the plan says; so two
    recipes that lead to the same work are equal. A joint plan has its own.

    Attributes
    ----------
    roles : Roles
        What each column of the table is for.
    split : SplitSettings
        How rows are divided into training and held-out rows.
    settings : FitSettings
        Hyperparameters, NumberSettings for a number; those that the plan searches are where it has no say.
    plan : JointPlan, SearchPlan, NumberPlan or None
        How to search for hyperparameters; None for one fit with `settings`.
    guidance : Guidance
        What people say about rows and columns; nothing by default.

    Raises
    ------
    StudyError
        If the settings are those of a model of the other kind, of classes or of a number: some would be missing.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> recipe = Recipe(Roles({"age": Role.NUMERIC, "sick": Role.TARGET}))
    >>> recipe.differences(replace(recipe, split=SplitSettings(seed=1)))
    'the split into training and held-out rows'
    >>> recipe.differences(replace(recipe, split=SplitSettings(groups="patient", time="day")))
    'which rows stay together and the split by time'
    >>> recipe.differences(recipe)
    ''
    """

    roles: Roles
    split: SplitSettings = field(default_factory=SplitSettings)
    settings: FitSettings = field(default_factory=FitSettings)
    plan: AnyPlan | None = None
    guidance: Guidance = field(default_factory=Guidance)

    def __post_init__(self) -> None:
        if isinstance(self.settings, NumberSettings) != self.roles.number:
            kind, right = ("a number", NumberSettings) if self.roles.number else ("classes", FitSettings)
            raise StudyError(
                f"The settings are not those of a model of {kind}, as the target needs it.",
                hint=f"Take {right.__name__}.",
            )
        if isinstance(self.plan, SearchPlan):
            fixed = {name: getattr(self.settings, name) for name in PENALTIES if name not in self.plan.searched}
            object.__setattr__(self, "plan", replace(self.plan, **fixed))

    @property
    def finds(self) -> tuple[str, ...]:
        """Names of the settings that the search finds instead of taking them as they are; empty without one."""
        if self.plan is None:
            return ()
        return ("n_iter", *self.plan.searched) if isinstance(self.plan, SearchPlan) else self.plan.sets

    def differences(self, other: Recipe) -> str:
        """Name what is different in another recipe, in words that can follow "changed:"; empty if they are equal."""
        alike = self.roles.number == other.roles.number  # settings of the other kind are others, whoever asked
        parts = {
            self._target_words(other): self.roles.target != other.roles.target,
            "the column roles": self._has_other_columns(other),
            "whether the target is a number or classes": self._is_otherwise_taken(other),
            "the classes of the target": self._makes_other_classes(other),
            "which rows stay together": self.split.groups != other.split.groups,
            "the split by time": (self.split.time, self.split.file_order) != (other.split.time, other.split.file_order),
            "the split into training and held-out rows": (self.split.test_fraction, self.split.seed)
            != (other.split.test_fraction, other.split.seed),
            "the fit settings": alike and self.settings != other.settings,
            "the search settings": alike and self.plan != other.plan,
            "the guidance": self.guidance != other.guidance,
        }
        return in_a_row([name for name, differ in parts.items() if differ])

    def _target_words(self, other: Recipe) -> str:
        """Name both targets."""
        names = [f"'{shown(target)}'" if target else "none" for target in (self.roles.target, other.roles.target)]
        return f"the target ({names[0]} before, {names[1]} now)"

    def _has_other_columns(self, other: Recipe) -> bool:
        """Tell whether another column than a target has another role."""
        targets = {self.roles.target, other.roles.target}
        own, its = (
            {name: role for name, role in roles.by_column.items() if name not in targets}
            for roles in (self.roles, other.roles)
        )
        return own != its

    def _makes_other_classes(self, other: Recipe) -> bool:
        """Tell whether the same target makes other classes; another target is another role and needs no more words."""
        same = self.roles.target == other.roles.target and self.roles.number == other.roles.number
        return same and self.roles.classes != other.roles.classes

    def _is_otherwise_taken(self, other: Recipe) -> bool:
        """Tell whether the same target is a number for one and classes for the other."""
        return self.roles.target == other.roles.target and self.roles.number != other.roles.number

    def like(self, other: Recipe) -> Recipe:
        """Return this recipe without its plan if `other` has none, or with the plan of a quick fit if `other` is one.

        So that the two can be compared: a model that was fitted once, or quickly, does not become old because a person
        looks at the settings of a search.
        """
        alike = self.roles.number == other.roles.number
        return replace(self, plan=other.plan) if alike and (other.plan is None or is_quick(other.plan)) else self

    def without_found(self) -> Recipe:
        """Return the recipe with usual values where the search has its say: two searches with it find the same."""
        usual = type(self.settings)()
        return replace(self, settings=replace(self.settings, **{name: getattr(usual, name) for name in self.finds}))
