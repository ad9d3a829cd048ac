"""The verdict on a model, as ``proset fit`` prints it; the same as on the Fit page."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from proset.cli.terminal import say
from proset.common.words import count_words, measure, percent, shown

if TYPE_CHECKING:
    from proset.study import Study
    from proset.study.verdict import Verdict

_WIDTH = 100
_LONGEST_NAME = 30


def report_quality(study: Study) -> None:
    """Print what the model adds to the class shares, its measures, and how each class fares."""
    from proset.explain.judged.lone_column import lone_column
    from proset.selection.either import is_quick
    from proset.study.judging import judge_model
    from proset.study.verdict_words import advice, shares_apart, verdict_sentences

    verdict = judge_model(study)
    say()
    lone = lone_column(study)
    searched = study.search is not None and not is_quick(study.search.plan)
    for sentence in (
        *verdict_sentences(verdict),
        shares_apart(study),
        "" if lone is None else lone.words,
        advice(verdict, searched=searched),
    ):
        if sentence:
            say(wrapped(sentence))
    metrics = study.metrics
    if not metrics.n_rows:
        return
    say(f"\nOn {count_words(metrics.n_rows, 'held-out row'):<20}{'model':>12}{'naive':>12}")
    for name, value, naive in (
        ("log-loss", measure(metrics.log_loss), measure(metrics.naive_log_loss)),
        ("ROC-AUC", measure(metrics.roc_auc), "0.500"),
        ("balanced accuracy", percent(verdict.balanced_accuracy), percent(metrics.naive_balanced_accuracy)),
        ("accuracy", percent(verdict.accuracy), percent(verdict.naive_accuracy)),
    ):
        say(f"  {name:<21}{value:>12}{naive:>12}")
    _report_classes(verdict)
    say(f"The predicted class is {metrics.rule}. Naive states how common each class is among the training rows.")


def wrapped(sentence: str) -> str:
    """Return a sentence on lines of bounded length; no number loses its sign of per cent."""
    tied = sentence.replace(" %", "\u00a0%")
    # Only blanks of our own become breaks: a class may hold any other white space.
    lines = textwrap.wrap(tied, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\u00a0", " ")


def _report_classes(verdict: Verdict) -> None:
    """Print how each class fares."""
    names = [shown(entry.name, _LONGEST_NAME) for entry in verdict.classes]
    width = max(21, *map(len, names))
    say(f"  {'class':<{width}}{'found':>12}{'right when said':>18}")
    for name, entry in zip(names, verdict.classes, strict=True):
        found = percent(entry.recall) if entry.rows else "no row"
        right = percent(entry.precision) if entry.said else "never said"
        say(f"  {name:<{width}}{found:>12}{right:>18}")
