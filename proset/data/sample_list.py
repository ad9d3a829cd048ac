"""The tables that come with the project: what each is, where it is from, and what to look for in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from proset.data.issues import Role
from proset.data.table import ImageGrid


@dataclass(frozen=True)
class Sample:
    """One bundled table.

    Attributes
    ----------
    name : str
        Short name, used in code and in addresses.
    title : str
        Name for people.
    file : str
        File in the folder ``sample_data``.
    source : str
        Who collected or made the data, and where it is published.
    licence : str
        Terms of use.
    look_for : str
        One sentence on what to look for.
    roles : Mapping of str to Role
        Role of every column, in the order of the file.
    grid : ImageGrid or None
        How the columns form an image, if they do.
    number : bool
        Whether the target is a number.
    time : str or None
        Column by which the latest rows are held out; None where rows are drawn by chance.
    """

    name: str
    title: str
    file: str
    source: str
    licence: str
    look_for: str
    roles: Mapping[str, Role]
    grid: ImageGrid | None = None
    number: bool = False
    time: str | None = None

    @property
    def target(self) -> str:
        """Column that is predicted."""
        return next(name for name, role in self.roles.items() if role is Role.TARGET)


def _numeric(*columns: str, target: str) -> Mapping[str, Role]:
    """Roles of a table whose last column is the target and all others are numbers."""
    return MappingProxyType(dict.fromkeys(columns, Role.NUMERIC) | {target: Role.TARGET})


_CELL_MEASURES = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
)
_CELL_COLUMNS = (
    *(f"mean {measure}" for measure in _CELL_MEASURES),
    *(f"{measure} error" for measure in _CELL_MEASURES),
    *(f"worst {measure}" for measure in _CELL_MEASURES),
)
_PIXELS = tuple(f"p{row}{column}" for row in range(8) for column in range(8))
_UCI_LICENCE = "CC BY 4.0"

_ALL = (
    Sample(
        name="iris_2f",
        title="Iris, two features",
        file="iris_2f.csv",
        source="R. A. Fisher (1936), UCI Machine Learning Repository, doi 10.24432/C56C76; copy of scikit-learn.",
        licence=_UCI_LICENCE,
        look_for="Setosa stands apart; versicolor and virginica overlap so much that no model can separate them.",
        roles=_numeric("sepal length (cm)", "sepal width (cm)", target="species"),
    ),
    Sample(
        name="wine",
        title="Wine",
        file="wine.csv",
        source="M. Forina et al. (1991), UCI Machine Learning Repository, doi 10.24432/C5PC7J; copy of scikit-learn.",
        licence=_UCI_LICENCE,
        look_for="The cultivars can be told apart with some of the thirteen features and very few prototypes.",
        roles=_numeric(
            "alcohol",
            "malic acid",
            "ash",
            "alkalinity of ash",
            "magnesium",
            "total phenols",
            "flavanoids",
            "nonflavanoid phenols",
            "proanthocyanins",
            "color intensity",
            "hue",
            "od280/od315 of diluted wines",
            "proline",
            target="cultivar",
        ),
    ),
    Sample(
        name="cancer",
        title="Breast cancer",
        file="cancer.csv",
        source="W. Wolberg, O. Mangasarian and W. Street (1995), UCI Machine Learning Repository, doi 10.24432/C5DW2B; "
        "copy of scikit-learn.",
        licence=_UCI_LICENCE,
        look_for="Most cases that are classified wrongly lie between the two groups, some deep among the benign ones: "
        "see which prototypes a missed malignant case resembles.",
        roles=_numeric(*_CELL_COLUMNS, target="diagnosis"),
    ),
    Sample(
        name="digits",
        title="Handwritten digits",
        file="digits.csv.gz",
        source="E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository, doi 10.24432/C50P49; the test part, "
        "copy of scikit-learn.",
        licence=_UCI_LICENCE,
        look_for="Compare a wrongly read digit with the prototypes it resembles: they are pictures, so you can "
        "judge for yourself.",
        grid=ImageGrid(8, 8, _PIXELS),
        roles=_numeric(*_PIXELS, target="digit"),
    ),
    Sample(
        name="checker_rot",
        title="Rotated checkerboard",
        file="checker_rot.csv",
        source="Made by this project: create_checkerboard(rotation=45.0, random_state=0).",
        licence="MIT",
        look_for="Neither feature says anything by itself, so every square needs prototypes of its own.",
        roles=_numeric("x1", "x2", target="colour"),
    ),
    Sample(
        name="xor_6_6",
        title="Continuous XOR, 6 + 6 features",
        file="xor_6_6.csv.gz",
        source="Made by this project: create_continuous_xor(6, 6, random_state=0).",
        licence="MIT",
        look_for="The class is the sign of the product of x1 to x6, and x7 to x12 are noise: see whether the model "
        "keeps exactly the first six.",
        roles=_numeric(*(f"x{number}" for number in range(1, 13)), target="sign"),
    ),
    Sample(
        name="penguins",
        title="Palmer penguins",
        file="penguins.csv",
        source="K. Gorman, T. Williams and W. Fraser (2014), doi 10.1371/journal.pone.0090081; raw table of the "
        "palmerpenguins package.",
        licence="CC0 1.0",
        look_for="All Gentoo live on Biscoe and all Chinstrap on Dream, yet the model does without the island: see "
        "which measurements tell the species apart.",
        roles=MappingProxyType(
            {
                "sample": Role.IDENTIFIER,
                "species": Role.TARGET,
                "region": Role.EXTRA,
                "island": Role.CATEGORICAL,
                "individual": Role.EXTRA,
                "clutch complete": Role.BOOLEAN,
                "first egg seen": Role.DATE,
                "bill length (mm)": Role.NUMERIC,
                "bill depth (mm)": Role.NUMERIC,
                "flipper length (mm)": Role.NUMERIC,
                "body mass (g)": Role.NUMERIC,
                "sex": Role.CATEGORICAL,
                "nitrogen isotope ratio (per mille)": Role.NUMERIC,
                "carbon isotope ratio (per mille)": Role.NUMERIC,
                "comments": Role.TEXT,
            }
        ),
    ),
    Sample(
        name="heart",
        title="Heart disease",
        file="heart.csv",
        source="A. Janosi, W. Steinbrunn, M. Pfisterer and R. Detrano (1988), UCI Machine Learning Repository, doi "
        "10.24432/C52P4X; patients of the Cleveland Clinic.",
        licence=_UCI_LICENCE,
        look_for="Patients without chest pain are ill most often: look for cases where two doctors could differ, and "
        "for the six values that were filled in.",
        roles=MappingProxyType(
            {
                "age (years)": Role.NUMERIC,
                "sex": Role.CATEGORICAL,
                "chest pain": Role.CATEGORICAL,
                "resting blood pressure (mm Hg)": Role.NUMERIC,
                "serum cholesterol (mg/dl)": Role.NUMERIC,
                "fasting blood sugar above 120 mg/dl": Role.BOOLEAN,
                "resting ECG": Role.CATEGORICAL,
                "maximum heart rate (beats per minute)": Role.NUMERIC,
                "angina during exercise": Role.BOOLEAN,
                "ST depression by exercise": Role.NUMERIC,
                "slope of the ST segment": Role.CATEGORICAL,
                "major vessels seen by fluoroscopy (number)": Role.NUMERIC,
                "thallium scan": Role.CATEGORICAL,
                "heart disease": Role.TARGET,
            }
        ),
    ),
    Sample(
        name="concrete",
        title="Concrete strength",
        file="concrete.csv",
        source="I.-C. Yeh (1998), UCI Machine Learning Repository, doi 10.24432/C5PK67; copy of the modeldata package.",
        licence=_UCI_LICENCE,
        look_for="The strength is a number, stated with its range: open a case and see which known mixtures it is made "
        "of, each corrected for what the case has more or less of.",
        roles=_numeric(
            "cement (kg/m3)",
            "blast furnace slag (kg/m3)",
            "fly ash (kg/m3)",
            "water (kg/m3)",
            "superplasticizer (kg/m3)",
            "coarse aggregate (kg/m3)",
            "fine aggregate (kg/m3)",
            "age (days)",
            target="compressive strength (MPa)",
        ),
        number=True,
    ),
    Sample(
        name="cars",
        title="Fuel economy of cars",
        file="cars.csv",
        source="R. Quinlan (1993), UCI Machine Learning Repository, doi 10.24432/C5859H; cars of the United States.",
        licence=_UCI_LICENCE,
        look_for="The latest years are held out: these cars go about 6 miles further on a gallon than what is learned "
        "from older ones says, and the model is too sure. Drawn by chance, errors halve.",
        roles=MappingProxyType(
            {
                "car": Role.EXTRA,
                "model year": Role.EXTRA,
                "cylinders": Role.NUMERIC,
                "displacement (cubic inches)": Role.NUMERIC,
                "power (hp)": Role.NUMERIC,
                "weight (pounds)": Role.NUMERIC,
                "seconds from 0 to 60 mph": Role.NUMERIC,
                "built in": Role.CATEGORICAL,
                "fuel economy (miles per gallon)": Role.TARGET,
            }
        ),
        number=True,
        time="model year",
    ),
)

SAMPLES: Mapping[str, Sample] = MappingProxyType({sample.name: sample for sample in _ALL})
"""Every bundled table by name, in the order in which pages list them."""
