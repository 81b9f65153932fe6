"""Whatever way outputs are written, no reader skips a file that has matching rows, and none is deleted unread.

Every type, every way of writing, every kind of predicate at and around every boundary value: by Iceberg's evaluators as
Java has them, by PyIceberg's, and by the statistics in footers as DuckDB and Arrow use them. Whole scans do not show
wrong bounds.
"""

import datetime as dt
import math
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyiceberg.conversions import to_bytes
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator, _StrictMetricsEvaluator
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.formats.base import WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.statistics.bounds import is_answered_from
from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.task import rewrite_group
from tests.support.iceberg_tables import Lake, commit_deletes, delete_file, group_of, nothing, request_of, task_of
from tests.support.kernel_groups import written_group
from tests.support.kernel_tasks import changed
from tests.support.predicates import (
    Condition,
    bounds_in,
    conditions,
    is_nan,
    is_zero,
    may_match,
    must_match,
    order_key,
    values_of,
)

MAX_LONG, BIG = 2**63 - 1, "\U0010ffff"
TYPES: dict[str, tuple[Any, Sequence[Any]]] = {
    "flag": (BooleanType(), [False, True]),
    "small": (IntegerType(), [-(2**31), 2**31 - 1, 0, 7]),
    "big": (LongType(), [-MAX_LONG - 1, MAX_LONG, 0, 7]),
    "single": (FloatType(), [0.0, -0.0, math.nan, math.inf, -math.inf, 1.5]),
    "plus": (DoubleType(), [0.0]),
    "minus": (DoubleType(), [-0.0]),
    "below": (DoubleType(), [-1.5, 0.0]),
    "above": (DoubleType(), [-0.0, 1.5]),
    "double": (DoubleType(), [0.0, -0.0, 1e308, -1e308, 5e-324]),
    "nan": (DoubleType(), [math.nan, -3.0, 3.0]),
    "only_nan": (DoubleType(), [math.nan]),
    "day": (DateType(), [dt.date(1, 1, 2), dt.date(2026, 11, 1), dt.date(9999, 12, 30)]),
    "clock": (TimeType(), [dt.time(0, 0), dt.time(23, 59, 59, 999_999)]),
    "at": (TimestampType(), [dt.datetime(1, 1, 2), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)]),  # noqa: DTZ001
    "zoned": (TimestamptzType(), [dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(1, 1, 2, tzinfo=dt.UTC)]),
    "short": (DecimalType(9, 2), [Decimal("-9999999.99"), Decimal("0.00"), Decimal("9999999.99")]),
    "middle": (DecimalType(18, 4), [Decimal("-1.0000"), Decimal("99999999999999.9999")]),
    "long": (DecimalType(38, 3), [Decimal(-(10**34)), Decimal("0.000"), Decimal(10**34)]),
    "text": (StringType(), ["", "a", "a" * 16, "a" * 17, "é" * 20, "\uffff" * 20, "\U0001f600" * 17, BIG * 20]),
    "huge": (StringType(), ["x" * 5000, "y" * 16 + "z", "b"]),
    "bytes": (BinaryType(), [b"", b"\x00", b"\x7f", b"\x80", b"\xff" * 20, b"a" * 16 + b"\xff"]),
    "hash": (FixedType(4), [b"\x00\x00\x00\x00", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\xff\xff\xff\xff"]),
    "low_key": (
        UUIDType(),
        [
            uuid.UUID("00000000-0000-4000-8000-000000000005").bytes,
            uuid.UUID("7fffffff-ffff-4fff-8fff-ffffffffffff").bytes,
        ],
    ),
    "any_key": (UUIDType(), [uuid.UUID(int=5).bytes, uuid.UUID("ffffffff-ffff-4fff-8fff-ffffffffffff").bytes]),
}
FIRST = Schema(
    NestedField(1, "id", LongType(), required=True),
    *(NestedField(number, name, of) for number, (name, (of, _)) in enumerate(TYPES.items(), 2)),
)
LATE = ("double", "nan", "text", "small")
"""Columns that the first file lacks, since they were added later."""

LOSES_TO_BOTH_ORDERS = ("low_key", "any_key")
"""uuids: bounds of other writers hold by one of the two orders in use, ours by both or not at all."""


@dataclass(frozen=True)
class Way:
    """A way of writing: how the inputs are stored, and what else the task is told."""

    options: Mapping[str, Any] = field(default_factory=dict)
    codec: str = "zstd"
    change: Callable[[SentKernelTask], SentKernelTask] = lambda task: task
    deletes: bool = False
    files: int = 1


PLAIN = {"use_dictionary": False, "compression": "none"}


def ordered(memory_bytes: int) -> Callable[[SentKernelTask], SentKernelTask]:
    return lambda task: changed(task, order=RowOrder("sort", (SortColumn(3), SortColumn(1)), memory_bytes=memory_bytes))


def in_files(task: SentKernelTask) -> SentKernelTask:
    small = replace(task.task.write.settings, target_file_bytes=15_000, row_group_bytes=2**14)
    return changed(task, file_count=3, settings=small)


WAYS = {
    "copied pages": Way(PLAIN, "uncompressed"),
    "copied pages without checksums": Way(PLAIN | {"write_page_checksum": False}, "uncompressed"),
    "stored values": Way(PLAIN | {"compression": "gzip"}),
    "indices": Way({"use_dictionary": True}),
    "encoded": Way({"write_statistics": False}),
    "rows deleted": Way(deletes=True),
    "sorted": Way(change=ordered(2**29)),
    "sorted and spilled": Way(change=ordered(2**16)),
    "several files of copied pages": Way(PLAIN | {"row_group_size": 200}, "uncompressed", in_files, files=2),
    "several files": Way(PLAIN | {"row_group_size": 200}, change=in_files, deletes=True, files=2),
}


def rows(first: int, *, count: int = 600, only: Sequence[str] = ()) -> pa.Table:
    """Return rows of which each column has its values in turn, and some nulls; only nulls but in columns of `only`."""
    schema = schema_to_pyarrow(FIRST)
    columns = [pa.array(range(first, first + count), pa.int64())]
    for name, (_, values) in TYPES.items():
        chosen = [values[(first // count + at) % len(values)] if at % 7 else None for at in range(count)]
        columns.append(pa.array([None] * count if only and name not in only else chosen, schema.field(name).type))
    return pa.Table.from_arrays(columns, schema=schema)


def append(table: Table, data: pa.Table, options: Mapping[str, Any]) -> None:
    """Add a file as another writer does, with exact statistics in its manifest entry."""
    path = Path(table.location().removeprefix("file://")) / "data" / f"{uuid.uuid4()}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(data, path, **{"compression": "zstd", "write_page_checksum": True, **options})
    made = DataFile.from_args(
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=data.num_rows,
        file_size_in_bytes=path.stat().st_size,
        **statistics(data),
    )
    made.spec_id = 0
    with table.transaction() as change, change.update_snapshot().fast_append() as adding:
        adding.append_data_file(made)


def statistics(data: pa.Table) -> dict[str, dict[int, Any]]:
    """Return what Iceberg's own writer keeps of rows (whole values instead of cut ones)."""
    kept: dict[str, dict[int, Any]] = {
        name: {} for name in ("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
    }
    for one in FIRST.fields:
        if one.name not in data.column_names:
            continue
        found, of = values_of(data[one.name], one.field_type), one.field_type
        nans = sum(is_nan(each) for each in found)
        kept["value_counts"][one.field_id] = len(found)
        kept["null_value_counts"][one.field_id] = found.count(None)
        if isinstance(of, FloatType | DoubleType):
            kept["nan_value_counts"][one.field_id] = nans
        real = [each for each in found if each is not None and not is_nan(each)]
        if real:
            in_order = sorted(real, key=lambda each: each if isinstance(of, UUIDType) else order_key(each, of))
            kept["lower_bounds"][one.field_id] = to_bytes(of, in_order[0])  # type: ignore[arg-type]
            kept["upper_bounds"][one.field_id] = to_bytes(of, in_order[-1])  # type: ignore[arg-type]
    return kept


def rewritten(opened: IcebergTable, way: Way) -> WrittenGroup:
    group = group_of(opened)
    task = way.change(task_of(opened, group))
    return written_group(group, rewrite_group(task.to_json()))


def files_of(table: Table) -> list[DataFile]:
    return [task.file for task in table.scan().plan_files()]


def local(file: DataFile) -> str:
    return file.file_path.removeprefix("file://")


@dataclass(frozen=True)
class Story:
    """The files before and after a rewrite."""

    before: list[DataFile]
    after: list[DataFile]

    @cached_property
    def asked(self) -> Mapping[str, list[Condition]]:
        """Conditions of each column."""
        written, files = rows(600), [*self.before, *self.after]
        return {
            of.name: list(conditions(of, [*values_of(written[of.name], of.field_type), *bounds_in(files, of)]))
            for of in map(FIRST.find_field, TYPES)
        }


@pytest.fixture(scope="module", params=WAYS)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Four files rewritten one way: of the first some columns are missing, of the last most are null."""
    way = WAYS[request.param]
    lake = Lake.make(tmp_path_factory.mktemp("lake"))
    table = lake.create(schema=FIRST, properties={"write.parquet.compression-codec": way.codec})
    append(table, rows(0).drop_columns(list(LATE)), way.options)
    for first in (600, 1200):
        append(table, rows(first), way.options)
    append(table, rows(1800, only=["plus", "small", "text"]), way.options)
    before = files_of(lake.load())
    if way.deletes:
        pairs = [(before[0].file_path, at) for at in range(0, 300, 2)]
        commit_deletes(lake.load(), delete_file(lake.load(), pairs, aimed=True))
    opened = lake.open()
    written = rewritten(opened, way)
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.snapshot_id is not None
    found = opened.commits.prove(outcome.snapshot_id, [written])
    assert found.ok, [check for check in found.checks if not check.holds]
    after = files_of(lake.load())
    assert len(after) >= way.files
    yield Story(before, after)
    lake.close()


def distinct(file: DataFile, of: NestedField) -> list[Any]:
    """Return the different values of a column in a file, zeros apart."""
    names = pq.read_schema(local(file)).names
    if of.name not in names:
        return [None]
    found = values_of(pq.read_table(local(file), columns=[of.name])[of.name], of.field_type)
    return list({repr(each): each for each in found}.values())


def test_no_file_with_matching_rows_is_skipped_or_deleted_unread(story: Story) -> None:
    for name, asked in story.asked.items():
        values = [(file, distinct(file, FIRST.find_field(name))) for file in story.after]
        for number, condition in enumerate(asked):
            asks_pyiceberg = number % 5 == 0 and condition.is_for_pyiceberg  # each operator in turn: it takes its time
            if asks_pyiceberg:
                inclusive = _InclusiveMetricsEvaluator(FIRST, condition.expression())
                strict = _StrictMetricsEvaluator(FIRST, condition.expression())
            for file, found in values:
                holds = [condition.holds(each) for each in found]
                if any(holds):
                    assert may_match(file, condition), f"Java skips rows with {condition}"
                    assert not asks_pyiceberg or inclusive.eval(file), f"PyIceberg skips rows with {condition}"
                if not all(holds):
                    assert not must_match(file, condition), f"Java deletes rows without {condition}"
                    assert not asks_pyiceberg or not strict.eval(file), f"PyIceberg deletes rows without {condition}"


def test_what_was_skipped_before_is_skipped_after(story: Story) -> None:
    """But for columns that begin or end with a zero, which is rarely a bound: there rows of the other zero count."""
    for name in TYPES.keys() - set(LOSES_TO_BOTH_ORDERS):
        held = {repr(each) for file in story.before for each in distinct(file, FIRST.find_field(name))}
        if any(map(is_zero, _ends(name))):
            continue
        for condition in story.asked[name]:
            if any(map(is_zero, condition.operands)) or any(may_match(file, condition) for file in story.before):
                continue
            reading = [file for file in story.after if may_match(file, condition)]
            assert not reading or _is_cut(condition, held), f"{condition} reads files it did not read before"


def _ends(name: str) -> tuple[Any, Any]:
    """Return the least and the greatest value of a column."""
    values = [each for each in TYPES[name][1] if not is_nan(each)]
    return min(values, default=None), max(values, default=None)


def _is_cut(condition: Condition, held: set[str]) -> bool:
    """Return whether a value lies between a bound cut to 16 characters and what it was cut from."""
    longest = max((len(each) for each in condition.operands if isinstance(each, str | bytes)), default=0)
    return longest >= 15 or any(len(each) > 18 for each in held if each[:1] in "'b")


def test_statistics_are_there_for_every_column(story: Story) -> None:
    """Also for columns that an input lacks, texts too long for Parquet's statistics, and NaN in several files."""
    for file, of in product(story.after, map(FIRST.find_field, TYPES)):
        values, is_float = distinct(file, of), isinstance(of.field_type, FloatType | DoubleType)
        assert of.field_id in file.value_counts, of.name
        assert of.field_id in file.null_value_counts, of.name
        assert (of.field_id in file.nan_value_counts) == is_float, of.name
        real = [each for each in values if isinstance(each, float) and not is_nan(each)]
        if real:
            assert (of.field_id in file.lower_bounds) == (min(real) != 0), of.name
            assert (of.field_id in file.upper_bounds) == (max(real) != 0 or repr(0.0) in map(repr, real)), of.name
        elif not is_float and of.name != "any_key" and values != [None]:
            assert of.field_id in file.lower_bounds, of.name


def test_f40_bounds_that_engines_answer_from_are_values_of_rows(story: Story) -> None:
    """F40: Spark answers MIN and MAX of most types from bounds of files without NaN, and COUNT from counts."""
    for file, of in product(story.after, map(FIRST.find_field, TYPES)):
        table = pq.read_table(local(file), columns=[of.name])[of.name]
        assert file.value_counts[of.field_id] - file.null_value_counts[of.field_id] == len(table) - table.null_count
        values = [each for each in distinct(file, of) if each is not None]
        if not is_answered_from(of.field_type) or any(map(is_nan, values)):
            assert not any(map(is_nan, values)) or file.nan_value_counts[of.field_id]
            continue
        in_order = sorted(values, key=lambda each: order_key(each, of.field_type))
        for bounds, at in ((file.lower_bounds, 0), (file.upper_bounds, -1)):
            if of.field_id in bounds:
                assert bounds[of.field_id] == to_bytes(of.field_type, in_order[at]), of.name  # type: ignore[arg-type]


def test_f40_duckdb_answers_from_footers_what_rows_have(story: Story) -> None:
    """F40: it takes bounds that are stated to be exact for the answer; it orders NaN above all numbers."""
    names = [name for name in TYPES if not isinstance(FIRST.find_type(name), UUIDType)]
    for file in story.after:
        found_in = pq.read_table(local(file))
        with duckdb.connect(config={"threads": 1}) as connection:
            for name, function in product(names, ("min", "max")):
                (answer,) = connection.execute(f"SELECT {function}(\"{name}\") FROM '{local(file)}'").fetchone() or ()
                values = [each for each in found_in[name].unique().to_pylist() if each is not None]
                real = [each for each in values if not is_nan(each)]
                has_nan = len(real) < len(values)
                if has_nan and (function == "max" or not real):
                    assert is_nan(answer), name
                elif real:
                    right = min(real) if function == "min" else max(real)
                    assert answer == right, name
                    assert not is_zero(answer) or repr(answer) in map(repr, real), f"{name} has no {answer!r}"


def test_footers_hide_no_row_from_duckdb_and_arrow(story: Story) -> None:
    for file in story.after:
        table = pq.read_table(local(file))
        points = {name: _points(table, name) for name in TYPES if not isinstance(FIRST.find_type(name), UUIDType)}
        for name, found in points.items():
            _ask_arrow(local(file), table[name], name, found)
        _ask_duckdb(local(file), table, points)


def _points(table: pa.Table, name: str) -> list[Any]:
    """Return the values of a column to ask for; uuids have no comparison with a parameter in either reader."""
    found = [each for each in dict.fromkeys(table[name].to_pylist()) if each is not None and not is_nan(each)]
    return [*found, *([0.0, -0.0] if isinstance(FIRST.find_type(name), FloatType | DoubleType) else [])]


def _ask_arrow(path: str, column: pa.ChunkedArray, name: str, points: Sequence[Any]) -> None:
    for point, compare in product(points, (pc.equal, pc.greater_equal)):
        value = pa.scalar(point, column.type)
        expected = pc.sum(compare(column, value)).as_py() or 0
        found = ds.dataset(path).count_rows(filter=compare(ds.field(name), value))
        assert found == expected, f"Arrow: {name} {compare.__name__} {point!r}"


def _ask_duckdb(path: str, table: pa.Table, points: Mapping[str, Sequence[Any]]) -> None:
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("given", table.select(list(points)))
        connection.execute("CREATE TABLE in_memory AS SELECT * FROM given")  # Arrow's filters leave NaN out
        for name, operator in product(points, ("=", "<", ">=")):
            asked = f'SELECT count(*) FROM {{}} WHERE "{name}" {operator} $1'
            for point in points[name]:
                expected, found = (
                    connection.execute(asked.format(source), [point]).fetchone()
                    for source in ("in_memory", f"'{path}'")
                )
                assert found == expected, f"DuckDB: {name} {operator} {point!r}"
