"""Two api processes behind a proxy that takes them in turn are one service: nothing lives in one process only."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest

from tests.support.eventually import eventually
from tests.support.postgres_server import PostgresServer
from tests.support.replicas import Replicas, start_replicas

_numbers = count()
READS = 200
STREAM = {"Accept": "text/event-stream"}


def new_name() -> str:
    return f"pond{next(_numbers)}"


def catalog(name: str, **properties: str) -> dict[str, Any]:
    described = properties or {"type": "sql", "uri": "env:NONE", "warehouse": "file:///none"}
    return {"name": name, "format": "iceberg", "properties": described}


@pytest.fixture(scope="module")
def replicas(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two api processes; tests use names of their own, and all but one read less often than the limit of a caller."""
    with start_replicas(postgres_server, tmp_path_factory.mktemp("replicas"), reads_per_minute=READS) as started:
        yield started


@pytest.fixture
def first(replicas: Replicas) -> Iterator[httpx.Client]:
    with replicas.client(0) as client:
        yield client


@pytest.fixture
def second(replicas: Replicas) -> Iterator[httpx.Client]:
    with replicas.client(1) as client:
        yield client


@pytest.fixture
def either(replicas: Replicas) -> Iterator[httpx.Client]:
    """A client of the proxy: each request goes to the replica after the last one."""
    with replicas.client() as client:
        yield client


@pytest.fixture
def run_id(either: httpx.Client, replicas: Replicas) -> str:
    """The table's live run, submitted unless there is one."""
    return str(
        either.post("/v1/runs", json={"table_id": replicas.table_id, "operation": "rewrite"})
        .raise_for_status()
        .json()["id"]
    )


def test_the_proxy_takes_the_replicas_in_turn(either: httpx.Client, replicas: Replicas) -> None:
    before = [answered(url) for url in replicas.urls]
    for _ in range(4):
        either.get("/problems/not_found").raise_for_status()
    assert [answered(url) for url in replicas.urls] == [count + 2 for count in before]


def test_an_answer_given_by_one_replica_is_replayed_by_the_other(first: httpx.Client, second: httpx.Client) -> None:
    body, key = catalog(new_name()), {"Idempotency-Key": new_name()}
    done = first.post("/v1/catalogs", json=body, headers=key)
    again = second.post("/v1/catalogs", json=body, headers=key)
    assert (done.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotent-replayed"] == "true"
    assert (again.content, again.headers["location"]) == (done.content, done.headers["location"])


def test_a_key_used_at_one_replica_is_not_used_with_another_body_at_the_other(
    first: httpx.Client, second: httpx.Client
) -> None:
    key = {"Idempotency-Key": new_name()}
    assert first.post("/v1/catalogs", json=catalog(new_name()), headers=key).status_code == 201
    assert second.post("/v1/catalogs", json=catalog(new_name()), headers=key).status_code == 422


def test_equal_runs_submitted_everywhere_at_once_are_one(replicas: Replicas) -> None:
    body = {"table_id": replicas.table_id, "operation": "rewrite"}
    with ThreadPoolExecutor(8) as pool, replicas.client() as client:
        answers = list(pool.map(lambda _: client.post("/v1/runs", json=body), range(8)))
    assert {answer.status_code for answer in answers} <= {200, 202}
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_pages_hold_every_item_once_whoever_answers(either: httpx.Client) -> None:
    names = [new_name() for _ in range(5)]
    for name in names:
        either.post("/v1/catalogs", json=catalog(name)).raise_for_status()
    seen, more = list[str](), dict[str, str]()
    while not seen or more:
        page = either.get("/v1/catalogs", params={"page_size": 1} | more).raise_for_status().json()
        seen += [item["name"] for item in page["items"]]
        more = {"page_token": page["next_page_token"]} if page["next_page_token"] else {}
    assert len(seen) == len(set(seen))
    assert set(names) <= set(seen)


def test_an_etag_of_one_replica_is_judged_by_the_other(first: httpx.Client, second: httpx.Client) -> None:
    name = new_name()
    first.post("/v1/catalogs", json=catalog(name)).raise_for_status()
    path, body = f"/v1/catalogs/{name}", {"properties": {"type": "sql", "uri": "env:OTHER", "warehouse": "file:///x"}}
    etag = first.get(path).headers["etag"]
    assert second.get(path).headers["etag"] == etag
    replaced = second.put(path, json=body, headers={"If-Match": etag})
    assert replaced.status_code == 200
    assert first.put(path, json=body, headers={"If-Match": etag}).status_code == 412
    assert first.delete(path, headers={"If-Match": replaced.headers["etag"]}).status_code == 204
    assert second.get(path).status_code == 404


def test_a_stream_is_resumed_at_the_other_replica(
    first: httpx.Client, second: httpx.Client, replicas: Replicas, run_id: str
) -> None:
    path = f"/v1/runs/{run_id}/events"
    with first.stream("GET", path, headers=STREAM) as response:
        seen = next(ids_of(response))  # and then the connection is lost
    assert replicas.advance(run_id).is_terminal
    with second.stream("GET", path, headers=STREAM | {"Last-Event-ID": str(seen)}) as response:
        rest = list(ids_of(response))
    written = [event["sequence"] for event in second.get(path).json()["items"]]
    assert [seen, *rest] == written
    assert first.get(path, headers=STREAM | {"Last-Event-ID": str(written[-1])}).status_code == 204


def test_each_replica_streams_what_happens_elsewhere(replicas: Replicas, run_id: str) -> None:
    def listen(replica: int) -> list[int]:
        with replicas.client(replica) as client, client.stream("GET", f"/v1/runs/{run_id}/events", headers=STREAM) as r:
            return list(ids_of(r))

    with ThreadPoolExecutor(2) as pool:
        heard = [pool.submit(listen, replica) for replica in (0, 1)]
        assert replicas.advance(run_id).is_terminal
        first, second = (future.result(timeout=30) for future in heard)
    assert first == second == list(range(1, len(first) + 1))


def test_a_caller_has_one_limit_over_all_replicas(replicas: Replicas, either: httpx.Client) -> None:
    key = either.post("/v1/keys", json={"name": new_name(), "role": "viewer"}).raise_for_status().json()["secret"]
    with replicas.client(0, key=key) as first, replicas.client(1, key=key) as second:
        answers: list[httpx.Response] = []

        def refuses_who_asked_elsewhere() -> bool:  # it is told so within a quarter of a second
            while first.get("/v1/catalogs").is_success:
                pass
            answers.append(second.get("/v1/catalogs"))
            return answers[-1].status_code == 429

        eventually(refuses_who_asked_elsewhere)
        assert answers[-1].json()["code"] == "rate_limited"
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        assert len(answers) < READS / 2  # alone, the second would have answered all of them


def answered(url: str) -> float:
    """Return how many problem types a replica has explained."""
    found = re.search(
        r'^packhouse_http_requests_total{.*"/problems/{code}".*} (.+)$', httpx.get(f"{url}/metrics").text, re.MULTILINE
    )
    return 0 if found is None else float(found[1])


def ids_of(response: httpx.Response) -> Iterator[int]:
    """Yield the ids of the frames of an event stream as they come."""
    return (int(line.removeprefix("id: ")) for line in response.iter_lines() if line.startswith("id: "))
