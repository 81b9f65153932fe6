"""The way of a new user in the browser alone: from an empty service to a compacted table and an understood policy."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.embedded.demo_table import write_demo_table
from tests.console.conftest import OpenPage
from tests.support.stack import Stack, started

pytestmark = pytest.mark.deep

ADDRESS = "lake.web.visits"


def test_a_new_user_compacts_a_table_and_limits_it_without_leaving_the_browser(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with started(tmp_path, PACKHOUSE_WATCH="off") as stack:
        write_demo_table(
            catalog_properties=stack.catalog_properties, name=ADDRESS, files=30, partitions=3, total_bytes=30 * 2**16
        )
        watched = open_page("/", key=None, url=stack.url)
        page = watched.page
        page.get_by_label("API key").fill(stack.key)
        page.get_by_role("button", name="Sign in", exact=True).click()
        create_catalog(page, stack)
        register(page)
        page.get_by_role("link", name="web.visits").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(ADDRESS)
        compact(page)
        limit(page)
        assert watched.settle().violations() == []
        page.close()


def create_catalog(page: Page, stack: Stack) -> None:
    page.get_by_role("link", name="Create a catalog").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name", exact=False).first.fill("lake")
    dialog.get_by_text("SQL", exact=True).click()
    for number in range(4):
        row = dialog.get_by_role("group", name=f"Property {number + 1}")
        if row.count():
            name = row.get_by_label("Name").input_value()
            row.get_by_label("Value").fill(stack.catalog_properties.get(name, ""))
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("The connection works")).to_be_visible()


def register(page: Page) -> None:
    page.get_by_role("tab", name="Discover tables").click()
    page.get_by_role("button", name="Show what would be registered").click()
    page.get_by_role("button", name="Register 1 table").click()
    page.get_by_role("dialog").get_by_role("button", name="Register 1 table").click()
    expect(page.get_by_role("table", name="Tables found")).to_contain_text("registered")


def compact(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Preview the plan").click()
    expect(dialog).to_contain_text("30 → 3")
    dialog.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("Everything planned was committed.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile(r"\d+ of \d+ checks hold"))).to_be_visible()


def limit(page: Page) -> None:
    page.get_by_role("link", name="Open the table").click()
    page.get_by_role("link", name="Policy", exact=True).click()
    page.get_by_label("Find a setting").fill("bandwidth")
    field = page.get_by_role("group", name="limits.bandwidth")
    field.get_by_label("limits.bandwidth").fill("80MB")
    expect(page.get_by_role("region", name="What would change")).to_contain_text("limits.bandwidth")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Version 1, saved")).to_be_visible()
    expect(field).to_contain_text("set here")
