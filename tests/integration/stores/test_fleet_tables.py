"""The list of all tables with their state: orders, filters, pages, and what a page costs."""

import random
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import event, func, text, update

from engine.domain.access.grants import ReadableNamespaces
from engine.domain.fleet.tables import FleetKey, FleetPosition, FleetSort, FleetTable, FleetTableFilter
from engine.domain.ids import TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import TableFilter
from engine.domain.tables.watches import Verdict
from engine.stores.database import Database
from engine.stores.fleet import tables as fleet_tables
from engine.stores.schema.watching import watches
from tests.integration.stores.samples import LAKE, NOON, finished, registered, submitted
from tests.integration.stores.test_table_listings import effort_of
from tests.support.databases import FreshDatabase

EVERYTHING = FleetTableFilter()
SORTS = [FleetSort(key, descending=descending) for key in FleetKey for descending in (False, True)]


async def listed(
    database: Database, wanted: FleetTableFilter = EVERYTHING, sort: FleetSort | None = None, *, page: int = 100
) -> list[FleetTable]:
    """Return all pages."""
    found: list[FleetTable] = []
    after: FleetPosition | None = None
    async with database.read() as work:
        while True:
            items = await work.fleet_tables.list(wanted, sort or FleetSort(), after, page)
            found += items
            if len(items) < page:
                return found
            after = (items[-1].sort_value, items[-1].table_id)


async def watched(database: Database, name: str, **values: Any) -> TableId:
    """Register a table and store how its last look ended."""
    table = await registered(database, name)
    async with database.begin() as work:
        await work.connection.execute(update(watches).where(watches.c.table_id == table.id).values(**values))
    return table.id


async def measured(database: Database, table_id: TableId, benefit: float, history: int | None) -> None:
    found = Measurement(table_id, "1", NOON, 10, 8, 7, 2**50, 40.0, benefit, {}, history_bytes=history)
    async with database.begin() as work:
        await work.measurements.record(found)


@pytest.fixture
async def fleet(database: Database) -> list[TableId]:
    """Return tables with and without each value, several of them equal."""
    chance = random.Random(7)
    held = {"verdict": Verdict.HELD, "looked_at": NOON, "detail": "why"}
    ids = [
        await watched(database, "new", verdict=Verdict.NEW),
        await watched(database, "quiet", **held, code="quiet_hours", due_since=NOON),
        await watched(database, "also quiet", **held, code="quiet_hours", due_since=NOON - timedelta(hours=3)),
        await watched(database, "budget", **held, code="day_budget", due_since=NOON - timedelta(microseconds=1)),
        await watched(database, "away", verdict=Verdict.UNREACHABLE, code="table_unreadable", next_at=NOON),
        await watched(database, "fine", verdict=Verdict.NOT_DUE, next_at=NOON),
        await watched(database, "off", verdict=Verdict.DISABLED, code="disabled", next_at=NOON + timedelta(hours=1)),
    ]
    benefits, histories = (0.1, 1 / 3, 2.5, 2.5, 1e-9), (2**53 - 1, None, 0, 7, 7)
    for table_id, benefit, history in zip(ids[:5], benefits, histories, strict=True):
        await measured(database, table_id, benefit, history)
    for table_id in ids[1:6]:
        await finished(database, table_id, chance.choice([RunState.FAILED, RunState.SKIPPED]))
    await submitted(database, ids[2])
    return ids


@pytest.mark.parametrize("sort", SORTS, ids=lambda sort: f"{sort.key}-{sort.descending}")
async def test_every_order_holds_each_table_once_in_pages_of_any_size(
    database: Database, fleet: list[TableId], sort: FleetSort
) -> None:
    whole = await listed(database, sort=sort)
    assert {each.table_id for each in whole} == set(fleet)
    for page in (1, 2, 3):
        assert [each.table_id for each in await listed(database, sort=sort, page=page)] == [
            each.table_id for each in whole
        ]
    values: list[Any] = [each.sort_value for each in whole]
    present = [value for value in values if value is not None]
    assert values == present + [None] * (len(values) - len(present))
    assert all(one >= other if sort.descending else one <= other for one, other in pairwise(present))


async def test_a_table_shows_its_look_its_measurement_and_its_newest_run(
    database: Database, fleet: list[TableId]
) -> None:
    found = {each.table_id: each for each in await listed(database)}
    new, quiet, waiting, fine = (found[fleet[at]] for at in (0, 1, 2, 5))
    assert (new.verdict, new.hold, new.last_run, new.benefit_per_cost) == (Verdict.NEW, None, None, 0.1)
    assert (quiet.verdict, quiet.hold, quiet.due_since) == (Verdict.HELD, "quiet_hours", NOON)
    assert (fine.score, fine.measured_at, fine.next_look_at is None) == (None, None, False)
    assert quiet.last_run is not None
    assert quiet.last_run.finished_at is not None
    assert waiting.last_run is not None
    assert (waiting.last_run.state, waiting.last_run.finished_at) == (RunState.QUEUED, None)
    assert found[fleet[4]].hold is None  # a table that can't be read is not held back: its verdict says so


async def test_tables_are_found_by_every_filter(database: Database, fleet: list[TableId]) -> None:
    for wanted, at in (
        (FleetTableFilter(verdicts=frozenset({Verdict.NEW, Verdict.NOT_DUE})), {0, 5}),
        (FleetTableFilter(holds=frozenset({"quiet_hours"})), {1, 2}),
        (FleetTableFilter(holds=frozenset({"disabled"})), set[int]()),
        (FleetTableFilter(is_due=True), {1, 2, 3}),
        (FleetTableFilter(is_due=False), {0, 4, 5, 6}),
        (FleetTableFilter(last_run_states=frozenset({RunState.QUEUED})), {2}),
        (FleetTableFilter(TableFilter(labels={"a": "b"}), verdicts=frozenset({Verdict.DISABLED})), {6}),
        (FleetTableFilter(TableFilter(labels={"a": "c"})), set[int]()),
        (FleetTableFilter(TableFilter(catalog="lake", namespace=("shop", "eu"), name="fine")), {5}),
        (FleetTableFilter(TableFilter(owner_team="other")), set[int]()),
        (FleetTableFilter(TableFilter(search="EU.Quie")), {1}),
        (FleetTableFilter(TableFilter(is_paused=True)), set[int]()),
    ):
        assert {each.table_id for each in await listed(database, wanted)} == {fleet[each] for each in at}, wanted


async def test_only_tables_in_view_are_listed(database: Database, fleet: list[TableId]) -> None:
    teams = ((frozenset({"shop"}), 7), (frozenset({"other"}), 0), (frozenset[str](), 0))
    for names, count in teams:
        assert len(await listed(database, FleetTableFilter(TableFilter(teams=names)))) == count
    for namespaces, count in ((None, 7), (frozenset({("shop", "eu")}), 7), (frozenset({("shop",)}), 0)):
        readable = (ReadableNamespaces("lake", namespaces),)
        seen = TableFilter(teams=frozenset(), readable=readable)
        assert len(await listed(database, FleetTableFilter(seen))) == count


@pytest.mark.parametrize("sort", SORTS, ids=lambda sort: f"{sort.key}-{sort.descending}")
async def test_a_page_takes_three_statements_whatever_its_size(
    database: Database, fleet: list[TableId], sort: FleetSort
) -> None:
    async with database.read() as work:
        statements: list[str] = []
        connection = work.connection.sync_connection
        event.listen(connection, "before_cursor_execute", lambda *given: statements.append(given[2]))
        for limit in (1, 7, 100):
            statements.clear()
            await work.fleet_tables.list(EVERYTHING, sort, None, limit)
            assert len(statements) <= 3


async def test_no_order_reads_the_history_of_runs_nor_the_default_all_tables(
    fresh_database: FreshDatabase,
) -> None:
    database = fresh_database.connect()
    await _add_tables(database, tables=2_000, runs=20_000)
    async with database.read() as work:
        greatest = func.max if work.connection.dialect.name == "sqlite" else func.greatest
        for sort in SORTS:
            query = fleet_tables.valued(EVERYTHING, sort, None, 50, greatest=greatest)
            most = 200 if sort.key is FleetKey.BENEFIT_PER_COST else 10_000
            assert await effort_of(work.connection, query) <= most, sort


async def _add_tables(database: Database, *, tables: int, runs: int) -> None:
    """Store tables with their looks and measurements, and the runs of a hundred of them, behind the stores' back."""
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        is_sqlite = work.connection.dialect.name == "sqlite"
        at = "'2026-11-01T00:00:00.000000Z'" + ("" if is_sqlite else "::timestamptz")

        def number(prefix: str) -> str:
            return f"printf('{prefix}%06d', i)" if is_sqlite else f"'{prefix}' || lpad(i::text, 6, '0')"

        of_tables = "id, catalog, namespace, name, uuid, location, owner_team, created_at, version, labels"
        of_looks = "table_id, phase, next_at, interval_seconds, verdict, code, due_since"
        of_measurements = "table_id, snapshot_id, measured_at, is_latest, file_count, small_file_count, "
        of_measurements += "avoidable_file_count, total_bytes, score, benefit_per_cost, small_file_change, document"
        of_runs = (
            "id, table_id, catalog, operation, request_key, priority, state, last_event, requested_by, created_at, "
        )
        of_runs += "updated_at, attempt, failures, started_at, finished_at, snapshot_count, plan, intent, "
        of_runs += "result, policy, request"
        key, empty = number("tbl_"), ", ".join(["'{}'"] * 5)
        busy = "printf('tbl_%06d', i % 100 + 1)" if is_sqlite else "'tbl_' || lpad((i % 100 + 1)::text, 6, '0')"
        past = f"{number('run_')}, {busy}, 'lake', 'rewrite', 'k', 'normal', 'succeeded', 1, 'key:x', {at}, "
        past += f"{at}, 1, 0, {at}, {at}, 0, {empty}"
        filled = (
            ("tables", of_tables, tables, f"{key}, 'lake', '[\"ns\"]', 't' || i, 'u', 'l', 'shop', {at}, 1, '{{}}'"),
            ("watches", of_looks, tables, f"{key}, 0, {at}, 40, 'held', 'quiet_hours', {at}"),
            ("measurements", of_measurements, tables, f"{key}, '1', {at}, true, 9, 9, 8, 7, 50, i / 7.0, 0, '{{}}'"),
            (
                "runs",
                of_runs,
                runs,
                past,
            ),
        )
        for name, columns, count, values in filled:
            numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
            insert, select = f"INSERT INTO {name} ({columns}) ", f"SELECT {values} FROM n"
            statement = insert + numbers + select if is_sqlite else numbers + insert + select
            await work.connection.execute(text(statement))
        await work.connection.execute(text("ANALYZE"))
