"""Pages, counts and budgets over many runs, and that no such query grows with history."""

import re
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import ClauseElement

from engine.domain.ids import RunId, TableId
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import LIVE_STATES, EndedRuns, Operation, Run, RunFilter, RunPage, RunState, WaitingFor
from engine.domain.tables.table import Table
from engine.stores.runs import listings as run_listings
from tests.integration.stores.plans import AT, fill, plan_of, rows_read
from tests.integration.stores.samples import a_group, a_result, claimed, finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase


async def _history(database: Stores, table_id: TableId) -> list[RunId]:
    """Store five ended runs and a live one; return their ids, newest first."""
    ends = [RunState.FAILED, RunState.SKIPPED, RunState.FAILED, RunState.SKIPPED, RunState.FAILED]
    ended = [(await finished(database, table_id, end)).id for end in ends]
    return [(await submitted(database, table_id)).id, *reversed(ended)]


async def _pages(database: Stores, limit: int, **filters: Any) -> list[list[RunId]]:
    pages: list[list[RunId]] = []
    while not pages or len(pages[-1]) == limit:
        before = pages[-1][-1] if pages else None
        pages.append([run.id for run in await database.runs.list(before=before, limit=limit, **filters)])
    return pages


async def test_pages_hold_every_run_once_newest_first(database: Stores, table: Table) -> None:
    ids = await _history(database, table.id)
    for filters in ({}, {"table_id": table.id}, {"states": frozenset(RunState)}):
        assert [run_id for page in await _pages(database, 4, **filters) for run_id in page] == ids


async def test_pages_are_stable_under_inserts(database: Stores, table: Table) -> None:
    ids = await _history(database, table.id)
    first = [run.id for run in await database.runs.list(limit=2)]
    await submitted(database, (await registered(database, "newer")).id)
    second = [run.id for run in await database.runs.list(before=first[-1], limit=2)]
    assert first + second == ids[:4]


async def test_runs_are_filtered_by_state_and_table(database: Stores) -> None:
    table, other = await registered(database), await registered(database, "other")
    ids = await _history(database, table.id)
    await _history(database, other.id)
    live = await database.runs.list(table_id=table.id, states=LIVE_STATES)
    skipped = await database.runs.list(table_id=table.id, states=frozenset({RunState.SKIPPED}))
    none = await database.runs.list(table_id=table.id, states=frozenset())
    assert [run.id for run in live] == ids[:1]
    assert [run.id for run in skipped] == [ids[2], ids[4]]
    assert none == []


async def test_the_live_run_of_a_table_is_found(database: Stores, table: Table) -> None:
    await finished(database, table.id)
    assert await database.runs.find_live(table.id, Operation.REWRITE) is None
    run = await submitted(database, table.id)
    assert await database.runs.find_live(table.id, Operation.REWRITE) == run


async def test_ready_runs_are_oldest_first(database: Stores) -> None:
    runs: list[Run] = [await submitted(database) for _ in range(3)]
    await claimed(database)
    assert [run.id for run in await database.runs.list_ready(2)] == [runs[0].id, runs[1].id]


async def test_metrics_count_every_live_state(database: Stores) -> None:
    await submitted(database)
    await claimed(database)
    await claimed(database)
    await finished(database, (await registered(database)).id)
    counts = dict.fromkeys(LIVE_STATES, 0) | {RunState.QUEUED: 1, RunState.PLANNING: 2}
    assert await database.runs.metrics() == counts
    assert len(counts) == 4


async def test_bytes_of_written_groups_count_for_their_table_also_when_they_were_dropped_and_planned_again(
    database: Stores,
) -> None:
    lease, hour = await claimed(database), timedelta(hours=1)
    now, table_id = await database.now(), (await database.runs.get(lease.run_id)).table_id

    async def moved(of: TableId = table_id, since: datetime = now - hour) -> list[int]:
        return [size for _, size in await database.runs.bytes_rewritten_since(of, since)]

    await database.groups.replace_planned(lease, [a_group(file_bytes=100), a_group(file_bytes=200), a_group()])
    for ordinal in (0, 1):
        await database.groups.mark_written(lease, a_result(ordinal))
    assert await moved() == [200, 400]
    assert (await moved(since=now + hour), await moved(TableId("tbl_other"))) == ([], [])
    await database.groups.mark_dropped(lease, {0: "conflict"})
    await database.groups.replace_planned(lease, [])
    assert await moved() == [200, 400]


_TEAMS = frozenset({"team_1", "team_2"})
_MANY_TEAMS = frozenset(f"team_{number}" for number in range(50))
_T, _C, _OP = TableId("tbl_1"), "catalog_1", Operation.PURGE


_QUERIES: dict[str, ClauseElement] = {
    "ready": run_listings.ready(100),
    "ready while the fleet is paused": run_listings.ready(100, is_fleet_paused=True),
    "ready past full catalogs": run_listings.ready(100, without=["archive"]),
    "first of each sharer": run_listings.first_of_each_sharer(),
    "at work": run_listings.leased(),
    "held back": run_listings.held_back([WaitingFor.BLACKOUT], 100),
    "live runs of a table": run_listings.live_of_table(TableId("tbl_1"), 5),
    "live run of a table": run_listings.live(TableId("tbl_1"), Operation.REWRITE, "key"),
    "live counts": run_listings.live_counts(),
    "oldest startable": run_listings.oldest_startable(is_fleet_paused=False),
    "longest waits": run_listings.longest_waits(),
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


async def _add_history(database: Stores) -> None:
    """Store 20,000 ended runs behind the stores' back, so that planners know that reading them all is dear."""
    of = {"table_id": "'tbl_' || (i % 50)", "catalog": "'catalog_' || (i % 4)", "owner_team": "'team_' || (i % 50)"}
    asked = {"operation": "'rewrite'", "request_key": "'key'", "priority": "'normal'", "requested_by": "'key'"}
    state = {"state": "'skipped'", "last_event": "1", "attempt": "0", "failures": "0", "snapshot_count": "i % 2"}
    times = dict.fromkeys(("created_at", "updated_at", "finished_at"), AT)
    documents = dict.fromkeys(("plan", "intent", "result", "policy", "request"), "'{}'")
    await fill(database, "runs", 20_000, id="'run_0' || i", **of, **asked, **state, **times, **documents)


@pytest.fixture
async def history(fresh_database: FreshDatabase) -> Stores:
    database = fresh_database.connect()
    await _add_history(database)
    return database


async def test_no_query_and_no_combination_of_filters_reads_all_of_history(history: Stores) -> None:
    for name, query in _QUERIES.items():
        plan = await plan_of(history, query)
        assert (rows_read(plan) or 0) <= 100, (name, plan)
        assert "SCAN runs" not in plan.replace(_SCAN_OF_HELD, ""), (name, plan)
    for names in _COMBINATIONS:
        wanted = RunFilter(**{key: value for name in names for key, value in _FILTERS[name].items()})
        walked = run_listings.walked_to(wanted, RunId("run_5"))
        for query in (run_listings.page(wanted, RunId("run_5"), 50), walked):
            plan = "" if query is None else await plan_of(history, query)
            assert (rows_read(plan) or 0) <= 2 * run_listings.WALK, (names, plan)
            assert not re.search(r"SCAN runs(?! USING (COVERING )?INDEX)", plan), (names, plan)
    plan = await plan_of(history, run_listings.page(RunFilter(teams=_MANY_TEAMS), None, 50))
    assert (rows_read(plan) or 0) <= run_listings.WALK, plan


async def test_pages_of_any_filter_hold_every_run_once_and_say_how_far_they_went(
    history: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await history.runs.page(RunFilter(operations=frozenset({Operation.PURGE})), None, 10)
    assert page.runs == ()
    assert page.walked_to is not None
    assert await history.runs.page(RunFilter(teams=frozenset())) == RunPage(())
    changes = await history.runs.list_changes(TableId("tbl_1"), None, 1000)
    assert [run.snapshot_count for run in changes] == [1] * 400
    monkeypatch.setattr(run_listings, "WALK", 700)
    wanted = RunFilter(catalog=_C, teams=frozenset({"team_1", "team_3"}), operations=frozenset({Operation.REWRITE}))
    found: list[RunId] = []
    before: RunId | None = None
    pages = 0
    while pages == 0 or before is not None:
        page = await history.runs.page(wanted, before, 100)
        found += [run.id for run in page.runs]
        full = len(page.runs) == 100
        before = page.runs[-1].id if full else page.walked_to
        pages += 1
    numbers = [i for i in range(1, 20001) if i % 4 == 1 and i % 50 in (1, 3)]
    assert found == sorted((f"run_0{i}" for i in numbers), reverse=True)


async def test_ended_runs_are_counted_as_they_end(database: Stores, table: Table) -> None:
    result: dict[str, Any] = {"rewritten_bytes": 100, "added_bytes": 60}
    result |= {"groups_committed": 3, "races": {"groups_lost": 2}, "wasted_bytes": 7}
    for _ in range(2):
        lease = await claimed(database, (await submitted(database, table.id)).id)
        await database.runs.transition(lease, to=RunState.FAILED, result=RunResult(result))
    await database.runs.request_cancel((await submitted(database, table.id)).id, "somebody")
    assert await database.runs.totals() == [
        EndedRuns(Operation.REWRITE, RunState.CANCELLED, 1, 0, 0),
        EndedRuns(Operation.REWRITE, RunState.FAILED, 2, 200, 120, groups_committed=6, groups_lost=4, wasted_bytes=14),
    ]
