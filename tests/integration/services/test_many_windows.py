"""Windows to come of ten thousand tables: one pass, few merges."""

import time

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import SystemClock
from engine.services.policies.windows import WindowService
from tests.integration.stores.samples import registered
from tests.support.databases import FreshDatabase

TABLES = 10_000
NIGHTLY = '{"quiet_hours": [{"from": "22:00", "to": "06:00", "time_zone": "Europe/Berlin"}]}'


async def test_windows_of_ten_thousand_tables_with_policies_of_their_own_take_three_seconds_at_most(
    fresh_database: FreshDatabase,
) -> None:
    database = fresh_database.connect()
    first = await registered(database)
    columns = "catalog, namespace, uuid, location, owner_team, created_at, version, labels"
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {TABLES - 1}) "
    copy = f"INSERT INTO tables (id, name, {columns}) "
    select = f"SELECT 'tbl_x' || i, 'x' || i, {columns} FROM tables CROSS JOIN n WHERE tables.id = '{first.id}'"
    is_sqlite = fresh_database.dialect == "sqlite"
    fresh_database.execute(copy + numbers + select if is_sqlite else numbers + copy + select)
    cast = "" if is_sqlite else "::jsonb"
    own = f"'{{\"description\": \"' || id || '\", ' || substr('{NIGHTLY}', 2)"
    fresh_database.execute(
        "INSERT INTO policies (name, kind, table_id, version, updated_at, updated_by, document) "
        f"SELECT id, 'table', id, 1, created_at, 'key:x', ({own}){cast} FROM tables WHERE id <> '{first.id}'"
    )
    service = WindowService(database=database, clock=SystemClock())
    started = time.process_time()
    found = await service.of_fleet(SYSTEM, 24)
    assert time.process_time() - started < 3.0
    assert (found.table_count, found.window_table_count) == (TABLES, TABLES - 1)
    assert {item.table_count for item in found.items} == {TABLES - 1}
    assert 1 <= len(found.items) <= 2
