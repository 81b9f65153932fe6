"""Tables that pypaimon writes. Their files have no field ids: columns are found by the names of the file's schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.formats.base import Engine
from engine.formats.paimon.task import compaction
from engine.formats.paimon.task.checks import ComparedRows
from engine.formats.paimon.task.contract import MergeRules
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from engine.formats.paimon.task.tables import Compacted
from engine.rewriting.entry import run_task
from engine.rewriting.kernel import task as kernel_task
from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.errors import UNREADABLE_LAYOUT
from engine.rewriting.kernel.reading.row_check import CheckedRows
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.services.planning.engines import choose_engine, remedy_for
from tests.support.kernel_groups import written_group
from tests.support.paimon.compactions import paths
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import committed, opened, planned
from tests.support.paimon.second_reader import PyPaimon
from tests.support.planning import policy_of

pytestmark = pytest.mark.usefixtures("core_child")

Columns = Sequence[tuple[str, str]]
COLUMNS: Final = [("id", "int64()"), ("day", "string()"), ("value", "float64()"), ("part", "struct({'a': int32()})")]
KEYED: Final = {"bucket": "2", "write-only": "true"}
IN_BUCKETS: Final = {**KEYED, "bucket-key": "id"}
CORE_ONLY: Final = {"parquet.page.size": "1048576"}
MORE: Final = {"file.compression.per.level": "0:snappy,5:lz4", "file.format.per.level": "0:avro"}


@dataclass(frozen=True)
class Shape:
    """A kind of table, with the engine that `auto` has to choose, and why no rows are compared."""

    engine: Engine
    options: Mapping[str, str]
    partition_keys: Sequence[str] = ()
    primary_keys: Sequence[str] = ()
    limit: str = ""
    columns: Columns = field(default_factory=lambda: COLUMNS)


KEYS_ONLY: Final = "only keys and sequence numbers are compared, no values: merge engine partial-update"
SHAPES: Final[Mapping[str, Shape]] = {
    "append": Shape(Engine.ARROW, {}),
    "append, partitioned": Shape(Engine.ARROW, {"bucket": "-1"}, ["day"]),
    "append, buckets": Shape(Engine.ARROW, IN_BUCKETS),
    "append, ORC": Shape(Engine.NATIVE, {"file.format": "orc"}),
    "append, buckets, ORC": Shape(Engine.NATIVE, {**IN_BUCKETS, "file.format": "orc"}),
    "append, core": Shape(Engine.NATIVE, CORE_ONLY),
    "key": Shape(Engine.NATIVE, KEYED, primary_keys=["id"]),
    "key, partitioned": Shape(Engine.NATIVE, KEYED, ["day"], ["id", "day"]),
    "key, ORC": Shape(Engine.NATIVE, {**KEYED, "file.format": "orc"}, primary_keys=["id"]),
    "key, dynamic": Shape(Engine.NATIVE, {"bucket": "-1", "write-only": "true"}, primary_keys=["id"]),
    "key, levels": Shape(Engine.NATIVE, {**KEYED, **MORE}, primary_keys=["id"]),
    "key, partial": Shape(
        Engine.NATIVE, {**KEYED, "merge-engine": "partial-update"}, primary_keys=["id"], limit=KEYS_ONLY
    ),
    **{
        f"{kind}, {codec}": Shape(Engine.NATIVE, {**options, "file.compression": codec}, primary_keys=keys)
        for codec in ("none", "snappy", "lz4", "gzip")
        for kind, options, keys in (("append", CORE_ONLY, ()), ("key", KEYED, ("id",)))
    },
}
DEEP: Final = [name for name in SHAPES if name.endswith(("none", "gzip")) or name == "append, lz4"]


@dataclass
class Foreign:
    """A table that pypaimon writes, beside a copy that is not rewritten."""

    pypaimon: PyPaimon
    lake: PaimonLake

    def create(self, shape: Shape) -> None:
        self.pypaimon.do(
            self.lake,
            "create",
            columns=shape.columns,
            partition_keys=shape.partition_keys,
            primary_keys=shape.primary_keys,
            options=dict(shape.options),
        )

    def write(self, columns: Columns, rows: Sequence[Sequence[Any]]) -> None:
        self.pypaimon.do(self.lake, "write", columns=list(columns), rows=[list(row) for row in rows])

    def alter(self, change: str, *arguments: Any) -> None:
        self.pypaimon.do(self.lake, "alter", change=change, arguments=arguments)

    def check_rewrite(self, copy: Path, *, engine: Engine, limit: str = "", kind: str = "foreign") -> None:
        """Rewrite in full by the engine of `auto`, comparing rows; both readers find the same rows as before."""
        twin = self.lake.copied(copy)
        table = opened(self.lake)
        results = [
            (group, GroupResult.from_json(run_task(task.to_json())))
            for group, task in planned(table, full=True, engine=engine, asked="auto", checks_rows=True)
        ]
        groups = tuple(written_group(group, result.to_json()) for group, result in results)
        assert {each.check_limit for _, each in results} == {limit}
        assert all(bool(each.row_digest) is not limit.startswith("not compared") for _, each in results)
        proof = committed(self.lake, table, groups)
        assert proof.ok, proof.checks
        assert proof.added_files < proof.removed_files
        head = table.head_snapshot_id or 0
        for number in range(1, head + 1):
            assert everything(self.lake, number) == everything(twin, number)
        assert everything(self.lake, head + 1) == everything(twin, head)
        self.pypaimon.check(self.lake, kind, self.pypaimon.rows(twin))


def everything(lake: PaimonLake, snapshot: int) -> Any:
    """Return all rows of a snapshot by the core's reader."""
    options = {"scan.snapshot-id": str(snapshot)}
    (found,) = lake.call("matching", tests=[(0, "isNotNull", None)], columns=0, options=options)
    return found


def data_files(lake: PaimonLake) -> list[Path]:
    """Return the data files that lie in the folder of a table, live or not."""
    return [each for each in lake.folder.rglob("*/*") if each.suffix in (".orc", ".parquet", ".avro")]


@pytest.fixture
def foreign(paimon_core: PaimonCore, pypaimon: PyPaimon, tmp_path: Path) -> Foreign:
    return Foreign(pypaimon, PaimonLake(paimon_core, tmp_path / "warehouse"))


def row(number: int, turn: int) -> list[Any]:
    return [number, "ab"[number % 2], turn + number / 2, {"a": number} if number % 3 else None]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.deep if each in DEEP else ()) for each in SHAPES]
)
def test_tables_are_rewritten_with_the_same_rows(foreign: Foreign, tmp_path: Path, name: str) -> None:
    shape = SHAPES[name]
    foreign.create(shape)
    for turn in range(5):
        foreign.write(shape.columns, [row(number, turn) for number in range(turn, turn + 12)])
    foreign.check_rewrite(tmp_path / "twin", engine=shape.engine, limit=shape.limit)


@pytest.mark.parametrize(
    ("options", "primary_keys", "failed"),
    [
        ({"row-tracking.enabled": "true"}, [], {"native_known_options": "let Paimon's own action compact the table"}),
        ({**KEYED, "bucket": "-2"}, ["id"], {"native_bucket_mode": "compact procedure distribute the rows"}),
    ],
)
def test_what_is_not_handled_is_refused_when_a_run_is_planned(
    foreign: Foreign, options: Mapping[str, str], primary_keys: Sequence[str], failed: Mapping[str, str]
) -> None:
    """With what a user can do, and without a task."""
    foreign.create(Shape(Engine.NATIVE, options, primary_keys=primary_keys, columns=COLUMNS[:3]))
    chosen = choose_engine(opened(foreign.lake), policy_of({"rewrite": {"engine": "auto"}}))
    assert not chosen.is_possible
    found = {each.name: each.detail for each in chosen.conditions if not each.holds and each.name.startswith("native")}
    assert found.keys() == failed.keys()
    assert all(text in found[name] for name, text in failed.items())


TYPES: Final[Mapping[str, tuple[str, Sequence[Any]]]] = {
    "bool": ("bool_()", [True, False]),
    "tiny": ("int8()", [-128, 127]),
    "small": ("int16()", [-300, 300]),
    "int": ("int32()", [-(2**31), 5]),
    "real": ("float32()", [0.5, -0.0]),
    "double": ("float64()", [0.5, 1e300]),
    "text": ("string()", ["", "ünï"]),
    "bytes": ("binary()", ["", "abc"]),
    "fixed": ("binary(3)", ["abc", "xyz"]),
    "cents": ("decimal128(9, 2)", ["-1.25", "3.50"]),
    "large": ("decimal128(30, 4)", ["123456789012345678901234.5678", "-1.0000"]),
    "day": ("date32()", ["1969-12-31", "2026-11-01"]),
    "time": ("time32('ms')", ["00:00:00.001", "23:59:59"]),
    "seconds": ("timestamp('s')", ["1969-12-31 23:59:59", "2026-11-01 10:00:00"]),
    "millis": ("timestamp('ms')", ["1969-12-31 23:59:59.999", "2026-11-01 10:00:00"]),
    "micros": ("timestamp('us')", ["1969-12-31 23:59:59.999999", "2026-11-01 10:00:00"]),
    "zoned": ("timestamp('us', 'UTC')", ["1969-12-31 23:59:59.999999Z", "2026-11-01 10:00:00Z"]),
    "list": ("list_(string())", [[], ["a", None]]),
    "map": ("map_(string(), int64())", [[], [["a", 1], ["b", None]]]),
    "deep": ("list_(struct({'a': int32(), 'b': list_(int64())}))", [[{"a": 1, "b": [2, None]}, None], []]),
}


OF_KINDS: Final = {
    "kernel": {},
    "core": CORE_ONLY,
    "key": KEYED,
    "core, ORC": {"file.format": "orc"},
    "key, ORC": {**KEYED, "file.format": "orc"},
}


IN_ORC: Final = {
    "millis": ["1969-12-31 23:59:58.999", "2026-11-01 10:00:00"],
    "micros": ["1970-01-01 00:00:00.000001", "2026-11-01 10:00:00"],
    "zoned": ["1969-12-31 23:59:58.5Z", "2026-11-01 10:00:00.000001Z"],
}
"""Times that the core can read from ORC files of pypaimon, and writes as they are."""


@pytest.mark.parametrize(
    "kind",
    ["kernel", "key", *(pytest.param(each, marks=pytest.mark.deep) for each in ("core", "core, ORC", "key, ORC"))],
)
def test_every_type_is_read_as_pypaimon_writes_it(foreign: Foreign, tmp_path: Path, kind: str) -> None:
    types = dict(TYPES)
    if "ORC" in kind:
        del types["time"]  # pypaimon can't compare its own
        types.update({name: (TYPES[name][0], values) for name, values in IN_ORC.items()})
    columns = [("id", "int64()"), *((name, of) for name, (of, _) in types.items())]
    shape = Shape(
        Engine.ARROW if kind == "kernel" else Engine.NATIVE,
        OF_KINDS[kind],
        primary_keys=["id"] if kind.startswith("key") else [],
    )
    values = [each for _, each in types.values()]
    foreign.create(replace(shape, columns=columns))
    for turn in range(3):
        foreign.write(columns, [[number, *(each[(number + turn) % 2] for each in values)] for number in range(4)])
        foreign.write(columns, [[9, *(None for _ in values)]])
    assert len(foreign.pypaimon.rows(foreign.lake)) == (5 if shape.primary_keys else 15)
    foreign.check_rewrite(tmp_path / "twin", engine=shape.engine)


MOVED: Final = "column deep has times in the last second before 1970, which Paimon's core writes to ORC files as a"
UNREAD: Final = "column deep has times before 1970 with parts of a millisecond, which Paimon's core can't read from ORC"


@pytest.mark.parametrize(
    ("checks_rows", "zone"),
    [
        (True, ""),
        (False, ", 'UTC'"),
        pytest.param(True, ", 'UTC'", marks=pytest.mark.deep),
        pytest.param(False, "", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize(
    ("micros", "levels", "problem"),
    [
        (-1_000, "", MOVED),
        (-1_999_999, "", UNREAD),
        (-1_999_999, "5:parquet", UNREAD),
        (-1_001_000, "", ""),
        (-1_000_000, "", ""),
        (1, "", ""),
    ],
)
def test_times_of_orc_that_the_core_would_change_are_refused(
    foreign: Foreign, *, micros: int, zone: str, levels: str, problem: str, checks_rows: bool
) -> None:
    """In nested columns as well. One is in the second of three files, beside nulls."""
    columns = [("id", "int64()"), ("deep", f"struct({{'at': list_(timestamp('us'{zone}))}})")]
    options = {"file.format": "orc", **({**KEYED, "bucket": "1", "file.format.per.level": levels} if levels else {})}
    foreign.create(Shape(Engine.NATIVE, options, primary_keys=["id"] if levels else [], columns=columns))
    for number in range(3):
        at = micros if number == 1 else 0
        foreign.write(columns, [[number, {"at": [at, None]}], [number + 10, None]])
    ((_, task),) = planned(opened(foreign.lake), full=True, checks_rows=checks_rows)
    result = GroupResult.from_json(run_task(task.to_json()))
    assert result.outcome == ("refused" if problem else "written")
    assert problem in (result.reason or "")
    assert len(data_files(foreign.lake)) == (3 if problem else 4)


@pytest.mark.parametrize("checks_rows", [True, False])
def test_times_that_could_not_be_looked_for_are_named_in_the_result(foreign: Foreign, checks_rows: bool) -> None:
    """Arrow has no value for a time in the year 9999, a common one for "until further notice"."""
    columns = [("id", "int64()"), ("deep", "struct({'at': timestamp('us')})")]
    foreign.create(Shape(Engine.NATIVE, {"file.format": "orc"}, columns=columns))
    for number in range(3):
        foreign.write(columns, [[number, {"at": 253_402_214_400_000_000}]])
    ((_, task),) = planned(opened(foreign.lake), full=True, checks_rows=checks_rows)
    result = GroupResult.from_json(run_task(task.to_json()))
    assert result.outcome == "written"
    assert result.check_limit.startswith("times before 1970 were not looked for: ")
    assert ("not compared: " in result.check_limit) is checks_rows


def test_the_core_still_moves_the_last_second_before_1970(foreign: Foreign) -> None:
    """Why such times are refused: one that the core itself writes to ORC is read a second later, by every reader."""
    lake = foreign.lake.create([("id", "BIGINT"), ("at", "TIMESTAMP(3)")], file__format="orc")
    lake.write([[0, "1969-12-31T23:59:59.999"]])
    assert everything(lake, 1) == [["0", "1970-01-01T00:00:00.999"]]
    assert foreign.pypaimon.rows(lake) == [[0, "1970-01-01T00:00:00.999000"]]


@pytest.mark.parametrize("legacy", ["true", "false"])
def test_local_times_of_orc_are_the_same_moments_whatever_zone_the_machine_has(
    foreign: Foreign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, legacy: str
) -> None:
    """In New York two hours of a night in November have the same local time, and one in March does not exist."""
    CORE_PROCESSES.close()
    monkeypatch.setenv("TZ", "America/New_York")
    columns = [("id", "int64()"), ("at", "timestamp('us', 'UTC')")]
    options = {"file.format": "orc", "orc.timestamp-ltz.legacy.type": legacy}
    foreign.create(Shape(Engine.NATIVE, options, columns=columns))
    moments = ["2026-03-08 02:30:00Z", "2026-03-08 07:30:00Z", "2026-11-01 05:30:00Z", "2026-11-01 06:30:00Z"]
    for _ in range(3):
        foreign.write(columns, list(enumerate(moments)))
    foreign.check_rewrite(tmp_path / "twin", engine=Engine.NATIVE)
    CORE_PROCESSES.close()


@pytest.mark.parametrize("checks_rows", [True, False])
def test_nanoseconds_that_the_core_misreads_are_refused(foreign: Foreign, checks_rows: bool) -> None:
    """The core 1.4.2 takes them for microseconds: the rewritten rows would be wrong for pypaimon and everyone else."""
    columns = [("id", "int64()"), ("deep", "struct({'at': timestamp('ns')})")]
    foreign.create(Shape(Engine.NATIVE, {}, columns=columns))
    for number in range(3):
        foreign.write(columns, [[number, {"at": number}]])
    ((_, task),) = planned(opened(foreign.lake), full=True, checks_rows=checks_rows)
    result = GroupResult.from_json(run_task(task.to_json()))
    assert result.outcome == "refused"
    assert "column deep.at has nanoseconds as INT64, which Paimon's core misreads" in (result.reason or "")
    assert len(data_files(foreign.lake)) == 3
    assert remedy_for(UNREADABLE_LAYOUT, opened(foreign.lake), policy_of({})) == "", "the core refused it"


@pytest.mark.parametrize("kind", ["kernel", "core", "key", "core, ORC"])
def test_columns_are_found_by_the_names_that_they_had(foreign: Foreign, tmp_path: Path, kind: str) -> None:
    """A column is renamed, its name is used for another one, and a dropped name again: each file has its own names.

    A column whose type changed is not compared.
    """
    shape = SHAPES[{"kernel": "append", "core": "append, core", "key": "key", "core, ORC": "append, ORC"}[kind]]
    limit = "" if kind == "kernel" else "values of columns that are not compared, for their types: old"
    last, old = ([("old", "int32()")], [7]) if limit else ([], [])
    before = [("id", "int64()"), ("a", "string()"), ("b", "int32()"), ("c", "float64()"), *last]
    wide = [("old", "int64()")] if limit else []
    after = [("id", "int64()"), ("b", "string()"), ("c", "float64()"), *wide, ("a", "string()"), ("late", "int64()")]
    foreign.create(replace(shape, columns=before))
    foreign.write(before, [[number, "old a", 5, 0.5, *old] for number in range(4)])
    if limit:
        foreign.alter("update_column_type", "old", "int64()")
    for change in (["drop_column", "b"], ["rename_column", "a", "b"], ["add_column", "a", "string()"]):
        foreign.alter(*change)
    foreign.write(after[:-1], [[number, "new b", 1.5, *old, "new a"] for number in range(2, 6)])
    foreign.alter("add_column", "late", "int64()")
    foreign.write(after, [[number, "b", 2.5, *old, "a", 7] for number in range(5, 9)])
    foreign.check_rewrite(tmp_path / "twin", engine=shape.engine, limit=limit)
    found = everything(foreign.lake, 4)
    assert {each[1] for each in found} == {"old a", "new b", "b"}
    assert {each[-2] for each in found} == {None, "new a", "a"}
    assert {each[-1] for each in found} == {None, "7"}


@pytest.mark.parametrize("checks_rows", [True, False])
def test_nanoseconds_of_an_earlier_schema_are_refused(foreign: Foreign, checks_rows: bool) -> None:
    """The column has microseconds now, and the core reads each file by the schema that it was written with."""
    before, after = ([("id", "int64()"), ("at", f"timestamp('{unit}')")] for unit in ("ns", "us"))
    foreign.create(replace(SHAPES["append"], columns=before))
    for number in range(3):
        foreign.write(before, [[number, number]])
    foreign.alter("update_column_type", "at", "timestamp('us')")
    for number in range(3, 6):
        foreign.write(after, [[number, number]])
    (_, task), *_ = planned(
        opened(foreign.lake), full=True, engine=Engine.NATIVE, asked="auto", checks_rows=checks_rows
    )
    result = GroupResult.from_json(run_task(task.to_json()))
    assert "column at has nanoseconds as INT64, which Paimon's core misreads" in (result.reason or "")
    assert result.outcome == "refused"


@pytest.mark.parametrize("kind", ["kernel", "core", "key"])
def test_one_changed_value_of_an_output_is_found(foreign: Foreign, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The files have the same rows but for one value, in a column that each input has without an id."""
    shape = SHAPES[{"kernel": "append", "core": "append, core", "key": "key"}[kind]]
    foreign.create(shape)
    for turn in range(3):
        foreign.write(shape.columns, [row(number, turn) for number in range(8)])
    (group, task), *_ = planned(opened(foreign.lake), full=True, engine=shape.engine, asked="auto", checks_rows=True)
    compare, check = compaction.compare_rows, kernel_task.check_rows

    def compared(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        return compare(rules, replace(compacted, after=tuple(map(changed, compacted.after))), transfer)

    def checked(**given: Any) -> CheckedRows:
        return check(**{**given, "outputs": [changed(each) for each in given["outputs"]]})

    monkeypatch.setattr(compaction, "compare_rows", compared)
    monkeypatch.setattr(kernel_task, "check_rows", checked)
    result = GroupResult.from_json(run_task(task.to_json()))
    assert result.outcome != "written"
    assert ("other rows than the inputs'" if kind != "key" else "merged rows wrongly") in (result.reason or "")
    assert group.inputs


def changed(file: Any) -> Any:
    """Add one to the first value of a file's column `value`, and return the file with its new size."""
    path = Path(file.path)
    read = pq.read_table(path, partitioning=None)
    values = read["value"].to_pylist()
    at = read.schema.get_field_index("value")
    pq.write_table(read.set_column(at, read.schema.field(at), pa.array([values[0] + 1, *values[1:]])), path)
    return replace(file, file_bytes=path.stat().st_size)


@pytest.mark.parametrize("legacy", ["true", "false"])
def test_partitions_by_timestamps_are_rewritten(foreign: Foreign, tmp_path: Path, legacy: str) -> None:
    """Their folders have the core's texts of timestamps; those of pypaimon are the same with the default option."""
    columns = [("id", "int64()"), ("at", "timestamp('us')"), ("hour", "timestamp('ms')"), ("value", "float64()")]
    options = {"partition.legacy-name": legacy}
    shape = Shape(Engine.ARROW, options, partition_keys=["at", "hour"], columns=columns)
    moments = ["1969-12-31 23:59:59.999999", "2026-11-01 10:00:00", "2026-11-01 10:00:01.5", None]
    foreign.create(shape)
    for turn in range(3):
        rows = [[number, each, "2026-11-01 10:00:00.120", 0.5] for number, each in enumerate(moments)]
        if legacy == "true":
            foreign.write(columns, [[turn, *each[1:]] for each in rows])
        else:
            foreign.lake.write([[turn, at and at.replace(" ", "T"), "2026-11-01T10:00:00.120", 0.5] for at in moments])
    assert all(Path(path).exists() for path in paths(foreign.lake))
    foreign.check_rewrite(tmp_path / "twin", engine=shape.engine)
    found = opened(foreign.lake).digest()["partition"].unique().to_pylist()
    assert '{"at":"2026-11-01T10:00:01.500000","hour":"2026-11-01T10:00:00.120000"}' in found
