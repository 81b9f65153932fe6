"""One table: registration, owner and labels, pause, freeze."""

import re
import sqlite3

import pytest
from packhouse_client.errors import NotFound
from playwright.sync_api import expect

from tests.console.actions.buttons import confirm, press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack

AT_ONCE_MS = 8_000  # well before the page of a table asks by itself, each 15 s


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


@pytest.mark.deep
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


def test_a_table_is_paused_and_resumed_with_a_reason_and_a_run_says_that_it_would_wait(
    console: Stack, open_page: OpenPage
) -> None:
    page = open_page("/tables/lake.shop.payments").settle().page
    confirm(page, "Pause", reason="schema change")
    expect(page.get_by_role("main")).to_contain_text("schema change", timeout=AT_ONCE_MS)
    with client(console) as packhouse:
        assert packhouse.tables.get("lake.shop.payments").pause is not None
        press(page, "Run")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("The run would wait before it begins")).to_be_visible()
        expect(dialog.get_by_role("status")).to_contain_text("resuming the table ends it. Its end is not known.")
        expect(dialog.get_by_role("button", name="Queue the run")).to_be_visible()
        page.keyboard.press("Escape")
        confirm(page, "Resume")
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible(timeout=AT_ONCE_MS)
        assert packhouse.tables.get("lake.shop.payments").pause is None


def test_labels_changed_by_another_person_are_kept(console: Stack, open_page: OpenPage, table: str) -> None:
    """The later save is refused, the other's version is shown, and both changes are there in the end."""
    page = open_page(f"/tables/{table}").settle().page
    press(page, "Edit owner and labels")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Owner team").fill("late")
    with client(console) as packhouse:
        stored = packhouse.tables.get(table)
        packhouse.tables.update(table, body={"labels": {"tier": "gold"}}, if_match=f'"{stored.version}"')
        press(dialog, "Save")
        press(dialog, "Keep my text and compare with the current version")
        expect(dialog).to_contain_text("tier:gold")
        press(dialog, "Save")
        expect(dialog).to_have_count(0)
        stored = packhouse.tables.get(table)
    assert stored.owner_team == "late"


@pytest.mark.deep
def test_a_frozen_table_says_why_and_is_unfrozen(console: Stack, open_page: OpenPage, table: str) -> None:
    with client(console) as packhouse:
        stored = packhouse.tables.get(table)
        done = packhouse.runs.submit(body={"table_id": table, "operation": "rewrite", "every_file": True})
        assert packhouse.wait_for_run(done.id, timeout=60).state == "succeeded"
        with sqlite3.connect(console.lake.parent / "data" / "packhouse.sqlite3") as record:
            record.execute(
                "UPDATE tables SET frozen_at = created_at, frozen_by = ?, frozen_snapshot_id = '77', "
                "freeze_reason = 'rows differ' WHERE id = ?",
                [done.id, stored.id],
            )
        page = open_page(f"/tables/{table}").settle().page
        expect(page.get_by_role("main")).to_contain_text("rows differ")
        confirm(page, "Unfreeze", reason="inspected")
        expect(page.get_by_role("button", name="Unfreeze")).to_have_count(0, timeout=AT_ONCE_MS)
        assert packhouse.tables.get(table).freeze is None


@pytest.mark.deep
def test_partitions_are_ordered_and_the_decision_is_explained_again(open_page: OpenPage) -> None:
    page = open_page("/tables/lake.web.clicks?tab=partitions").settle().page
    page.get_by_role("combobox", name="Order").click()
    page.get_by_role("option").nth(1).click()
    expect(page).to_have_url(re.compile("sort="))
    expect(page.get_by_role("table", name="List of partitions").locator("tbody tr").first).to_be_visible()
    page.get_by_role("tab", name="Explain").click()
    with page.expect_response("**/explain"):
        press(page, "Explain again")
    page.get_by_text(re.compile("^All [0-9]+$")).click()
    page.get_by_label("Search settings").fill("target_file_bytes")
    expect(page.get_by_role("region", name="List of settings")).to_contain_text("rewrite.target_file_bytes")
