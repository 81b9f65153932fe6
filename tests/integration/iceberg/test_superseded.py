"""Bytes that only some snapshots need, by the summaries of snapshots: never too few, exact on one line of commits."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.sorting import SortOrder
from pyiceberg.types import LongType, NestedField

from engine.formats.iceberg.metadata.superseded import MOST_BYTES, history_bytes, superseded_bytes
from tests.support.expired_files import needed
from tests.support.iceberg_tables import BY_CITY, Lake, append_files, orders

SCHEMA = Schema(NestedField(1, "id", LongType()))


def metadata_of(snapshots: list[dict[str, Any]], head: int | None = None) -> TableMetadata:
    """Return the metadata of a table with snapshots, each given by id, parent and summary."""
    made = [
        Snapshot(
            snapshot_id=each["id"],
            parent_snapshot_id=each["parent"],
            sequence_number=at,
            timestamp_ms=at,
            manifest_list="file:///list",
            summary=Summary(Operation.OVERWRITE, **each["summary"]),
        )
        for at, each in enumerate(snapshots, 1)
    ]
    return TableMetadataV2(
        location="file:///table",
        last_column_id=1,
        schemas=[SCHEMA],
        current_schema_id=0,
        partition_specs=[PartitionSpec()],
        sort_orders=[SortOrder()],
        snapshots=made,
        last_sequence_number=len(made),
        current_snapshot_id=head,
    )


def grown(seed: int) -> tuple[list[dict[str, Any]], dict[int, dict[int, int]]]:
    """Return a random tree of snapshots, and the live files of each: their sizes by number."""
    chance, live, made = random.Random(seed), dict[int, dict[int, int]](), []
    for number in range(1, chance.randint(2, 14)):
        branches = chance.random() < 0.2
        parent = None if not live else (chance.choice(list(live)) if branches else number - 1)
        had = live.get(parent or 0, {})
        removed = {each for each in had if chance.random() < 0.3}
        added = {number * 100 + at: chance.randint(1, 99) for at in range(chance.randint(0, 4))}
        live[number] = {each: size for each, size in had.items() if each not in removed} | added
        sums = {"added-files-size": sum(added.values()), "removed-files-size": sum(had[each] for each in removed)}
        summary = {name: str(size) for name, size in sums.items() if size}
        made.append(
            {"id": number, "parent": parent, "summary": summary | {"total-files-size": str(sum(live[number].values()))}}
        )
    return made, live


def only_in(live: dict[int, dict[int, int]], gone: set[int]) -> int:
    """Return the bytes of the files that only these snapshots have."""
    kept = {each for at, files in live.items() if at not in gone for each in files}
    return sum({each: size for at in gone for each, size in live[at].items() if each not in kept}.values())


@given(st.integers(0, 10**9), st.data())
def test_the_bytes_are_never_too_few(seed: int, data: st.DataObject) -> None:
    made, live = grown(seed)
    lost = data.draw(
        st.sets(st.sampled_from(sorted(live)), max_size=2), label="gaps: expired before, with no file gone"
    )
    left = [each for each in made if each["id"] not in lost]
    gone = data.draw(st.sets(st.sampled_from(sorted(live))), label="to expire") - lost
    remaining = {at: files for at, files in live.items() if at not in lost}
    assert superseded_bytes(metadata_of(left), gone) >= only_in(remaining, gone)


@given(st.integers(0, 10**9), st.integers(0, 20))
def test_the_bytes_of_the_oldest_snapshots_of_one_line_are_exact(seed: int, count: int) -> None:
    made, live = grown(seed)
    if any(each["parent"] not in (None, each["id"] - 1) for each in made):
        made, live = made[:1], {1: live[1]}
    gone = set(sorted(live)[: min(count, len(live) - 1)])
    assert superseded_bytes(metadata_of(made), gone) == only_in(live, gone)


@pytest.mark.parametrize("text", ["", "-5", "9" * 30, "1e9", "٣", "no number", "0x10"])
def test_a_summary_that_is_no_count_counts_as_nothing(text: str) -> None:
    made = [{"id": 1, "parent": None, "summary": {}}, {"id": 2, "parent": 1, "summary": {"removed-files-size": text}}]
    assert superseded_bytes(metadata_of(made), {1}) == 0


def test_sums_beyond_what_json_keeps_are_cut() -> None:
    made = [{"id": 1, "parent": None, "summary": {}}]
    made += [{"id": at, "parent": at - 1, "summary": {"removed-files-size": "9" * 18}} for at in range(2, 30)]
    assert superseded_bytes(metadata_of(made), set(range(1, 29))) == MOST_BYTES


def test_snapshots_that_are_their_own_ancestors_end() -> None:
    made = [{"id": 1, "parent": 2, "summary": {"removed-files-size": "3"}}, {"id": 2, "parent": 1, "summary": {}}]
    assert superseded_bytes(metadata_of(made), {2}) == 3


def test_a_table_without_snapshots_has_no_history() -> None:
    assert history_bytes(metadata_of([])) == 0


def on_disk(table: Table, paths: set[str]) -> int:
    data = [each for each in paths if each.endswith(".parquet")]
    return sum(Path("/" + each.removeprefix("file:").lstrip("/")).stat().st_size for each in data)


def test_the_history_of_a_written_table_is_what_its_head_does_not_need(lake: Lake) -> None:
    table = lake.create(spec=BY_CITY)
    for number, city in enumerate(("Aachen", "Bonn")):
        append_files(table, 4, first=1000 * number, city=city)
    table.overwrite(orders(range(5000, 5020), city="Aachen"), overwrite_filter=EqualTo("city", "Aachen"))
    table.delete("city == 'Bonn' and id < 1015")
    every = needed(lake.load())
    head = {
        task.file.file_path.removeprefix("file://").removeprefix("file:") for task in lake.load().scan().plan_files()
    }
    old = {each for each in every if each.removeprefix("file://").removeprefix("file:") not in head}
    assert lake.open().figures().history_bytes == on_disk(table, old) > 0


def test_a_tag_keeps_what_its_snapshot_needs_out_of_the_history(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 3)
    head = lake.load().current_snapshot()
    assert head is not None
    lake.load().delete("id >= 0")
    assert lake.open().figures().history_bytes > 0
    lake.load().manage_snapshots().create_tag(head.snapshot_id, "keep").commit()
    assert lake.open().figures().history_bytes == 0
