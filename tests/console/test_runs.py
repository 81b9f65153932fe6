"""Runs from the console: previewed, submitted, watched, cancelled; and what a viewer sees."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


def test_a_run_is_previewed_submitted_and_watched_to_its_proof(console: Stack, open_page: OpenPage) -> None:
    """U18: the decision of each partition before, and the work on each of them during the run."""
    watched = open_page("/tables/lake.runs.first").settle()
    page = watched.page
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Preview the plan").click()
    expect(dialog).to_contain_text("8 → 2in 2 file groups")
    assert watched.violations() == []
    dialog.get_by_role("button", name="Start the run").click()
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("succeeded").first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", name="Verification")).to_be_visible()
    groups = page.get_by_role("table", name="File groups")
    expect(groups.get_by_role("row", name="committed")).to_have_count(2)


@pytest.mark.deep
def test_a_run_is_cancelled_from_its_page(console: Stack, open_page: OpenPage) -> None:
    slow = {"rewrite": {"min_input_files": 2}, "limits": {"bandwidth": "64KiB"}}
    with client(console) as packhouse:
        packhouse.table_policies.replace("lake.runs.second", body=slow, if_none_match="*")
        run = packhouse.runs.submit(body={"table_id": "lake.runs.second", "operation": "rewrite"})
        page = open_page(f"/runs/{run.id}").page
        page.get_by_role("button", name="Cancel the run").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
        expect(page.get_by_text("cancelled").first).to_be_visible(timeout=60_000)
        assert packhouse.runs.get(run.id).state == "cancelled"


def test_a_viewer_sees_everything_and_can_change_nothing(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        key = packhouse.keys.create(body={"name": "looks", "role": "viewer"}).secret
    watched = open_page("/tables/lake.shop.payments", key=key).settle()
    page = watched.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_have_attribute("aria-disabled", "true")
    run.click(force=True)
    run.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("operator")
    page.goto(f"{console.url}/console/tables/lake.shop.payments/policy")
    expect(page.get_by_text("Read-only for you.")).to_be_visible()
    page.goto(f"{console.url}/console/keys")
    expect(page.get_by_text("admin").first).to_be_visible()
    assert watched.settle().violations() == []
    assert set(sent) <= {"GET"}


@pytest.mark.deep
def test_a_table_that_is_unregistered_while_it_is_open_is_said_to_be_gone(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/tables/lake.runs.gone").settle().page
    with client(console) as packhouse:
        packhouse.tables.delete("lake.runs.gone")
    page.get_by_role("tab", name="Explain").click()
    expect(page.get_by_role("alert").or_(page.get_by_text("unregistered")).first).to_be_visible(timeout=60_000)


@pytest.mark.deep
def test_ages_are_right_on_a_machine_whose_clock_is_hours_off(open_page: OpenPage) -> None:
    watched = open_page("/formats").settle()
    watched.page.add_init_script("const real = Date.now; Date.now = () => real() + 7 * 3600e3;")
    watched.go("/tables").settle()
    row = watched.page.get_by_role("row", name="lake.shop.orders")
    expect(row).to_contain_text("ago")
    assert re.search(r"\d+ h .*ago", row.inner_text()) is None


def test_a_page_of_an_older_build_asks_to_be_reloaded(open_page: OpenPage) -> None:
    watched = open_page("/formats").settle()
    page = watched.page
    page.route("**/console/assets/*Page-*.js", lambda route: route.fulfill(status=404, body=""))
    page.get_by_role("link", name="Audit", exact=True).click()
    expect(page.get_by_text("The server has a newer version of this console")).to_be_visible()
    watched.problems.clear()  # the missing file is an error of its own in the browser's log


@pytest.mark.deep
def test_every_action_is_copied_as_a_command(open_page: OpenPage) -> None:
    page = open_page("/tables/lake.shop.payments").settle().page
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Copy as").click()
    page.get_by_role("menuitem", name="Copy as curl").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("curl -sS -X POST ")
    assert "$PACKHOUSE_API_KEY" in copied
    assert "pkh_" not in copied
