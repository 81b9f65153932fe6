"""The lease check for every write of a run's holder.

The lease must be the run's current one, and not expired by the database's clock. The token is the attempt's number.
"""

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import LeaseLost
from engine.domain.ids import TableId
from engine.domain.runs.leases import Lease
from engine.stores.schema.core import runs
from engine.stores.sql.clock import now


def held(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions under which a row of `runs` is held by this lease."""
    return (
        runs.c.id == lease.run_id,
        runs.c.lease_holder == lease.holder,
        runs.c.attempt == lease.token,
        runs.c.lease_expires_at > now(),
    )


async def lock_lease(connection: AsyncConnection, lease: Lease) -> TableId:
    """Lock the run's row until the transaction ends, so that no other holder can take it over; return its table.

    Raises:
        LeaseLost: the lease expired or another holder has it.
    """
    # On Postgres a condition in a subquery would read a snapshot; the row lock keeps it true until the commit.
    query = select(runs.c.table_id).where(*held(lease)).with_for_update(key_share=True)
    table_id = (await connection.execute(query)).scalar_one_or_none()
    if table_id is None:
        raise lease_lost(lease)
    return TableId(table_id)


def lease_lost(lease: Lease) -> LeaseLost:
    """Return the error for a holder that may no longer write."""
    return LeaseLost(
        f"{lease.holder} no longer holds attempt {lease.token} of {lease.run_id}",
        details={"run_id": lease.run_id, "holder": lease.holder, "token": lease.token},
    )
