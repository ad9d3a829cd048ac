"""A study from table to metrics: what is fitted on what, and how rows are named."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import DesignError, RoleError, StudyError
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.study import FitSettings, Study, fit_study
from proset.study.new_rows import row_notes


def test_design_and_model_see_training_rows_only(study: Study) -> None:
    frame = study.table.frame
    alone = Design(study.roles).fit(frame.loc[study.split.train])
    assert alone.to_state() == study.design.to_state()
    assert study.design.to_state() != Design(study.roles).fit(frame).to_state()


def test_parts_cover_the_table_and_rows_without_a_class_are_set_aside(study: Study) -> None:
    parts = study.predictions["part"]
    assert parts.index.equals(study.table.frame.index)
    assert set(parts[study.labels.isna()]) == {"unlabelled"}
    assert (parts == "unlabelled").sum() == 4
    assert (parts == "held_out").sum() == study.metrics.n_rows == len(study.split.held_out)
    assert study.predictions.loc[study.split.unlabelled, "correct"].isna().all()
    assert study.predictions["predicted"].notna().all()


def test_metrics_are_those_of_the_held_out_rows(study: Study) -> None:
    held = study.predictions[study.predictions["part"] == "held_out"]
    metrics = study.metrics
    assert metrics.accuracy == pytest.approx(held["correct"].mean())
    probabilities = study.probabilities.loc[held.index]
    of_actual = [probabilities.loc[row, actual] for row, actual in held["actual"].items()]
    assert metrics.log_loss == pytest.approx(-np.log(of_actual).mean())
    assert metrics.log_loss < metrics.naive_log_loss
    assert metrics.confusion.to_numpy().sum() == len(held)
    marginals = study.model.set_manager_.marginals
    naive = [marginals[study.classes.index(actual)] for actual in held["actual"]]
    assert metrics.naive_log_loss == pytest.approx(-np.log(naive).mean())


def test_predictions_are_those_of_the_model(study: Study) -> None:
    encoded = study.design.transform(study.table.frame)
    assert np.array_equal(study.probabilities.to_numpy(), study.model.predict_proba(encoded.X))
    assert study.predictions["predicted"].tolist() == study.model.predict(encoded.X).tolist()
    assert np.array_equal(study.predictions["confidence"], study.probabilities.max(axis=1))
    assert list(study.probabilities.columns) == list(study.classes) == ["fair", "ill", "well"]


def test_quantiles_refer_to_held_out_rows(study: Study) -> None:
    held = study.predictions.loc[study.split.held_out]
    assert np.allclose(np.sort(held["familiarity"]), study.reference, rtol=2e-9, atol=0)
    assert held["quantile"].max() == 1.0
    assert held["quantile"].min() == pytest.approx(1 / len(held))


def test_prototypes_are_training_rows_with_their_values_and_classes(study: Study) -> None:
    prototypes = study.prototypes
    assert len(prototypes) == study.model.set_manager_.get_num_prototypes()
    assert set(prototypes["row"]) <= set(study.split.train)
    assert (study.labels.loc[prototypes["row"]].to_numpy() == prototypes["class"].to_numpy()).all()
    for number, batch in enumerate(study.model.set_manager_.batches, start=1):
        mine = prototypes[prototypes["batch"] == number]
        if batch is None:
            assert mine.empty
            continue
        assert mine["weight"].is_monotonic_decreasing
        order = np.argsort(-batch.weights, kind="stable")
        matrix = study.encode(mine["row"]).X[:, batch.active_features]
        assert np.array_equal(matrix, batch.prototypes[order])


def test_feature_weights_are_named_and_descend(study: Study) -> None:
    weights = study.feature_weights
    assert list(weights.columns) == [1, 2]
    assert weights[1].is_monotonic_decreasing
    assert (weights.max(axis=1) > 0).all()
    assert set(weights.index) <= {column.name for column in study.design.columns}
    assert "age" in weights.index


def test_a_model_without_batches_states_the_marginals(patients: Table, patient_roles: Roles) -> None:
    empty = fit_study(patients, patient_roles, settings=FitSettings(n_iter=0))
    assert empty.metrics.log_loss == pytest.approx(empty.metrics.naive_log_loss)
    assert empty.prototypes.empty
    assert list(empty.prototypes.columns) == ["batch", "row", "class", "weight"]
    assert empty.feature_weights.empty
    assert set(empty.predictions["quantile"]) == {1.0}


def test_the_same_seed_gives_the_same_study(patients: Table, patient_roles: Roles, study: Study) -> None:
    again = fit_study(patients, patient_roles, settings=study.settings)
    assert again.predictions.equals(study.predictions)
    other = fit_study(patients, patient_roles, split=SplitSettings(seed=1), settings=study.settings)
    assert not np.array_equal(other.split.held_out, study.split.held_out)


def test_study_is_frozen(study: Study) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        study.settings = FitSettings()  # type: ignore[misc]


def test_provenance_says_with_what_it_was_made(study: Study) -> None:
    provenance = study.provenance
    assert provenance.fingerprint == study.table.fingerprint
    assert provenance.versions["numpy"] == np.__version__
    machine = dict(provenance.machine)
    assert all(machine.pop(name) for name in ("processor", "linear algebra"))
    assert all(int(threads) >= 1 for threads in machine.values())
    assert list(machine) == ["threads of linear algebra", "threads of compiled code"]
    assert provenance.fit_seconds > 0
    assert pd.Timestamp(provenance.created).tzinfo is not None


def test_progress_is_reported_and_can_stop_the_fit(patients: Table, patient_roles: Roles) -> None:
    shares = []
    fit_study(patients, patient_roles, progress=lambda step: shares.append(step.share))
    assert shares == sorted(shares)
    assert shares

    class Stopped(Exception):  # noqa: N818
        """Raised by the caller."""

    def stop(_: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        fit_study(patients, patient_roles, progress=stop)


def test_encode_names_the_missing_row(study: Study) -> None:
    with pytest.raises(StudyError, match=r"no row 9999.*1 to 180"):
        study.encode([1, 9999])
    assert study.encode([7, 3]).rows.tolist() == [7, 3]


def test_row_of_takes_row_numbers_and_identifiers(study: Study) -> None:
    assert study.row_of("P017") == study.row_of("17") == 17
    with pytest.raises(StudyError, match="'patient'"):
        study.row_of("P999")


class TestScore:
    """New data."""

    def test_equals_the_predictions_for_the_same_rows(self, study: Study) -> None:
        scores = study.score(study.table.frame)
        assert scores["class"].equals(study.predictions["predicted"].rename("class"))
        assert scores["quantile"].equals(study.predictions["quantile"])
        assert np.allclose(scores.filter(like="probability_").sum(axis=1), 1.0)
        assert list(scores.columns) == [
            "class", "probability_fair", "probability_ill", "probability_well", "familiarity", "quantile", "note",
        ]  # fmt: skip

    def test_in_pieces_equals_at_once(self, study: Study) -> None:
        frame = study.table.frame
        pieces = pd.concat([study.score(frame.iloc[start : start + 17]) for start in range(0, len(frame), 17)])
        # Matrix products of other sizes round differently in the last bits.
        pd.testing.assert_frame_equal(pieces, study.score(frame), rtol=1e-12)
        one_by_one = pd.concat([study.score(frame.loc[[row]]) for row in study.split.held_out])
        assert one_by_one["quantile"].equals(study.predictions.loc[study.split.held_out, "quantile"])

    def test_says_what_had_to_be_assumed(self, study: Study) -> None:
        frame = study.table.frame.iloc[[0, 1, 2]].copy()
        frame["age"] = [np.inf, 30.0, None]
        frame["weight"] = [70.0, 70.0, None]
        frame["ward"] = ["north", "west", None]
        frame["smoker"] = ["no", "no", "yes"]
        train = study.table.frame.loc[study.split.train]
        age = f"{train['age'].median():.0f}"  # with as many decimals as the column has
        weight = f"{train['weight'].median():.1f}"
        assert study.score(frame)["note"].tolist() == [
            f"age infinite: {age} used",
            "",  # the ward was never seen, but the model does not look at it
            f"age missing: {age} used; weight missing: {weight} used",
        ]
        notes = row_notes(study.design, study.design.transform(frame), frame)
        assert notes.iloc[1] == "ward 'west' was not seen in training"
        assert notes.iloc[2] == f"age missing: {age} used; weight missing: {weight} used; ward missing: north used"

    def test_says_first_that_nothing_is_known_of_a_row(self, study: Study) -> None:
        frame = study.table.frame.iloc[[0, 1]].copy()
        frame.loc[frame.index[0], list(study.used_columns)] = None
        nothing, something = study.score(frame)["note"]
        assert nothing.startswith("no value that the model looks at is known; age missing: ")
        assert "no value" not in something
        blank = frame.assign(**dict.fromkeys(study.design.sources, None))
        assert row_notes(study.design, study.design.transform(blank), blank).iloc[0].startswith("no value is known; ")

    def test_needs_no_target_and_ignores_other_columns(self, study: Study) -> None:
        frame = study.table.frame.drop(columns=["outcome", "patient", "remark"])
        assert study.score(frame.assign(other=1)).equals(study.score(study.table.frame))

    def test_names_missing_columns(self, study: Study) -> None:
        with pytest.raises(DesignError, match=r"'age'"):
            study.score(study.table.frame.drop(columns=["age"]))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"lambda_v": -1.0}, "lambda_v"),
        ({"n_iter": -1}, "n_iter"),
        ({"max_fraction": 1.0}, "max_fraction"),
        ({"num_candidates": 3}, "num_candidates"),
        ({"backend": "abacus"}, "backend"),
        ({"max_samples": 0}, "max_samples"),
    ],
)
def test_settings_out_of_range_are_named(
    patients: Table, patient_roles: Roles, changes: dict[str, object], name: str
) -> None:
    with pytest.raises(StudyError, match=name):
        fit_study(patients, patient_roles, settings=FitSettings(**changes))  # type: ignore[arg-type]


def test_roles_without_a_target_are_refused(patients: Table) -> None:
    with pytest.raises(RoleError, match="target"):
        fit_study(patients, Roles(dict.fromkeys(patients.frame.columns, Role.NUMERIC)))
