from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from proset.common.errors import DesignError, StudyError
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.data.table import ImageGrid
from proset.engine.set_manager import SetManager
from proset.explain.cases.case import explain_case
from proset.study import DecisionRule, fit_study


@pytest.fixture(scope="module")
def case(mixed_study):
    return explain_case(mixed_study, int(mixed_study.split.held_out[0]))


def test_case_repeats_what_the_study_says(mixed_study):
    for row in mixed_study.split.held_out[:5]:
        case = explain_case(mixed_study, int(row))
        facts = mixed_study.predictions.loc[row]
        assert (case.row, case.part) == (row, "held_out")
        assert (case.actual, case.predicted) == (facts["actual"], facts["predicted"])
        assert case.quantile == facts["quantile"]
        assert case.familiarity == pytest.approx(facts["familiarity"])
        assert_allclose(case.probabilities, mixed_study.probabilities.loc[row], atol=1e-7)
        assert case.report["sample name"].iloc[0].endswith(f"'{case.predicted}', familiarity {percent(case.quantile)}")
        assert case.name == mixed_study.table.frame.loc[row, "tag"]


def test_contributions_add_up_to_the_estimate(case):
    shares = case.report[["p class big", "p class small"]]
    assert_allclose(shares.iloc[1:].sum(), shares.iloc[0], atol=1e-12)
    assert_allclose(shares.iloc[0], case.probabilities, atol=1e-12)
    assert case.total_check < 1e-12


def test_report_has_the_columns_and_order_of_figure_4_5(case, mixed_study):
    assert list(case.report.columns[:10]) == [
        "batch", "sample", "sample name", "target", "prototype weight", "similarity", "impact", "dominant set",
        "p class big", "p class small",
    ]  # fmt: skip
    for name in mixed_study.feature_weights.index:
        assert {f"{name} weight", f"{name} value", f"{name} original", f"{name} similarity"} <= set(case.report.columns)
    assert len(case.report) == 1 + 2 + len(mixed_study.prototypes)
    assert list(case.marginals["target"]) == ["big", "small"]
    assert case.prototypes["impact"].is_monotonic_decreasing


def test_sample_is_the_row_of_the_table(case, mixed_study):
    assert case.report["sample"].iloc[0] == case.row
    assert case.marginals["sample"].isna().all()
    found = case.prototypes[["batch", "sample", "target"]].astype({"batch": int, "sample": int, "target": str})
    known = mixed_study.prototypes[["batch", "row", "class"]].astype({"class": str})
    assert sorted(map(tuple, found.to_numpy())) == sorted(map(tuple, known.to_numpy()))
    frame = mixed_study.table.frame
    for _, prototype in case.prototypes.head(8).iterrows():
        assert prototype["sample name"] == frame.loc[prototype["sample"], "tag"]
        assert prototype["target"] == frame.loc[prototype["sample"], "kind"]


def test_neighbours_are_the_most_influential_prototypes_in_the_tables_own_values(case, mixed_study):
    rows = [case.row, *case.prototypes["sample"].head(5).astype(int)]
    assert list(case.neighbour_facts["row"]) == rows
    expected = mixed_study.table.frame.loc[rows, case.neighbours.columns].set_axis(case.neighbours.index)
    pd.testing.assert_frame_equal(case.neighbours, expected)
    assert set(case.neighbours.columns) <= {"size (cm)", "island"}
    assert list(case.neighbour_extras.columns) == ["tag", "weather"]
    assert case.neighbours.index.is_unique
    assert case.neighbours.index[0] == f"{case.name} (this case)"
    for frame in (case.neighbour_similarity, case.neighbour_facts, case.neighbour_extras):
        assert frame.index.equals(case.neighbours.index)


def test_features_that_the_model_does_not_use_are_among_the_extras():
    study = fit_study(load_sample("penguins"), sample_roles("penguins"))
    case = explain_case(study, 3)
    used, unused = set(case.neighbours.columns), list(case.neighbour_extras.columns)
    assert set(study.roles.features) - used, "some feature should be unused"
    assert unused[0] == study.roles.identifier
    assert used | set(unused) | {study.roles.target} == set(study.table.frame.columns)
    assert not used & set(unused)


def test_a_prototype_is_told_that_it_votes_for_itself(mixed_study):
    rows = set(mixed_study.prototypes["row"])
    other = next(row for row in mixed_study.split.train if row not in rows)
    said = "This case is itself one of the prototypes, so it votes for its own class."
    assert said in explain_case(mixed_study, min(rows)).words
    assert said not in explain_case(mixed_study, int(other)).words


def test_similarities_of_the_columns_multiply_to_the_similarity_of_the_prototype(mixed_study):
    for row in mixed_study.split.held_out[:5]:
        case = explain_case(mixed_study, int(row))
        product = case.neighbour_similarity.iloc[1:].prod(axis=1)
        assert_allclose(product, case.neighbour_facts["similarity"].iloc[1:].astype(float), atol=1e-6)
        assert (case.neighbour_similarity.iloc[0] == 1.0).all()


def test_similarity_per_column_by_hand(mixed_study):
    row = int(mixed_study.split.held_out[1])
    case = explain_case(mixed_study, row, n_prototypes=3)
    names = [column.name for column in mixed_study.design.columns]
    sources = [column.source for column in mixed_study.design.columns]
    for label, facts in case.neighbour_facts.iloc[1:].iterrows():
        x, s = mixed_study.encode([row, facts["row"]]).X.astype(float)
        weights = mixed_study.feature_weights[facts["batch"]]
        for column in case.neighbours.columns:
            used = [j for j in range(len(names)) if sources[j] == column and weights.get(names[j], 0.0) > 0]
            expected = np.exp(-0.5 * sum((weights[names[j]] * (x[j] - s[j])) ** 2 for j in used)) if used else np.nan
            assert case.neighbour_similarity.loc[label, column] == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_a_row_without_a_class_is_explained_without_one(mixed_study):
    case = explain_case(mixed_study, 8)
    assert case.part == "unlabelled"
    assert case.actual is None
    assert pd.isna(case.report["target"].iloc[0])
    assert "no label" in case.words[0]


def test_what_had_to_be_assumed_is_said(mixed_study):
    assert "size (cm) missing" in explain_case(mixed_study, 4).words[-1]
    assert len(explain_case(mixed_study, 5).words) == 4


def test_words_count_the_dominant_set(mixed_study):
    for row in mixed_study.split.held_out[:10]:
        case = explain_case(mixed_study, int(row))
        size = int(case.prototypes["dominant set"].sum())
        if size > 1 and case.marginals["p class big"].sum() + case.marginals["p class small"].sum() <= 0.5:
            assert f"{size} " in case.words[1]
        assert case.words[2:4] == case.standing.sentences


def test_impacts_are_those_of_one_batch(case):
    for batch in (1, 2):
        impacts = case.impacts(batch)
        rows = case.prototypes[case.prototypes["batch"] == batch]
        assert len(impacts) == len(rows)
        assert impacts.sum() == pytest.approx(rows["impact"].sum())
    assert case.impacts(1).sum() + case.impacts(2).sum() == pytest.approx(case.familiarity)


def test_a_new_row_gives_the_same_explanation(mixed_study):
    row = int(mixed_study.split.held_out[0])
    known = explain_case(mixed_study, row)
    new = explain_case(mixed_study, mixed_study.table.frame.loc[[row]])
    assert (new.row, new.part, new.actual) == (None, "new", known.actual)
    pd.testing.assert_series_equal(new.probabilities, known.probabilities)
    pd.testing.assert_frame_equal(new.report.iloc[1:], known.report.iloc[1:])
    pd.testing.assert_frame_equal(new.neighbours, known.neighbours)
    assert pd.isna(new.neighbour_facts["row"].iloc[0])


def test_a_new_row_needs_only_the_features(mixed_study):
    new = explain_case(mixed_study, pd.DataFrame({"size (cm)": [48.5], "island": ["Atlantis"]}, index=[77]))
    assert new.name == "row 77"
    assert new.actual is None
    assert new.neighbours.iloc[0]["size (cm)"] == 48.5
    assert new.neighbour_extras.iloc[0].isna().all()
    assert "island 'Atlantis' was not seen in training" in new.words[-1]


def test_a_new_row_of_an_unknown_class_has_none(mixed_study):
    frame = pd.DataFrame({"size (cm)": [48.5], "island": ["Dream"], "kind": ["huge"]})
    assert explain_case(mixed_study, frame).actual is None
    assert explain_case(mixed_study, frame.assign(kind="big")).actual == "big"


def test_no_prototypes(empty_study):
    case = explain_case(empty_study, 1)
    assert case.prototypes.empty
    assert len(case.neighbours) == 1
    assert case.total_check < 1e-12
    assert case.impacts().empty
    assert case.words[1].startswith("The model has no prototypes")


def test_pictures(iris_study):
    columns = iris_study.roles.features
    study = replace(iris_study, table=replace(iris_study.table, grid=ImageGrid(1, 2, tuple(columns))))
    case = explain_case(study, 17, n_prototypes=2)
    assert [tile.label for tile in case.images] == list(case.neighbours.index)
    assert [tile.row for tile in case.images] == [17, *case.prototypes["sample"].head(2)]
    for tile in case.images:
        assert tile.pixels.tolist() == [study.table.frame.loc[tile.row, list(columns)].tolist()]
        assert tile.target == study.labels[tile.row]
    assert explain_case(iris_study, 17).images == ()


def test_what_cannot_be_explained_is_refused(mixed_study):
    with pytest.raises(StudyError, match="no row 9999"):
        explain_case(mixed_study, 9999)
    with pytest.raises(StudyError, match="One row can be explained at a time, but 2 were given"):
        explain_case(mixed_study, mixed_study.table.frame.head(2))
    with pytest.raises(DesignError, match="island"):
        explain_case(mixed_study, pd.DataFrame({"size (cm)": [1.0]}))


def test_a_decision_rule_decides_in_the_sentences_too(iris_study):
    row = int(iris_study.split.held_out[0])
    usual = explain_case(iris_study, row)
    other = (iris_study.classes.index(usual.predicted) + 1) % 3
    # Saying anything but one class costs so much that this class is always said.
    costs = tuple(tuple(0.0 if i == j else 1.0 if j == other else 1e9 for j in range(3)) for i in range(3))
    ruled = explain_case(iris_study, row, rule=DecisionRule(costs=costs))
    assert ruled.predicted == iris_study.classes[other] != usual.predicted
    assert f"The decision rule says '{ruled.predicted}'" in ruled.words[0]
    assert usual.words[1] == ruled.words[1]  # which class comes first does not depend on the rule
    left = explain_case(iris_study, row, rule=DecisionRule(leave_below=1.0))
    assert left.left or left.quantile == 1.0
    assert ("leaves this held-out row to a person" in left.words[0]) == left.left


def test_class_shares_decide_only_what_no_prototype_could_turn(study):
    row, seen = study.table.frame.loc[[int(study.split.held_out[0])]], set()
    for further in np.linspace(0.0, 400.0, 81):
        case = explain_case(study, row.assign(weight=row["weight"] + further))
        shares = case.marginals[[f"p class {name}" for name in study.classes]].sum().to_numpy()
        first = int(np.argmax(case.probabilities.to_numpy()))
        turned = np.delete(shares, first).max() + case.prototypes["impact"].sum() * shares.sum()
        assert case.shares_decide == (shares[first] > turned)
        assert case.words[1].startswith("The class shares decide") == case.shares_decide
        seen.add((case.shares_decide, bool(shares.sum() > 0.5)))
    assert {(False, False), (False, True), (True, True)} <= seen  # most of the votes are not the decision


def test_cells_that_the_model_took_for_something_else_are_marked(mixed_study):
    row = 4  # its size is missing
    report = explain_case(mixed_study, row)
    assert report.neighbour_assumed.index.equals(report.neighbours.index)
    assert report.neighbour_assumed.columns.equals(report.neighbours.columns)
    if "size (cm)" in report.neighbours:
        assert report.neighbour_assumed["size (cm)"].iloc[0].endswith(" assumed")
        assert report.neighbours["size (cm)"].isna().iloc[0]
    known = report.neighbours.notna().to_numpy()
    assert (report.neighbour_assumed.to_numpy()[known] == "").all()
    strange = mixed_study.table.frame.loc[[1]].assign(island="Atlantis")
    new = explain_case(mixed_study, mixed_study.case(strange, name="a stranger"))
    assert new.name == "a stranger"
    if "island" in new.neighbours:
        assert new.neighbour_assumed["island"].iloc[0] in ("never seen", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cancer", "penguins"])
def test_what_is_left_if_all_others_spoke_for_another_class(name):
    """The model with those prototypes given to the class that comes second says what the sentence promises."""
    study = fit_study(load_sample(name), sample_roles(name))
    told = 0
    for row in study.split.held_out[:12]:
        case = explain_case(study, int(row))
        said = next((text for text in case.words if "and still with" in text), None)
        if said is None:
            continue
        first, other = np.argsort(-case.probabilities.to_numpy())[:2]
        members = set(case.prototypes[case.prototypes["dominant set"] == 1]["sample"].astype(int))
        batches = [
            batch
            and replace(
                batch, target=np.where(np.isin(study.split.train[batch.sample_index], [*members]), batch.target, other)
            )
            for batch in study.model.set_manager_.batches
        ]
        turned = SetManager(study.model.set_manager_.marginals, len(study.design.columns), tuple(batches))
        left = turned.probabilities(study.encode([row]).X)[0]
        assert left.argmax() == first
        assert f"still with {percent(float(left[first]))} if" in said
        told += 1
    assert told > 5
