"""Files with variants, geometries and geographies, by DuckDB, and by Arrow with the annotations put into the footer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import COLUMNS, FIELD_ID, METADATA, ROW_GROUPS, SCHEMA, STATISTICS, framed
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.verbatim.layouts import end_of
from tests.unit.kernel.building import field

COLUMN: Final = 2
"""The field id of the column that is taken over; `id` has 1."""

VARIANT: Final[Struct] = {16: (thrift.STRUCT, {1: (thrift.BYTE, 1)})}
GEOMETRY: Final[Struct] = {17: (thrift.STRUCT, {1: (thrift.BINARY, b"EPSG:3857")})}
GEOGRAPHY: Final[Struct] = {18: (thrift.STRUCT, {1: (thrift.BINARY, b"OGC:CRS84"), 2: (thrift.I32, 4)})}
INT_16: Final[Struct] = {10: (thrift.STRUCT, {1: (thrift.BYTE, 16), 2: (thrift.TRUE, True)})}
INT_8: Final[Struct] = {10: (thrift.STRUCT, {1: (thrift.BYTE, 8), 2: (thrift.TRUE, True)})}


def by_duckdb(path: Path, value: str, *, start: int = 0, rows: int = 100) -> TaskInput:
    """Write `id` and a column `v`, an expression of `i`; every fourth value is null."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as database:
        columns = f"i::BIGINT AS id, CASE WHEN i % 4 > 0 THEN {value} END AS v"
        chosen = f"SELECT {columns} FROM range({start}, {start + rows}) t(i)"
        options = f"FIELD_IDS {{id: 1, v: {COLUMN}}}, GEOPARQUET_VERSION 'NONE', CODEC 'zstd'"
        database.sql(f"COPY ({chosen}) TO '{path}' ({options})")
    return TaskInput(str(path), path.stat().st_size, rows)


def by_arrow(path: Path, table: pa.Table, annotations: Mapping[tuple[bytes, ...], Struct], **options: Any) -> TaskInput:
    """Write a table; `annotations`: logical types by the path of an element."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **{"store_schema": False, "compression": "zstd", **options})

    def annotate(elements: list[Struct]) -> None:
        for names, element in _paths(elements):
            if names in annotations:
                element.pop(6, None)
                element[10] = (thrift.STRUCT, annotations[names])

    return with_elements(TaskInput(str(path), path.stat().st_size, table.num_rows), annotate)


def with_elements(one: TaskInput, change: Callable[[list[Struct]], None]) -> TaskInput:
    """Change the schema elements in the footer of a file."""
    path = Path(one.path)
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    found, _ = thrift.read_struct(data[-8 - length : -8])
    change(found[SCHEMA][1][1])
    path.write_bytes(data[: -8 - length] + framed(thrift.write_struct(found)))
    return replace(one, file_bytes=path.stat().st_size)


def text_variant(text: str | None) -> dict[str, Any] | None:
    """Return a variant that is a short text, not shredded."""
    if text is None:
        return None
    return {"metadata": b"\x01\x00\x00", "value": bytes([len(text) << 2 | 1]) + text.encode()}


UNSHREDDED: Final = pa.struct([pa.field(name, pa.binary(), nullable=False) for name in ("metadata", "value")])


def texts(start: int, rows: int) -> list[dict[str, Any] | None]:
    return [text_variant(None if i % 4 == 0 else f"t{i % 7}") for i in range(start, start + rows)]


def with_column(of: pa.DataType, values: Sequence[Any], start: int) -> pa.Table:
    """Return a table of `id` and a column `v`."""
    fields = [field(1, "id", pa.int64()), field(COLUMN, "v", of)]
    ids = pa.array(range(start, start + len(values)), pa.int64())
    return pa.table([ids, pa.array(values, of)], schema=pa.schema(fields))


def small_integers(path: Path, width: Struct, *, start: int, rows: int = 100) -> TaskInput:
    """Write a variant that is shredded to integers of a width, below 100."""
    of = pa.struct([pa.field("metadata", pa.binary(), nullable=False), pa.field("value", pa.binary())])
    of = pa.struct([*of, pa.field("typed_value", pa.int32())])
    values = [{"metadata": b"\x01\x00\x00", "value": None, "typed_value": i % 100} for i in range(start, start + rows)]
    annotations = {(b"v",): VARIANT, (b"v", b"typed_value"): width}
    return by_arrow(path, with_column(of, values, start), annotations)


def footer_of(path: str) -> Struct:
    data = Path(path).read_bytes()
    return thrift.read_struct(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])[0]


def elements_of(path: str, number: int = COLUMN) -> list[Struct]:
    """Return the schema elements of a column, from the file's footer."""
    elements: list[Struct] = footer_of(path)[SCHEMA][1][1]
    at = next(at for at, each in enumerate(elements) if FIELD_ID in each and each[FIELD_ID][1] == number)
    return elements[at : end_of(elements, at)]


def statistics_of(path: str, name: bytes) -> list[Struct]:
    """Return the statistics of the chunks inside of a column."""
    chunks = [chunk[METADATA][1] for group in footer_of(path)[ROW_GROUPS][1][1] for chunk in group[COLUMNS][1][1]]
    return [each[STATISTICS][1] for each in chunks if each[3][1][1][0] == name and STATISTICS in each]


def plain_chunks(path: str) -> list[bytes]:
    """Return the bytes of the chunks inside of the second column that have no dictionary."""
    data, metadata = Path(path).read_bytes(), pq.read_metadata(path)
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    chunks = [group.column(at) for group in groups for at in range(1, metadata.num_columns)]
    plain = [one for one in chunks if not one.has_dictionary_page and one.num_values]
    return [data[one.data_page_offset :][: one.total_compressed_size] for one in plain]


def _paths(elements: Sequence[Struct]) -> list[tuple[tuple[bytes, ...], Struct]]:
    """Return each element with its path, without the root."""
    found = []
    for at, element in enumerate(elements[1:], start=1):
        inside = [each for each in range(1, at) if at < end_of(elements, each)]
        found.append((tuple(elements[each][4][1] for each in (*inside, at)), element))
    return found


def by_names(paths: Sequence[str], value: str = "v::JSON::VARCHAR") -> list[tuple[Any, ...]]:
    """Return the rows of files as DuckDB reads them, by id."""
    with duckdb.connect() as database:
        files = ", ".join(f"'{path}'" for path in paths)
        asked = f"SELECT id, {value} FROM read_parquet([{files}], union_by_name = true) ORDER BY id"
        return database.sql(asked).fetchall()
