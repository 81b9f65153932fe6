"""Leader election: which of several processes does a job, by the database's clock.

A leader that stops renewing is replaced once its term has expired. The token increases with every change of leader, so
that late writes of a former leader are detected (`leads`).
"""

from typing import Final

from sqlalchemy import ColumnElement, and_, case, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.stores.schema.watching import leaders
from engine.stores.sql.dialects import now, seconds_from_now, upsert

WATCH: Final = "watch"
"""Name of the leader that evaluates tables and starts runs."""

LATENCY: Final = "latency"
"""Name of the leader that polls query latency."""

WEBHOOKS: Final = "webhooks"
"""Name of the leader that sends events to webhooks."""


class LeadershipStore:
    """Rows of `leaders`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lead(self, name: str, holder: str, seconds: float) -> int | None:
        """Take or renew leadership for `seconds` from now; return the token, None while another process leads."""
        until = seconds_from_now(seconds)
        goes_on = and_(leaders.c.holder == holder, leaders.c.expires_at > now())
        statement = upsert(self._connection, leaders).values(name=name, holder=holder, token=1, expires_at=until)
        statement = statement.on_conflict_do_update(
            index_elements=["name"],
            set_={
                "holder": holder,
                "token": case((goes_on, leaders.c.token), else_=leaders.c.token + 1),
                "expires_at": until,
            },
            where=or_(leaders.c.expires_at <= now(), leaders.c.holder == holder),
        )
        token: int | None = (await self._connection.execute(statement.returning(leaders.c.token))).scalar_one_or_none()
        return token

    async def resign(self, name: str, token: int) -> None:
        """Release leadership at once; no-op when this is not the leader's token."""
        await self._connection.execute(
            update(leaders).where(leaders.c.name == name, leaders.c.token == token).values(expires_at=now())
        )

    async def leads(self, name: str, token: int) -> bool:
        """Return whether the holder of this token still leads."""
        return bool((await self._connection.execute(select(leads(name, token)))).scalar_one())

    async def is_led(self, name: str) -> bool:
        """Return whether any process leads now."""
        query = select(exists().where(leaders.c.name == name, leaders.c.expires_at > now()))
        return bool((await self._connection.execute(query)).scalar_one())


def leads(name: str, token: int) -> ColumnElement[bool]:
    """Return the condition that the holder of this token still leads."""
    return exists().where(leaders.c.name == name, leaders.c.token == token, leaders.c.expires_at > now())
