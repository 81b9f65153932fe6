"""An afternoon with defaults: tables fill up, Spark and Redis are killed, credentials expire; nothing is done by hand.

Real `packhouse-server up` in production mode, real tables in an S3 store behind a REST catalog that vends credentials.
The faults come while a task reads data files.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from tests.support.eventually import eventually
from tests.support.rest_catalog import RestCatalogServer
from tests.support.s3_server import BUCKET, Asked, S3Server
from tests.support.stack import PRODUCTION, Stack, started

NAMES = ("orders", "clicks")
FILES = 24
ENDS = 4
PATIENCE_SECONDS = 180
POLICY = {"schedule": {"min_interval": "1s"}}


@dataclass
class Afternoon:
    """The writers' side: a store that vends a new key with each load of a table, and what was written."""

    s3: S3Server
    catalog: Any
    vended: list[str] = field(default_factory=list)
    fault: Callable[[], None] | None = None
    faults: int = 0
    ends: int = 0
    written: int = 0

    def vend(self) -> dict[str, str]:
        self.vended.append(f"vended{len(self.vended)}")
        return {"s3.access-key-id": self.vended[-1], "s3.secret-access-key": "secret", "s3.session-token": "token"}

    def note(self, asked: Asked) -> None:
        """Let the fault that is due happen at the next read of a data file by Packhouse."""
        if asked.method == "GET" and asked.is_of_data_file and asked.access_key.startswith("vended") and self.fault:
            fault, self.fault = self.fault, None
            self.faults += 1
            fault()

    def end_credentials(self) -> None:
        """Let all keys that were vended end, at this and the next three reads of data files."""
        self.s3.expired.update(self.vended)
        self.ends += 1
        if self.ends < ENDS:
            self.fault, self.faults = self.end_credentials, self.faults - 1

    def write(self) -> None:
        """Append small files to each table."""
        ids = range(self.written, self.written + 10 * FILES)
        self.written += len(ids)
        for name in NAMES:
            with self.catalog.load_table(("lake", name)).transaction() as transaction:
                for first in ids[::10]:
                    transaction.append(pa.table({"id": pa.array(range(first, first + 10), pa.int64())}))

    def ids(self, name: str) -> list[int]:
        column: list[int] = self.catalog.load_table(("lake", name)).scan().to_arrow()["id"].to_pylist()
        return sorted(column)

    def is_in_shape(self, faults: int) -> bool:
        """Whether this number of faults has happened and every table has few files again."""
        tables = (self.catalog.load_table(("lake", name)) for name in NAMES)
        summaries = (each.current_snapshot().summary for each in tables)
        return self.faults == faults and all(int(each["total-data-files"]) <= FILES // 2 for each in summaries)


@contextmanager
def lake_on(s3: S3Server, folder: Path) -> Iterator[tuple[Afternoon, RestCatalogServer]]:
    """Make the tables in S3 and serve their catalog."""
    own = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"s3://{BUCKET}/wh"}
    catalog = load_catalog("lake", **own, **s3.properties("writer", "secret"))
    catalog.create_namespace("lake")
    for name in NAMES:
        catalog.create_table(("lake", name), pa.schema([pa.field("id", pa.int64())]))
    afternoon = Afternoon(s3, catalog)
    with RestCatalogServer(catalog=catalog).running() as server:  # type: ignore[arg-type]
        server.config = afternoon.vend
        s3.on_request = afternoon.note
        yield afternoon, server


def register(client: httpx.Client, properties: dict[str, str]) -> None:
    """Do once what a new user does: a catalog, its tables, a policy."""
    made = client.post("/v1/catalogs", json={"name": "lake", "format": "iceberg", "properties": properties})
    assert made.is_success, made.text
    found = client.post("/v1/catalogs/lake/register", json={})
    assert found.is_success, found.text
    scope = {"kind": "catalog", "catalog": "lake"}
    policy = client.post("/v1/policies", json={"name": "lake", "scope": scope, "policy": POLICY})
    assert policy.is_success, policy.text


def runs(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/v1/runs", params={"page_size": 100}).json()["items"]
    return found


def kill(stack: Stack, words: str) -> None:
    child = stack.child(words)
    assert child is not None
    os.kill(child, signal.SIGKILL)


@pytest.mark.deep
def test_an_afternoon_of_faults_needs_nobody(s3: S3Server, tmp_path: Path) -> None:
    with lake_on(s3, tmp_path) as (afternoon, server):
        properties = {"type": "rest", "uri": server.uri, "s3.endpoint": s3.url, "s3.region": "us-east-1"}
        with started(tmp_path, PACKHOUSE_FIRST_RUN_GRACE_SECONDS="0", **PRODUCTION) as stack:
            spark = stack.child("SparkConnectServer")
            faults: dict[str, Callable[[], None]] = {
                "spark": lambda: kill(stack, "SparkConnectServer"),
                "redis": lambda: kill(stack, "redis-server"),
                "credentials": afternoon.end_credentials,
            }
            headers = {"Authorization": f"Bearer {stack.key}"}
            with httpx.Client(base_url=stack.url, headers=headers, timeout=30) as client:
                register(client, properties)
                for number, (name, fault) in enumerate(faults.items(), start=1):
                    before = {run["id"] for run in runs(client)}
                    afternoon.fault = fault
                    afternoon.write()
                    try:
                        eventually(partial(afternoon.is_in_shape, number), within_seconds=PATIENCE_SECONDS)
                    except AssertionError as error:
                        raise AssertionError(f"after {name}: {runs(client)}") from error
                eventually(lambda: client.get("/readyz").json()["status"] == "ready", within_seconds=PATIENCE_SECONDS)
                eventually(lambda: all(run["is_terminal"] for run in runs(client)), within_seconds=PATIENCE_SECONDS)
                ended = [(run["state"], run["reason"], run["detail"]) for run in runs(client)]
                assert {state for state, _, _ in ended} == {"succeeded"}, ended
                assert stack.child("SparkConnectServer") not in {spark, None}
                assert s3.refused >= ENDS
                assert {run["attempt"] for run in runs(client) if run["id"] not in before} == {1}
        for name in NAMES:
            assert afternoon.ids(name) == list(range(afternoon.written))
