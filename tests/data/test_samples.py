"""The bundled tables: files, roles, README, and the script that makes them."""

import gzip
import importlib.util
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import proset.data.samples as samples
from proset.common.errors import TableError
from proset.data.issues import Role
from proset.data.number_split import split_table
from proset.data.role_check import check_roles
from proset.data.samples import SAMPLES, load_sample, sample_roles, sample_split
from proset.data.target import check_classes, target_labels

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "sample_data"
CLASSES = {
    "iris_2f": {"setosa": 50, "versicolor": 50, "virginica": 50},
    "wine": {"cultivar 1": 59, "cultivar 2": 71, "cultivar 3": 48},
    "cancer": {"benign": 357, "malignant": 212},
    "penguins": {"Adelie": 152, "Chinstrap": 68, "Gentoo": 124},
    "heart": {"no": 164, "yes": 139},
}
MISSING = {"penguins": 336, "heart": 6, "cars": 6}
CLEANED = ("penguins", "heart", "concrete", "cars")  # from raw files that are not stored


@pytest.fixture(params=list(SAMPLES))
def name(request):
    return request.param


def test_table_has_the_declared_columns_and_roles(name):
    table, roles = load_sample(name), sample_roles(name)
    assert list(table.frame.columns) == list(SAMPLES[name].roles)
    assert roles.target == SAMPLES[name].target
    check_roles(table, roles)
    if not roles.number:
        check_classes(target_labels(table.frame, roles))
    for column in roles.of(Role.NUMERIC):
        assert pd.api.types.is_numeric_dtype(table.frame[column]), column
    assert table.frame.isna().sum().sum() == MISSING.get(name, 0)


def test_identifier_is_unique():
    table = load_sample("penguins")
    assert table.frame[sample_roles("penguins").identifier].is_unique


@pytest.mark.parametrize("name", list(CLASSES))
def test_classes_are_words_with_the_known_counts(name):
    labels = target_labels(load_sample(name).frame, sample_roles(name))
    assert labels.value_counts().to_dict() == CLASSES[name]


def test_digits_are_images():
    grid = load_sample("digits").grid
    assert (grid.height, grid.width) == (8, 8)
    pixels = load_sample("digits").frame[list(grid.columns)].to_numpy()
    assert pixels.min() == 0
    assert pixels.max() == 16
    assert grid.columns[8 * 3 + 5] == "p35"


def test_the_answer_of_the_artificial_tables_is_in_the_files():
    xor = load_sample("xor_6_6").frame
    product = xor[[f"x{number}" for number in range(1, 7)]].prod(axis=1)
    assert (np.where(product >= 0, "positive", "negative") == xor["sign"]).all()
    board = load_sample("checker_rot").frame
    # Turn the board back; points on the line between two squares are rounded to either side.
    cos = np.sqrt(0.5)
    points = (board[["x1", "x2"]].to_numpy() - 0.5) @ np.array([[cos, -cos], [cos, cos]]) + 0.5
    white = np.floor(8 * points).sum(axis=1) % 2 == 1
    assert np.mean(np.where(white, "white", "black") == board["colour"]) > 0.999


def test_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(TableError, match=r"no bundled table 'irises'.*iris_2f.*heart"):
        load_sample("irises")
    with pytest.raises(TableError, match="no bundled table"):
        sample_roles("irises")


def test_missing_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "_FOLDERS", (tmp_path,))
    with pytest.raises(TableError, match=r"iris_2f\.csv is not part of this installation"):
        load_sample("iris_2f")


def said_of_the_target(frame, roles):
    """What stands behind the target in the README."""
    if roles.number:
        return f"a number from {frame[roles.target].min():g} to {frame[roles.target].max():g}"
    counts = target_labels(frame, roles).value_counts().sort_index()
    return ", ".join(f"{label} {count:,}" for label, count in counts.items())


def test_readme_says_the_same(name):
    sample = SAMPLES[name]
    sections = re.split(r"^## ", (FOLDER / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    by_title = {section.partition("\n")[0]: section for section in sections}
    assert list(by_title) == [sample.title for sample in SAMPLES.values()]
    section = by_title[sample.title]
    table = load_sample(name)
    rows, columns = table.frame.shape
    shares = said_of_the_target(table.frame, sample_roles(name))
    for line in (
        f"- File: `{sample.file}`, {rows:,} rows, {columns} columns\n",
        f"- Target: `{sample.target}` ({shares})\n",
        f"- Source: {sample.source}\n",
        f"- Licence: {sample.licence}\n",
        f"- Look for: {sample.look_for}\n",
    ):
        assert line in section


def test_every_file_of_the_folder_is_listed_and_small():
    files = {path.name: path.stat().st_size for path in FOLDER.glob("*.csv*")}
    assert set(files) == {sample.file for sample in SAMPLES.values()}
    assert max(files.values()) < 300_000


@pytest.fixture
def build():
    """The script that makes the tables; it is no part of a package."""
    spec = importlib.util.spec_from_file_location("build_sample_data", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def content(path):
    """Text of a file, unpacked if it is packed: compressors differ between machines, the table does not."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_build_script_writes_the_same_files(build, monkeypatch, tmp_path):
    monkeypatch.setattr(build, "FOLDER", tmp_path)
    build.main([])
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == sorted(sample.file for sample in SAMPLES.values() if sample.name not in CLEANED)
    for file in made:
        assert content(tmp_path / file) == content(FOLDER / file), file


def test_build_script_cleans_raw_files(build, tmp_path):
    raw = tmp_path / "processed.cleveland.data"
    raw.write_text(
        "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
        "38.0,1.0,3.0,138.0,175.0,0.0,0.0,173.0,0.0,0.0,1.0,?,3.0,2\n"
    )
    stored = pd.read_csv(FOLDER / "heart.csv").iloc[0]
    first, second = build.heart(raw).to_dict("records")
    assert first == stored.to_dict()
    assert pd.isna(second["major vessels seen by fluoroscopy (number)"])
    assert second["heart disease"] == "yes"


def test_build_script_cleans_the_tables_of_numbers(build, tmp_path):
    raw = tmp_path / "auto-mpg.csv"
    raw.write_text(
        "mpg,cylinders,displacement,horsepower,weight,acceleration,model_year,origin,name\n"
        "18.0,8,307.0,130.0,3504,12.0,70,1,chevrolet chevelle malibu\n"
    )
    assert build.cars(raw).iloc[0].to_dict() == pd.read_csv(FOLDER / "cars.csv").iloc[0].to_dict()
    mixture = tmp_path / "concrete.csv"
    mixture.write_text("a,b,c,d,e,f,g,h,i\n540.0,0.0,0.0,162.0,2.5,1040.0,676.0,28,79.99\n")
    assert build.concrete(mixture).iloc[0].to_dict() == pd.read_csv(FOLDER / "concrete.csv").iloc[0].to_dict()


def test_the_latest_rows_are_held_out_where_the_table_has_a_time():
    table, roles, split = load_sample("cars"), sample_roles("cars"), sample_split("cars")
    made = split_table(table.frame, roles, split)
    when = table.frame["model year"]
    assert when[made.train].max() < when[made.held_out].min()
    assert len(made.held_out) == pytest.approx(0.3 * len(table.frame), rel=0.15)  # cars of one year stay together
    assert roles.number
    assert "model year" not in roles.features  # a model that learns years knows none of the later ones
