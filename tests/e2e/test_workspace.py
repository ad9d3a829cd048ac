"""Nothing is lost: a reload, a killed server, another window; and what is kept can be listed, deleted and removed."""

from __future__ import annotations

import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from patience import read_until
from playwright.sync_api import expect

from proset.workspace import KeptStudy, Workspace, workspace_address

pytestmark = pytest.mark.e2e

APP = "[data-testid='stApp']"


def table(path: Path, n_rows: int = 160, n_columns: int = 2) -> Path:
    """Write a table with two classes that overlap."""
    drawn = random.Random(1)
    lines = [",".join(f"x{number}" for number in range(n_columns)) + ",kind"]
    for row in range(n_rows):
        values = [f"{drawn.gauss(row % 2, 1.5):.3f}" for _ in range(n_columns)]
        lines.append(",".join([*values, "ab"[row % 2]]))
    path.write_text("\n".join(lines))
    return path


def upload(visit: Any, path: Path) -> None:
    """Open a file on the Data page."""
    visit.open("/data")
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_role("heading", name=path.name)).to_be_visible()
    visit.settle()


def line(visit: Any) -> Any:
    """The line above every page: data, model and case."""
    return visit.page.locator(".st-key-frame-line")


def studies_kept(keeping: Any) -> list[KeptStudy]:
    """Studies as the workspace has them, those touched last first."""
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(keeping.folder)}))
    try:
        return [workspace.read(card.id) for card in workspace.cards()]
    finally:
        workspace.close()


def search_kept(keeping: Any) -> Any:
    """Record of the search under way, as the workspace has it."""
    return json.loads(studies_kept(keeping)[0].work or "{}").get("search", {}).get("record")


@pytest.mark.slow
def test_a_reload_and_a_killed_server_take_nothing_along(kept_visit, keeping, tmp_path):
    upload(kept_visit, table(tmp_path / "herd.csv", 6000, 16))  # searched for longer than a slow page takes to be drawn
    kept_visit.fit()
    kept_visit.go("Case")
    kept_visit.page.get_by_role("button", name=re.compile("Next ")).click()
    kept_visit.settle()
    shown = kept_visit.page.locator(".st-key-frame-line").get_by_role("link", name="Row").inner_text().split("\n")[-1]
    kept_visit.page.reload()
    kept_visit.settle()
    expect(line(kept_visit)).to_contain_text("herd.csv")
    expect(line(kept_visit)).to_contain_text("model fitted")
    expect(line(kept_visit)).to_contain_text(shown)

    kept_visit.go("Fit")
    kept_visit.page.get_by_text("Change it").first.click()
    kept_visit.settle()
    kept_visit.page.get_by_test_id("stMain").get_by_role("radio", name="Search", exact=True).click()
    kept_visit.settle()
    kept_visit.page.locator(".st-key-search-start button").click()
    assert read_until(lambda: search_kept(keeping), bool), "the search wrote nothing down"
    with kept_visit.held_work():
        keeping.kill()
    keeping.start()
    kept_visit.page.reload()
    kept_visit.settle()
    expect(line(kept_visit)).to_contain_text("model fitted")
    expect(line(kept_visit)).to_contain_text(shown)
    kept_visit.go("Fit")
    expect(kept_visit.page.get_by_text("Stopped after").first).to_be_visible()
    expect(kept_visit.page.get_by_text("It is kept with this study.")).to_be_visible()
    with kept_visit.held_work():
        kept_visit.page.get_by_role("button", name="Resume").click()
        expect(kept_visit.page.get_by_role("button", name="Stop", exact=True).first).to_be_visible()
    kept_visit.page.get_by_role("button", name="Stop", exact=True).first.click()
    expect(kept_visit.page.get_by_text("Stopped after").first).to_be_visible()
    kept_visit.expect_no_traceback()


@pytest.mark.exhaustive
def test_studies_are_renamed_copied_deleted_and_removed(kept_visit, keeping, tmp_path):
    upload(kept_visit, table(tmp_path / "herd.csv"))
    kept_visit.go("Start")
    page = kept_visit.page

    def more() -> None:
        page.locator("[class*='st-key-kept-']").first.get_by_role("button").first.click()

    more()
    page.get_by_role("textbox", name="Name").fill("Sheep & goats")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_text("Sheep & goats")).to_be_visible()
    kept_visit.settle()
    page.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_text("Copy of Sheep & goats")).to_be_visible()
    kept_visit.settle()
    page.keyboard.press("Escape")
    more()  # that of the copy, which was touched last
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Copy of Sheep & goats is deleted.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Continue")).to_have_count(2)
    kept_visit.settle()
    for left in (1, 0):
        more()
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_role("button", name="Continue")).to_have_count(left)
        kept_visit.settle()
        page.get_by_role("button", name="Remove for ever").click()
        expect(page.get_by_role("button", name="Remove for ever")).to_have_count(0)
        kept_visit.settle()
    assert [path for path in (keeping.folder / "files").rglob("*") if path.is_file()] == []
    assert all(b"herd.csv" not in path.read_bytes() for path in keeping.folder.glob("*") if path.is_file())
    kept_visit.expect_no_traceback()


@pytest.mark.slow
def test_two_windows_with_one_study_both_keep_their_word(kept_visit, keeping, tmp_path):
    upload(kept_visit, table(tmp_path / "herd.csv"))
    second = type(kept_visit)(kept_visit.page.context.new_page(), kept_visit.server)
    second.open("/data" + kept_visit.address.partition("/data")[2])
    expect(line(second)).to_contain_text("herd.csv")
    for visit, seed in ((kept_visit, 5), (second, 7)):
        visit.page.get_by_text("Which rows are held out").first.click()
        box = visit.page.get_by_role("spinbutton", name="Seed of the split")
        box.fill(str(seed))
        box.press("Enter")
        visit.settle()
    # Who was slower is told at once, and is at the address of a study of their own.
    expect(
        second.page.get_by_text("was changed in another window meanwhile. Your own changes go on").first
    ).to_be_visible()
    expect(second.page).not_to_have_url(re.compile(re.escape(kept_visit.address.rpartition("open=")[2])))
    kept_visit.go("Start")
    expect(kept_visit.page.get_by_text("herd.csv (another window)")).to_be_visible()
    seeds = [json.loads(study.choices)["recipe"]["split"]["seed"] for study in studies_kept(keeping)]
    assert sorted(seeds) == [5, 7]
    kept_visit.expect_no_traceback()


@pytest.mark.slow
def test_a_window_that_had_lost_its_connection_shares_nothing_with_the_one_that_took_it_over(kept_visit):
    page, sockets, away = kept_visit.page.context.new_page(), [], threading.Event()

    def connect(socket: Any) -> None:
        if away.is_set():
            socket.close()
            return
        sockets.extend((socket.connect_to_server(), socket))

    page.route_web_socket("**/_stcore/stream", connect)
    page.goto(f"{kept_visit.server}/quality?data=cancer&fit=1")
    shown = page.locator(".st-key-frame-line")
    expect(shown).to_contain_text("Breast cancer")
    expect(page).to_have_url(re.compile("data=cancer&fit=1"))
    expect(page.locator(f"{APP}[data-test-script-state='notRunning']")).to_be_visible()
    away.set()
    for socket in sockets:
        socket.close()
    kept_visit.open(page.url.removeprefix(kept_visit.server))
    away.clear()
    kept_visit.go("Start")
    kept_visit.page.locator(".st-key-start-penguins button").click()
    expect(line(kept_visit)).to_contain_text("enguins")
    kept_visit.settle()
    expect(page.locator(f"{APP}[data-test-connection-state='CONNECTED']")).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Features", exact=True).click()
    expect(page.get_by_text("goes on in another window")).to_be_visible()
    expect(shown).to_contain_text("Breast cancer")
    expect(page).to_have_url(re.compile("/features[?]data=cancer"))
    expect(line(kept_visit)).to_contain_text("enguins")
