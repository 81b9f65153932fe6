"""INSERT with ON CONFLICT, which both databases have and SQLAlchemy gives under the name of each."""

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def upsert(connection: AsyncConnection, into: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that can be told what to do `on_conflict`, for the database of a connection."""
    return sqlite.insert(into) if connection.dialect.name == "sqlite" else postgresql.insert(into)
