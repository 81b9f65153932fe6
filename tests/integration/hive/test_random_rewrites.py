"""Partitions of random tables are rewritten: Spark and DuckDB find the same rows before, during and after.

Files come from pyarrow, DuckDB and Spark, with the types, spellings and leftovers of real folders; predicates ask for
every boundary value. `make test` plays one table, `make test-deep` six; `PACKHOUSE_FUZZ_TABLES` and
`PACKHOUSE_FUZZ_SEED` play more and other ones (`make fuzz-hive`), `PACKHOUSE_FUZZ_KIND` all in Metastores of some
releases, `PACKHOUSE_FUZZ_PLANS` without the readers, which take most of the time: the run does what its plan promised.

Spark knows the Metastore of release 2 alone. A table of another one gets its entries from there before its rewrite, and
gives them back after it.
"""

import os
import re
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore.ttypes import Database

from engine.domain.runs.drops import UNREADABLE
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.rewriting.kernel.errors import TYPE_NOT_PROMOTABLE, UNREADABLE_LAYOUT
from tests.support.hive.answers import Answers, Predicate, union_of
from tests.support.hive.lakes import HiveLake, uri_of
from tests.support.hive.random_tables import RandomTable, random_table
from tests.support.hive.second_readers import HiveSpark
from tests.support.hive.worlds import WrittenTable, served
from tests.support.mirrored_world import kind_of
from tests.support.plan_and_run import check_kept, promise_of
from tests.support.settings import settings_of
from tests.support.world import open_on

TABLES: Final = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "6" if os.environ.get("PACKHOUSE_DEEP") else "1"))
KINDS: Final = ("hive_4", "hive_3", "hive_2")
SEED: Final = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
PLANS_ONLY: Final = bool(os.environ.get("PACKHOUSE_FUZZ_PLANS"))
_OF_FILES: Final = ("not_eligible", UNREADABLE, UNREADABLE_LAYOUT, TYPE_NOT_PROMOTABLE)
"""Refusals of partitions by the footers of their files, which no plan reads; `_check_partitions` knows them."""
Rewrite = Callable[[RandomTable], Awaitable[Run]]

pytestmark = [pytest.mark.usefixtures("redis"), pytest.mark.timeout(600)]


@pytest.fixture
def rewrite(sqlite_url: str, redis_url: str, tmp_path: Path) -> Rewrite:
    """Rewrite every file of a table by a whole run."""

    async def rewrite(made: RandomTable) -> Run:
        settings = settings_of(
            tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False
        )
        lake = WrittenTable(made.table, made.table.metastore.uri)
        async with open_on(lake, settings, formats=served) as world:
            codec = made.chance.choice(("zstd:3", "snappy", "gzip", "lz4", "uncompressed"))
            deletes = {"delete_old_compactions": {"grace": "1h", "interval": "1h"}}
            rewrite = {"compression": codec, **_strategy(made)}
            await world.set_policy({"rewrite": rewrite, "maintenance": deletes})
            request = RunRequest(force_full=True, every_file=True)
            promise = await promise_of(world, world.table_id, request)
            run = await world.submit(request)
            run = await world.finish(run.id)
            await check_kept(world, promise, run, passing=_OF_FILES)
            return run

    return rewrite


def _strategy(made: RandomTable) -> dict[str, Any]:
    """Return settings of the rows' order; each second table has none."""
    strategy = made.chance.choice(("binpack", "binpack", "binpack", "sort", "zorder", "hilbert"))
    flat = [name for name, kind in made.columns.items() if not kind.is_nested]
    if strategy == "binpack" or not flat:
        return {}
    names = made.chance.sample(flat, min(len(flat), made.chance.randint(1, 3)))
    return {"strategy": strategy, "columns": names}


@pytest.mark.parametrize("number", range(TABLES))
async def test_a_random_table_has_the_same_rows_for_every_reader(
    hive_lake: HiveLake, hive_spark: HiveSpark, rewrite: Rewrite, number: int, request: pytest.FixtureRequest
) -> None:
    made = random_table(Random(1000 * SEED + number), hive_lake, hive_spark)
    kind = kind_of(number, KINDS)
    locations = _locations(made)
    with duckdb.connect() as connection:
        answers = None if PLANS_ONLY else Answers.of(made, hive_spark, connection)
        with _in_metastore(made, kind, request):
            if answers is None:
                _check_partitions(made, await rewrite(made), locations)
                return
            with _reading(made) as seen:
                run = await rewrite(made)
            assert seen
            assert [str(each) for each in seen if each != list(range(made.rows))] == []
            _check_partitions(made, run, locations)
        answers.compare()


@contextmanager
def _in_metastore(made: RandomTable, kind: str, request: pytest.FixtureRequest) -> Iterator[None]:
    """Have a table in a Metastore of another release during the block; afterwards the first one has its locations."""
    if kind == "hive_2":
        yield
        return
    first, other = made.table, request.getfixturevalue(kind.replace("hive", "metastore"))
    made.table = replace(first, metastore=other)
    with other.client() as client:
        client.create_database(Database(first.database, locationUri=uri_of(first.folder.parent)))
        client.create_table(first.read())
        client.add_partitions(first.partitions())
    try:
        yield
        with first.metastore.client() as client:
            for each in made.table.partitions():
                client.alter_partition(first.database, first.name, each)
    finally:
        with other.client() as client:
            client.drop_database(first.database, False, True)
        made.table = first


def _drop_row(path: Path) -> None:
    pq.write_table(pq.read_table(path).slice(1), path)


def _double_row(path: Path) -> None:
    rows = pq.read_table(path)
    pq.write_table(pa.concat_tables([rows, rows.slice(0, 1)]), path)


def _lower_greatest_id(path: Path) -> int:
    """Lower the upper bound of the id in a footer and return the greatest id."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    greatest = max(pq.read_table(path)["id"].to_pylist())
    footer = content[start:].replace(struct.pack("<q", greatest), struct.pack("<q", greatest - 1))
    assert footer != content[start:]
    path.write_bytes(content[:start] + footer)
    return int(greatest)


@pytest.mark.deep
async def test_a_lost_or_doubled_row_and_a_wrong_bound_are_noticed(
    hive_lake: HiveLake, hive_spark: HiveSpark, rewrite: Rewrite
) -> None:
    """By a wrong bound each reader skips the row group, though rows are right without a predicate."""
    made = random_table(Random(165), hive_lake, hive_spark)
    with duckdb.connect() as connection:
        answers = Answers.of(made, hive_spark, connection)
        await rewrite(made)
        output = _output_of(made)
        sound = output.read_bytes()
        for damage in (_drop_row, _double_row):
            damage(output)
            with pytest.raises(AssertionError):
                answers.compare()
            output.write_bytes(sound)
        greatest = _lower_greatest_id(output)
        asked = [(Predicate("id", "bigint", ">=", greatest),)]
        assert asked[0] in answers.predicates
        with pytest.raises(AssertionError, match=r"DuckDB finds .* rows with"):
            answers.compare()
        with pytest.raises(AssertionError, match=r"Spark finds .* rows with"):
            answers.ask_spark(asked)


def _output_of(made: RandomTable) -> Path:
    """Return an output of the rewrite."""
    return next(each for files in made.partition_files().values() for each in files if "/_compacted/" in str(each))


@contextmanager
def _reading(made: RandomTable) -> Iterator[list[Any]]:
    """Read the ids of all rows over and over until the block ends; yields the ids of each time, ordered."""
    seen: list[Any] = []
    ended = threading.Event()

    def read() -> None:
        with duckdb.connect() as connection:
            while not ended.is_set():
                try:
                    found = connection.execute(union_of(made, only_id=True)).fetchall()
                    seen.append(sorted(each for (each,) in found))
                except Exception as error:  # noqa: BLE001 - a reader that fails is what the test looks for
                    seen.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield seen
    finally:
        ended.set()
        reader.join()


def _locations(made: RandomTable) -> dict[tuple[str, ...], str]:
    return {tuple(each.values): each.sd.location for each in made.table.partitions()}


def _check_partitions(made: RandomTable, run: Run, before: dict[tuple[str, ...], str]) -> None:
    """Every partition with files is in a new folder, but for those that are refused with a reason.

    With a parameter that is not known, or that a rewrite would not keep true, nothing is done, and the run names it.
    """
    if made.forbidden:
        assert _locations(made) == before
        assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible"), run.detail
        assert made.forbidden in str(run.detail), run.detail
        return
    after, filled = _locations(made), {values for values, files in made.partition_files().items() if files}
    moved = {values for values in before if after[values] != before[values]}
    assert set(after) == set(before)
    refused = {values: reason for values, reason in made.refused.items() if values in filled}
    refused |= {values: made.unsure[values] for values in filled - moved - set(refused)}
    assert moved == filled - set(refused)
    assert all(refused.values()), run.detail
    ended = (
        {RunState.SUCCEEDED} if moved else {RunState.REFUSED, RunState.FAILED, RunState.SKIPPED}
    )  # skipped: others have no files
    without_files = {RunState.SKIPPED, RunState.REFUSED} if made.refused else {RunState.SKIPPED}
    assert run.state in (ended if filled else without_files), run.detail
    assert not refused or any(re.search(each, str(run.detail)) for each in refused.values()), run.detail
