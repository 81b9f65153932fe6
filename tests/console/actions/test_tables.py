"""The list of tables: search, and one action for many tables."""

import pytest
from playwright.sync_api import expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


@pytest.mark.deep
def test_many_tables_get_a_label_together(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/tables?search=lake.shop").settle().page
    page.get_by_role("checkbox", name="Select lake.shop.orders").check()
    page.get_by_role("checkbox", name="Select lake.shop.payments").check()
    bar = page.get_by_role("group", name="Actions on the selected tables")
    bar.get_by_role("button", name="Label").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Key").fill("tier")
    dialog.get_by_role("textbox", name="Value").fill("gold")
    dialog.get_by_role("button", name="2 tables").click()
    expect(dialog).to_contain_text("2")
    with client(console) as packhouse:
        page.wait_for_timeout(1_000)
        labelled = {table.name for table in packhouse.tables.list(label="tier:gold")}
    assert labelled == {"orders", "payments"}


def test_the_search_and_the_filters_are_in_the_address(open_page: OpenPage) -> None:
    page = open_page("/tables").settle().page
    page.get_by_label("Search", exact=True).fill("clicks")
    expect(page.get_by_role("link", name="lake.shop.orders")).to_have_count(0)
    expect(page.get_by_role("link", name="lake.web.clicks")).to_be_visible()
    assert "search=clicks" in page.url
    page.reload()
    expect(page.get_by_label("Search", exact=True)).to_have_value("clicks")
    expect(page.get_by_role("link", name="lake.shop.orders")).to_have_count(0)


@pytest.mark.deep
def test_many_tables_are_paused_and_resumed_together(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/tables?search=lake.shop").settle().page
    page.get_by_role("checkbox", name="Select lake.shop.orders").check()
    press(page, "Selection")
    page.get_by_role("menuitem", name="Select all").click()
    bar = page.get_by_role("group", name="Actions on the selected tables")
    expect(bar).to_contain_text("2 tables selected")
    press(bar, "Pause")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("audit of the lake")
    press(dialog, "Copy as packhouse")
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(copied) == 2
    assert copied[0].startswith("packhouse tables pause lake.shop.")
    dialog.get_by_role("button", name="Pause 2 tables").click()
    expect(dialog).to_contain_text("Done: 2 tables.")
    with client(console) as packhouse:
        pauses = [table.pause for table in packhouse.tables.list(search="lake.shop")]
        assert [pause.reason for pause in pauses if pause] == ["audit of the lake"] * 2
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        press(bar, "Resume")
        dialog.get_by_role("button", name="Resume 2 tables").click()
        expect(dialog).to_contain_text("Done: 2 tables.")
        assert all(table.pause is None for table in packhouse.tables.list(search="lake.shop"))
    page.keyboard.press("Escape")
    press(page, "Selection")
    page.get_by_role("menuitem", name="Select none").click()
    expect(bar).to_have_count(0)
