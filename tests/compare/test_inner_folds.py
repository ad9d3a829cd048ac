"""Systems that choose their settings within a fold respect the groups and times of the study there, too."""

import numpy as np
import pytest
from compare_fakes import Centres, contender, visits_study

from proset.compare import ComparePlan, compare
from proset.compare.contenders import contenders_of
from proset.compare.ground import ground_of
from proset.selection import ground, inner_folds


class Choosing(Centres):
    """Notes what its fits are told."""

    told: list

    def fit(self, X, y, sample_weight=None, *, groups=None, times=None):
        self.told.append((np.asarray(X), groups, times))
        return super().fit(X, y, sample_weight)


class Demanding(Choosing):
    """Needs more groups than there ever are."""

    def fit(self, X, y, sample_weight=None, *, groups=None, times=None):
        super().fit(X, y, sample_weight, groups=groups, times=times)
        if groups is not None or times is not None:
            raise inner_folds.NoFoldsError("Too few.")
        return self


def compared(kind, study, **plan):
    made = type(kind.__name__, (kind,), {"told": []})
    found = compare(study, ComparePlan(("pvm",), n_folds=3, sizes=False, **plan), contenders=[contender("pvm", made)])
    return found.system("pvm"), made.told


def same_parts(groups, names):
    """Tell whether both divide the rows in the same way."""
    pairs = set(zip(groups, names, strict=True))
    return len(pairs) == len(set(groups)) == len(set(names))


def test_every_fit_is_told_the_groups_of_its_own_rows():
    study = visits_study(groups="patient")
    result, told = compared(Choosing, study)
    assert result.failed == ""
    assert len(told) == 5  # three folds, all rows, and the shifted ones
    patients = study.table.frame["patient"]
    common = ground_of(study, ComparePlan(n_folds=3))
    rows = [*(common.rows[fold.train] for fold in common.folds), common.rows]
    for (X, groups, times), own in zip(told, rows, strict=False):
        assert len(X) == len(own)
        assert same_parts(groups, patients.loc[own])
        assert times is None
    X, groups, _ = told[4]
    assert len(groups) == len(X) < len(common.rows)


def test_every_fit_is_told_the_times_of_its_own_rows():
    study = visits_study(time="day")
    _, told = compared(Choosing, study, drift=False)
    days = study.table.frame["day"].loc[study.split.train].to_numpy(dtype=float)
    assert [times.max() for _, _, times in told[:3]] == sorted(times.max() for _, _, times in told[:3])
    assert np.array_equal(np.argsort(told[3][2], kind="stable"), np.argsort(days, kind="stable"))
    assert all(groups is None for _, groups, _ in told)


def test_without_groups_and_times_nothing_is_said(study):
    _, told = compared(Choosing, study)
    assert all(groups is None and times is None for _, groups, times in told)


@pytest.mark.parametrize(("split", "word"), [({"groups": "patient"}, "groups"), ({"time": "day"}, "times")])
def test_where_groups_do_not_suffice_the_note_says_so(split, word):
    result, told = compared(Demanding, visits_study(**split), drift=False)
    assert result.failed == ""
    assert np.isfinite(result.fold_scores).all()
    assert [note for note in result.notes if f"The {word} leave too few folds within at least one of its fits" in note]
    assert len(result.notes) == 1
    assert len(told) == 8  # each fit twice


@pytest.mark.slow
@pytest.mark.parametrize(
    ("split", "tuned"), [({"groups": "patient"}, False), ({"groups": "patient"}, True), ({"time": "day"}, True)]
)
def test_no_system_of_the_list_looks_at_other_rows_of_a_group_or_at_later_ones(split, tuned, monkeypatch):
    cut = []

    def spy(make_folds):
        def spied(target, plan, groups=None, times=None, **rest):
            folds = make_folds(target, plan, groups, times, **rest)
            cut.extend((fold, groups, times) for fold in folds)
            return folds

        return spied

    for module in (inner_folds, ground):
        monkeypatch.setattr(module, "make_folds", spy(module.make_folds))
    plan = ComparePlan(
        ("pvm", "gbmap") if not tuned else ("pvm", "knn"), tuned=tuned, n_folds=2, sizes=False, drift=False
    )
    study = visits_study(**split)
    found = compare(study, plan)
    assert not any(entry.failed or entry.notes for entry in found.systems)
    assert len(cut) >= 3 * 2 * 2  # three fits of two systems, by two folds at least
    for fold, groups, times in cut:
        if "groups" in split:
            assert not set(groups[fold.train]) & set(groups[fold.test])
        else:
            assert times[fold.train].max() < times[fold.test].min()


def test_untuned_proset_takes_groups_without_being_changed_by_them():
    study = visits_study(groups="patient")
    (own,) = contenders_of(ComparePlan(("proset",)), study)
    X, labels = study.encode(study.split.train).X, study.labels.loc[study.split.train].to_numpy(dtype=str)
    groups = np.arange(len(labels)) // 4
    plain, told = own.make().fit(X, labels), own.make().fit(X, labels, groups=groups)
    assert np.array_equal(plain.predict_proba(X), told.predict_proba(X))


def test_very_many_groups_are_dealt_out_quickly(monkeypatch):
    monkeypatch.setattr(inner_folds, "MOST_GROUPS", 7)
    _, told = compared(Choosing, visits_study(groups="patient"), drift=False)
    assert len(set(told[3][1])) == 7
    assert all(set(groups) <= set(told[3][1]) for _, groups, _ in told)
