"""Upkeep of one table: preview, list of files, run; a purge."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


@pytest.mark.deep
def test_upkeep_is_previewed_listed_and_run(console: Stack, open_page: OpenPage, table: str, tmp_path: Path) -> None:
    """Expiry of snapshots with their files: what would go, as a list, then the run and the list of what went."""
    expiry = {"older_than": "1s", "keep_last": 1, "delete_files": True}
    with client(console) as packhouse:
        body = {"maintenance": {"expire_snapshots": expiry}}
        bound = "up_to:bytes=1GB,files=1000"
        packhouse.table_policies.replace(table, body=body, if_none_match="*", acknowledge=bound)
        done = packhouse.runs.submit(body={"table_id": table, "operation": "rewrite", "every_file": True})
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
    asked = page.get_by_role("dialog").filter(has_text="This deletes files or history")
    wanted = re.search("Type (.*) to acknowledge it", asked.inner_text())
    assert wanted is not None
    asked.get_by_label(re.compile("to acknowledge it$")).fill(wanted[1])
    asked.get_by_role("button", name=re.compile("^Start; delete")).click()
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("Waits for: the grace of its deletion")).to_be_visible()
    with client(console) as packhouse:
        packhouse.deletions.undo(page.url.rsplit("/", 1)[-1])
        at_once = {"table_id": table, "operation": "expire_snapshots", "grace": "0s"}
        run = packhouse.runs.submit(body=at_once, acknowledge=bound)
    page = open_page(f"/runs/{run.id}").settle().page
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
        done = packhouse.runs.submit(body={"table_id": table, "operation": "rewrite", "every_file": True})
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
    expect(page.get_by_text("Waits for: the grace of its deletion")).to_be_visible()
    with client(console) as packhouse:
        assert packhouse.deletions.undo(page.url.rsplit("/", 1)[-1]).state == "undone"
