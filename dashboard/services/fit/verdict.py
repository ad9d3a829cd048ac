"""A study on the Fit page, as plain frames and texts."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from proset.common.words import count_words, listed, measure, percent, shown
from proset.data.issues import Role
from proset.explain.judged.lone_column import LoneColumn
from proset.selection import is_quick
from proset.study import Study, learned_words
from proset.study.any_study import AnyStudy
from proset.study.verdict import Verdict, VerdictKind
from proset.study.verdict_words import advice, basis_sentences, shares_apart, verdict_sentences


@dataclass(frozen=True)
class Measure:
    """One measure of quality beside the same measure of the naive model.

    Attributes
    ----------
    label : str
        What it is called.
    value, naive : str
        Both numbers as text.
    help : str
        One sentence.
    """

    label: str
    value: str
    naive: str
    help: str


@dataclass(frozen=True)
class VerdictNotice:
    """The verdict on a model as a page shows it.

    Attributes
    ----------
    kind : str
        ``"success"``, ``"info"``, ``"warning"`` or ``"error"``: the colour.
    finding : str
        The verdict in sentences.
    advice : str
        What may make the model better; empty if nothing needs to be.
    basis : str
        Sentences on how the verdict was checked, which may stand apart from it.
    """

    kind: str
    finding: str
    advice: str
    basis: str = ""

    @property
    def text(self) -> str:
        """The verdict with what it rests on."""
        return " ".join(filter(None, (self.finding, self.basis)))


_SEEN = 0.01
_CLASSES_NAMED, _COLUMNS_NAMED = 4, 4
_MANY, _FEW, _FEW_OF_CLASS = 150, 30, 5  # prototypes
_COLOURS = {VerdictKind.GOOD: "success", VerdictKind.WORSE: "error"}


def measures(study: Study, verdict: Verdict) -> list[Measure]:
    """Return the measures on held-out rows, each beside the naive model.

    Parameters
    ----------
    verdict : Verdict
        From :func:`proset.study.judging.judge_model`; knows what the decision rule says.
    """
    metrics = study.metrics
    return [
        Measure(
            "Log-loss",
            measure(metrics.log_loss),
            measure(metrics.naive_log_loss),
            "Smaller is better, 0 is perfect. Estimates that are confident and wrong cost most.",
        ),
        Measure(
            "ROC-AUC",
            measure(metrics.roc_auc),
            "0.500",
            "How well the classes are ranked: 0.5 is guessing, 1 is perfect. Mean over all pairs of classes.",
        ),
        Measure(
            "Balanced accuracy",
            percent(verdict.balanced_accuracy),
            percent(metrics.naive_balanced_accuracy),
            "Share of right answers, averaged over the classes so that rare ones count as much as common ones.",
        ),
        Measure(
            "Accuracy",
            percent(verdict.accuracy),
            percent(verdict.naive_accuracy),
            "Share of right answers over all held-out rows.",
        ),
    ]


def notice(study: Study, verdict: Verdict, lone: LoneColumn | None = None) -> VerdictNotice:
    """Say what the model adds to the class shares, in words and colour, and what to do next.

    For how many rows it is right stands in the headline above.

    Parameters
    ----------
    verdict : Verdict
        From :func:`proset.study.judging.judge_model`.
    lone : LoneColumn or None
        From :func:`proset.explain.judged.lone_column.lone_column`.

    Returns
    -------
    VerdictNotice
        Green only if the model is good for every class, beyond doubt, and not so good that something must be wrong.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from proset.study.judging import judge_model
    >>> from proset.study.repeats import with_repeats
    >>> study = fit_sample("iris_2f")
    >>> notice(study, judge_model(study)).kind, notice(study, judge_model(with_repeats(study))).kind
    ('info', 'success')
    """
    given_away = lone is not None and lone.perfect
    kind = "warning" if verdict.suspicious or given_away else _COLOURS.get(verdict.kind, "warning")
    if kind == "success" and not verdict.firm:
        kind = "info"
    searched = was_searched(study)
    what_to_do = advice(verdict, searched=searched)
    if searched and not verdict.uses_features:
        # Their log-loss is that of the folds, so that this is no choice by held-out rows.
        what_to_do = f"Below, pick another point of the search, if one has a lower log-loss. {what_to_do}"
    if verdict.n_rows and not verdict.uses_features:
        what_to_do = f"{what_to_do} {other_target(study)}"
    if what_to_do and (out := left_out_numbers(study)):
        what_to_do = f"{out} {what_to_do}"
    basis = basis_sentences(verdict)
    found = [text for text in verdict_sentences(verdict, counts=False) if text not in basis]
    found += [shares_apart(study), "" if lone is None else lone.words]
    return VerdictNotice(kind, " ".join(filter(None, found)), what_to_do, " ".join(basis))


def left_out_numbers(study: AnyStudy) -> str:
    """Name columns of numbers that the model never had because some words make them text; empty if there are none."""
    profiles, roles = study.table.profiles, study.roles.by_column
    names = [name for name, role in roles.items() if role is Role.TEXT and profiles[name].odd_word is not None]
    if not names:
        return ""
    they, are, them = ("It holds", "is", "it") if len(names) == 1 else ("They hold", "are", "them")
    said = f"{listed(names, most=_COLUMNS_NAMED)} {are} not used. {they} numbers, but some words make {them} text:"
    return f"{said} the Data page has ways out."


def other_target(study: AnyStudy) -> str:
    """Say what to do where nothing is found because another target was meant."""
    target = shown(str(study.roles.target))
    return f"If '{target}' is not what is to be foreseen, choose another target on the Data page."


def was_searched(study: AnyStudy) -> bool:
    """Tell whether a search chose the settings of a study."""
    return study.search is not None and not is_quick(study.search.plan)


def heaviest_columns(weights: pd.DataFrame, *, most: int) -> tuple[pd.DataFrame, int]:
    """Return the largest weights of the columns of the table in all batches, and how many used columns are left out.

    Those under 1 % of the heaviest would be bars that nobody sees.
    """
    largest = weights.max(axis=1)
    kept = weights[largest >= _SEEN * largest.max()].head(most)
    return kept, len(weights) - len(kept)


def prototypes_words(study: AnyStudy) -> str:
    """Say how many prototypes a model has kept, and for which classes.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import FitSettings, fit_study
    >>> few = FitSettings(num_candidates=30)
    >>> prototypes_words(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=few))
    '15 prototypes: 6 for setosa, 4 for versicolor, 5 for virginica'
    """
    said = count_words(len(study.prototypes), "prototype")
    if not isinstance(study, Study) or study.prototypes.empty:
        return said
    counts = study.prototypes["class"].value_counts().reindex(study.classes, fill_value=0)
    if len(counts) > _CLASSES_NAMED:
        fewest, most = f"{counts.min():,}", f"{counts.max():,}"
        return f"{said}, {fewest if fewest == most else f'{fewest} to {most}'} for each class"
    return f"{said}: {', '.join(f'{count:,} for {shown(str(name))}' for name, count in counts.items())}"


def usual_limit(study: AnyStudy) -> int:
    """Return how many prototypes are still few enough to go through: thirty, or five for each class."""
    return max(_FEW, _FEW_OF_CLASS * len(study.classes)) if isinstance(study, Study) else _FEW


def many_words(study: AnyStudy) -> str:
    """Say that a model has more prototypes than a person goes through, and what to do; empty for one that has not.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> many_words(fit_sample("iris_2f"))
    ''
    """
    if len(study.prototypes) <= max(_MANY, usual_limit(study)):
        return ""
    return (
        "These are too many to go through and argue with. With a limit, those that are missed least are taken out;"
        " what that costs is said below the result."
    )


def batch_table(study: Study) -> pd.DataFrame:
    """Return one line per batch: what was tried and what was kept.

    Returns
    -------
    DataFrame
        Index ``batch``; columns ``candidates``, ``columns in use``, ``prototypes``, ``prototypes: <class>`` for each
        class; prototypes and columns are those of the model, after the last of them.
    """
    counts = study.prototypes.groupby(["batch", "class"]).size().to_dict()
    lines = {
        result.batch: {
            "candidates": result.n_candidates,
            "columns in use": columns_of_batch(study, result.batch),
            "prototypes": sum(counts.get((result.batch, name), 0) for name in study.classes),
            **{f"prototypes: {name}": int(counts.get((result.batch, name), 0)) for name in study.classes},
        }
        for result in study.model.batch_results_
    }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("batch")


def columns_of_batch(study: AnyStudy, batch: int) -> int:
    """Count the columns of the table that a batch of a model looks at, from 1."""
    own = study.model.set_manager_.batches[batch - 1]
    sources = study.design.column_sources
    return 0 if own is None else len({sources[place] for place in own.active_features})


def solver_lines(study: AnyStudy) -> list[tuple[bool, str]]:
    """Return how the search for weights ended, one sentence per batch, and what was done after the last of them."""
    refined = getattr(study.model, "refinement_", None)
    last = [] if refined is None else [(True, refined.message)]
    return [
        (
            result.solver.converged,
            f"Batch {result.batch}: {result.solver.message}"
            + ("" if result.n_prototypes else " It kept no prototypes, so the model is the same without it."),
        )
        for result in study.model.batch_results_
    ] + last


def made_words(study: AnyStudy) -> str:
    """Say when, from how much and in what time the model was made."""
    made = study.provenance
    return (
        f"{learned_words(study)} Fitted in {made.fit_seconds:.1f} s, seed {made.seed}, "
        f"proset {made.proset_version}, {made.created.replace('T', ' ').removesuffix('+00:00')} UTC"
    )
