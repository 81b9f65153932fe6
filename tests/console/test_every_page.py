"""Every page is shown without errors, refused content or violations of WCAG 2.2 AA.

Two pages are judged in both colour schemes, with PACKHOUSE_DEEP all of them.
"""

import os
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.console.conftest import OpenPage, client
from tests.console.pages import Watched
from tests.support.stack import Stack

IS_DEEP: Final = bool(os.environ.get("PACKHOUSE_DEEP"))
PAGES: Final = {
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
    "/deletions": "Deletions",
    "/catalogs": "Catalogs",
    "/catalogs/lake": "lake",
    "/keys": "Keys",
    "/audit": "Audit",
    "/signals": "Signals",
    "/system": "System",
    "/formats": "Formats",
}


def check(page: Watched, *, in_both_schemes: bool = True) -> None:
    """Axe finds nothing in the light scheme, nor in the dark one."""
    assert page.settle().violations() == []
    if in_both_schemes:
        assert page.turn_dark().violations() == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_shown_without_errors_and_accessible(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    expect(page.page.get_by_role("heading", level=1)).to_contain_text(PAGES[path])
    check(page, in_both_schemes=IS_DEEP)


def test_the_page_of_an_ended_run_is_shown_without_errors_and_accessible(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        run = next(iter(packhouse.runs.list(table_id="lake.shop.orders", state="succeeded")))
    page = open_page(f"/runs/{run.id}")
    expect(page.page.get_by_text("succeeded").first).to_be_visible()
    check(page)


def test_the_sign_in_page_is_shown_without_errors_and_accessible(open_page: OpenPage) -> None:
    page = open_page("/", key=None)
    expect(page.page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    check(page)


@pytest.mark.parametrize(
    "path",
    [
        "/tables/lake.shop.orders/policy",
        "/tables",
        *(pytest.param(path, marks=pytest.mark.deep) for path in ("/fleet", "/tables/lake.shop.orders", "/runs")),
    ],
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
