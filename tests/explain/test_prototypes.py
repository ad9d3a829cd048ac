"""The table of all prototypes and the reverse view against one case at a time and a model with a prototype less."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

from proset import explain
from proset.common.errors import StudyError
from proset.engine.evidence.contributions import contributions
from proset.engine.metrics import log_loss
from proset.engine.set_manager import SetManager
from proset.study import DecisionRule

RULES = [DecisionRule(), DecisionRule(cutoff=0.7), DecisionRule(costs=((0, 1), (5, 0)), leave_below=0.2)]


def thinner(study, batch, row):
    """The same model without one prototype."""
    manager = study.model.set_manager_
    part = manager.batches[batch - 1]
    kept = study.split.train[part.sample_index] != row
    fields = ("prototypes", "target", "weights", "sample_index")
    batches = list(manager.batches)
    batches[batch - 1] = replace(part, **{name: getattr(part, name)[kept] for name in fields})
    return SetManager(manager.marginals, manager.num_features, tuple(batches))


@pytest.mark.parametrize("rule", RULES)
def test_the_table_counts_what_each_case_says(mixed_study, rule):
    table = explain.prototypes(mixed_study, rule=rule)
    frame = table.frame.set_index(["batch", "row"])
    assert len(frame) == len(mixed_study.prototypes)
    judged = mixed_study.judged(rule).loc[mixed_study.split.held_out]
    X = mixed_study.encode(mixed_study.split.held_out).X.astype(float)
    counts = dict.fromkeys(frame.index, 0)
    wrong, misled, impact = dict(counts), dict(counts), dict(counts)
    for x, (_, line) in zip(X, judged.iterrows(), strict=True):
        parts = contributions(mixed_study.model.set_manager_, x)
        rows = mixed_study.split.train[parts.sample_index]
        for b, row, member, target, size in zip(
            parts.batch, rows, parts.dominant, parts.target, parts.impact, strict=True
        ):
            key = (b, row)
            impact[key] += size
            counts[key] += member
            wrong[key] += member and line["wrong"]
            misled[key] += member and line["wrong"] and mixed_study.classes[target] == line["predicted"]
    assert frame["dominant"].to_dict() == counts
    assert frame["wrong"].to_dict() == wrong
    assert frame["misled"].to_dict() == misled
    assert frame["impact"].to_dict() == pytest.approx(impact)
    assert (table.n_cases, table.n_wrong) == (len(judged), judged["wrong"].sum())


@pytest.mark.parametrize("rule", main_cases(RULES, every=3))
def test_what_would_change_is_what_the_model_without_it_says(mixed_study, rule):
    table = explain.prototypes(mixed_study, rule=rule).frame
    held_out = mixed_study.split.held_out
    X = mixed_study.encode(held_out).X
    judged = mixed_study.judged(rule).loc[held_out]
    actual = [mixed_study.classes.index(name) for name in judged["actual"]]
    names = np.asarray(mixed_study.classes)
    for line in table.itertuples():
        probabilities = thinner(mixed_study, line.batch, line.row).probabilities(X)
        said = names[rule.choose(probabilities)]
        other = judged.index[(said != judged["predicted"]) & ~judged["left"]]
        loss = log_loss(probabilities[np.arange(len(X)), actual])
        view = explain.prototype_view(mixed_study, line.batch, line.row, rule=rule)
        assert view.changed.index.tolist() == other.tolist()
        assert line.changed == len(other)
        assert view.log_loss_without == pytest.approx(loss)
        assert view.log_loss_without - view.log_loss == pytest.approx(table.loc[line.Index, "log-loss change"])
        assert len(view.decides) == line.dominant
        assert (view.decides["correct"] == False).sum() == line.wrong  # noqa: E712


def test_what_is_like_a_prototype_is_so_in_the_metric_of_its_batch(mixed_study):
    batch, row = (int(value) for value in mixed_study.prototypes.loc[0, ["batch", "row"]])
    view = explain.prototype_view(mixed_study, batch, row, n_similar=5)
    part = mixed_study.model.set_manager_.batches[batch - 1]
    train = mixed_study.split.train
    position = int(np.flatnonzero(train[part.sample_index] == row)[0])
    similarity = part.similarity(mixed_study.encode(train).X)[:, position]
    expected = {r: s for r, s in zip(train.tolist(), similarity, strict=True) if r != row}
    assert view.known["similarity"].tolist() == pytest.approx(sorted(expected.values(), reverse=True)[:5], abs=1e-6)
    assert view.known["similarity"].to_dict() == pytest.approx({r: expected[r] for r in view.known.index}, abs=1e-6)
    assert row not in view.known.index
    assert row not in view.prototypes.index
    assert view.prototypes["similarity"].to_dict() == pytest.approx(
        {r: expected[r] for r in view.prototypes.index}, abs=1e-6
    )
    assert view.name == mixed_study.table.frame.loc[row, "tag"]


def test_its_own_class_is_estimated_without_all_prototypes_of_its_row(mixed_study):
    table = explain.prototypes(mixed_study).frame
    line = table.iloc[0]
    manager = mixed_study.model.set_manager_
    for number in table.loc[table["row"] == line["row"], "batch"]:
        mixed = thinner(mixed_study, int(number), line["row"])
        manager = SetManager(
            manager.marginals,
            manager.num_features,
            tuple(b if i + 1 != number else mixed.batches[i] for i, b in enumerate(manager.batches)),
        )
    estimate = manager.probabilities(mixed_study.encode([line["row"]]).X)[0]
    assert line["own class"] == pytest.approx(estimate[mixed_study.classes.index(line["class"])])
    assert line["others say"] == mixed_study.classes[int(estimate.argmax())]


def test_a_model_alone_gives_the_same_numbers(mixed_study):
    train, held_out = mixed_study.split.train, mixed_study.split.held_out
    X, y = mixed_study.encode(held_out).X, mixed_study.labels.loc[held_out].to_numpy()
    own = explain.prototypes(mixed_study).frame
    alone = explain.prototypes(mixed_study.model, X, y).frame
    assert train[alone["row"].to_numpy()].tolist() == own["row"].tolist()
    for name in ("dominant", "wrong", "changed", "impact", "log-loss change"):
        np.testing.assert_allclose(alone[name], own[name], rtol=1e-6, atol=1e-12)
    without_classes = explain.prototypes(mixed_study.model, X)
    assert without_classes.n_decided == 0
    assert without_classes.frame["wrong share"].isna().all()
    view = explain.prototype_view(mixed_study.model, 1, int(alone.loc[0, "row"]), X, y)
    assert len(view.decides) == own.loc[0, "dominant"]
    assert json.loads(json.dumps(view.to_dict(), allow_nan=False))["batch"] == 1


def test_a_model_without_prototypes_has_an_empty_table(empty_study):
    table = explain.prototypes(empty_study)
    assert table.frame.empty
    assert table.n_cases == len(empty_study.split.held_out)


def test_a_prototype_that_there_is_not_is_refused_in_words(mixed_study):
    with pytest.raises(StudyError, match="Batch 9 has no prototype from row 1"):
        explain.prototype_view(mixed_study, 9, 1)
    with pytest.raises(ValueError, match="knows the classes"):
        explain.prototypes(mixed_study, [1], ["big"])
    with pytest.raises(ValueError, match="does not know"):
        explain.prototypes(mixed_study.model, mixed_study.encode([1]).X, ["nothing"])


def test_many_cases_are_added_block_by_block(mixed_study, monkeypatch):
    whole = explain.prototypes(mixed_study).frame
    monkeypatch.setattr("proset.explain.structure.prototype_table._PAIRS", 50)
    pd.testing.assert_frame_equal(explain.prototypes(mixed_study).frame, whole, rtol=1e-5, atol=1e-8)
