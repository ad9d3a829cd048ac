"""A model before and after a change, on the same held-out rows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from proset.common.errors import StudyError
from proset.data.issues import Role
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.study import FitSettings, fit_study
from proset.study.before_after import before_after
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.unseen import untouched_rows

FEW = FitSettings(num_candidates=40)


@pytest.fixture(scope="module")
def before():
    return fit_study(load_sample("wine"), sample_roles("wine"), settings=FEW)


@pytest.fixture(scope="module")
def after(before):
    rows = before.split.train[:6].tolist()
    guidance = Guidance(tuple(GuidanceItem(GuidanceKind.LEAVE_OUT, row=row) for row in rows))
    return fit_study(before.table, before.roles, settings=FEW, guidance=guidance)


def test_quality_is_that_of_the_held_out_rows_of_both(before, after):
    found = before_after(before, after).quality
    assert found.index.tolist() == ["untouched", "held out"]
    rows = {"untouched": untouched_rows(before), "held out": np.sort(before.split.held_out)}
    for name, own in rows.items():
        line = found.loc[name]
        assert line["rows"] == len(own)
        for study, column in ((before, "log_loss_before"), (after, "log_loss_after")):
            wanted = log_loss(study.table_labels.loc[own], study.probabilities.loc[own], labels=list(study.classes))
            assert line[column] == pytest.approx(wanted)
        assert line["difference"] == pytest.approx(line["log_loss_after"] - line["log_loss_before"])
        assert line["low"] <= line["difference"] <= line["high"]
    assert found.loc["held out", "right_after"] == pytest.approx(after.metrics.accuracy)


def test_what_was_gained_and_lost_is_named(before, after):
    found = before_after(before, after)
    assert not set(found.prototypes_gained) & set(before.prototypes["row"])
    assert set(found.prototypes_lost) <= set(before.prototypes["row"])
    assert not set(found.prototypes_lost) & set(after.prototypes["row"])
    assert set(found.columns_gained) == set(after.used_columns) - set(before.used_columns)
    changed = found.sides.index
    judged = [study.judged().loc[changed, "predicted"] for study in (before, after)]
    assert (judged[0] != judged[1]).all()
    backwards = before_after(after, before)
    assert backwards.prototypes_lost == found.prototypes_gained
    differences = [one.quality.loc["held out", "difference"] for one in (found, backwards)]
    assert differences[0] == pytest.approx(-differences[1])


def test_corrected_classes_are_a_line_of_their_own_and_change_no_other(before, after):
    row = int(before.split.held_out[0])
    other = next(name for name in before.classes if name != before.table_labels.loc[row])
    plain = before_after(before, after).quality
    found = before_after(before, after, corrected={row: other}).quality
    assert found.index.tolist() == ["untouched", "held out", "corrected"]
    assert found.loc[plain.index].equals(plain)
    assert found.loc["corrected", "log_loss_before"] != plain.loc["held out", "log_loss_before"]
    same = before_after(before, after, corrected={row: before.table_labels.loc[row]})
    assert same.quality.index.tolist() == ["untouched", "held out"]


def test_models_that_cannot_be_compared_are_refused(before):
    other = fit_study(before.table, before.roles, split=SplitSettings(seed=5), settings=FEW)
    with pytest.raises(StudyError, match="held-out rows"):
        before_after(before, other)


def test_a_split_in_groups_is_compared_in_whole_groups(before):
    frame = before.table.frame.assign(who=np.arange(len(before.table.frame)) // 4)
    table = replace(before.table, frame=frame)
    roles = replace(before.roles, by_column=dict(before.roles.by_column) | {"who": Role.EXTRA})
    grouped = fit_study(table, roles, split=SplitSettings(groups="who"), settings=FEW)
    guidance = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=int(grouped.split.train[0])),))
    now = fit_study(table, roles, split=SplitSettings(groups="who"), settings=FEW, guidance=guidance)
    found = before_after(grouped, now).quality
    assert np.isfinite(found.loc["held out", ["low", "high"]].to_numpy(dtype=float)).all()


def test_a_column_that_was_asked_for_and_in_which_nothing_is_found_is_no_gain():
    study = fit_study(load_sample("cancer"), sample_roles("cancer"), settings=FEW)
    idle = next(name for name in study.roles.features if name not in study.used_columns)
    guidance = Guidance((GuidanceItem(GuidanceKind.USE_COLUMN, column=idle),))
    after = fit_study(study.table, study.roles, settings=FEW, guidance=guidance)
    found = before_after(study, after)
    weights = after.feature_weights.max(axis=1)
    assert (idle in found.columns_idle) == (weights.get(idle, 0.0) <= 0.02 * weights.max())
    assert (idle in found.columns_gained) == (weights.get(idle, 0.0) > 0.02 * weights.max())
    assert (
        "texture error"
        in before_after(
            study,
            fit_study(
                study.table,
                study.roles,
                settings=FEW,
                guidance=Guidance((GuidanceItem(GuidanceKind.USE_COLUMN, column="texture error"),)),
            ),
        ).columns_idle
    )
