"""Training rows that a case is compared with: those of a study, or those that came with the case of a model."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.data.target import target_labels
from proset.engine.evidence.nearness import Nearness
from proset.explain.familiar.novel import encode_new, nearness_of
from proset.explain.subject import Subject
from proset.study.case import Case, KnownRows

NEW = "new"
"""Part of a case that is not in the table."""


def known_rows(subject: Subject, case: Case, *, with_classes: bool = False) -> KnownRows:
    """Return the training rows that a case is compared with.

    Raises
    ------
    ValueError
        If the case of a model came without them, or without their classes where these are asked for.

    Examples
    --------
    >>> from proset import ClassifierModel, explain
    >>> from proset.explain.subject import subject_of
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> model = ClassifierModel().fit(X, list("aaabbb"))
    >>> known_rows(subject_of(model), explain.as_case(model, [0.5], known=X)).rows.tolist()
    [0, 1, 2, 3, 4, 5]
    """
    if subject.study is not None:
        return subject.study.learned
    if case.known is None:
        raise ValueError("A model alone knows no cases: pass the training matrix as 'known'.")
    if with_classes and case.known.y is None:
        raise ValueError("A model alone knows no classes of its training rows: pass them as 'y'.")
    return case.known


def nearness_to(subject: Subject, case: Case) -> Nearness:
    """Return the metrics in which a case is compared with the training rows."""
    if subject.study is not None:
        return subject.study.nearness
    return nearness_of(case.source, known_rows(subject, case).X)


def place_among(case: Case, learned: KnownRows) -> int:
    """Return where a case stands among the training rows; -1 if it is none of them."""
    return -1 if case.row is None else int(pd.Index(learned.rows).get_indexer(pd.Index([case.row]))[0])


def seen(subject: Subject, case: Case) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return a case as a row of the matrix with every feature that it holds, used or not, and which these are."""
    study = subject.study
    if study is None:
        return case.x, subject.features
    if case.row is not None:
        return case.x, study.design.sources
    X, features, _ = encode_new(study, case.frame)
    return X[0].astype(np.float64), features


def stated_otherwise(subject: Subject, case: Case) -> str | None:
    """Return the class that the table states of a row which counts as another one, or as none; None for all others."""
    study = subject.study
    if study is None or case.row is None:
        return None
    learned, stated = study.labels.loc[case.row], study.table_labels.loc[case.row]
    return None if pd.isna(stated) or stated == learned else str(stated)


def known_facts(subject: Subject, case: Case) -> tuple[str, str | None]:
    """Return where a case comes from, and its class if it has one that the model knows."""
    study = subject.study
    if study is not None and case.row is not None:
        known = study.predictions.loc[[case.row]].to_dict("records")[0]
        return str(known["part"]), None if pd.isna(known["actual"]) else str(known["actual"])
    if study is None or study.roles.target is None or study.roles.target not in case.frame.columns:
        return NEW, None
    label = target_labels(case.frame, study.roles).iloc[0]
    return NEW, str(label) if pd.notna(label) and str(label) in study.classes else None
