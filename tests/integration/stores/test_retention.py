"""Pruning on both databases: what goes, what stays, and that no statement grows with history."""

import asyncio
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.fleet.retention import NEWEST_CHANGES, NEWEST_RUNS, Kept, Retention
from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import RunState
from engine.services.retention import pruning
from engine.services.retention.pruning import PruningService
from engine.stores.schema.history import metadata
from engine.stores.watching.retention import prunable_runs
from tests.integration.stores.plans import fill, plan_of
from tests.integration.stores.samples import a_group, claimed, finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

OLD, OLDER = "'2020-02-01T00\\:00\\:00.000000Z'", "'2020-01-01T00\\:00\\:00.000000Z'"
BEFORE = datetime(2021, 1, 1, tzinfo=UTC)
KEPT = Retention(timedelta(days=90), timedelta(days=400))
MANY = 100_000

BOUNDED_BY: dict[str, str] = {
    "api_keys": "people: two live keys a name; revoked ones name who acted in the audit log",
    "audit": "PACKHOUSE_AUDIT_RETENTION_SECONDS",
    "audit_anchor": "one row",
    "audit_exports": "one row a folder",
    "audit_seals": "PACKHOUSE_AUDIT_RETENTION_SECONDS",
    "breakers": "one row a catalog",
    "catalogs": "people",
    "deleted_catalogs": "one row a name of a catalog",
    "file_groups": "PACKHOUSE_RUN_RETENTION_SECONDS",
    "fleet_events": "thirty days",
    "fleet": "one row",
    "spark_endpoints": "people: fifty",
    "hot_partitions": "a number for each table, and a day",
    "idempotency_keys": "a day",
    "leaders": "one row a duty",
    "measurements": "500 a table",
    "outages": "one row a dependency that is away",
    "outbox": "rows go when they are sent",
    "policies": "people",
    "policy_versions": "PACKHOUSE_AUDIT_RETENTION_SECONDS",
    "processes": "one row a live worker or coordinator, and five minutes",
    "received_events": "ten thousand a table, and an hour",
    "retention": "one row a kind",
    "rewritten_bytes": "two days",
    "run_events": "PACKHOUSE_RUN_RETENTION_SECONDS",
    "run_totals": "one row an operation and end state",
    "run_hours": "Coordinator.prune",
    "run_times": "twelve a table",
    "runs": "PACKHOUSE_RUN_RETENTION_SECONDS",
    "schema_support": "one row",
    "sharers": "one row a team and catalog",
    "signals": "a thousand a table and kind",
    "table_labels": "tables",
    "table_locations": "a thousand a table",
    "table_scans": "50 combinations an hour and table, and eight days",
    "tables": "people",
    "table_hours": "Coordinator.prune",
    "task_slots": "one row for each rewrite at work; the next request for a slot deletes the others",
    "webhook_deliveries": "thirty days",
    "webhooks": "100",
    "watches": "one row a table",
}
"""Each table of the record, and what bounds its rows."""


def test_every_table_of_the_record_has_a_bound() -> None:
    assert set(metadata.tables) == BOUNDED_BY.keys()


@pytest.fixture
def service(database: Stores) -> PruningService:
    return PruningService(database=database, retention=KEPT)


async def history(database: Stores, fresh: FreshDatabase, count: int, table_id: TableId | None = None) -> list[RunId]:
    """Store ended runs of one table, the first half of them long ago; return their ids, oldest first."""
    table_id = table_id or (await registered(database)).id
    ids = [(await finished(database, table_id, RunState.SKIPPED)).id for _ in range(count)]
    fresh.execute(f"UPDATE runs SET finished_at = {OLD} WHERE table_id = :id", id=table_id)
    return ids


async def ids_of(database: Stores) -> set[RunId]:
    return {run.id for run in await database.runs.list(limit=1000)}


async def test_old_runs_go_with_events_and_groups_and_totals_stay_exact(
    database: Stores, fresh_database: FreshDatabase, service: PruningService
) -> None:
    ids = await history(database, fresh_database, NEWEST_RUNS + 5)
    unlimited = PruningService(database=database, retention=Retention(None, None))
    assert await unlimited.prune() == {"runs": 0, "policy_versions": 0, "audit": 0}
    before = await database.runs.totals()
    assert (await service.prune())["runs"] == 5
    assert await ids_of(database) == set(ids[5:])
    assert await database.runs.totals() == before
    assert {row[0] for row in fresh_database.execute("SELECT run_id FROM run_events")} == set(ids[5:])
    pruned = await database.retention.pruned(Kept.RUNS)
    assert (pruned.rows, pruned.until) == (5, datetime(2020, 2, 1, tzinfo=UTC))
    assert (await service.prune())["runs"] == 0


async def test_live_runs_and_runs_that_something_needs_stay(
    database: Stores, fresh_database: FreshDatabase, service: PruningService
) -> None:
    table = await registered(database)
    frozen, unsettled, unsent = await history(database, fresh_database, 3, table.id)
    await history(database, fresh_database, NEWEST_RUNS, table.id)
    live = await submitted(database, table.id)
    fresh_database.execute(
        f"UPDATE tables SET frozen_at = {OLD}, frozen_by = :run, frozen_snapshot_id = 1, freeze_reason = 'x'",
        run=frozen,
    )
    fresh_database.execute("""UPDATE runs SET intent = '{"commit"\\:[0]}' WHERE id = :id""", id=unsettled)
    fresh_database.execute(f"INSERT INTO outbox (run_id, created_at) VALUES (:id, {OLD})", id=unsent)
    assert (await service.prune())["runs"] == 0
    fresh_database.execute("DELETE FROM outbox")
    assert (await service.prune())["runs"] == 1
    left = await ids_of(database)
    assert {frozen, unsettled, live.id} <= left
    assert unsent not in left


async def test_runs_by_which_due_partitions_are_decided_stay(
    database: Stores, fresh_database: FreshDatabase, service: PruningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NEWEST_CHANGES > NEWEST_RUNS + 2
    monkeypatch.setattr("engine.stores.watching.retention.NEWEST_CHANGES", NEWEST_RUNS + 2)
    ids = await history(database, fresh_database, NEWEST_RUNS + 4)
    fresh_database.execute("UPDATE runs SET snapshot_count = 1, state = 'succeeded'")
    assert (await service.prune())["runs"] == 2
    assert await ids_of(database) == set(ids[2:])


async def test_of_a_table_that_is_not_registered_any_more_all_old_runs_go(
    database: Stores, fresh_database: FreshDatabase, service: PruningService
) -> None:
    table = await registered(database)
    await history(database, fresh_database, 3, table.id)
    recent = await finished(database, table.id)
    await database.tables.delete(table.id)
    assert (await service.prune())["runs"] == 3
    assert await ids_of(database) == {recent.id}


async def test_batches_of_several_processes_delete_and_count_each_run_once_while_runs_go_on(
    database: Stores, fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "RUNS_AT_ONCE", 3)
    table = await registered(database)
    await history(database, fresh_database, NEWEST_RUNS + 20, table.id)
    others = [PruningService(database=fresh_database.connect(), retention=KEPT) for _ in range(3)]
    live = await claimed(database)
    counts, _ = await asyncio.gather(
        asyncio.gather(*(each.prune() for each in others)), finished(database, (await registered(database, "b")).id)
    )
    left = (await others[0].prune())["runs"]
    assert sum(each["runs"] for each in counts) + left == 20
    assert (await database.retention.pruned(Kept.RUNS)).rows == 20
    await database.runs.extend(live, 60)


async def test_a_batch_that_is_interrupted_leaves_runs_whole_and_the_next_pass_goes_on(
    database: Stores, fresh_database: FreshDatabase, service: PruningService
) -> None:
    ids = await history(database, fresh_database, NEWEST_RUNS + 5)
    with suppress(RuntimeError):
        async with database.begin() as unit:
            assert await unit.retention.prune_runs(BEFORE, 3) == (3, False)
            raise RuntimeError
    assert await ids_of(database) == set(ids)
    assert len({row[0] for row in fresh_database.execute("SELECT run_id FROM run_events")}) == len(ids)
    assert await database.retention.prune_runs(BEFORE, 3) == (3, False)
    assert (await service.prune())["runs"] == 2


async def test_a_run_with_more_groups_than_a_batch_deletes_goes_alone(
    database: Stores, fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.stores.watching.retention.MOST_PARTS", 5)
    table = await registered(database)
    lease = await claimed(database, (await submitted(database, table.id)).id)
    await database.groups.replace_planned(lease, [a_group(n) for n in range(9)])
    await database.runs.transition(lease, to=RunState.FAILED, reason="x")
    await history(database, fresh_database, 1, table.id)
    await database.tables.delete(table.id)
    assert await database.retention.prune_runs(BEFORE, 10) == (1, False)
    assert await database.retention.prune_runs(BEFORE, 10) == (1, True)
    assert fresh_database.execute("SELECT count(*) FROM file_groups") == [(0,)]


async def test_no_statement_of_pruning_reads_more_than_a_batch_of_a_long_history(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    first = (await history(database, fresh_database, 1))[0]
    columns = [each.name for each in metadata.tables["runs"].columns if each.name not in ("id", "request_key")]
    number, of_one = "'run_x' || (1000000 + i)", f"(SELECT * FROM runs WHERE id = '{first}') AS one"
    copied = {name: name for name in columns}
    await fill(database, "runs", MANY, source=of_one, id=number, request_key=number, **copied)
    at = datetime(2020, 2, 1, tzinfo=UTC)
    for cursor in ((None, None), (at, "run_x1050000")):
        plan = await plan_of(database, prunable_runs(BEFORE, cursor, 200))
        if read := re.findall(r"actual time=\S+ rows=(\d+)", plan):
            assert max(int(found) for found in read) <= 200, plan
            continue
        assert "ix_runs_finished" in plan, plan
        assert "SCAN" not in re.sub(r"SCAN outbox|SCAN [^\n]*CONSTANT ROW", "", plan), plan
        assert "TEMP B-TREE" not in plan, plan
    assert await database.retention.prune_runs(BEFORE, 200) == (200, False)


async def test_old_versions_of_policies_go_but_the_newest_of_each(
    fresh_database: FreshDatabase, service: PruningService
) -> None:
    for name, versions in (("fleet", 3), ("gone", 2)):
        for version in range(1, versions + 1):
            fresh_database.execute(
                "INSERT INTO policy_versions VALUES "
                f"(:name, :version, {OLD if version > 1 else OLDER}, 'key', false, '{{}}', '{{}}', NULL)",
                name=name,
                version=version,
            )
    assert (await service.prune())["policy_versions"] == 3
    assert fresh_database.execute("SELECT name, version FROM policy_versions ORDER BY name") == [
        ("fleet", 3),
        ("gone", 2),
    ]
