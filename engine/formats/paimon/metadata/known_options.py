"""Options of Paimon 1.4 and pypaimon 2.1 that tables store: programs that read them, meaning, what they forbid.

A file is not all that a reader knows: an option can change what readers find in a file, where files are, and which
files are needed. An operation is done only if every option of the table is listed here with a value with which that
operation is right. The table in docs/reference/paimon-options.md is generated from it, and a test compares it with
the options of both libraries. Other options are unknown and stop every operation until the catalog's property
`meaningless-parameters` names them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from engine.formats.intake.parameters import Parameter, Parameters, only
from engine.formats.paimon.metadata.plain_options import PLAIN
from engine.rewriting.kernel.storage.places import normalise_uri


class Activity(StrEnum):
    """An operation that options can forbid."""

    KERNEL = "rewrites by the kernel"
    CORE = "rewrites by Paimon's core"
    EXPIRY = "expiry of snapshots"
    TAGS = "expiry of tags"
    ORPHANS = "removal of orphans"


@dataclass(frozen=True, slots=True)
class Option:
    """An option, and the operations that its values can forbid; an option with two rows has two sets of them."""

    parameter: Parameter
    concerns: tuple[Activity, ...] = ()


_REWRITES: Final = (Activity.KERNEL, Activity.CORE)
"""The core commits what the kernel writes, so that it opens the table for both."""

_ALL: Final = tuple(Activity)
_REMOVE: Final = "remove it"
_OFF: Final = "set it to false"
_CODE: Final = "names a class, which the core would load and run"
_ELSEWHERE: Final = "names another place for files of the table"
_BY_ROW_ID: Final = "rows are found by ids, or in parts in several files, which a rewrite would break"
_OTHER_VERSION: Final = "the table is opened at another point in time, or only in part"
_BRANCHES: Final = "the table is opened as a union of branches"
_INSIDE: Final = "form of the inside of files, which the kernel does not follow"
_LEFT_OUT: Final = "rows that can't be read are left out, also of rewritten files"
_ENCRYPTED: Final = "files are encrypted or masked: without keys, rewritten rows would be lost"
_ADDRESS: Final = "names a server or classes that the core would reach with each commit"
_OUTLIVE: Final = "changelogs outlive their snapshots, which only Paimon's own expire writes"


def _forbid(
    concerns: Sequence[Activity], meaning: str, accepted: Sequence[str], remedy: str, *names: str
) -> Iterator[Option]:
    """Yield options of Paimon with which the operations are right for some values only."""
    for name in names:
        yield Option(only(name, "Paimon", meaning, accepted, remedy), tuple(concerns))


_FORBIDDING: Final = (
    *_forbid(
        _ALL,
        "the kind of the table; of others the files are not Paimon's",
        *(("table", "materialized-table"), "register a table of Paimon"),
        "type",
    ),
    *_forbid(_ALL, "the location; only that of the catalog is used", (), "set it to the table's location", "path"),
    *_forbid(_ALL, "the connector of Flink", ("paimon",), "register a table of Paimon", "connector"),
    *_forbid(_ALL, "the provider of Spark", ("paimon",), "register a table of Paimon", "provider"),
    *_forbid(_ALL, "the format of manifests", ("avro",), "set it to avro", "manifest.format"),
    *_forbid(
        (*_REWRITES, Activity.EXPIRY, Activity.ORPHANS),
        f"{_ELSEWHERE}, a branch",
        *(("main",), "register the branch's table without it"),
        "branch",
    ),
    *_forbid(
        (*_REWRITES, Activity.ORPHANS),
        _ELSEWHERE,
        *((), _REMOVE),
        *("data-file.external-paths", "global-index.external-path", "blob-external-storage-path"),
        "blob-external-storage-field",
    ),
    *_forbid(
        _REWRITES,
        _BY_ROW_ID,
        *(("false",), "let Paimon's own action compact the table, or copy its rows to one without"),
        *("row-tracking.enabled", "data-evolution.enabled"),
    ),
    *_forbid(
        _REWRITES,
        "columns whose values are in files of their own",
        *((), "use columns of other types"),
        *("blob-field", "blob-descriptor-field", "blob.stored-descriptor-fields", "blob-descriptor.*", "vector-field"),
        *("vector.file.format", "blob-view-field", "video-frame-field"),
    ),
    *_forbid(
        _REWRITES,
        "columns of the key can be null, which the core 1.4 does not merge",
        ("false",),
        "let pypaimon maintain the table",
        "primary-key.nullable",
    ),
    *_forbid(
        _REWRITES,
        "indexes of a key table's files, which the core 1.4 does not write",
        *((), "let pypaimon maintain the table"),
        *("pk-vector.*", "pk-btree.*", "pk-bitmap.*", "pk-full-text.*"),
    ),
    *_forbid(
        (*_REWRITES, Activity.EXPIRY),
        _BRANCHES,
        ("false",),
        "let Paimon maintain chain tables",
        "chain-table.enabled",
    ),
    *_forbid(
        _REWRITES,
        _BRANCHES,
        *((), "give it to readers as a dynamic option"),
        *("scan.fallback-branch", "scan.fallback-snapshot-branch", "scan.fallback-delta-branch", "scan.primary-branch"),
    ),
    *_forbid(
        _REWRITES,
        _OTHER_VERSION,
        *((), "give it to readers as a dynamic option"),
        *("scan.snapshot-id", "scan.tag-name", "scan.version", "scan.timestamp", "scan.timestamp-millis"),
        *("log.scan.timestamp-millis", "scan.watermark", "scan.creation-time-millis"),
        *("scan.file-creation-time-millis", "incremental-between", "incremental-between-timestamp"),
        "incremental-to-auto-tag",
    ),
    *_forbid(_REWRITES, _OTHER_VERSION, ("none",), "give it to readers as a dynamic option", "batch-scan-mode"),
    *_forbid((Activity.CORE,), _LEFT_OUT, ("false",), _OFF, "scan.ignore-corrupt-files", "scan.ignore-lost-files"),
    *_forbid((Activity.CORE,), _LEFT_OUT, ("false",), _OFF, "json.ignore-parse-errors"),
    *_forbid((Activity.CORE,), _LEFT_OUT, ("failfast", "permissive"), "set it to failfast", "csv.mode", "mode"),
    *_forbid(
        _REWRITES,
        _ENCRYPTED,
        *((), "let a program with the keys compact the table"),
        *("orc.encrypt", "orc.mask", "orc.key.provider", "parquet.encryption.*", "parquet.crypto.*"),
    ),
    *_forbid(
        (Activity.KERNEL,),
        _INSIDE,
        *((), "let Paimon's core rewrite it"),
        *("file-index.*", "parquet.block.size", "parquet.page.size", "parquet.dictionary.page.size"),
        *("parquet.enable.dictionary", "parquet.enable.dictionary#*", "parquet.writer.version"),
        *("parquet.page.row.count.limit", "parquet.page.size.row.check.min", "parquet.page.size.row.check.max"),
        *("parquet.bloom.filter.*", "parquet.compression.codec.zstd.*", "parquet.columnindex.truncate.length"),
        *(
            "parquet.statistics.truncate.length",
            "parquet.memory.pool.ratio",
            "parquet.compression",
            "parquet.variant.shreddingSchema",
        ),
    ),
    *_forbid(
        (Activity.CORE,),
        "files of lookups in the store, which only the core knows",
        ("false",),
        _OFF,
        "lookup.remote-file.enabled",
    ),
    *_forbid(_REWRITES, _CODE, (), _REMOVE, "commit.callbacks", "commit.callback.*.param", "commit.custom-listeners"),
    *_forbid((*_REWRITES, Activity.TAGS), _CODE, (), _REMOVE, "tag.callbacks", "tag.callback.*.param"),
    *_forbid(_REWRITES, _CODE, (), _REMOVE, "partition.mark-done-action.custom.class"),
    *_forbid(
        (Activity.TAGS,),
        "each tag has a mark of success, which only the core removes",
        *(("false",), "let Paimon expire tags"),
        "tag.create-success-file",
    ),
    *_forbid(
        (Activity.TAGS,),
        "each tag is a partition in a Metastore, which only the core removes",
        *((), "let Paimon expire tags"),
        "metastore.tag-to-partition",
    ),
    *_forbid(
        (Activity.EXPIRY, Activity.TAGS),
        "metadata by which readers of Iceberg read the table; its snapshots can need files for longer",
        *(("disabled",), "let Paimon expire snapshots"),
        "metadata.iceberg.storage",
    ),
    *_forbid(
        (Activity.EXPIRY, Activity.TAGS),
        "metadata by which readers of Iceberg read the table, from Paimon 0.9",
        *(("false",), "let Paimon expire snapshots"),
        "metadata.iceberg-compatible",
    ),
    *_forbid(
        _REWRITES,
        "metadata for readers of Iceberg, which the core writes with each commit",
        *(("disabled", "table-location"), "set it to table-location"),
        "metadata.iceberg.storage",
    ),
    *_forbid(
        _REWRITES,
        f"{_ELSEWHERE}, metadata of Iceberg",
        *(("table-location",), "set it to table-location"),
        "metadata.iceberg.storage-location",
    ),
    *_forbid(
        _REWRITES,
        _ADDRESS,
        *((), _REMOVE),
        *("metadata.iceberg.uri", "metadata.iceberg.hive-conf-dir", "metadata.iceberg.hadoop-conf-dir"),
        *("metadata.iceberg.hive-client-class", "metadata.iceberg.rest.*"),
    ),
    *_forbid(
        (Activity.EXPIRY, Activity.ORPHANS),
        _OUTLIVE,
        *((), "remove it, or let Paimon expire snapshots"),
        *("changelog.time-retained", "changelog.num-retained.min", "changelog.num-retained.max"),
    ),
    *_forbid(
        _REWRITES,
        "writers refuse to commit after a compaction by another program",
        *((), "remove it, also where writers set it"),
        "commit.strict-mode.last-safe-snapshot",
    ),
    *_forbid(
        _REWRITES,
        "commits wait until writers have compacted their rows",
        ("false",),
        _OFF,
        "visibility-callback.enabled",
    ),
)

OPTIONS: Final = (*_FORBIDDING, *(Option(each) for each in PLAIN))
"""All known options."""


def _of(work: Activity) -> Parameters:
    """Return the options as one operation takes them."""
    rows: dict[str, Parameter] = {}
    for each in OPTIONS:
        it = each.parameter
        if work in each.concerns or it.name not in rows:
            rows[it.name] = it if work in each.concerns else replace(it, accepted=None, remedy="")
    return Parameters(tuple(rows.values()), noun="option")


KNOWN: Final[Mapping[Activity, Parameters]] = {work: _of(work) for work in Activity}


def problems_of(
    work: Activity, given: Mapping[str, str], *, location: str, meaningless: Sequence[str] = ()
) -> Sequence[str]:
    """Return a clause for each option of a table with which an operation is not done: its name, meaning and remedy.

    Args:
        work: the operation.
        given: the options, by name.
        location: that of the table, which its option `path` may repeat.
        meaningless: patterns of further names, in lower case, that an administrator declared to change nothing.
    """
    here = normalise_uri(location.strip())
    others = {name: each for name, each in given.items() if name != "path" or normalise_uri(each.strip()) != here}
    return list(KNOWN[work].problems(others, meaningless))
