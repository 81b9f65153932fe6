"""Keys and the audit log."""

import pytest
from playwright.sync_api import expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


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


@pytest.mark.deep
def test_the_audit_log_shows_what_changed(open_page: OpenPage) -> None:
    page = open_page("/audit?action=catalog.create&object=lake").settle().page
    page.get_by_role("button", name="Show the change catalog.create").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("sqlite:///")


def test_the_audit_log_is_filtered_and_shows_its_chain(open_page: OpenPage) -> None:
    page = open_page("/audit").settle().page
    filters = page.get_by_role("search", name="Filters of the audit log")
    filters.get_by_label("Action").fill("no.such.action")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show the change")).to_have_count(0)
    page.get_by_role("button", name="Clear the filters").last.click()
    expect(page.get_by_role("table", name="Audit entries").locator("tbody tr").first).to_be_visible()
    chain = page.get_by_role("region", name="Hash chain")
    chain.get_by_text("Verify the chain").first.click()
    expect(chain.get_by_label("Command that verifies the chain")).to_contain_text(
        "packhouse-server audit verify --head "
    )
