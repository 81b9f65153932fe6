"""Credentials that end while a task works: renewed early when their end is known, and when the store refuses them."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import Pace
from engine.rewriting.kernel.errors import StorageCredentialsExpired
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.credentials import (
    EARLY_SECONDS,
    LEAST_SECONDS,
    RENEWED_SECONDS,
    Credentials,
    credentials_of,
)
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Transfer
from tests.support.azure_server import ACCOUNT, AzureServer
from tests.support.kernel_tasks import changed
from tests.support.store_server import BUCKET, Manners, StoreServer, store_server
from tests.unit.kernel.building import field, make_task, rewrite, write

SCHEMA = pa.schema([field(1, "id", pa.int64())])
Properties = dict[str, str]


@pytest.fixture(scope="module")
def store() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


@contextmanager
def service(give: Callable[[], object]) -> Iterator[str]:
    """A service that gives credentials to tasks with the right token; yields the address of its pace channel."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            is_right = self.headers["Authorization"] == "Bearer pace" and self.path == "/internal/credentials"
            body = json.dumps(give() if is_right else {"stop": False, "bytes_per_second": None,
                                                       "requests_per_second": None}).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/internal/pace"
    finally:
        server.shutdown()
        server.server_close()


class Vending:
    """Gives a new key each time; `expire` makes the store refuse all that were given."""

    def __init__(self, store: StoreServer, kind: str, **manners: float) -> None:
        self._store, self._kind, self._manners = store, kind, manners
        self.given: list[str] = []

    def properties(self) -> Properties:
        self.given.append(f"key{len(self.given)}")
        if self._kind == "gs":
            return self._store.google_properties(self.given[-1])
        return {**self._store.properties(), "s3.access-key-id": self.given[-1], "s3.session-token": "t"}

    def expire(self) -> None:
        self._store.control(manners=Manners(expired=tuple(self.given), **self._manners))  # type: ignore[arg-type]


def a_task(
    folder: Path, store: StoreServer, *, kind: str, url: str, properties: Properties, files: int
) -> SentKernelTask:
    local = write(folder / "one.parquet", pa.table([np.arange(1000)], schema=SCHEMA))
    for number in range(files):
        store.put(f"{folder.name}/{number}.parquet", Path(local.path).read_bytes())
    inputs = [replace(local, path=f"{kind}://{BUCKET}/{folder.name}/{number}.parquet") for number in range(files)]
    output = f"{kind}://{BUCKET}/{folder.name}/out"
    task = make_task(folder, inputs, SCHEMA, folder=output, storage=properties)
    return changed(task, run_id=folder.name, pace=Pace(None, None, url, "pace", interval_seconds=0.2))


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_credentials_that_end_four_times_during_a_task_do_not_fail_it(
    store: StoreServer, tmp_path: Path, kind: str
) -> None:
    vending = Vending(store, kind, latency=0.05)
    with service(lambda: {"storage": vending.properties()}) as url:
        task = a_task(tmp_path, store, kind=kind, url=url, properties=vending.properties(), files=900)
        store.control(manners=Manners(latency=0.2), forget=True)
        is_over = threading.Event()

        def end_credentials() -> None:
            for requests in range(100, 600, 100):
                while sum(store.control()["asked"].values()) < requests:
                    if is_over.wait(0.02):
                        return
                vending.expire()
                is_over.wait(0.1)  # or one request is refused each time that it is sent again: 128 are sent at once

        ending = threading.Thread(target=end_credentials)
        ending.start()
        try:
            result = rewrite(task)
        finally:
            is_over.set()
            ending.join()
            store.control(manners=Manners())
    assert result.rows_written == 900_000
    assert len(vending.given) >= 5


def test_an_output_that_is_refused_at_its_end_is_sent_with_new_credentials(store: StoreServer, tmp_path: Path) -> None:
    vending = Vending(store, "s3")
    with service(lambda: {"storage": vending.properties()}) as url:
        task = a_task(tmp_path, store, kind="s3", url=url, properties=vending.properties(), files=1)
        transfer = Transfer(
            storage=Storage(
                properties=task.storage, places=task.task.read.allowed_folders, credentials=credentials_of(task)
            ),
            bucket=Bucket(),
        )
        sink = transfer.create(f"{task.task.write.folder}/x")
        sink.write(b"all of it")
        vending.expire()
        sink.close()
        store.control(manners=Manners())
    assert (sink.stored_bytes, len(vending.given)) == (9, 2)


@pytest.mark.parametrize("answer", [{}, {"storage": {}}, [], "", {"storage": None}])
def test_a_service_without_new_credentials_leaves_the_old_fault(
    store: StoreServer, tmp_path: Path, answer: object
) -> None:
    vending = Vending(store, "s3")
    with service(lambda: answer) as url:
        task = a_task(tmp_path, store, kind="s3", url=url, properties=vending.properties(), files=2)
        vending.expire()
        with pytest.raises(StorageCredentialsExpired):
            rewrite(task)
        store.control(manners=Manners())


def test_a_service_that_is_away_leaves_the_old_fault(store: StoreServer, tmp_path: Path) -> None:
    vending = Vending(store, "s3")
    task = a_task(
        tmp_path, store, kind="s3", url="http://127.0.0.1:9/internal/pace", properties=vending.properties(), files=2
    )
    vending.expire()
    with pytest.raises(StorageCredentialsExpired):
        rewrite(task)
    store.control(manners=Manners())


def test_a_store_that_refuses_all_credentials_is_asked_a_few_times_only(store: StoreServer, tmp_path: Path) -> None:
    vending = Vending(store, "s3")

    def give() -> object:
        properties = vending.properties()
        vending.expire()
        return {"storage": properties}

    with service(give) as url:
        task = a_task(tmp_path, store, kind="s3", url=url, properties=vending.properties(), files=1)
        vending.expire()
        with pytest.raises(StorageCredentialsExpired):
            rewrite(task)
        store.control(manners=Manners())
    assert len(vending.given) <= 6


def test_signatures_of_azure_that_end_are_renewed(azure: AzureServer, tmp_path: Path) -> None:
    """The emulator refuses a signature after its end, as Azure does, with status 403."""

    def properties(seconds: float) -> Properties:
        found = azure.properties() | {f"adls.sas-token.{ACCOUNT}.dfs.core.windows.net": azure.sas(seconds)}
        del found["adls.account-key"]
        return found

    local = write(tmp_path / "one.parquet", pa.table([np.arange(1000)], schema=SCHEMA))
    folder = f"abfss://{azure.container}@{ACCOUNT}.dfs.core.windows.net/t"
    storage = Storage(properties=properties(600), places=[folder])
    for number in range(3):
        files, path = storage.find(f"{folder}/{number}.parquet")
        output = files.create(path)
        output.write(memoryview(Path(local.path).read_bytes()))
        output.finish()
    inputs = [replace(local, path=f"{folder}/{number}.parquet") for number in range(3)]
    with service(lambda: {"storage": properties(600)}) as url:
        task = make_task(tmp_path, inputs, SCHEMA, folder=f"{folder}/out", storage=properties(-60))
        result = rewrite(changed(task, pace=Pace(None, None, url, "pace")))
    files, path = storage.find(result.outputs[0].path)
    stored = files.open(path, result.outputs[0].file_bytes)
    read = pq.read_table(pa.BufferReader(bytes(stored.read(0, stored.size()))))
    assert read.num_rows == 3000


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


def ending(seconds: float, clock: Clock, name: str = "s3.session-token-expires-at-ms") -> Properties:
    return {"s3.session-token": f"until {seconds}", name: str(int((clock.now + seconds) * 1000))}


@pytest.mark.parametrize(
    "name",
    [
        "s3.session-token-expires-at-ms",
        "gcs.oauth2.token-expires-at",
        "adls.sas-token-expires-at-ms.a.dfs.core.windows.net",
    ],
)
def test_credentials_that_tell_their_end_are_renewed_before_it(name: str) -> None:
    clock = Clock()
    newer = ending(7200, clock, name)
    credentials = Credentials(ending(3600, clock, name), lambda: newer, clock)
    clock.now += 3600 - EARLY_SECONDS - 1
    assert credentials.current() != newer
    clock.now += 2
    assert credentials.current() == newer


def test_credentials_that_do_not_tell_their_end_are_renewed_from_time_to_time() -> None:
    clock = Clock()
    count = iter(range(100))
    credentials = Credentials({"s3.session-token": "t"}, lambda: {"s3.session-token": f"t{next(count)}"}, clock)
    for _ in range(10 * int(RENEWED_SECONDS)):
        clock.now += 1
        credentials.current()
    assert next(count) == 10


def test_keys_that_do_not_end_are_never_renewed_unasked() -> None:
    clock = Clock()
    credentials = Credentials({"s3.access-key-id": "k"}, lambda: pytest.fail("asked"), clock)
    clock.now += 10**9
    assert credentials.current() == {"s3.access-key-id": "k"}


def test_a_service_that_does_not_answer_is_not_asked_at_each_request() -> None:
    clock, asked = Clock(), []

    def fetch() -> Properties:
        asked.append(clock.now)
        raise OSError

    credentials = Credentials(ending(0, clock), fetch, clock)
    for _ in range(100):
        clock.now += LEAST_SECONDS / 10
        credentials.current()
    assert len(asked) == 10


@pytest.mark.parametrize("end", ["", "soon", "-1", "1e9"])
def test_an_end_that_is_no_number_is_none(end: str) -> None:
    clock = Clock()
    properties = {"s3.session-token": "t", "s3.session-token-expires-at-ms": end}
    credentials = Credentials(properties, lambda: {"s3.session-token": "new"}, clock)
    assert credentials.current() == properties
    clock.now += RENEWED_SECONDS
    assert credentials.current() == {"s3.session-token": "new"}
