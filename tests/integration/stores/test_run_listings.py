"""Pages, counts and budgets over many runs, and that no such query grows with history."""

import re
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import ClauseElement, text

from engine.domain.ids import RunId, TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import LIVE_STATES, EndedRuns, Operation, Run, RunFilter, RunPage, RunState, WaitingFor
from engine.stores.database import Database
from engine.stores.runs import listings as run_listings
from tests.integration.stores.samples import a_group, a_result, claimed, finished, registered, submitted
from tests.support.databases import FreshDatabase


async def _history(database: Database, table_id: TableId) -> list[RunId]:
    """Store five ended runs and a live one; return their ids, newest first."""
    ends = [RunState.FAILED, RunState.SKIPPED, RunState.FAILED, RunState.SKIPPED, RunState.FAILED]
    ended = [(await finished(database, table_id, end)).id for end in ends]
    return [(await submitted(database, table_id)).id, *reversed(ended)]


async def _pages(database: Database, limit: int, **filters: Any) -> list[list[RunId]]:
    pages: list[list[RunId]] = []
    while not pages or len(pages[-1]) == limit:
        async with database.read() as work:
            before = pages[-1][-1] if pages else None
            pages.append([run.id for run in await work.runs.list(before=before, limit=limit, **filters)])
    return pages


async def test_pages_hold_every_run_once_newest_first(database: Database) -> None:
    table = await registered(database)
    ids = await _history(database, table.id)
    for filters in ({}, {"table_id": table.id}, {"states": frozenset(RunState)}):
        assert [run_id for page in await _pages(database, 4, **filters) for run_id in page] == ids


async def test_pages_are_stable_under_inserts(database: Database) -> None:
    table = await registered(database)
    ids = await _history(database, table.id)
    async with database.read() as work:
        first = [run.id for run in await work.runs.list(limit=2)]
    await submitted(database, (await registered(database, "newer")).id)
    async with database.read() as work:
        second = [run.id for run in await work.runs.list(before=first[-1], limit=2)]
    assert first + second == ids[:4]


async def test_runs_are_filtered_by_state_and_table(database: Database) -> None:
    table, other = await registered(database), await registered(database, "other")
    ids = await _history(database, table.id)
    await _history(database, other.id)
    async with database.read() as work:
        live = await work.runs.list(table_id=table.id, states=LIVE_STATES)
        skipped = await work.runs.list(table_id=table.id, states=frozenset({RunState.SKIPPED}))
        none = await work.runs.list(table_id=table.id, states=frozenset())
    assert [run.id for run in live] == ids[:1]
    assert [run.id for run in skipped] == [ids[2], ids[4]]
    assert none == []


async def test_the_live_run_of_a_table_is_found(database: Database) -> None:
    table = await registered(database)
    await finished(database, table.id)
    async with database.read() as work:
        assert await work.runs.find_live(table.id, Operation.REWRITE) is None
    run = await submitted(database, table.id)
    async with database.read() as work:
        assert await work.runs.find_live(table.id, Operation.REWRITE) == run


async def test_ready_runs_are_oldest_first(database: Database) -> None:
    runs: list[Run] = [await submitted(database) for _ in range(3)]
    await claimed(database)
    async with database.read() as work:
        assert [run.id for run in await work.runs.list_ready(2)] == [runs[0].id, runs[1].id]


async def test_metrics_count_every_live_state(database: Database) -> None:
    await submitted(database)
    await claimed(database)
    await claimed(database)
    await finished(database, (await registered(database)).id)
    async with database.read() as work:
        counts = await work.runs.metrics()
    assert counts == {
        RunState.QUEUED: 1,
        RunState.PLANNING: 2,
        RunState.REWRITING: 0,
        RunState.COMMITTING: 0,
    }


async def test_bytes_count_for_the_table_that_was_rewritten_since(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.groups.replace_planned(lease, [a_group(file_bytes=100), a_group(file_bytes=200), a_group()])
        await work.groups.mark_written(lease, a_result(0))
        await work.groups.mark_written(lease, a_result(1))
        run = await work.runs.get(lease.run_id)
        assert run is not None
        moved = await work.runs.bytes_rewritten_since(run.table_id, await work.now() - timedelta(hours=1))
        later = await work.runs.bytes_rewritten_since(run.table_id, await work.now() + timedelta(hours=1))
        other = await work.runs.bytes_rewritten_since(TableId("tbl_other"), await work.now() - timedelta(hours=1))
    assert [size for _, size in moved] == [200, 400]
    assert (later, other) == ([], [])


async def test_bytes_of_written_groups_count_after_they_were_dropped_and_planned_again(database: Database) -> None:
    lease = await claimed(database)
    async with database.begin() as work:
        await work.groups.replace_planned(lease, [a_group(file_bytes=100)])
        await work.groups.mark_written(lease, a_result(0))
        await work.groups.mark_dropped(lease, {0: "conflict"})
        await work.groups.replace_planned(lease, [])
        run = await work.runs.get(lease.run_id)
        assert run is not None
        moved = await work.runs.bytes_rewritten_since(run.table_id, await work.now() - timedelta(hours=1))
    assert [size for _, size in moved] == [200]


_TEAMS = frozenset({"team_1", "team_2"})
_MANY_TEAMS = frozenset(f"team_{number}" for number in range(50))
_T, _C, _OP = TableId("tbl_1"), "catalog_1", Operation.PURGE


_QUERIES: dict[str, ClauseElement] = {
    "ready": run_listings.ready(100),
    "ready while the fleet is paused": run_listings.ready(100, is_fleet_paused=True),
    "ready past full catalogs": run_listings.ready(100, without=["archive"]),
    "first of each sharer": run_listings.first_of_each_sharer(),
    "at work": run_listings.at_work(),
    "held back": run_listings.held_back([WaitingFor.BLACKOUT], 100),
    "live runs of a table": run_listings.live_of_table(TableId("tbl_1"), 5),
    "live run of a table": run_listings.live(TableId("tbl_1"), Operation.REWRITE, "key"),
    "live counts": run_listings.live_counts(),
    "expired leases": run_listings.expired(100),
    "changes": run_listings.changes(_T, RunId("run_5"), 50),
}
_FILTERS: dict[str, dict[str, Any]] = {
    "table": {"table_id": _T},
    "states": {"states": LIVE_STATES},
    "operation": {"operations": frozenset({_OP})},
    "catalog": {"catalog": _C},
    "teams": {"teams": _TEAMS},
    "time": {"since": RunId("run_01"), "until": RunId("run_02")},
}
_COMBINATIONS = [names for count in range(len(_FILTERS) + 1) for names in combinations(_FILTERS, count)]


_SCAN_OF_HELD = "SCAN runs USING INDEX ix_runs_lease_expires_at"  # an index of the runs that workers hold, and no other


async def _add_history(database: Database) -> None:
    """Store 20,000 ended runs behind the stores' back, so that planners know that reading them all is dear."""
    async with database.begin() as work:
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        columns = (
            "id, table_id, catalog, owner_team, operation, request_key, priority, state, last_event, requested_by, "
        )
        columns += "created_at, updated_at, finished_at, attempt, failures, snapshot_count, "
        columns += "plan, intent, result, policy, request"
        at = "'2026-11-01T00:00:00.000000Z'"
        values = (
            "'run_0' || i, 'tbl_' || (i % 50), 'catalog_' || (i % 4), 'team_' || (i % 50), 'rewrite', 'key', 'normal', "
        )
        values += f"'skipped', 1, 'key', {at}, {at}, {at}, 0, 0, i % 2, '{{}}', '{{}}', '{{}}', '{{}}', '{{}}'"
        select = f"SELECT {values} FROM n"
        is_sqlite = work.connection.dialect.name == "sqlite"
        insert = f"INSERT INTO runs ({columns}) "
        await work.connection.execute(text(insert + numbers + select if is_sqlite else numbers + insert + select))
        await work.connection.execute(text("ANALYZE runs" if not is_sqlite else "ANALYZE"))


async def _explain(database: Database, query: ClauseElement) -> str:
    async with database.begin() as work:
        dialect = work.connection.dialect
        compiled = query.compile(dialect=dialect, compile_kwargs={"literal_binds": True})
        prefix = "EXPLAIN QUERY PLAN " if dialect.name == "sqlite" else "EXPLAIN ANALYZE "
        rows = await work.connection.exec_driver_sql(prefix + str(compiled))
        return "\n".join(str(row[-1]) for row in rows)


def _rows_read(plan: str) -> int:
    read = re.findall(r"actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)", plan)
    return max(int(number) for numbers in read for number in numbers if number)


@pytest.fixture
async def history(fresh_database: FreshDatabase) -> Database:
    database = fresh_database.connect()
    await _add_history(database)
    return database


@pytest.mark.parametrize("query", _QUERIES.values(), ids=_QUERIES.keys())
async def test_no_query_over_runs_reads_all_of_history(history: Database, query: ClauseElement) -> None:
    plan = await _explain(history, query)
    if "actual time" in plan:
        assert _rows_read(plan) <= 100, plan
    else:
        assert "SCAN runs" not in plan.replace(_SCAN_OF_HELD, ""), plan


async def test_no_combination_of_filters_reads_all_of_history(history: Database) -> None:
    for names in _COMBINATIONS:
        wanted = RunFilter(**{key: value for name in names for key, value in _FILTERS[name].items()})
        walked = run_listings.walked_to(wanted, RunId("run_5"))
        for query in (run_listings.page(wanted, RunId("run_5"), 50), walked):
            plan = "" if query is None else await _explain(history, query)
            if "actual time" in plan:
                assert _rows_read(plan) <= 2 * run_listings.WALK, plan
            else:
                assert not re.search(r"SCAN runs(?! USING (COVERING )?INDEX)", plan), (names, plan)


async def test_many_teams_are_a_filter_on_what_is_walked(history: Database) -> None:
    query = run_listings.page(RunFilter(teams=_MANY_TEAMS), None, 50)
    plan = await _explain(history, query)
    assert "actual time" not in plan or _rows_read(plan) <= run_listings.WALK, plan


async def test_pages_of_any_filter_hold_every_run_once(history: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_listings, "WALK", 700)
    wanted = RunFilter(catalog=_C, teams=frozenset({"team_1", "team_3"}), operations=frozenset({Operation.REWRITE}))
    found: list[RunId] = []
    before: RunId | None = None
    pages = 0
    while pages == 0 or before is not None:
        async with history.read() as work:
            page = await work.runs.page(wanted, before, 100)
        found += [run.id for run in page.runs]
        full = len(page.runs) == 100
        before = page.runs[-1].id if full else page.walked_to
        pages += 1
    numbers = [i for i in range(1, 20001) if i % 4 == 1 and i % 50 in (1, 3)]
    assert found == sorted((f"run_0{i}" for i in numbers), reverse=True)


async def test_a_look_that_ends_early_says_how_far_it_went(history: Database) -> None:
    async with history.read() as work:
        page = await work.runs.page(RunFilter(operations=frozenset({Operation.PURGE})), None, 10)
    assert page.runs == ()
    assert page.walked_to is not None


async def test_nothing_is_visible_to_nobody(history: Database) -> None:
    async with history.read() as work:
        assert await work.runs.page(RunFilter(teams=frozenset())) == RunPage(())


async def test_changes_of_a_table_are_those_with_snapshots(history: Database) -> None:
    async with history.read() as work:
        changes = await work.runs.list_changes(TableId("tbl_1"), None, 1000)
    assert [run.snapshot_count for run in changes] == [1] * 400


async def test_ended_runs_are_counted_as_they_end(database: Database) -> None:
    table = await registered(database)
    for _ in range(2):
        lease = await claimed(database, (await submitted(database, table.id)).id)
        async with database.begin() as work:
            result: dict[str, Any] = {"rewritten_bytes": 100, "added_bytes": 60}
            result |= {"groups_committed": 3, "races": {"groups_lost": 2}, "wasted_bytes": 7}
            await work.runs.transition(lease, to=RunState.FAILED, result=RunResult(result))
    waiting = await submitted(database, table.id)
    async with database.begin() as work:
        await work.runs.request_cancel(waiting.id, "somebody")
        totals = await work.runs.totals()
    assert totals == [
        EndedRuns(Operation.REWRITE, RunState.CANCELLED, 1, 0, 0),
        EndedRuns(Operation.REWRITE, RunState.FAILED, 2, 200, 120, groups_committed=6, groups_lost=4, wasted_bytes=14),
    ]
