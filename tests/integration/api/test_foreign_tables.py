"""One table that can't be read: every request about it answers, and nothing else of its catalog is affected."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.domain.tables.table import FormatName, OutsideFiles
from tests.integration.api.conftest import Api
from tests.support.iceberg_tables import replace_metadata
from tests.support.mutations import few_of_metadata
from tests.support.rest_catalog import RestCatalogServer
from tests.support.statements import texts_of
from tests.support.world import NAME, SCHEMA, SPEC, Lake, make_lake

SOUND = NAME[1]
TOMORROW = "type of tomorrow"
ANSWERS = frozenset({200, 409})
CODES = frozenset({"table_unreadable", "table_replaced"})
REPLACED = frozenset({"remove table-uuid"})  # PyIceberg makes one up
REFUSED = "state_conflict"  # by the catalog, whose library can read less
OUTSIDE = frozenset({"no manifest list", "a folder as manifest list", "strange scheme"})
OUTSIDE |= {"path with a zero", "path too long"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return make_lake(tmp_path / "lake")


def local(path: str) -> Path:
    return Path(path.removeprefix("file://"))


class Shelf:
    """A catalog of one sound table and others, whose metadata is replaced by mutations after they were registered.

    Each kind of catalog gets every second mutation, and both get the type of tomorrow; when deep, both get all.
    """

    def __init__(self, lake: Lake, kind: str, only: str | None = None) -> None:
        self.lake = lake
        self.kind = kind
        self.sound = json.loads(local(lake.table.metadata_location).read_text())
        self.mutations = dict(few_of_metadata(self.sound))
        start, step = (0, 1) if os.environ.get("PACKHOUSE_DEEP") else (("sql", "rest").index(kind), 2)
        labels = {*list(self.mutations)[start::step], TOMORROW} if only is None else {only}
        self.names = {f"t{number}": label for number, label in enumerate(self.mutations) if label in labels}

    def fill(self) -> None:
        for name in self.names:
            self.lake.catalog.create_table(("lake", name), SCHEMA, partition_spec=SPEC)

    def spoil(self, server: RestCatalogServer | None) -> None:
        for name, label in self.names.items():
            table = self.lake.catalog.load_table(("lake", name))
            own = str(table.metadata.table_uuid)
            body = self.mutations[label].replace(self.sound["table-uuid"].encode(), own.encode())
            place = replace_metadata(table, body)
            if server is not None:
                server.answers["lake", name] = b'{"metadata-location": "%s", "metadata": %s}' % (place.encode(), body)


@asynccontextmanager
async def served(api: Api, shelf: Shelf) -> AsyncIterator[RestCatalogServer | None]:
    lake = shelf.lake
    await asyncio.to_thread(shelf.fill)
    assert isinstance(lake.catalog, SqlCatalog)
    with RestCatalogServer(catalog=lake.catalog).running() as server:
        await api.container.catalogs.create(
            SYSTEM,
            "lake",
            FormatName.ICEBERG,
            lake.properties if shelf.kind == "sql" else {"type": "rest", "uri": server.uri},
            # the mutations are of the sound table, and name its location and files
            allowed_locations=(lake.table.location().rpartition("/")[0],),
            outside_files=OutsideFiles.ALLOWED_LOCATIONS,
        )
        yield server if shelf.kind == "rest" else None
    lake.catalog.close()


async def discovered(api: Api) -> dict[str, Any]:
    answer = await api.post("/v1/catalogs/lake/register", {}, status=200)
    return {table["name"]: table for table in answer["tables"]}


@pytest.mark.parametrize("kind", ["sql", "rest"])
async def test_tables_that_can_not_be_read_are_refused_one_by_one(api: Api, lake: Lake, kind: str) -> None:
    shelf = Shelf(lake, kind)
    async with served(api, shelf) as server:
        await asyncio.to_thread(shelf.spoil, server)
        found = await discovered(api)
        assert found[SOUND]["outcome"] == "registered"
        refused = {shelf.names[name]: each["detail"] for name, each in found.items() if each["outcome"] == "refused"}
        assert {each["outcome"] for each in found.values()} == {"registered", "refused"}
        assert "matrix" in refused[TOMORROW]
        assert "schemas.0" in refused[TOMORROW]


@pytest.mark.parametrize("kind", ["sql", pytest.param("rest", marks=pytest.mark.deep)])
async def test_every_request_about_a_table_that_can_not_be_read_answers(api: Api, lake: Lake, kind: str) -> None:
    shelf = Shelf(lake, kind)
    async with served(api, shelf) as server:
        found = await discovered(api)
        assert {each["outcome"] for each in found.values()} == {"registered"}
        await asyncio.to_thread(shelf.spoil, server)
        for name, label in shelf.names.items():
            await _ask_everything(api, found[name]["table_id"], label)
        assert (await api.rewrite(found[SOUND]["table_id"])).state == "succeeded"
        async with api.container.database.read() as unit:
            assert await unit.breakers.get("lake") is None


async def _ask_everything(api: Api, table_id: str, label: str) -> None:
    path = f"/v1/tables/{table_id}"
    for method, end in (("GET", "health"), ("GET", "advice"), ("POST", "plan")):
        response = await api.client.request(method, f"{path}/{end}")
        assert response.status_code in ANSWERS, (label, end, response.text)
        codes = {"not_eligible"} if label in OUTSIDE else CODES
        assert response.status_code == 200 or response.json()["code"] in codes, (label, end, response.text)
    for end in ("explain", "effective-policy"):
        response = await api.client.get(f"{path}/{end}")
        assert response.status_code in ({200} if label not in REPLACED else ANSWERS), (label, end, response.text)
    run = await api.rewrite(table_id)
    assert run.attempt == 1, (label, run)
    assert run.reason in CODES | {"nothing_to_do", "committed", "not_eligible", REFUSED}, (label, run)


async def test_a_run_of_a_table_with_a_type_of_tomorrow_ends_once_and_says_why(api: Api, lake: Lake) -> None:
    shelf = Shelf(lake, "sql", only=TOMORROW)
    async with served(api, shelf) as server:
        found = await discovered(api)
        await asyncio.to_thread(shelf.spoil, server)
        (name,) = shelf.names
        table_id = TableId(found[name]["table_id"])
        run = await api.rewrite(table_id)
        assert (run.state, run.reason, run.attempt) == ("refused", "table_unreadable", 1)
        assert "schemas.0" in (run.detail or "")
        assert "'matrix(3, 3)'" in (run.detail or "")
        explained = await api.get(f"/v1/tables/{table_id}/explain")
        assert "matrix" in " ".join(texts_of(explained))
        policy = {"enabled": False}
        await api.put_policy(table_id, policy)
