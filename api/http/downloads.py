"""Lists of files as CSV downloads (RFC 4180), sent as they are read."""

import io
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyarrow import csv
from starlette.responses import StreamingResponse

from engine.formats.base import REMOVED_FILES

CSV: Final = "text/csv"
CSV_OF_FILES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Columns `path` (as the table's metadata has it), `kind` (such as `data` or `manifests`), "
        "`file_bytes` (empty: not known) and `snapshot_id` (a snapshot that had the file; empty: none).",
        "content": {
            CSV: {
                "schema": {"type": "string"},
                "example": '"path","kind","file_bytes","snapshot_id"\n'
                '"s3://lake/sales/orders/data/00001.parquet","data",1048576,3051729675574597004\n',
            }
        },
    }
}
"""Declaration of an operation that answers with `csv_of_files`."""


def csv_of_files(batches: Iterator[pa.Table], *, name: str) -> StreamingResponse:
    """Return files as a download; `name` is what a browser calls it, without a suffix."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return StreamingResponse(_lines(batches), media_type=f"{CSV}; charset=utf-8; header=present", headers=headers)


def _lines(batches: Iterator[pa.Table]) -> Iterator[bytes]:
    yield _written(REMOVED_FILES.empty_table(), include_header=True)
    for batch in batches:
        yield _written(batch, include_header=False)


def _written(batch: pa.Table, *, include_header: bool) -> bytes:
    sink = io.BytesIO()
    csv.write_csv(batch, sink, csv.WriteOptions(include_header=include_header))
    return sink.getvalue()
