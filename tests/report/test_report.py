"""Reports: what they say, that they need nothing else, and that no word in them is more than a word."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hostile.names import STRANGE, study_of
from variants import main_cases

from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.verdict import verdict
from dashboard.services.cases import CaseRef
from dashboard.services.references import references
from proset import explain
from proset.common.errors import StudyError
from proset.common.words import percent
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain import Evidence
from proset.explain.attribution.many_rows import global_importance
from proset.explain.cases.case import explain_case
from proset.explain.maps.agreement import MapAgreement
from proset.explain.sheets.case_sheets import report_sheets
from proset.plots import style
from proset.plots.contributions import plot_contributions
from proset.report import case_report, html_file, importance, model_report, part_titles, to_html
from proset.report.document import Document, Facts, Picture, ReportPart, ReportTable, Words
from proset.study import FitSettings, fit_study
from proset.study.decision import DecisionRule
from proset.study.judging import judge_model
from proset.study.verdict_words import verdict_sentences

TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "nav",
        "h1",
        "h2",
        "p",
        "ul",
        "li",
    ),
    *("a", "table", "thead", "tbody", "tr", "th", "td", "div", "dl", "dt", "dd", "figure", "figcaption", "noscript"),
    "script",
}
NASTY = ["html", "html picture", "plotly", "quotes", "formula", "right to left", "line break", "very long", "entity",
         "format", "control", "markdown link"]  # fmt: skip


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.said: list[str] = []
        self._script: str | None = None
        self._in_script = self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self._in_script, self._in_style = tag == "script", tag == "style"
        self._script = dict(attrs).get("type")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._in_script = self._in_style = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts.append((self._script, data))
        elif not self._in_style:
            self.said.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.said))


@pytest.fixture
def without_code(monkeypatch):
    """Write reports without the code that draws: it is always the same."""
    monkeypatch.setattr(html_file, "_drawing_code", lambda: "window.Plotly = {};")


def check_is_closed(text: str) -> Reader:
    """Assert that a file loads nothing, and that nothing in it is code but what we wrote."""
    page = Reader(text)
    assert page.tags <= TAGS
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "srcdoc", "action")]
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    code = [data for kind, data in page.scripts if kind is None]
    assert len(code) in (0, 2)
    for kind, data in page.scripts:
        if kind is not None:
            assert kind == "application/json"
            assert "data" in json.loads(data)
            assert "<" not in data
    assert "default-src 'none'" in text
    return page


@pytest.mark.slow
@pytest.mark.parametrize("name", main_cases([STRANGE[key] for key in NASTY], every=8))
def test_whatever_things_are_called_it_stays_words(name, without_code):
    study = study_of(name)
    for document in (model_report(study, parts=["summary", "data", "quality", "features", "prototypes", "limits"]),
                     case_report(Evidence(study.case(1)))):  # fmt: skip
        page = check_is_closed(to_html(document))
        assert "\u202e" not in page.words


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STRANGE.values())
def test_every_strange_name(name, without_code):
    study = study_of(name)
    check_is_closed(to_html(model_report(study)))
    check_is_closed(to_html(case_report(Evidence(study.case(1)))))


def test_a_model_report_says_what_the_engine_says(mixed_study, without_code):
    text = to_html(model_report(mixed_study))
    page = check_is_closed(text)
    for title in (title for name, title in part_titles(case=False).items() if name != "stability"):
        assert title in page.words
    assert mixed_study.table.fingerprint in page.words
    assert f"{mixed_study.metrics.log_loss:.3f}" in page.words
    assert f"keeps {len(mixed_study.prototypes)} prototypes" in page.words
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert all(labels)
    assert len(labels) == 1 + text.count("<figure "), "every figure has a name; the other is that of the list of parts"


def test_a_case_report_adds_up_and_names_the_dominant_set(mixed_study, without_code):
    case = explain_case(mixed_study, 5)
    page = check_is_closed(text := to_html(case_report(Evidence(mixed_study.case(5)))))
    for sentence in case.words:
        assert sentence in page.words
    assert percent(float(case.probabilities.max())) in page.words
    dominant = case.prototypes["dominant set"].eq(1).sum()
    assert text.count('<tr class="marked">') == dominant


def test_a_new_row_has_a_report_too(mixed_study, without_code):
    row = mixed_study.table.frame.iloc[[3]].drop(columns=["kind", "weather"])
    document = case_report(Evidence(mixed_study.case(row)))
    assert document.title.startswith("T003 of new data: ")
    page = check_is_closed(to_html(document))
    assert "shows rows of the table only" in page.words
    verdict = next(block.frame for block in document.parts[0].blocks if isinstance(block, ReportTable))
    assert list(verdict) == ["class", "probability", "estimate"]  # of a class nobody knows, not even "no" is said
    assert "actual" not in report_sheets(Evidence(mixed_study.case(row)))["estimate"]


@pytest.mark.slow
def test_stability_is_in_it_once_it_was_looked_at(mixed_study, without_code):
    assert "stability" not in [part.name for part in model_report(mixed_study, parts=None).parts]
    found = explain.stability(mixed_study, n_repeats=2)
    document = model_report(mixed_study, parts=["stability"], stability=found)
    words = Reader(to_html(document)).words
    assert found.words[0] in words
    case = case_report(Evidence(mixed_study.case(5)), parts=["verdict"], stability=found)
    assert found.case_words(5) in Reader(to_html(case)).words


def test_the_rule_decides_what_is_wrong(mixed_study):
    rule = DecisionRule(cutoff=0.9)
    document = model_report(mixed_study, rule=rule, parts=["quality"])
    grids = [block for block in document.parts[0].blocks if isinstance(block, ReportTable)]
    judged = mixed_study.judged(rule).loc[mixed_study.split.held_out]
    errors = next(grid.frame for grid in grids if "confidence" in grid.frame)
    assert len(errors) == min(20, int(judged["wrong"].sum()))


@pytest.mark.slow
def test_a_model_that_learned_nothing_has_a_report(empty_study, iris_study, without_code):
    for study in (empty_study, fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))):
        check_is_closed(to_html(model_report(study)))
        check_is_closed(to_html(case_report(Evidence(study.case(1)))))


def test_parts_come_in_their_order_and_unknown_ones_are_refused(iris_study):
    document = model_report(iris_study, parts=["limits", "data"])
    assert [part.name for part in document.parts] == ["data", "limits"]
    with pytest.raises(StudyError, match="no part 'nonsense'"):
        case_report(Evidence(iris_study.case(1)), parts=["nonsense"])
    with pytest.raises(StudyError, match="no row 999"):
        case_report(Evidence(iris_study.case(999)))


def test_a_file_without_figures_is_small_and_one_with_figures_is_about_five_megabytes(iris_study):
    small = to_html(model_report(iris_study, parts=["summary", "limits"]))
    assert len(small) < 20_000
    assert "<script" not in small
    large = to_html(case_report(Evidence(iris_study.case(1)), parts=["evidence"]))
    assert 3e6 < len(large) < 6e6


def test_dates_are_not_broken_at_their_hyphens(without_code):
    frame = pd.DataFrame({"words": ["a-b", "c"], "date": ["2024-03-01", ""], "none": [None, None], "n": [1, 2]})
    frame["who"] = ["row 302", "row 7"]
    page = to_html(Document("t", (), (ReportPart("s", "S", (ReportTable(frame),)),)))
    assert '<td class="d">2024-03-01</td>' in page
    assert '<td class="d">row 302</td>' in page
    assert "<td>a-b</td>" in page
    assert '<td class="n">1</td>' in page


def test_importance_is_that_of_the_page(iris_study):
    found = global_importance(iris_study, references(iris_study)[0])
    block = importance.importance_blocks(iris_study)[0]
    bars = [trace for trace in block.figure.data if trace.type == "bar"]
    assert sum(trace.x[0] for trace in bars) == pytest.approx(100 * found.frame.iloc[0].sum())
    assert found.words in block.caption


def test_what_would_flip_it_is_said(mixed_study):
    blocks = case_report(Evidence(mixed_study.case(5)), parts=["change"]).parts[0].blocks
    found = explain.smallest_flip(mixed_study, 5)
    assert blocks[0].lines == (found.words,)
    new = mixed_study.table.frame.loc[[5]]
    assert case_report(Evidence(mixed_study.case(new)), parts=["change"]).parts[0].blocks[0].lines == (found.words,)


def test_no_column_of_a_case_says_nothing_and_the_class_shares_have_the_name_of_the_pages(iris_study):
    found = Evidence(iris_study.case(71))
    blocks = [block for part in case_report(found).parts for block in part.blocks]
    tables = [block.frame for block in blocks if isinstance(block, ReportTable)]
    assert not [name for frame in tables for name in frame if (frame[name].astype(str) == "").all()]
    (near,) = [frame for frame in tables if "similarity, all features" in frame]
    assert ("is a prototype" in near) == bool(found.nearest.frame["prototype"].any())
    (counts,) = [frame for frame in tables if "what counts" in frame]
    assert counts["what counts"].tolist()[: len(iris_study.classes)] == ["class share"] * len(iris_study.classes)


def test_pictures_come_with_their_shap_values():
    from proset.data.samples import load_sample, sample_roles

    settings = FitSettings(num_candidates=100, max_samples=200)
    study = fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)
    document = case_report(Evidence(study.case(2)), parts=["beside", "shap"])
    alts = [block.alt for part in document.parts for block in part.blocks if isinstance(block, Picture)]
    assert any("how they differ" in alt for alt in alts)
    assert any(alt.startswith("SHAP values over") for alt in alts)


def test_every_block_is_of_a_known_kind(iris_study):
    for part in model_report(iris_study).parts:
        assert part.blocks
        assert all(isinstance(block, (Facts, ReportTable, Picture, Words)) for block in part.blocks)


def test_the_first_page_has_the_finding_the_numbers_and_the_map(iris_study):
    document = model_report(iris_study)
    first, second = document.parts[:2]
    assert (first.name, second.name) == ("summary", "map")
    assert first.blocks[0].lines[0] == verdict_sentences(judge_model(iris_study))[0]
    assert any(isinstance(block, Picture) for block in second.blocks)
    assert "#map, #picture, #summary:not(:has(+ #map, + #picture)) { break-after: page; }" in to_html(document)


def test_what_the_model_is_worth_comes_before_how_it_was_made():
    names = list(part_titles(case=False))
    assert names.index("quality") < names.index("data") < names.index("settings") < names.index("limits")
    assert names[-3:] == list(part_titles(case=False, number=True))[-3:]


def test_a_case_that_is_wrong_says_so_in_its_title(iris_study):
    judged = iris_study.judged()
    wrong, right = (judged.index[judged["wrong"] == is_wrong][0] for is_wrong in (True, False))
    line = judged.loc[wrong]
    title = case_report(Evidence(iris_study.case(int(wrong))), parts=["verdict"]).title
    assert title.endswith(f": {line['predicted']}, actually {line['actual']}")
    assert "actually" not in case_report(Evidence(iris_study.case(int(right))), parts=["verdict"]).title


def test_titles_along_axes_are_as_on_the_pages(iris_study):
    page = to_html(model_report(iris_study, parts=["map"]))
    text = page.split('<script type="application/json" id="figure-1">')[1].split("</script>")[0]
    axis = json.loads(text)["layout"]["xaxis"]
    assert axis["title"]["font"]["size"] == style.TEXT_SIZE


def test_a_number_stays_with_its_sign_where_a_line_ends():
    page = to_html(Document("t", (), (ReportPart("limits", "Limits", (Words(("It is 79.4 % of 3.",)),)),)))
    assert "79.4\N{NO-BREAK SPACE}% of 3." in page


def test_a_map_that_says_hardly_anything_comes_with_the_warning_of_the_page(iris_study, monkeypatch):
    bad = MapAgreement(share=0.52, chance=0.5, n_rows=100)
    monkeypatch.setattr("proset.report.model_parts.map_agreement", lambda mapping: bad)
    for document in (model_report(iris_study, parts=["map"]), case_report(Evidence(iris_study.case(3)), parts=["map"])):
        (part,) = [part for part in document.parts if part.name == "map"]
        assert part.blocks[0] == Words((bad.words,))
        assert bad.words.startswith("This map says hardly anything: ")
    assert MapAgreement(share=0.9, chance=0.5, n_rows=100).words == ""


def test_shares_are_per_cents_in_the_report_of_a_case_as_well(iris_study):
    frames = [
        block.frame
        for part in (
            model_report(iris_study, parts=["summary"]),
            case_report(Evidence(iris_study.case(1)), parts=["model"]),
        )
        for block in part.parts[0].blocks
        if isinstance(block, ReportTable) and "measure" in block.frame
    ]
    assert len(frames) == 2
    expected = percent(float(judge_model(iris_study).accuracy))
    for frame in frames:
        assert frame.set_index("measure").loc["accuracy", "model"] == expected


def test_how_missing_values_are_filled_is_said():
    random = np.random.default_rng(0)
    a, k = random.normal(size=300), random.choice(["u", "v"], 300)
    y = np.where(a + 1.5 * (k == "u") + 0.3 * random.normal(size=300) > 0.75, "p", "n")
    frame = pd.DataFrame({"a": a, "k": k, "y": y})
    frame.loc[[0, 1, 2], "a"] = np.nan
    rare = frame.copy()
    rare.loc[5, "k"] = None
    often = frame.copy()
    often.loc[frame.index[::4], "k"] = None
    said = {}
    for name, table in (("rare", rare), ("often", often)):
        read = read_table(table.to_csv(index=False).encode())
        roles = guess_roles(read, target="y").roles
        study = fit_study(read, roles, settings=FitSettings(lambda_v=1e-6, lambda_w=1e-8))
        assert set(study.used_columns) == {"a", "k"}
        (words,) = (
            b.lines[0]
            for b in model_report(study, parts=["data"]).parts[0].blocks
            if isinstance(b, Words) and "issing" in b.lines[0]
        )
        said[name] = words
    assert said["rare"] == (
        "Missing values are filled: a (3) with the median; k (1) with the most frequent value of the training rows."
    )
    assert "a (3) with the median of the training rows." in said["often"]
    assert said["often"].endswith("Missing counts as a value of its own: k (75).")


def test_the_report_of_a_case_says_what_contradicts():
    study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    evidence = Evidence(study.case(298))
    assert evidence.contradictions.words
    verdict = case_report(evidence, parts=["verdict"]).parts[0].blocks[0].lines
    assert set(evidence.contradictions.words) <= set(verdict)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::proset.engine.no_features.NoActiveFeatureWarning")
def test_a_model_without_prototypes_tells_no_row_from_another():
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FitSettings(lambda_v=10.0))
    assert not study.used_columns
    whole = to_html(model_report(study))
    assert "less familiar half" not in whole
    assert "less familiar half" in to_html(model_report(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))))
    one = to_html(case_report(Evidence(study.case(3))))
    assert "The model uses no column: all known cases are alike to it." in one
    assert "Training rows most like the case" not in one


def test_a_case_is_written_with_the_numbers_of_its_pictures(iris_study):
    row = int(iris_study.split.train[0])
    document = case_report(Evidence(iris_study.case(row)), parts=["evidence", "beside", "nearest", "shap", "change"])
    assert document.title.startswith(f"Row {row} of ")
    tables = [block.frame for part in document.parts for block in part.blocks if isinstance(block, ReportTable)]
    similar = [text for frame in tables for name in frame if str(name).startswith("similarity") for text in frame[name]]
    assert similar
    assert all(re.fullmatch(r"|0|1|0\.\d\d|(under|over) 0\.\d\d", text) for text in similar)
    (shap,) = (frame for frame in tables if str(frame.iloc[0, 0]).startswith("estimate for the reference"))
    assert shap.iloc[0, 1:].str.endswith("%").all()
    assert shap.iloc[1:-1, 1:].map(lambda text: re.fullmatch(r"[+−]\d+\.\d", text) is not None).to_numpy().all()


def test_tables_of_a_case_are_written_alike(study):
    row = int(study.split.held_out[0])
    names = ["evidence", "beside", "values", "familiarity"]
    document = case_report(Evidence(study.case(row)), parts=names)
    tables = {part.name: [b.frame for b in part.blocks if isinstance(b, ReportTable)] for part in document.parts}
    familiar = tables["familiarity"][0]["adds"]
    assert familiar.iloc[1:-1].map(lambda text: re.fullmatch(r"[+−][\d,]+(\.\d+)?", text) is not None).all()
    assert len({len(text.partition(".")[2]) for text in familiar.iloc[1:-1]}) == 1
    lines, beside, values = tables["evidence"][0], tables["beside"][-1], tables["values"][0]
    assert not lines["what counts"].iloc[len(study.classes) :].duplicated().any()  # a row counts in several batches
    assert set(lines.loc[lines["what counts"] == "class share", "similarity"]) == {""}
    own = dict(zip(beside["column"], beside.iloc[:, 1], strict=True))
    numbers = values[values["column"].isin(["age", "weight"]) & (values["value"] != "missing")]
    assert len(numbers)
    assert [own[name] for name in numbers["column"]] == numbers["value"].tolist()


def test_a_change_that_is_left_to_a_person_is_not_said(study):
    rule = DecisionRule(leave_below=1.0)
    evidence = Evidence(
        study.case(next(row for row in study.split.held_out if Evidence(study.case(row)).flip.flips)), rule=rule
    )
    (part,) = case_report(evidence, parts=["change"]).parts
    (then,) = (block.frame["is then said"] for block in part.blocks if isinstance(block, ReportTable))
    assert then.str.endswith("(left to a person)").all()


@pytest.mark.filterwarnings("ignore::proset.engine.no_features.NoActiveFeatureWarning")
def test_without_prototypes_no_case_is_called_familiar_and_nothing_is_counted_as_0(iris_study):
    study = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))
    assert "It keeps no prototype and looks at no feature." in to_html(model_report(study, parts=["summary"]))
    evidence = CaseEvidence(study, CaseRef.in_table(3))
    chip = verdict(evidence).chips[0]
    assert (chip.text, chip.doubt) == ("no prototype speaks for it", True)
    assert "as familiar" not in chip.help
    for bar in plot_contributions(evidence.report).data[:-1]:
        assert list(bar.text) == ["class shares"]
        assert bar.insidetextfont.color == style.INK  # a pale bar has the colour of the page, nearly
