"""Spark endpoints: rows written by admins under their version, with the result of the last probe.

Claims of probes are by the database's clock; a probe whose worker died is due again after `PROBE_LEASE_SECONDS`.
"""

import builtins
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.endpoints import PROBE_LEASE_SECONDS, EndpointRequest, EndpointState, SparkEndpoint
from engine.domain.runs.run import LIVE_STATES, Operation, RunState
from engine.stores.schema.core import runs
from engine.stores.schema.watching import spark_endpoints
from engine.stores.sql.dialects import now, seconds_from_now

_SENT: Final = (RunState.REWRITING, RunState.COMMITTING)


class EndpointStore:
    """Rows of `spark_endpoints`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self) -> builtins.list[SparkEndpoint]:
        """Return all endpoints by name, with the number of rewrites at work on each."""
        rows = await self._rows()
        at = func.coalesce(runs.c.spark_endpoint, DEFAULT_ENDPOINT)
        at_work = (runs.c.state.in_(sorted(_SENT)), runs.c.operation == Operation.REWRITE)
        counted = await self._connection.execute(select(at, func.count()).where(*at_work).group_by(at))
        busy = {name: number for name, number in counted}  # noqa: C416 - mypy does not take a row for a pair
        return [_to_endpoint(row, busy.get(row["name"], 0)) for row in rows]

    async def to_choose_from(self) -> builtins.list[SparkEndpoint]:
        """Return all endpoints for a choice: as `list`, but an only one without its number of rewrites."""
        rows = await self._rows()
        return await self.list() if len(rows) > 1 else [_to_endpoint(row) for row in rows]

    async def _rows(self) -> Sequence[RowMapping]:
        query = select(spark_endpoints).order_by(spark_endpoints.c.name)
        return (await self._connection.execute(query)).mappings().all()

    async def get(self, name: str) -> SparkEndpoint | None:
        """Return an endpoint; None when there is none of this name."""
        query = select(spark_endpoints).where(spark_endpoints.c.name == name)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_endpoint(row)

    async def is_unchanged(self, endpoint: SparkEndpoint) -> bool:
        """Lock an endpoint against changes until the transaction ends; return whether it has this version."""
        is_same = (spark_endpoints.c.name == endpoint.name, spark_endpoints.c.version == endpoint.version)
        query = select(spark_endpoints.c.name).where(*is_same).with_for_update(read=True)
        return (await self._connection.execute(query)).scalar_one_or_none() is not None

    async def insert(self, name: str, given: EndpointRequest, *, by: str) -> SparkEndpoint:
        """Add an endpoint, to be probed at once.

        Raises:
            StateConflict: one of this name exists.
        """
        values = {**_columns(given), **_unprobed(), "name": name, "version": 1, "updated_by": by}
        statement = insert(spark_endpoints).values(**values).returning(spark_endpoints)
        return _to_endpoint((await self._connection.execute(statement)).mappings().one())

    async def replace(self, name: str, version: int, given: EndpointRequest, *, by: str) -> SparkEndpoint | None:
        """Write an endpoint that has this version, to be probed at once; None if it has another one."""
        is_same = (spark_endpoints.c.name == name, spark_endpoints.c.version == version)
        values = {**_columns(given), **_unprobed(), "version": version + 1, "updated_by": by}
        statement = update(spark_endpoints).where(*is_same).values(**values).returning(spark_endpoints)
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else _to_endpoint(row)

    async def delete(self, name: str, version: int) -> bool:
        """Delete an endpoint that has this version; return whether it had."""
        is_same = (spark_endpoints.c.name == name, spark_endpoints.c.version == version)
        return (await self._connection.execute(delete(spark_endpoints).where(*is_same))).rowcount > 0

    async def count_live(self, name: str) -> int:
        """Count the live runs whose last attempt worked on an endpoint: its tasks can be stopped only there."""
        is_live = (runs.c.state.in_(sorted(LIVE_STATES)), runs.c.spark_endpoint == name)
        return (await self._connection.execute(select(func.count()).select_from(runs).where(*is_live))).scalar_one()

    async def claim_probe(self) -> SparkEndpoint | None:
        """Claim the probe of one endpoint that is due; None when none is, or the default one is the only one."""
        count = select(func.count()).select_from(spark_endpoints).scalar_subquery()
        is_due = (spark_endpoints.c.next_probe_at <= now(), count > 1)
        due = select(spark_endpoints.c.name).where(*is_due).order_by(spark_endpoints.c.next_probe_at).limit(1)
        name = (await self._connection.execute(due.with_for_update(skip_locked=True))).scalar_one_or_none()
        if name is None:
            return None
        statement = (
            update(spark_endpoints)
            .where(spark_endpoints.c.name == name, spark_endpoints.c.next_probe_at <= now())
            .values(next_probe_at=seconds_from_now(PROBE_LEASE_SECONDS))
            .returning(spark_endpoints)
        )
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else _to_endpoint(row)

    async def has_due_probe(self) -> bool:
        """Return whether a probe is due."""
        query = select(func.count(), func.min(spark_endpoints.c.next_probe_at) <= now()).select_from(spark_endpoints)
        count, is_due = (await self._connection.execute(query)).one()
        return count > 1 and bool(is_due)

    async def note_probe(
        self, probed: SparkEndpoint, state: EndpointState, detail: str, *, version: str | None, seconds: float
    ) -> bool:
        """Store what a probe found and schedule the next; return False if the endpoint was written since its claim."""
        is_same = (spark_endpoints.c.name == probed.name, spark_endpoints.c.version == probed.version)
        values = {
            "state": state,
            "detail": detail,
            "spark_version": version or probed.spark_version,
            "probed_at": now(),
            "next_probe_at": seconds_from_now(seconds),
        }
        return (await self._connection.execute(update(spark_endpoints).where(*is_same).values(**values))).rowcount > 0


def _columns(given: EndpointRequest) -> dict[str, Any]:
    return {**given.document(), "updated_at": now()}


def _unprobed() -> dict[str, Any]:
    return {"state": EndpointState.UNKNOWN, "detail": "", "spark_version": None, "next_probe_at": now()}


def _to_endpoint(row: RowMapping, busy: int = 0) -> SparkEndpoint:
    return SparkEndpoint(**{**row, "labels": dict(row["labels"])}, runs=busy)
