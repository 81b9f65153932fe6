"""Quiet hours and blackouts in the policy editor."""

import pytest
from playwright.sync_api import Page, expect

from tests.console.actions.buttons import press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


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


COLUMN, LEFT, TOP, HOUR = 100, 44, 22, 16  # of the grid's drawing, in its own units
WIDTH, HEIGHT = LEFT + 7 * COLUMN, TOP + 24 * HOUR + 2


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Press, move and release the mouse over the grid, between days (0 is Monday) and hours."""
    grid = page.get_by_role("img", name="Quiet hours in")
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box is not None

    def place(day: float, hour: float) -> tuple[float, float]:
        return (
            box["x"] + (LEFT + (day + 0.5) * COLUMN) / WIDTH * box["width"],
            box["y"] + (TOP + hour * HOUR) / HEIGHT * box["height"],
        )

    page.mouse.move(*place(*begin))
    page.mouse.down()
    page.mouse.move(*place(*end), steps=4)
    page.mouse.up()


@pytest.mark.deep
def test_a_window_is_drawn_and_moved_with_the_mouse(console: Stack, open_page: OpenPage, table: str) -> None:
    """Tuesday and Wednesday from 2 to 5 o'clock, then a day and three hours later."""
    page = open_page(f"/tables/{table}/policy").settle().page
    page.locator(".cm-content").wait_for()
    page.get_by_label("Time zone of the grid").select_option("UTC")
    drag(page, (1, 2), (2, 5))
    expect(page.get_by_role("img", name="Quiet hours in UTC: ")).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("02:00")
    drag(page, (1, 3), (2, 6))
    expect(page.locator(".cm-content")).to_contain_text("05:00")
    press(page, "Save")
    expect(page.get_by_text("All changes are saved.")).to_be_visible()
    with client(console) as packhouse:
        (stored,) = packhouse.table_policies.get(table).policy.to_document()["quiet_hours"]
    assert (stored["days"], stored["from"], stored["to"]) == (["wed", "thu"], "05:00", "08:00")


@pytest.mark.deep
def test_a_blackout_is_added_corrected_and_removed(console: Stack, open_page: OpenPage, table: str) -> None:
    page = open_page(f"/tables/{table}/policy").settle().page
    page.locator(".cm-content").wait_for()
    press(page, "Add a blackout")
    row = page.get_by_role("listitem", name="Blackout 1")
    row.get_by_label("From").fill("2031-12-24T18:00")
    row.get_by_label("To").fill("2031-12-20")
    row.get_by_label("Reason").fill("year-end close")
    expect(row).to_contain_text("'to' must be later than 'from'")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    row.get_by_label("To").fill("2031-12-27")
    press(page, "Save")
    expect(page.get_by_text("All changes are saved.")).to_be_visible()
    with client(console) as packhouse:
        (stored,) = packhouse.table_policies.get(table).policy.to_document()["blackouts"]
        assert stored["reason"] == "year-end close"
        press(page, "Remove blackout 1")
        press(page, "Save")
        expect(page.get_by_text("Version 2, saved")).to_be_visible()
        assert not packhouse.table_policies.get(table).policy.to_document().get("blackouts")
