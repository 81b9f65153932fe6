"""The cache of metadata files: only files with unique names, for a limited time, in bounded memory."""

from uuid import uuid4

import pytest
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.types import LongType, NestedField

from engine.formats.iceberg.intake.metadata_files import MetadataFiles
from engine.formats.iceberg.intake.storage import HeldFiles


def body_of(location: str) -> bytes:
    schema = Schema(NestedField(1, "id", LongType(), required=False))
    made = new_table_metadata(schema, UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER, location)
    return made.model_dump_json().encode()


def location_read(files: MetadataFiles, path: str, body: bytes) -> str:
    return files.read(HeldFiles(body).new_input(path)).metadata.location


@pytest.mark.parametrize("end", ["metadata.json", "gz.metadata.json", "metadata.json.gz"])
def test_a_file_with_a_unique_name_is_read_once(end: str) -> None:
    files, path = MetadataFiles(), f"file:/t/metadata/00001-{uuid4()}.{end}"
    assert location_read(files, path, body_of("file:/first")) == "file:/first"
    assert location_read(files, path, body_of("file:/second")) == "file:/first"
    assert location_read(files, path.replace("/t/", "/u/"), body_of("file:/second")) == "file:/second"


@pytest.mark.parametrize("name", ["v1.metadata.json", "00001-abc.metadata.json", "00001.metadata.json", "x"])
def test_a_file_whose_name_may_come_again_is_read_each_time(name: str) -> None:
    files, path = MetadataFiles(), f"file:/t/{uuid4()}/metadata/{name}"
    assert location_read(files, path, body_of("file:/first")) == "file:/first"
    assert location_read(files, path, body_of("file:/second")) == "file:/second"


def test_what_is_kept_is_bounded_and_the_oldest_goes_first() -> None:
    body, new = body_of("file:/first"), body_of("file:/other")
    files = MetadataFiles(max_bytes=2 * len(body))
    paths = [f"file:/t/metadata/0000{number}-{uuid4()}.metadata.json" for number in range(3)]
    assert [location_read(files, path, body) for path in paths] == ["file:/first"] * 3
    found = [location_read(files, path, new) for path in reversed(paths)]
    assert found == ["file:/first", "file:/first", "file:/other"]


def test_what_is_kept_is_read_again_after_some_seconds() -> None:
    now = 0.0
    files = MetadataFiles(keep_seconds=30, clock=lambda: now)
    paths = [f"file:/t/metadata/00001-{uuid4()}.metadata.json" for _ in range(2)]
    assert [location_read(files, path, body_of("file:/first")) for path in paths] == ["file:/first"] * 2
    now = 29.9
    assert location_read(files, paths[0], body_of("file:/second")) == "file:/first"
    now = 30.0
    assert location_read(files, paths[0], body_of("file:/second")) == "file:/second"
    assert list(files._kept) == paths[:1]  # what is too old is dropped with the next read


def test_a_file_larger_than_the_bound_is_not_kept() -> None:
    files, path = MetadataFiles(max_bytes=10), f"file:/t/metadata/00001-{uuid4()}.metadata.json"
    assert location_read(files, path, body_of("file:/first")) == "file:/first"
    assert location_read(files, path, body_of("file:/second")) == "file:/second"


def test_what_can_not_be_parsed_is_not_kept() -> None:
    files, path = MetadataFiles(), f"file:/t/metadata/00001-{uuid4()}.metadata.json"
    with pytest.raises(ValidationError):
        location_read(files, path, b"{")
    assert location_read(files, path, body_of("file:/second")) == "file:/second"
