"""Where tables may lie, held at registration and before each run."""

import sqlite3
from pathlib import Path

import pytest
from pydantic import SecretStr

from engine.settings.model import Settings
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.iceberg_tables import edit_metadata
from tests.support.world import Lake


async def allow(api: Api, lake: Lake, *locations: str, status: int = 200) -> None:
    """Replace the catalog's allowed locations."""
    etag = (await api.call("GET", "/v1/catalogs/lake", status=200)).headers["etag"]
    body = {"properties": lake.properties, "allowed_locations": locations}
    await api.call("PUT", "/v1/catalogs/lake", json=body, headers={"If-Match": etag}, status=status)


async def test_a_table_outside_of_the_allowed_locations_is_not_registered(api: Api, lake: Lake, tmp_path: Path) -> None:
    await allow(api, lake, f"file://{tmp_path}/lake/ware")  # the beginning of the warehouse's name, but not it
    refused = await api.post("/v1/tables", ADDRESS, status=422)
    assert "not below the catalog's allowed locations" in refused["detail"]
    await allow(api, lake, f"file://{tmp_path}/lake/warehouse")
    await api.post("/v1/tables", ADDRESS, status=201)


async def test_a_table_that_writes_elsewhere_since_is_not_rewritten(
    api: Api, lake: Lake, table_id: str, tmp_path: Path
) -> None:
    await allow(api, lake, f"file://{tmp_path}/lake")
    with lake.table.transaction() as transaction:
        transaction.set_properties({"write.data.path": f"file://{tmp_path}/elsewhere"})
    before = lake.paths()
    run = await api.rewrite(table_id)
    assert run.state == "refused"
    assert "elsewhere" in str(run.detail)
    assert lake.paths() == before
    assert "elsewhere" in str(await api.get(f"/v1/tables/{table_id}/explain"))


async def test_an_allowed_location_that_is_no_plain_place_is_refused(api: Api, lake: Lake) -> None:
    for location in ("s3://lake/*", "s3://lake/../x", "jar:file:/x", "s3://"):
        await allow(api, lake, location, status=422)


async def test_a_table_whose_metadata_lies_in_no_plain_place_is_not_registered(
    api: Api, lake: Lake, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "lake" / "catalog.db") as catalog:
        catalog.execute("UPDATE iceberg_tables SET metadata_location = 'file:///etc/../etc/passwd'")
    catalog.close()
    refused = await api.post("/v1/tables", ADDRESS, status=422)
    assert "it has '.' or '..' as a part of its path" in refused["detail"]


@pytest.mark.parametrize("place", ["{own}", "{own}/", "{own}/data", "{around}"])
async def test_a_table_at_the_place_of_another_one_is_not_registered(
    api: Api, lake: Lake, table_id: str, place: str
) -> None:
    """Its files would be the other one's."""
    own = lake.table.location()
    other = lake.catalog.create_table(("lake", "other"), lake.table.schema())
    where = place.format(own=own, around=own.rpartition("/")[0]).replace("file://", "file:")
    folder = f"{own}/metadata" if "events" in where else None  # its metadata file is below its location, too
    edit_metadata(other, lambda body: body.update(location=where), folder=folder)
    refused = await api.call(
        "POST", "/v1/tables", json={**ADDRESS, "name": "other"}, status=422 if "data" in place else 409
    )
    assert "location" in refused.json()["detail"]


class TestProduction:
    """What is refused where other machines share the record."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"mode": "production", "secret_key": SecretStr("k" * 32)})

    @pytest.mark.parametrize(
        "properties",
        [
            {"type": "sql", "uri": "sqlite:////tmp/x.db", "warehouse": "s3://lake"},
            {"type": "rest", "uri": "http://169.254.169.254/catalog"},
            {"type": "rest", "uri": "https://catalog.example", "s3.endpoint": "http://localhost:9000"},
            {"type": "rest", "uri": "https://catalog.example", "warehouse": "file:///lake"},
        ],
    )
    async def test_a_catalog_inside_is_refused(self, api: Api, properties: dict[str, str]) -> None:
        body = {"name": "lake", "format": "iceberg", "properties": properties}
        refused = await api.post("/v1/catalogs", body, status=422)
        assert len(refused["errors"]) == 1

    async def test_what_a_reference_stands_for_is_looked_at_before_it_is_used(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LAKE_URI", "http://169.254.169.254/catalog")
        body = {"name": "lake", "format": "iceberg", "properties": {"type": "rest", "uri": "env:LAKE_URI"}}
        await api.post("/v1/catalogs", body, status=201)
        checked = await api.post("/v1/catalogs/lake/check", status=200)
        assert not checked["ok"]
        assert "metadata address" in str(checked)
        assert "169.254" not in str(checked)
