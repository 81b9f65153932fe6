"""Odd Iceberg tables, made without Spark: features of other writers, types and places, from a seed.

What a table gets is drawn from the lists of the stories (`features`, `writers`, `deletes`) and of this module: types
that PyIceberg can't write are put into the metadata afterwards, as an engine of a later version does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec, _to_partition_representation
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.typedef import Record
from pyiceberg.types import (
    DecimalType,
    FixedType,
    IcebergType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimeType,
    UUIDType,
)

from engine.domain.runs.drops import UNREADABLE
from engine.rewriting.kernel.errors import MISSING_REQUIRED_FIELD, NO_FIELD_IDS, UNSUPPORTED_PARTITION
from engine.rewriting.kernel.reading.projection import without_ids
from tests.differential import writers
from tests.differential.deletes import delete_by_equality, delete_positions
from tests.differential.features import PROPERTIES, UNKNOWN, Body
from tests.differential.schemas import ID, PLAIN, sources
from tests.differential.values import random_rows
from tests.support.iceberg_tables import edit_metadata
from tests.support.world import NAME

_NAMES: Final = ("a", "odd name", "select", "größe", "UPPER", "upper", "x.y", "_file", "_pos", "_row_id", "$p", "9th")
_TYPES: Final[Sequence[Callable[[Random], IcebergType]]] = (
    *PLAIN,
    lambda _: TimeType(),
    lambda _: UUIDType(),
    lambda random: FixedType(random.choice((1, 4, 16))),
    lambda random: DecimalType(precision := random.randint(1, 38), random.randint(0, precision)),
)
_TRANSFORMS: Final[Sequence[Transform[Any, Any]]] = (
    *(IdentityTransform(),) * 4,
    *(BucketTransform(3), TruncateTransform(2)),
    *(YearTransform(), MonthTransform(), DayTransform(), HourTransform()),
)
_ODD_PROPERTIES: Final[Mapping[str, Sequence[str]]] = {
    "write.parquet.compression-codec": ("brotli", "lz4", "lzo", "none", "ZSTD", "", "zstd:3"),
    "write.parquet.compression-level": ("99", "-5", "fast"),
    "write.parquet.row-group-size-bytes": ("0", "-1", "many"),
    "write.parquet.page-size-bytes": ("1", "x"),
    "write.parquet.dict-size-bytes": ("0", "x"),
    "write.target-file-size-bytes": ("1", "x", "9223372036854775807"),
    "write.metadata.metrics.default": ("full", "none", "truncate(0)", "most"),
    "write.metadata.metrics.column.a": ("full", "truncate(-1)", "x"),
    "write.metadata.metrics.max-inferred-column-defaults": ("0", "x"),
    "write.format.default": ("PARQUET", "avro", "orc", "csv"),
    "write.delete.format.default": ("avro", "puffin"),
    "write.delete.granularity": ("file", "x"),
    "write.object-storage.enabled": ("true", "TRUE", "1"),
    "write.object-storage.partitioned-paths": ("false", "x"),
    "write.data.path": ("{table}/elsewhere", "{table}/../other", "file:///tmp", "s3://bucket/a", "relative"),
    "write.object-storage.path": ("{table}/hashed", "{table}/../other"),
    "write.folder-storage.path": ("{table}/folders",),
    "write.metadata.path": ("{table}/meta", "{table}/../other"),
    "write.location-provider.impl": ("com.example.Mine",),
    "write.metadata.compression-codec": ("gzip", "none", "zstd", "x"),
    "write.metadata.previous-versions-max": ("1", "0", "x"),
    "write.metadata.delete-after-commit.enabled": ("true", "x"),
    "write.manifest.compression-codec": ("zstd", "x"),
    "write.manifest-lists.enabled": ("false",),
    "write.parquet.bloom-filter-enabled.column.a": ("true", "x"),
    "commit.retry.num-retries": ("0", "x"),
    "commit.retry.min-wait-ms": ("x",),
    "commit.manifest.target-size-bytes": ("1", "x"),
    "commit.manifest.min-count-to-merge": ("1", "x"),
    "schema.name-mapping.default": ("x", "[]"),
    "history.expire.min-snapshots-to-keep": ("0", "x"),
    "history.expire.max-snapshot-age-ms": ("1", "x"),
    "gc.enabled": ("false", "x"),
    "encryption.key-id": ("k1",),
    "py-io-impl": ("no.such.module.Thing",),
    "engine.hive.enabled": ("true",),
    "format-version": ("3",),
}
_LATER_TYPES: Final = (
    "timestamp_ns",
    "timestamptz_ns",
    "variant",
    "geometry",
    "geography('srid:4326', 'karney')",
    "unknown",
)


def _upgraded(body: Body) -> None:
    body.update({"format-version": 3, "next-row-id": 0})


def _later_type(random: Random) -> Callable[[Body], None]:
    """Return a change that gives the last column a type of format version 3, of which no file has values."""
    of, version = random.choice(_LATER_TYPES), random.choice((2, 3))

    def change(body: Body) -> None:
        if version == 3:
            _upgraded(body)
        number = 1 + body["last-column-id"]
        body["schemas"][-1]["fields"].append({"id": number, "name": "late", "type": of, "required": False})
        body["last-column-id"] = number

    return change


def _sort_order(random: Random) -> Callable[[Body], None]:
    """Return a change that sorts new files by a random column."""
    transform = random.choice(("identity", "bucket[4]", "void", "truncate[2]", "geohash[6]"))

    def change(body: Body) -> None:
        source = random.choice(body["schemas"][-1]["fields"])["id"]
        order = {"transform": transform, "source-id": source, "direction": "asc", "null-order": "nulls-first"}
        number = 1 + max(each["order-id"] for each in body["sort-orders"])
        body["sort-orders"].append({"order-id": number, "fields": [order]})
        body["default-sort-order-id"] = number

    return change


@dataclass
class OddTable:
    """A table in the making; `told` lists what was done. `footer_refusals`: what only footers of its files show."""

    catalog: Catalog
    random: Random
    name: str
    told: list[str] = field(default_factory=list)
    footer_refusals: set[str] = field(default_factory=set)
    next_id: int = 0
    columns: list[str] = field(default_factory=list)

    @property
    def table(self) -> Table:
        """The table as its catalog has it now."""
        return self.catalog.load_table((NAME[0], self.name))

    def make(self) -> bool:
        """Make the table with some files and some oddities; return False if PyIceberg can't create it."""
        random = self.random
        if not self._tried(self._create):
            return False
        steps = [self._append, self._put_in, self._put_in]
        odd = [self._positions, self._equality, self._drop_column, self._respec, self._drop_field]
        odd += [self._add_file] * 2
        chosen = [*random.choices(steps, k=3), *random.sample(odd, random.choice((0, 1, 1, 2)))]
        random.shuffle(chosen)
        for step in chosen:
            self._tried(step)
        if random.random() < 0.5:
            self._tried(self._set_properties)
        if random.random() < 0.25:
            self._tried(self._edit)
        return True

    def rows(self) -> list[str] | None:
        """Return the rows as PyIceberg reads them; None if it can't, as a column of nanoseconds once files have it."""
        if "_ns" in str(self.table.schema()):
            return None
        try:
            return sorted(map(repr, self.table.scan().to_arrow().to_pylist()))
        except Exception:  # noqa: BLE001 - of a kind that PyIceberg does not read
            return None

    def settings(self) -> dict[str, Any]:
        """Return a section `rewrite` of a policy."""
        random, columns = self.random, self.columns
        strategy = random.choice(("binpack", "binpack", "binpack", "sort", "zorder", "hilbert"))
        chosen: dict[str, Any] = {"strategy": strategy, "min_input_files": 2, "deletes": {"files": 1}}
        if strategy != "binpack":
            chosen["columns"] = random.sample(columns, min(len(columns), random.choice((1, 2))))
        if random.random() < 0.3:
            chosen["output_spec"] = "current"
        if random.random() < 0.3:
            chosen["engine"] = "arrow"
        return chosen

    def _tried(self, step: Callable[[], str]) -> bool:
        try:
            self.told.append(step())
        except Exception as error:  # noqa: BLE001 - what the writers' library can't do is no part of the table
            self.told.append(f"{step.__name__.strip('_')} was refused: {type(error).__name__} {str(error)[:200]}")
            return False
        return True

    def _create(self) -> str:
        random, numbers = self.random, iter(range(2, 1000))
        names = random.sample(_NAMES, random.randint(1, 5))
        columns = [
            NestedField(next(numbers), each, self._type(numbers), required=random.random() < 0.1) for each in names
        ]
        schema = Schema(NestedField(ID, "id", LongType(), required=True), *columns)
        spec = PartitionSpec()
        if random.random() < 0.6:
            source = random.choice(schema.fields)
            name = random.choice(("part", "p.q", "ü"))
            spec = PartitionSpec(PartitionField(source.field_id, 1000, self._transform(source), name))
        properties = {"format-version": random.choice(("1", "2", "2", "2"))}
        properties |= {name: random.choice(PROPERTIES[name]) for name in random.sample(list(PROPERTIES), 2)}
        self.columns = [each.name for each in schema.fields]
        self.catalog.create_table((NAME[0], self.name), schema, partition_spec=spec, properties=properties)
        return f"create {schema} by {spec} with {properties}"

    def _type(self, numbers: Any, depth: int = 0) -> IcebergType:
        random = self.random
        kind = random.random() + depth * 0.3
        if kind < 0.05:
            return ListType(next(numbers), self._type(numbers, depth + 1), element_required=False)
        if kind < 0.1:
            return MapType(
                next(numbers), StringType(), next(numbers), self._type(numbers, depth + 1), value_required=False
            )
        if kind < 0.2:
            names = random.sample(_NAMES, random.randint(1, 2))
            return StructType(*(NestedField(next(numbers), each, self._type(numbers, depth + 1)) for each in names))
        return random.choice(_TYPES)(random)

    def _transform(self, source: NestedField) -> Transform[Any, Any]:
        possible = [each for each in _TRANSFORMS if each.can_transform(source.field_type)]
        chosen = self.random.choice(possible or _TRANSFORMS)
        if isinstance(chosen, TruncateTransform) and isinstance(source.field_type, DecimalType):
            self.footer_refusals.add(UNSUPPORTED_PARTITION)  # of the least value
        return chosen

    def _rows(self) -> pa.Table:
        table, count = self.table, self.random.choice((1, 5, 20))
        ids = range(self.next_id, self.next_id + count)
        self.next_id += count
        return random_rows(schema_to_pyarrow(table.schema()), ids=ids, narrow=sources(table), random=self.random)

    def _append(self) -> str:
        self.table.append(self._rows())
        return "append"

    def _put_in(self) -> str:
        has_fixed = "fixed" in str(self.table.schema())  # DuckDB would write it as binary
        writer = writers.by_arrow if has_fixed else self.random.choice((writers.by_arrow, writers.by_duckdb))
        writer(self.table, None, self._rows(), self.random)
        if self.rows() is None:  # Arrow does not read all that DuckDB packs
            self.footer_refusals.add(UNREADABLE)
        return f"{writer.__name__}"

    def _add_file(self) -> str:
        """Add a file that another program wrote: without ids, or with what Arrow can't merge."""
        kinds = ("no ids", "no ids", "as it is", "as it is", "int96", "brotli", "empty", "encrypted")
        rows, kind, partition = self._rows(), self.random.choice(kinds), Record()
        path = Path(self.table.location().removeprefix("file://")) / "data" / f"added-{self.next_id}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind in ("no ids", "as it is"):
            self.footer_refusals |= {NO_FIELD_IDS, MISSING_REQUIRED_FIELD} if self._has_odd_mapping else set()
            rows = rows.cast(pa.schema(without_ids(rows.schema)))
        if kind == "as it is":
            rows, partition = self._without_partition(rows)
        rows = rows.slice(0, 0) if kind == "empty" else rows
        has_int96 = kind == "int96" and "timestamp" in str(rows.schema)
        if has_int96:
            self.footer_refusals.add("int96_timestamps")
        options = {"compression": "brotli"} if kind == "brotli" else {"use_deprecated_int96_timestamps": has_int96}
        pq.write_table(rows, path, **options)
        if kind == "no ids":
            self.table.add_files([f"file://{path}"])
        else:
            key = b"key" if kind == "encrypted" else None
            writers.put_file(self.table, path, rows=rows.num_rows, partition=partition, key=key)
        return f"add a file: {kind}"

    @property
    def _has_odd_mapping(self) -> bool:
        return "schema.name-mapping.default" in self.table.properties

    def _without_partition(self, rows: pa.Table) -> tuple[pa.Table, Record]:
        """Return rows as in a folder of a Hive table: by the table's names, without the column of its partition."""
        table = self.table
        with table.transaction() as change:
            change.set_properties({"schema.name-mapping.default": table.schema().name_mapping.model_dump_json()})
        values = []
        for each in table.spec().fields:
            name = table.schema().find_column_name(each.source_id)
            assert isinstance(each.transform, IdentityTransform)
            assert name in rows.column_names
            value = rows[name][0].as_py()
            values.append(_to_partition_representation(table.schema().find_type(name), value))
            rows = rows.drop_columns([name])
        return rows, Record(*values)

    def _positions(self) -> str:
        return delete_positions(self.table, self.random) if self.table.metadata.format_version == 2 else "version 1"

    def _equality(self) -> str:
        is_possible = self.table.metadata.format_version == 2
        return delete_by_equality(self.table, list(range(self.next_id)), self.random) if is_possible else "version 1"

    def _drop_column(self) -> str:
        gone = self.random.choice([each for each in self.table.schema().fields if each.field_id != ID])
        with self.table.update_schema(allow_incompatible_changes=True) as update:
            update.delete_column(gone.name)
        return f"drop {gone.name}"

    def _respec(self) -> str:
        chosen = self.random.choice(self.table.schema().fields)
        transform = self._transform(chosen)
        with self.table.update_spec() as update:
            update.add_field(chosen.name, transform, f"p{self.next_id}")
        return f"partition by {transform} of {chosen.name} too"

    def _drop_field(self) -> str:
        gone = self.random.choice(self.table.spec().fields)
        with self.table.update_spec() as update:
            update.remove_field(gone.name)
        return f"remove partition field {gone.name}"

    def _set_properties(self) -> str:
        random, table = self.random, self.table
        names = random.sample(list(_ODD_PROPERTIES), random.choice((1, 2, 3)))
        chosen = {name: random.choice(_ODD_PROPERTIES[name]).format(table=table.location()) for name in names}
        self.footer_refusals |= {NO_FIELD_IDS} if "schema.name-mapping.default" in names else set()
        edit_metadata(table, lambda body: body["properties"].update(chosen))
        return f"properties {chosen}"

    def _edit(self) -> str:
        random, unknown = self.random, self.random.choice(UNKNOWN)
        kinds = {"later type": _later_type(random), "upgraded": _upgraded, "sort order": _sort_order(random)}
        kind = random.choice((*kinds, unknown.refusal))
        edit_metadata(self.table, kinds.get(kind, unknown.change))
        return kind
