"""Runs: filters, and the ways to a new run."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.actions.buttons import confirm, press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


def test_runs_are_filtered_by_the_address_of_the_page(open_page: OpenPage) -> None:
    page = open_page("/runs?state=failed").settle().page
    expect(page.get_by_role("link", name="lake.shop.orders")).to_have_count(0)
    page = open_page("/runs?state=succeeded&table=lake.shop.orders").settle().page
    expect(page.get_by_role("link", name="lake.shop.orders").first).to_be_visible()


@pytest.mark.deep
def test_a_run_begins_in_the_list_and_ends_in_a_printed_report(console: Stack, open_page: OpenPage) -> None:
    """Choose the table, restrict its partitions, start, print the report, and run the same again."""
    watched = open_page("/runs").settle()
    page = watched.page
    press(page, "Submit a run")
    page.get_by_role("dialog").get_by_role("textbox", name="Table").fill("runs.third")
    page.get_by_role("dialog").get_by_role("link", name="lake.runs.third").click()
    dialog = page.get_by_role("dialog", name="Run")
    expect(dialog).to_contain_text("the day of at")
    press(dialog, "Add a condition")
    dialog.get_by_label("Column of condition 1").click()
    page.get_by_role("option").first.click()
    dialog.get_by_label("Value of condition 1").fill("2026-01-01")
    dialog.get_by_label("Comparison of condition 1").click()
    page.get_by_role("option", name="is not", exact=False).first.click()
    dialog.get_by_text("Every file", exact=True).click()
    press(dialog, "Preview the plan")
    expect(dialog.get_by_role("table", name="File groups of the plan")).to_be_visible()
    press(dialog, "Start the run")
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("Everything planned was committed.")).to_be_visible(timeout=60_000)
    page.evaluate("window.print = () => { window.printed = true }")
    press(page, "Print report")
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print report")).not_to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.emulate_media(media="screen")
    first = page.url
    confirm(page, "Run again")
    page.wait_for_url(lambda url: "/runs/run_" in url and url != first)
    with client(console) as packhouse:
        runs = list(packhouse.runs.list(table_id="lake.runs.third"))
        assert len(runs) == 2
        requests = [packhouse.runs.get(run.id).request for run in runs]
    assert requests[0].partitions == requests[1].partitions
    assert requests[0].partitions


@pytest.mark.deep
def test_events_and_groups_of_a_run_are_looked_through(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        run = next(iter(packhouse.runs.list(table_id="lake.shop.orders", state="succeeded")))
    page = open_page(f"/runs/{run.id}").settle().page
    grid = page.get_by_role("group", name="Groups as a grid; arrow keys select one")
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Group 0, committed")).to_be_visible()
    page.get_by_label("Which events").select_option(index=1)
    expect(page).to_have_url(re.compile("events="))
    page.get_by_role("button", name="Details of event").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("sequence")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("link", name="Open the table").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("lake.shop.orders")
    page.get_by_role("tab", name="Runs").click()
    page.get_by_role("link", name="Open in runs, with filters").click()
    expect(page).to_have_url(re.compile("table=lake.shop.orders"))
