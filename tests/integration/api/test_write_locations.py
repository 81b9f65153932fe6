"""Writers that follow rewrites of Hive tables, over HTTP and with the helper of the SDK."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore.ttypes import Partition
from packhouse_client import AsyncPackhouse
from packhouse_client.errors import InvalidInput, NotEligible, NotFound

from engine.formats.hive.catalog.metastore import Metastore
from tests.integration.api.conftest import ADDRESS, Api
from tests.integration.api.test_hive import DAYS, Hive, hive
from tests.support.hive.lakes import HiveLake, path_of
from tests.support.world import Lake

__all__ = ["hive"]

DAY = {"day": DAYS[0]}
POLICY = {"rewrite": {"min_input_files": 2}, "maintenance": {"delete_old_compactions": {"grace": "1d"}}}


@dataclass
class Files:
    """Puts one file of new rows wherever it is told; `calls` are the addresses."""

    first_id: int
    calls: list[str] = field(default_factory=list)

    async def put(self, address: str) -> None:
        target = path_of(address)
        part = target.with_name(f".{target.name}")
        pq.write_table(pa.table({"id": [self.first_id, self.first_id + 1], "value": [0.5, 1.5]}), part)
        part.replace(target)
        self.calls.append(address)


@pytest.fixture
async def client(hive: Hive) -> Any:
    key = hive.api.client.headers["Authorization"].removeprefix("Bearer ")
    transport = httpx.ASGITransport(app=hive.api.app)
    async with AsyncPackhouse("http://packhouse", key, transport=transport) as made:
        yield made


def ids(hive: Hive, day: str | None) -> list[int]:
    return sorted(row["id"] for row in hive.lake.rows() if row["day"] == day)


async def test_a_file_is_put_once_where_no_rewrite_is_under_way(hive: Hive, client: AsyncPackhouse) -> None:
    """U13: the helper asks, puts the file, asks again, and returns; values of any kind name a partition."""
    for first, day in enumerate((DAYS[0], DAYS[1], None)):
        files = Files(100 * (first + 1))
        addresses = await client.write_everywhere(hive.table_id, {"day": day}, files.put)
        assert addresses == files.calls
        assert len(addresses) == 1
        assert ids(hive, day) == [0, 1, 2, 3, files.first_id, files.first_id + 1]
    answer = await client.tables.write_locations(hive.table_id, partition=["day=2026-11-01"])
    assert (answer.state, answer.is_written, answer.compaction_id) == ("steady", False, None)
    assert (answer.partition.values, answer.partition.text) == ({"day": "2026-11-01"}, "day=2026-11-01")
    path, asked = f"/v1/tables/{hive.table_id}/write-locations", {"partition": "day=2026-11-01"}
    await hive.api.call("GET", path, status=304, params=asked, headers={"If-None-Match": "*"})


async def test_a_rewrite_in_the_middle_of_a_write(
    hive: Hive, client: AsyncPackhouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13: the writer learns of the new folder before the switch, writes to both, and is told that it is done."""
    await hive.govern(POLICY)
    real, loop = Metastore.change_partition, asyncio.get_running_loop()
    during, files = list[list[str]](), Files(100)

    def change(self: Metastore, database: str, name: str, changed: Partition, before: Partition) -> None:
        if not during and changed.values == [DAYS[0]]:
            writing = client.write_everywhere(hive.table_id, DAY, files.put)
            during.append(asyncio.run_coroutine_threadsafe(writing, loop).result(60))
            assert ids(hive, DAYS[0]) == [0, 1, 2, 3, 100, 101]
        real(self, database, name, changed, before)

    monkeypatch.setattr(Metastore, "change_partition", change)
    run = await hive.api.rewrite(hive.table_id)
    assert run.state == "succeeded", run.detail
    (found,) = during
    assert ["/_compacted/" in each for each in found] == [False, True]
    assert ids(hive, DAYS[0]) == [0, 1, 2, 3, 100, 101]
    name = Path(found[0]).name
    answer = await client.tables.write_locations(hive.table_id, partition=["day=2026-11-01"], file_name=name)
    assert (answer.state, answer.is_written, answer.compaction_id) == ("steady", True, 1)
    assert f"{answer.locations[0].location}/{name}" == found[1]


@pytest.mark.parametrize("rewrites", [pytest.param(1, marks=pytest.mark.deep), 2])
@pytest.mark.parametrize("moment", ["before it puts", "after it has put"])
async def test_whole_rewrites_between_two_questions(
    hive: Hive, client: AsyncPackhouse, moment: str, rewrites: int
) -> None:
    """U13: the answer is outdated when the writer acts on it, or its file is merged before it asks again."""
    await hive.govern(POLICY)
    files = Files(100)

    async def put(address: str) -> None:
        is_first = not files.calls
        if not is_first or moment == "after it has put":
            await files.put(address)
        for _ in range(rewrites if is_first else 0):
            run = await hive.api.rewrite(hive.table_id)
            assert run.state == "succeeded", run.detail
            for day in DAYS:
                hive.lake.append([day], [{"id": 7, "value": 1.5}])
        if is_first and moment == "before it puts":
            await files.put(address)

    found = await client.write_everywhere(hive.table_id, DAY, put)
    assert len(found) == (1 if moment == "after it has put" else 2)
    assert ids(hive, DAYS[0]) == sorted([0, 1, 2, 3, 100, 101, *[7] * rewrites])


async def test_a_write_that_was_interrupted_goes_on_under_its_name(hive: Hive, client: AsyncPackhouse) -> None:
    """U13: the rows are there once after a second call with the name of the first."""
    files = Files(100)

    async def fail(address: str) -> None:
        await files.put(address)
        raise OSError("the writer ends")

    with pytest.raises(OSError, match="the writer ends"):
        await client.write_everywhere(hive.table_id, DAY, fail)
    name = Path(files.calls[0]).name
    assert await client.write_everywhere(hive.table_id, DAY, files.put, file_name=name) == []
    assert ids(hive, DAYS[0]) == [0, 1, 2, 3, 100, 101]


async def test_wrong_questions_name_the_field_and_the_remedy(hive: Hive, client: AsyncPackhouse) -> None:
    async def put(_: str) -> None:
        raise AssertionError

    with pytest.raises(NotFound, match="add it in the Metastore"):
        await client.write_everywhere(hive.table_id, {"day": "2027-01-01"}, put)
    with pytest.raises(InvalidInput) as caught:
        await client.write_everywhere(hive.table_id, {"hour": 1}, put)
    (problem,) = caught.value.fields
    assert (problem.pointer, problem.value) == ("query:partition", ["hour=1"])
    assert "which has day" in problem.message
    for name in ("both-../../x.parquet", "dual-1.parquet", "part-00000.parquet"):
        with pytest.raises(InvalidInput):
            await client.write_everywhere(hive.table_id, DAY, put, file_name=name)
    old = "dual-1700000000000-0f8b6c2d4e1a49f7b3c5d7e9f1a2b4c6.parquet"
    with pytest.raises(InvalidInput, match="60 minutes ago"):
        await client.write_everywhere(hive.table_id, DAY, put, file_name=old)
    with pytest.raises(InvalidInput, match="in the future"):
        await client.write_everywhere(hive.table_id, DAY, put, file_name=old.replace("dual-1", "dual-9"))
    with pytest.raises(InvalidInput, match="a key is given twice"):
        await client.tables.write_locations(hive.table_id, partition=["day=2026-11-01", "day="])
    with pytest.raises(InvalidInput, match="pattern"):
        await client.tables.write_locations(hive.table_id, partition=['{"day":"2026-11-01"}'])


async def test_an_empty_value_is_the_partition_without_a_value(hive: Hive, client: AsyncPackhouse) -> None:
    """A Metastore finds the partition of null by an empty text; its rows must not be asked for under two names."""
    answer = await client.tables.write_locations(hive.table_id, partition=["day="])
    assert (answer.partition.values, answer.partition.text, len(answer.locations)) == ({"day": None}, "day=null", 1)


async def test_a_list_that_can_not_be_read_is_no_answer(hive: Hive, client: AsyncPackhouse) -> None:
    """The file could be in it: its writer must not be told to put it again."""
    await hive.govern(POLICY)
    files = Files(100)
    (address,) = await client.write_everywhere(hive.table_id, DAY, files.put)
    run = await hive.api.rewrite(hive.table_id)
    assert run.state == "succeeded", run.detail
    asked = {"partition": "day=2026-11-01", "file_name": Path(address).name}
    assert (await client.tables.write_locations(hive.table_id, **asked)).is_written
    for each in hive.lake.folder.rglob("_replaced-*.json"):
        each.write_text("{")
    answer = await hive.api.get(f"/v1/tables/{hive.table_id}/write-locations", params=asked, status=409)
    assert answer["code"] == "table_unreadable"


async def test_writers_of_other_formats_commit_their_files(api: Api, lake: Lake, table_id: str) -> None:
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    assert ADDRESS["name"] == lake.table.name()[-1]
    async with AsyncPackhouse("http://packhouse", key, transport=httpx.ASGITransport(app=api.app)) as client:
        with pytest.raises(NotEligible, match="commit their files to the table"):
            await client.tables.write_locations(table_id, partition=["day=2026-11-01"])


async def test_without_the_metastore_no_folder_is_named(api: Api, hive_lake: HiveLake) -> None:
    """U13: a stored location could be that of before the last rewrite, or of another client."""
    table = await asyncio.to_thread(hive_lake.create_table)
    table.append([DAYS[0]], [{"id": 1, "value": 1.5}])
    with hive_lake.metastore.switched() as (behind, switch):
        properties = {"type": "metastore", "uri": behind.uri}
        await api.post("/v1/catalogs", {"name": "lake", "format": "hive", "properties": properties}, status=201)
        address = {"catalog": "lake", "namespace": ["lake"], "name": "events"}
        table_id = (await api.post("/v1/tables", address, status=201))["id"]
        path, asked = f"/v1/tables/{table_id}/write-locations", {"partition": "day=2026-11-01"}
        assert len((await api.get(path, params=asked))["locations"]) == 1
        switch.cut = "get_partition"
        answer = await api.get(path, params=asked, status=503)
        assert answer["code"] == "unavailable"
        assert "locations" not in answer
