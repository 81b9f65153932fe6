"""Rewrites of manifests: fewer of them, ordered by partition, with every entry as it was written."""

import json
import math
import time
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.expressions import EqualTo
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestEntry, ManifestFile
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    UUIDType,
)

from engine.domain.errors import CommitConflict, OutcomeUnknown, TableUnreadable
from engine.formats.base import SnapshotProof
from engine.formats.iceberg.manifests import reading
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout, cut
from engine.formats.iceberg.upkeep.manifests import plans as manifest_plans
from engine.formats.intake.avro.blocks import readable, schema_of, with_schema
from tests.support.iceberg_tables import (
    BY_CITY,
    RUN_ID,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    ids_of,
    intercept_commits,
    live_paths,
    local_files,
    nothing,
)

CITIES = ("Aachen", "Bonn", "Celle")


def head_of(table: Table) -> Snapshot:
    found = table.current_snapshot()
    assert found is not None
    return found


def manifests_of(table: Table, content: ManifestContent = ManifestContent.DATA) -> list[ManifestFile]:
    return [each for each in head_of(table).manifests(table.io) if each.content == content]


def entries_of(table: Table) -> dict[str, tuple[Any, ...]]:
    """Return what an entry of each live file must keep, by path: its numbers, and its data file as stored."""
    found: dict[str, tuple[Any, ...]] = {}
    for manifest in head_of(table).manifests(table.io):
        body = readable(Path(manifest.manifest_path.removeprefix("file://")).read_bytes())
        layout = EntryLayout.of(schema_of(body))
        assert layout is not None
        entries = manifest.fetch_manifest_entry(table.io, discard_deleted=False)
        for entry, data in zip(entries, cut(body, layout), strict=True):
            if entry.status.name != "DELETED":
                found[entry.data_file.file_path] = (*numbers(entry), bytes(data))
    return found


def avro_files(table: Table) -> set[str]:
    """Return the names of the table's manifests and manifest lists as stored."""
    return {name for name in local_files(Path(table.location().removeprefix("file://"))) if name.endswith(".avro")}


def numbers(entry: ManifestEntry) -> tuple[int | None, int | None, int | None]:
    return entry.snapshot_id, entry.sequence_number, entry.file_sequence_number


def rewrite(lake: Lake, before_try: Callable[[], None] = nothing, *, attempt: int = 1) -> SnapshotProof | None:
    """Rewrite the manifests of the table, and prove it; None if there was nothing to do."""
    opened = lake.open()
    snapshot_id = opened.manifest_rewrite.commit(RUN_ID, attempt, before_try=before_try).snapshot_id
    if snapshot_id is None:
        return None
    proof = lake.open().manifest_rewrite.prove(snapshot_id)
    assert all(each.holds for each in proof.checks), [each for each in proof.checks if not each.holds]
    by_digests = opened.manifest_rewrite.prove(snapshot_id)
    assert by_digests.checks == proof.checks
    assert without_seconds(by_digests) == without_seconds(proof)
    return proof


def without_seconds(proof: SnapshotProof) -> Any:
    assert proof.figures is not None
    return {**proof.figures.document(), "manifest_read_seconds": None}


def three_cities(lake: Lake, *, properties: dict[str, str] | None = None) -> Table:
    """A table with six manifests, two of each partition."""
    table = lake.create(spec=BY_CITY, properties=properties)
    for number, city in enumerate(CITIES * 2):
        append_files(table, 1, first=number * 10, city=city)
    return lake.load()


def declare(table: Table, files: Sequence[DataFile]) -> None:
    """Append files that are not there: only their entries matter."""
    with table.transaction() as change, change.update_snapshot().fast_append() as update:
        for file in files:
            update.append_data_file(file)


def declared(table: Table, partition: Record, number: int) -> DataFile:
    made = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"{table.location()}/data/{uuid.uuid4()}-{number}.parquet",
        file_format=FileFormat.PARQUET,
        partition=partition,
        record_count=number + 1,
        file_size_in_bytes=1000 + number,
        column_sizes={1: number},
        lower_bounds={1: number.to_bytes(8, "little")},
        upper_bounds={1: uuid.uuid4().bytes},
        split_offsets=[4],
    )
    made.spec_id = table.metadata.default_spec_id
    return made


def test_l21_small_manifests_become_one_and_every_entry_stays_as_it_was_written(lake: Lake) -> None:
    before = three_cities(lake)
    entries, rows = entries_of(before), ids_of(before)
    plan = lake.open().manifest_rewrite.plan()
    assert (plan.manifests, plan.rewritten, plan.added, plan.saved) == (6, 6, 1, 5)
    proof = rewrite(lake)
    table = lake.load()
    (manifest,) = manifests_of(table)
    assert entries_of(table) == entries
    assert ids_of(table) == rows
    assert [len(table.scan(EqualTo("city", city)).to_arrow()) for city in CITIES] == [20, 20, 20]
    assert (manifest.existing_files_count, manifest.existing_rows_count, manifest.min_sequence_number) == (6, 60, 1)
    assert proof is not None
    assert proof.figures is not None
    assert (proof.figures.rewritten, proof.figures.added, proof.figures.entries) == (6, 1, 6)
    assert (proof.figures.manifests_before, proof.figures.manifests_after) == (6, 1)


def test_manifests_whose_headers_spell_one_schema_differently_become_one_as_planned(lake: Lake) -> None:
    """The order of keys in JSON means nothing: without this the plan said one manifest, and two were written."""
    table = three_cities(lake)
    before = entries_of(table)
    for manifest in manifests_of(table)[::2]:
        path = Path(manifest.manifest_path.removeprefix("file://"))
        stored = path.read_bytes()
        schema = json.loads(schema_of(stored), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        path.write_bytes(with_schema(stored, json.dumps(schema).encode()))
        assert (path.stat().st_size, schema_of(path.read_bytes())) == (len(stored), json.dumps(schema).encode())
    plan = lake.open().manifest_rewrite.plan()
    proof = rewrite(lake)
    assert proof is not None
    assert proof.figures is not None
    assert (plan.rewritten, plan.added) == (proof.figures.rewritten, proof.figures.added) == (6, 1)
    assert entries_of(lake.load()) == before


def test_the_snapshot_has_its_run_and_the_totals_of_its_parent(lake: Lake) -> None:
    before = head_of(three_cities(lake)).summary
    rewrite(lake)
    summary = head_of(lake.load()).summary
    assert summary.operation.value == "replace"
    own = {"packhouse.run-id", "packhouse.attempt", "manifests-created", "manifests-kept", "manifests-replaced"}
    totals = {name: before[name] for name in before.additional_properties if name.startswith("total-")}
    assert totals.items() <= summary.additional_properties.items()
    assert {name for name in summary.additional_properties if not name.startswith("total-")} == own
    assert [each.snapshot_id for each in lake.open().commits.find(RUN_ID)] == [
        lake.load().current_snapshot().snapshot_id
    ]


def test_a_rewritten_table_has_nothing_to_rewrite(lake: Lake) -> None:
    three_cities(lake)
    rewrite(lake)
    location = lake.load().metadata_location
    assert lake.open().manifest_rewrite.plan().rewritten == 0
    assert rewrite(lake, attempt=2) is None
    assert lake.load().metadata_location == location


def test_entries_of_deleted_files_are_left_out_and_older_snapshots_keep_them(lake: Lake) -> None:
    table = three_cities(lake)
    old = head_of(table).snapshot_id
    table.delete(EqualTo("city", "Bonn"))
    rows = ids_of(lake.load())
    rewrite(lake)
    table = lake.load()
    assert (len(entries_of(table)), ids_of(table), len(rows)) == (4, rows, 40)
    assert len(table.scan(snapshot_id=old).to_arrow()) == 60
    assert sum(each.deleted_files_count or 0 for each in manifests_of(table)) == 0


def test_manifests_of_deletes_are_merged_and_apply_to_the_same_rows(lake: Lake) -> None:
    three_cities(lake)
    for path in live_paths(lake.load())[:3]:
        city = next(each for each in CITIES if each in path)
        commit_deletes(lake.load(), delete_file(lake.load(), [(path, 2)], partition=Record(city), aimed=True))
    before = lake.load()
    rows, entries = ids_of(before), entries_of(before)
    rewrite(lake)
    table = lake.load()
    assert (len(manifests_of(table)), len(manifests_of(table, ManifestContent.DELETES))) == (1, 1)
    assert (ids_of(table), len(rows)) == (rows, 57)
    assert entries_of(table) == entries


@pytest.mark.parametrize("upgraded", [False, True])
def test_tables_of_version_one_and_upgraded_ones(lake: Lake, upgraded: bool) -> None:
    three_cities(lake, properties={"format-version": "1"})
    if upgraded:
        with lake.load().transaction() as change:
            change.upgrade_table_version(2)
        append_files(lake.load(), 2, first=100, city="Bonn")
    before = lake.load()
    rows, count = ids_of(before), len(live_paths(before))
    rewrite(lake)
    table = lake.load()
    assert (ids_of(table), len(live_paths(table))) == (rows, count)
    assert len(manifests_of(table)) == (2 if upgraded else 1), "schemas of entries differ"
    assert rewrite(lake, attempt=2) is None
    path = live_paths(table)[0]
    if upgraded:
        city = next(each for each in CITIES if each in path)
        commit_deletes(table, delete_file(table, [(path, 0)], partition=Record(city)))
        assert len(ids_of(lake.load())) == len(rows) - 1


def test_manifests_of_each_partition_spec_stay_apart(lake: Lake) -> None:
    append_files(lake.create(), 3)
    with lake.load().update_spec() as update:
        update.add_field("city", IdentityTransform(), "city")
    append_files(lake.load(), 3, first=100, city="Bonn")
    rows = ids_of(lake.load())
    rewrite(lake)
    table = lake.load()
    assert sorted(each.partition_spec_id for each in manifests_of(table)) == [0, 1]
    assert ids_of(table) == rows


def test_a_huge_manifest_is_split_by_partition(lake: Lake) -> None:
    """Readers with a filter on the partition then skip most of the pieces."""
    table = lake.create(spec=BY_CITY, properties={manifest_plans.TARGET: str(64 * 2**10)})
    files = [declared(table, Record(f"city {number % 40:02}"), number) for number in range(6000)]
    declare(table, files)
    before = entries_of(lake.load())
    plan = lake.open().manifest_rewrite.plan()
    assert (plan.manifests, plan.rewritten) == (1, 1)
    rewrite(lake)
    table = lake.load()
    pieces = manifests_of(table)
    assert entries_of(table) == before
    assert 4 < len(pieces) <= plan.added, "one block holds many entries, so that they are stored in less"
    assert max(each.manifest_length for each in pieces) < manifest_plans.HUGE * 64 * 2**10
    hits = [each for each in pieces if each.partitions[0].lower_bound <= b"city 07" <= each.partitions[0].upper_bound]
    assert len(hits) <= 2
    assert len(list(table.scan(EqualTo("city", "city 07")).plan_files())) == 150
    assert rewrite(lake, attempt=2) is None


UUIDS = [uuid.UUID(int=each) for each in (1, 1 << 63, 1 << 127, (1 << 128) - 1, 7)]
PARTITIONS: list[tuple[IcebergType, list[Any]]] = [
    (DateType(), [-1, 0, 20_000, None]),
    (TimestampType(), [-1, 0, 1_767_225_600_000_000, None]),
    (DecimalType(38, 10), [Decimal(f"{each}.0000000001") for each in (-1, 0, 12345678901234567890)]),
    (UUIDType(), [*UUIDS, None]),
    (BinaryType(), [b"", b"\x00\xff", b"\xff", None]),
    (StringType(), ["", "ä/ =%", "\U0001f600", None]),
    (DoubleType(), [-math.inf, -0.0, 0.0, 1.5, math.inf, math.nan, None]),
    (LongType(), [-(2**63), 2**63 - 1, 0, None]),
]


@pytest.mark.parametrize(
    ("of", "values"), PARTITIONS, ids=lambda each: str(each) if isinstance(each, IcebergType) else ""
)
def test_partitions_of_every_type_are_enclosed_by_the_new_manifests(
    lake: Lake, of: IcebergType, values: list[Any]
) -> None:
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "part", of))
    table = lake.create(schema=schema, spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "part")))
    for number, value in enumerate(values * 3):
        declare(lake.load(), [declared(table, Record(value), number)])
    before = entries_of(lake.load())
    proof = rewrite(lake)
    assert proof is not None
    assert {each.name: each.holds for each in proof.checks}["manifests_enclose_partitions"]
    assert entries_of(lake.load()) == before
    signs = 5 if isinstance(of, UUIDType) else 1  # readers order uuids of different signs differently
    assert len(manifests_of(lake.load())) == signs
    assert rewrite(lake, attempt=2) is None


def test_files_of_an_append_in_between_are_kept_and_nothing_is_written_twice(lake: Lake) -> None:
    table = three_cities(lake)
    tries: list[int] = []

    def append() -> None:
        tries.append(len(avro_files(table)))
        if len(tries) < 4:
            append_files(lake.load(), 1, first=len(tries) * 1000, city="Bonn")

    assert rewrite(lake, append) is not None
    after = lake.load()
    assert (len(tries), len(ids_of(after)), len(manifests_of(after))) == (4, 90, 4)
    growth = [later - earlier for earlier, later in pairwise(tries)]
    assert growth == [2, 2, 2], "an append writes a manifest and a list; a refused list is deleted"
    assert rewrite(lake, attempt=2) is not None
    assert len(manifests_of(lake.load())) == 1


def test_manifests_that_another_writer_replaced_are_merged_again(lake: Lake) -> None:
    table = three_cities(lake)
    left = [1]

    def replace() -> None:
        if left and left.pop():
            lake.load().delete(EqualTo("city", "Bonn"))

    assert rewrite(lake, replace) is not None
    after = lake.load()
    assert (len(ids_of(after)), len(manifests_of(after))) == (40, 1)
    listed = {
        path
        for snapshot in after.snapshots()
        for path in [snapshot.manifest_list, *(each.manifest_path for each in snapshot.manifests(after.io))]
    }
    assert avro_files(table) == {path.rpartition("/")[2] for path in listed}, "no file of the first try is left"


def test_a_refused_commit_leaves_nothing_behind(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = three_cities(lake)
    before = avro_files(table)
    opened = lake.open()

    def refuse(*_: Any) -> None:
        with lake.load().transaction() as other:
            other.set_properties(at=str(time.time_ns()))
        raise CommitFailedException("another commit was faster")

    intercept_commits(opened, refuse)
    monkeypatch.setattr("engine.formats.iceberg.commits.tries._LONGEST_WAIT_SECONDS", 0.0)
    with pytest.raises(CommitConflict, match="lost 16 races"):
        opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert avro_files(table) == before


def test_files_of_a_commit_that_may_still_land_are_kept(lake: Lake) -> None:
    table = three_cities(lake)
    before = avro_files(table)
    opened = lake.open()

    def lose(*_: Any) -> None:
        raise ConnectionError("the answer was lost")

    intercept_commits(opened, lose)
    with pytest.raises(OutcomeUnknown):
        opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert len(avro_files(table) - before) == 2
    assert lake.open().manifest_rewrite.remove(RUN_ID, up_to_attempt=1) == 2
    assert avro_files(table) == before


@pytest.mark.parametrize("target", ["0", "-1", "1", "9" * 30, "8 MB", "", "nan"])
def test_a_target_that_is_no_size_does_no_harm(lake: Lake, target: str) -> None:
    three_cities(lake, properties={manifest_plans.TARGET: target})
    rewrite(lake)
    assert len(manifests_of(lake.load())) == 1
    assert rewrite(lake, attempt=2) is None


def test_a_table_that_was_replaced_or_upgraded_is_left_alone(lake: Lake) -> None:
    three_cities(lake)
    opened = lake.open()
    lake.catalog.drop_table(("sales", "orders"))
    three_cities(lake)
    with pytest.raises(CommitConflict, match="the table was replaced"):
        opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert len(manifests_of(lake.load())) == 6


def test_a_damaged_manifest_names_itself_and_nothing_is_written(lake: Lake) -> None:
    table = three_cities(lake)
    before = avro_files(table)
    damaged = manifests_of(table)[2].manifest_path
    Path(damaged.removeprefix("file://")).write_bytes(b"no Avro")
    with pytest.raises(TableUnreadable, match=Path(damaged).name):
        lake.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert avro_files(table) == before


@pytest.mark.parametrize("which", ["replaced", "new"])
def test_a_manifest_that_changed_after_it_was_read_is_decoded_by_the_proof(lake: Lake, which: str) -> None:
    """The proof compares what the store has, not what the rewrite remembers."""
    table = three_cities(lake)
    opened = lake.open()
    snapshot_id = opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id
    assert snapshot_id is not None
    (new,) = manifests_of(lake.load())
    changed = Path((new if which == "new" else manifests_of(table)[0]).manifest_path.removeprefix("file://"))
    body = readable(changed.read_bytes())
    changed.write_bytes(body.replace(b".parquet", b".Parquet", 1))
    failed = [each.name for each in opened.manifest_rewrite.prove(snapshot_id).checks if not each.holds]
    assert failed == ["same_live_files"]
    changed.write_bytes(body)  # the same entries in other bytes
    assert all(each.holds for each in opened.manifest_rewrite.prove(snapshot_id).checks)
    changed.write_bytes(body[:-20])
    with pytest.raises(TableUnreadable, match=changed.name):
        opened.manifest_rewrite.prove(snapshot_id)


def test_an_unchanged_manifest_is_not_decoded_again_by_the_proof(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    three_cities(lake)
    opened = lake.open()
    snapshot_id = opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id
    assert snapshot_id is not None
    monkeypatch.setattr(reading, "read_entries", lambda *_, **__: pytest.fail("decoded"))
    monkeypatch.setattr(reading, "read_together", lambda *_, **__: pytest.fail("decoded"))
    assert all(each.holds for each in opened.manifest_rewrite.prove(snapshot_id).checks)


def test_an_empty_table_has_no_manifests(lake: Lake) -> None:
    lake.create()
    assert lake.open().manifest_rewrite.plan().manifests == 0
    assert lake.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id is None


def test_entries_with_fields_that_are_not_known_stay_where_they_are(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_cities(lake)
    monkeypatch.setattr(EntryLayout, "of", classmethod(lambda *_: None))
    assert lake.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id is None


def test_no_more_is_taken_than_fits_the_memory(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = three_cities(lake)
    monkeypatch.setattr(manifest_plans, "MOST_BYTES", sum(each.manifest_length for each in manifests_of(table)[:4]))
    rows = ids_of(table)
    counts = []
    for attempt in range(1, 6):
        if rewrite(lake, attempt=attempt) is None:
            break
        counts.append(len(manifests_of(lake.load())))
    assert counts[-1] == 1
    assert len(counts) > 1
    assert ids_of(lake.load()) == rows
