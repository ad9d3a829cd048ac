"""What bad input gets, through the API and on the command line: a message that names the trouble and the way out.

The files are in ``bad_tables.py``; what the pages say about them is tested in ``dashboard/test_bad_input_page.py``.
"""

from __future__ import annotations

import gzip
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bad_tables import MENDED, REFUSED, Mended, Refused, table

import proset
from proset.cli import main
from proset.common.errors import ProsetError
from proset.data.issues import Issue
from proset.data.reading.dialect import Limits
from proset.data.role_guess import guess_roles
from proset.study import Study


def fit(data: bytes) -> Study:
    """Fit to a file with the roles that are guessed."""
    read = proset.read_table(data, name="bad.csv")
    return proset.fit_study(read, guess_roles(read, target="y").roles)


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refused(case: Refused, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProsetError) as caught:
        fit(case.data)
    path = tmp_path / "bad.csv"
    path.write_bytes(case.data)
    output = tmp_path / "m.proset"
    code = main(["fit", str(path), "--target", "y", "-o", str(output)])
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("proset: ")]
    assert code == 1
    assert len(said) == 1
    assert not output.exists()
    for part in case.says:
        assert part in str(caught.value)
        assert part in said[0]


@pytest.mark.parametrize("case", MENDED.values(), ids=MENDED.keys())
def test_mended_and_said(case: Mended, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = proset.read_table(case.data, name="odd.csv")
    guess = guess_roles(read, target="y")
    issues: list[Issue] = [*read.issues, *guess.issues]
    assert any(all(part in issue.message for part in case.says) for issue in issues), [i.message for i in issues]
    study = proset.fit_study(read, guess.roles)
    assert (len(read.frame), tuple(read.frame.columns)) == (case.rows, case.columns)
    assert len(study.split.unlabelled) == case.unlabelled
    assert np.isfinite(study.probabilities.to_numpy()).all()
    path = tmp_path / "odd.csv"
    path.write_bytes(case.data)
    assert main(["fit", str(path), "--target", "y", "-o", str(tmp_path / "m.proset")]) == 0
    said = capsys.readouterr().err.splitlines()
    assert any(all(part in line for part in case.says) for line in said), said


def test_a_file_over_the_size_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "huge.csv"
    path.write_text(table())
    with path.open("r+b") as file:
        file.truncate(Limits().max_bytes + 1)  # a hole takes no space on the disk
    parts = ("huge.csv", "200.0 MB", "fewer rows or columns")
    with pytest.raises(ProsetError) as caught:
        proset.read_table(path)
    assert main(["fit", str(path), "-t", "y", "-o", str(tmp_path / "m.proset")]) == 1
    said = capsys.readouterr().err
    for part in parts:
        assert part in str(caught.value)
        assert part in said


@pytest.mark.parametrize(
    ("limits", "parts"),
    [
        (Limits(max_rows=39), ("39", "rows")),
        (Limits(max_columns=2), ("3 columns", "limit is 2")),
        (Limits(max_bytes=100), ("100 bytes",)),
    ],
)
def test_limits_are_named(limits: Limits, parts: tuple[str, ...]) -> None:
    with pytest.raises(ProsetError) as caught:
        proset.read_table(table().encode(), limits=limits)
    for part in parts:
        assert part in str(caught.value)


def test_a_small_gzip_that_grows_without_bound_is_stopped() -> None:
    with pytest.raises(ProsetError, match=r"larger than|limit"):
        proset.read_table(gzip.compress(table(200_000).encode()), limits=Limits(max_bytes=1_000_000))


@pytest.fixture(scope="module")
def saved(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "patients.proset"
    proset.save(study, path)
    return path


class TestNewData:
    """Rows to score that do not look like the table of the model."""

    def test_a_column_that_is_not_there(
        self, study: Study, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        first, second, *_ = study.used_columns
        frame = study.table.frame.drop(columns=[first, second])
        with pytest.raises(ProsetError) as caught:
            study.score(frame)
        new, output = tmp_path / "new.csv", tmp_path / "scored.csv"
        frame.to_csv(new, index=False)
        assert main(["score", str(saved), str(new), "-o", str(output)]) == 1
        said = capsys.readouterr().err
        for part in (f"'{first}', '{second}'", "Add them with the same names"):
            assert part in str(caught.value)
            assert part in said
        assert not output.exists()

    def test_a_category_never_seen_is_scored_and_noted(self, study: Study, saved: Path, tmp_path: Path) -> None:
        frame = study.table.frame.head(3).assign(age=["", "31", "52"], ward="attic")
        new, output = tmp_path / "new.csv", tmp_path / "scored.csv"
        frame.to_csv(new, index=False)
        assert main(["score", str(saved), str(new), "-o", str(output), "-q"]) == 0
        scored = pd.read_csv(output, keep_default_na=False)
        assert scored["note"].str.contains("age missing: ").tolist() == [True, False, False]
        assert np.allclose(scored.filter(like="probability_").sum(axis=1), 1.0)
        encoded = study.design.transform(proset.read_table(new).frame)
        assert encoded.unseen["ward"].all()

    def test_text_in_a_number_column_names_row_and_column(
        self, study: Study, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        frame = study.table.frame.head(3).assign(weight=["70", "heavy", "80"])
        with pytest.raises(ProsetError) as caught:
            study.score(frame)
        new = tmp_path / "new.csv"
        frame.to_csv(new, index=False)
        assert main(["score", str(saved), str(new), "-o", str(tmp_path / "s.csv")]) == 1
        said = capsys.readouterr().err
        for part in ("'weight'", "row 2", "heavy"):
            assert part in str(caught.value)
            assert part in said

    @pytest.mark.parametrize(
        ("data", "part"), [(b"", "empty"), (b"age,weight\n", "no rows"), (b"\x89PNG\r\n\x1a\n" + bytes(99), "PNG")]
    )
    def test_a_file_that_is_no_table(
        self, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, part: str
    ) -> None:
        new = tmp_path / "new.csv"
        new.write_bytes(data)
        assert main(["score", str(saved), str(new), "-o", str(tmp_path / "s.csv")]) == 1
        assert part in capsys.readouterr().err
        assert not (tmp_path / "s.csv").exists()

    @pytest.mark.parametrize("name", ["model", "table"])
    def test_files_in_the_wrong_place(
        self, saved: Path, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
    ) -> None:
        files = [patients_file, patients_file] if name == "model" else [saved, saved]
        assert main(["score", *map(str, files), "-o", str(tmp_path / "s.csv")]) == 1
        said = capsys.readouterr().err
        assert re.match(r"proset: .*(not a saved study|not a table|zip|Excel)", said)
        assert len(said.splitlines()) == 1

    def test_files_that_are_not_there(self, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for files in (["none.proset", "none.csv"], [str(saved), str(tmp_path / "none.csv")]):
            assert main(["score", *files]) == 1
            said = capsys.readouterr()
            assert re.match(r"proset: .*none\.", said.err)
            assert said.out == ""


def test_a_foreign_zip_is_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "photos.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.jpg", b"\xff\xd8\xff")
    assert main(["fit", str(path), "-t", "y", "-o", str(tmp_path / "m.proset")]) == 1
    assert re.match(r"proset: 'photos\.csv' .*zip", capsys.readouterr().err)
