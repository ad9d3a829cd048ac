"""The grammar of colours, on all figures: hues of classes where classes are named, and no hue beyond the grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contrast import oklab
from number_tables import priced
from plotly.io import to_json

from dashboard.components.clickable import draw_once
from proset import RegressorModel, explain, plots, read_table
from proset.compare import (
    ComparePlan,
    compare,
    compare_numbers,
    disagreements,
    feature_matrix,
    metric_table,
    number_table,
    size_paths,
)
from proset.data.column_profile import profile_columns
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.explain.attribution.many_rows import global_importance
from proset.explain.cases.pixels import shap_pixels, used_pixels
from proset.plots import style
from proset.plots.map_marks import ByValue
from proset.plots.number_map import draft_number_map
from proset.plots.traces import in_words
from proset.study import FitSettings, Study, fit_number_study, fit_study

GREY = 0.035
"""So little colour is none."""
ALIKE = 0.02
COLOUR = re.compile(r"#[0-9a-fA-F]{6}$|rgba?\(")
# What holds numbers and words, and how Plotly looks by itself.
NO_LOOK = {"x", "y", "z", "customdata", "template", "hoverlabel", "modebar", "meta"}
# Colours stand for the class of the axis or of a heading here, and each has its sign or its own words.
CALLED = ("name", "legendgroup")
NAMED_BY_THE_FIGURE = {"plot_waterfall", "plot_image_evidence"}


@dataclass
class Made:
    """Models from which figures are made."""

    three: Study
    several: Study
    searched: Study
    jointly: Study

    @cached_property
    def two(self) -> Study:
        return fit_study(load_sample("cancer"), sample_roles("cancer"))

    @cached_property
    def pictures(self) -> Study:
        settings = FitSettings(num_candidates=100, max_samples=200)
        return fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)

    @cached_property
    def compared(self):
        return self.three, compare(self.three, ComparePlan(("proset", "knn"), n_folds=2))


@pytest.fixture(scope="module")
def made(iris_study, study, searched, jointly):
    return Made(iris_study, study, searched, jointly)


Figures = list[tuple[Any, tuple[str, ...]]]
"""Figures, each with the classes that it is about."""
NOBODY = ("one", "other")


def of(study: Study, *figures: Any) -> Figures:
    """Figures about the classes of a study."""
    return [(figure, study.classes) for figure in figures]


def one(draw: str, explained: Callable[[Any], Any], name: str = "three", **options: Any) -> Callable[[Made], Figures]:
    """Return what makes one figure of what explains a model."""

    def make(made: Made) -> Figures:
        found = getattr(made, name)
        study = found if isinstance(found, Study) else found[0]
        return of(study, getattr(plots, draw)(explained(found), **options))

    return make


def maps(made: Made) -> Figures:
    mapping, study = explain.batch_map(made.two), made.two
    row = int(mapping.points.index[0])
    impacts = pd.Series(1.0, index=mapping.prototypes["row"])
    scale = style.probability_scale(study.classes, 1)
    by_value = (
        ByValue(study.probabilities.iloc[:, 1], "probability of malignant", scale),
        ByValue(study.predictions["quantile"], "familiarity"),
    )
    background = explain.surface(study, batch=1, cases=[], n_points=5)
    return of(
        study,
        plots.plot_batch_map(mapping, part="all", selected=row, reference=row, impacts=impacts, background=background),
        *(plots.plot_batch_map(mapping, colour=colour, spot=(0.0, 0.0)) for colour in ("correct", *by_value)),
    ) + of(made.pictures, plots.plot_batch_map(explain.batch_map(made.pictures)))


def surfaces(made: Made) -> Figures:
    found = explain.surface(made.two, n_points=8)
    row = int(found.samples.index[0])
    shown = (plots.plot_surface(found, show=show, selected=row) for show in ("probability", "class", "familiarity"))
    third = plots.plot_surface(explain.surface(made.three, n_points=8), class_name="setosa")
    return of(made.two, *shown) + of(made.three, third)


def answers(made: Made) -> Figures:
    X = np.random.default_rng(0).normal(size=(80, 3))
    model = RegressorModel(n_iter=2, random_state=0).fit(X[:, :2], X[:, 0] + X[:, 2] + 100.0)
    found = (explain.number_answer(model, X[3, :2], y, n_shown=2) for y in (None, 100.0))
    return [(plots.plot_number_answer(answer, unit="price"), NOBODY) for answer in found]


def measured_numbers(draw: str) -> Callable[[Made], Figures]:
    """Return what makes a figure of the quality of a model of a number, also of rows of which none is known."""

    def make(_: Made) -> Figures:
        study = priced()
        rows = (None, study.split.train, [])
        return [(figure, NOBODY) for some in rows for figure in QUALITY_FIGURES[draw](study, some)]

    return make


QUALITY_FIGURES: dict[str, Callable[[Any, Any], list[Any]]] = {
    "plot_column_errors": lambda study, rows: [
        plots.plot_column_errors(explain.column_errors(study, rows, column=name), selected=3).figure()
        for name in study.table.frame.columns
        if name != study.roles.target
    ],
    "plot_coverage": lambda study, rows: [plots.plot_coverage(explain.number_quality(study, rows))],
    "plot_number_groups": lambda study, rows: [plots.plot_number_groups(explain.number_quality_by(study, None, rows))],
    "plot_number_predictions": lambda study, rows: [
        plots.plot_number_predictions(explain.number_quality(study, rows).rows, target="price", selected=3).figure()
    ],
    "plot_places": lambda study, rows: [plots.plot_places(explain.number_quality(study, rows).places)],
}


def numbers(made: Made) -> Figures:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90)})
    table = read_table(frame.assign(c=3.0 * frame["a"] + frame["b"]).to_csv(index=False).encode(), name="sums.csv")
    found = fit_number_study(table, guess_roles(table, target="c").roles.as_number())
    row = int(found.split.held_out[0])
    lines = found.predictions.assign(familiarity=found.predictions["quantile"])
    drawn = [
        plots.plot_number_parts(found.targets.to_numpy()[:60], found.targets.to_numpy()[60:], unit="c"),
        plots.plot_number_course(explain.number_course(found, feature="a")),
        plots.plot_number_prototypes(explain.number_prototypes(found), picked=0),
        plots.plot_number_rows(lines, selected=row),
        plots.plot_number_surface(explain.number_surface(found, x="a", y="b", n_points=5), selected=row),
        *(draft_number_map(explain.number_map(found), colour=colour, selected=row,
                           levels=explain.number_levels(found, n_points=9)).figure()
          for colour in ("median", "width", "quantile")),
    ]  # fmt: skip
    return [(figure, NOBODY) for figure in drawn]


def compared_numbers(made: Made) -> Figures:
    found = compare_numbers(priced(), ComparePlan(("proset", "knn"), n_folds=2, max_rows=90))
    row, current = int(found.measured[0]), "proset"
    drawn = [
        plots.plot_number_measures(number_table(found), current=current),
        plots.plot_number_system(found, "knn", selected=row, current=current),
        plots.plot_number_row(found, row, current=current),
    ]
    return [(figure, NOBODY) for figure in drawn]


def changed_numbers(made: Made) -> Figures:
    lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    table = read_table("\n".join(lines).encode(), name="prices.csv")
    study = fit_number_study(table, guess_roles(table, target="price").roles)
    found = (explain.number_what_if(study, 3, changes) for changes in ({}, {"size": 40}))
    return [(plots.plot_number_what_if(one), NOBODY) for one in found]


def divided_numbers(made: Made) -> Figures:
    X = np.random.default_rng(0).normal(size=(80, 14))
    model = RegressorModel(n_iter=1, lambda_v=0.0, random_state=0).fit(X, X.sum(axis=1) + 100.0)
    found = (explain.number_shap(model, X[3], X[place]) for place in (3, 4))
    return [(plots.plot_number_shap(one, unit="price"), NOBODY) for one in found]


def waterfalls(made: Made) -> Figures:
    found = []
    for study in (made.two, made.three):
        values, (first, second, *_) = explain.Evidence(study.case(1)).shap, study.classes
        steps = (values.steps(values.index[0], first, against) for against in (None, second))
        found += of(study, *(plots.plot_waterfall(way, values.classes) for way in steps))
    return found


def pictures(made: Made) -> Figures:
    evidence = explain.Evidence(made.pictures.case(3), reference=5)
    overlays = shap_pixels(made.pictures, evidence.shap, ["3"])
    figure = plots.plot_image_evidence(evidence.report, used=used_pixels(made.pictures), overlays=overlays)
    return of(made.pictures, figure)


def familiarity_steps(made: Made) -> Figures:
    found = explain.Evidence(made.two.case(1)).familiarity
    return of(made.two, plots.plot_familiarity_attribution(found, found.index[0]))


def groups(made: Made) -> Figures:
    found = (explain.familiarity(made.two, groups=by) for by in ("class", "correct", "mean radius"))
    return of(made.two, *(plots.plot_familiarity(one, classes=made.two.classes) for one in found))


def sizes(made: Made) -> Figures:
    paths = size_paths(made.compared[1]).frame
    figures = (plots.plot_error_over_size(paths, threshold=0.2, current=current) for current in (None, "proset"))
    return of(made.three, *figures)


def profiles(made: Made) -> Figures:
    table, classes = made.three.table, made.three.classes
    labels = table.frame["species"].astype(str)
    figures = (
        plots.plot_column_profile(
            profile_columns(table, labels=given, classes=named).columns["sepal width (cm)"], named
        )
        for given, named in ((labels, classes), (None, ()))
    )
    return of(made.three, *figures)


def signs(_: Made) -> Figures:
    found = pd.DataFrame({"label": ["proset", "kNN", "PVM"], "auc": [0.8, 0.7, 0.3], "said": ["a", "b", "c"]})
    return [(plots.plot_drift_signs(found, current="proset"), NOBODY)]


def distances(_: Made) -> Figures:
    a, b = NOBODY
    rows = pd.DataFrame({"x": [0.0, 1.0], "y": [1.0, 0.0], "actual": [a, b], "predicted": b}, index=[7, 8])
    kept = pd.DataFrame({"x": [0.0, 0.0], "y": [0.0, 1.0], "class": [a, b], "row": [7, 8], "made": [True, False]})
    return [(plots.plot_distance_map(rows, kept, NOBODY, selected=7), NOBODY)]


def standing(made: Made) -> Figures:
    said = list(made.three.predictions.loc[[1, 60], "predicted"])
    figure = plots.plot_standing(explain.standing(made.three, [1, 60]), said, made.three.classes, selected=1)
    return of(made.three, figure)


def drift(made: Made) -> Figures:
    return of(made.three, plots.plot_drift(explain.drift(made.three, made.three.table.frame.head(50))))


def importance(made: Made) -> Figures:
    found = []
    for study in (made.two, made.three):
        frame = pd.DataFrame(0.2, index=["x", "y"], columns=list(study.classes))
        found += of(study, plots.plot_importance(frame))
    return found


def interactions(made: Made) -> Figures:
    found = [(study, explain.shapley_interactions(study)) for study in (made.two, made.three)]
    return [(plots.plot_interactions(pairs.strength()), study.classes) for study, pairs in found]


def swarm(made: Made) -> Figures:
    found = global_importance(made.three, explain.choose_reference_point(made.three)).sample
    return of(made.three, plots.plot_shap_swarm(found, made.three.classes[0]))


def abstention(made: Made) -> Figures:
    orders = ("familiarity", "confidence", "novelty", "novelty_all")
    return of(made.two, plots.plot_abstention([explain.abstention(made.two, by=by) for by in orders]))


def balance(made: Made) -> Figures:
    counts = pd.DataFrame({"training": 7, "held out": 3}, index=list(made.three.classes))
    return of(made.three, plots.plot_class_balance(counts))


def side_by_side(made: Made) -> Figures:
    found = explain.surface(made.three, n_points=5)
    return of(made.three, plots.plot_surfaces([("proset", found), ("kNN", found)]))


def changed(made: Made) -> Figures:
    return of(made.three, plots.plot_what_if(explain.what_if(made.three, 1, {"sepal length (cm)": 6.5})))


def moved(made: Made) -> Figures:
    maps = [explain.batch_map(study) for study in (made.three, made.three)]
    return of(made.three, plots.plot_map_change(*maps))


def verdicts(_: Made) -> Figures:
    at = pd.to_datetime(["2026-01-05 10:00", "2026-01-05 10:01"])
    said = pd.DataFrame({"at": at, "verdict": "the table is right", "row": [3, 8], "by": "Ada"})
    return [(plots.plot_verdicts(said), NOBODY)]


MAKERS: dict[str, Callable[[Made], Figures]] = {
    "plot_abstention": abstention,
    "plot_agreement": one("plot_agreement", lambda made: disagreements(*made).agreement, "compared", picked=1),
    "plot_batch_map": maps,
    "plot_calibration": one("plot_calibration", explain.calibration),
    "plot_class_balance": balance,
    "plot_column_profile": profiles,
    "plot_confusion": one("plot_confusion", lambda study: explain.quality(study).confusion, "two"),
    "plot_contributions": one("plot_contributions", lambda study: explain.explain_case(study, 1), "two"),
    "plot_curves": one("plot_curves", lambda study: study.search, "jointly"),
    "plot_densities": one("plot_densities", explain.feature_densities),
    "plot_distance_map": distances,
    "plot_drift": drift,
    "plot_drift_signs": signs,
    "plot_error_over_size": sizes,
    "plot_familiarity": groups,
    "plot_familiarity_attribution": familiarity_steps,
    "plot_feature_shares": one("plot_feature_shares", lambda made: feature_matrix(made[1]).shares, "compared"),
    "plot_feature_weights": one("plot_feature_weights", lambda study: study.feature_weights, "several"),
    "plot_front": one("plot_front", lambda study: study.search, "jointly"),
    "plot_image_evidence": pictures,
    "plot_importance": importance,
    "plot_interactions": interactions,
    "plot_map_change": moved,
    "plot_measures": one("plot_measures", lambda made: metric_table(made[1]), "compared", current="proset"),
    "plot_overlap": one("plot_overlap", lambda made: feature_matrix(made[1]).overlap, "compared"),
    "plot_number_answer": answers,
    "plot_number_course": numbers,
    "plot_number_measures": compared_numbers,
    "plot_number_parts": numbers,
    "plot_number_prototypes": numbers,
    "plot_number_row": compared_numbers,
    "plot_number_rows": numbers,
    "plot_number_surface": numbers,
    "plot_number_system": compared_numbers,
    "plot_number_shap": divided_numbers,
    "plot_number_what_if": changed_numbers,
    "plot_precision_recall": one("plot_precision_recall", explain.ranking_curves),
    "plot_prototypes": one("plot_prototypes", explain.prototypes, picked=1),
    "plot_roc": one("plot_roc", explain.ranking_curves),
    "plot_scatter_matrix": one("plot_scatter_matrix", explain.feature_scatter, "several", selected=1),
    "plot_squares": one("plot_agreement", lambda made: disagreements(*made).agreement, "compared"),
    "plot_shap_swarm": swarm,
    "plot_stage_1": one("plot_stage_1", lambda study: study.search, "searched"),
    "plot_stage_2": one("plot_stage_2", lambda study: study.search, "searched"),
    "plot_standing": standing,
    "plot_surface": surfaces,
    "plot_surfaces": side_by_side,
    "plot_value_evidence": one("plot_value_evidence", explain.value_evidence, "several"),
    "plot_value_places": one("plot_value_places", lambda study: explain.value_places(study, 1), "several"),
    "plot_verdicts": verdicts,
    "plot_waterfall": waterfalls,
    "plot_weight_picture": one("plot_weight_picture", explain.feature_weights, "pictures"),
    "plot_weights": one("plot_weights", explain.feature_weights, "several"),
    "plot_what_if": changed,
    **{name: measured_numbers(name) for name in QUALITY_FIGURES},
}


def test_every_figure_is_looked_at():
    assert sorted(MAKERS) == [name for name in plots.__all__ if name.startswith("plot_")]


@pytest.mark.parametrize("name", MAKERS)
def test_a_figure_keeps_to_the_grammar_and_packs_no_numbers(made, name):
    figures = MAKERS[name](made)
    assert figures
    for figure, classes in figures:
        assert_hues_stand_where_the_class_is_named(figure, classes, name)
        assert_plotly_sees_that_nothing_has_changed(figure)
        assert_boxes_write_numbers_as_texts_do(figure)


def assert_boxes_write_numbers_as_texts_do(figure):
    """Find no per cent sign without its space: formats of Plotly know none."""
    boxes = [str(trace.to_plotly_json().get("hovertemplate")) for trace in figure.data]
    assert [box for box in boxes if re.search(r"[.\d]%\}", box)] == []


def assert_hues_stand_where_the_class_is_named(figure, classes, name):
    """Find no hue of a class elsewhere, and none beyond the grammar."""
    drawn = figure.to_plotly_json()
    everywhere = words_of(drawn["layout"]) if name in NAMED_BY_THE_FIGURE else ""
    parts = [*drawn["data"], *(part for key, part in drawn["layout"].items() if key != "template")]
    assert [found for part in parts for found in strangers(part, classes, everywhere)] == []


def assert_plotly_sees_that_nothing_has_changed(figure):
    """Find no numbers packed."""
    before = json.loads(figure.to_json())
    after = json.loads(to_json(draw_once(in_words(figure)), validate=False))
    assert "bdata" not in json.dumps(after)
    assert [len(trace) for trace in after["data"]] == [len(trace) for trace in before["data"]]


def strangers(part: Any, classes: Sequence[str], everywhere: str = "") -> list[str]:
    """Colours of a trace, or of a part of the layout, that stand for a class that is not named, or for nothing."""
    found = []
    points = part.get("customdata") if isinstance(part, dict) else None
    for path, colour, place in colours_of(part):
        hue = hex_of(colour)
        if hue is None or chroma(hue) < GREY or is_reserved(hue):
            continue
        # Of many points each has words of its own, unless all are of the class that the trace calls itself by.
        own = words_of(part) if points is None or place is None else words_of(points[place])
        said = f"{own} {words_of(part, among=CALLED)} {everywhere}"
        if not any(near(hue, known) for known in hues_named(said, classes)):
            found.append(f"{path}: {colour}, of {said[:80]}")
    return found


def colours_of(value: Any, path: str = "", place: int | None = None):
    """Every colour in a part of a figure, with where it is, and which point it is of."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in NO_LOOK:
                yield from colours_of(inner, f"{path}.{key}", place)
    elif isinstance(value, str):
        if COLOUR.match(value):
            yield path, value, place
    elif isinstance(value, list | tuple | np.ndarray):
        points = path.endswith(".color")
        for i, inner in enumerate(value):
            yield from colours_of(inner, path, i if points else place)


def words_of(part: Any, among: Collection[str] = ()) -> str:
    """All words in a part of a figure, its colours left out, or those under some keys."""
    if isinstance(part, dict):
        kept = {key: inner for key, inner in part.items() if (key in among if among else key != "template")}
        return " ".join(words_of(inner) for inner in kept.values())
    if isinstance(part, list | tuple | np.ndarray):
        return " ".join(map(words_of, part))
    return re.sub(r"%\{[^}]*\}", " ", part) if isinstance(part, str) and not COLOUR.match(part) else ""


def hues_named(said: str, classes: Sequence[str]) -> list[str]:
    """The hues of the classes that some words name; of two classes, whoever names one names the other."""
    tokens = set(re.findall(r"\w+", said))
    named = [i for i, name in enumerate(classes) if name in tokens]
    if len(classes) == 2 and named:
        named = [0, 1]
    return [look(style.CLASS_COLOURS[i]) for i in named for look in (str, style.darker, style.of_text)]


def hex_of(colour: str) -> str | None:
    """A colour without how solid it is; None for one that is not seen."""
    if colour.startswith("#"):
        return colour
    *parts, alpha = [float(part) for part in re.findall(r"[\d.]+", colour)] + (
        [1.0] if colour.startswith("rgb(") else []
    )
    return None if alpha == 0.0 else "#" + "".join(f"{round(part):02x}" for part in parts)


def chroma(hue: str) -> float:
    return float(np.hypot(*oklab(hue)[1:]))


def near(one: str, other: str) -> bool:
    return float(np.linalg.norm(oklab(one) - oklab(other))) < ALIKE


def is_reserved(hue: str) -> bool:
    """Tell whether a colour is that of the model's own measures or, mixed with the page or not, of what is wrong."""
    if any(near(hue, own) for own in (style.MODEL, *(colour for _, colour in style.RAMP))):
        return True
    return any(near(hue, style.mixed(style.WRONG, "#FFFFFF", share)) for share in np.linspace(0.1, 1.0, 46))


@pytest.mark.parametrize("colour", ["#0072B2", "#4682B4", "#D55E00", "rgba(0, 158, 115, 0.5)"])
def test_a_hue_on_what_names_no_class_is_found(colour):
    assert strangers({"name": "kNN", "marker": {"color": colour}}, NOBODY)
    assert strangers({"customdata": [["x"]], "marker": {"color": [colour]}, "name": "right"}, NOBODY)
    assert strangers({"colorscale": [[0, "#FFFFFF"], [1, colour]], "name": "familiarity"}, NOBODY)


def test_a_class_may_not_have_the_hue_of_another():
    classes = ("a", "b", "c")
    first, second, _ = style.class_colours(classes).values()
    assert strangers({"name": "a", "line": {"color": first}}, classes) == []
    assert strangers({"name": "a", "line": {"color": second}}, classes)


def test_a_class_named_as_a_hue_has_it_and_all_others_keep_their_order():
    blue, orange, green, red = style.CLASS_COLOURS[:4]
    assert style.class_colours(["red", "green", "blue"]) == {"red": red, "green": green, "blue": blue}
    assert style.class_colours(["Green", "other", "red"]) == {"Green": green, "other": blue, "red": red}
    assert style.class_colours(["red", "Red", "x"]) == {"red": red, "Red": blue, "x": orange}
    many = ["red", *map(str, range(11))]
    assert list(style.class_colours(many).values())[:10] == list(style.CLASS_COLOURS)
