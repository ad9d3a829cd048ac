"""Review: cases judged with the keyboard alone, a server that is killed meanwhile, two browsers, and files of it."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from patience import read_until
from playwright.sync_api import expect

from proset.workspace import Record, Workspace, outcomes, workspace_address
from proset.workspace.chain import verify

pytestmark = pytest.mark.e2e
WORDS = {"1": "table", "2": "model", "4": "both", "5": "faulty", "6": "undecidable"}


@pytest.fixture
def keeping(shared_keeping: Any) -> Any:
    """Give all reviews one server: each has a study of its own, and one that was killed is started again."""
    return shared_keeping


def table(path: Path) -> Path:
    """Write a table with two classes that overlap, so that many rows are said wrong."""
    drawn = random.Random(2)
    lines = ["x0,x1,kind"]
    for row in range(240):
        values = [f"{drawn.gauss(row % 2, 1.2):.3f}" for _ in range(2)]
        lines.append(",".join([*values, "ab"[row % 2]]))
    path.write_text("\n".join(lines))
    return path


def open_queue(visit: Any, path: Path, name: str = "Ann") -> None:
    """Open a file, fit it, and wait for the first case."""
    visit.open("/data")
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_role("heading", name=path.name)).to_be_visible()
    visit.settle()
    visit.fit()
    visit.go("Review")
    begin(visit, name)


def begin(visit: Any, name: str) -> None:
    """Say who reviews, and wait until training rows are listed, too."""
    box = visit.page.get_by_role("textbox", name="Your name")
    box.fill(name)
    box.press("Enter")
    expect(visit.page.get_by_role("button", name="table is right")).to_be_visible()
    expect(visit.page.get_by_text("they join the queue when that is done")).to_have_count(0)
    visit.settle()
    visit.page.get_by_role("heading", level=2).first.click()  # away from the box: keys are for the queue


def row(visit: Any) -> int:
    """The row that is drawn."""
    text = visit.page.locator("span.about").inner_text()
    found = re.search(r"Row (\d+)", text)
    assert found, text
    return int(found[1])


def records(keeping: Any) -> tuple[Record, ...]:
    """All that was said of the study that was touched last, as the workspace has it."""
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(keeping.folder)}))
    try:
        return workspace.records(workspace.cards()[0].id)
    finally:
        workspace.close()


def is_learned(visit: Any) -> bool:
    """Tell whether the row that is drawn is one that models learn from."""
    expect(visit.page.locator("div.waiting")).to_be_hidden()  # without its evidence nothing is said about a row
    return "training row" in visit.page.locator("span.about").inner_text()


def judge(visit: Any, key: str) -> tuple[int, str]:
    """Judge the case that is drawn, with keys, and wait for the next one; return its row and the verdict."""
    expect(visit.page.locator("div.waiting")).to_be_hidden()
    now = row(visit)
    if not visit.page.locator("strong.wrong").count() and key == "2":
        key = "1"  # the model says what the table says
    visit.page.keyboard.press(key)
    visit.page.keyboard.press("Enter")
    found = read_until(lambda: row(visit), lambda found: found != now)
    said = visit.page.locator(".message").all_inner_texts()
    assert found != now, f"after {key} and Enter row {now} is still there: {said}"
    return now, WORDS[key]


@pytest.mark.slow
def test_twenty_cases_are_judged_with_keys_while_the_server_is_killed(kept_visit, keeping, tmp_path):
    open_queue(kept_visit, table(tmp_path / "herd.csv"))
    judged = [judge(kept_visit, key) for key in "12" * 5]
    expect(kept_visit.page.locator(".review[data-short]")).to_have_count(0)  # what is near is in the browser
    keeping.kill()
    judged += [judge(kept_visit, key) for key in "12"]
    keeping.start()
    expect(kept_visit.page.get_by_text("not kept yet")).to_have_count(0)
    judged += [judge(kept_visit, key) for key in "1245"]
    kept_visit.page.reload()
    kept_visit.settle()
    begin(kept_visit, "Ann")
    judged += [judge(kept_visit, key) for key in "1261"]
    said = read_until(lambda: records(keeping), lambda found: len(found) == 20)
    assert [(one.judgement.row, str(one.judgement.verdict)) for one in said] == judged
    assert {one.judgement.reviewer for one in said} == {"Ann"}
    assert verify(said) == ()
    kept_visit.page.get_by_text("All verdicts", exact=True).click()  # it knows what was said since the page was loaded
    expect(kept_visit.page.get_by_text("20 verdicts, the last first.")).to_be_visible()
    kept_visit.expect_no_traceback()


@pytest.mark.slow
def test_two_browsers_review_the_same_study_and_a_third_name_settles(kept_visit, keeping, tmp_path):
    open_queue(kept_visit, table(tmp_path / "herd.csv"))
    second = type(kept_visit)(kept_visit.page.context.browser.new_context().new_page(), kept_visit.server)
    second.open("/review" + kept_visit.address.partition("/review")[2])
    begin(second, "Ben")
    mine = [judge(kept_visit, "1")]
    second.page.reload()
    second.settle()
    begin(second, "Ben")
    expect(second.page.get_by_text("Nothing that you may see is disputed.")).to_be_visible()
    expect(second.page.get_by_text("All verdicts", exact=True)).to_have_count(0)  # Ben has judged nothing yet
    theirs = [judge(second, "5")]
    for key in "12":
        mine.append(judge(kept_visit, key))
        theirs.append(judge(second, "4"))
    said = read_until(lambda: records(keeping), lambda found: len(found) == 6)
    by = {
        name: [(one.judgement.row, str(one.judgement.verdict)) for one in said if one.judgement.reviewer == name]
        for name in ("Ann", "Ben")
    }
    assert by == {"Ann": mine, "Ben": theirs}
    both = sorted({at for at, _ in mine} & {at for at, _ in theirs})
    assert both
    settle(second, "Cid", both[0])
    said = read_until(lambda: records(keeping), lambda found: len(found) == 7)
    assert verify(said) == ()
    found = outcomes(said)[both[0]]
    assert (str(found.state), found.word.reviewer) == ("settled", "Cid")
    second.expect_no_traceback()
    second.page.context.close()


def settle(visit: Any, name: str, at: int) -> None:
    """Sign between those who differ, under another name."""
    page = visit.page
    box = page.get_by_role("textbox", name="Your name")
    box.fill(name)
    box.press("Enter")
    visit.settle()
    expect(box).not_to_be_focused()  # keys are for the queue
    expect(page.get_by_role("button", name=f"Settle row {at}", exact=True)).to_have_count(0)  # not judged by Cid
    page.get_by_text("Show me all that was said").click()
    page.get_by_role("button", name=f"Settle row {at}", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").click()
    page.get_by_role("option").first.click()
    dialog.get_by_role("button", name="Settle", exact=True).click()
    expect(page.get_by_text(f"Row {at}: ").and_(page.get_by_text("settled by Cid"))).to_be_visible()


@pytest.mark.slow
def test_the_model_listens_and_says_what_became_of_it(kept_visit, keeping, tmp_path):
    open_queue(kept_visit, table(tmp_path / "herd.csv"))
    page = kept_visit.page
    relabelled = set()
    while len(relabelled) < 3:
        learned = is_learned(kept_visit)
        at, verdict = judge(kept_visit, "2")
        if learned and verdict == "model":
            relabelled.add(at)
    page.get_by_role("button", name="Fit again with what was said").click()
    heard = "This model was fitted with 3 rows learned with another class."
    expect(page.get_by_text(f"{heard} Below the queue it stands beside the one without it.")).to_be_visible()
    expect(page.get_by_text(heard)).to_have_count(1)
    expect(page.get_by_text("held-out rows that nobody reviews", exact=False).first).to_be_visible()
    workspace = Workspace(workspace_address({"PROSET_WORKSPACE": str(keeping.folder)}))
    try:
        kept = read_until(lambda: workspace.read(workspace.cards()[0].id), lambda found: len(found.models) == 2)
        now = workspace.model(kept.card.id, kept.models[-1], workspace.table(kept.card.id))
    finally:
        workspace.close()
    assert {item.row for item in now.guidance} == relabelled
    assert all(now.labels.loc[at] != now.table_labels.loc[at] for at in relabelled)
    goes_back_and_stays(kept_visit)
    takes_back(kept_visit, sorted(relabelled)[0])
    kept_visit.expect_no_traceback()


def goes_back_and_stays(visit: Any) -> None:
    """Return to the former model, where the menu of models has shown the present one, and do something else then."""
    page = visit.page
    page.get_by_role("button", name="Model 2 of 2").click()
    expect(page.get_by_text("Model shown")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Back to the model without it").click()
    expect(page.get_by_role("button", name="Model 1 of 2")).to_be_visible()
    expect(page.get_by_text("This model was fitted with")).to_have_count(0)
    for _ in range(2):
        page.get_by_text("Blind", exact=True).click()
        visit.settle()
    expect(page.get_by_role("button", name="Model 1 of 2")).to_be_visible()


def takes_back(visit: Any, at: int) -> None:
    """Take back what was said of one row, wherever the queue is by now."""
    page = visit.page
    page.get_by_text("What the next fit listens to (3)").click()
    line = page.locator("[data-testid='stHorizontalBlock']").filter(has_text=f"Row {at} is learned as").last
    line.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("What the next fit listens to (2)")).to_be_visible()
    expect(page.get_by_text(f"Row {at} is learned as")).to_have_count(0)


@pytest.mark.exhaustive
def test_a_filter_that_was_taken_away_stays_away_and_keys_are_told(kept_visit, keeping, tmp_path):
    open_queue(kept_visit, table(tmp_path / "herd.csv"))
    page = kept_visit.page
    page.get_by_role("button", name="View: all cases").click()
    page.get_by_role("combobox", name="Rows", exact=True).click()
    page.get_by_role("option", name="Held-out rows").click()
    chip = page.get_by_role("button", name="held-out rows", exact=True)
    expect(chip).to_be_visible()
    page.keyboard.press("Escape")
    chip.click()
    expect(chip).to_have_count(0)
    for _ in range(2):
        page.get_by_text("Blind", exact=True).click()
        kept_visit.settle()
    expect(chip).to_have_count(0)
    expect(page.get_by_role("button", name="View: all cases")).to_be_visible()
    page.get_by_role("heading", level=2).first.click()
    page.keyboard.press("h")
    expect(page.get_by_role("dialog")).to_contain_text("All keys")  # and no explanation of the page beside it
    kept_visit.expect_no_traceback()


@pytest.mark.exhaustive
def test_back_leads_past_the_queue_however_many_cases_were_judged(kept_visit, keeping, tmp_path):
    open_queue(kept_visit, table(tmp_path / "herd.csv"))
    for key in "121":
        judge(kept_visit, key)
    kept_visit.go("Quality")
    kept_visit.go("Review")
    judge(kept_visit, "1")
    kept_visit.go("Map")
    for title in ("Review", "Quality", "Review"):
        kept_visit.page.go_back()
        expect(kept_visit.heading(title)).to_be_visible()
        kept_visit.settle()
    now = row(kept_visit)
    kept_visit.page.reload()
    kept_visit.settle()
    expect(kept_visit.page.get_by_role("button", name="table is right")).to_be_visible()
    assert row(kept_visit) == now
    kept_visit.expect_no_traceback()
