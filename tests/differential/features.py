"""Features that other programs give to tables: those that Packhouse handles, and those that it refuses by name.

Handled ones are given by Spark, as its users do: properties, identifier fields, name mappings, statistics, rollbacks,
staged and cherry-picked snapshots, replaced tables. Refused ones are written into the metadata, as no client here knows
them: rows then have to be the same because nothing was done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final
from uuid import uuid4

from pyiceberg.table import Table
from pyiceberg.types import BooleanType

from tests.differential.writers import Pens

PROPERTIES: Final[Mapping[str, Sequence[str]]] = {
    "write.parquet.page-version": ("v1", "v2"),
    "write.parquet.row-group-size-bytes": ("1024", "134217728"),
    "write.parquet.page-size-bytes": ("1024", "1048576"),
    "write.parquet.row-group-check-min-record-count": ("1", "100"),
    "write.parquet.bloom-filter-enabled.column.id": ("false",),
    "write.parquet.bloom-filter-max-bytes": ("1048576",),
    "write.parquet.stats-enabled.column.id": ("true", "false"),
    "write.parquet.dict-encoding-enabled.column.id": ("true", "false"),
    "write.metadata.metrics.column.id": ("full", "counts", "none", "truncate(2)"),
    "write.metadata.metrics.max-inferred-column-defaults": ("1", "100"),
    "write.summary.partition-limit": ("0", "100"),
    "write.target-file-size-bytes": ("4096", "536870912"),
    "write.spark.fanout.enabled": ("true", "false"),
    "write.delete.isolation-level": ("snapshot", "serializable"),
    "write.object-storage.partitioned-paths": ("true", "false"),
    "write.avro.compression-codec": ("gzip", "zstd", "uncompressed"),
    "commit.manifest-merge.enabled": ("true", "false"),
    "commit.retry.num-retries": ("2",),
    "compatibility.snapshot-id-inheritance.enabled": ("true", "false"),
    "read.split.target-size": ("4096", "134217728"),
    "read.parquet.vectorization.batch-size": ("7",),
    "identifier-fields.rely": ("true", "false"),
    "schema.name-mapping.default": ('[{"field-id": 1, "names": ["id", "old_id"]}]',),
    "history.expire.max-ref-age-ms": ("9223372036854775807",),
    "owner.team": ("sales",),
    "writer": ("job-7",),
}

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A feature that no operation of Packhouse accepts, and how its refusal begins.

    `is_of_writing`: in version 3, it forbids only operations that add files.
    """

    change: Callable[[Body], None]
    refusal: str
    is_of_writing: bool = False

    @property
    def is_field(self) -> bool:
        """Whether it is a field of the metadata itself, which programs drop that do not know it."""
        return self.refusal.startswith("metadata: ")


def _snapshot(name: str) -> Callable[[Body], None]:
    return lambda body: body["snapshots"][-1].update({name: 1})


def _column(name: str, value: str) -> Callable[[Body], None]:
    return lambda body: body["schemas"][-1]["fields"][-1].update({name: value})


def _spec(body: Body) -> None:
    number = 1 + max(each["spec-id"] for each in body["partition-specs"])
    field = {"source-id": 1, "field-id": 2000, "name": "near", "transform": "geohash[6]"}
    body["partition-specs"].append({"spec-id": number, "fields": [field]})
    body["last-partition-id"] = 2000


UNKNOWN: Final = (
    Unknown(lambda body: body.update({"row-filters": [{"id": 1}]}), "metadata: row-filters is not a known field"),
    Unknown(_snapshot("overlay"), "metadata: snapshots.overlay is not a known field"),
    Unknown(_column("masked-by", "sha2"), "metadata: schemas.masked-by is not a known field"),
    Unknown(
        lambda body: body.update({"encryption-keys": [{"key-id": "1", "encrypted-key-metadata": "eA=="}]}),
        "metadata: encryption-keys is 'a list of 1' (files are encrypted",
    ),
    Unknown(_spec, "partition field near has the transform 'geohash[6]'", is_of_writing=True),
    Unknown(
        lambda body: body["properties"].update({"write.row-level-security": "on"}),
        "write.row-level-security is not a known table property",
    ),
    Unknown(
        lambda body: body["properties"].update({"delta-version": "7"}),
        "delta-version is '7' (the metadata is generated from a table of another format",
    ),
)


def give(table: Table, pens: Pens, insert: Callable[[Pens], str], random: Random) -> str:
    """Give a table a feature that Packhouse handles; return what was done. `insert`: appends rows by Spark."""
    given = (_set_properties, _set_properties, _identify, _count, _roll_back, _stage, _replace)
    return random.choice(given)(table, pens, insert, random)


def _set_properties(table: Table, pens: Pens, _insert: Callable[[Pens], str], random: Random) -> str:
    chosen = {name: random.choice(PROPERTIES[name]) for name in random.sample(list(PROPERTIES), 4)}
    if any(isinstance(each.field_type, BooleanType) for each in table.schema().fields):
        chosen.pop("write.parquet.page-version", None)  # Spark's vectorised reader can't read booleans of its own pages
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in chosen.items())
    _run(pens, f"ALTER TABLE {pens.name} SET TBLPROPERTIES ({listed})")
    return f"properties {chosen}"


def _identify(table: Table, pens: Pens, _insert: Callable[[Pens], str], _random: Random) -> str:
    name = table.schema().find_column_name(1)
    _run(pens, f"ALTER TABLE {pens.name} ALTER COLUMN `{name}` SET NOT NULL")
    _run(pens, f"ALTER TABLE {pens.name} SET IDENTIFIER FIELDS `{name}`")
    return f"identified by {name}"


def _count(_table: Table, pens: Pens, _insert: Callable[[Pens], str], random: Random) -> str:
    procedure = random.choice(("compute_table_stats", "compute_partition_stats"))
    _call(pens, procedure)
    return procedure


def _roll_back(table: Table, pens: Pens, _insert: Callable[[Pens], str], random: Random) -> str:
    """Go back to an ancestor, or to any snapshot, and write there."""
    past = [each.snapshot_id for each in table.history()]
    if len(past) < 2:
        return "no earlier snapshot"
    procedure = random.choice(("rollback_to_snapshot", "set_current_snapshot"))
    to = random.choice(past[:-1])
    _call(pens, procedure, f"snapshot_id => {to}")
    return f"{procedure} {to}"


def _stage(_table: Table, pens: Pens, insert: Callable[[Pens], str], random: Random) -> str:
    """Write a snapshot that is not on any branch; publish it, or not."""
    _run(pens, f"ALTER TABLE {pens.name} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    wap = uuid4().hex
    pens.spark.conf.set("spark.wap.id", wap)
    try:
        told = insert(pens)
    finally:
        pens.spark.conf.unset("spark.wap.id")
    if random.random() < 0.3:
        insert(pens)  # so that the staged snapshot is no child of the head
    if random.random() < 0.7:
        _call(pens, "publish_changes", f"wap_id => '{wap}'")
        return f"{told}, staged and published"
    return f"{told}, staged"


def _replace(_table: Table, pens: Pens, _insert: Callable[[Pens], str], _random: Random) -> str:
    _run(pens, f"CREATE OR REPLACE TABLE {pens.name} USING iceberg AS SELECT * FROM {pens.name}")
    return "replaced by its own rows"


def _call(pens: Pens, procedure: str, arguments: str = "") -> None:
    given = ", ".join(filter(None, (f"table => '{pens.name}'", arguments)))
    _run(pens, f"CALL {pens.name.partition('.')[0]}.system.{procedure}({given})")


def _run(pens: Pens, statement: str) -> None:
    pens.spark.sql(statement).collect()
