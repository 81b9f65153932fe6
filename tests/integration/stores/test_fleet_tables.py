"""The list of all tables with their state: orders, filters, pages, and what a page costs."""

import random
from datetime import timedelta
from itertools import pairwise, product
from typing import Any

import pytest
from sqlalchemy import event, func, update

from engine.domain.access.grants import ReadableNamespaces
from engine.domain.fleet.tables import FleetKey, FleetPosition, FleetSort, FleetTable, FleetTableFilter
from engine.domain.ids import TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import TableFilter
from engine.domain.tables.watches import Verdict
from engine.stores.fleet import tables as fleet_tables
from engine.stores.schema.watching import watches
from tests.integration.stores.plans import AT, fill
from tests.integration.stores.samples import LAKE, NOON, finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.integration.stores.test_table_listings import effort_of

EVERYTHING = FleetTableFilter()
SORTS = [FleetSort(key, descending=descending) for key in FleetKey for descending in (False, True)]


async def listed(
    database: Stores, wanted: FleetTableFilter = EVERYTHING, sort: FleetSort | None = None, *, page: int = 100
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


async def watched(database: Stores, name: str, **values: Any) -> TableId:
    """Register a table and store how its last look ended."""
    table = await registered(database, name)
    async with database.begin() as work:
        await work.connection.execute(update(watches).where(watches.c.table_id == table.id).values(**values))
    return table.id


async def measured(database: Stores, table_id: TableId, benefit: float, history: int | None) -> None:
    found = Measurement(table_id, "1", NOON, 10, 8, 7, 2**50, 40.0, benefit, {}, history_bytes=history)
    await database.measurements.record(found)


@pytest.fixture
async def fleet(database: Stores) -> list[TableId]:
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


async def test_every_order_holds_each_table_once_in_pages_of_any_size(database: Stores, fleet: list[TableId]) -> None:
    for sort in SORTS:
        whole = await listed(database, sort=sort)
        assert {each.table_id for each in whole} == set(fleet)
        for page in (1, 2, 3):
            paged = await listed(database, sort=sort, page=page)
            assert [each.table_id for each in paged] == [each.table_id for each in whole], sort
        values: list[Any] = [each.sort_value for each in whole]
        present = [value for value in values if value is not None]
        assert values == present + [None] * (len(values) - len(present)), sort
        assert all(one >= other if sort.descending else one <= other for one, other in pairwise(present)), sort


async def test_a_table_shows_its_look_its_measurement_and_its_newest_run(database: Stores, fleet: list[TableId]):
    found = {each.table_id: each for each in await listed(database)}
    new, quiet, waiting, fine = (found[fleet[at]] for at in (0, 1, 2, 5))
    assert (new.verdict, new.hold, new.last_run, new.benefit_per_cost) == (Verdict.NEW, None, None, 0.1)
    assert (quiet.verdict, quiet.hold, quiet.due_since) == (Verdict.HELD, "quiet_hours", NOON)
    assert (fine.score, fine.measured_at, fine.next_look_at is None) == (None, None, False)
    assert quiet.last_run.finished_at is not None
    assert (waiting.last_run.state, waiting.last_run.finished_at) == (RunState.QUEUED, None)
    assert found[fleet[4]].hold is None  # a table that can't be read is not held back: its verdict says so


async def test_tables_are_found_by_every_filter(database: Stores, fleet: list[TableId]) -> None:
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


async def test_only_tables_in_view_are_listed(database: Stores, fleet: list[TableId]) -> None:
    teams = ((frozenset({"shop"}), 7), (frozenset({"other"}), 0), (frozenset[str](), 0))
    for names, count in teams:
        assert len(await listed(database, FleetTableFilter(TableFilter(teams=names)))) == count
    for namespaces, count in ((None, 7), (frozenset({("shop", "eu")}), 7), (frozenset({("shop",)}), 0)):
        readable = (ReadableNamespaces("lake", namespaces),)
        seen = TableFilter(teams=frozenset(), readable=readable)
        assert len(await listed(database, FleetTableFilter(seen))) == count


async def test_a_page_takes_three_statements_whatever_its_size(database: Stores, fleet: list[TableId]) -> None:
    async with database.read() as work:
        statements: list[str] = []
        connection = work.connection.sync_connection
        event.listen(connection, "before_cursor_execute", lambda *given: statements.append(given[2]))
        for sort, limit in product(SORTS, (1, 7, 100)):
            statements.clear()
            await work.fleet_tables.list(EVERYTHING, sort, None, limit)
            assert len(statements) <= 3, sort


async def test_no_order_reads_the_history_of_runs_nor_the_default_all_tables(database: Stores):
    await _add_tables(database, tables=2_000, runs=20_000)
    async with database.read() as work:
        greatest = func.max if work.connection.dialect.name == "sqlite" else func.greatest
        for sort in SORTS:
            query = fleet_tables.valued(EVERYTHING, sort, None, 50, greatest=greatest)
            most = 200 if sort.key is FleetKey.AVOIDABLE_FILES else 10_000
            assert await effort_of(work.connection, query) <= most, sort


async def _add_tables(database: Stores, *, tables: int, runs: int) -> None:
    """Store tables with their looks and measurements, and the runs of a hundred of them, behind the stores' back."""
    await database.catalogs.insert(LAKE)
    key = "'tbl_' || (1000000 + i)"
    named = {"id": key, "catalog": "'lake'", "namespace": "'[\"ns\"]'", "name": "'t' || i", "uuid": "'u'"}
    rest = {"location": "'l'", "owner_team": "'shop'", "created_at": AT, "version": "1", "labels": "'{}'"}
    await fill(database, "tables", tables, **named, **rest)
    look = {"next_at": AT, "interval_seconds": "40", "verdict": "'held'", "code": "'quiet_hours'", "due_since": AT}
    await fill(database, "watches", tables, table_id=key, phase="0", **look)
    counts = {"file_count": "9", "small_file_count": "9", "avoidable_file_count": "8", "total_bytes": "7"}
    figures = {"score": "50", "benefit_per_cost": "i / 7.0", "small_file_change": "0", "document": "'{}'"}
    found = {"table_id": key, "snapshot_id": "'1'", "measured_at": AT, "is_latest": "true"}
    await fill(database, "measurements", tables, **found, **counts, **figures)
    run = {"id": "'run_' || (1000000 + i)", "table_id": "'tbl_' || (1000001 + i % 100)", "catalog": "'lake'"}
    asked = {"operation": "'rewrite'", "request_key": "'k'", "priority": "'normal'", "requested_by": "'key:x'"}
    state = {"state": "'succeeded'", "last_event": "1", "attempt": "1", "failures": "0", "snapshot_count": "0"}
    times = dict.fromkeys(("created_at", "updated_at", "started_at", "finished_at"), AT)
    documents = dict.fromkeys(("plan", "intent", "result", "policy", "request"), "'{}'")
    await fill(database, "runs", runs, **run, **asked, **state, **times, **documents)
