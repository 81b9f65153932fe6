"""Servers that benches of the API need: a durable Postgres, Redis, and parts of Packhouse in processes of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from engine.embedded.processes import ChildProcess, free_loopback_port
from engine.embedded.redis import EmbeddedRedis
from tests.support.postgres_server import PostgresServer

_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 30.0
DURABLE: Final = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "shared_buffers": "512MB"}
"""What a production server has; 10⁶ runs fit into the buffers."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Addresses that processes share, as environment variables, and the database's URL for psycopg."""

    environment: Mapping[str, str]
    postgres: str


@contextmanager
def shared_servers(folder: Path) -> Iterator[Shared]:
    """Start Postgres and Redis and migrate the record. There is no Spark: nothing can be rewritten."""
    with ExitStack() as stack:
        postgres = PostgresServer(DURABLE)
        stack.callback(postgres.stop)
        postgres.start()
        postgres.execute("CREATE DATABASE bench")
        redis = EmbeddedRedis(data_dir=folder / "redis")
        stack.callback(redis.stop)
        url = postgres.url("bench")
        environment = {
            "PACKHOUSE_DATABASE_URL": url,
            "PACKHOUSE_REDIS_URL": redis.start(),
            "PACKHOUSE_SPARK_URL": "sc://127.0.0.1:1",
            "PACKHOUSE_SECRET_KEY": "a key of the bench, of no use elsewhere",
            "PACKHOUSE_MODE": "embedded",
            "PACKHOUSE_WRITES_PER_MINUTE": "10000000",  # the bench is one caller, and measures what is behind the limit
            "PACKHOUSE_READS_PER_MINUTE": "10000000",
            "PACKHOUSE_DATA_DIR": str(folder),
            "PACKHOUSE_WATCH": "off",
        }
        subprocess.run([sys.executable, "-m", "api", "migrate"], env=os.environ | environment, check=True)
        yield Shared(environment, url.replace("+psycopg", ""))


@contextmanager
def process(
    module: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    port: int | None = None,
    core: int | None = None,
) -> Iterator[ChildProcess]:
    """Run `python -m …`, on one core if it is given; wait until the port (if any) answers; stop it at the end."""
    pinned = ["taskset", "-c", str(core)] if core is not None and shutil.which("taskset") else []
    command = [*pinned, sys.executable, "-m", *module]
    server = ChildProcess(name=" ".join(module), command=command, log_path=log, environment=environment)
    server.start()
    try:
        if port is not None:
            server.wait_until(lambda: _answers(port), timeout_seconds=_START_SECONDS)
        yield server
    finally:
        server.stop(patience_seconds=_STOP_SECONDS)


@contextmanager
def api(shared: Shared, log: Path, *, core: int | None = None) -> Iterator[tuple[int, str]]:
    """Run one api process; return its port and the first admin key of its data directory."""
    port = free_loopback_port()
    environment = {**shared.environment, "PACKHOUSE_PORT": str(port), "PACKHOUSE_LOG_LEVEL": "WARNING"}
    with process(["api", "api"], environment, log, port=port, core=core):
        yield port, admin_key(Path(shared.environment["PACKHOUSE_DATA_DIR"]))


def admin_key(data_dir: Path) -> str:
    """Return the admin key that the first start of a server wrote; the server answers already."""
    return (data_dir / "admin-key").read_text(encoding="ascii").strip()


def _answers(port: int) -> bool:
    try:
        httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1)
    except httpx.TransportError:
        return False
    return True
