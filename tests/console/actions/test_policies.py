"""Policies: made, changed in the form, left, restored, deleted."""

import re
from contextlib import suppress

import pytest
from packhouse_client.errors import NotFound
from playwright.sync_api import expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


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


@pytest.mark.deep
def test_an_earlier_version_of_a_policy_is_restored(console: Stack, open_page: OpenPage) -> None:
    table = "lake.runs.first"
    with client(console) as packhouse:
        packhouse.table_policies.replace(table, body={"priority": "low"}, if_none_match="*")
        packhouse.table_policies.replace(table, body={"priority": "high"}, if_match='"1"')
        page = open_page(f"/tables/{table}/policy").settle().page
        press(page, "Show version 1")
        page.get_by_role("button", name="Restore").click()
        press(page.get_by_role("dialog"), "Restore")
        expect(page.get_by_text("Version 3, saved")).to_be_visible()
        assert packhouse.table_policies.get(table).policy.to_document() == {"priority": "low"}


@pytest.mark.deep
def test_a_setting_is_set_in_the_form_and_inherited_again(console: Stack, open_page: OpenPage, table: str) -> None:
    page = open_page(f"/tables/{table}/policy").settle().page
    page.get_by_label("Find a setting").fill("min_input_files")
    setting = page.get_by_role("group", name="rewrite.min_input_files")
    setting.get_by_label("rewrite.min_input_files").fill("4")
    expect(page.locator(".cm-content")).to_contain_text("min_input_files: 4")
    expect(page.get_by_text("1 unsaved change")).to_be_visible()
    press(page, "Save")
    expect(page.get_by_text("Version 1, saved")).to_be_visible()
    with client(console) as packhouse:
        stored = packhouse.table_policies.get(table).policy.to_document()
        assert stored == {"rewrite": {"min_input_files": 4}}
        press(setting, "Inherit again: rewrite.min_input_files")
        press(page, "Save")
        expect(page.get_by_text("Version 2, saved")).to_be_visible()
        assert not packhouse.table_policies.get(table).policy.to_document().get("rewrite")


@pytest.mark.deep
def test_unsaved_changes_are_lost_only_on_purpose(open_page: OpenPage, table: str) -> None:
    page = open_page(f"/tables/{table}/policy").settle().page
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("priority: high\n")
    expect(page.get_by_text("1 unsaved change")).to_be_visible()
    page.get_by_role("link", name="Runs", exact=True).click()
    dialog = page.get_by_role("dialog")
    press(dialog, "Stay here")
    expect(page.locator(".cm-content")).to_contain_text("priority: high")
    press(page, "Discard")
    expect(page.locator(".cm-content")).not_to_contain_text("priority: high")
    page.locator(".cm-content").click()
    page.keyboard.insert_text("priority: low\n")
    page.get_by_role("link", name="Runs", exact=True).click()
    press(dialog, "Discard and leave")
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")


@pytest.mark.deep
def test_a_policy_begins_with_a_preset(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/policies").settle().page
    press(page, "Start from it: upsolver")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("from-preset")
    press(dialog, "Continue in the editor")
    expect(page.locator(".cm-content")).to_contain_text("preset: upsolver")
    press(page, "Create policy")
    dialog = page.get_by_role("dialog")
    start = dialog.get_by_role("button", name=re.compile("^Save; delete"))
    expect(start).to_be_disabled()
    field = dialog.get_by_label(re.compile("to acknowledge it$"))
    wanted = re.search("Type (.*) to acknowledge it", dialog.inner_text())
    assert wanted is not None
    field.fill(wanted[1])
    start.click()
    expect(page.get_by_text("Version 1, saved")).to_be_visible()
    with client(console) as packhouse:
        stored = packhouse.policies.get("from-preset")
        assert stored.policy.to_document()["preset"] == "upsolver"
        packhouse.policies.delete("from-preset", if_match=f'"{stored.version}"')
