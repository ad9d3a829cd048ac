"""New rows of a model of a number: how near known cases are, where they stand, whether they have drifted."""

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, priced

from proset import explain


def new_houses(n: int = 60) -> pd.DataFrame:
    """Houses that the model has never seen, in the same streets."""
    return houses(n, seed=5).set_axis(pd.RangeIndex(1, n + 1, name="row"))


def plain_similarity(study, X: np.ndarray) -> np.ndarray:
    """Kernel (2.3) with every training row, batches weighted by the weights of their prototypes: (n, m)."""
    train = study.encode(study.split.train).X.astype(np.float64)
    total, weight = 0.0, 0.0
    for batch in study.model.set_manager_.get_batches():
        if batch is None:
            continue
        columns, own = batch["active_features"], float(np.sum(batch["weights"]))
        difference = X[:, None, columns] - train[None][:, :, columns]
        total = total + own * np.exp(-0.5 * (difference**2 * batch["feature_weights"] ** 2).sum(axis=2))
        weight += own
    return total / weight


def test_nearness_is_that_of_plain_loops():
    study, new = priced(), new_houses()
    found = explain.novelty(study, new)
    plain = plain_similarity(study, encoded(study, new))
    np.testing.assert_allclose(found.similarity, plain.max(axis=1), rtol=1e-4, atol=1e-7)
    nearest = plain[np.arange(len(new)), pd.Index(study.split.train).get_indexer(found.nearest)]
    np.testing.assert_allclose(nearest, plain.max(axis=1), rtol=1e-4, atol=1e-7)
    assert set(found.features_all) == set(study.roles.features)
    assert not found.known_rows.any()


def encoded(study, frame: pd.DataFrame) -> np.ndarray:
    return study.design.transform(study.prepared(frame), only=study.design.sources).X.astype(np.float64)


def test_training_rows_given_again_are_known_by_number_and_identifier():
    study = priced()
    rows = study.split.train[:4]
    again = study.table.frame.loc[rows].reset_index(drop=True)
    again.loc[1, "price"] += 1.0
    again.loc[2, "house"] = "another"
    again["price"] = again["price"].astype(object)
    found = explain.novelty(study, again)
    assert found.known_rows.tolist() == [True, False, False, True]
    assert (found.nearest != rows)[found.known_rows].all(), "a row is not its own neighbour"
    again.loc[3, "price"] = "dear"  # no number: nothing is learned from it, and nothing in that column is known
    assert not explain.novelty(study, again).known_rows.any()


def test_a_case_is_told_where_it_stands():
    study = priced()
    odd = new_houses(2).assign(size=[5_000.0, 100.0])
    found = explain.standing(study, odd)
    assert found.familiarity[0] < 1e-6 < found.familiarity[1]
    assert found.quantile[0] == found.novelty.quantile[0] == 0.0
    assert found.words(1).short == "no prototype speaks for it; no known case is near it"
    said = explain.standing(study, study.split.held_out)
    np.testing.assert_array_equal(said.familiarity, study.predictions.loc[study.split.held_out, "familiarity"])
    assert "class" not in " ".join(said.to_frame()["in words"])


@pytest.mark.parametrize(("factor", "said"), [(1.0, "No drift was found"), (3.0, "differ from the held-out rows")])
def test_drift_is_found_where_there_is_some(factor, said):
    new = new_houses(80)
    found = explain.drift(priced(), new.assign(size=new["size"] * factor))
    assert said in found.words
    assert (found.n_rows, found.copies, found.n_reference) == (80, 0, len(priced().split.held_out))
