"""Write the files of this folder again from their sources.

    python sample_data/build.py                                  all but penguins, heart, concrete and cars
    python sample_data/build.py --penguins penguins_raw.csv      also penguins, from the raw table of palmerpenguins
    python sample_data/build.py --heart processed.cleveland.data also heart, from the file of the UCI repository
    python sample_data/build.py --concrete concrete.csv          also concrete, from a table with the UCI columns
    python sample_data/build.py --cars auto-mpg.csv              also cars, from a table with the UCI columns

The iris, wine, cancer and digits tables come with scikit-learn; checker_rot and xor_6_6 are drawn by
`proset.data.generators` from seed 0. The raw files of penguins, heart, concrete and cars are not stored here, so
these stay as they are unless a raw file is given.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets

from proset.data.generators import create_checkerboard, create_continuous_xor

FOLDER = Path(__file__).resolve().parent
GZIP_ABOVE_BYTES = 200_000

PENGUIN_COLUMNS = {
    "Species": "species",
    "Region": "region",
    "Island": "island",
    "Individual ID": "individual",
    "Clutch Completion": "clutch complete",
    "Date Egg": "first egg seen",
    "Culmen Length (mm)": "bill length (mm)",
    "Culmen Depth (mm)": "bill depth (mm)",
    "Flipper Length (mm)": "flipper length (mm)",
    "Body Mass (g)": "body mass (g)",
    "Sex": "sex",
    "Delta 15 N (o/oo)": "nitrogen isotope ratio (per mille)",
    "Delta 13 C (o/oo)": "carbon isotope ratio (per mille)",
    "Comments": "comments",
}

# Short name in the UCI file -> name here, and the words for its codes where it has codes.
HEART_COLUMNS: dict[str, tuple[str, dict[int, str] | None]] = {
    "age": ("age (years)", None),
    "sex": ("sex", {0: "female", 1: "male"}),
    "cp": ("chest pain", {1: "typical angina", 2: "atypical angina", 3: "non-anginal pain", 4: "no symptoms"}),
    "trestbps": ("resting blood pressure (mm Hg)", None),
    "chol": ("serum cholesterol (mg/dl)", None),
    "fbs": ("fasting blood sugar above 120 mg/dl", {0: "no", 1: "yes"}),
    "restecg": ("resting ECG", {0: "normal", 1: "ST-T wave abnormality", 2: "left ventricular hypertrophy"}),
    "thalach": ("maximum heart rate (beats per minute)", None),
    "exang": ("angina during exercise", {0: "no", 1: "yes"}),
    "oldpeak": ("ST depression by exercise", None),
    "slope": ("slope of the ST segment", {1: "rising", 2: "flat", 3: "falling"}),
    "ca": ("major vessels seen by fluoroscopy (number)", None),
    "thal": ("thallium scan", {3: "normal", 6: "fixed defect", 7: "reversible defect"}),
    "num": ("heart disease", {0: "no", 1: "yes", 2: "yes", 3: "yes", 4: "yes"}),
}

# In the order of the UCI file, whatever its columns are called.
CONCRETE_COLUMNS = (
    "cement (kg/m3)",
    "blast furnace slag (kg/m3)",
    "fly ash (kg/m3)",
    "water (kg/m3)",
    "superplasticizer (kg/m3)",
    "coarse aggregate (kg/m3)",
    "fine aggregate (kg/m3)",
    "age (days)",
    "compressive strength (MPa)",
)

CAR_COLUMNS = {
    "name": "car",
    "model_year": "model year",
    "cylinders": "cylinders",
    "displacement": "displacement (cubic inches)",
    "horsepower": "power (hp)",
    "weight": "weight (pounds)",
    "acceleration": "seconds from 0 to 60 mph",
    "origin": "built in",
    "mpg": "fuel economy (miles per gallon)",
}


def iris_2f() -> pd.DataFrame:
    """Sepal measurements and species, as in section 2.3 of the proset report."""
    bunch = datasets.load_iris(as_frame=True)
    frame = bunch.data[["sepal length (cm)", "sepal width (cm)"]]
    return frame.assign(species=bunch.target_names[bunch.target])


def wine() -> pd.DataFrame:
    """Thirteen measurements of a wine and the cultivar it was made from."""
    bunch = datasets.load_wine(as_frame=True)
    frame = bunch.data.rename(columns=lambda name: name.replace("_", " ").replace("alcalinity", "alkalinity"))
    return frame.assign(cultivar=[f"cultivar {code + 1}" for code in bunch.target])


def cancer() -> pd.DataFrame:
    """Thirty measurements of the cell nuclei in a biopsy and the diagnosis."""
    bunch = datasets.load_breast_cancer(as_frame=True)
    return bunch.data.assign(diagnosis=bunch.target_names[bunch.target])


def digits() -> pd.DataFrame:
    """Images of 8 x 8 pixels; column p03 is row 0, column 3."""
    bunch = datasets.load_digits()
    names = [f"p{row}{column}" for row in range(8) for column in range(8)]
    return pd.DataFrame(bunch.data.astype(int), columns=names).assign(digit=bunch.target)


def checker_rot() -> pd.DataFrame:
    """Points on a checkerboard standing on its corner, and the colour of their square."""
    X, y = create_checkerboard(rotation=45.0, random_state=0)
    return pd.DataFrame(X.round(5), columns=["x1", "x2"]).assign(colour=np.where(y == 1, "white", "black"))


def xor_6_6() -> pd.DataFrame:
    """Twelve features, of which the sign of the product of the first six is the class."""
    X, y = create_continuous_xor(6, 6, random_state=0)
    names = [f"x{number}" for number in range(1, 13)]
    return pd.DataFrame(X.round(5), columns=names).assign(sign=np.where(y == 1, "positive", "negative"))


def penguins(raw: Path) -> pd.DataFrame:
    """Penguins; the species' initial and the number of the sample, which restarts by species, make an identifier."""
    source = pd.read_csv(raw)
    frame = source.rename(columns=PENGUIN_COLUMNS)[list(PENGUIN_COLUMNS.values())]
    whole = ["flipper length (mm)", "body mass (g)"]
    frame[whole] = frame[whole].astype("Int64")
    frame["species"] = frame["species"].str.split().str[0]
    frame["sex"] = frame["sex"].str.lower()
    frame["clutch complete"] = frame["clutch complete"].str.lower()
    frame.insert(0, "sample", frame["species"].str[0] + source["Sample Number"].astype(str).str.zfill(3))
    return frame


def heart(raw: Path) -> pd.DataFrame:
    """Patients with codes turned into words and the degrees of disease, 1 to 4, into yes; `?` is missing."""
    source = pd.read_csv(raw, header=None, names=list(HEART_COLUMNS), na_values="?")
    columns = {}
    for short, (name, words) in HEART_COLUMNS.items():
        values = source[short] if short == "oldpeak" else source[short].astype("Int64")
        columns[name] = values if words is None else values.map(words)
    return pd.DataFrame(columns)


def concrete(raw: Path) -> pd.DataFrame:
    """Mixtures of concrete and the strength that a sample of each had at some age."""
    return pd.read_csv(raw).set_axis(CONCRETE_COLUMNS, axis=1)


def cars(raw: Path) -> pd.DataFrame:
    """Cars of the years 1970 to 1982 and how far they go on a gallon."""
    frame = pd.read_csv(raw)[list(CAR_COLUMNS)].rename(columns=CAR_COLUMNS)
    frame["model year"] += 1900
    frame["built in"] = frame["built in"].map({1: "USA", 2: "Europe", 3: "Japan"})
    return frame


def write(name: str, frame: pd.DataFrame) -> Path:
    """Store one table as CSV, packed where that would be large; the same table always gives the same bytes."""
    text = frame.to_csv(index=False, lineterminator="\n")
    packed = len(text) > GZIP_ABOVE_BYTES
    path = FOLDER / (f"{name}.csv.gz" if packed else f"{name}.csv")
    frame.to_csv(path, index=False, lineterminator="\n", compression={"method": "gzip", "mtime": 0} if packed else None)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Write every table whose source is at hand and say where."""
    parser = argparse.ArgumentParser(description="Write the bundled tables again from their sources.")
    parser.add_argument("--penguins", type=Path, metavar="FILE", help="penguins_raw.csv of the palmerpenguins package")
    parser.add_argument("--heart", type=Path, metavar="FILE", help="processed.cleveland.data of the UCI repository")
    parser.add_argument("--concrete", type=Path, metavar="FILE", help="a table with the nine columns of UCI's concrete")
    parser.add_argument("--cars", type=Path, metavar="FILE", help="a table with the nine columns of UCI's Auto MPG")
    options = parser.parse_args(arguments)
    frames = {build.__name__: build() for build in (iris_2f, wine, cancer, digits, checker_rot, xor_6_6)}
    if options.penguins:
        frames["penguins"] = penguins(options.penguins)
    if options.heart:
        frames["heart"] = heart(options.heart)
    if options.concrete:
        frames["concrete"] = concrete(options.concrete)
    if options.cars:
        frames["cars"] = cars(options.cars)
    for name, frame in frames.items():
        print(f"{write(name, frame).name}: {len(frame)} rows, {len(frame.columns)} columns")


if __name__ == "__main__":
    main()
