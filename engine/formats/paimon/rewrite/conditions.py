"""The conditions under which Packhouse compacts a table with Paimon's core, or with its own kernel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from engine.formats.base import Condition
from engine.formats.intake.parameters import listed
from engine.formats.paimon.metadata.arrow_types import NoArrowType, arrow_schema
from engine.formats.paimon.metadata.known_options import Activity
from engine.formats.paimon.metadata.option_values import unparsed
from engine.formats.paimon.metadata.options import BucketMode, TableOptions
from engine.formats.paimon.rewrite.stores import store_of, store_problem
from engine.formats.paimon.view import TableView

NO_KERNEL: Final = "Packhouse's kernel does not merge files by primary key and level; Paimon's core does"

NO_ORDER: Final = "this version does not order the rows of Paimon tables"
OF_KEYS: Final = (BucketMode.FIXED, BucketMode.DYNAMIC)
OF_APPENDS: Final = (BucketMode.UNAWARE, BucketMode.FIXED)
_PARQUET: Final = "parquet"
CODECS: Final[Mapping[str, frozenset[str]]] = {
    _PARQUET: frozenset({"none", "uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw"}),
    "orc": frozenset({"none", "snappy", "zlib", "zstd", "lz4", "lzo"}),
    "avro": frozenset({"null", "snappy", "deflate", "bzip2", "zstd", "zstandard"}),
    "csv": frozenset({"none"}),
    "json": frozenset({"none"}),
    "text": frozenset({"none"}),
}
"""Formats of files that the core 1.4 rewrites, with the codecs that it has for them.

It reads compressed text only in part. Classes for Brotli and LZO of Parquet are neither in Paimon's jar nor in those of
Spark.
"""
_DEFAULT_CODEC: Final = "zstd"
_LOGGING: Final = ("lookup", "full-compaction")
"""Producers of changelogs by which a compaction writes them."""

_VECTORS_OF_BUCKET: Final = (
    "Paimon keeps the deletion vectors of a bucket in one index file, which a DELETE and a compaction at the same time "
    "can overwrite for each other: use a table without buckets (bucket: -1), or without deletion-vectors.enabled"
)


def core_conditions(view: TableView, properties: Mapping[str, str], *, by_kernel: bool = False) -> Iterator[Condition]:
    """Yield every condition of a table, met or not. Reads its schema; the manifests unless `by_kernel`.

    Args:
        view: the table.
        properties: those of its catalog for access to the store.
        by_kernel: the kernel merges the files, and the core only commits them.
    """
    options = view.options
    problem = store_problem(view.files.location, properties)
    told = problem or f"{store_of(view.files.location)}, which the core can read and write"
    yield Condition("native_store", problem is None, told)
    unread = [*unparsed(view.schema.options), *_contradictions(view)]
    yield Condition("native_option_values", not unread, listed(unread) or "the core can read the value of each option")
    modes = OF_KEYS if view.schema.primary_keys else OF_APPENDS
    kinds = f"{' and '.join(modes)} ones of {_kind_of(view)}"
    detail = f"{options.bucket_mode}; compacted are {kinds}{_remedy_of_postponed(options)}"
    yield Condition("native_bucket_mode", options.bucket_mode in modes, detail)
    yield _one_compactor(options)
    if options.has_deletion_vectors and options.bucket_mode is BucketMode.FIXED and not view.schema.primary_keys:
        yield Condition("native_vectors_of_files", False, _VECTORS_OF_BUCKET)
    if not by_kernel:
        yield native_options(view)
        yield _formats(view)
        yield _codecs(view)
    blobs = ", ".join(each.name for each in view.schema.columns if each.type.root == "BLOB")[:200]
    told = f"columns of type BLOB, whose files are not compacted: {blobs}" if blobs else "no columns of type BLOB"
    yield Condition("native_no_blobs", not blobs, told)


def _contradictions(view: TableView) -> Iterator[str]:
    """Yield a clause for each option that the core refuses for this table, although it can read its value."""
    given, names = view.schema.options, {each.name for each in view.schema.columns}
    if given.get("sort-spill-threshold", "").strip() in ("0", "1"):
        yield "sort-spill-threshold is below 2: set it to 2 or more"
    if "partition.expiration-time" in given and not view.schema.partition_keys:
        yield "partition.expiration-time is set, and the table has no partitions: remove it"
    if "record-level.expire-time" in given and "record-level.time-field" not in given:
        yield "record-level.expire-time is set without record-level.time-field: set both, or remove it"
    if (name := given.get("record-level.time-field", "")) and _is_shifted(view, name.strip()):
        yield (
            f"record-level.time-field {name[:80]} has local times in ORC files, which Paimon stores in the zone of "
            "each writer: use a TIMESTAMP, or orc.timestamp-ltz.legacy.type: false in a new table"
        )
    sequence = [each.strip() for each in given.get("sequence.field", "").split(",") if each.strip()]
    if lost := sorted(set(sequence) - names):
        yield f"sequence.field names {', '.join(lost)[:200]}, which is not a column: remove it"
    if merged := [each for each in sequence if f"fields.{each}.aggregate-function" in given]:
        yield f"fields.{merged[0][:80]}.aggregate-function is set for a column of sequence.field: remove one of them"
    yield from _of_first_row(view, sequence)
    if not view.schema.primary_keys and view.options.changelog_producer != "none":
        yield "changelog-producer is set, and the table has no primary key: remove it"


def _is_shifted(view: TableView, name: str) -> bool:
    """Return whether the moments of a column, as another JVM reads them, depend on the time zone of their writer."""
    given = view.schema.options
    is_local = any(each.name == name and each.type.root == "TIMESTAMP_LTZ" for each in view.schema.columns)
    return (
        is_local and "orc" in written_formats(view) and _word(given, "orc.timestamp-ltz.legacy.type", "true") == "true"
    )


def _of_first_row(view: TableView, sequence: Sequence[str]) -> Iterator[str]:
    """Yield what the core refuses with the merge engine first-row, some of it of append tables as well."""
    if _word(view.schema.options, "merge-engine", "deduplicate") != "first-row":
        return
    if view.schema.primary_keys and sequence:
        yield "sequence.field is set with the merge engine first-row, which keeps the first row: remove it"
    if view.options.has_deletion_vectors:
        yield "deletion-vectors.enabled is true with the merge engine first-row: set it to false"
    if (producer := view.options.changelog_producer) not in ("none", "lookup"):
        yield f"changelog-producer is {producer} with the merge engine first-row: set it to none or lookup"


def native_options(view: TableView) -> Condition:
    """Return that the core's rewrite is right with every option of a table."""
    return _known("native_known_options", view.option_problems(Activity.CORE))


def kernel_conditions(view: TableView) -> Iterator[Condition]:
    """Yield the conditions under which the kernel merges files itself, besides those of the core, which commits them.

    Reads the manifests, and the schemas of live files.
    """
    if view.schema.primary_keys:
        yield Condition("kernel_merges_files", False, NO_KERNEL)
        return
    if view.options.bucket_mode is BucketMode.FIXED:
        yield Condition("kernel_order_of_arrival", True, "neighbours of a bucket are merged, in the order of arrival")
    has_vectors = view.options.has_deletion_vectors
    detail = "rows are deleted by vectors, which only the core applies" if has_vectors else "no deletion vectors"
    yield Condition("kernel_no_vectors", not has_vectors, detail)
    written = _word(view.schema.options, "file.format", _PARQUET)
    others = sorted({each for each in view.live.formats() if each != _PARQUET})
    detail = f"files of other formats: {', '.join(others)[:200]}" if others else f"{written} files"
    yield Condition("kernel_file_format", written == _PARQUET and not others, detail)
    yield _known("kernel_known_options", view.option_problems(Activity.KERNEL))
    yield _types(view)


def _types(view: TableView) -> Condition:
    """Return that the kernel writes columns as the core does, and reads those of every older schema of a file."""
    name = "kernel_column_types"
    try:
        present = {each.id: each for each in view.schema.columns}
        arrow_schema(view.schema)
    except NoArrowType as error:
        return Condition(name, False, f"{str(error)[:200]}; only the core writes it")
    ids = view.live.files["schema_id"].unique().to_pylist()
    for number in sorted(set(ids) - {view.schema.id}):
        for column in view.files.schema(number).columns:
            now = present.get(column.id)
            if now is not None and replace(now.type, is_nullable=True) != replace(column.type, is_nullable=True):
                detail = f"{column.name} was {column.type.text} in schema {number} and is {now.type.text}"
                return Condition(name, False, f"{detail}; only the core converts it")
    return Condition(name, True, "the kernel writes and reads them as the core does")


def _known(name: str, problems: Sequence[str]) -> Condition:
    return Condition(name, not problems, listed(problems) or "each option of the table is known")


def _formats(view: TableView) -> Condition:
    """Return that the core reads a table's files, and writes the formats that its options name."""
    wanted = written_formats(view)
    lacking = ", ".join(sorted({*wanted, *view.live.formats()} - CODECS.keys()))[:200]
    remedy = f"name one of {', '.join(CODECS)}, and let the program that wrote the other files write them again"
    told = f"files of format {lacking}, which the core lacks: {remedy}" if lacking else ", ".join(sorted(wanted))
    return Condition("native_file_format", not lacking, told)


def written_formats(view: TableView) -> frozenset[str]:
    """Return the formats of the files that a compaction by the core writes, by the table's options."""
    return frozenset(each for _, each, _ in _written(view))


def _codecs(view: TableView) -> Condition:
    """Return that the core can write with the codecs that a table's options name, and read what it has written."""
    lacking = [
        f"{name} names {codec[:40]}, which the core lacks for {kind} files: use {', '.join(sorted(CODECS[kind]))}"
        for name, kind, codec in _written(view)
        if kind in CODECS and codec not in CODECS[kind]
    ]
    return Condition("native_codecs", not lacking, listed(lacking) or "it has them")


def _written(view: TableView) -> Iterator[tuple[str, str, str]]:
    """Yield the option that names a codec, the format and the codec of the files that a compaction by the core writes.

    Only tables with a primary key have levels and changelogs.
    """
    given, options = view.schema.options, view.options
    kind, codec = _word(given, "file.format", _PARQUET), _word(given, "file.compression", _DEFAULT_CODEC)
    yield "file.compression", kind, codec
    if not view.schema.primary_keys:
        return
    kinds, codecs = (_per_level(given, f"file.{each}.per.level") for each in ("format", "compression"))
    for level in sorted(kinds.keys() | codecs.keys()):
        yield "file.compression.per.level", kinds.get(level, kind), codecs.get(level, codec)
    if options.changelog_producer in _LOGGING:
        logged = _word(given, "changelog-file.format", kind)
        yield "changelog-file.compression", logged, _word(given, "changelog-file.compression", codec)


def _word(given: Mapping[str, str], name: str, default: str) -> str:
    return given.get(name, default).strip().lower()


def _per_level(given: Mapping[str, str], name: str) -> Mapping[str, str]:
    """Return the values of an option such as `0:lz4,5:zstd`, by level."""
    pairs = (each.partition(":") for each in _word(given, name, "").split(","))
    return {level.strip(): value.strip() for level, _, value in pairs if value.strip()}


def _remedy_of_postponed(options: TableOptions) -> str:
    if options.bucket_mode is not BucketMode.POSTPONE:
        return ""
    return "; let Paimon's compact procedure distribute the rows of bucket -2, or use a number of buckets"


def _kind_of(view: TableView) -> str:
    return "tables with a primary key" if view.schema.primary_keys else "append tables"


def _one_compactor(options: TableOptions) -> Condition:
    """Return that writers leave compaction to others; two compactors of a bucket waste the work of one of them."""
    if options.bucket_mode is BucketMode.UNAWARE:
        return Condition("native_one_compactor", True, "writers of tables without buckets compact nothing they append")
    detail = "write-only is true" if options.is_write_only else "writers compact too: set the table option write-only"
    return Condition("native_one_compactor", options.is_write_only, detail)
