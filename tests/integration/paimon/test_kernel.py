"""Append tables without buckets, merged by Packhouse's kernel: the core reads the same rows by every predicate.

The core describes the kernel's files from their footers. A wrong bound would hide rows from filters, so every test
reads by predicates at the boundary values of each column, beside the same table without compaction.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from engine.domain.errors import CommitConflict
from engine.formats.base import CommitRequest, Engine
from engine.services.planning.engines import choose_engine
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import RUN, committed, compacted_by_packhouse, opened, rewritten
from tests.support.planning import policy_of

pytestmark = pytest.mark.usefixtures("core_child")

IS_DEEP: Final = "PACKHOUSE_DEEP" in os.environ
TABLES: Final = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "2" if IS_DEEP else "1"))
SEED: Final = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
Columns = Mapping[str, tuple[Any, Sequence[Any]]]

SCALARS: Final[Columns] = {
    "flag": ("BOOLEAN", [True, False]),
    "tiny": ("TINYINT", [-128, 0, 127]),
    "small": ("SMALLINT", [-(2**15), 5, 2**15 - 1]),
    "whole": ("INT", [-(2**31), 0, 7, 2**31 - 1]),
    "large": ("BIGINT", [-(2**63), 0, 2**63 - 1]),
    "real": ("FLOAT", ["-Infinity", -0.0, 0.0, 1.5, "Infinity", "NaN"]),
    "double": ("DOUBLE", ["-Infinity", -1e300, -0.0, 0.0, 5.0, "NaN"]),
    "text": ("STRING", ["", "a", "a" * 15 + "b", "a" * 40, "zzz", "ünï 日本 \U0001f600", "\x7f"]),
    "long_text": ("STRING", ["x" * 5000, "y" * 70_000, "z"]),
    "fixed": ("CHAR(3)", ["abc", "zzz"]),
    "bytes": ("VARBINARY(9)", ["", "00ff", "ff"]),
    "day": ("DATE", ["1969-12-30", "2026-11-26", "0001-01-01"]),
    "time": ("TIME(3)", [0, 86_399_999]),
    "seconds": ("TIMESTAMP(0)", ["1969-12-31T23:59:59", "2026-11-26T12:00:00"]),
    "millis": ("TIMESTAMP(3)", ["1969-12-31T23:59:59.999", "2026-11-26T12:00:00.001"]),
    "micros": ("TIMESTAMP(6)", ["0001-01-01T00:00:00.000001", "2026-11-26T12:00:00.123456", "9999-12-31T23:59:59"]),
    "local": ("TIMESTAMP(6) WITH LOCAL TIME ZONE", ["1969-12-31T23:59:59.999999", "2026-11-26T12:00:00"]),
    "cents": ("DECIMAL(8, 2)", ["-999999.99", "0.00", "12.34"]),
    "longer": ("DECIMAL(16, 3)", ["-1.500", "1234567890123.456"]),
    "longest": ("DECIMAL(30, 4)", ["-1.5000", "0.0001", "12345678901234567890123456.7890"]),
}
NESTED: Final[Columns] = {
    "list": ({"type": "ARRAY", "element": "INT"}, [[], [1, None, 3]]),
    "map": ({"type": "MAP", "key": "STRING NOT NULL", "value": "DOUBLE"}, [[], [["a", 1.5], ["b", None]]]),
    "row": (
        {
            "type": "ROW",
            "fields": [
                {"id": 100, "name": "x", "type": "INT"},
                {"id": 101, "name": "more", "type": {"type": "ARRAY", "element": "STRING"}},
            ],
        },
        [[None, None], [7, ["a", None, ""]]],
    ),
    "deep": (
        {
            "type": "ARRAY",
            "element": {"type": "MAP", "key": "INT NOT NULL", "value": {"type": "ARRAY", "element": "INT"}},
        },
        [[], [[[1, [2, None]], [3, None]], []]],
    ),
}
EQUALITIES: Final = ("equal", "notEqual")
"""The core 1.4.2 orders bytes as signed in rows and as unsigned in files: its answers depend on the files."""

ORDERS: Final = ("equal", "notEqual", "lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual")


def comparisons(columns: Columns, first: int, chance: Random) -> Iterator[tuple[int, str, Any]]:
    """Yield some comparisons with every value of each column, and those with null."""
    count = 1 if len(columns) > 10 and not IS_DEEP else 2
    for number, (kind, values) in enumerate(columns.values(), start=first):
        yield number, "isNull", None
        yield number, "isNotNull", None
        if isinstance(kind, str):
            methods = EQUALITIES if kind.startswith("VARBINARY") else ORDERS
            yield from ((number, method, value) for value in values for method in chance.sample(methods, count))


def assert_same_by_predicates(ours: PaimonLake, twin: PaimonLake, columns: Columns, *, seed: int = 1) -> None:
    asked = list(comparisons(columns, 1, Random(seed)))
    found, wanted = (each.call("matching", tests=asked) for each in (ours, twin))
    wrong = [each for each, one, other in zip(asked, found, wanted, strict=True) if one != other]
    assert wrong == []
    whole = [each.call("matching", tests=[(0, "isNotNull", None)], columns=1 + len(columns)) for each in (ours, twin)]
    assert whole[0] == whole[1]
    assert sum(map(bool, wanted)) > len(asked) / 3  # most of them match rows


def write_random(lake: PaimonLake, columns: Columns, *, seed: int, files: int, nulls: float) -> None:
    """Write files; each has few values of each column, so that files differ in their bounds."""
    chance = Random(seed)
    for number in range(files):
        few = {name: chance.sample(list(values), chance.randrange(1, 3)) for name, (_, values) in columns.items()}
        if number == 0:
            few = {name: [None] for name in columns}  # a file in which every column is null
        rows = [
            [number * 100 + at, *(None if chance.random() < nulls else chance.choice(few[name]) for name in columns)]
            for at in range(chance.randrange(1, 12))
        ]
        lake.write(rows)


@pytest.mark.parametrize("seed", range(SEED, SEED + TABLES))
def test_rows_of_every_type_are_found_by_every_comparison(lake: PaimonLake, tmp_path: Path, seed: int) -> None:
    columns = {**SCALARS, **NESTED}
    more = [
        {},
        {"metadata__stats_mode": "full"},
        {"metadata__stats_dense_store": "false", "metadata__stats_mode": "counts"},
    ]
    lake.create([("id", "BIGINT"), *((name, kind) for name, (kind, _) in columns.items())], **more[seed % 3])
    write_random(lake, columns, seed=seed, files=7, nulls=0.2)
    twin = lake.copied(tmp_path / "twin")
    proof = compacted_by_packhouse(lake, engine=Engine.ARROW)
    assert (proof.removed_files, proof.added_files) == (7, 1)
    assert_same_by_predicates(lake, twin, columns, seed=seed)
    counts = lake.call("statistics").popitem()[1]
    (rows,) = twin.call("matching", tests=[(0, "isNotNull", None)], columns=1 + len(columns))
    for at, name in enumerate(SCALARS, start=1):
        assert counts[name][0] == sum(row[at] is None for row in rows), name


def test_bounds_are_those_of_the_core_where_all_rows_have_some(lake: PaimonLake, tmp_path: Path) -> None:
    plain = {name: each for name, each in SCALARS.items() if name not in ("real", "double", "long_text")}
    lake.create([("id", "BIGINT"), *((name, kind) for name, (kind, _) in plain.items())])
    write_random(lake, plain, seed=7, files=5, nulls=0.1)
    twin = lake.copied(tmp_path / "twin")
    compacted_by_packhouse(lake, engine=Engine.ARROW)
    twin.call("compact_unaware")
    (ours,), (core,) = (each.call("statistics").values() for each in (lake, twin))
    assert ours == core


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_file_with_nan_has_no_bounds(lake: PaimonLake, tmp_path: Path, place: int) -> None:
    """NaN is greater than all numbers for Paimon: a bound beside it would hide it from `value > 5`."""
    column: Columns = {"value": ("DOUBLE", [0.5, 3.0, 5.0, "NaN"])}
    lake.create([("id", "BIGINT"), ("value", "DOUBLE")])
    for number in range(3):
        lake.write([[number, "NaN" if number == place else 0.5 + number], [10 + number, 3.0]])
    twin = lake.copied(tmp_path / "twin")
    compacted_by_packhouse(lake, engine=Engine.ARROW)
    assert_same_by_predicates(lake, twin, column)
    (found,) = lake.call("matching", tests=[(1, "greaterThan", 5.0)], columns=2)
    assert [row[1] for row in found] == ["nan"]
    (found,) = lake.call("statistics").values()
    assert found["value"] == [0, None, None]


def test_columns_that_were_renamed_added_dropped_and_added_again(lake: PaimonLake, tmp_path: Path) -> None:
    lake.create([("id", "BIGINT"), ("a", "INT"), ("b", "STRING")])
    lake.write([[1, 10, "old b"], [2, None, "x"]])
    lake.call("rename_column", name="a", new_name="c")
    lake.write([[3, 30, "y"]])
    lake.call("drop_column", name="b")
    lake.call("add_column", name="a", kind="STRING")
    lake.call("add_column", name="b", kind="STRING")
    lake.write([[4, 40, "new a", "new b"]])
    twin = lake.copied(tmp_path / "twin")
    compacted_by_packhouse(lake, engine=Engine.ARROW)
    columns: Columns = {
        "c": ("INT", [10, 30, 40]),
        "a": ("STRING", ["new a"]),
        "b": ("STRING", ["new b", "old b", "x"]),
    }
    assert_same_by_predicates(lake, twin, columns)
    assert lake.call("values") == twin.call("values")
    assert [row[3] for row in lake.call("values")] == [None, None, None, "new b"]


def test_partitions_keep_their_rows_and_later_files_stay(lake: PaimonLake, tmp_path: Path) -> None:
    days = ["2026-11-01", "ünï/cödé =%2F", None]
    lake.create([("id", "BIGINT"), ("day", "STRING"), ("v", "DOUBLE")], partition_keys=["day"])
    for turn in range(3):
        for day in days:
            lake.write([[turn, day, float(turn)]])
    twin = lake.copied(tmp_path / "twin")
    table = opened(lake)
    groups = rewritten(table, full=True, engine=Engine.ARROW)
    for each in (lake, twin):
        each.write([[9, days[0], 9.5]])
    assert committed(lake, table, groups).ok
    assert lake.call("values") == twin.call("values")
    assert lake.open().digest().num_rows == len(days) + 1


CHANGES: Final[Mapping[str, Sequence[tuple[str, Mapping[str, str]]]]] = {
    "renamed": [("rename_column", {"name": "v", "new_name": "w"})],
    "added": [("add_column", {"name": "later", "kind": "INT"})],
    "dropped": [("drop_column", {"name": "v"})],
    "dropped and added again": [("drop_column", {"name": "v"}), ("add_column", {"name": "v", "kind": "STRING"})],
}


@pytest.mark.parametrize("change", CHANGES)
def test_files_keep_the_schema_of_the_plan_if_columns_change_before_the_commit(
    lake: PaimonLake, tmp_path: Path, change: str
) -> None:
    lake.create([("id", "BIGINT"), ("v", "DOUBLE"), ("t", "STRING")])
    for number in range(3):
        lake.write([[number, 0.5 + number, "abc"[number]], [10 + number, None, None]])
    twin = lake.copied(tmp_path / "twin")
    table = opened(lake)
    groups = rewritten(table, full=True, engine=Engine.ARROW)
    for each in (lake, twin):
        for name, arguments in CHANGES[change]:
            each.call(name, **arguments)
    assert committed(lake, table, groups).ok
    assert lake.open().digest().num_rows == 1
    assert lake.call("values") == twin.call("values")
    columns = [name for name, _ in lake.call("columns")]
    values: Columns = {"w": ("DOUBLE", [0.5, 2.5]), "t": ("STRING", ["a", "b"]), "later": ("INT", [1])}
    asked = [
        each
        for at, name in enumerate(columns)
        for each in comparisons({name: values.get(name, ("DOUBLE" if name == "v" else "STRING", []))}, at, Random(1))
    ]
    found, wanted = (each.call("matching", tests=asked) for each in (lake, twin))
    assert found == wanted
    assert any(wanted)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("change_type", {"name": "v", "kind": "DOUBLE"}), "v was FLOAT in schema 0 and is DOUBLE"),
        (("set_option", {"name": "deletion-vectors.enabled", "value": "true"}), "rows are deleted by vectors"),
        (("set_option", {"name": "file.format", "value": "orc"}), "orc files"),
    ],
)
def test_a_change_after_the_plan_that_needs_the_core_needs_another_plan(
    lake: PaimonLake, change: tuple[str, Mapping[str, str]], found: str
) -> None:
    lake.create([("id", "BIGINT"), ("v", "FLOAT")], deletion_vectors__modifiable="true")
    for number in range(3):
        lake.write([[number, 0.5]])
    table = opened(lake)
    groups = rewritten(table, full=True, engine=Engine.ARROW)
    lake.call(change[0], **change[1])
    request = CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)
    with pytest.raises(CommitConflict, match=f"the schema is 1, no longer 0: {found}"):
        opened(lake).commits.commit(request, before_try=lambda: None)
    assert lake.open().head_snapshot_id == 3


def test_files_in_another_folder_of_the_table_are_replaced_in_that_of_their_bucket(lake: PaimonLake) -> None:
    """A folder that the table's options named before; readers look for new files in the folder of the bucket."""
    elsewhere = {"data_file__external_paths": f"file://{lake.folder}/elsewhere"}
    lake.create(**elsewhere, data_file__external_paths__strategy="round-robin")
    for number in range(3):
        lake.write([[number, "a", 0.5]])
    for name in ("data-file.external-paths", "data-file.external-paths.strategy"):
        lake.call("remove_option", name=name)
    before = lake.open().digest()["path"].to_pylist()
    assert all("/elsewhere/" in path for path in before)
    compacted_by_packhouse(lake, engine=Engine.ARROW)
    (path,) = lake.open().digest()["path"].to_pylist()
    assert path.startswith(f"{lake.folder}/bucket-0/")
    assert [row[0] for row in lake.call("values")] == [0, 1, 2]


BUCKETS: Final = {"bucket": "2", "bucket_key": "id", "write_only": "true"}


@pytest.mark.parametrize("full", [False, True])
def test_append_tables_with_buckets_keep_the_order_of_arrival(lake: PaimonLake, tmp_path: Path, full: bool) -> None:
    lake.create([("id", "BIGINT"), ("at", "BIGINT")], **BUCKETS)
    chance, number = Random(5), 0
    for _ in range(12):
        rows = [[chance.randrange(50), (number := number + 1)] for _ in range(chance.randrange(1, 9))]
        lake.write(rows)
    twin = lake.copied(tmp_path / "twin")
    before = lake.call("in_order")
    assert [[row[1] for row in bucket] for bucket in before] == [sorted(row[1] for row in bucket) for bucket in before]
    table = opened(lake)
    groups = rewritten(table, full=full, engine=Engine.ARROW)
    assert [len(group.inputs) for group in groups] == [11, 10]  # files of each bucket
    for each in (lake, twin):
        each.write([[7, 1000], [8, 1001]])
    assert committed(lake, table, groups).ok
    assert lake.call("in_order") == twin.call("in_order")
    files = lake.open()._view.live.files.sort_by([("bucket", "ascending"), ("min_sequence", "ascending")]).to_pylist()
    for bucket in (0, 1):
        mine = [each for each in files if each["bucket"] == bucket]
        ends = [(each["min_sequence"], each["max_sequence"]) for each in mine]
        assert [start for start, _ in ends[1:]] == [end + 1 for _, end in ends[:-1]]  # as the writers counted


def test_a_large_file_between_small_ones_divides_them(lake: PaimonLake) -> None:
    lake.create([("id", "BIGINT"), ("text", "STRING")], **{**BUCKETS, "bucket": "1"})
    for number in range(6):
        size = 3_000_000 if number == 2 else 10
        lake.write([[number, Random(number).randbytes(size).hex()]])
    before = lake.call("in_order")
    sizes = {"target_file_bytes": "2MiB", "small_file_bytes": "1MiB", "min_input_files": 2}
    table = opened(lake)
    groups = rewritten(table, full=False, engine=Engine.ARROW, rewrite=sizes)
    assert sorted(len(group.inputs) for group in groups) == [2, 3]
    assert committed(lake, table, groups).ok
    assert lake.call("in_order") == before


@pytest.mark.parametrize(
    ("options", "failed"),
    [({"bucket": "2", "bucket_key": "id"}, ["native_one_compactor"]), (BUCKETS, [])],
    ids=["writers compact", "write-only"],
)
def test_append_tables_with_buckets_need_writers_that_compact_nothing(
    lake: PaimonLake, options: Mapping[str, str], failed: list[str]
) -> None:
    lake.create([("id", "BIGINT")], **options)
    assert [each.name for each in opened(lake).engines[Engine.ARROW].conditions() if not each.holds] == failed
    native = [each.name for each in opened(lake).engines[Engine.NATIVE].conditions() if not each.holds]
    assert native == failed


@pytest.mark.parametrize(
    ("columns", "options", "failed"),
    [
        ([("id", "BIGINT"), ("at", "TIMESTAMP(9)")], {}, "kernel_column_types"),
        ([("id", "BIGINT")], {"file__format": "orc"}, "kernel_file_format"),
        ([("id", "BIGINT")], {"file_index__bloom_filter__columns": "id"}, "kernel_known_options"),
        ([("id", "BIGINT")], {"deletion_vectors__enabled": "true"}, "kernel_no_vectors"),
    ],
)
def test_what_only_the_core_writes_is_left_to_it(
    lake: PaimonLake, columns: Any, options: Mapping[str, str], failed: str
) -> None:
    lake.create(columns, **options)
    table = opened(lake)
    assert [each.name for each in table.engines[Engine.ARROW].conditions() if not each.holds] == [failed]
    assert choose_engine(table, policy_of({"rewrite": {"engine": "auto"}})).traits.name is Engine.NATIVE


def test_files_of_other_formats_and_types_are_left_to_the_core(lake: PaimonLake) -> None:
    lake.create([("id", "BIGINT"), ("v", "INT")])
    lake.write([[1, 1]])
    lake.call("set_option", name="file.format", value="orc")
    lake.write([[2, 1]])
    lake.call("set_option", name="file.format", value="parquet")
    failed = [each for each in opened(lake).engines[Engine.ARROW].conditions() if not each.holds]
    assert [(each.name, each.detail) for each in failed] == [("kernel_file_format", "files of other formats: orc")]


def test_a_column_whose_type_changed_is_converted_by_the_core(lake: PaimonLake) -> None:
    lake.create([("id", "BIGINT"), ("v", "INT")])
    lake.write([[1, 1]])
    lake.call("change_type", name="v", kind="STRING")
    lake.write([[2, "x"]])
    failed = [each for each in opened(lake).engines[Engine.ARROW].conditions() if not each.holds]
    detail = "v was INT in schema 0 and is STRING; only the core converts it"
    assert [(each.name, each.detail) for each in failed] == [("kernel_column_types", detail)]
    compacted_by_packhouse(lake)
    assert lake.call("values") == [[1, "1"], [2, "x"]]
