"""What pages say about SHAP values: references to choose from, cells of the table, how exact, how many rows."""

import numpy as np
import pandas as pd
import pytest

from dashboard.services.case.selected import how_words
from dashboard.services.references import REFERENCE, reference, references
from proset import explain
from proset.common.errors import StudyError
from proset.data.samples import load_sample, sample_roles
from proset.explain.attribution.many_rows import global_importance
from proset.study import fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


def test_references_are_the_point_and_one_case_per_class(study):
    found = references(study)
    assert [option.text for option in found] == ["point", "class-0", "class-1", "class-2"]
    assert found[0].row == explain.choose_reference_point(study).index
    assert found[2].label.startswith("typical case of 'Chinstrap' (row ")
    assert study.labels[found[2].row] == "Chinstrap"
    assert all((option.x == study.encode([option.row]).X[0]).all() for option in found)
    assert found[2].words == f"a {found[2].label}"
    assert reference(study, "row-3").words == "row 3"


def test_an_address_names_a_reference_in_one_way_only(study):
    assert [REFERENCE.read(text) for text in ("point", "class-1", "row-12")] == ["point", "class-1", "row-12"]
    for text in ("", "row-", "row-01", "class--1", "row-1e3", "row-²", f"row-{'9' * 30}", "Row-1", "point "):
        assert REFERENCE.read(text) is None
    with pytest.raises(StudyError, match="no row 99999"):
        reference(study, "row-99999")
    with pytest.raises(StudyError, match="no class number 3"):
        reference(study, "class-3")


def test_a_case_of_the_table_and_the_same_case_as_new_data_agree(study):
    against = references(study)[0]
    row = int(study.split.held_out[0])
    cases = study.case(row), study.case(study.table.frame.loc[[row]])
    inside, outside = (explain.Evidence(case, reference=against) for case in cases)
    assert (inside.shap.values == outside.shap.values).all()
    assert inside.shap.reference == against.row
    assert inside.familiarity.gap < 1e-9


def test_values_stand_beside_the_cells_they_come_from(study):
    against = references(study)[1]
    row = int(study.split.held_out[0])
    frame = explain.Evidence(study.case(row), reference=against).cells
    assert frame.index.tolist() == list(study.used_columns)
    for column, place in (("here", row), ("reference", against.row)):
        cells = study.table.frame.loc[place, frame.index]
        pd.testing.assert_series_equal(frame[column], cells, check_names=False, check_dtype=False)
    # New data may lack a column that the model does not use.
    new = study.table.frame.loc[[row], list(study.used_columns)]
    pd.testing.assert_frame_equal(explain.Evidence(study.case(new), reference=against).cells, frame)


def test_words_say_how_exact_values_are(study):
    found = explain.shap_values(study, study.split.held_out[:2])
    assert how_words(found).startswith("Exact: the model was evaluated for all ")
    drawn = explain.shap_values(study, study.split.held_out[:2], exact_up_to=0, max_evaluations=100)
    assert how_words(drawn).startswith("Estimated from ")


def test_a_subsample_is_said(study):
    against = references(study)[0]
    few, every = global_importance(study, against, n_cases=20), global_importance(study, against, every=True)
    assert few.words.startswith(f"Mean over 20 of the {len(study.split.held_out)} held-out rows, drawn at random, ")
    assert every.words.startswith(f"Mean over all {len(study.split.held_out)} held-out rows, compared with the ")
    assert (few.rows, every.rows) == (20, len(study.split.held_out))
    expected = np.abs(explain.shap_values(study, study.split.held_out, against).values).mean(axis=0)
    assert every.frame.loc[study.roles.features[0]].to_numpy() == pytest.approx(expected[0])
