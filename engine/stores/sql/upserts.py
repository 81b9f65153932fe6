"""INSERT with ON CONFLICT for both databases; SQLAlchemy has it only in the module of each dialect."""

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def upsert(connection: AsyncConnection, into: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT with the `on_conflict_…` methods of the connection's dialect."""
    return sqlite.insert(into) if connection.dialect.name == "sqlite" else postgresql.insert(into)
