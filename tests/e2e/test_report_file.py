"""A report in a real browser, without a network: its figures are drawn, it asks for nothing, it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.names import STRANGE, study_of
from patience import HANG
from playwright.sync_api import Browser

from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain import Evidence
from proset.report import case_report, model_report, to_html
from proset.report.make import number_report
from proset.study import fit_number_study

pytestmark = pytest.mark.e2e


@pytest.mark.exhaustive
def test_the_file_stands_alone(browser: Browser, iris_study, tmp_path: Path) -> None:
    files = {
        "model": model_report(iris_study, parts=["summary", "quality", "map", "features"]),
        "case": case_report(Evidence(iris_study.case(71))),
        "hostile": case_report(Evidence(study_of(STRANGE["html picture"]).case(1))),
    }
    context = browser.new_context(viewport={"width": 900, "height": 900}, offline=True)
    context.set_default_timeout(1_000 * HANG)
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    for name, document in files.items():
        file = tmp_path / f"{name}.html"
        file.write_text(to_html(document), encoding="utf-8")
        asked.clear()
        page.goto(file.as_uri())
        figures = page.locator("figure[data-figure]").count()
        assert figures > 0
        page.wait_for_function(f"document.querySelectorAll('figure .main-svg:first-child').length >= {figures}")
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.pdf(prefer_css_page_size=True)[:4] == b"%PDF"
    assert wrong == []
    context.close()


@pytest.mark.slow
def test_the_first_page_of_paper_holds_the_picture(browser: Browser, tmp_path: Path) -> None:
    table = read_table(("a (of b),c\n" + "".join(f"{3 * k},{k % 40}\n" for k in range(90))).encode(), name="t.csv")
    study = fit_number_study(table, guess_roles(table, target="a (of b)").roles.as_number())
    file = tmp_path / "report.html"
    file.write_text(to_html(number_report(study)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 703, "height": 1032})  # A4 without its margins
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    page.wait_for_selector("#picture .main-svg")
    bottom = page.evaluate("document.querySelector('#picture figure').getBoundingClientRect().bottom")
    assert bottom < 1032
    page.close()
