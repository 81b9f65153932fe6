"""Deletions: announced on the fleet's and the table's page, undone, and listed with their files once they are done."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from packhouse_client import Packhouse
from playwright.sync_api import expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.console.pages import Watched
from tests.support.stack import Stack

BOUND = "up_to:bytes=1GB,files=1000"


@pytest.fixture
def api(console: Stack, table: str) -> Iterator[Packhouse]:
    """A client, and history of the table that its policy lets expire with the files."""
    expiry = {"expire_snapshots": {"older_than": "1s", "keep_last": 1, "delete_files": True}}
    with client(console) as packhouse:
        packhouse.table_policies.replace(table, body={"maintenance": expiry}, if_none_match="*", acknowledge=BOUND)
        done = packhouse.runs.submit(body={"table_id": table, "operation": "rewrite", "every_file": True})
        assert packhouse.wait_for_run(done.id, timeout=60).state == "succeeded"
        yield packhouse


def submit(api: Packhouse, table: str, **more: str) -> str:
    body = {"table_id": table, "operation": "expire_snapshots", **more}
    return str(api.runs.submit(body=body, acknowledge=BOUND).id)


def test_f44_a_deletion_is_announced_undone_and_listed_with_its_files(
    api: Packhouse, open_page: OpenPage, table: str, tmp_path: Path
) -> None:
    """F44: nothing showed what was about to be deleted, and nothing could stop it."""
    submit(api, table)
    notice = f"1 deletion is announced: expire snapshots of {table}, which starts in 14 min"
    watched = open_page(f"/tables/{table}").settle()
    page = watched.page
    expect(page.get_by_role("group", name="Files or history will be deleted")).to_contain_text(notice)
    page.get_by_role("link", name="See what it deletes, or undo it").click()
    expect(page.get_by_role("heading", name="Deletions", level=1)).to_be_visible()
    expect(page.get_by_text(notice)).to_be_visible()
    card = page.get_by_role("region", name="Announced and at work").get_by_role("listitem")
    expect(card).to_contain_text("can expire (older than 1 s, except the 1 newest of each branch)")
    expect(card).to_contain_text("Submitted by key:admin")
    press(card, "Undo")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing of it is deleted yet, and nothing will be.")
    press(dialog, "Undo")
    expect(page.get_by_text("No deletion is announced or at work.")).to_be_visible()
    undone = page.get_by_role("table", name="Ended deletions").get_by_role("row").nth(1)
    expect(undone).to_contain_text("undone by key:admin")
    expect(undone).to_contain_text("nothing")
    _lists_its_files(api, watched, submit(api, table, grace="0s"), tmp_path / "deleted.csv")


def _lists_its_files(api: Packhouse, watched: Watched, deletion: str, file: Path) -> None:
    ended = api.wait_for_run(deletion, timeout=60)
    assert ended.state == "succeeded"
    result = ended.to_document()["result"]
    done = watched.page.get_by_role("table", name="Ended deletions").get_by_role("row").nth(1)
    expect(done).to_contain_text("done")
    expect(done).to_contain_text(f"{result['deleted_files']} files")
    with watched.page.expect_download() as download:
        press(done, "CSV")
    download.value.save_as(file)
    assert len(file.read_text().splitlines()) == result["deleted_files"] + 1
    assert watched.violations() == []
