"""Every page in both colour schemes: shown without errors, refused content or violations of WCAG 2.2 AA."""

import pytest
from playwright.sync_api import expect

from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack

PAGES = {
    "/fleet": "Fleet",
    "/tables": "Tables",
    "/tables/lake.shop.orders": "lake.shop.orders",
    "/tables/lake.shop.payments?tab=partitions": "lake.shop.payments",
    "/tables/lake.shop.payments?tab=explain": "lake.shop.payments",
    "/tables/lake.shop.orders?tab=runs": "lake.shop.orders",
    "/tables/lake.shop.orders?tab=snapshots": "lake.shop.orders",
    "/tables/lake.shop.payments?tab=upkeep": "lake.shop.payments",
    "/tables/lake.shop.payments?tab=advice": "lake.shop.payments",
    "/tables/lake.shop.orders/policy": "lake.shop.orders",
    "/policies": "Policies",
    "/runs": "Runs",
    "/runs?view=timeline": "Runs",
    "/catalogs": "Catalogs",
    "/catalogs/lake": "lake",
    "/keys": "Keys",
    "/audit": "Audit",
    "/signals": "Signals",
    "/formats": "Formats",
}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_shown_without_errors_and_accessible(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    expect(page.page.get_by_role("heading", level=1)).to_contain_text(PAGES[path])
    assert page.settle().violations() == []
    assert page.turn_dark().violations() == []


def test_the_page_of_an_ended_run_is_shown_without_errors_and_accessible(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        run = next(iter(packhouse.runs.list(table_id="lake.shop.orders", state="succeeded")))
    page = open_page(f"/runs/{run.id}")
    expect(page.page.get_by_text("succeeded").first).to_be_visible()
    assert page.settle().violations() == []
    assert page.turn_dark().violations() == []


def test_the_sign_in_page_is_shown_without_errors_and_accessible(open_page: OpenPage) -> None:
    page = open_page("/", key=None)
    expect(page.page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    assert page.settle().violations() == []
    assert page.turn_dark().violations() == []


@pytest.mark.parametrize(
    "path", ["/fleet", "/tables", "/tables/lake.shop.orders", "/runs", "/tables/lake.shop.orders/policy"]
)
def test_a_page_fits_a_phone(open_page: OpenPage, path: str) -> None:
    watched = open_page(path)
    watched.page.set_viewport_size({"width": 390, "height": 844})
    watched.settle()
    page = watched.page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    person = page.get_by_role("button", name="key:admin").bounding_box()
    assert person is not None
    assert person["x"] + person["width"] <= 390
    page.get_by_role("button", name="Navigation").click()
    expect(page.get_by_role("link", name="Catalogs", exact=True)).to_be_visible()
    assert watched.violations() == []
