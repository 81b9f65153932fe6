"""What a view of a Paimon table has: identity, options, schema, history, times of files, and later versions of it."""

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.domain.clock import SystemClock
from engine.domain.errors import CommitConflict, NotEligible, NotFound
from engine.domain.tables.predicates import Comparison, Op
from engine.domain.tables.table import OutsideFiles, TableRef
from engine.formats.base import Engine, FileScope, SnapshotKind, TableColumn
from engine.formats.paimon.connection import PaimonFormat
from engine.planning.plans.predicates import select_partitions
from engine.services.operations.tasks.credentials import TaskCredentials
from tests.support.eventually import eventually
from tests.support.paimon.edits import edit_json
from tests.support.paimon.lakes import PaimonLake

DAY = [("id", "BIGINT"), ("day", "DATE"), ("part", "DECIMAL(9, 2)"), ("value", "DOUBLE")]
KEYED = {"partition_keys": ["day"], "primary_keys": ["id", "day"]}


def rows(day: str, count: int = 10) -> list[list[Any]]:
    return [[number, day, 1.5] for number in range(count)]


@pytest.mark.parametrize(
    ("keys", "options", "expected"),
    [
        ({}, {}, ("unaware", None, None)),
        ({}, {"bucket": "3", "bucket_key": "id"}, ("fixed", 3, None)),
        (KEYED, {"bucket": "2"}, ("fixed", 2, "deduplicate")),
        (KEYED, {"merge_engine": "first-row"}, ("dynamic", None, "first-row")),
        (KEYED, {"bucket": "-2"}, ("postpone", None, "deduplicate")),
        ({"partition_keys": ["day"], "primary_keys": ["id"]}, {}, ("cross_partition", None, "deduplicate")),
    ],
    ids=["unaware", "append, fixed", "key, fixed", "dynamic", "postpone", "across partitions"],
)
def test_options_that_decide_about_compaction_are_described(
    lake: PaimonLake, keys: dict[str, Sequence[str]], options: dict[str, str], expected: tuple[Any, ...]
) -> None:
    found = lake.create(**keys, **options).open().describe()  # type: ignore[arg-type]
    assert (found["bucket_mode"], found["buckets"], found["merge_engine"]) == expected
    assert (found["deletion_vectors"], found["changelog_producer"], found["write_only"]) == (False, "none", False)
    assert found["primary_keys"] == list(keys.get("primary_keys", ()))


def test_a_table_without_a_snapshot_is_empty(lake: PaimonLake) -> None:
    table = lake.create().open()
    assert (table.head_snapshot_id, table.digest().num_rows, table.snapshots(5)) == (None, 0, [])
    assert (table.figures().snapshot_count, table.figures().known_since_ms) == (0, None)
    assert table.pointer == "schema-0"
    lake.write(rows("a"))
    assert lake.open().pointer.startswith("schema-0 snapshot-1 ")


def test_a_change_of_the_schema_is_seen_without_a_commit(lake: PaimonLake) -> None:
    lake.create()
    lake.write(rows("a"))
    before = lake.open()
    lake.call("add_column", name="more", kind="INT")
    lake.call("set_option", name="write-only", value="true")
    after = lake.open()
    assert (before.schema_id, after.schema_id) == (0, 2)
    assert before.pointer != after.pointer
    assert after.uuid == before.uuid
    assert after.columns()[-1] == TableColumn("more", False)
    assert after.describe()["write_only"]
    assert after.digest() == before.digest()


def test_names_of_nested_columns_are_full(lake: PaimonLake) -> None:
    inner = [{"id": 4, "name": "x", "type": "INT"}, {"id": 5, "name": "y", "type": "STRING"}]
    columns: Any = [
        ("id", "BIGINT"),
        ("at", {"type": "ROW", "fields": inner}),
        ("l", {"type": "ARRAY", "element": "INT"}),
    ]
    table = lake.create(columns).open()
    assert table.column_names() == ["id", "at", "at.x", "at.y", "l"]
    assert [each.is_nested for each in table.columns()] == [False, True, True]


def test_history_says_what_each_snapshot_did(lake: PaimonLake) -> None:
    lake.create(partition_keys=["day"])
    lake.write(rows("a"))
    lake.write(rows("b"))
    lake.call("compact_unaware")
    lake.write(rows("c"))
    lake.call("compact_unaware")
    lake.call("truncate", partition={"day": "c"})
    lake.write(rows("a"))
    lake.write(rows("a"))
    lake.call("compact_unaware")
    found = lake.open().snapshots(3)
    assert [each.kind for each in found] == [SnapshotKind.REWRITE, SnapshotKind.APPEND, SnapshotKind.APPEND]
    assert [each.compactor is not None for each in found] == [True, False, False]
    kinds = {each.kind for each in lake.open().snapshots(100)}
    assert SnapshotKind.CHANGE in kinds


def test_every_append_to_a_key_table_may_change_rows(lake: PaimonLake) -> None:
    lake.create(**KEYED, bucket="1", write_only="true")  # type: ignore[arg-type]
    lake.write(rows("a"))
    assert [each.kind for each in lake.open().snapshots(9)] == [SnapshotKind.CHANGE]


def test_deletes_by_vectors_are_a_change(lake: PaimonLake) -> None:
    lake.create(deletion_vectors__enabled="true")
    lake.write(rows("a", 30))
    lake.call("delete", every=3)
    table = lake.open()
    assert table.snapshots(1)[0].kind is SnapshotKind.CHANGE
    assert table.digest()["deleted_rows"].to_pylist() == [10]
    assert table.figures().delete_files == {(0, "{}"): 1}


def test_files_have_the_time_of_the_commit_that_added_them(lake: PaimonLake) -> None:
    lake.create(bucket="1", bucket_key="id", write_only="true")
    for _ in range(3):
        lake.write(rows("a"))
    table = lake.open()
    times = {each.snapshot_id: each.committed_at_ms for each in table.snapshots(9)}
    digest = table.digest()
    assert sorted(digest["added_at_ms"].to_pylist()) == sorted(times.values())
    assert digest["data_at_ms"].to_pylist() == digest["added_at_ms"].to_pylist()
    lake.compact()
    (row,) = lake.open().digest().to_pylist()
    newest = lake.open().snapshots(1)[0]
    assert (newest.kind, row["added_at_ms"]) == (SnapshotKind.REWRITE, newest.committed_at_ms)
    assert row["data_at_ms"] == max(times.values())


def test_files_of_expired_snapshots_have_no_time_and_are_older_than_the_oldest(lake: PaimonLake) -> None:
    lake.create(bucket="1", bucket_key="id", write_only="true")
    for _ in range(4):
        lake.write(rows("a"))
    lake.call("expire", retained=2)
    table = lake.open()
    figures = table.figures()
    assert (figures.snapshot_count, len(table.snapshots(9))) == (2, 2)
    digest = table.digest().sort_by("sequence_number")
    assert [each is None for each in digest["added_at_ms"].to_pylist()] == [True, True, False, False]
    assert digest["data_at_ms"].to_pylist()[:2] == [figures.known_since_ms] * 2
    assert figures.known_since_ms == min(figures.committed_at_ms.values())


def test_a_file_that_moves_to_another_level_keeps_the_time_of_its_commit(lake: PaimonLake) -> None:
    lake.create(**KEYED, bucket="1", write_only="true")  # type: ignore[arg-type]
    lake.write(rows("a"))
    before = lake.open().digest().to_pylist()
    lake.compact()
    after = lake.open()
    assert after.snapshots(1)[0].kind is SnapshotKind.REWRITE
    assert [each["level"] for each in before] == [0]
    assert after.digest().to_pylist() == [{**each, "level": 5} for each in before]


def test_a_rollback_and_another_commit_of_the_same_number_change_the_pointer(lake: PaimonLake) -> None:
    lake.create()
    for _ in range(3):
        lake.write(rows("a"))
    before = lake.open()
    lake.call("roll_back", snapshot=2)
    rolled_back = lake.open()
    assert (rolled_back.head_snapshot_id, rolled_back.digest().num_rows) == (2, 2)
    lake.write(rows("b"))
    after = lake.open()
    assert after.head_snapshot_id == before.head_snapshot_id == 3
    assert after.pointer != before.pointer
    assert set(after.digest()["path"].to_pylist()) != set(before.digest()["path"].to_pylist())


def test_a_table_dropped_and_made_again_has_another_identity(lake: PaimonLake) -> None:
    before = lake.create().open().uuid
    created_ms = json.loads((lake.folder / "schema" / "schema-0").read_text())["timeMillis"]
    shutil.rmtree(lake.folder)
    eventually(lambda: time.time() * 1000 > created_ms + 1)
    assert lake.create().open().uuid != before


def test_a_copy_of_a_table_in_another_warehouse_has_its_own_paths(lake: PaimonLake, tmp_path: Path) -> None:
    lake.create()
    lake.write(rows("a"))
    shutil.copytree(lake.folder, tmp_path / "other" / "lake.db" / lake.name)
    table_format = PaimonFormat()
    first, second = (
        table_format.connect("lake", {**lake.properties, "warehouse": str(root)}).open_table(lake.ref).digest()
        for root in (lake.root, tmp_path / "other")
    )
    assert first["path"][0].as_py().startswith(f"{lake.root}/lake.db/")
    assert second["path"][0].as_py().startswith(f"{tmp_path}/other/lake.db/")


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (Comparison(column="day", op=Op.GE, value="2026-11-02"), 2),
        (Comparison(column="day", op=Op.IS_NULL), 1),
        (Comparison(column="part", op=Op.GT, value="9.5"), 2),
        (Comparison(column="part", op=Op.EQ, value="9.50"), 1),
    ],
    ids=["days", "null", "decimals by value", "equal decimals"],
)
def test_partitions_are_selected(lake: PaimonLake, comparison: Comparison, expected: int) -> None:
    lake.create(DAY, partition_keys=["day", "part"])
    days = ["2026-11-01", "2026-11-02", "2026-11-03", None]
    lake.write([[1, day, part, 1.0] for day, part in zip(days, ["9.50", "10.00", "-3.25", "11.00"], strict=True)])
    table = lake.open()
    assert select_partitions(table.digest(), comparison, table.partition_specs()).num_rows == expected
    assert table.figures().times[0].field == "day"


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [("day", "yesterday", "is not a date"), ("day", 7, "is not a date"), ("part", "much", "is not a decimal")],
)
def test_values_of_another_type_are_refused(lake: PaimonLake, column: str, value: Any, text: str) -> None:
    (spec,) = lake.create(DAY, partition_keys=["day", "part"]).open().partition_specs()
    field = spec.find(column)
    assert field is not None
    with pytest.raises(ValueError, match=text):
        field.convert(value)


def test_inputs_are_those_of_live_files(lake: PaimonLake) -> None:
    lake.create()
    lake.write(rows("a"))
    table = lake.open()
    (path,) = table.digest()["path"].to_pylist()
    assert table.group_inputs([path])[path].record_count == 10
    with pytest.raises(CommitConflict, match="not live any more"):
        table.group_inputs([path, "/nowhere"])


def test_a_key_table_is_rewritten_by_the_core_and_not_by_the_kernel(lake: PaimonLake) -> None:
    table = lake.create(primary_keys=["id"], bucket="1", write_only="true").open()
    first = next(iter(table.engines[Engine.ARROW].conditions()))
    assert (first.name, first.holds) == ("kernel_merges_files", False)
    failed = [each.name for each in table.engines[Engine.NATIVE].conditions() if not each.holds]
    assert failed == ["native_core"]  # without access to Spark


@pytest.mark.parametrize(
    "ref",
    [("lake",), ("lake", "none"), ("none", "events"), ("lake", "..", "events"), ("lake", ".."), ("lake", "a/b")],
    ids=".".join,
)
def test_other_addresses_are_no_table(lake: PaimonLake, ref: tuple[str, ...]) -> None:
    connection = PaimonFormat().connect("lake", lake.create().properties)
    asked = TableRef("lake", ref[:-1], ref[-1])
    assert connection.pointers([asked]) == {}
    with pytest.raises(NotFound):
        connection.open_table(asked)


def test_a_table_whose_location_is_not_the_registered_one_is_not_opened(lake: PaimonLake) -> None:
    connection = PaimonFormat().connect("lake", lake.create().properties)
    with pytest.raises(NotEligible, match="outside_files"):
        connection.open_table(lake.ref, FileScope("/elsewhere/events"))


def test_locations_of_files_elsewhere_are_stated(lake: PaimonLake) -> None:
    lake.create()
    schema = lake.folder / "schema" / "schema-0"
    edit_json(schema, options={"data-file.external-paths": "s3://other/a, s3://other/b"})
    scope = FileScope(None, ("s3://other",), OutsideFiles.ALLOWED_LOCATIONS)
    table = PaimonFormat().connect("lake", lake.properties).open_table(lake.ref, scope)
    assert list(table.locations) == [str(lake.folder), "s3://other/a", "s3://other/b"]


def test_only_folders_with_a_schema_are_tables(lake: PaimonLake) -> None:
    lake.create()
    for name in ("lake.db/empty/schema", "lake.db/notes", "other.db", "plain/events/schema", ".db"):
        (lake.root / name).mkdir(parents=True)
    (lake.root / "lake.db" / "file").write_text("")
    found = PaimonFormat().connect("lake", lake.properties).list_tables(10)
    assert (found.identifiers, found.is_truncated) == ((("lake", "events"),), False)


def test_only_the_changes_of_the_newest_snapshots_are_read(lake: PaimonLake) -> None:
    lake.create()
    lake.write(rows("a"))
    for number in range(2, 142):
        path = lake.folder / "snapshot" / f"snapshot-{number}"
        shutil.copy(lake.folder / "snapshot" / "snapshot-1", path)
        edit_json(path, id=number, timeMillis=1_800_000_000_000 + number)
    figures = lake.open().figures()
    assert figures.snapshot_count == 141
    assert len(figures.committed_at_ms) == 129
    assert figures.known_since_ms == figures.committed_at_ms[14]


def test_history_known_before_a_rollback_is_not_used_after_it(lake: PaimonLake) -> None:
    connection = PaimonFormat().connect("lake", lake.create().properties)
    for _ in range(4):
        lake.write(rows("a"))
    before = connection.open_table(lake.ref).snapshots(9)
    lake.call("roll_back", snapshot=2)
    for _ in range(3):
        lake.write(rows("b"))
    after = connection.open_table(lake.ref)
    assert [each.snapshot_id for each in after.snapshots(9)] == [5, 4, 3, 2, 1]
    assert after.snapshots(9)[3:] == before[2:]
    assert after.snapshots(9)[2] != before[1]
    assert after.snapshots(9) == lake.open().snapshots(9)
    assert after.digest() == lake.open().digest()


def test_a_connection_that_looked_before_expiry_sees_the_same_as_a_new_one(lake: PaimonLake) -> None:
    connection = PaimonFormat().connect("lake", lake.create().properties)
    for _ in range(4):
        lake.write(rows("a"))
    connection.open_table(lake.ref).figures()
    lake.call("expire", retained=2)
    lake.write(rows("a"))
    seen, new = connection.open_table(lake.ref), lake.open()
    assert seen.figures() == new.figures()
    assert seen.digest() == new.digest()


async def test_new_credentials_of_tasks_are_those_of_their_engine(lake: PaimonLake) -> None:
    """Tasks of the core got the catalog's properties after a renewal, which its file system does not know."""
    connection = PaimonFormat().connect("lake", {**lake.create().properties, "s3.session-token": "secret"})
    reopened = partial(asyncio.to_thread, connection.open_table, lake.ref)
    core, kernel = (await reopened()).engines[Engine.NATIVE], (await reopened()).engines[Engine.ARROW]
    credentials = TaskCredentials(engine=core, open_table=reopened, clock=SystemClock())
    await credentials.refresh(is_again=True)
    assert credentials.storage == core.task_storage() != kernel.task_storage()
