"""Registration of tables whose locations overlap: what the refusal shows, and that only one of several is accepted."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.settings.model import Settings
from tests.integration.api.access import as_caller, grant
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.iceberg_tables import edit_metadata
from tests.support.settings import settings_of
from tests.support.world import SCHEMA, Lake

RED = {"team": "red", "rights": ["discover", "register"]}
AT_ONCE = 8


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.deep)])
def settings(request: pytest.FixtureRequest, redis_url: str, tmp_path: Path) -> Settings:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return settings_of(tmp_path / "state", database_url=url, redis_url=redis_url)


def folder_above(lake: Lake) -> str:
    """Return the folder that holds the locations of all tables."""
    return str(lake.table.location().rpartition("/")[0])


async def add_table(lake: Lake, name: str, location: str | None = None) -> dict[str, Any]:
    """Create a table whose metadata states a location; return its address."""

    def add() -> None:
        table = lake.catalog.create_table(("lake", name), SCHEMA)
        if location is not None:
            edit_metadata(table, lambda body: body.update(location=location))

    await asyncio.to_thread(add)
    return ADDRESS | {"name": name}


async def set_allowed(api: Api, lake: Lake, *locations: str) -> None:
    etag = (await api.call("GET", "/v1/catalogs/lake", status=200)).headers["etag"]
    body = {"properties": lake.properties, "allowed_locations": locations}
    await api.call("PUT", "/v1/catalogs/lake", json=body, headers={"If-Match": etag}, status=200)


def comparable(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, re.sub(r"req_[0-9a-f]+", "req", response.text)


async def test_an_overlap_with_a_hidden_table_is_answered_as_a_location_that_is_not_allowed(
    api: Api, lake: Lake
) -> None:
    await grant(api, "lake", RED)
    red = await as_caller(api, "owner", teams=["red"])
    await api.post("/v1/tables", ADDRESS | {"owner_team": "blue"}, status=201)
    body = await add_table(lake, "other", folder_above(lake)) | {"owner_team": "red"}
    overlaps = await red.post("/v1/tables", json=body)
    await set_allowed(api, lake, "file:///elsewhere")
    outside = await red.post("/v1/tables", json=body)
    assert overlaps.status_code == 422
    assert comparable(overlaps) == comparable(outside)
    assert "elsewhere" not in outside.text


async def test_discovery_refuses_both_in_the_same_words(api: Api, lake: Lake) -> None:
    await grant(api, "lake", RED)
    red = await as_caller(api, "owner", teams=["red"])
    await api.post("/v1/tables", ADDRESS | {"owner_team": "blue"}, status=201)
    await add_table(lake, "other", folder_above(lake))
    asked = {"pattern": "lake.other", "owner_team": "red"}
    overlaps = await red.post("/v1/catalogs/lake/register", json=asked)
    await set_allowed(api, lake, "file:///elsewhere")
    outside = await red.post("/v1/catalogs/lake/register", json=asked)
    assert overlaps.json()["tables"][0]["outcome"] == "refused"
    assert comparable(overlaps) == comparable(outside)


async def test_an_overlap_with_a_table_that_the_caller_sees_names_it(api: Api, lake: Lake) -> None:
    await grant(api, "lake", RED)
    red = await as_caller(api, "owner", teams=["red"])
    table_id = (await api.post("/v1/tables", ADDRESS | {"owner_team": "red"}, status=201))["id"]
    body = await add_table(lake, "other", folder_above(lake)) | {"owner_team": "red"}
    for client in (red, api.client):
        refused = await client.post("/v1/tables", json=body)
        assert refused.status_code == 409
        assert refused.json()["remedy"]["request"] == f"DELETE /v1/tables/{table_id}"


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_of_overlapping_tables_registered_at_once_one_is_accepted(api: Api, lake: Lake) -> None:
    bodies = [await add_table(lake, f"each_{number}", folder_above(lake)) for number in range(AT_ONCE)]
    answers = await asyncio.gather(*(api.client.post("/v1/tables", json=body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * (AT_ONCE - 1)
