"""Files scored with a model of a number: one, many, on a cluster."""

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.bulk import FileOptions, score_partitions
from proset.bulk import one_file as bulk
from proset.bulk.one_file import score_file
from proset.common.errors import ProsetError
from proset.data.role_guess import guess_roles

ANSWERS = ["median", "mean", "lower", "upper", "familiarity", "familiarity_quantile"]


@pytest.fixture(scope="module")
def prices():
    random = np.random.default_rng(0)
    size = random.uniform(20, 90, 90).round(1)
    frame = pd.DataFrame({"id": [f"h{i}" for i in range(90)], "size": size})
    frame["price"] = (3 * size + random.normal(0, 4, 90)).round(2)
    table = proset.read_table(frame.to_csv(index=False).encode(), name="prices.csv")
    return proset.fit_number_study(table, guess_roles(table, target="price").roles)


@pytest.fixture
def rows(prices):
    return prices.table.frame[["id", "size"]]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_file_in_pieces_gets_the_answers_of_the_study(prices, rows, tmp_path, monkeypatch, ending):
    monkeypatch.setattr(bulk, "MOST_ROWS", 17)
    monkeypatch.setattr(bulk, "FEWEST_ROWS", 7)
    rows.to_csv(tmp_path / "new.csv", index=False)
    pieces, output = [], tmp_path / f"scored{ending}"
    assert score_file(prices, tmp_path / "new.csv", str(output), on_rows=pieces.append) == len(rows)
    assert len(pieces) > 1
    scored = pd.read_parquet(output) if ending == ".parquet" else pd.read_csv(output)
    assert list(scored.columns) == ["row", "id", *ANSWERS, "note"]
    expected = prices.score(rows).rename(columns={"quantile": "familiarity_quantile"})
    np.testing.assert_allclose(scored[ANSWERS], expected[ANSWERS], rtol=1e-6)
    assert scored["row"].tolist() == list(range(1, len(rows) + 1))
    assert (scored["lower"] <= scored["median"]).all()
    assert (scored["median"] <= scored["upper"]).all()


def test_what_was_filled_in_is_noted(prices, tmp_path):
    (tmp_path / "new.csv").write_text("id,size\na,\nb,40\n")
    score_file(prices, tmp_path / "new.csv", str(tmp_path / "scored.csv"))
    scored = pd.read_csv(tmp_path / "scored.csv")
    assert "size" in scored["note"][0]
    assert pd.isna(scored["note"][1])


def test_a_file_without_a_column_that_the_model_uses_is_refused(prices, tmp_path):
    (tmp_path / "new.csv").write_text("id,extent\na,3\n")
    with pytest.raises(ProsetError, match="size"):
        score_file(prices, tmp_path / "new.csv", str(tmp_path / "scored.csv"))
    assert not (tmp_path / "scored.csv").exists()


def test_nearness_to_known_cases_is_added_to_files_and_folders(prices, rows, tmp_path):
    rows.iloc[:30].to_csv(tmp_path / "new.csv", index=False)
    score_file(prices, tmp_path / "new.csv", str(tmp_path / "x.csv"), FileOptions(novelty=True))
    scored = pd.read_csv(tmp_path / "x.csv")
    expected = explain.novelty(prices, rows.iloc[:30])
    near = ["similarity", "novelty_quantile", "nearest_row"]
    assert list(scored.columns) == ["row", "id", *ANSWERS, *near, *(f"{name}_all" for name in near), "note"]
    np.testing.assert_allclose(scored["similarity"], expected.similarity, rtol=1e-6)
    assert scored["nearest_row"].tolist() == expected.nearest.tolist()
    score_partitions(prices, str(tmp_path / "new.csv"), tmp_path / "out", FileOptions(novelty=True), ending=".csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out" / "new.csv"), scored)


def test_a_folder_of_files_goes_on_where_it_was_stopped(prices, rows, tmp_path):
    for part in range(3):
        rows.iloc[30 * part : 30 * part + 30].to_csv(tmp_path / f"{part}.csv", index=False)
    first = score_partitions(prices, str(tmp_path / "*.csv"), tmp_path / "out", ending=".csv")
    assert [(result.rows, result.kept, result.error) for result in first] == [(30, False, None)] * 3
    (tmp_path / "out" / "1.csv").unlink()
    again = score_partitions(prices, str(tmp_path / "*.csv"), tmp_path / "out", ending=".csv")
    assert [result.kept for result in again] == [True, False, True]
    median = pd.concat(pd.read_csv(tmp_path / "out" / f"{part}.csv")["median"] for part in range(3))
    np.testing.assert_allclose(median, prices.score(rows)["median"], rtol=1e-6)


def test_a_folder_of_scores_of_another_model_is_refused(prices, study, rows, tmp_path):
    rows.to_csv(tmp_path / "0.csv", index=False)
    score_partitions(prices, str(tmp_path / "*.csv"), tmp_path / "out")
    with pytest.raises(ProsetError, match="scores of another model"):
        score_partitions(study, str(tmp_path / "*.csv"), tmp_path / "out")
