"""Write the lists of table features in the documentation, from the lists by which operations are refused.

    PYTHONPATH=. python scripts/features [--check]

A page has the text between `<!-- generated: NAME -->` and `<!-- end -->` from here. `--check` writes nothing: exit
status 1 if a page would change.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from re import DOTALL, Match, sub
from typing import Any

from engine.formats.hive.metadata import parameters
from engine.formats.hive.metadata.storage import INPUT_FORMATS, SERDES
from engine.formats.hive.metadata.tables import CODECS as HIVE_CODECS
from engine.formats.hive.metadata.tables import TABLES, VIEWS
from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.known import COPIED_TYPES, TRANSFORMS, TYPES
from engine.formats.iceberg.features.properties import NAMESPACES, PROPERTIES
from engine.formats.intake.other_formats import MARK_PATHS
from engine.formats.intake.parameters import Parameter
from engine.formats.paimon.metadata import schemas, snapshots
from engine.formats.paimon.metadata.arrow_types import readable_columns
from engine.formats.paimon.metadata.known_options import OPTIONS
from engine.formats.paimon.metadata.options import CHANGELOG_PRODUCERS, MERGE_ENGINES
from engine.formats.paimon.metadata.partitions import READABLE
from engine.formats.paimon.metadata.types import PARTS, SCALARS, parse_type
from engine.formats.paimon.rewrite.conditions import CODECS, OF_APPENDS, OF_KEYS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/reference/iceberg-features.md", "docs/reference/paimon-options.md", "docs/reference/hive-parameters.md")
Rows = Iterator[Sequence[str]]


def iceberg() -> Rows:
    """Yield each feature of Iceberg tables, what is handled of it, and what happens otherwise."""
    native = "others (condition `known_types`) are left to Iceberg's procedure; a type that PyIceberg does not know is"
    not_native = "Iceberg's procedure rewrites no such table (condition `native_known_types`)"
    of_order = (
        "refused, for partition fields and sort orders; with arguments that PyIceberg does not know, the table is"
    )
    yield (
        "format versions",
        "1, 2 and 3",
        "a later one is not opened",
    )
    yield "types of columns", f"{_listed(TYPES.values())} by the kernel", f"{native} not opened"
    yield (
        "types of columns that are copied",
        f"{_listed(COPIED_TYPES)}: outputs of the kernel have them as its inputs store them; no order goes by them",
        f"groups whose files all shred variants differently are refused (`mixed_layouts`); {not_native}",
    )
    yield "transforms", _listed(TRANSFORMS.values()), f"{of_order} not opened"
    yield (
        "sort orders",
        "a rewrite with the strategy `sort` follows the table's own; files state the order that they have",
        "orders by transformed columns: name columns in the policy",
    )
    yield (
        "delete files",
        "position deletes and deletion vectors are applied by rewrites, merged and made by `rewrite_deletes`",
        "equality deletes (condition `no_equality_deletes`) are left to Iceberg's procedure",
    )
    yield "data files", "Parquet by the kernel (condition `parquet_only`); ORC and Avro by Iceberg's procedure", ""
    yield (
        "branches and tags",
        "never moved or removed; their snapshots are kept, those of branches by their own settings",
        "rewrites are of `main`",
    )
    yield (
        "statistics files",
        "removed from the metadata with their snapshot; kept on disk as long as the metadata refers to them",
        "a kind of blob that PyIceberg does not know: the table is not opened",
    )


def paimon() -> Rows:
    """Yield each feature of Paimon tables, what is handled of it, and what happens otherwise."""
    kernel = [root for root in sorted({*SCALARS, *PARTS, "ROW"}) if _is_readable(root)]
    others = sorted({*SCALARS, *PARTS} - {*kernel, "BLOB"})
    versions = f"of schemas up to {schemas.NEWEST_VERSION}, of snapshots up to {snapshots.NEWEST_VERSION}"
    yield "versions", versions, "the table is not opened"
    yield (
        "types of columns",
        f"{_listed(kernel)} by the kernel, timestamps with up to 6 digits; {_listed(others)} by the core",
        "`kernel_column_types`, `native_no_blobs`; a table with another type is not opened",
    )
    yield (
        "types of partition columns",
        f"{_listed(sorted(READABLE))}, timestamps with up to 6 digits",
        "the table is not opened",
    )
    yield "buckets of append tables", _listed(OF_APPENDS), "`native_bucket_mode`"
    yield "buckets of tables with a primary key", f"{_listed(OF_KEYS)}, by the core", "`native_bucket_mode`"
    yield "merge engines", f"{_listed(MERGE_ENGINES)}, by the core", "the table is not opened"
    yield "changelog producers", f"{_listed(CHANGELOG_PRODUCERS)}, by the core", "the table is not opened"
    for kind, codecs in CODECS.items():
        by = "the kernel and the core" if kind == "parquet" else "the core"
        yield f"{kind} files", f"by {by}; written with {_listed(sorted(codecs))}", "`native_codecs`"
    yield "files of another format", "none", "`kernel_file_format`, `native_file_format`"
    yield (
        "deletion vectors",
        "of tables with a primary key, and of append tables without buckets, by the core",
        "`kernel_no_vectors`, `native_vectors_of_files`",
    )
    yield "manifests", "Avro", "the table is not opened"
    yield "branches and tags", "never moved; their files are kept", "tags expire by an operation of its own"
    yield "columns that changed", "added, dropped, renamed and reordered ones by both; other types by the core", ""


def hive() -> Rows:
    """Yield each feature of tables of a Metastore, what is handled of it, and what happens otherwise."""
    yield "kinds", f"{_listed(sorted(TABLES))}; managed ones are read, not rewritten", "`external`"
    yield "views", "none", f"{_listed(sorted(VIEWS))}: not listed, and not opened"
    yield "input formats", _listed(sorted(INPUT_FORMATS)), "not listed, and not opened; a partition is left out"
    yield "serdes", _listed(sorted(SERDES)), "`known_storage`, `known_partitions`"
    yield "codecs of `parquet.compression`", _listed(HIVE_CODECS), "the policy's, or its default"
    yield (
        "types of columns",
        "those of the files, in the form in which they are stored",
        "the partition is left out: a type that outputs would not state, or two types of one column",
    )
    yield "types of partition keys", "every one; a text that is not a value of its type counts as null", ""
    yield "defaults of columns", "Hive's and Trino's are stored with the rows", "Spark's, see the table of columns"
    yield "constraints", "entries of the Metastore, which no rewrite changes; rows are not checked", ""
    yield "buckets and their order", "none: engines join tables by file names", "`not_bucketed`"
    yield "`SKEWED BY`", "none", "`known_storage`"
    yield "ACID and insert-only tables", "none", "not opened, or `known_parameters`"
    yield "locations", "of the table, and those that the catalog allows", "`locations_allowed`"
    yield "statistics", "sizes of a rewritten partition are updated; those of rows are kept, as its rows are", ""
    marks = sorted({name for name, _ in MARK_PATHS})
    yield "folders of other formats", "none", f"`no_other_format`: {', '.join(marks)}"


def _is_readable(root: str) -> bool:
    """Return whether the kernel has a type for a column of this kind, with elements or fields of type INT."""
    field = {"id": 1, "name": "f", "type": "INT"}
    nested = {"type": root, "fields": [field], **dict.fromkeys(PARTS.get(root, ()), "INT")}
    of = parse_type(root if root in SCALARS else nested)
    return bool(readable_columns(schemas.TableSchema(0, (schemas.Column(0, "c", of),), (), (), {}, 0, 0)))


def _listed(names: Collection[Any]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(each)} |".replace("|  |", "| |") for each in lines)


def _parameters(rows: Sequence[Any], name: str) -> Rows:
    """Yield rows of parameters, those with the same statements in one. `name`: of the field with their parameter."""

    def statements(row: Any) -> tuple[str, ...]:
        it: Parameter = getattr(row, name, row)
        concerns = (", ".join(row.concerns) or "none",) if name else ()
        return it.writers, it.meaning, f"{it.decision}{f'; otherwise {it.remedy}' if it.remedy else ''}", *concerns

    for found, group in groupby(rows, statements):
        yield _listed([getattr(each, name, each).name for each in group]), *found


def _without_decision(rows: Rows) -> Rows:
    yield from (row[:3] for row in rows)


OF_CONCERNS = ("accepted", "otherwise forbidden")
OF_HIVE = ("parameter", "written by", "meaning", "rewritten with the value")
FEATURES = ("feature", "handled", "otherwise")
FORBIDDING = [each for each in OPTIONS if each.concerns]
PLAIN = [each for each in OPTIONS if not each.concerns]
SECTIONS: Mapping[str, Callable[[], str]] = {
    "iceberg": lambda: _table(FEATURES, iceberg()),
    "iceberg fields": lambda: _table(
        ("field", "since version", "meaning", *OF_CONCERNS), _parameters(FIELDS, "parameter")
    ),
    "iceberg namespaces": lambda: _listed(NAMESPACES),
    "iceberg properties": lambda: _table(
        ("property", "written by", "meaning", *OF_CONCERNS), _parameters(PROPERTIES, "parameter")
    ),
    "paimon": lambda: _table(FEATURES, paimon()),
    "paimon forbidding": lambda: _table(
        ("option", "read by", "meaning", "accepted values", "otherwise forbidden"), _parameters(FORBIDDING, "parameter")
    ),
    "paimon plain": lambda: _table(
        ("option", "read by", "meaning"), _without_decision(_parameters(PLAIN, "parameter"))
    ),
    "hive": lambda: _table(FEATURES, hive()),
    "hive tables": lambda: _table(OF_HIVE, _parameters(parameters.TABLE, "")),
    "hive serdes": lambda: _table(OF_HIVE, _parameters(parameters.SERDE, "")),
    "hive columns": lambda: _table(OF_HIVE, _parameters(parameters.METADATA, "")),
}


def _generated(found: Match[str]) -> str:
    return f"<!-- generated: {found[1]} -->\n{SECTIONS[found[1]]()}\n<!-- end -->"


def main(arguments: Sequence[str]) -> int:
    """Write or check the pages; return the exit status."""
    status = 0
    for page in PAGES:
        written = (ROOT / page).read_text()
        made = sub(r"<!-- generated: ([a-z ]+) -->\n.*?<!-- end -->", _generated, written, flags=DOTALL)
        if "--check" not in arguments:
            (ROOT / page).write_text(made)
        elif made != written:
            print(f"{page} does not match the lists of engine/formats: run `make openapi`", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
