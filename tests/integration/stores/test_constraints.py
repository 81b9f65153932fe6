"""The database itself refuses what must not be: every statement here goes behind the stores' back."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from engine.domain.errors import StateConflict
from engine.domain.runs.run import TERMINAL_STATES
from tests.integration.stores.samples import a_group, claimed, finished, registered, submitted
from tests.integration.stores.stores import FreshStores, Stores
from tests.support.databases import FreshDatabase

_ILLEGAL = {
    "a queued run": {
        "a state that does not exist": "state = 'paused'",
        "a lease without an expiry": "state = 'planning', attempt = 1, started_at = created_at, lease_holder = 'w'",
        "an expiry without a holder": "lease_expires_at = created_at",
        "a queued run with a lease": "lease_holder = 'w', lease_expires_at = created_at",
        "a running run without a lease": "state = 'planning', attempt = 1, started_at = created_at",
        "a terminal run that is not finished": "state = 'failed'",
        "a live run that is finished": "finished_at = created_at",
        "an attempt that was never started": "attempt = 1",
        "a cancel request by nobody": "cancel_requested_at = created_at",
        "failures below zero": "failures = -1",
        "a run without its first event": "last_event = 0",
    },
    "a run under a lease": {
        "a terminal run with a lease": "state = 'failed', finished_at = created_at",
        "a running run that waits": "waiting_for = 'retry'",
        "a running run with a time to wait for": "not_before = created_at",
    },
    "a file group": {
        "a state that does not exist": "state = 'lost'",
        "committed without a snapshot": "state = 'committed'",
        "a snapshot without being committed": "snapshot_id = 7",
        "dropped without a reason": "state = 'dropped'",
        "a reason without being dropped": "reason = 'why not'",
        "bytes below zero": "input_bytes = -1",
    },
}


@pytest.mark.parametrize("of", ["a queued run", "a run under a lease", "a file group"])
async def test_illegal_rows_are_refused(database: Stores, fresh_database: FreshDatabase, of: str) -> None:
    if of == "a queued run":
        await submitted(database)
    else:
        await database.groups.replace_planned(await claimed(database), [a_group()])
    table = "file_groups" if of == "a file group" else "runs"
    for name, change in _ILLEGAL[of].items():
        try:
            fresh_database.execute(f"UPDATE {table} SET {change}")
        except IntegrityError:
            continue
        pytest.fail(f"{name} is accepted")


async def test_two_live_runs_of_an_operation_on_a_table_are_refused(
    database: Stores, fresh_database: FreshDatabase
) -> None:
    table = await registered(database)
    await finished(database, table.id)
    await submitted(database, table.id)
    with pytest.raises(IntegrityError):
        fresh_database.execute("UPDATE runs SET state = 'queued', finished_at = NULL")


async def test_two_leases_on_a_table_are_refused(database: Stores, fresh_database: FreshDatabase) -> None:
    """P2, L13: one run at a time works on a table, and so on a partition."""
    table = await registered(database)
    first = await submitted(database, table.id)
    fresh_database.execute("UPDATE runs SET operation = 'other'")
    await submitted(database, table.id)
    held = "state = 'planning', attempt = 1, started_at = created_at, lease_holder = 'w', lease_expires_at = created_at"
    fresh_database.execute(f"UPDATE runs SET {held} WHERE id = '{first.id}'")
    with pytest.raises(IntegrityError):
        fresh_database.execute(f"UPDATE runs SET {held}")


async def test_events_are_never_updated(database: Stores, fresh_database: FreshDatabase) -> None:
    await finished(database, (await registered(database)).id)
    with pytest.raises(IntegrityError, match="append-only"):
        fresh_database.execute("UPDATE run_events SET actor = 'someone else'")


async def test_events_of_a_live_run_are_not_deleted(database: Stores, fresh_database: FreshDatabase) -> None:
    run = await submitted(database)
    for is_held in (False, True):
        if is_held:
            await claimed(database, run.id)
        with pytest.raises(IntegrityError, match="live run"):
            fresh_database.execute("DELETE FROM run_events")


async def test_events_of_an_ended_run_can_be_pruned(fresh_database: FreshDatabase) -> None:
    table = await registered(database := fresh_database.connect())
    for to in sorted(TERMINAL_STATES):
        await finished(database, table.id, to)
        fresh_database.execute("DELETE FROM run_events")
        assert fresh_database.execute("SELECT count(*) FROM run_events") == [(0,)]


async def test_events_are_not_truncated(postgres_url: str) -> None:
    fresh = FreshStores(url=postgres_url)
    with pytest.raises(IntegrityError, match="append-only"):
        fresh.execute("TRUNCATE run_events")


async def test_a_run_with_events_can_not_be_deleted(database: Stores) -> None:
    await submitted(database)
    with pytest.raises(StateConflict, match="foreign_key"):
        async with database.begin() as work:
            await work.connection.execute(text("DELETE FROM runs"))
