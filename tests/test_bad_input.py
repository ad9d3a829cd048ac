"""What bad input gets, through the API and on the command line: a message that names the trouble and the way out.

The same table for the pages is among the tests of the dashboard.
"""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import proset
from proset.cli import main
from proset.data.issues import Issue
from proset.data.reading.dialect import Limits
from proset.data.roles import guess_roles
from proset.errors import ProsetError
from proset.study import Study


def table(n: int = 40, *, header: str = "a,b,y", row: Callable[[int], str] | None = None) -> str:
    """A small table with two features that vary and two classes."""
    make = row or (lambda i: f"{i % 13},{i * i % 7},{'u' if i % 2 else 'v'}")
    return "\n".join([header, *(make(i) for i in range(n))]) + "\n"


@dataclass(frozen=True)
class Refused:
    """A file that cannot be used: parts of the message, the way out among them."""

    data: bytes
    says: tuple[str, ...]


REFUSED = {
    "empty file": Refused(b"", ("bad.csv", "empty", "Check that the export finished")),
    "blank file": Refused(b" \n\n \n", ("bad.csv", "blank", "Check that the export finished")),
    "header alone": Refused(b"a,b,y\n", ("bad.csv", "header but no rows", "Check that the export finished")),
    "one class": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},u").encode(),
        ("Target 'y'", "one class only", "40 rows are 'u'", "Add rows of another class"),
    ),
    "a class with too few rows": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},{'rare' if i < 3 else 'uv'[i % 2]}").encode(),
        ("Target 'y'", "class 'rare' has 3 rows", "at least 6", "join them with others"),
    ),
    "a target that is empty": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},").encode(), ("Target 'y' is empty", "another target")
    ),
    "constant features": Refused(
        table(row=lambda i: f"1,x,{'uv'[i % 2]}").encode(), ("No column is left to learn from", "role numeric")
    ),
    "constant table": Refused(table(row=lambda i: "1,x,u").encode(), ("No column is left", "Give at least one column")),
    "10,000 columns": Refused(
        (",".join(f"x{j}" for j in range(9_999)) + ",y\n" + ",".join(["1"] * 10_000) + "\n").encode(),
        ("10,000 columns", "limit is 2,000", "Keep the columns you need"),
    ),
    "picture named .csv": Refused(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), ("PNG picture", "Save the table as CSV")),
    "binary file named .csv": Refused(bytes(range(256)) * 8, ("binary file", "Save the table as CSV")),
    "damaged gzip": Refused(gzip.compress(table(4_000).encode())[:-30], ("bad.csv", "damaged", "again")),
    "gzip that is not": Refused(b"\x1f\x8b\x08\x00" + bytes(50), ("bad.csv", "gzip", "again")),
    "text without columns": Refused(
        b"Dear all,\nplease find the numbers attached: they are good.\nRegards; Ada|Bo\n" * 9,
        ("No delimiter", "bad.csv", "delimiter"),
    ),
}


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


@dataclass(frozen=True)
class Mended:
    """A file that can be used: parts of the issue that says what was done, the rows that are left, some roles."""

    data: bytes
    says: tuple[str, ...]
    rows: int = 40
    unlabelled: int = 0
    columns: tuple[str, ...] = field(default=("a", "b", "y"))


MENDED = {
    "missing target values": Mended(
        table(row=lambda i: f"{i % 13},{i * i % 7},{'' if i % 10 == 3 else 'uv'[i % 2]}").encode(),
        ("4 rows", "'y'", "set aside"),
        unlabelled=4,
    ),
    "a constant column": Mended(
        table(row=lambda i: f"{i % 13},same,{'uv'[i % 2]}").encode(), ("'b'", "same value", "not used")
    ),
    "duplicate column names": Mended(
        table(header="a,a,y").encode(), ("'a'", "more than once", "'a (2)'"), columns=("a", "a (2)", "y")
    ),
    "rows that are too long": Mended(
        table(row=lambda i: f"{i % 13},{i * i % 7},{'uv'[i % 2]}" + (",9,9" if i == 20 else "")).encode(),
        ("more than 3 fields", "row 21", "set aside"),
        rows=39,
    ),
    "rows that are too short": Mended(
        table(row=lambda i: f"{i % 13}" if i == 20 else f"{i % 13},{i * i % 7},{'uv'[i % 2]}").encode(),
        ("fewer than 3 fields", "row 21", "missing"),
        unlabelled=1,
    ),
    "infinite values": Mended(
        table(row=lambda i: f"{'inf' if i == 5 else i % 13},{i * i % 7},{'uv'[i % 2]}").encode(),
        ("'a'", "infinite", "row 6", "missing"),
    ),
}


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
        frame = study.table.frame.drop(columns=["age", "ward"])
        with pytest.raises(ProsetError) as caught:
            study.score(frame)
        new, output = tmp_path / "new.csv", tmp_path / "scored.csv"
        frame.to_csv(new, index=False)
        assert main(["score", str(saved), str(new), "-o", str(output)]) == 1
        said = capsys.readouterr().err
        for part in ("'age', 'ward'", "Add them with the same names"):
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
