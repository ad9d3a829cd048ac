"""The command ``proset`` as a person uses it: files in, files and messages out, exit codes."""

from __future__ import annotations

import gzip
import os
import re
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
from patience import HANG, wait_until
from variants import main_cases

import proset
from proset import explain
from proset.cli import main
from proset.common.cells import safe_frame
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.data.scales import Scale
from proset.storage import save
from proset.study import Study, fit_study


@pytest.fixture(scope="module")
def model_file(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "patients.proset"
    proset.save(study, path)
    return path


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("proset: ")]


class TestFit:
    """``proset fit``."""

    def test_saves_a_study_and_reports_its_quality(
        self, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model = tmp_path / "m.proset"
        code = main(["fit", str(patients_file), "--target", "outcome", "-o", str(model), "--lambda-v", "0.01"])
        shown = capsys.readouterr()
        assert code == 0
        study = proset.load(model)
        assert study.settings == proset.FitSettings(lambda_v=0.01)
        assert f"log-loss {study.metrics.log_loss:>24.3f}{study.metrics.naive_log_loss:>12.3f}" in shown.out
        assert "the class with the highest estimated probability" in shown.out
        assert "Set aside: 4 rows without a class." in shown.out
        assert study.model.batch_results_[0].message in shown.out
        assert "%" not in shown.err.replace("84%", "")  # no progress bar without a terminal
        assert not lines_of(shown.err)

    def test_every_option_arrives(self, patients_file: Path, tmp_path: Path) -> None:
        model = tmp_path / "m.proset"
        options = (
            "--id remark --role ward=extra --role patient=text --test-fraction 0.2 --seed 3 --batches 2 --lambda-v 0.1 "
            "--lambda-w 1e-4 --alpha-v 0.5 --alpha-w 0.6 --candidates 40 --max-fraction 0.4 --max-samples 100 "
            "--max-prototypes 9 --joined 2 --scale quantile "
            "--encoding utf-8 --delimiter , --decimal . --header --quiet"
        )
        code = main(["fit", str(patients_file), "-t", "outcome", "-o", str(model), *options.split()])
        assert code == 0
        study = proset.load(model)
        assert study.settings == proset.FitSettings(
            n_iter=2, lambda_v=0.1, lambda_w=1e-4, alpha_v=0.5, alpha_w=0.6, num_candidates=40, max_fraction=0.4,
            max_samples=100, max_prototypes=9, n_joined=2, random_state=3, scale=Scale.QUANTILE,
        )  # fmt: skip
        assert len(study.prototypes) <= 9
        assert (study.split.settings.test_fraction, study.split.settings.seed) == (0.2, 3)
        assert study.roles.identifier == "remark"
        assert study.roles.by_column["ward"] == "extra"
        assert study.roles.by_column["patient"] == "text"

    def test_a_budget_of_prototypes_has_its_price_stated_and_its_bounds(
        self, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = ["fit", str(patients_file), "-t", "outcome", "-o", str(tmp_path / "m.proset")]
        assert main([*asked, "--batches", "1", "--lambda-v", "0.001", "--max-prototypes", "3"]) == 0
        assert re.search(r"3 of \d+ prototypes are left, which costs .* in log-loss", capsys.readouterr().out)
        assert main([*asked, "--max-prototypes", "1"]) != 0
        assert "--max-prototypes is 1. Give a whole number from 2 to 10,000." in capsys.readouterr().err

    @pytest.mark.slow
    def test_quiet_is_quiet(self, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["fit", str(patients_file), "-t", "outcome", "-o", str(tmp_path / "m.proset"), "-q"]) == 0
        shown = capsys.readouterr()
        assert (shown.out, shown.err) == ("", "")

    @pytest.mark.parametrize(
        ("options", "parts"),
        [
            (["-t", "outcom"], ["no column 'outcom'", "Did you mean 'outcome'?"]),
            (["-t", "zzz"], ["no column 'zzz'", "'patient', 'age'"]),
            (["-t", "outcome", "--role", "wards=extra"], ["no column 'wards'", "'ward'"]),
            (["-t", "outcome", "--id", "nobody"], ["no column 'nobody'"]),
            (["-t", "outcome", "--lambda-v", "-1"], ["--lambda-v is -1.0", "at least 0"]),
            (["-t", "outcome", "--test-fraction", "0.9"], ["0.9", "0.5"]),
            (["-t", "outcome", "--seed", "-1"], ["seed", "-1"]),
            (["-t", "outcome", "--encoding", "utf-99"], ["utf-99"]),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(
        self,
        patients_file: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        options: list[str],
        parts: list[str],
    ) -> None:
        model = tmp_path / "m.proset"
        model.write_text("precious")
        assert main(["fit", str(patients_file), "-o", str(model), *options]) == 1
        said = lines_of(capsys.readouterr().err)
        assert len(said) == 1
        for part in parts:
            assert part in said[0]
        assert model.read_text() == "precious"

    def test_a_missing_folder_is_said_before_the_fit(
        self, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["fit", str(patients_file), "-t", "outcome", "-o", str(tmp_path / "none" / "m.proset")]) == 1
        assert "does not exist" in capsys.readouterr().err


class TestScore:
    """``proset score``."""

    def test_writes_what_the_study_says(
        self, model_file: Path, patients_file: Path, tmp_path: Path, study: Study
    ) -> None:
        output = tmp_path / "scored.csv"
        assert main(["score", str(model_file), str(patients_file), "-o", str(output), "-q"]) == 0
        scored = pd.read_csv(output, index_col="row", keep_default_na=False)
        expected = study.score(study.table.frame).rename(columns={"quantile": "familiarity_quantile"})
        assert scored.columns.tolist() == ["patient", *expected.columns]
        assert scored["patient"].tolist() == study.table.frame["patient"].tolist()
        pd.testing.assert_frame_equal(scored.drop(columns="patient"), expected, check_exact=True)

    def test_every_kind_of_output_holds_the_same(
        self, model_file: Path, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for ending in ("csv", "csv.gz", "parquet"):
            assert main(["score", str(model_file), str(patients_file), "-o", str(tmp_path / f"s.{ending}"), "-q"]) == 0
        capsys.readouterr()
        assert main(["score", str(model_file), str(patients_file), "-q"]) == 0
        text = (tmp_path / "s.csv").read_text(encoding="utf-8")
        assert gzip.decompress((tmp_path / "s.csv.gz").read_bytes()).decode() == text
        assert capsys.readouterr().out == text
        from_parquet = pd.read_parquet(tmp_path / "s.parquet")
        from_csv = pd.read_csv(tmp_path / "s.csv", keep_default_na=False)
        pd.testing.assert_frame_equal(from_parquet, from_csv, check_exact=True)

    def test_in_chunks_equals_at_once(
        self, model_file: Path, patients_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert main(["score", str(model_file), str(patients_file), "-o", str(tmp_path / "once.csv"), "-q"]) == 0
        monkeypatch.setattr("proset.bulk.one_file.MOST_ROWS", 7)
        for ending in ("csv", "parquet"):
            output = tmp_path / f"pieces.{ending}"
            assert main(["score", str(model_file), str(patients_file), "-o", str(output), "-q"]) == 0
        once = pd.read_csv(tmp_path / "once.csv")
        # Matrix products of other sizes round differently in the last bits.
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "pieces.csv"), once, rtol=1e-12)
        pieces = pd.read_parquet(tmp_path / "pieces.parquet")
        assert pieces["row"].tolist() == once["row"].tolist() == list(range(1, 181))
        assert pieces["class"].tolist() == once["class"].tolist()

    def test_formulas_are_made_harmless_unless_raw(self, model_file: Path, tmp_path: Path, study: Study) -> None:
        frame = study.table.frame.head(4).copy()
        frame["patient"] = ["=1+2", "@SUM(A1)", "-3.5", "plain"]
        table = tmp_path / "new.csv"
        frame.to_csv(table, index=False)
        for options, expected in (([], ["'=1+2", "'@SUM(A1)"]), (["--raw"], ["=1+2", "@SUM(A1)"])):
            output = tmp_path / "s.csv"
            assert main(["score", str(model_file), str(table), "-o", str(output), "-q", *options]) == 0
            assert pd.read_csv(output)["patient"].tolist() == [*expected, "-3.5", "plain"]

    @pytest.mark.parametrize(
        ("output", "part"), [("s.txt", "no known ending"), ("none/s.csv", "does not exist"), (".", "is a folder")]
    )
    def test_an_output_that_cannot_be_is_said(
        self, model_file: Path, patients_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], output: str,
        part: str,
    ) -> None:  # fmt: skip
        assert main(["score", str(model_file), str(patients_file), "-o", str(tmp_path / output)]) == 1
        assert part in capsys.readouterr().err

    def test_the_input_is_not_overwritten(
        self, model_file: Path, patients_file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = patients_file.read_bytes()
        assert main(["score", str(model_file), str(patients_file), "-o", str(patients_file)]) == 1
        assert "being read" in capsys.readouterr().err
        assert patients_file.read_bytes() == before

    def test_a_failure_in_the_middle_leaves_the_old_output(
        self, model_file: Path, patients_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        output = tmp_path / "out" / "s.csv"
        output.parent.mkdir()
        output.write_text("precious")
        monkeypatch.setattr("proset.bulk.one_file.MOST_ROWS", 50)
        whole, calls = Study.score, []

        def stop_in_the_second_chunk(self: Study, frame: pd.DataFrame) -> pd.DataFrame:
            calls.append(len(frame))
            if len(calls) == 2:
                raise KeyboardInterrupt
            return whole(self, frame)

        monkeypatch.setattr(Study, "score", stop_in_the_second_chunk)
        assert main(["score", str(model_file), str(patients_file), "-o", str(output)]) == 130
        assert output.read_text() == "precious"
        assert os.listdir(output.parent) == ["s.csv"]


class TestExplain:
    """``proset explain``."""

    def test_says_the_verdict_and_writes_the_report(
        self, model_file: Path, tmp_path: Path, study: Study, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from proset.explain.cases.case import explain_case

        case = explain_case(study, 17)
        for ending in ("csv", "xlsx"):
            assert (
                main(["explain", str(model_file), "--row", "P017", "-o", str(tmp_path / f"r.{ending}"), "--all"]) == 0
            )
            shown = capsys.readouterr().out
            for sentence in case.words:
                assert sentence in shown
            for name, probability in case.probabilities.items():
                assert f"{percent(probability)}  {name}" in shown
            assert len(re.findall(r"^ *P\d{3} ", shown, re.MULTILINE)) == len(case.prototypes)
            # As figure 4.5 has it: the class shares are in the set, wherever there is one.
            marks = re.findall(r"^ *marginal.* 1\.000 +0\.\d{3} +(\d) ", shown, re.MULTILINE)
            assert marks == [str(mark) for mark in case.marginals["dominant set"]] == ["1"] * len(study.classes)
        written = pd.read_csv(tmp_path / "r.csv")
        assert written.columns.tolist() == case.report.columns.tolist()
        assert np.allclose(written["impact"], case.report["impact"].astype(float), equal_nan=True)
        assert pd.read_excel(tmp_path / "r.xlsx", sheet_name=0, engine="openpyxl").shape == case.report.shape

    def test_says_what_contradicts_an_estimate(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        study = fit_study(load_sample("cancer"), sample_roles("cancer"))
        save(study, tmp_path / "cancer.proset")
        assert main(["explain", str(tmp_path / "cancer.proset"), "--row", "298"]) == 0
        said, found = capsys.readouterr().out, explain.contradictions(study, 298)
        assert "What contradicts" in said
        assert len(found.words) >= 1
        for sentence in found.words:
            assert f"  {sentence}" in said
        quiet = next(row for row in study.split.held_out.tolist() if not explain.contradictions(study, row).words)
        assert main(["explain", str(tmp_path / "cancer.proset"), "--row", str(quiet)]) == 0
        assert "contradicts" not in capsys.readouterr().out

    def test_explains_a_row_of_another_table(
        self, model_file: Path, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        table = tmp_path / "new.csv"
        study.table.frame.loc[[17, 18]].assign(patient=["new one", "new two"]).to_csv(table, index=False)
        assert main(["explain", str(model_file), str(table), "--row", "new one"]) == 0
        probability = study.probabilities.loc[17].max()
        assert percent(probability) in capsys.readouterr().out

    def test_a_training_row_is_as_near_to_known_cases_as_where_files_are_scored(
        self, model_file: Path, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        table = tmp_path / "again.csv"
        study.table.frame.to_csv(table, index=False)
        assert main(["score", str(model_file), str(table), "--novelty", "-o", str(tmp_path / "s.csv"), "--quiet"]) == 0
        scores = pd.read_csv(tmp_path / "s.csv")
        found = explain.novelty(study)
        assert np.allclose(scores["similarity"], found.similarity)
        assert scores["nearest_row"].tolist() == found.nearest.tolist()
        row = study.split.train[int(np.argmin(found.similarity[study.split.train - 1]))]
        assert found.similarity[row - 1] < 0.995
        assert main(["explain", str(model_file), "--row", f"row {row}"]) == 0
        assert f"similarity {scores['similarity'][row - 1]:.2f}" in capsys.readouterr().out

    def test_a_short_list_says_what_it_leaves_out(
        self, model_file: Path, study: Study, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["explain", str(model_file), "--row", "3"]) == 0
        assert f"... and {len(study.prototypes) - 10} more prototypes" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("options", "part"),
        [(["--row", "P999"], "no row 'P999'"), (["--row", "1", "-o", "r.doc"], "Use .xlsx or .csv")],
    )
    def test_what_is_wrong_is_said(
        self, model_file: Path, capsys: pytest.CaptureFixture[str], options: list[str], part: str
    ) -> None:
        assert main(["explain", str(model_file), *options]) == 1
        assert part in lines_of(capsys.readouterr().err)[0]


class TestApp:
    """``proset app``."""

    def test_starts_streamlit_for_this_machine_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        started = []

        def fake(command: list[str], *, cwd: Path, check: bool) -> subprocess.CompletedProcess[bytes]:
            started.append(command)
            assert (cwd / "dashboard" / "server.py").samefile(command[4])
            return subprocess.CompletedProcess(command, 0)

        monkeypatch.setattr(subprocess, "run", fake)
        assert main(["app", "--no-browser"]) == 0
        command = started[0]
        assert command[:4] == [sys.executable, "-m", "streamlit", "run"]
        assert command[4].endswith(os.path.join("dashboard", "server.py"))
        assert command[command.index("--server.address") + 1] == "127.0.0.1"
        assert command[command.index("--server.headless") + 1] == "true"

    def test_names_the_extra_that_is_missing(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        find = __import__("importlib.util").util.find_spec
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "streamlit" else find(name))
        assert main(["app"]) == 1
        assert 'pip install "proset-dashboard[dashboard]"' in capsys.readouterr().err

    def test_a_port_in_use_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = busy.getsockname()[1]
            assert main(["app", "--port", str(port)]) == 1
        assert f"Port {port} is in use" in capsys.readouterr().err
        assert main(["app", "--port", "99999"]) == 1

    def test_a_server_that_fails_is_an_error(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(subprocess, "run", lambda command, cwd, check: subprocess.CompletedProcess(command, 3))
        assert main(["app"]) == 1
        assert "exit code 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [[], ["dance"], ["fit", "x.csv"], ["fit", "x.csv", "-t", "y", "-o", "m", "--role", "ward"],
     ["fit", "x.csv", "-t", "y", "-o", "m", "--delimiter", "ab"], ["score", "m"], ["explain", "m"]],
)  # fmt: skip
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: proset" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["fit", "score", "explain", "app"])
def test_help_of_every_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert f"usage: proset {name}" in capsys.readouterr().out


def test_not_enough_memory_is_said(
    model_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("proset.storage.load", full)
    assert main(["explain", str(model_file), "--row", "1"]) == 1
    assert "not enough memory" in capsys.readouterr().err


def test_the_rule_for_formulas_leaves_numbers_and_touches_headers() -> None:
    texts = ["=1", "+1", "-1.5e3", "+49 30 1", "@x", "\t=x", " =1", "1,234.5", "-", "", "12 %", "-12%"]
    frame = pd.DataFrame({"=head": texts, "value": range(len(texts))})
    safe = safe_frame(frame)
    assert safe.columns.tolist() == ["'=head", "value"]
    assert safe["'=head"].tolist() == [
        "'=1", "+1", "-1.5e3", "'+49 30 1", "'@x", "'\t=x", "' =1", "1,234.5", "'-", "", "12 %", "-12%",
    ]  # fmt: skip
    assert frame.columns[0] == "=head"


# What needs a process of its own


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start the command as a program."""
    command = [sys.executable, "-m", "proset", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def test_version() -> None:
    process = start("--version")
    assert process.communicate()[0] == f"proset {proset.__version__}\n"
    assert process.returncode == 0


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 rows of 10 columns, about 17 MB."""
    rng = np.random.default_rng(0)
    n = 300_000
    path = tmp_path_factory.mktemp("large") / "large.csv"
    columns = {f"x{j}": rng.normal(size=n).round(4) for j in range(8)}
    ward = rng.choice(["north", "south"], n)
    pd.DataFrame({"name": [f"P{i}" for i in range(n)], **columns, "ward": ward}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def large_model(large_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model for the columns of the large file."""
    frame = pd.read_csv(large_file, nrows=300)
    frame["kind"] = np.where(frame["x0"] + frame["x1"] > 0, "up", "down")
    folder = tmp_path_factory.mktemp("large_model")
    frame.to_csv(folder / "train.csv", index=False)
    assert (
        main(["fit", str(folder / "train.csv"), "-t", "kind", "--id", "name", "-o", str(folder / "m.proset"), "-q"])
        == 0
    )
    return folder / "m.proset"


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_the_file(large_file: Path, large_model: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.csv"
    with large_file.open() as source:
        small.write_text("".join(line for line, _ in zip(source, range(30_001), strict=False)))
    # Arrow reads up to 32 blocks ahead, which is bounded, but more than this file with blocks of the usual size.
    code = (
        "import resource, sys; from proset.data.reading import text_rows; text_rows._BLOCK_SIZE = 1 << 18;"
        "from proset.cli import main; assert main(sys.argv[1:]) == 0;"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for table in (small, large_file):
        arguments = ["score", large_model, table, "-o", tmp_path / "s.csv", "-q"]
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout) / 1024)
    assert len(pd.read_csv(tmp_path / "s.csv", usecols=["row"])) == 300_000
    assert peaks[1] - peaks[0] < 40, f"MiB at the peak: 30,000 rows {peaks[0]:.0f}, 300,000 rows {peaks[1]:.0f}"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code", "says"), main_cases([(2, 130, "proset: stopped.\n"), (15, 143, "")], every=2)
)
def test_stopped_in_the_middle_the_old_output_stays(
    large_file: Path, large_model: Path, tmp_path: Path, number: int, code: int, says: str
) -> None:
    output = tmp_path / "s.csv"
    output.write_text("precious")
    process = start("score", large_model, large_file, "-o", output)
    watched = psutil.Process(process.pid)
    while len(os.listdir(tmp_path)) == 1 and watched.is_running() and process.poll() is None:
        time.sleep(0.02)
    assert len(os.listdir(tmp_path)) == 2  # the draft is being written
    process.send_signal(number)
    _, said = process.communicate(timeout=HANG)
    assert process.returncode == code
    assert said == says
    assert output.read_text() == "precious"
    assert os.listdir(tmp_path) == ["s.csv"]


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_goes_away_is_no_error_message(large_file: Path, large_model: Path) -> None:
    with start("score", large_model, large_file, "-q") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("row,name,class,")
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_a_terminal_shows_progress(patients_file: Path, tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "proset", "fit", str(patients_file), "-t", "outcome", "-o", str(tmp_path / "m.proset")],
        stdout=subprocess.DEVNULL, stderr=slave,
    )  # fmt: skip
    os.close(slave)
    shown = b""
    try:
        while block := os.read(master, 4096):
            shown += block
    except OSError:
        pass  # Linux reports the end of a terminal as an error
    os.close(master)
    assert process.wait(timeout=HANG) == 0
    assert b"Step 1 of 2, trying settings" in shown
    assert b"this takes about " in shown


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_dashboard_starts_and_ends_with_the_command() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with start("app", "--no-browser", "--port", str(port)) as process:
        wait_until(lambda: _listens(port) or process.poll() is not None)
        assert _listens(port)
        children = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        process.communicate(timeout=HANG)
    assert process.returncode == 143
    gone, alive = psutil.wait_procs(children, timeout=HANG)
    assert gone
    assert not alive


def _listens(port: int) -> bool:
    """Whether somebody answers on the port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
