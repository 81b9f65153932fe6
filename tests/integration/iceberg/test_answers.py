"""What engines answer from statistics, as it is documented; Spark is in `spark/test_answers_peer.py`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from pyiceberg.table import Table

from tests.support.duckdb_tables import connected
from tests.support.false_statistics import (
    FALSE_ROWS,
    KINDS,
    ROWS,
    SCHEMA,
    documented,
    false_file,
    false_table,
    is_false,
)
from tests.support.iceberg_tables import Lake

NO_BOUNDS: set[str] = set()
WITHOUT_POLARS = {"binary", "fixed", "timestamptz"}
"""Types whose values polars has in other Python types, or not."""


@pytest.fixture
def table(lake: Lake) -> Table:
    false_table(lake.create(schema=SCHEMA))
    return lake.load()


def answered(extreme: Callable[[str, str], Any], *, without: set[str] = NO_BOUNDS) -> set[str]:
    """Return the types of which both the least and the greatest value come from statistics."""
    asked = KINDS.keys() - without
    return {
        name
        for name in asked
        if all(is_false(name, extreme(f"{name}_", function), at) for at, function in enumerate(("min", "max")))
    }


def source_of(count: int) -> str:
    """Return where a count of rows of an Iceberg table comes from."""
    assert count in {ROWS, FALSE_ROWS}
    return "statistics" if count == FALSE_ROWS else "rows"


def test_f40_duckdb_answers_counts_of_rows_from_manifests_and_nothing_else(table: Table) -> None:
    with connected() as connection:

        def ask(column: str, function: str) -> Any:
            asked = f"SELECT {function}({column}) FROM iceberg_scan(?)"
            return connection.execute(asked, [table.metadata_location]).fetchall()[0][0]

        found = source_of(ask("*", "count")), source_of(ask("int_", "count")), answered(ask)
    assert documented()["DuckDB 1.5, `iceberg_scan`"] == found


@pytest.mark.parametrize("is_exact", [True, False])
def test_f40_duckdb_answers_from_footers_that_state_exact_bounds(tmp_path: Path, is_exact: bool) -> None:
    false_file(tmp_path / "false.parquet", is_exact=is_exact)

    def ask(column: str, function: str) -> Any:
        return duckdb.sql(f"SELECT {function}({column}) FROM '{tmp_path}/false.parquet'").fetchall()[0][0]

    counts, in_footers, types = documented()["DuckDB 1.5, Parquet files"]
    assert (ask("*", "count"), ask("int_", "count")) == (ROWS, ROWS), "the footer has a null too many"
    assert (counts, in_footers) == ("statistics", "rows")
    assert answered(ask) == (types if is_exact else set())


def test_f40_polars_answers_counts_of_rows_only(table: Table, tmp_path: Path, recwarn: Any) -> None:
    false_file(tmp_path / "false.parquet", is_exact=True)
    sources = {
        "polars 2, `scan_iceberg`": lambda: pl.scan_iceberg(table),
        "polars 2, Parquet files": lambda: pl.scan_parquet(tmp_path / "false.parquet"),
    }
    for name, scan in sources.items():

        def extreme(column: str, function: str, scan: Callable[[], pl.LazyFrame] = scan) -> Any:
            return scan().select(getattr(pl.col(column), function)()).collect().item()

        assert documented()[name] == ("statistics", "rows", answered(extreme, without=WITHOUT_POLARS))
        assert scan().select(pl.col("int_").count()).collect().item() == ROWS
    assert source_of(pl.scan_iceberg(table).select(pl.len()).collect().item()) == "statistics"


def test_f40_pyiceberg_and_arrow_answer_counts_of_rows_only(table: Table, tmp_path: Path) -> None:
    false_file(tmp_path / "false.parquet", is_exact=True)
    assert documented()["PyIceberg 0.12, `count()`"] == (source_of(table.scan().count()), "rows", NO_BOUNDS)
    assert table.scan(selected_fields=("int_",)).to_arrow().num_rows == ROWS
    dataset = ds.dataset(tmp_path / "false.parquet")
    assert (dataset.count_rows(), dataset.count_rows(filter=pc.is_valid(ds.field("int_")))) == (ROWS, ROWS)
    assert documented()["Arrow 26, `count_rows()`"] == ("statistics", "rows", NO_BOUNDS)
