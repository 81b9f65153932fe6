"""Find the folders that table formats mark: their Parquet files are not all live rows, or are of another table.

Readers of these formats choose rows by such files. A program that takes the folder for plain Parquet files would read,
merge or delete others. Rewrites of Hive tables and removals of orphans of every format look for the same marks.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

DELTA, HUDI, ICEBERG, PAIMON = "a Delta table", "a Hudi table", "an Iceberg table", "a Paimon table"
STREAM: Final = "the output of a Spark streaming query"

MARK_PATHS: Final = (
    (DELTA, r"(?s)/_delta_log/.*$"),
    (HUDI, r"(?s)/\.hoodie/.*$"),
    (HUDI, r"/\.hoodie_partition_metadata$"),
    (STREAM, r"(?s)/_spark_metadata/.*$"),
    (PAIMON, r"/schema/schema-[0-9]+$"),
    (ICEBERG, r"(?:/metadata)?/[^/]+\.metadata\.json(?:\.gz)?$"),
)
"""Formats with the end of the paths of files that mark a folder; the folder is the part of the path before it."""

_ANY: Final = "|".join(f"(?:{end})" for _, end in MARK_PATHS)

MARKS: Final = pa.schema([("path", pa.string()), ("folder", pa.string()), ("format", pa.string())])
"""Files that mark a folder, the folder, and the format whose mark it is."""


def marks_in(paths: pa.ChunkedArray) -> pa.Table:
    """Return the folders that files mark, each once with each format and the first of its files; see `MARKS`."""
    shown = paths.filter(pc.match_substring_regex(paths, _ANY))
    found = [MARKS.empty_table()]
    for name, end in MARK_PATHS if len(shown) else ():
        marking = shown.filter(pc.match_substring_regex(shown, end))
        folders = pc.replace_substring_regex(marking, end, "", max_replacements=1)
        found.append(pa.table([marking, folders, pa.repeat(name, len(marking))], schema=MARKS))
    grouped = pa.concat_tables(found).group_by(["folder", "format"], use_threads=False).aggregate([("path", "first")])
    return grouped.rename_columns(["folder", "format", "path"]).select(MARKS.names)
