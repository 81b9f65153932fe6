"""Read whole Iceberg tables by DuckDB: a third engine, with its own reader of metadata, manifests and deletes.

Its extensions come as packages, which contain what DuckDB publishes; DuckDB checks their signatures when it loads them.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import duckdb
from pyiceberg.table import Table

_EXTENSIONS = ("avro", "iceberg")


def rows_by_duckdb(table: Table, snapshot_id: int | None = None) -> Counter[str]:
    """Return the rows of a table in a snapshot, by default the current one, as DuckDB reads it.

    Raises:
        duckdb.Error: DuckDB can't read it; it does not read all that the format allows.
    """
    with connected() as connection:
        point = "" if snapshot_id is None else f", snapshot_from_id = {snapshot_id}"
        found = connection.execute(f"SELECT * FROM iceberg_scan(?{point})", [table.metadata_location])
        return Counter(map(repr, found.to_arrow_table().to_pylist()))


@contextmanager
def connected(*more: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection that can read Iceberg tables; `more`: further extensions."""
    with duckdb.connect() as connection:
        for name in (*more, *_EXTENSIONS):
            spec = find_spec(f"duckdb_extension_{name}")
            assert spec is not None
            assert spec.origin is not None
            (file,) = Path(spec.origin).parent.glob(f"extensions/v{duckdb.__version__}/{name}.duckdb_extension")
            connection.load_extension(str(file))
        yield connection
