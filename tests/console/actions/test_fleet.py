"""The fleet: pause and limits."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.actions.buttons import confirm, press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


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


@pytest.mark.deep
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
        packhouse.fleet.replace_limits(body={}, if_match=f'"{limits.version}"')


@pytest.mark.deep
def test_limits_changed_by_another_person_are_loaded_and_keep_what_was_typed(
    console: Stack, open_page: OpenPage
) -> None:
    """The second of two saves is refused; the form then has the other's values where nothing was typed."""
    page = open_page("/fleet").settle().page
    press(page, "Limits")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Parallel runs").first.fill("5")
    with client(console) as packhouse:
        limits = packhouse.fleet.limits()
        theirs = {"parallel_runs": 3, "requests": 40}
        packhouse.fleet.replace_limits(body=theirs, if_match=f'"{limits.version}"')
        press(dialog, "Save limits")
        press(dialog, "Load the current version")
        expect(dialog.get_by_label("Requests").first).to_have_value("40")
        expect(dialog.get_by_label("Parallel runs").first).to_have_value("5")
        press(dialog, "Save limits")
        expect(dialog).to_have_count(0)
        limits = packhouse.fleet.limits()
        assert (limits.parallel_runs, limits.requests) == (5, 40)
        packhouse.fleet.replace_limits(body={}, if_match=f'"{limits.version}"')


@pytest.mark.deep
def test_a_catalog_gets_limits_of_its_own(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/catalogs/lake").settle().page
    press(page, "Limits")
    dialog = page.get_by_role("dialog")
    own = dialog.get_by_role("group", name="Catalog lake")
    own.get_by_label("Parallel runs").fill("2")
    press(dialog, "Save limits")
    expect(dialog).to_have_count(0)
    with client(console) as packhouse:
        limits = packhouse.fleet.limits()
        assert limits.catalogs["lake"].parallel_runs == 2
        packhouse.fleet.replace_limits(body={}, if_match=f'"{limits.version}"')


@pytest.mark.deep
def test_the_figures_of_a_week_are_shown_and_kept_in_the_address(open_page: OpenPage) -> None:
    page = open_page("/fleet").settle().page
    page.get_by_role("radiogroup", name="Time shown").get_by_text("7 days").click()
    expect(page).to_have_url(re.compile("days=7"))
    page.reload()
    expect(page.get_by_role("radiogroup", name="Time shown").get_by_label("7 days")).to_be_checked()
