"""Actions of the pages, each with what the API has afterwards."""

from contextlib import suppress

from packhouse_client.errors import NotFound
from playwright.sync_api import Locator, Page, expect

from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack

AT_ONCE_MS = 8_000  # well before the page of a table asks by itself, each 15 s


def press(page: Page | Locator, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def confirm(page: Page, name: str, *, reason: str | None = None) -> None:
    """Press a button and the button of the same name in its dialog."""
    press(page, name)
    dialog = page.get_by_role("dialog")
    if reason is not None:
        dialog.get_by_label("Reason").fill(reason)
    press(dialog, name)


def test_the_fleet_is_paused_and_resumed(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/fleet").settle().page
    confirm(page, "Pause the fleet", reason="a migration")
    expect(page.get_by_role("main")).to_contain_text("a migration")
    with client(console) as packhouse:
        pause = packhouse.fleet.figures().pause
        assert pause is not None
        assert pause.reason == "a migration"
        confirm(page, "Resume the fleet")
        expect(page.get_by_role("button", name="Pause the fleet")).to_be_visible()
        assert packhouse.fleet.figures().pause is None


def test_limits_of_the_fleet_are_written_as_sizes(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/fleet").settle().page
    press(page, "Limits")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Bandwidth").first.fill("400MB")
    expect(dialog).to_contain_text("needs parallel runs")
    dialog.get_by_label("Parallel runs").first.fill("4")
    press(dialog, "Save limits")
    expect(dialog).to_have_count(0)
    with client(console) as packhouse:
        limits = packhouse.fleet.limits()
        assert limits.bandwidth == 400_000_000
        packhouse.fleet.put_limits(body={}, if_match=f'"{limits.version}"')


def test_a_key_is_made_shown_once_and_revoked(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/keys").settle().page
    press(page, "Make a key")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("from-the-console")
    press(dialog, "Make the key")
    secret = page.get_by_role("textbox", name="Secret").input_value()
    with client(console, secret) as packhouse:
        assert packhouse.access.whoami().role == "viewer"
    press(page, "I have stored the secret")
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke the key from-the-console").click()
    press(page.get_by_role("dialog"), "Revoke")
    expect(page.get_by_text("from-the-console")).to_have_count(0)


def test_a_table_is_paused_and_resumed_with_a_reason(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/tables/lake.shop.payments").settle().page
    confirm(page, "Pause", reason="schema change")
    expect(page.get_by_role("main")).to_contain_text("schema change", timeout=AT_ONCE_MS)
    with client(console) as packhouse:
        assert packhouse.tables.get("lake.shop.payments").pause is not None
        confirm(page, "Resume")
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible(timeout=AT_ONCE_MS)
        assert packhouse.tables.get("lake.shop.payments").pause is None


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


def test_a_catalog_is_checked_step_by_step(open_page: OpenPage) -> None:
    page = open_page("/catalogs/lake").settle().page
    press(page, "Check the connection")
    expect(page.get_by_text("The connection works")).to_be_visible()


def test_a_policy_of_a_wider_scope_is_made_and_deleted(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/policies").settle().page
    press(page, "Create a policy")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("night")
    press(dialog, "Continue in the editor")
    page.locator(".cm-content").click()
    page.keyboard.insert_text("limits:\n  parallel_groups: 2\n")
    expect(page.get_by_role("region", name="What would change")).to_contain_text("limits.parallel_groups")
    press(page, "Create policy")
    expect(page.get_by_text("Version 1, saved")).to_be_visible()
    with client(console) as packhouse:
        assert packhouse.policies.get("night").policy.to_document()["limits"] == {"parallel_groups": 2}
        page.get_by_role("button", name="Delete the policy night").click()
        press(page.get_by_role("dialog"), "Delete policy")
        expect(page.get_by_role("dialog")).to_have_count(0)
        with suppress(NotFound):
            packhouse.policies.get("night")
            raise AssertionError("the policy is still there")


def test_an_earlier_version_of_a_policy_is_restored(console: Stack, open_page: OpenPage) -> None:
    table = "lake.runs.first"
    with client(console) as packhouse:
        packhouse.table_policies.put(table, body={"priority": "low"}, if_none_match="*")
        packhouse.table_policies.put(table, body={"priority": "high"}, if_match='"1"')
        page = open_page(f"/tables/{table}/policy").settle().page
        press(page, "Show version 1")
        page.get_by_role("button", name="Restore").click()
        press(page.get_by_role("dialog"), "Restore")
        expect(page.get_by_text("Version 3, saved")).to_be_visible()
        assert packhouse.table_policies.get(table).policy.to_document() == {"priority": "low"}


def test_the_audit_log_shows_what_changed(open_page: OpenPage) -> None:
    page = open_page("/audit?action=catalog.create").settle().page
    page.get_by_role("button", name="Show the change catalog.create").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("sqlite:///")


def test_runs_are_filtered_by_the_address_of_the_page(open_page: OpenPage) -> None:
    page = open_page("/runs?state=failed").settle().page
    expect(page.get_by_role("link", name="lake.shop.orders")).to_have_count(0)
    page = open_page("/runs?state=succeeded&table=lake.shop.orders").settle().page
    expect(page.get_by_role("link", name="lake.shop.orders").first).to_be_visible()
