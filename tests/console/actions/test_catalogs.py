"""Catalogs: connection, properties, pause, grants, deletion."""

from pathlib import Path

import pytest
from packhouse_client.errors import NotFound
from playwright.sync_api import expect

from tests.console.actions.buttons import confirm, press
from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


@pytest.mark.deep
def test_a_catalog_is_checked_step_by_step(open_page: OpenPage) -> None:
    page = open_page("/catalogs/lake").settle().page
    press(page, "Check the connection")
    expect(page.get_by_text("The connection works")).to_be_visible()


def test_a_catalog_is_paused_granted_and_deleted(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        body = {"name": "spare", "format": "iceberg", "properties": dict(console.catalog_properties)}
        packhouse.catalogs.create(body=body)
        page = open_page("/catalogs/spare").settle().page
        confirm(page, "Pause", reason="moved")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        assert packhouse.catalogs.get("spare").pause is not None
        confirm(page, "Resume")
        page.get_by_role("tab", name="Grants").click()
        press(page, "Change grants")
        dialog = page.get_by_role("dialog")
        press(dialog, "Add a grant")
        dialog.get_by_role("textbox", name="Team").last.fill("sales")
        dialog.get_by_label("register:").last.check()
        press(dialog, "Save grants")
        expect(page.get_by_role("region", name="Grants of the catalog")).to_contain_text("sales")
        press(page, "Delete")
        page.get_by_label("Type spare to confirm").fill("spare")
        press(page.get_by_role("dialog"), "Delete")
        expect(page.get_by_role("heading", level=1)).to_have_text("Catalogs")
        with pytest.raises(NotFound):
            packhouse.catalogs.get("spare")


@pytest.mark.deep
def test_properties_of_a_catalog_are_replaced(console: Stack, open_page: OpenPage) -> None:
    properties = dict(console.catalog_properties)
    with client(console) as packhouse:
        packhouse.catalogs.create(body={"name": "moved", "format": "iceberg", "properties": properties})
        page = open_page("/catalogs/moved").settle().page
        press(page, "Replace properties")
        dialog = page.get_by_role("dialog")
        press(dialog, "Add a property")
        row = dialog.get_by_role("group", name=f"Property {len(properties) + 1}")
        row.get_by_label("Name").fill("s3.region")
        row.get_by_label("Value").fill("eu-central-1")
        dialog.get_by_label("Allowed locations").fill(f"file://{console.lake}")
        press(dialog, "Save")
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("main")).to_contain_text("eu-central-1")
        stored = packhouse.catalogs.get("moved")
        assert stored.properties == properties | {"s3.region": "eu-central-1"}
        assert stored.allowed_locations == [f"file://{console.lake}"]
        packhouse.catalogs.delete("moved", if_match=f'"{stored.version}"')


@pytest.mark.deep
def test_tables_of_a_catalog_are_listed_without_registering(console: Stack, open_page: OpenPage, written: str) -> None:
    page = open_page("/catalogs/lake?part=discover").settle().page
    page.get_by_label("Pattern").fill("steps.*")
    press(page, "List tables")
    expect(page.get_by_role("table", name="Tables found")).to_contain_text("deeds")
    expect(page.get_by_role("table", name="Tables found")).not_to_contain_text("orders")
    with client(console) as packhouse, pytest.raises(NotFound):
        packhouse.tables.get(written)


@pytest.mark.deep
def test_a_catalog_of_paimon_tables_is_created(console: Stack, open_page: OpenPage, tmp_path: Path) -> None:
    """The form begins with the properties of the chosen format; an empty warehouse passes the check."""
    page = open_page("/catalogs").settle().page
    press(page, "Create a catalog")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").first.fill("streams")
    dialog.get_by_role("combobox", name="Table format").click()
    page.get_by_role("option", name="paimon").click()
    for label in ("File system", "Hive Metastore", "JDBC", "REST"):
        expect(dialog.get_by_text(label)).to_be_visible()
    dialog.get_by_role("group", name="Property 2").get_by_label("Value").fill(str(tmp_path))
    press(dialog, "Create")
    expect(page.get_by_text("The connection works")).to_be_visible()
    with client(console) as packhouse:
        stored = packhouse.catalogs.get("streams")
        assert (stored.format, stored.properties) == ("paimon", {"type": "filesystem", "warehouse": str(tmp_path)})
        packhouse.catalogs.delete("streams", if_match=f'"{stored.version}"')
