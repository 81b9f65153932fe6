"""Files by which other table formats and writers mark a folder whose Parquet files are not all live rows.

Readers of these formats choose rows by such files. A program that takes the folder for plain Parquet files would read,
merge or delete others.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

FORMATS: Final = {
    "_delta_log/": "Delta Lake",
    ".hoodie/": "Hudi",
    ".hoodie_partition_metadata": "Hudi",
    "_spark_metadata/": "a streaming sink of Spark",
    "metadata/": "Iceberg",
    "schema/": "Paimon",
}
"""Format by the mark that it leaves in a folder."""

_MARKED: Final = (
    r"^(?P<folder>.*)/(?P<mark>_delta_log/|\.hoodie/|_spark_metadata/|\.hoodie_partition_metadata$"
    r"|metadata/[^/]*\.metadata\.json$|schema/schema-[0-9]+$)"
)

MARKS: Final = pa.schema([("folder", pa.string()), ("format", pa.string())])
"""Folders that are marked, with the format whose mark they have."""


def marked_folders(paths: pa.ChunkedArray) -> pa.Table:
    """Return the folders that files of other formats mark, each once with each format, with the columns `MARKS`."""
    found = pc.extract_regex(paths.filter(pc.match_substring_regex(paths, _MARKED)), pattern=_MARKED)
    if not len(found):
        return MARKS.empty_table()
    folders, marks = (pc.struct_field(found, name) for name in ("folder", "mark"))
    first = pc.replace_substring_regex(marks, "/.*", "/")
    formats = [FORMATS[each] for each in first.to_pylist()]
    marked = pa.table([folders, pa.array(formats, pa.string())], schema=MARKS)
    return marked.group_by(MARKS.names, use_threads=False).aggregate([]).select(MARKS.names)
