"""Check that the parts of a loaded study belong together: each may be sound alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from proset.common.errors import ProsetError
from proset.data.scales import Scale
from proset.data.target import class_order, target_labels
from proset.selection.either import ClassRecord, settings_found
from proset.storage.arrays import all_different
from proset.storage.records import damaged
from proset.study import FitSettings, NumberStudy, Study
from proset.study.base import StudyBase
from proset.study.guidance import GuidanceKind
from proset.study.guidance_check import check_guidance


def check_agreement(study: Study) -> None:
    """Refuse a study whose parts contradict each other.

    Raises
    ------
    StorageError
        Naming the part.
    """
    _check_parts(study)
    if study.guidance:
        _check_guidance(study)
    _check_model(study)
    if study.search is not None:
        _check_search(study.search, study.settings)


def check_number_agreement(study: NumberStudy) -> None:
    """Refuse a study of a number whose parts contradict each other.

    Raises
    ------
    StorageError
        Naming the part.
    """
    _check_parts(study)
    if study.guidance:
        _check_guidance(study)
    _check_batches(study)
    if study.targets.reindex(study.split.train).isna().any():
        raise damaged("its split", "learns from rows without a number")
    if study.search is None:
        return
    found = dict(study.search.found)
    scale = found.pop("scale", study.settings.scale)
    if scale != study.settings.scale or any(
        not np.isclose(getattr(study.settings, name), value) for name, value in found.items()
    ):
        raise damaged("its search", "chose other settings than those of the model")


def _check_parts(study: StudyBase) -> None:
    """Refuse parts that contradict each other whatever the target is."""
    _check_split(study)
    _check_columns(study)
    if len(study.design.columns) != study.model.n_features_in_:
        raise damaged(
            "its model",
            f"expects {study.model.n_features_in_} matrix columns; the design has {len(study.design.columns)}",
        )
    if study.roles.target is None:
        raise damaged("its roles", "have no target")


def _check_split(study: StudyBase) -> None:
    """Refuse a split that names a row twice, or one that the table does not have."""
    split = study.split
    together = np.concatenate([split.train, split.held_out, split.unlabelled])
    if not all_different(together) or not pd.Index(together).isin(study.table.frame.index).all():
        raise damaged("its split", "names a row twice, or one that the table does not have")
    if not len(split.train):
        raise damaged("its split", "has no training rows")
    if not {split.settings.groups, split.settings.time} <= {None, *study.table.frame.columns}:
        raise damaged("its split", "is by a column that the table does not have")


def _check_columns(study: StudyBase) -> None:
    """Refuse table, roles and design that speak of different columns."""
    if set(study.roles.by_column) != set(study.table.frame.columns):
        raise damaged("its roles", "are not those of the columns of the table")
    for entry in study.table.derived:
        if not {entry.name, *entry.columns} <= set(study.table.frame.columns):
            raise damaged("its table", "is said to count days or hours from columns that it does not have")
    if study.roles != study.design.roles:
        raise damaged("its design", "was fitted for other roles")
    scale, columns = study.settings.scale, study.design.columns
    bent, said = any(column.bend for column in columns), any(column.evidence_for is not None for column in columns)
    if (bent and scale in (Scale.STANDARD, Scale.EVIDENCE)) or (said and scale is not Scale.EVIDENCE):
        raise damaged("its design", "has a scale that is not the one of its settings")


def _check_model(study: Study) -> None:
    """Refuse a model that was fitted to something else than the training rows, encoded by the design."""
    model, split, target = study.model, study.split, str(study.roles.target)
    train = pd.Index(split.train)
    if study.guidance:
        labels = study.labels.loc[train]
    else:  # reading those of all rows takes long where the target is cut into classes
        labels = target_labels(study.table.frame[[target]].loc[train], study.roles)
    if set(labels) != set(model.classes_):
        raise damaged("its model", "was fitted to other classes than those of the training rows")
    if tuple(model.classes_.tolist()) != class_order(study.roles, labels):
        raise damaged("its model", "has its classes in another order than its roles say")
    _check_batches(study)


def _check_batches(study: StudyBase) -> None:
    """Refuse more batches than the settings ask for, and prototypes that are no training rows."""
    split, batches = study.split, study.model.set_manager_.batches
    most = study.settings.n_iter * study.settings.n_joined
    if len(batches) > most:
        raise damaged("its model", f"has {len(batches):,} batches; its settings ask for {most:,}")
    for batch in batches:
        if batch is not None and (len(batch) > len(split.train) or batch.sample_index.max() >= len(split.train)):
            raise damaged("its model", "has a prototype that is no training row")


def _check_guidance(study: StudyBase) -> None:
    """Refuse guidance that speaks of what is not there, or that was not obeyed."""
    try:
        # Without the split: studies of folds hold out rows that guidance speaks of, see proset.study.unseen.
        check_guidance(study.guidance, study.table, study.roles)
    except ProsetError as error:
        raise damaged("its guidance", f"cannot be obeyed ({error.message.rstrip('.')})") from error
    aside = study.guidance.rows_of(GuidanceKind.LEAVE_OUT)
    if np.isin(aside, np.concatenate([study.split.train, study.split.held_out])).any():
        raise damaged("its split", "has a row that its guidance leaves out")


def _check_search(search: ClassRecord, settings: FitSettings) -> None:
    """Refuse a search that chose other settings."""
    # The record makes its penalties anew from ranges, and another machine may round their last bits differently.
    same = np.allclose(search.chosen_penalties, (settings.lambda_v, settings.lambda_w), rtol=1e-9, atol=0.0)
    found = settings_found(search)
    others = {name: found.get(name, getattr(settings, name)) for name in ("n_joined", "scale")}
    same &= all(getattr(settings, name) == value for name, value in others.items())
    if not same or search.chosen_batches != settings.n_iter:
        raise damaged("its search", "chose other settings than those of the model")
