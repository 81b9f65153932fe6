"""Lists while they change: pages come from two api processes and a restarted one in turn."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Any

import httpx
import pytest
from packhouse_client import Packhouse

from tests.support.halting_api import halting_api
from tests.support.postgres_server import PostgresServer
from tests.support.processes import environment_of
from tests.support.replicas import Replicas, start_replicas
from tests.support.world import NAME, SCHEMA

_numbers = count()
DAYS = [f"2026-12-{day:02}" for day in range(1, 9)]
CATALOG = {"format": "iceberg", "properties": {"type": "sql", "uri": "env:NONE", "warehouse": "file:///none"}}


@dataclass
class Fleet:
    """Three api processes, of which the last was started later; `run_id` is an ended run with events and groups."""

    replicas: Replicas
    clients: list[httpx.Client]
    run_id: str = ""
    made: list[str] = field(default_factory=list)

    @property
    def table(self) -> str:
        """The path of the table that is written to."""
        return f"/v1/tables/{self.replicas.table_id}"

    def change(self) -> None:
        """Add an item to every list, and delete a catalog that was added by the change before."""
        client, name = self.clients[0], f"added-{next(_numbers)}"
        table = {"table_id": self.replicas.table_id}
        self.replicas.lake.catalog.create_table((NAME[0], name), SCHEMA)
        self.replicas.lake.append(day=DAYS[0])
        scope = {"kind": "pattern", "pattern": f"{name}.*"}
        for path, body in (
            ("/v1/catalogs", {"name": name} | CATALOG),
            ("/v1/policies", {"name": name, "scope": scope, "policy": {}}),
            ("/v1/keys", {"name": name, "role": "viewer"}),
            ("/v1/signals", table | {"signal": {"kind": "commit"}}),
            ("/v1/tables", {"catalog": "lake", "namespace": [NAME[0]], "name": name}),
            ("/v1/runs", table | {"operation": "rewrite", "allow_duplicate": True}),
        ):
            client.post(path, json=body).raise_for_status()
        client.get(f"{self.table}/health").raise_for_status()
        policy, version = f"{self.table}/policy", len(self.made)
        condition = {"If-Match": f'"{version}"'} if version else {"If-None-Match": "*"}
        labels = {"rewrite": {"min_input_files": 2 + version}}
        client.put(policy, json=labels, headers=condition).raise_for_status()
        if len(self.made) > 3:
            gone = f"/v1/catalogs/{self.made[-1]}"
            client.delete(gone, headers={"If-Match": client.get(gone).headers["etag"]}).raise_for_status()
        self.made.append(name)


@pytest.fixture(scope="module")
def fleet(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("pages")
    with ExitStack() as stack:
        replicas = stack.enter_context(start_replicas(postgres_server, folder))
        replicas.lake.append_to(DAYS, rows=5)
        environment = environment_of(replicas.settings, port=0)
        _, restarted = stack.enter_context(halting_api(environment, folder / "restarted.log"))
        clients = [stack.enter_context(replicas.client(number)) for number in (0, 1)]
        last = stack.enter_context(replicas.client(0))
        last.base_url = httpx.URL(restarted)
        made = Fleet(replicas, [*clients, last])
        request = {"table_id": replicas.table_id, "operation": "rewrite"}
        made.run_id = clients[0].post("/v1/runs", json=request).raise_for_status().json()["id"]
        assert replicas.advance(made.run_id).is_terminal
        for _ in range(3):
            made.change()
        yield made


LISTS: list[tuple[str, str]] = [
    ("/v1/catalogs", "name"),
    ("/v1/tables", "id"),
    ("/v1/policies", "name"),
    ("/v1/runs", "id"),
    ("/v1/keys", "id"),
    ("/v1/audit", "id"),
    ("/v1/signals?kind=commit&table_id={table}", "id"),
    ("/v1/tables/{table}/health/history", "snapshot_id"),
    ("/v1/tables/{table}/policy/versions", "version"),
    ("/v1/tables/{table}/partitions?sort=partition", "partition"),
    ("/v1/runs/{run}/events", "sequence"),
    ("/v1/runs/{run}/groups", "ordinal"),
]
"""Paths, and the field that identifies an item."""


@pytest.mark.parametrize(("path", "key"), LISTS)
def test_pages_have_every_item_that_stays_once_while_others_come_and_go(fleet: Fleet, path: str, key: str) -> None:
    url = httpx.URL(path.format(table=fleet.replicas.table_id, run=fleet.run_id))
    before = keys(fleet.clients[0], url, key)
    query = dict(url.params) | {"page_size": str(max(1, len(before) // 4))}
    seen = list[Any]()
    for number, client in enumerate(cycle(fleet.clients)):
        page = client.get(url.path, params=query).raise_for_status().json()
        seen += [value_of(item, key) for item in page["items"]]
        if page["next_page_token"] is None:
            break
        query["page_token"] = page["next_page_token"]
        if number < 2:
            fleet.change()
    assert number, "the list has one page only"
    assert len(seen) == len(set(seen))
    assert before & keys(fleet.clients[0], url, key) <= set(seen)


def keys(client: httpx.Client, url: httpx.URL, key: str) -> set[Any]:
    page = client.get(url.path, params=dict(url.params) | {"page_size": "500"}).raise_for_status().json()
    assert page["next_page_token"] is None
    return {value_of(item, key) for item in page["items"]}


def value_of(item: dict[str, Any], key: str) -> Any:
    return item[key]["text"] if key == "partition" else item[key]


@pytest.fixture
def writer(fleet: Fleet) -> Iterator[None]:
    """A thread that commits all the time."""
    is_over = threading.Event()

    def write() -> None:
        while not is_over.wait(0.05):
            fleet.replicas.lake.append(day=DAYS[0])

    thread = threading.Thread(target=write)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_partitions_are_of_one_snapshot_at_every_replica_while_a_writer_commits(fleet: Fleet, writer: None) -> None:
    path, seen, token = f"{fleet.table}/partitions", list[str](), None
    snapshots = set()
    for client in cycle(fleet.clients):
        page = client.get(path, params={"page_size": 2} | ({"page_token": token} if token else {}))
        listed = page.raise_for_status().json()
        seen += [value_of(each, "partition") for each in listed["items"]]
        snapshots.add(listed["snapshot_id"])
        token = listed["next_page_token"]
        if token is None:
            break
    assert len(snapshots) == 1
    assert len(seen) == len(set(seen)) == listed["partition_count"]


def test_the_sdk_gives_each_partition_once_though_the_snapshot_of_its_list_expires(fleet: Fleet) -> None:
    path = f"{fleet.table}/partitions"
    unkept = httpx.HTTPTransport(limits=httpx.Limits(max_keepalive_connections=0))  # each request at another replica
    with Packhouse(fleet.replicas.proxy_url, fleet.replicas.key, transport=unkept) as client:
        seen = []
        for each in client.tables.partitions(fleet.replicas.table_id, page_size=2, sort="-partition"):
            seen.append(each.partition.text)
            if len(seen) == 2:
                fleet.replicas.lake.append(day="2027-01-01")
                expire(fleet)
    partitions = keys(fleet.clients[0], httpx.URL(path), "partition")
    assert len(seen) == len(set(seen))
    assert set(seen) == partitions


def expire(fleet: Fleet) -> None:
    """Remove every snapshot but the current one."""
    table = fleet.replicas.lake.table
    current = table.metadata.current_snapshot_id
    gone = [each.snapshot_id for each in table.metadata.snapshots if each.snapshot_id != current]
    table.maintenance.expire_snapshots().by_ids(gone).commit()
