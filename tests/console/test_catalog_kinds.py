"""Every kind of Iceberg catalog in the browser: filled in, checked, its table registered and rewritten."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.conftest import OpenPage, client
from tests.support.catalog_kinds import KINDS, lake_in
from tests.support.stack import Stack, started
from tests.support.world import NAME, make_lake

pytestmark = pytest.mark.deep

LABELS = {"sql": "SQL", "rest": "REST", "hive": "Hive Metastore", "glue": "AWS Glue"}
SECRETS = {"LAKE_KEY": "lake", "LAKE_SECRET": "x", "STORE_KEY": "packhouse", "STORE_SECRET": "packhouse-secret"}
FROM_HERE = "signed_rest"  # its keys are known to this process only


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service of its own, which knows the keys of all stores."""
    with started(tmp_path_factory.mktemp("kinds"), PACKHOUSE_WATCH="off", **SECRETS) as stack:
        yield stack


@pytest.mark.parametrize("kind", [each for each in KINDS if each != FROM_HERE])
def test_a_catalog_is_filled_in_and_its_table_rewritten(
    kind: str, service: Stack, open_page: OpenPage, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with lake_in(kind, request, tmp_path) as given, client(service) as packhouse:
        lake = make_lake(tmp_path / "lake", days=2, **given)
        page = open_page("/catalogs", key=service.key, url=service.url).settle().page
        page.get_by_role("button", name="Create a catalog", exact=True).first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox", name="Name", exact=False).first.fill("lake")
        dialog.get_by_text(LABELS[lake.properties["type"]], exact=True).click()
        fill_in(dialog, lake.properties)
        dialog.get_by_role("button", name="Create", exact=True).click()
        expect(page.get_by_text("The connection works")).to_be_visible(timeout=30_000)
        page.get_by_role("tab", name="Discover tables").click()
        page.get_by_role("button", name="Show what would be registered").click()
        page.get_by_role("button", name="Register 1 table").click()
        page.get_by_role("dialog").get_by_role("button", name="Register 1 table").click()
        expect(page.get_by_role("table", name="Tables found")).to_contain_text("registered")
        page.get_by_role("link", name="lake.events").first.click()
        rewrite(page)
        assert len(lake.paths()) == 2
        lake.catalog.drop_table(NAME)
        packhouse.tables.delete(".".join(("lake", *NAME)))
        packhouse.catalogs.delete("lake", if_match=f'"{packhouse.catalogs.get("lake").version}"')


def fill_in(dialog: Locator, properties: Mapping[str, str]) -> None:
    """Give the form these properties and no others."""
    rows = dialog.get_by_role("group", name="Property ", exact=False)
    for number in reversed(range(rows.count())):
        if rows.nth(number).get_by_label("Name").input_value() not in properties:
            rows.nth(number).get_by_role("button").last.click()
    shown = [rows.nth(number).get_by_label("Name").input_value() for number in range(rows.count())]
    for name, value in properties.items():
        if name not in shown:
            dialog.get_by_role("button", name="Add a property").click()
            rows.last.get_by_label("Name").fill(name)
            rows.last.get_by_label("Value").fill(value)
        elif name != "type":
            rows.nth(shown.index(name)).get_by_label("Value").fill(value)


def rewrite(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Preview the plan").click()
    expect(dialog).to_contain_text("12 → 2", timeout=30_000)
    dialog.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("Everything planned was committed.")).to_be_visible(timeout=60_000)
