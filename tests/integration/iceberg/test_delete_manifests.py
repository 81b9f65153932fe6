"""A manifest of delete files that is written anew keeps everything of what stays, as it is stored."""

import datetime as dt
import io
import uuid
from decimal import Decimal
from pathlib import Path

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestContent, ManifestEntry
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from engine.domain.errors import Fatal
from engine.formats.iceberg.manifests.delete_manifests import without
from engine.formats.intake.avro.blocks import readable, schema_of
from tests.support.iceberg_tables import Lake, append_files, commit_deletes, delete_file, live_paths

AWKWARD: list[tuple[IcebergType, object]] = [
    (DateType(), (dt.date(9999, 12, 31) - dt.date(1970, 1, 1)).days + 40_000_000),
    (TimestampType(), 2**62),
    (TimestamptzType(), -(2**62)),
    (DecimalType(38, 10), Decimal("-1234567890123456789.0000000001")),
    (UUIDType(), uuid.UUID(int=7)),
    (BinaryType(), b"\x00\xff"),
    (StringType(), "ä/ =%"),
    (StringType(), None),
]
"""Partition values, some of which no Python date can hold: a manifest written anew must not lose or change them."""


def numbers(entry: ManifestEntry) -> tuple[int | None, int | None, int | None]:
    return entry.sequence_number, entry.file_sequence_number, entry.snapshot_id


@pytest.mark.parametrize("codec", ["deflate", "null"])
def test_partition_values_of_what_stays_are_passed_through_as_stored(lake: Lake, codec: str):
    fields = [NestedField(at, f"c{at}", of) for at, (of, _) in enumerate(AWKWARD, start=2)]
    lake.create(schema=Schema(NestedField(1, "id", LongType()), *fields)).append(pa.table({"id": [1, 2]}))
    with lake.load().update_spec() as update:
        for field in fields:
            update.add_field(field.name, IdentityTransform(), f"{field.name}_part")
    table = lake.load()
    stays, goes = (
        delete_file(table, [("a", 0), ("b", 1)], spec_id=1, partition=Record(*values))
        for values in ([value for _, value in AWKWARD], [None] * len(AWKWARD))
    )
    commit_deletes(table, stays, goes)
    view = lake.open()._view
    (manifest,) = (each for each in view.manifests(view.head) if each.content == ManifestContent.DELETES)
    body = readable(Path(manifest.manifest_path.removeprefix("file://")).read_bytes())
    made = without(body, {(goes.file_path, None, None)}, manifest=manifest, snapshot_id=77, codec=codec)
    path = Path(table.location().removeprefix("file://")) / "anew.avro"
    path.write_bytes(made.body)
    listed = made.listed(manifest, path=f"file://{path}", snapshot_id=77)
    listed.sequence_number = 9
    before, after = (
        {entry.data_file.file_path: entry for entry in each.fetch_manifest_entry(view.io, discard_deleted=False)}
        for each in (manifest, listed)
    )
    assert {path: entry.data_file for path, entry in after.items()} == {p: e.data_file for p, e in before.items()}
    assert numbers(after[stays.file_path]) == numbers(before[stays.file_path]) == (2, 2, manifest.added_snapshot_id)
    assert numbers(after[goes.file_path]) == (2, 2, 77)
    assert [after[each.file_path].status.name for each in (stays, goes)] == ["EXISTING", "DELETED"]
    assert (made.existing, made.deleted, listed.min_sequence_number) == ([2], [2], 2)
    headers = [fastavro.reader(io.BytesIO(each)) for each in (body, made.body)]
    assert schema_of(made.body) == schema_of(body)
    metadata = [{name: v for name, v in each.metadata.items() if name != "avro.codec"} for each in headers]
    assert metadata[0] == metadata[1]


def test_a_delete_file_that_is_not_there_stops_the_commit(lake: Lake):
    append_files(lake.create(), 1)
    commit_deletes(lake.load(), delete_file(lake.load(), [(live_paths(lake.load())[0], 0)]))
    view = lake.open()._view
    (manifest,) = (each for each in view.manifests(view.head) if each.content == ManifestContent.DELETES)
    body = Path(manifest.manifest_path.removeprefix("file://")).read_bytes()
    with pytest.raises(Fatal, match="1 delete files are to go, 0 are live"):
        without(body, {("another", None, None)}, manifest=manifest, snapshot_id=77, codec="null")
