"""The record's clock, ahead of the real one by as much as a test says, on SQLite and on Postgres.

What writers put into a table keeps the real time: so to the record a file is as old as the clock is ahead. Processes
that open the same Postgres afterwards see the moved clock too; on SQLite only connections of the given `Database` do.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Self

from sqlalchemy import event, text

from engine.stores.database import Database

_POSTGRES: Final = (
    "CREATE TABLE moved_clock (ahead interval NOT NULL)",
    "INSERT INTO moved_clock VALUES ('0')",
    """CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM moved_clock)'""",
    # found before the built-in one, by connections that are opened from now on
    """DO $$ BEGIN
        EXECUTE 'ALTER DATABASE ' || quote_ident(current_database()) || ' SET search_path = public, pg_catalog';
    END $$""",
)


@dataclass
class MovedClock:
    """The clock of one database. It is moved forward only, as time passes."""

    database: Database
    ahead: timedelta = timedelta(0)

    @classmethod
    async def of(cls, database: Database) -> Self:
        """Take the clock of a database that nobody works with at this moment."""
        clock, engine = cls(database), database._engine
        if clock._is_sqlite:
            event.listen(engine.sync_engine, "connect", clock._take_over)
        else:
            async with database.begin() as unit:
                for statement in _POSTGRES:
                    await unit.connection.execute(text(statement))
        await engine.dispose()
        return clock

    async def now(self) -> datetime:
        """Return the record's present instant."""
        async with self.database.read() as unit:
            return await unit.now()

    async def pass_by(self, **time: float) -> None:
        """Let so much time pass, given as to `timedelta`."""
        await self.pass_until(await self.now() + timedelta(**time))

    async def pass_until(self, instant: datetime) -> None:
        """Let time pass until an instant; nothing when it is over."""
        missing = instant - await self.now()
        if missing <= timedelta(0):
            return
        self.ahead += missing
        if not self._is_sqlite:
            async with self.database.begin() as unit:
                await unit.connection.execute(text("UPDATE moved_clock SET ahead = :ahead"), {"ahead": self.ahead})

    @property
    def _is_sqlite(self) -> bool:
        return self.database._engine.dialect.name == "sqlite"

    def _take_over(self, connection: Any, _record: Any) -> None:
        connection.create_function("strftime", -1, self._strftime)

    def _strftime(self, _form: str, _now: str, *modifiers: str) -> str:
        """Answer as SQLite does for the two expressions of `engine.stores.sql.dialects`."""
        at = datetime.now(UTC) + self.ahead
        for modifier in modifiers:
            seconds, _, unit = modifier.partition(" ")
            assert unit == "seconds", modifier
            at += timedelta(seconds=float(seconds))
        return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}000Z"
