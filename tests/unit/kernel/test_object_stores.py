"""Groups in an object store: requests, fetches at once, a store that is busy or mute, names that are taken."""

import gc
import io
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.formats.iceberg.catalog.objects import stored_object
from engine.rewriting.kernel.contract import Pace, TaskInput
from engine.rewriting.kernel.errors import InputFault, OutputFault, StorageFault
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage import answers, transfer
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.stores import connections, objects
from engine.rewriting.kernel.storage.stores import s3 as s3_store
from engine.rewriting.kernel.storage.stores.arrow_files import ArrowFiles
from engine.rewriting.kernel.storage.stores.connections import whole_files_of
from engine.rewriting.kernel.task import GroupRewrite
from tests.support.eventually import eventually
from tests.support.kernel_tasks import changed
from tests.support.store_server import BUCKET, Manners, StoreServer, store_server
from tests.unit.kernel.building import field, make_task, rewrite, write

SCHEMA = pa.schema([field(1, "id", pa.int64())])


@pytest.fixture(scope="module")
def server() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


@pytest.fixture
def store(server: StoreServer) -> StoreServer:
    server.control(manners=Manners(), forget=True)
    return server


def put_inputs(store: StoreServer, folder: Path, count: int, rows: int = 1000) -> list[TaskInput]:
    local = write(folder / "one.parquet", pa.table([np.arange(rows)], schema=SCHEMA))
    data = Path(local.path).read_bytes()
    for number in range(count):
        store.put(f"in/{number}.parquet", data)
    return [replace(local, path=f"s3://{BUCKET}/in/{number}.parquet") for number in range(count)]


def a_task(store: StoreServer, folder: Path, inputs: list[TaskInput], name: str) -> SentKernelTask:
    return make_task(folder, inputs, SCHEMA, folder=f"s3://{BUCKET}/{name}", storage=store.properties())


def asked(store: StoreServer) -> dict[str, int]:
    found: dict[str, int] = store.control(forget=True)["asked"]
    return found


def test_a_small_input_costs_one_request_and_an_output_one_more(store: StoreServer, tmp_path: Path) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 40), "one")
    store.control(forget=True)
    result = rewrite(task)
    assert asked(store) == {"GET": 40, "PUT": 1}
    assert (result.requests, result.rows_written) == (41, 40_000)


def test_fetches_under_way_grow_with_the_latency(store: StoreServer, tmp_path: Path) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 600), "many")
    store.control(manners=Manners(latency=0.4), forget=True)
    assert rewrite(task).rows_written == 600_000
    # They begin with 8 and may be 128; a busy machine sends at least 100 a second, which makes 40.
    assert store.control()["most_at_once"] >= 32


@pytest.mark.parametrize("off", [-1, 1, 5000])
def test_an_object_of_another_size_than_the_manifest_has_fails_its_group(
    store: StoreServer, tmp_path: Path, off: int
) -> None:
    (one,) = put_inputs(store, tmp_path, 1)
    wrong = replace(one, file_bytes=one.file_bytes + off)
    with pytest.raises(InputFault, match=f"{one.file_bytes} bytes, but the manifest has {wrong.file_bytes}"):
        rewrite(a_task(store, tmp_path, [wrong], "wrong"))


def test_a_store_that_is_busy_is_asked_again_with_fewer_requests(store: StoreServer, tmp_path: Path) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 200), "busy")
    store.control(manners=Manners(latency=0.01, busy=0.2), forget=True)
    result = rewrite(task)
    counts = asked(store)
    assert result.rows_written == 200_000
    assert counts["GET"] > 210
    assert result.requests >= counts["GET"]


@pytest.mark.parametrize("manners", [Manners(resets=0.2), Manners(short=0.2)], ids=["reset", "short"])
def test_answers_that_break_off_are_asked_for_again(store: StoreServer, tmp_path: Path, manners: Manners) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 100), f"broken{manners.short}")
    store.control(manners=manners, forget=True)
    assert rewrite(task).rows_written == 100_000


def test_a_store_that_stays_busy_is_a_fault_of_the_store(
    store: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 1), "stays")
    monkeypatch.setattr(answers, "BUSY_SECONDS", 0.5)
    store.control(manners=Manners(busy=1.0))
    with pytest.raises(StorageFault, match="503"):
        rewrite(task)


@pytest.mark.parametrize("manners", [Manners(hangs=1.0), Manners(busy=1.0)], ids=["mute", "busy"])
def test_a_stop_does_not_wait_for_the_requests_under_way(store: StoreServer, tmp_path: Path, manners: Manners) -> None:
    inputs = put_inputs(store, tmp_path, 300)
    stop = threading.Event()
    told = b'{"bytes_per_second": null, "requests_per_second": null, "stop": %s}'
    task = changed(a_task(store, tmp_path, inputs, "stop"), pace=Pace(channel_url="http://x", interval_seconds=0.1))

    def post(_url: str, _headers: dict[str, str], _body: bytes) -> bytes:
        return told % (b"true" if stop.is_set() else b"false")

    store.control(manners=manners, forget=True)
    ended: list[str] = []

    def run() -> None:
        ended.append(GroupRewrite(sent=task, post=post).run().outcome)

    thread = threading.Thread(target=run)
    thread.start()
    eventually(lambda: bool(store.control()["asked"]))
    stop.set()
    thread.join(5)  # the answers take a minute
    assert ended == ["stopped"]


def test_an_output_whose_answer_was_lost_is_the_tasks_own(store: StoreServer, tmp_path: Path) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 2), "lost")
    files = Storage(properties=task.storage, places=[f"s3://{BUCKET}/lost"])
    found, path = files.find(f"s3://{BUCKET}/lost/x")
    store.control(manners=Manners(lost=1))
    output = found.create(path)
    output.write(memoryview(b"rows"))
    assert (output.finish(), output.exists) == (4, True)


def test_an_upload_whose_end_was_answered_by_nobody_is_complete(store: StoreServer, tmp_path: Path) -> None:
    """The end is sent again, and the store knows of no such upload any more."""
    sink = begun_upload(store, tmp_path)
    store.control(manners=Manners(lost=1))
    sink.close()
    assert sink.stored_bytes == sink.position
    assert store.control()["asked"].get("POST uploadId", 0) >= 2


def test_an_upload_that_is_not_all_there_is_told_by_its_size(store: StoreServer, tmp_path: Path) -> None:
    sink = begun_upload(store, tmp_path)
    store.control(manners=Manners(cut=True))
    sink.close()
    store.control(manners=Manners())
    assert 0 < sink.stored_bytes < sink.position


def begun_upload(store: StoreServer, folder: Path) -> transfer.OutputSink:
    """Return an upload of 20 MiB, of which all parts are sent."""
    task = a_task(store, folder, [], folder.name)
    storage = Storage(properties=task.storage, places=[f"s3://{BUCKET}/{folder.name}"])
    sink = transfer.Transfer(storage=storage, bucket=Bucket()).create(f"s3://{BUCKET}/{folder.name}/large")
    for _ in range(20):
        sink.write(bytes(2**20))
    eventually(lambda: store.control()["asked"].get("PUT partNumber", 0) == 2)
    store.control(forget=True)
    return sink


@pytest.mark.parametrize("mebibytes", [1, 40])
def test_an_output_that_a_busy_store_does_not_take_is_a_fault_of_the_store(
    store: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mebibytes: int
) -> None:
    monkeypatch.setattr(objects, "_WRITE_RETRIES", {"max_retries": 1})
    monkeypatch.setattr(answers, "BUSY_SECONDS", 0.5)
    connections._opened.cache_clear()
    task = a_task(store, tmp_path, [], "full")
    storage = Storage(properties=task.storage, places=[f"s3://{BUCKET}/full"])
    sink = transfer.Transfer(storage=storage, bucket=Bucket()).create(f"s3://{BUCKET}/full/{mebibytes}")
    sink.write(bytes(min(mebibytes, 17) * 2**20))
    store.control(manners=Manners(busy=1.0))
    with pytest.raises(StorageFault, match="503"):
        fill_up(sink, mebibytes)
    sink.abandon()
    store.control(manners=Manners())
    assert store.control(keys=True)["keys"].count(f"full/{mebibytes}") == 0


def fill_up(sink: transfer.OutputSink, mebibytes: int) -> None:
    for _ in range(mebibytes - 17):
        sink.write(bytes(2**20))
    sink.close()


@pytest.mark.parametrize("bucket", ["evil.org#", "a@b", "", "a b", "ü"])
def test_a_name_that_would_change_the_host_is_no_bucket(bucket: str) -> None:
    properties = {"s3.endpoint": "http://store", "s3.force-virtual-addressing": "true"}
    assert whole_files_of("s3", bucket, properties, is_patient=False) is None


def test_credentials_in_files_are_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "team")
    properties = {"s3.region": "r"}
    assert whole_files_of("s3", "b", properties, is_patient=False) is None
    properties |= {"s3.access-key-id": "k", "s3.secret-access-key": "s"}
    assert whole_files_of("s3", "b", properties, is_patient=False) is not None


@pytest.mark.parametrize("content", [b"", b"metadata"])
def test_a_file_of_metadata_is_read_to_its_end_and_not_further(store: StoreServer, content: bytes) -> None:
    store.put("metadata/x", content)
    found = stored_object(f"s3://{BUCKET}/metadata/x", store.properties())
    assert found is not None
    with found.open() as stream:
        assert (stream.read(2**20), stream.read(2**20), stream.read()) == (content, b"", b"")
    assert len(found) == len(content)


def test_an_output_of_another_is_neither_replaced_nor_deleted(store: StoreServer, tmp_path: Path) -> None:
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 2), "taken")
    first = rewrite(task)
    with pytest.raises(OutputFault, match="exists already"):
        rewrite(task)
    assert first.outputs[0].path.removeprefix(f"s3://{BUCKET}/") in store.control(keys=True)["keys"]


@pytest.mark.parametrize(
    ("properties", "config"),
    [
        ({"s3.endpoint": "store:9000"}, {"endpoint": "https://store:9000"}),
        (
            {"s3.endpoint": "http://store:9000", "s3.force-virtual-addressing": "true"},
            {"endpoint": "http://b.store:9000", "virtual_hosted_style_request": True},
        ),
        ({"s3.region": "eu-1", "s3.anonymous": "true"}, {"region": "eu-1", "skip_signature": True}),
        ({"client.region": "eu-1", "s3.sse.type": "none"}, {"region": "eu-1"}),
        ({"s3.region": "r", "s3.sse.type": "s3"}, {"region": "r", "server_side_encryption": "AES256"}),
        (
            {"s3.region": "r", "s3.sse.type": "kms", "s3.sse.key": "arn"},
            {"region": "r", "server_side_encryption": "aws:kms", "sse_kms_key_id": "arn"},
        ),
        (
            {"s3.region": "r", "s3.sse.type": "custom", "s3.sse.key": "a2V5"},
            {"region": "r", "server_side_encryption": "sse-c", "sse_customer_key_base64": "a2V5"},
        ),
    ],
)
def test_properties_of_iceberg_configure_the_connection(properties: dict[str, str], config: dict[str, object]) -> None:
    assert s3_store.s3_config("b", properties) == {"disable_bulk_delete": True} | config


@pytest.mark.parametrize("kind", ["s3", "kms", "dsse-kms"])
def test_outputs_ask_the_store_to_encrypt_them(kind: str) -> None:
    properties = {"s3.region": "r", "s3.sse.type": kind, "s3.sse.key": "k"}
    assert whole_files_of("s3", "b", properties, is_patient=False) is not None


@pytest.mark.parametrize("way", ["no obstore", "a role"])
def test_what_obstore_lacks_goes_through_arrow(
    store: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")  # asking for it takes seconds
    properties = store.properties()
    if way == "a role":
        properties = {"s3.role-arn": "arn:aws:iam::1:role/x", "s3.region": "us-east-1"}
    else:
        monkeypatch.setattr(objects, "obstore", None)
    found, path = Storage(properties=properties, places=[f"s3://{BUCKET}/a"]).find(f"s3://{BUCKET}/a/x")
    assert isinstance(found, ArrowFiles)
    assert path == "a/x"


def test_a_group_without_obstore_is_rewritten_all_the_same(
    store: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "obstore", None)
    task = a_task(store, tmp_path, put_inputs(store, tmp_path, 20), "arrow")
    store.control(forget=True)
    result = rewrite(task)
    counts = asked(store)
    assert (result.rows_written, counts["GET"], counts["HEAD"]) == (20_000, 20, 22)
    assert result.requests == sum(counts.values())


def test_f51_a_stored_object_is_a_whole_file_for_every_reader(store: StoreServer) -> None:
    """Arrow calls more of a file than PyIceberg's protocol has; without `closed` each file was "unreadable"."""
    rows, body = pa.table({"a": list(range(100))}), io.BytesIO()
    pq.write_table(rows, body)
    store.put("data/x", body.getvalue())
    found = stored_object(f"s3://{BUCKET}/data/x", store.properties())
    assert found is not None
    with found.open() as stream:
        assert pq.ParquetFile(stream).read() == rows
        assert stream.seek(0) == 0
        assert pa.PythonFile(stream, mode="r").read() == body.getvalue()
    with found.open() as stream:
        assert isinstance(stream, io.RawIOBase)
        buffered = io.BufferedReader(stream)
        assert buffered.read(4) == b"PAR1"
        assert buffered.seek(-4, io.SEEK_END) == len(body.getvalue()) - 4
        assert buffered.read(10) == b"PAR1"
    assert stream.closed
    for use in (stream.read, lambda: stream.seek(0)):
        with pytest.raises(ValueError, match="used after it was closed"):
            use()


def test_f51_a_reader_that_asks_for_nothing_sends_no_request(store: StoreServer) -> None:
    store.put("data/y", b"0123456789")
    found = stored_object(f"s3://{BUCKET}/data/y", store.properties())
    assert found is not None
    with found.open() as stream:
        store.control(forget=True)
        assert (stream.read(0), stream.tell()) == (b"", 0)
        assert store.control()["asked"] == {}
        assert (stream.read(), stream.read(), stream.read(5)) == (b"0123456789", b"", b"")


def test_f51_an_object_that_is_written_tells_what_files_tell(store: StoreServer) -> None:
    """Arrow closes it; one that is forgotten, or given up after an error, is not sent."""
    target = stored_object(f"s3://{BUCKET}/data/z", store.properties())
    assert target is not None
    rows = pa.table({"a": [1]})
    with target.create() as stream:
        pq.write_table(rows, stream)
    assert stream.closed  # type: ignore[attr-defined]
    with target.open() as stored:
        assert pq.ParquetFile(stored).read() == rows
    other = stored_object(f"s3://{BUCKET}/data/forgotten", store.properties())
    assert other is not None
    other.create().write(b"a part of it")
    gc.collect()
    assert not other.exists()
