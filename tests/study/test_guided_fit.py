"""Fits, searches and folds obey what people say; held-out rows are measured as before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import DesignError, OtherSearchError, StudyError
from proset.compare.contenders import UNGUIDED, contenders_of
from proset.compare.plan import ComparePlan
from proset.data.design import Design
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import Table, read_table
from proset.data.target import target_labels
from proset.selection import JointPlan
from proset.storage import from_bytes, result_from_bytes, result_to_bytes, to_bytes
from proset.study import FitSettings, Study, fit_choice, fit_study, learned_words, search_study
from proset.study.fit import CheckedTable, fit_problem, make_problem
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.judging import judge_model
from proset.study.repeats import with_repeats
from proset.study.search import _search_data
from proset.study.steering import steering_of
from proset.study.unseen import judge_unseen
from proset.study.verdict_words import verdict_sentences

K = GuidanceKind
TABLE, ROLES = load_sample("iris_2f"), sample_roles("iris_2f")
SETTINGS = FitSettings(lambda_v=1e-2, num_candidates=40)


def again(guidance: Guidance, settings: FitSettings = SETTINGS) -> Study:
    return fit_study(TABLE, ROLES, settings=settings, guidance=guidance)


@pytest.fixture(scope="module")
def plain() -> Study:
    return fit_study(TABLE, ROLES, settings=SETTINGS)


@pytest.fixture(scope="module")
def asked(plain: Study) -> Guidance:
    """Three training rows of the first class relabelled, and two left out."""
    setosa = [row for row in plain.split.train.tolist() if plain.labels.loc[row] == "setosa"]
    moved = tuple(GuidanceItem(K.RELABEL, row=row, label="virginica", by="Ada", why="swapped") for row in setosa[:3])
    return Guidance((*moved, *(GuidanceItem(K.LEAVE_OUT, row=row) for row in setosa[3:5])))


@pytest.fixture(scope="module")
def guided(asked: Guidance) -> Study:
    return again(asked)


def test_relabelled_rows_are_learned_with_their_new_class(plain: Study, guided: Study, asked: Guidance) -> None:
    moved, aside = asked.rows_of(K.RELABEL).tolist(), asked.rows_of(K.LEAVE_OUT).tolist()
    assert guided.labels.loc[moved].eq("virginica").all()
    assert guided.table_labels.loc[moved].eq("setosa").all()
    assert guided.predictions.loc[moved, "actual"].eq("virginica").all()
    assert guided.predictions.loc[aside, "part"].eq("unlabelled").all()
    assert guided.predictions.loc[aside, "actual"].isna().all()
    assert guided.predictions.loc[aside, "correct"].isna().all()
    counts = guided.labels.loc[guided.split.train].value_counts()
    assert counts.to_dict() == {"versicolor": 35, "virginica": 38, "setosa": 30}
    shares = (counts / counts.sum()).reindex(list(guided.classes)).to_numpy()
    assert np.allclose(guided.model.set_manager_.marginals, shares, atol=1e-6)
    assert not set(guided.prototypes["row"]) & set(aside)
    of_table = guided.prototypes.set_index("row")["class"].eq(
        guided.labels.reindex(guided.prototypes["row"]).to_numpy()
    )
    assert of_table.all()


def test_held_out_rows_are_those_of_the_table_whatever_is_said(plain: Study, guided: Study) -> None:
    held = guided.split.held_out
    assert held.tolist() == plain.split.held_out.tolist()
    assert guided.labels.loc[held].tolist() == guided.table_labels.loc[held].tolist()
    assert guided.metrics.confusion.sum(axis=1).tolist() == plain.metrics.confusion.sum(axis=1).tolist()
    with pytest.raises(StudyError, match=f"Row {held[0]} is held out"):
        again(Guidance((GuidanceItem(K.LEAVE_OUT, row=int(held[0])),)))


def test_rows_that_are_left_out_change_the_model_as_if_they_were_not_there(guided: Study, asked: Guidance) -> None:
    frame = guided.table.frame.copy()
    frame[ROLES.target] = frame[ROLES.target].astype(object)
    frame.loc[asked.rows_of(K.RELABEL), ROLES.target] = "virginica"
    own = Guidance(tuple(item for item in asked if item.kind is K.LEAVE_OUT))
    # The same split by hand, on a table that states what was said.
    problem = make_problem(replace(TABLE, frame=frame), ROLES, guided.split, own)
    by_hand = fit_problem(problem, SETTINGS, progress=None, started=0.0)
    assert np.array_equal(by_hand.probabilities.to_numpy(), guided.probabilities.to_numpy())


def test_rows_that_are_left_out_are_still_explained(guided: Study, asked: Guidance) -> None:
    row = int(asked.rows_of(K.LEAVE_OUT)[0])
    explained = explain.explain_case(guided, row)
    assert explained.part == "unlabelled"
    assert explained.actual is None


def test_nothing_said_changes_nothing_not_even_the_id(plain: Study, guided: Study, asked: Guidance) -> None:
    assert again(Guidance()).id == plain.id != guided.id
    other = Guidance(tuple(replace(item, by="Bob", at="2026-11-24T10:00:00") for item in asked))
    assert again(other).id == guided.id
    assert again(other).recipe == guided.recipe


def test_the_words_on_what_was_learned_say_so(plain: Study, guided: Study) -> None:
    assert learned_words(guided) == learned_words(plain).replace("105", "103") + (
        " As people have asked: 3 rows learned with another class, 2 rows left out."
    )


def test_a_guided_study_comes_back_from_a_file(guided: Study) -> None:
    for back in (from_bytes(to_bytes(guided)), result_from_bytes(result_to_bytes(guided), TABLE)):
        assert back.id == guided.id
        assert back.recipe == guided.recipe
        assert [vars(item) for item in back.guidance] == [vars(item) for item in guided.guidance]
        assert back.labels.equals(guided.labels)


def test_folds_of_the_training_rows_obey_it(guided: Study, asked: Guidance) -> None:
    unseen = judge_unseen(guided, n_folds=3)
    assert unseen.belongs_to(guided)
    assert not unseen.belongs_to(replace(guided, guidance=Guidance()))
    assert not np.isin(asked.rows_of(K.LEAVE_OUT), unseen.rows).any()
    judged = unseen.judged()
    assert judged.loc[asked.rows_of(K.RELABEL), "actual"].eq("virginica").all()
    back = result_from_bytes(result_to_bytes(unseen.studies[0]), TABLE)
    assert back.labels.equals(unseen.studies[0].labels)


@pytest.mark.slow
def test_repeated_cross_validation_and_refits_obey_it(guided: Study, asked: Guidance) -> None:
    found = with_repeats(guided).left_out
    assert found is not None
    assert not np.isin(asked.rows_of(K.LEAVE_OUT), found.rows).any()
    verdict = judge_model(with_repeats(guided))
    assert verdict.repeated is not None
    assert verdict.repeated.n_relabelled == 3
    assert "3 of these rows count as the classes people gave them" in verdict_sentences(verdict)[-1]
    repeats = explain.stability(guided, n_repeats=2)
    assert len(repeats.refits) >= 2


@pytest.mark.slow
def test_a_search_obeys_it_and_goes_on_with_its_own_record_only(plain: Study, asked: Guidance) -> None:
    plan = JointPlan(lambda_v=(1e-3, 1e-2), n_lambda_v=2, lambda_w=1e-4, n_folds=2, max_batches=1)
    study = search_study(TABLE, ROLES, settings=SETTINGS, plan=plan, guidance=asked, n_jobs=1)
    assert study.guidance == asked
    assert study.search is not None
    assert study.predictions["part"].eq("unlabelled").sum() == 2
    chosen = fit_choice(study, study.search.with_point(1, 0))
    assert chosen.guidance == asked
    assert chosen.split.train.tolist() == study.split.train.tolist()
    with pytest.raises(OtherSearchError):
        search_study(TABLE, ROLES, settings=SETTINGS, plan=plan, record=study.search, n_jobs=1)


# prototypes, candidates and columns


@pytest.fixture(scope="module")
def steered(plain: Study) -> Study:
    """No prototype of the plain model, three rows that have to be candidates, and one of two columns."""
    gone = tuple(GuidanceItem(K.NO_PROTOTYPE, row=row) for row in sorted(set(plain.prototypes["row"].tolist())))
    free = [row for row in plain.split.train.tolist() if row not in set(plain.prototypes["row"])]
    return again(Guidance((*gone, *(GuidanceItem(K.CANDIDATE, row=row) for row in free[:3]))))


def test_a_row_that_must_not_be_a_prototype_is_none_here_nor_in_folds(plain: Study, steered: Study) -> None:
    gone = set(steered.guidance.rows_of(K.NO_PROTOTYPE).tolist())
    assert gone == set(plain.prototypes["row"].tolist())
    for study in (steered, *judge_unseen(steered, n_folds=3).studies):
        assert len(study.prototypes)
        assert not gone & set(study.prototypes["row"].tolist())
    assert gone <= set(steered.split.train.tolist())  # they are learned from all the same


def test_rows_that_have_to_be_candidates_are_asked_for_in_every_fold(steered: Study) -> None:
    wanted = steered.guidance.rows_of(K.CANDIDATE)
    problem = CheckedTable.of(steered)
    data = _search_data(problem)
    train = np.arange(len(steered.split.train))[::2]
    assert data.steer is not None
    marked = steered.split.train[train][data.steer(train).required]
    assert marked.tolist() == np.intersect1d(wanted, steered.split.train[train]).tolist()
    found = steering_of(steered.guidance, steered.split.train, steered.design)
    assert steered.split.train[found.required].tolist() == wanted.tolist()
    assert found.penalty is None


def test_a_column_that_must_not_be_used_has_no_weight_here_nor_in_folds() -> None:
    table, roles = _patients()
    used = fit_study(table, roles, settings=SETTINGS).used_columns
    assert "ward" in used or "age" in used
    said = Guidance((GuidanceItem(K.NO_COLUMN, column="age"), GuidanceItem(K.NO_COLUMN, column="ward")))
    study = fit_study(table, roles, settings=replace(SETTINGS, n_iter=2), guidance=said)
    for one in (study, *judge_unseen(study, n_folds=3).studies):
        assert one.used_columns
        assert not {"age", "ward"} & set(one.used_columns)
    assert {"age", "ward"} <= set(study.design.sources)  # it can be looked at all the same


def test_a_column_that_must_be_used_has_a_weight_where_the_penalty_leaves_it_out() -> None:
    table, roles = _patients()
    heavy = FitSettings(lambda_v=0.2, alpha_v=0.05)
    assert fit_study(table, roles, settings=heavy).used_columns == ("age",)
    study = fit_study(table, roles, settings=heavy, guidance=Guidance((GuidanceItem(K.USE_COLUMN, column="weight"),)))
    assert "weight" in study.used_columns


def test_folds_of_a_search_see_the_factors_of_their_own_design() -> None:
    table, roles = _patients()
    said = Guidance((GuidanceItem(K.NO_COLUMN, column="ward"), GuidanceItem(K.USE_COLUMN, column="age")))
    data = _search_data(make_problem(table, roles, None, said))
    assert data.steer is not None
    frame = table.frame.loc[make_problem(table, roles).split.train, list(roles.features)]
    train = np.flatnonzero(frame["ward"].ne("east").to_numpy())  # a level less, so fewer matrix columns
    sources = [column.source for column in Design(roles).fit(frame.iloc[train]).columns]
    expected = [{"ward": np.inf, "age": 0.0}.get(name, 1.0) for name in sources]
    assert data.steer(train).penalty.tolist() == expected
    assert len(expected) < len(data.steer(np.arange(len(frame))).penalty)


def test_a_comparison_says_that_it_does_not_know_of_prototypes_and_columns(steered: Study, guided: Study) -> None:
    plan = ComparePlan(("proset", "knn"))
    assert [one.note for one in contenders_of(plan, steered)] == [UNGUIDED, ""]
    assert [one.note for one in contenders_of(plan, guided)] == ["", ""]  # other rows to learn from are so for all


def test_nothing_that_varies_may_be_used_is_said_in_words() -> None:
    table, roles = _patients()
    frame = table.frame.assign(weight=1.0)
    others = tuple(GuidanceItem(K.NO_COLUMN, column=name) for name in roles.features if name != "weight")
    with pytest.raises(DesignError, match="No column that may be used varies"):
        fit_study(replace(table, frame=frame), roles, settings=SETTINGS, guidance=Guidance(others))


@pytest.mark.slow
def test_a_search_with_other_columns_is_another_search() -> None:
    table, roles = _patients()
    plan = JointPlan(lambda_v=(1e-3, 1e-2), n_lambda_v=2, lambda_w=1e-4, n_folds=2, max_batches=1)
    said = Guidance((GuidanceItem(K.NO_COLUMN, column="ward"),))
    study = search_study(table, roles, settings=SETTINGS, plan=plan, guidance=said, n_jobs=1)
    assert "ward" not in study.used_columns
    with pytest.raises(OtherSearchError):
        search_study(table, roles, settings=SETTINGS, plan=plan, record=study.search, n_jobs=1)
    same = search_study(table, roles, settings=SETTINGS, plan=plan, record=study.search, guidance=said, n_jobs=1)
    assert same.id == study.id


@pytest.mark.exhaustive
def test_guidance_on_columns_holds_in_repeated_cross_validation() -> None:
    table, roles = _patients()
    said = Guidance((GuidanceItem(K.NO_COLUMN, column="age"), GuidanceItem(K.NO_COLUMN, column="weight")))
    plain, guided = (
        with_repeats(fit_study(table, roles, settings=SETTINGS, guidance=guidance)).left_out
        for guidance in (Guidance(), said)
    )
    assert plain is not None
    assert guided is not None
    actual = target_labels(table.frame, roles)
    losses = [
        -np.log(found.probabilities.mean(axis=0)[np.arange(len(found.rows)), _codes(actual, found.rows)]).mean()
        for found in (plain, guided)
    ]
    assert losses[0] < losses[1] - 0.2  # the classes follow these two columns


def _codes(actual: pd.Series, rows: np.ndarray) -> np.ndarray:
    """Positions of the classes, in their order."""
    return pd.Index(sorted(actual.dropna().unique())).get_indexer(pd.Index(actual.loc[rows]))


def _patients() -> tuple[Table, Roles]:
    """Patients whose outcome follows age and weight, with a ward that says nothing."""
    rng = np.random.default_rng(0)
    age, weight = rng.normal(50, 12, 160).round(1), rng.normal(70, 12, 160).round(1)
    ward = rng.choice(["north", "south", "east"], 160)
    sick = np.where((age - 50) / 12 + 0.6 * (weight - 70) / 12 + 0.3 * rng.normal(size=160) > 0, "yes", "no")
    frame = pd.DataFrame({"age": age, "weight": weight, "ward": ward, "pulse": rng.normal(70, 9, 160), "sick": sick})
    table = read_table(frame.to_csv(index=False).encode(), name="patients.csv")
    return table, guess_roles(table, target="sick").roles
