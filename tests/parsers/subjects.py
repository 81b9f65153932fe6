"""The parsers that face a stranger: how each is called, and the sound files that mutants are made of."""

import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from hive_metastore.ThriftHiveMetastore import Client, get_partitions_by_names_result, get_table_result
from hive_metastore.ttypes import FieldSchema, Partition, SerDeInfo, StorageDescriptor, Table
from pyiceberg.manifest import read_manifest_list
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TMessageType
from thrift.transport.TTransport import TMemoryBuffer, TTransportException

from engine.formats.hive.errors import reading_table
from engine.formats.hive.files.footers import footer_in
from engine.formats.iceberg.errors import is_of_content
from engine.formats.iceberg.intake.metadata_files import parse_metadata
from engine.formats.iceberg.intake.storage import HeldFiles
from engine.formats.iceberg.manifests.decoding import read_entries
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.removal.inventories.rows import RowsBelow, rows_of
from engine.formats.iceberg.upkeep.deletes.plans import DeleteFile
from engine.formats.iceberg.upkeep.deletes.positions import POSITIONS, LeftAlone, read_positions
from engine.formats.intake.avro.blocks import check_records, container, metadata_of, readable, records_in, schema_of
from engine.formats.intake.catalogs.metastores.answers import protocol_on
from engine.formats.intake.checks import check_entries
from engine.formats.intake.errors import decoding_file, parsing
from engine.formats.removal.listings import ListedFiles
from tests.support.iceberg_tables import BY_CITY, Lake, append_files

_INVENTORY_ROWS = 300


@dataclass(frozen=True)
class Subject:
    """A parser, and the sound files that it reads."""

    name: str
    seeds: Sequence[bytes]
    parse: Callable[[bytes], object]
    wrap: Callable[[bytes], bytes] = bytes
    """Applied to a mutant: compression would hide changes of what is compressed."""


def subjects(folder: Path) -> list[Subject]:
    """Return all parsers; their files are those of a table that is made in the folder."""
    lake = Lake.make(folder)
    append_files(lake.create(spec=BY_CITY), 3)
    table = lake.load()
    snapshot = table.current_snapshot()
    assert snapshot is not None
    codec = PartitionCodec(spec=table.spec(), schema=table.schema())
    manifests = [_local(each.manifest_path) for each in snapshot.manifests(table.io)]
    lists = [_local(each.manifest_list) for each in table.snapshots()]
    documents = [_local(table.metadata_location)]
    data = [Path(each.file.file_path.removeprefix("file://")) for each in table.scan().plan_files()]
    lake.close()
    return [
        Subject("manifests", _with_plain(manifests), lambda body: _manifest(body, codec)),
        Subject("manifest lists", _with_plain(lists), _manifest_list),
        Subject("Avro schemas", [schema_of(readable(each)) for each in manifests], lambda body: _manifest(body, codec),
                lambda body: _with_schema(manifests[0], body)),
        Subject("metadata documents", documents, _metadata),
        Subject("compressed metadata", documents, _metadata, gzip.compress),
        Subject("footers", [_end(each) for each in data], footer_in),
        Subject("delete files", [_deletes(codec) for codec in ("zstd", "none")], _delete_file),
        Subject("Metastore answers", _answers(), _metastore_answer),
        Subject("CSV inventories", [_csv()], lambda body: _inventory(body, "a.csv")),
        Subject("compressed inventories", [_csv()], lambda body: _inventory(body, "a.csv.gz"), gzip.compress),
        Subject("Parquet inventories", [*map(_parquet, ("zstd", "none"))], lambda body: _inventory(body, "a.parquet")),
    ]  # fmt: skip


def _local(location: str) -> bytes:
    return Path(location.removeprefix("file://")).read_bytes()


def _with_plain(bodies: Sequence[bytes]) -> list[bytes]:
    return [*bodies, *map(readable, bodies)]


def _metadata(body: bytes) -> None:
    with decoding_file("metadata", is_of_content=is_of_content):
        parse_metadata(body)


def _manifest(body: bytes, codec: PartitionCodec) -> None:
    with decoding_file("manifest", is_of_content=is_of_content):
        plain = readable(body)
        for with_targets in (False, True):
            check_entries(read_entries(plain, codec=codec, with_targets=with_targets))


def _manifest_list(body: bytes) -> None:
    with decoding_file("manifest list", is_of_content=is_of_content):
        plain = readable(body)
        check_records(plain)
        with parsing("manifest list"):
            list(read_manifest_list(HeldFiles(plain).new_input("list")))


def _with_schema(body: bytes, schema: bytes) -> bytes:
    plain = readable(body)
    data = io.BytesIO()
    for record in fastavro.reader(io.BytesIO(plain)):
        fastavro.schemaless_writer(data, json.loads(schema_of(plain)), record)
    return container(schema, metadata_of(plain), [(records_in(plain), data.getvalue())], codec="deflate")


def _end(path: Path) -> bytes:
    body = path.read_bytes()
    return body[-8 - int.from_bytes(body[-8:-4], "little") :]


def _deletes(codec: str) -> bytes:
    target = io.BytesIO()
    paths = [f"s3://lake/t/data/{at // 50}.parquet" for at in range(500)]
    pq.write_table(pa.table([paths, list(range(500))], schema=POSITIONS), target, compression=codec)
    return target.getvalue()


def _delete_file(body: bytes) -> None:
    try:
        read_positions(HeldFiles(body), DeleteFile("x", None, 0, "{}", 1, 500, len(body)))
    except LeftAlone as error:
        raise ValueError(str(error)) from error


def _answers() -> list[bytes]:
    columns = [FieldSchema(f"column_{at}", "string", "a comment") for at in range(20)]
    storage = StorageDescriptor(
        cols=columns,
        location="hdfs://nn/wh/t",
        inputFormat="x",
        serdeInfo=SerDeInfo(parameters={"a": "b"}),
        parameters={},
    )
    table = Table("t", "lake", sd=storage, partitionKeys=columns[:2], parameters={"EXTERNAL": "TRUE"})
    parts = [Partition([f"{at}"], "lake", "t", sd=storage, parameters={"numFiles": "1"}) for at in range(20)]
    return [
        _message("get_table", get_table_result(success=table)),
        _message("get_partitions_by_names", get_partitions_by_names_result(success=parts)),
    ]


def _message(call: str, result: Any) -> bytes:
    target = TMemoryBuffer()
    protocol = TBinaryProtocolAccelerated(target)
    protocol.writeMessageBegin(call, TMessageType.REPLY, 0)
    result.write(protocol)
    return bytes(target.getvalue())


class _Connection:
    """A connection whose peer sends an answer and then ends it."""

    def __init__(self, answer: bytes) -> None:
        self._answer = io.BytesIO(answer)

    def write(self, _request: bytes) -> None:
        """Accept the request."""

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises as a socket of Thrift at its end."""
        if not (found := self._answer.read(size)):
            raise TTransportException(TTransportException.END_OF_FILE)
        return found


def _metastore_answer(body: bytes) -> None:
    with reading_table("read"):
        client = Client(protocol_on(_Connection(body)))
        if b"get_table" in body[:32]:
            client.get_table("lake", "t")
        else:
            client.get_partitions_by_names("lake", "t", ["x"])


def _csv() -> bytes:
    rows = "".join(f"s3://lake/t/data/{at}.parquet,{at},2026-11-01T00:00:00Z\n" for at in range(_INVENTORY_ROWS))
    return f"path,size,modified\n{rows}".encode()


def _parquet(codec: str) -> bytes:
    paths = [f"s3://lake/t/{at % 10}/metadata/v{at}.metadata.json" for at in range(_INVENTORY_ROWS)]
    target = io.BytesIO()
    times = pa.array(range(_INVENTORY_ROWS), pa.timestamp("ms"))
    rows = pa.table({"path": paths, "size": list(range(_INVENTORY_ROWS)), "modified": times})
    pq.write_table(rows, target, compression=codec, row_group_size=100)
    return target.getvalue()


def _inventory(body: bytes, name: str) -> None:
    listed, below = ListedFiles(before_us=2**62), RowsBelow("s3://lake/t")
    stream: Any = io.BytesIO(body)
    with decoding_file("inventory", is_of_content=is_of_content):
        for rows in rows_of(stream, name, None):
            listed.add(below.of(rows, is_encoded=not name.endswith(".parquet")))
