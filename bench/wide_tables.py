"""B29: tables of 5,000 and 10,000 columns, of structs that are 20 and 40 levels deep, and hostile Avro schemas.

Each table has the same bytes in its data files, however wide or deep it is, so that seconds beyond those of the plain
table (ten columns) are what its schema costs. "open" loads the metadata and reads the manifests, "plan" judges and
packs, "rewrite" runs the tasks of its file groups in this process, with their proof of rows. Width and depth have to
cost what their fields cost and no more: "µs/field" are the CPU microseconds of all three per field and file, beyond the
plain table's. The Avro schemas refer to one type 2^20 and 2^40 times.

    python -m bench.wide_tables [--columns 5000 10000] [--depths 20 40] [--files 8] [--megabytes 32] [--json wide.json]
    python -m bench.wide_tables --format-version 3
    python -m cProfile -s cumtime -m bench.wide_tables --columns 5000 --depths --files 2
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, LongType, NestedField, StructType

from bench.facts import machine_facts, print_table, write_json
from engine.domain.policies import PolicyDocument, effective_policy
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.requests import RunRequest
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine, GroupSettings
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.intake.avro.blocks import container, readable
from engine.formats.intake.limits import Malformed
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult, SentTask, WriteSettings
from engine.services.planning.engines import EngineChoice
from engine.services.planning.planner import plan_run
from tests.support.iceberg_tables import edit_metadata
from tests.support.version_3 import touch

PLAIN: Final = 10
GOAL: Final = "plan < 2 s; rewrite of 10,000 columns <= 3 x the plain table's"
MIB: Final = 2**20
UPGRADED: Final = {"format-version": 3, "next-row-id": 0}


@dataclass(frozen=True, slots=True)
class Shape:
    """The schema of a table: its number of columns, and the levels of each."""

    columns: int
    depth: int = 1

    def __str__(self) -> str:
        """Return its name in the printed table."""
        return f"{self.columns:,} columns" + (f", {self.depth} levels" if self.depth > 1 else "")

    @property
    def fields(self) -> int:
        """The number of fields."""
        return self.columns * self.depth

    def schema(self) -> Schema:
        """Return the schema, with ids from 1 on."""
        ids = iter(range(1, self.fields + 1))
        return Schema(*(self._column(at, ids) for at in range(self.columns)))

    def _column(self, at: int, ids: Any) -> NestedField:
        of: IcebergType = LongType()
        for level in range(self.depth - 1):
            of = StructType(NestedField(next(ids), f"level_{level}", of))
        return NestedField(next(ids), f"column_{at}", of)


def main() -> None:
    """Measure each table, and the schemas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, nargs="*", default=[5_000, 10_000])
    parser.add_argument("--depths", type=int, nargs="*", default=[20, 40])
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--megabytes", type=int, default=32, help="of data in each file, before compression")
    parser.add_argument("--format-version", type=int, default=2, choices=(2, 3))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    shapes = [Shape(PLAIN), *map(Shape, given.columns), *(Shape(PLAIN, depth) for depth in given.depths)]
    rows: list[dict[str, Any]] = []
    for shape in shapes:
        with TemporaryDirectory(prefix="bench-wide-") as folder:
            rows.append(_measured(shape, Path(folder), given.files, given.megabytes * MIB, given.format_version))
    plain = rows[0]
    for shape, row in zip(shapes, rows, strict=True):
        spent = sum(row[part] - plain[part] for part in ("open_s", "plan_s", "rewrite_s"))
        row["times_plain"] = row["rewrite_s"] / plain["rewrite_s"]
        row["us/field"] = max(0.0, 1e6 * spent / (shape.fields * given.files))
    print_table(rows)
    schemas = [_schema_read(levels) for levels in (20, 40)]
    print_table(schemas)
    print(f"goal: {GOAL}")
    write_json(given.json, {"benchmark": "B29", "machine": machine_facts(), "rows": rows, "schemas": schemas})


def _measured(shape: Shape, folder: Path, files: int, size: int, version: int) -> dict[str, Any]:
    properties = {
        "type": "sql",
        "uri": f"sqlite:///{folder / 'catalog.db'}",
        "warehouse": (folder / "lake").as_uri(),
    }
    catalog = SqlCatalog("lake", **properties)
    _write(shape, catalog, files, size)
    if version == 3:
        edit_metadata(catalog.load_table(("sales", "wide")), lambda body: body.update(UPGRADED))
        touch(_opened(properties))  # the first commit after the upgrade gives the rows their ids
    open_s, opened = _timed(lambda: _opened(properties))
    policy = effective_policy(table_properties={}, own=PolicyDocument.model_validate({"preset": "balanced"}))
    chosen = EngineChoice(opened.engines[Engine.ARROW], opened, policy, ())
    request = RunRequest(every_file=True, include_cooling=True, force_full=True)
    plan_s, plan = _timed(lambda: plan_run(chosen, request, NO_STATISTICS, NONE_HOT))
    rewrite_s, rows = _timed(lambda: sum(_rewritten(opened, group).rows_written for group in plan.groups))
    return {
        "table": str(shape),
        "fields": shape.fields,
        "stored_MB": sum(group.input_bytes for group in plan.groups) / 1e6,
        "rows": rows,
        "open_s": open_s,
        "plan_s": plan_s,
        "rewrite_s": rewrite_s,
    }


def _write(shape: Shape, catalog: SqlCatalog, files: int, size: int) -> None:
    catalog.create_namespace("sales")
    table = catalog.create_table(("sales", "wide"), shape.schema())
    random, rows = np.random.default_rng(29), max(1, size // (8 * shape.columns))
    schema = schema_to_pyarrow(table.schema())  # with field ids: PyIceberg finds columns by name in quadratic time
    with table.transaction() as transaction:
        for _ in range(files):
            columns = [_nested(pa.array(random.integers(0, 2**62, rows)), one.type) for one in schema]
            transaction.append(pa.Table.from_arrays(columns, schema=schema))


def _nested(values: pa.Array, of: pa.DataType) -> pa.Array:
    if not pa.types.is_struct(of):
        return values
    return pa.StructArray.from_arrays([_nested(values, of.field(0).type)], fields=[of.field(0)])


def _opened(properties: dict[str, str]) -> IcebergTable:
    opened = IcebergFormat().connect("lake", properties).open_table(TableRef("lake", ("sales",), "wide"))
    opened.describe()
    opened.engines[Engine.ARROW].conditions()
    opened.digest()
    return opened


def _rewritten(table: IcebergTable, group: Any) -> GroupResult:
    settings = GroupSettings(WriteSettings(target_file_bytes=2**30), None, checks_rows=True)
    kernel = table.engines[Engine.ARROW]
    task = kernel.task(group, run_id="run_bench", attempt=1, settings=settings)
    result = GroupResult.from_json(run_task(SentTask(task, storage=dict(kernel.task_storage())).to_json()))
    if result.outcome != "written":
        raise RuntimeError(f"{result.outcome}: {result.reason}")
    return result


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of work, in all threads, and its result."""
    before = time.process_time()
    result = work()
    return time.process_time() - before, result


def _schema_read(levels: int) -> dict[str, Any]:
    """Read a container whose records refer to their innermost type 2^levels times."""
    inner: Any = "int"
    for level in range(levels, 0, -1):
        again = "int" if level == levels else f"r{level + 1}"
        inner = {"type": "record", "name": f"r{level}", "fields": _fields(inner, again)}
    schema = json.dumps(inner).encode()

    def read() -> str:
        try:
            readable(container(schema, {}, [(1, b"\x02")], codec="null"))
        except Malformed:
            return "refused"
        return "read"

    seconds, outcome = _timed(read)
    return {"schema": f"a type 2^{levels} times", "bytes": len(schema), "outcome": outcome, "seconds": seconds}


def _fields(*types: Any) -> Sequence[dict[str, Any]]:
    return [{"name": f"f{at}", "type": each} for at, each in enumerate(types)]


if __name__ == "__main__":
    main()
