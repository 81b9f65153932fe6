"""Connections to Redis: short timeouts, and one place that turns "did not answer" into `Transient`.

Redis 6.2 is supported, so the protocol is RESP2. A command that fails on a broken pooled connection is sent once more;
every command may therefore be executed twice, and is idempotent.

Bytes that are not UTF-8 are replaced by escapes instead of failing the whole answer: Packhouse writes none, so they
belong to another program's value, which is refused where it is used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ClusterDownError, InvalidResponse, OutOfMemoryError, ReadOnlyError, TryAgainError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from engine.domain.errors import Away
from engine.domain.fleet.dependencies import DependencyKind

CONNECT_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 5.0
_MAX_CONNECTIONS: Final = 1000  # every open event stream holds one for its hints

UNAVAILABLE: Final = (
    RedisConnectionError,  # also while Redis loads its file, and for a wrong password
    RedisTimeoutError,
    InvalidResponse,  # of another server at its address
    ReadOnlyError,  # a fail-over is under way
    ClusterDownError,
    TryAgainError,
    OutOfMemoryError,
)
"""Errors that end without a change of Redis' content."""


def connect_redis(url: str) -> Redis:
    """Return a client with a connection pool that connects on first use. Close it with `await client.aclose()`."""
    client: Redis = Redis.from_url(
        url,
        protocol=2,
        decode_responses=True,
        encoding_errors="backslashreplace",
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        health_check_interval=30,
        max_connections=_MAX_CONNECTIONS,
        retry=Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
    )
    return client


@contextmanager
def reaching_redis() -> Iterator[None]:
    """Translate temporary Redis failures into the domain's error.

    Raises:
        Away: Redis did not answer, or can't serve requests at the moment.
    """
    try:
        yield
    except UNAVAILABLE as error:
        raise Away(DependencyKind.REDIS, f"Redis did not answer: {error}") from error
