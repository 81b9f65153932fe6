"""Small manifests that are decoded together give what each gives alone, and a damaged one harms no other's rows."""

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.formats.iceberg.catalog.file_access import GuardedFileIO
from engine.formats.iceberg.intake.storage import AvroFiles
from engine.formats.iceberg.manifests import reading
from engine.formats.iceberg.manifests.batches import read_together
from engine.formats.iceberg.manifests.decoding import read_entries
from engine.formats.iceberg.manifests.reading import ManifestReader
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.intake.avro import blocks as avro_blocks
from engine.formats.intake.avro.blocks import joined, records_in
from engine.formats.intake.caches import ManifestCache
from engine.formats.intake.outside_files import PathSummary
from engine.rewriting.kernel.storage.places import AllowedFolders
from tests.integration.iceberg.test_entry_frames import TYPES, manifest, spec_of


def bodies_of(folder: Path, names: Sequence[str], sizes: Sequence[int]) -> tuple[list[bytes], PartitionCodec]:
    spec, schema = spec_of(names)
    values = {"string": "a", "long": 1, "boolean": True, "date": 3, "day": 3, "bucket": 2}
    made = [
        manifest(
            folder, [[values.get(name) if n % 2 else None for name in names] for n in range(size or 1)], spec, schema
        )
        for size in sizes
    ]
    made = [body if size else without_entries(body) for body, size in zip(made, sizes, strict=True)]
    return made, PartitionCodec(spec=spec, schema=schema)


def without_entries(body: bytes) -> bytes:
    """Return a manifest's header alone, as some writers leave it."""
    return body[: avro_blocks._read_header(body)[2]]


@pytest.mark.parametrize("names", [[], ["string"], ["date", "bucket"], ["long", "boolean", "day"]])
@pytest.mark.parametrize("sizes", [[1], [0], [0, 0], [3, 1, 0, 2], [0, 5, 0], [1] * 40])
def test_each_has_its_own_entries(tmp_path: Path, names: list[str], sizes: list[int]) -> None:
    bodies, codec = bodies_of(tmp_path, names, sizes)
    together = read_together(bodies, codec=codec)
    assert together is not None
    for body, found in zip(bodies, together, strict=True):
        alone = read_entries(body, codec=codec, with_targets=False)
        assert (found.schema, found.to_pylist()) == (alone.schema, alone.to_pylist())
        own = set(found["partition"].cast(pa.string()).to_pylist())
        assert {text for chunk in found["partition"].chunks for text in chunk.dictionary.to_pylist()} == own
    assert [records_in(body) for body in bodies] == sizes
    assert read_entries(joined(bodies), codec=codec, with_targets=False).num_rows == sum(sizes)


def test_values_that_only_the_other_reader_takes_are_not_read_together(tmp_path: Path) -> None:
    spec, schema = spec_of(["uuid"])
    assert not TYPES["uuid"][3]
    bodies = [manifest(tmp_path, [[None]], spec, schema) for _ in range(3)]
    assert read_together(bodies, codec=PartitionCodec(spec=spec, schema=schema)) is None


def listed(folder: Path, stored: Sequence[bytes], spec_id: int = 0, content: Any = ManifestContent.DATA) -> list[Any]:
    found = []
    for number, body in enumerate(stored):
        path = folder / f"stored-{number}.avro"
        path.write_bytes(body)
        found.append(
            ManifestFile.from_args(
                manifest_path=str(path), manifest_length=len(body), partition_spec_id=spec_id, content=content,
                sequence_number=9, min_sequence_number=1, added_snapshot_id=8,
            )
        )  # fmt: skip
    return found


def reader_of(folder: Path, codec: PartitionCodec) -> ManifestReader:
    places = AllowedFolders([str(folder), "s3://lake"])
    io = AvroFiles(GuardedFileIO({}, places=places))
    return ManifestReader(io=io, codecs={0: codec}, cache=ManifestCache(), places=places)


def outcome(read: Any) -> Any:
    """Return the entries, or the error's type and text."""
    try:
        return read().combine_chunks().to_pylist()
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return type(error).__name__


def test_schemas_of_two_versions_and_cached_ones_are_read_in_their_order(tmp_path: Path) -> None:
    old, codec = bodies_of(tmp_path, ["date"], [2, 1])
    spec, schema = spec_of(["date"])
    first_version = [manifest(tmp_path, [[7]], spec, schema, version=1) for _ in range(2)]
    stored = [old[0], first_version[0], old[1], first_version[1]]
    reader = reader_of(tmp_path, codec)
    manifests = listed(tmp_path, stored)
    reader.entries(manifests[2])
    alone = [reader_of(tmp_path, codec).entries(each).to_pylist() for each in manifests]
    for _ in range(2):
        assert [table.to_pylist() for table in reader.each(manifests)] == alone


def test_a_damaged_manifest_gives_the_same_whether_read_alone_or_with_others(tmp_path: Path) -> None:
    """Bytes of one of five manifests are changed at random; the others keep their rows, or the same error is raised."""
    chance, turns = random.Random(5), 300 if os.environ.get("PACKHOUSE_DEEP") else 60
    bodies, codec = bodies_of(tmp_path, ["date", "bucket"], [2, 3, 1, 2, 4])
    raised = 0
    for _ in range(turns):
        place = chance.randrange(5)
        hurt = bytearray(bodies[place])
        for _ in range(chance.choice((1, 1, 3))):
            hurt[chance.randrange(len(hurt) // 2, len(hurt))] = chance.randrange(256)
        if chance.random() < 0.2:
            del hurt[chance.randrange(len(hurt)) :]
        manifests = listed(tmp_path, [*bodies[:place], bytes(hurt), *bodies[place + 1 :]])
        alone = [outcome(lambda one=one: reader_of(tmp_path, codec).entries(one)) for one in manifests]
        try:
            together: Any = [t.combine_chunks().to_pylist() for t in reader_of(tmp_path, codec).each(manifests)]
        except Exception as error:  # noqa: BLE001 - compared as well
            together, raised = type(error).__name__, raised + 1
        if isinstance(together, str):
            assert together in alone
        else:
            assert together == alone
    assert 0 < raised < turns


def test_only_what_may_be_read_is(tmp_path: Path) -> None:
    bodies, codec = bodies_of(tmp_path, ["date"], [1, 1, 1])
    manifests = listed(tmp_path, bodies)
    reader = ManifestReader(
        io=reader_of(tmp_path, codec).io,
        codecs={0: codec},
        cache=ManifestCache(),
        places=AllowedFolders(["/elsewhere"]),
    )
    with pytest.raises(Exception, match="outside_files"):
        reader.each(manifests)


def test_large_ones_are_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies, codec = bodies_of(tmp_path, ["date"], [1, 1, 1])
    monkeypatch.setattr(reading, "_SMALL_BYTES", 10)
    monkeypatch.setattr(reading, "read_together", lambda *_, **__: pytest.fail("read together"))
    assert len(reader_of(tmp_path, codec).each(listed(tmp_path, bodies))) == 3


def test_paths_of_manifests_that_were_decoded_together_are_judged_apart() -> None:
    """They share a buffer: reading all of it for each took 20 s of CPU for 1,000 manifests."""
    paths = pa.chunked_array([pa.array(["s3://b/t/a", "s3://b/t/../x", "s3://b/t/c"])])
    assert [PathSummary.of(paths.slice(at, 1)).is_plain for at in range(3)] == [True, False, True]
    assert not PathSummary.of(paths).is_plain
