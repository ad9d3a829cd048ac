"""The metric table, equivalence by the report's threshold, cost."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from compare_fakes import Shares, contender

from proset.compare import ComparePlan, compare, cost_table, metric_table
from proset.compare.measures import NONE_ALIKE


def with_losses(comparison, losses):
    """Return a comparison in which the systems have these losses on the folds, and their mean on the held-out rows."""
    systems = []
    for entry, own in zip(comparison.systems, losses, strict=True):
        scores = entry.fold_scores.copy()
        scores[:, 0] = own
        held_out = entry.held_out_scores.copy()
        held_out[0] = np.mean(own)
        systems.append(replace(entry, fold_scores=scores, held_out_scores=held_out))
    return replace(comparison, systems=tuple(systems))


def test_equivalent_is_what_lies_within_one_standard_deviation_of_the_best(fakes):
    table = metric_table(with_losses(fakes, [[0.3, 0.4, 0.5], [0.5, 0.5, 0.5], [0.6, 0.6, 0.6]]))
    assert table.best == "proset"
    assert table.threshold == pytest.approx(0.5)
    assert table.frame["equivalent"].tolist() == [True, True, False]
    assert table.frame.loc["proset", "log_loss_sd"] == pytest.approx(0.1)
    assert table.words == (
        "PROSET has the lowest mean log-loss over 3 folds, 0.400; up to 0.500, its standard deviation more, others"
        " count as equivalent.",
        "Equivalent: PVM.",
    )


def test_a_system_that_failed_on_a_fold_has_no_mean(fakes):
    line = metric_table(fakes).frame.loc["smp"]
    assert np.isnan(line["log_loss_mean"])
    assert line.isna()["equivalent"]
    assert "Fold 2 of 3" in line["failed"]
    assert np.isfinite(line["log_loss_held_out"])


def test_without_any_mean_nobody_is_best(fakes):
    table = metric_table(with_losses(fakes, [[np.nan] * 3] * 3))
    assert (table.best, table.frame["equivalent"].isna().all()) == (None, True)
    assert table.words == ("No system was measured on every fold, so none can be called the best.",)


@pytest.mark.parametrize(
    ("losses", "last"),
    [
        ([[0.3, 0.4, 0.5]] * 3, "All systems that were measured on every fold are equivalent."),
        ([[0.3, 0.31, 0.3], [0.9] * 3, [0.8] * 3], NONE_ALIKE),
    ],
)
def test_words_about_all_and_none(fakes, losses, last):
    assert metric_table(with_losses(fakes, losses)).words[1] == last


def test_cost_has_a_line_for_every_system(compared):
    frame = cost_table(compared)
    assert frame.index.tolist() == ["proset", "knn", "xgboost"]
    assert (frame["fit_seconds"] > 0).all()
    assert (frame["size_bytes"] > 0).all()
    assert frame["n_prototypes"].isna().tolist() == [False, False, True]
    assert frame.loc["knn", "n_prototypes"] == len(compared.rows)


def test_the_class_shares_are_the_measure_of_all(study, compared, fakes):
    naive = metric_table(compared).naive
    assert naive["log_loss_held_out"] == pytest.approx(study.metrics.naive_log_loss)
    assert naive["balanced_accuracy_held_out"] == pytest.approx(study.metrics.naive_balanced_accuracy)
    assert naive["roc_auc_mean"] == 0.5
    # One of the made systems states just these shares.
    np.testing.assert_allclose(fakes.naive_fold_scores, fakes.system("pvm").fold_scores)
    np.testing.assert_allclose(fakes.naive_held_out_scores, fakes.system("pvm").held_out_scores)


def test_what_is_no_better_than_the_class_shares_is_named(fakes):
    words = metric_table(with_losses(fakes, [[0.3, 0.31, 0.3], [2.0] * 3, [0.8] * 3])).words
    assert words[-2].startswith("No better than stating the class shares, 1.0")
    assert words[-2].endswith(": PVM.")


def test_who_is_no_better_than_the_class_shares_on_the_held_out_rows_is_named_as_well(fakes):
    good = with_losses(fakes, [[0.3, 0.31, 0.3], [0.4] * 3, [0.8] * 3])
    table = metric_table(good)
    assert not [said for said in table.words if "no better" in said.lower()]
    table.frame.loc["pvm", "log_loss_held_out"] = 2.0
    assert table.words[-1].startswith(f"On the {table.n_measured:,} held-out rows no better than stating the class")
    assert table.words[-1].endswith(": PVM.")
    assert replace(table, which="training rows").words == table.words[:-1]  # each system has learned from these


class Slow(Shares):
    """Takes its time for every call, whatever the rows, on a clock of its own."""

    now = 0.0

    def predict_proba(self, X):
        Slow.now += 0.02
        return super().predict_proba(X)


def test_a_thousand_estimates_are_timed_not_a_few_times_the_cost_of_a_call(study, monkeypatch):
    monkeypatch.setattr("proset.compare.bench.time", SimpleNamespace(perf_counter=lambda: Slow.now))
    plan = ComparePlan(("pvm",), n_folds=2, sizes=False, drift=False)
    found = compare(study, plan, contenders=[contender("pvm", Slow)])
    assert len(found.measured) < 100
    assert found.systems[0].predict_seconds == pytest.approx(0.02)


def test_one_system_is_not_said_to_be_the_best(fakes):
    alone = replace(fakes, systems=fakes.systems[:1])
    (said, *_) = metric_table(with_losses(alone, [[0.3, 0.4, 0.5]])).words
    assert said == "PROSET has a mean log-loss of 0.400 ± 0.100 over 3 folds."
