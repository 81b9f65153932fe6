"""Actions on one table and its catalog, each with what the API has afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from packhouse_client.errors import NotFound
from playwright.sync_api import expect

from engine.embedded.demo_table import write_demo_table
from tests.console.conftest import OpenPage, client
from tests.console.test_actions import confirm, press
from tests.support.stack import Stack

ADDRESS = "lake.steps.deeds"


@pytest.fixture(scope="module")
def written(console: Stack) -> str:
    """A table that is not registered yet."""
    write_demo_table(
        catalog_properties=console.catalog_properties, name=ADDRESS, files=6, partitions=1, total_bytes=6 * 2**16
    )
    return ADDRESS


@pytest.fixture
def table(console: Stack, written: str) -> Iterator[str]:
    """The table, registered; its registration ends with the test."""
    catalog, namespace, name = written.split(".")
    with client(console) as packhouse:
        packhouse.tables.register(body={"catalog": catalog, "namespace": [namespace], "name": name})
        yield written
        packhouse.tables.delete(written)


def test_a_table_is_registered_by_its_address_and_unregistered(
    console: Stack, open_page: OpenPage, written: str
) -> None:
    page = open_page("/tables").settle().page
    press(page, "Register a table")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address").fill(written)
    press(dialog, "Register")
    expect(page.get_by_role("heading", level=1)).to_have_text(written)
    press(page, "Unregister")
    dialog.get_by_label("Type the address to confirm").fill(written)
    press(dialog, "Unregister")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tables")
    with client(console) as packhouse, pytest.raises(NotFound):
        packhouse.tables.get(written)


def test_owner_and_labels_are_edited(console: Stack, open_page: OpenPage, table: str) -> None:
    page = open_page(f"/tables/{table}").settle().page
    press(page, "Edit owner and labels")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Owner team").fill("deeds")
    dialog.get_by_label("Labels").fill("tier:silver")
    page.keyboard.press("Enter")
    press(dialog, "Save")
    expect(dialog).to_have_count(0)
    with client(console) as packhouse:
        stored = packhouse.tables.get(table)
    assert (stored.owner_team, stored.labels) == ("deeds", {"tier": "silver"})


def test_upkeep_is_previewed_listed_and_run(console: Stack, open_page: OpenPage, table: str, tmp_path: Path) -> None:
    """Expiry of snapshots with their files: what would go, as a list, then the run and the list of what went."""
    expiry = {"older_than": "1s", "keep_last": 1, "delete_files": True}
    with client(console) as packhouse:
        packhouse.table_policies.put(table, body={"maintenance": {"expire_snapshots": expiry}}, if_none_match="*")
        done = packhouse.runs.submit(body={"table_id": table, "every_file": True})
        assert packhouse.wait_for_run(done.id, timeout=60).state == "succeeded"
    page = open_page(f"/tables/{table}?tab=upkeep").settle().page
    card = page.locator(".card").filter(has_text="Expire snapshots")
    with page.expect_download() as foreseen:
        press(card, "Download the list of files (CSV)")
    press(card, "Preview and run now")
    dialog = page.get_by_role("dialog")
    press(dialog, "Preview the plan")
    expect(dialog).to_contain_text("snapshots")
    press(dialog, "Start the run")
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("succeeded").first).to_be_visible(timeout=60_000)
    with page.expect_download() as deleted:
        page.get_by_role("button", name="CSV").click()
    before, after = (tmp_path / "before.csv"), (tmp_path / "after.csv")
    foreseen.value.save_as(before)
    deleted.value.save_as(after)
    assert len(before.read_text().splitlines()) > 6
    assert before.read_text() == after.read_text()


def test_a_purge_needs_its_preview_and_the_typed_address(console: Stack, open_page: OpenPage, table: str) -> None:
    with client(console) as packhouse:
        done = packhouse.runs.submit(body={"table_id": table, "every_file": True})
        assert packhouse.wait_for_run(done.id, timeout=60).state == "succeeded"
    page = open_page(f"/tables/{table}?tab=upkeep").settle().page
    press(page, "Preview a purge")
    dialog = page.get_by_role("dialog")
    start = dialog.get_by_role("button", name="Purge the history")
    expect(start).to_be_disabled()
    press(dialog, "Preview the plan")
    dialog.get_by_label("Type the address of the table to confirm").fill("lake.steps.other")
    expect(start).to_be_disabled()
    dialog.get_by_label("Type the address of the table to confirm").fill(table)
    start.click()
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("succeeded").first).to_be_visible(timeout=60_000)


def test_quiet_hours_are_added_as_a_row_and_drawn(console: Stack, open_page: OpenPage, table: str) -> None:
    page = open_page(f"/tables/{table}/policy").settle().page
    page.locator(".cm-content").wait_for()
    press(page, "Add a window")
    window = page.get_by_role("list", name="Windows").get_by_role("listitem").first
    window.get_by_label("From").fill("22:00")
    window.get_by_label("To").fill("06:00")
    window.get_by_label("Time zone").fill("America/New_York")
    expect(page.get_by_role("region", name="What would change")).to_contain_text("quiet_hours")
    expect(page.get_by_role("img", name="Quiet hours in America/New_York")).to_be_visible()
    expect(page.get_by_text("does not exist").first).to_be_visible()
    press(page, "Save")
    expect(page.get_by_text("All changes are saved.")).to_be_visible()
    with client(console) as packhouse:
        (stored,) = packhouse.table_policies.get(table).policy.to_document()["quiet_hours"]
        items = packhouse.tables.windows(table, hours=168).items
    assert (stored["from"], stored["to"], stored["time_zone"]) == ("22:00", "06:00", "America/New_York")
    assert items


def test_a_catalog_is_paused_granted_and_deleted(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        body = {"name": "spare", "format": "iceberg", "properties": dict(console.catalog_properties)}
        packhouse.catalogs.create(body=body)
        page = open_page("/catalogs/spare").settle().page
        confirm(page, "Pause", reason="moved")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        assert packhouse.catalogs.get("spare").pause is not None
        confirm(page, "Resume")
        page.get_by_role("tab", name="Grants").click()
        press(page, "Change grants")
        dialog = page.get_by_role("dialog")
        press(dialog, "Add a grant")
        dialog.get_by_role("textbox", name="Team").last.fill("sales")
        dialog.get_by_label("register:").last.check()
        press(dialog, "Save grants")
        expect(page.get_by_role("region", name="Grants of the catalog")).to_contain_text("sales")
        press(page, "Delete")
        page.get_by_label("Type spare to confirm").fill("spare")
        press(page.get_by_role("dialog"), "Delete")
        expect(page.get_by_role("heading", level=1)).to_have_text("Catalogs")
        with pytest.raises(NotFound):
            packhouse.catalogs.get("spare")
