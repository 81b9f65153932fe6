"""Entries are moved as bytes to merged manifests, whoever wrote them; damaged ones are moved as read, or refused."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.formats.iceberg.manifests.decoding import DELETED, EXISTING, read_entries
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout, cut, data_files
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.upkeep.manifests import merging as manifest_merging
from engine.formats.iceberg.upkeep.manifests.entries import comparable
from engine.formats.iceberg.upkeep.manifests.merging import ManifestMerge, MergedManifest, Sources
from engine.formats.intake.avro.blocks import block_in, container, metadata_of, readable, schema_of
from engine.formats.intake.limits import Malformed
from tests.integration.iceberg.test_entry_frames import TYPES, manifest, spec_of
from tests.support.foreign_avro import edited, foreign

NUMBER, SNAPSHOT = 9, 8
EIGHT_MIB = 8 * 2**20


def sources_of(bodies: Sequence[bytes], codec: PartitionCodec) -> Sources:
    """Return manifests of one schema as a manifest list names them, which has no sequence numbers in version 1."""
    number = NUMBER if version_of(bodies[0]) == 2 else 0
    listed = [
        ManifestFile.from_args(
            manifest_path=f"s3://lake/{at}.avro", partition_spec_id=0, content=ManifestContent.DATA,
            sequence_number=number, min_sequence_number=0, added_snapshot_id=SNAPSHOT,
        )
        for at, _ in enumerate(bodies)
    ]  # fmt: skip
    return Sources.of(listed, bodies, codec)


def version_of(body: bytes) -> int:
    return int(metadata_of(body)["format-version"])


def layout_of(body: bytes) -> EntryLayout:
    found = EntryLayout.of(schema_of(body))
    assert found is not None
    return found


def merged(sources: Sources, codec: PartitionCodec) -> list[MergedManifest]:
    layout = layout_of(sources.bodies[0])
    return ManifestMerge(sources, layout, codec, version_of(sources.bodies[0]), "deflate").merged(EIGHT_MIB)


def moved(sources: Sources, made: Sequence[MergedManifest], codec: PartitionCodec) -> tuple[Any, Any]:
    """Return the data files of live entries before and after, as they are stored."""
    before = [
        bytes(file)
        for body in sources.bodies
        for file, entry in zip(
            cut(body, layout_of(body)), read_entries(body, codec=codec, with_targets=False).to_pylist(), strict=True
        )
        if entry["status"] != DELETED
    ]
    after = [bytes(file) for each in made for file in cut(readable(each.body), layout_of(readable(each.body)))]
    return sorted(before), sorted(after)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_entries_keep_their_bytes_whoever_wrote_them(tmp_path: Path, data: st.DataObject, chance: Random) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(TYPES)), max_size=2, unique=True))
    version: Literal[1, 2] = data.draw(st.sampled_from([1, 2]))
    compression: Literal["null", "deflate", "zstd"] = data.draw(st.sampled_from(["null", "deflate", "zstd"]))
    values = st.tuples(*(TYPES[name][2] for name in names))
    rows = data.draw(st.lists(values, min_size=1, max_size=12))
    spec, schema = spec_of(names)
    codec = PartitionCodec(spec=spec, schema=schema)
    body = manifest(tmp_path, rows, spec, schema, version=version, codec=compression)
    sources = sources_of([foreign(body, chance) if chance.random() < 0.7 else body] * 2, codec)
    files = data_files(sources.bodies, sources.counts, sources.written, layout_of(sources.bodies[0]))
    exact = [bytes(file) for each in sources.bodies for file in cut(each, layout_of(each))]
    assert [bytes(file) for file in files] == exact
    made = merged(sources, codec)
    before, after = moved(sources, made, codec)
    assert before == after
    live = sources.entries.filter([status != DELETED for status in sources.entries["status"].to_pylist()])
    assert sum(each.files for each in made) == live.num_rows
    for each in made:
        found = read_entries(readable(each.body), codec=codec, with_targets=False)
        assert set(found["status"].to_pylist()) == {EXISTING}
        if version == 2:
            assert set(found["sequence_number"].to_pylist()) <= {5, NUMBER}


def test_bytes_that_look_like_the_next_entry_are_not_taken_for_it(tmp_path: Path) -> None:
    """A bound of the first file has the bytes that the second entry begins with."""
    spec, schema = spec_of([])
    codec = PartitionCodec(spec=spec, schema=schema)
    body = manifest(tmp_path, [()] * 3, spec, schema)
    first, path = bytes(cut(body, layout_of(body))[0]), b"/1.parquet"
    begin = body.index(first) + len(first)
    beginning = body[begin : body.index(path, begin) + len(path)]

    def lay_trap(records: list[Any]) -> None:
        records[0]["data_file"]["lower_bounds"][0]["value"] = b"x" + beginning + b"x"

    sources = sources_of([edited(body, lay_trap)] * 2, codec)
    layout = layout_of(sources.bodies[0])
    searched = [bytes(file) for file in data_files(sources.bodies, sources.counts, sources.written, layout)]
    assert searched != [bytes(file) for each in sources.bodies for file in cut(each, layout)]
    made = merged(sources, codec)
    before, after = moved(sources, made, codec)
    assert before == after
    assert len(after) == 4, "one of three entries is that of a deleted file"


def test_numbers_of_any_length_are_found(tmp_path: Path) -> None:
    """The specification allows numbers with needless bytes, which no known writer makes: these are decoded instead."""
    spec, schema = spec_of([])
    codec = PartitionCodec(spec=spec, schema=schema)
    body = manifest(tmp_path, [()] * 2, spec, schema)
    start, end = block_in(body)
    padded = bytes([body[start] | 0x80, 0]) + body[start + 1 : end]
    other = readable(container(schema_of(body), metadata_of(body), [(2, padded)], codec="null"))
    sources = sources_of([other, body], codec)
    before, after = moved(sources, merged(sources, codec), codec)
    assert before == after


def test_damaged_manifests_are_merged_as_they_are_read_or_refused(tmp_path: Path) -> None:
    """Bytes are changed, inserted and cut off at random: what is merged decodes to the entries that were read."""
    chance = Random(11)
    spec, schema = spec_of(["long", "string"])
    codec = PartitionCodec(spec=spec, schema=schema)
    body = manifest(tmp_path, [(1, "a"), (2, "b"), (None, "c"), (3, "d")], spec, schema)
    start, _ = block_in(body)
    refused = 0
    for _ in range(400):
        hurt = bytearray(body)
        for _ in range(chance.choice((1, 1, 4))):
            hurt[chance.randrange(start, len(hurt) - 16)] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
        if chance.random() < 0.1:
            hurt[start:start] = bytes(chance.randrange(256) for _ in range(3))
        try:
            sources = sources_of([readable(bytes(hurt)), body], codec)
            made = merged(sources, codec)
        except (Malformed, ValueError):
            refused += 1
            continue
        found = [read_entries(readable(each.body), codec=codec, with_targets=False) for each in made]
        live = sources.entries.filter([status != DELETED for status in sources.entries["status"].to_pylist()])
        assert comparable(pa.concat_tables(found).unify_dictionaries()).equals(comparable(live))
    assert 40 < refused < 360


def test_entries_that_decode_to_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, schema = spec_of([])
    codec = PartitionCodec(spec=spec, schema=schema)
    sources = sources_of([manifest(tmp_path, [()] * 2, spec, schema)] * 2, codec)
    for name in ("data_files", "cut_all"):
        kept = getattr(manifest_merging, name)
        monkeypatch.setattr(manifest_merging, name, lambda *given, kept=kept: kept(*given)[::-1])
    with pytest.raises(Malformed, match=r"s3://lake/0.avro"):
        merged(sources, codec)
