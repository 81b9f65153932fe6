"""Finding the tables of a catalog and registering many at once."""

import asyncio
from typing import Any

import pytest

from tests.integration.api.conftest import Api
from tests.support.world import SCHEMA, Lake

NAMES = [("lake", "clicks"), ("lake", "events"), ("sales", "orders"), ("sales", "star*")]


@pytest.fixture
async def full(lake: Lake) -> Lake:
    """The lake with three more tables, one of them with a name that can't be registered."""

    def fill() -> None:
        lake.catalog.create_namespace("sales")
        for name in NAMES:
            if name != ("lake", "events"):
                lake.catalog.create_table(name, SCHEMA)

    await asyncio.to_thread(fill)
    return lake


async def discover(api: Api, **body: Any) -> Any:
    return await api.post("/v1/catalogs/lake/discover", body, status=200)


async def register(api: Api, **body: Any) -> Any:
    return await api.post("/v1/catalogs/lake/register", body, status=200)


def outcomes(answer: Any) -> dict[str, str]:
    return {f"{table['namespace'][0]}.{table['name']}": table["outcome"] for table in answer["tables"]}


async def test_every_table_is_listed_with_what_can_become_of_it(api: Api, full: Lake, table_id: str) -> None:
    answer = await discover(api)
    assert outcomes(answer) == {
        "lake.clicks": "registrable",
        "lake.events": "already_registered",
        "sales.orders": "registrable",
        "sales.star*": "refused",
    }
    assert (answer["examined"], answer["truncated"]) == (4, False)
    assert answer["counts"] == {"registrable": 2, "already_registered": 1, "refused": 1}
    assert answer["tables"][1]["table_id"] == table_id
    assert "glob" in answer["tables"][3]["detail"]
    assert len((await api.get("/v1/tables"))["items"]) == 1


async def test_a_pattern_chooses(api: Api, full: Lake) -> None:
    counts = {"*": 4, "sales.*": 2, "*.orders": 1, "lake.e?ents": 1, "orders": 0, "*a" * 100 + "*": 0, "[a-z]*": 0}
    for pattern, count in counts.items():
        assert len((await discover(api, pattern=pattern))["tables"]) == count


async def test_tables_are_registered_with_team_and_labels(api: Api, full: Lake, table_id: str) -> None:
    body = {"owner_team": "sales", "labels": {"tier": "gold"}}
    answer = await register(api, **body)
    assert answer["counts"] == {"registered": 2, "already_registered": 1, "refused": 1}
    made = [table for table in answer["tables"] if table["outcome"] == "registered"]
    found = (await api.get("/v1/tables", params={"owner_team": "sales", "label": "tier:gold"}))["items"]
    assert {table["id"] for table in found} == {table["table_id"] for table in made}
    again = await register(api, **body)
    assert again["counts"] == {"already_registered": 3, "refused": 1}


async def test_a_preview_registers_nothing_and_a_limit_leaves_the_rest_for_the_next_request(
    api: Api, full: Lake
) -> None:
    answer = await api.post("/v1/catalogs/lake/register/preview", {}, status=200)
    assert answer["counts"] == {"would_register": 3, "refused": 1}
    assert (await api.get("/v1/tables"))["items"] == []
    first = await register(api, limit=2)
    assert first["counts"] == {"registered": 2, "not_tried": 1, "refused": 1}
    second = await register(api, limit=2)
    assert second["counts"] == {"already_registered": 2, "registered": 1, "refused": 1}


async def test_registering_at_once_registers_each_table_once(api: Api, full: Lake) -> None:
    answers = await asyncio.gather(*(register(api) for _ in range(3)))
    assert sum(answer["counts"].get("registered", 0) for answer in answers) == 3
    assert all(answer["counts"]["refused"] == 1 for answer in answers)
    assert len((await api.get("/v1/tables"))["items"]) == 3


async def test_a_table_that_can_not_be_read_stops_no_other(api: Api, full: Lake) -> None:
    clicks = full.catalog.load_table(("lake", "clicks"))
    await asyncio.to_thread(lambda: __import__("os").remove(clicks.metadata_location.removeprefix("file://")))
    answer = await register(api)
    assert outcomes(answer)["lake.clicks"] in ("not_tried", "refused")
    assert outcomes(answer)["sales.orders"] == "registered"


async def test_a_catalog_that_is_unknown_or_has_wrong_properties_says_so(api: Api, lake: Lake, tmp_path: Any) -> None:
    broken = lake.properties | {"uri": f"sqlite:///{tmp_path}/gone/catalog.db"}
    await api.call("PUT", "/v1/catalogs/lake", status=200, json={"properties": broken}, headers={"If-Match": '"1"'})
    await api.post("/v1/catalogs/nope/discover", {}, status=404)
    answer = await api.post("/v1/catalogs/lake/discover", {}, status=409)
    assert "check the catalog's `uri`" in answer["detail"]
