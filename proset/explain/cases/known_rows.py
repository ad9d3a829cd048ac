"""Training rows that a case is compared with: those of a study, or those that came with the case of a model."""

from __future__ import annotations

import pandas as pd

from proset.engine.evidence.nearness import Nearness
from proset.explain.familiar.novel import nearness_of
from proset.explain.subject import Subject
from proset.study.case import Case, KnownRows


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
    study = subject.study
    if study is not None:
        train = study.split.train
        return KnownRows(study.encode(train).X, study.labels.loc[pd.Index(train)].to_numpy(dtype=str), train)
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
