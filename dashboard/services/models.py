"""Several models of one table: what tells them apart, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dashboard.services.fit.modes import Mode, mode_of
from proset.common.words import count_words, listed, power_words
from proset.data.split import SplitSettings
from proset.selection import JointRecord, SearchRecord, batches_words
from proset.study import NumberStudy
from proset.study.settings import BOUNDS

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

MOST_MODELS = 8
"""Largest number of models of one table that a session keeps."""
_SHOWN = ("lambda_v", "lambda_w", "alpha_v", "alpha_w", "num_candidates", "max_fraction", "max_samples",
          "max_prototypes", "solver_factr", "random_state")  # fmt: skip


def model_names(models: Mapping[str, AnyStudy]) -> dict[str, str]:
    """Name models by how they were made and by what differs between them.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import FitSettings, fit_study
    >>> table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    >>> few = [fit_study(table, roles, settings=FitSettings(lambda_v=v, num_candidates=20)) for v in (1e-3, 2e-3)]
    >>> list(model_names({study.id: study for study in few}).values())
    ['Own settings, 1 batch, lambda_v 1e-3', 'Own settings, 1 batch, lambda_v 2e-3']
    """
    differing = {
        kind: [
            name for name in _SHOWN if len({getattr(s.settings, name) for s in models.values() if type(s) is kind}) > 1
        ]
        for kind in {type(study) for study in models.values()}
    }
    splits = len({study.split.settings for study in models.values()}) > 1
    target = len({study.roles.target for study in models.values()}) > 1
    columns = len({study.roles.with_classes(None) for study in models.values()}) > 1
    classes = not target and len({(study.roles.classes, study.roles.number) for study in models.values()}) > 1
    names = {}
    for key, study in models.items():
        joined = study.settings.n_joined
        # A fit ends with fewer than were asked for when another one would say nothing.
        batches = batches_words(study.settings.n_iter if joined > 1 else study.model.set_manager_.num_batches)
        parts = [_kind(study), f"{joined} joined fits of {batches}" if joined > 1 else batches]
        parts += [_setting(name, getattr(study.settings, name)) for name in differing[type(study)]]
        if target:
            parts.append(f"target {study.roles.target}")
        if classes:
            parts.append("a number" if isinstance(study, NumberStudy) else f"classes {listed(study.classes)}")
        if columns:
            count = len(study.roles.features)
            parts.append(f"{count} feature{'' if count == 1 else 's'}")
        if isinstance(study, NumberStudy) and study.calibration is not None:
            parts.append("intervals calibrated")
        if splits:
            parts.append(_split_words(study.split.settings))
        names[key] = ", ".join(parts)
    return _told_apart(names)


def _kind(study: AnyStudy) -> str:
    """Say how the settings were found."""
    record, mode = study.search, mode_of(study)
    if record is None:  # what people say is learned with the settings that were there
        return "Fit with what was said" if len(study.guidance) else "Own settings"
    if mode is Mode.QUICK:
        return "Own choice after a quick fit" if record.by_hand else "Quick fit"
    if isinstance(record, JointRecord) and record.unfinished:
        return "Choice from a search that was stopped"
    if record.by_hand:
        return "Own choice after a search"
    return "Search" if not isinstance(record, SearchRecord) else "Search by algorithm 2.2"


def _split_words(split: SplitSettings) -> str:
    """Say in short how rows were held out."""
    drawn = f"the latest by {split.time or 'the order of the file'}" if split.by_time else f"seed {split.seed}"
    together = "" if split.groups is None else f", {split.groups} together"
    return f"{100 * split.test_fraction:g} % held out, {drawn}{together}"


def _setting(name: str, value: float | None) -> str:
    """One setting, short."""
    if name == "max_prototypes":
        return "all prototypes" if value is None else f"at most {count_words(int(value), 'prototype')}"
    if value is None:
        return f"{name} all"
    return f"{name} {power_words(value) if BOUNDS[name].log else f'{value:g}'}"


def _told_apart(names: dict[str, str]) -> dict[str, str]:
    """Add numbers to those that read the same."""
    count, seen = Counter(names.values()), Counter[str]()
    told = {}
    for key, name in names.items():
        seen[name] += 1
        told[key] = f"{name} ({seen[name]})" if count[name] > 1 else name
    return told
