"""Redis and Spark Connect, or other servers at their addresses: a call ends at its deadline (F59)."""

import asyncio
from functools import partial

import pytest

from engine.domain.errors import Away
from engine.queue import connection
from engine.spark import connection as spark
from tests.support.hostile.behaviours import Way, answer, drip, flood, once, silent
from tests.support.hostile.budgets import error_within
from tests.support.hostile.clients import DEADLINE_SECONDS, MOST_SECONDS
from tests.support.hostile.servers import HostileServer

_SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""The first frame of a server of HTTP/2."""
SPARK_WAYS: dict[str, Way] = {
    "drip, silent": silent,
    "drip, a frame": drip(_SETTINGS, b"\0"),
    "endless, pings": flood(_SETTINGS, b"\0\0\x08\6\0\0\0\0\0" + bytes(8)),
    "lie": once(answer(b"<html>welcome</html>", kind="text/html")),
}
_UNLIMITED_MIB = 4096
"""More than arrives within the deadline: the own Redis is not limited (docs/contributing/hostile-servers.md)."""
REDIS_WAYS: dict[str, Way] = {
    "drip, silent": silent,
    "drip, a line": drip(b"+", b"x"),
    "endless, a line": flood(b"+", b"x"),
    "endless, an array": flood(b"*1000000000\r\n", b"+x\r\n"),
    "huge": flood(b"$1500000000\r\n", b"x"),
    "lie": once(answer(b"<html>welcome</html>", kind="text/html")),
}


@pytest.mark.parametrize("way", REDIS_WAYS)
def test_f59_a_call_to_redis_ends_at_its_deadline(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_SECONDS", DEADLINE_SECONDS)
    with HostileServer(REDIS_WAYS[way], waits_for=b"\r\n").running() as server:
        call = partial(asyncio.run, _ping(f"redis://127.0.0.1:{server.port}/0"))
        error = error_within(MOST_SECONDS, call, mib=_UNLIMITED_MIB)
    assert isinstance(error, Away), repr(error)
    assert "Redis did not answer" in error.message


async def _ping(url: str) -> None:
    client = connection.connect_redis(url)
    try:
        with connection.reaching_redis():
            await client.ping()
    finally:
        await client.aclose()


@pytest.mark.parametrize("way", SPARK_WAYS)
def test_f59_a_call_to_spark_ends_at_its_deadline(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_CALL_SECONDS", "_RECONNECT_SECONDS"):
        monkeypatch.setattr(spark, name, DEADLINE_SECONDS)
    with HostileServer(SPARK_WAYS[way], waits_for=b"PRI").running() as server:
        calls = spark.DirectCalls(url=f"sc://127.0.0.1:{server.port}", user_id="user")
        error = error_within(MOST_SECONDS, partial(calls.ask, "00000000-0000-0000-0000-000000000000"))
    assert isinstance(error, Away), repr(error)
    assert "Spark does not answer" in error.message
