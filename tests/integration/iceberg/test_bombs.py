"""Small files and answers that hold much: refused by name, in a process whose memory is limited.

Each bomb is read by a process of its own with a limit of its address space: the bomb would not fit into it.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from engine.domain.errors import TableUnreadable
from engine.formats.intake import limits
from engine.formats.intake.avro import schemas as avro_schemas
from engine.formats.intake.avro.blocks import readable, schema_of
from engine.formats.intake.limits import Malformed
from tests.support.iceberg_tables import Lake, append_files

GIB = 2**30
HEADROOM = 3 * GIB // 2
BOMB_BYTES = 4 * GIB
LARGEST_STORED = 8 * 2**20
CHUNK = bytes(2**20)

OPEN = """
import json, os, resource, sys
import structlog
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
from engine.domain.errors import PackhouseError
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat
for line in sys.stdin:
    if os.fork():
        _, status = os.wait()
        print(status, flush=True)
        continue
    IcebergFormat().connect("warm", {"type": "sql", "uri": "sqlite:///:memory:"})
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
    try:
        connection = IcebergFormat().connect("lake", json.loads(line))
        connection.open_table(TableRef("lake", ("sales",), "orders")).digest()
        print("read", flush=True)
    except PackhouseError as error:
        print(error.code, error.message, flush=True)
    os._exit(0)
"""
"""Opens a table for each line of its input, in a child: a new process would import the engine each time."""


@pytest.fixture(scope="module")
def reader() -> Iterator[subprocess.Popen[str]]:
    """A process that answers as `opened` tells."""
    with subprocess.Popen(
        [sys.executable, "-c", OPEN, str(HEADROOM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


Opened = Callable[[Mapping[str, str]], str]


@pytest.fixture
def opened(reader: subprocess.Popen[str]) -> Opened:
    """Return what opening the table and reading its manifests comes to in a process with little memory."""

    def ask(properties: Mapping[str, str]) -> str:
        assert reader.stdin is not None
        assert reader.stdout is not None
        reader.stdin.write(json.dumps(properties) + "\n")
        reader.stdin.flush()
        answers = list(iter(lambda: reader.stdout.readline().strip(), "0"))
        assert answers, "the process ended"
        assert not answers[-1].isdigit(), f"it ended with the status {answers[-1]}"
        return answers[-1]

    return ask


def sql(lake: Lake) -> dict[str, str]:
    return {"type": "sql", "uri": f"sqlite:///{lake.folder}/catalog.db", "catalog-name": "lake"}


def local(path: str) -> Path:
    return Path(path.removeprefix("file://"))


@pytest.fixture
def table(lake: Lake) -> Lake:
    append_files(lake.create(), 1)
    return lake


def head(lake: Lake) -> Any:
    snapshot = lake.load().current_snapshot()
    assert snapshot is not None
    return snapshot


def inflating(fill: bytes) -> bytes:
    """Return raw deflate that stands for `BOMB_BYTES`: one flushed block again and again."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packer.compress(fill * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (BOMB_BYTES // 2**20)


def gzipped(body: bytes) -> bytes:
    """Return a gzip file that begins with a text and then inflates; it has no end."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    return packer.compress(body) + packer.flush(zlib.Z_FULL_FLUSH) + inflating(b"x")


def test_the_process_with_little_memory_reads_a_sound_table(table: Lake, opened: Opened):
    assert opened(sql(table)) == "read"


@pytest.mark.parametrize("name", ["", ".gz"])
def test_gzipped_metadata_is_read_whatever_its_name(table: Lake, name: str):
    place = local(table.load().metadata_location)
    packed = place.with_name(f"00009-x{name}.metadata.json")
    packed.write_bytes(gzip.compress(place.read_bytes()))
    point_to(table, f"file://{packed}")
    assert table.open().digest().num_rows == 1


def point_to(lake: Lake, location: str) -> None:
    with lake.catalog.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE iceberg_tables SET metadata_location = ?", (location,))


def test_a_gzip_bomb_as_metadata_is_refused(table: Lake, opened: Opened):
    place = local(table.load().metadata_location)
    bomb = gzipped(b'{"properties": {"a": "')
    assert len(bomb) < LARGEST_STORED
    packed = place.with_name("00009-x.gz.metadata.json")
    packed.write_bytes(bomb)
    point_to(table, f"file://{packed}")
    answer = opened(sql(table))
    assert answer.startswith("table_unreadable")
    assert "256 MiB when decompressed" in answer


def test_metadata_of_too_many_values_is_refused(table: Lake, opened: Opened):
    place = local(table.load().metadata_location)
    place.write_bytes(b'{"x": [' + b"[]," * 9_000_000 + b"[]]}")
    answer = opened(sql(table))
    assert answer.startswith("table_unreadable")
    assert "JSON values; 8,000,000 is the limit" in answer


def long(number: int) -> bytes:
    target = io.BytesIO()
    fastavro.schemaless_writer(target, "long", number)
    return target.getvalue()


def container(body: bytes, codec: bytes, *blocks: tuple[int, bytes]) -> bytes:
    """Return an Avro container with the header of another, another codec, and blocks as given."""
    target = io.BytesIO()
    meta = {"avro.schema": schema_of(body), "avro.codec": codec}
    kinds = [("magic", "fixed", 4), ("meta", "map", 0), ("sync", "fixed", 16)]
    fields: list[Any] = [
        {"name": n, "type": {"type": k, "name": n, "size": s} if s else {"type": k, "values": "bytes"}}
        for n, k, s in kinds
    ]
    header: Any = fastavro.parse_schema({"type": "record", "name": "header", "fields": fields})
    fastavro.schemaless_writer(target, header, {"magic": b"Obj\x01", "meta": meta, "sync": b"s" * 16})
    for count, block in blocks:
        target.write(long(count) + long(len(block)) + block + b"s" * 16)
    return target.getvalue()


def deflated() -> bytes:
    return inflating(b"\0")


def zstandard() -> bytes:
    return bytes(pa.Codec("zstd").compress(CHUNK)) * (BOMB_BYTES // len(CHUNK))


def snappy() -> bytes:
    return b"\x80\x80\x80\x80\x08" + bytes(100)  # claims 2 GiB


@pytest.mark.parametrize(
    ("which", "codec", "block"),
    [
        ("list", "deflate", deflated),
        ("manifest", "deflate", deflated),
        ("manifest", "zstandard", zstandard),
        ("list", "snappy", snappy),
    ],
)
def test_an_avro_bomb_is_refused(table: Lake, which: str, codec: str, block: Any, opened: Opened):
    snapshot = head(table)
    manifest = snapshot.manifests(table.load().io)[0].manifest_path
    place = local(snapshot.manifest_list if which == "list" else manifest)
    bomb = container(place.read_bytes(), codec.encode(), (1, block()))
    assert len(bomb) < LARGEST_STORED
    place.write_bytes(bomb)
    answer = opened(sql(table))
    assert answer.startswith("table_unreadable")
    assert "when decompressed" in answer


@pytest.mark.parametrize("which", ["list", "manifest"])
def test_a_block_that_claims_more_records_than_it_has_bytes_is_refused(table: Lake, which: str, opened: Opened):
    snapshot = head(table)
    manifest = snapshot.manifests(table.load().io)[0].manifest_path
    place = local(snapshot.manifest_list if which == "list" else manifest)
    place.write_bytes(container(place.read_bytes(), b"null", (2**34, b"\x02")))
    answer = opened(sql(table))
    assert answer.startswith("table_unreadable")
    assert "17179869184 records" in answer


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": "null"}, "items without bytes"),
        ({"type": "array", "items": {"type": "record", "name": "n", "fields": []}}, "items without bytes"),
        ({"type": "fixed", "name": "f", "size": 2**40}, "fixed type of 1099511627776 bytes"),
        (["null", {"type": "fixed", "name": "f", "size": 2**40}], "fixed type of 1099511627776 bytes"),
        ("r", "contains itself"),
    ],
)
def test_a_schema_of_unbounded_values_is_refused(table: Lake, schema: Any, words: str):
    body = local(head(table).manifest_list).read_bytes()
    hostile = {"type": "record", "name": "r", "fields": [{"name": "a", "type": schema}]}
    with pytest.raises(Malformed, match=words):
        readable(container(body, b"null", (1, b"\x02")).replace(*swapped(body, hostile)))


def test_f41_each_named_type_of_a_schema_is_computed_once(table: Lake, monkeypatch: pytest.MonkeyPatch):
    """F41: a schema of 3 kB refers to its innermost type 2^40 times."""
    calls, size_of = [0], avro_schemas._size_of

    def counted(*args: Any) -> int:
        calls[0] += 1
        assert calls[0] < 10**6
        return size_of(*args)

    monkeypatch.setattr(avro_schemas, "_size_of", counted)
    body = local(head(table).manifest_list).read_bytes()
    inner: Any = "int"
    for level in range(40, 0, -1):
        again = "int" if level == 40 else f"r{level + 1}"
        fields = [{"name": "a", "type": inner}, {"name": "b", "type": again}]
        inner = {"type": "record", "name": f"r{level}", "fields": fields}
    with pytest.raises(Malformed, match="claim 1 records, which do not fit into 1 bytes"):
        readable(container(body, b"null", (1, b"\x02")).replace(*swapped(body, inner)))
    assert calls[0] < 200


@pytest.mark.parametrize(("limit", "most"), [("SCHEMA_FIELDS", 3), ("SCHEMA_DEPTH", 0), ("SCHEMA_PATHS", 12)])
def test_f41_a_schema_with_too_many_fields_or_levels_is_refused_by_name(
    table: Lake, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
):
    """F41: the limit is checked when the table is opened, before anything is computed from its schema."""
    table.open()
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(TableUnreadable, match=rf"open table lake\.sales\.orders: its schema 0 .*; {most} is the limit"):
        table.open()


def swapped(body: bytes, schema: Any) -> tuple[bytes, bytes]:
    """Return the schema as it is stored in a header, with its length, and another in its place."""
    old, new = schema_of(body), json.dumps(schema).encode()
    return long(len(old)) + old, long(len(new)) + new


def test_a_block_is_bounded_by_what_earlier_blocks_left(table: Lake, monkeypatch: pytest.MonkeyPatch):
    body = local(head(table).manifest_list).read_bytes()
    block = zlib.compress(bytes(1000), wbits=-15)
    with pytest.raises(Malformed, match="when decompressed"):
        readable(container(body, b"deflate", *[(1, block)] * 5), limit=4999)


@pytest.mark.parametrize("which", ["metadata", "manifest list", "manifest"])
def test_f30_a_pipe_in_place_of_a_file_is_refused_unopened(table: Lake, which: str, opened: Opened):
    """F30: to open a pipe waits for a writer, for ever: the thread was not given back."""
    places = {
        "metadata": table.load().metadata_location,
        "manifest list": head(table).manifest_list,
        "manifest": head(table).manifests(table.load().io)[0].manifest_path,
    }
    local(places[which]).unlink()
    os.mkfifo(local(places[which]))
    answer = opened(sql(table))
    assert "is a pipe, a socket or a device, and no file" in answer
    assert answer.startswith("table_unreadable "), answer


def test_a_stored_file_is_not_read_further_than_its_limit(table: Lake, opened: Opened):
    place = local(table.load().metadata_location)
    with place.open("r+b") as file:
        file.truncate(BOMB_BYTES)
    answer = opened(sql(table))
    assert answer.startswith("table_unreadable")
    assert "more than 256 MiB" in answer


@contextmanager
def serving(headers: dict[str, str], body: bytes, times: int = 1) -> Iterator[str]:
    """Serve one answer to every table request: a body repeated."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            is_config = "config" in self.path
            for name, value in ({} if is_config else headers).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.close_connection = True
            try:
                for _ in range(1 if is_config else times):
                    self.wfile.write(b'{"defaults": {}, "overrides": {}}' if is_config else body)
            except OSError:
                return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the library gives it
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=lambda: server.serve_forever(poll_interval=0.02))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_answer_without_an_end_is_refused(opened: Opened):
    with serving({}, b'{"a": "' + b"x" * 2**20, times=BOMB_BYTES // 2**20) as uri:
        answer = opened({"type": "rest", "uri": uri})
    assert answer.startswith("table_unreadable")
    assert f"the answer of the catalog at {uri} has more than 256 MiB, which is the limit" in answer


def test_an_answer_that_inflates_is_refused(opened: Opened):
    bomb = gzipped(b'{"a": "')
    with serving({"Content-Encoding": "gzip"}, bomb) as uri:
        answer = opened({"type": "rest", "uri": uri})
    assert answer.startswith("table_unreadable")
    assert f"the answer of the catalog at {uri} has more than 256 MiB, which is the limit" in answer


def test_an_answer_compressed_twice_is_not_decompressed(opened: Opened):
    with serving({"Content-Encoding": "gzip, gzip"}, gzip.compress(gzip.compress(b"{}"))) as uri:
        assert opened({"type": "rest", "uri": uri}).startswith("unavailable")


def test_a_page_of_a_proxy_is_transient(opened: Opened):
    with serving({}, b"<html>Bad gateway</html>") as uri:
        assert opened({"type": "rest", "uri": uri}).startswith("unavailable")


def test_limits_leave_room_for_the_largest_tables():
    """100,000 snapshots with the summaries of Spark, and a manifest list of 20,000 manifests."""
    snapshot = {
        "snapshot-id": 2**62,
        "parent-snapshot-id": 2**62,
        "sequence-number": 100_000,
        "timestamp-ms": 1_767_225_600_000,
        "manifest-list": "s3://warehouse/sales.db/orders/metadata/snap-4611686018427387904-1-" + "a" * 36 + ".avro",
        "summary": {"operation": "append", **{f"added-records-of-kind-{n}": "123456789" for n in range(14)}},
        "schema-id": 0,
    }
    log = {"snapshot-id": 2**62, "timestamp-ms": 1_767_225_600_000}
    size = len(json.dumps(snapshot)) + 2 * len(json.dumps(log))
    signs = sum(json.dumps([snapshot, log, log]).count(sign) for sign in ",[{")
    assert size * 100_000 < limits.METADATA_BYTES
    assert signs * 100_000 < limits.METADATA_VALUES
