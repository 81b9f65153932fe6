"""Spark with Iceberg's own runtime as the peer that is not ours: it shares the catalog of the test's lake."""

import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from redis.asyncio import Redis

from engine.embedded.iceberg import catalog_confs
from engine.spark.sessions import SparkSessions
from tests.support.world import Lake, World, open_world


@pytest.fixture
async def world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A container whose lake Spark shares; its registered table is empty."""
    async with open_world(tmp_path / "w", database_url=sqlite_url, redis_url=redis_url, days=0) as opened:
        yield opened


@pytest.fixture
def spark(spark_sessions: SparkSessions, world: World) -> SparkSession:
    """A session of the test's own that knows the lake."""
    return new_session(spark_sessions, world.lake)


def new_session(sessions: SparkSessions, lake: Lake) -> SparkSession:
    """Begin a session that knows the lake, in UTC."""
    session = sessions.get(str(uuid.uuid4()))
    attach(session, confs_of(lake))
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


def confs_of(lake: Lake) -> dict[str, str]:
    """Return the settings by which Spark knows the lake's catalog under its own name, `lake`."""
    database = Path(lake.properties["uri"].removeprefix("sqlite:///"))
    return catalog_confs("lake", database, warehouse=lake.properties["warehouse"])


def attach(session: SparkSession, confs: dict[str, str]) -> None:
    """Make a catalog known to a Spark session."""
    for name, value in confs.items():
        session.conf.set(name, value)


def rows_by_spark(session: SparkSession, table: str, *, vectorised: bool = True) -> list[str]:
    """The table's multiset of rows as Spark reads them, in a canonical order; NaN and nested values included."""
    session.conf.set("spark.sql.iceberg.vectorization.enabled", str(vectorised).lower())
    return sorted(str(row.asDict(recursive=True)) for row in session.sql(f"SELECT * FROM {table}").collect())


def both_readers(session: SparkSession, table: str) -> list[list[str]]:
    """The rows as each of Iceberg's two readers has them."""
    return [rows_by_spark(session, table, vectorised=vectorised) for vectorised in (True, False)]


def counts(session: SparkSession, table: str, conditions: Sequence[str]) -> dict[str, int]:
    """Return the number of rows that each condition selects, by one statement."""
    asked = (f"SELECT {at}, count(*) FROM {table} WHERE {each}" for at, each in enumerate(conditions))
    found = dict(map(tuple, session.sql(" UNION ALL ".join(asked)).collect()))
    return {each: found[at] for at, each in enumerate(conditions)}


def one(session: SparkSession, statement: str) -> Any:
    """The first value of a statement's first row."""
    return session.sql(statement).collect()[0][0]
