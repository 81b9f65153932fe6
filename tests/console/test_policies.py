"""Policies in the editor: effect before saving, conflicts of two people, a limit that moves a running rewrite."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import OpenPage, client
from tests.console.pages import Watched
from tests.support.stack import Stack

TABLE = "lake.shop.payments"


@pytest.fixture
def policy(console: Stack) -> Iterator[str]:
    """A table with a policy of its own, which is deleted again; its versions go on counting."""
    with client(console) as packhouse:
        packhouse.table_policies.replace(TABLE, body={"rewrite": {"min_input_files": 2}}, if_none_match="*")
        yield TABLE
        stored = packhouse.table_policies.get(TABLE)
        packhouse.table_policies.delete(TABLE, if_match=f'"{stored.version}"')


def editor(open_page: OpenPage) -> Watched:
    watched = open_page(f"/tables/{TABLE}/policy").settle()
    expect(watched.page.get_by_role("heading", level=1)).to_contain_text(TABLE)
    watched.page.locator(".cm-content").wait_for()
    return watched


def write(page: Page, yaml: str) -> None:
    """Replace the text of the YAML editor."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(yaml)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def version_of(console: Stack, table: str) -> int:
    with client(console) as packhouse:
        return packhouse.table_policies.get(table).version


def expect_saved(console: Stack, page: Page, table: str, version: int) -> None:
    expect(page.get_by_text(f"Version {version}, saved")).to_be_visible()
    assert version_of(console, table) == version


def test_the_effect_of_a_change_is_shown_before_it_is_saved(console: Stack, open_page: OpenPage, policy: str) -> None:
    page = editor(open_page).page
    write(page, "rewrite:\n  min_input_files: 2\nlimits:\n  bandwidth: 5MB\n")
    change = page.get_by_role("table", name="before and after")
    expect(change).to_contain_text("limits.bandwidth")
    first = version_of(console, policy)
    save(page)
    expect_saved(console, page, policy, first + 1)
    with client(console) as packhouse:
        assert packhouse.table_policies.get(policy).policy.to_document()["limits"] == {"bandwidth": 5_000_000}


def test_a_wrong_setting_is_named_with_the_nearest_one_and_not_saved(open_page: OpenPage, policy: str) -> None:
    page = editor(open_page).page
    write(page, "rewrite:\n  min_input_file: 2\n")
    errors = page.get_by_role("list", name="Errors in the YAML")
    expect(errors).to_contain_text("min_input_files")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()


@pytest.mark.deep
def test_two_people_who_edit_one_policy_merge_their_changes(console: Stack, open_page: OpenPage, policy: str) -> None:
    mine, theirs, first = editor(open_page), editor(open_page).page, version_of(console, policy)
    write(mine.page, "rewrite:\n  min_input_files: 7\n")
    write(theirs, "rewrite:\n  min_input_files: 3\nlimits:\n  bandwidth: 9MB\n")
    save(theirs)
    expect_saved(console, theirs, policy, first + 1)
    mine.page.bring_to_front()
    save(mine.page)
    dialog = mine.page.get_by_role("dialog")
    expect(dialog).to_contain_text("rewrite.min_input_files")
    assert mine.violations() == []
    dialog.get_by_role("radio", name="rewrite.min_input_files: take mine").check()
    dialog.get_by_role("button", name="Merge into the editor").click()
    save(mine.page)
    expect_saved(console, mine.page, policy, first + 2)
    with client(console) as packhouse:
        merged = packhouse.table_policies.get(policy).policy.to_document()
    assert merged["rewrite"]["min_input_files"] == 7
    assert merged["limits"]["bandwidth"] == 9_000_000


@pytest.mark.deep
def test_a_saved_limit_moves_the_rate_of_a_running_rewrite(console: Stack, open_page: OpenPage) -> None:
    table = "lake.web.clicks"
    slow = {"rewrite": {"min_input_files": 2}, "limits": {"bandwidth": "64KiB"}}
    with client(console) as packhouse:
        packhouse.table_policies.replace(table, body=slow, if_none_match="*")
        run = packhouse.runs.submit(body={"table_id": table, "operation": "rewrite", "every_file": True})
        watched = open_page(f"/runs/{run.id}")
        expect(watched.page.get_by_role("heading", level=1)).to_be_visible()
        expect(watched.page.get_by_text("64.0 KiB/s").first).to_be_visible()
        page = open_page(f"/tables/{table}/policy").settle().page
        page.locator(".cm-content").wait_for()
        write(page, "rewrite:\n  min_input_files: 2\nlimits:\n  bandwidth: 400MB\n")
        save(page)
        expect_saved(console, page, table, 2)
        expect(watched.page.get_by_text("succeeded").first).to_be_visible(timeout=60_000)
        assert packhouse.wait_for_run(run.id, timeout=30).state == "succeeded"


@pytest.mark.deep
def test_a_link_fills_in_changes_that_are_saved_only_by_hand(console: Stack, open_page: OpenPage, policy: str) -> None:
    first = version_of(console, policy)
    patch = json.dumps({"limits": {"bandwidth": "3MB"}})
    page = open_page(f"/tables/{TABLE}/policy?apply={patch}").settle().page
    expect(page.get_by_text("Changes are filled in from a link")).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("bandwidth: 3MB")
    assert version_of(console, policy) == first
