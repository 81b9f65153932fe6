"""Bounds of float columns in footers: none beside NaN for readers that order NaN above all numbers."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import field, make_task, rewrite, write

SCHEMA = pa.schema(
    [
        field(1, "id", pa.int64()),
        field(2, "nan", pa.float64()),
        field(3, "real", pa.float32()),
        field(4, "list", pa.list_(field(5, "element", pa.float64()))),
    ]
)
WAYS: Mapping[str, tuple[Mapping[str, Any], RowOrder | None]] = {
    "copied": ({"use_dictionary": False, "write_page_checksum": True}, None),
    "copied without checksums": ({"use_dictionary": False}, None),
    "indices": ({}, None),
    "encoded": ({"compression": "gzip"}, None),
    "sorted": ({}, RowOrder("sort", (SortColumn(1),))),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("match_by", ["field_id", "name"])
def test_f40_columns_with_nan_have_no_bounds_where_readers_order_nan_above_all_numbers(
    tmp_path: Path, way: str, match_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F40: by bounds that leave NaN out, Spark and DuckDB find no row with `nan > 5`; other columns keep bounds."""
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    options, order = WAYS[way]
    rows = pa.table(
        {"id": range(3), "nan": [1.0, math.nan, 2.0], "real": [1.0, None, 2.0], "list": [[1.0, math.nan], [2.0], []]},
        schema=SCHEMA if match_by == "field_id" else pa.schema([each.remove_metadata() for each in SCHEMA]),
    )
    inputs = [write(tmp_path / f"{at}.parquet", rows, **options) for at in range(3)]
    task = make_task(tmp_path, inputs, SCHEMA, match_by=match_by, bounds_beside_nan=False, order=order)
    (output,) = rewrite(task).outputs
    group = pq.read_metadata(output.path).row_group(0)
    chunks = {each.path_in_schema.partition(".")[0]: each for each in map(group.column, range(4))}
    has = {name: each.statistics.has_min_max for name, each in chunks.items()}
    assert has == {"id": True, "nan": False, "real": True, "list": False}
    assert not chunks["nan"].has_column_index
    assert chunks["nan"].statistics.null_count == 0
    found = duckdb.sql(f"SELECT count(*) FILTER (nan > 5), max(nan), max(real) FROM '{output.path}'").fetchone()
    assert repr(found) == "(3, nan, 2.0)"
    assert duckdb.sql(f"SELECT count(*) FROM '{output.path}' WHERE nan > 5").fetchone() == (3,)
