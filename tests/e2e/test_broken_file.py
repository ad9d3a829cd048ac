"""A file that cannot be read: a message that helps, and everything that was there before still is."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect
from variants import main_cases

pytestmark = pytest.mark.e2e

BROKEN = {
    "binary": ("picture.csv", b"\x89PNG\r\n\x1a\n" + random.Random(0).randbytes(4000)),
    "header": ("only_header.csv", b"a;b;c\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", main_cases(BROKEN, only=["binary"]))
def test_a_broken_file_is_refused_in_words_and_changes_nothing(visit, tmp_path, kind):
    visit.open("/case?data=iris_2f&fit=own&row=71")
    said = visit.page.get_by_text("at least as familiar as").first
    expect(said).to_be_visible()
    visit.settle()
    sentence = said.text_content()
    assert "%" in sentence
    address = visit.address

    name, content = BROKEN[kind]
    path = tmp_path / name
    path.write_bytes(content)
    visit.go("Data")
    visit.page.get_by_text("Open other data").click()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    message = visit.page.get_by_test_id("stAlert").filter(has_text=name)
    expect(message.first).to_be_visible()
    visit.settle()
    assert len(message.first.inner_text()) > len(name) + 20, "the message says nothing"
    visit.expect_no_traceback()

    visit.go("Case")
    expect(said).to_be_visible()
    visit.settle()
    expect(said).to_have_text(sentence)
    expect(visit.page).to_have_url(address)


@pytest.mark.slow
def test_a_delimiter_that_is_in_no_list_can_be_typed_in_where_the_file_was_refused(visit, tmp_path):
    path = tmp_path / "colons.csv"
    path.write_text("size:kind\n" + "".join(f"{i % 7}:{'xy'[i % 2]}\n" for i in range(40)))
    visit.open("/data")
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_test_id("stAlert").filter(has_text="No delimiter").first).to_be_visible()
    box = visit.page.get_by_role("combobox", name="Columns separated by")
    box.fill(":")
    box.press("Enter")
    visit.press("Read it this way")
    expect(visit.page.get_by_role("heading", name="colons.csv")).to_be_visible()
    visit.expect_no_traceback()
    expect(visit.page.locator(".st-key-frame-line")).to_contain_text("40 rows")
