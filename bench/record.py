"""A large record in Postgres: many tables, many runs, written with COPY in a shape that real use would leave.

Runs are spread over tables by a power law (few tables have most of history); 85 % succeeded, 9 % skipped, 4 % failed,
2 % were cancelled; none is live. Ids are in order of time, as the service makes them.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from engine.domain.clock import SystemClock
from engine.domain.ids import IdSource

CATALOG: Final = "lake"
TEAMS: Final = tuple(f"team-{number:02}" for number in range(20))
_ENDS: Final = (("succeeded", 0.85), ("skipped", 0.94), ("failed", 0.98), ("cancelled", 1.0))
_STATISTICS: Final = "VACUUM ANALYZE"


class _PastClock(SystemClock):
    """Says any instant it is set to."""

    def __init__(self) -> None:
        self.instant = datetime.now(UTC)

    def now(self) -> datetime:
        """Return the instant that was set."""
        return self.instant

    def monotonic(self) -> float:
        """Return the same in seconds."""
        return self.instant.timestamp()


def fill(url: str, *, tables: int, runs: int, seed: int = 4, newest_ago: timedelta = timedelta(days=1)) -> list[str]:
    """Write catalog, tables and runs into a migrated, empty database; return the ids of the tables.

    `url` is psycopg's (`postgresql://…`). Runs are spread over 120 days, up to `newest_ago` before now.
    """
    chance = random.Random(seed)
    clock = _PastClock()
    ids = IdSource(clock=clock, entropy=chance.randbytes)
    begun = clock.instant - timedelta(days=120)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO catalogs (name, format, version, created_at, updated_at, properties, allowed_locations) "
            "VALUES (%s, 'iceberg', 1, now(), now(), '{}', '[]')",
            [CATALOG],
        )
        clock.instant = begun
        rows = [_table(ids, number, clock) for number in range(tables)]
        _copy(connection, "tables", rows)
        owners = [(row["id"], row["owner_team"]) for row in rows]
        instants = (begun + (timedelta(days=120) - newest_ago) / runs * number for number in range(runs))
        _copy(connection, "runs", _runs(chance, clock, ids, owners, instants))
        connection.execute(_STATISTICS)
    return [table_id for table_id, _ in owners]


def _table(ids: IdSource, number: int, clock: _PastClock) -> dict[str, Any]:
    clock.instant += timedelta(milliseconds=1)
    name = f"events_{number:06}"
    return {
        "id": ids.table_id(),
        "catalog": CATALOG,
        "namespace": f'["ns{number % 100}"]',
        "name": name,
        "uuid": f"00000000-0000-0000-0000-{number:012}",
        "location": f"file:///lake/{name}",
        "owner_team": TEAMS[number % len(TEAMS)],
        "created_at": clock.instant,
        "version": 1,
        "labels": Jsonb({}),
    }


def _runs(
    chance: random.Random,
    clock: _PastClock,
    ids: IdSource,
    owners: Sequence[tuple[str, str]],
    instants: Iterable[datetime],
) -> Iterator[dict[str, Any]]:
    for clock.instant in instants:
        table_id, team = owners[int(len(owners) * chance.random() ** 3)]
        luck = chance.random()
        state = next(name for name, up_to in _ENDS if luck <= up_to)
        snapshots = ["1234567890123456789"] if state == "succeeded" else []
        yield {
            "id": ids.run_id(),
            "table_id": table_id,
            "catalog": CATALOG,
            "owner_team": team,
            "operation": "rewrite",
            "request_key": "",
            "priority": "normal",
            "state": state,
            "last_event": 1,
            "requested_by": "key:admin",
            "created_at": clock.instant,
            "updated_at": clock.instant,
            "attempt": 1,
            "failures": 0,
            "started_at": clock.instant,
            "finished_at": clock.instant,
            "snapshot_count": len(snapshots),
            "plan": Jsonb({}),
            "intent": Jsonb({}),
            "result": Jsonb({"snapshot_ids": snapshots, "rewritten_files": 40, "added_files": 2} if snapshots else {}),
            "policy": Jsonb({}),
            "request": Jsonb({}),
        }


def _copy(connection: psycopg.Connection[Any], table: str, rows: Any) -> None:
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return
    columns = ", ".join(first)
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        copy.write_row(list(first.values()))
        for row in rows:
            copy.write_row(list(row.values()))
