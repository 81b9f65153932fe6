"""A story makes one table out of a seed: writes, deletes, evolutions of schema, spec and order, branches and tags.

Between its steps it gets features by other programs, and sometimes one in the end that Packhouse does not know.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from pyiceberg.catalog import Catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
)
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
)

from tests.differential.deletes import MODES, change_rows, delete_by_equality, delete_by_pyiceberg, delete_positions
from tests.differential.features import UNKNOWN, Unknown, give
from tests.differential.schemas import ID, evolve, plain_fields, random_schema
from tests.differential.writers import Pens, write
from tests.support.iceberg_tables import edit_metadata

NAMESPACE = "lake"
_PROPERTIES = {
    "write.parquet.compression-codec": ("zstd", "snappy", "gzip", "uncompressed"),
    "write.metadata.metrics.default": ("full", "counts", "none", "truncate(4)", "truncate(16)"),
    "write.parquet.dict-size-bytes": ("1024", "2097152"),
    "write.parquet.page-row-limit": ("5", "20000"),
    "write.object-storage.enabled": ("true", "false"),
    "write.delete.granularity": ("file", "partition"),
    "write.distribution-mode": ("none", "hash"),
}


@dataclass
class Story:
    """One table in the making. `told` lists what was done, in order, for whoever has to understand a failure."""

    seed: int
    catalog: Catalog
    pens: Pens
    random: Random
    name: str
    told: list[str] = field(default_factory=list)
    next_id: int = 0
    refused: int = 0
    has_equality_deletes: bool = False
    features: int = 0
    unknown: Unknown | None = None
    is_of_version_three: bool = False
    """Whether it is of format version 3 in the end, from its beginning or from a step on."""

    @property
    def table(self) -> Table:
        """The table as its catalog has it now."""
        return self.catalog.load_table((NAMESPACE, self.name))

    def tell(self) -> Table:
        """Make the table, do 4 to 9 things to it, and return it; it has at least three writes on main.

        `hide` may follow: after it, Spark can't read every table.
        """
        table = self._create()
        write, change = self.write_rows, self.change_rows
        steps: tuple[Callable[[], str], ...] = (
            write, write, write, self._write_more, change, change, self._positions,
            self._delete, self._evolve, self._evolve, self._respec, self._order, self._ref,
        )  # fmt: skip
        chosen = [write, *self.random.choices(steps, k=self.random.randint(3, 7)), write, write]
        if self.is_of_version_three and table.metadata.format_version < 3:
            chosen.insert(self.random.randint(0, len(chosen)), self._upgrade)
        elif self.random.random() < 0.06 and table.metadata.format_version == 2:
            chosen.append(self._equality)
        features = Random(f"{self.seed}/features")
        for number, step in enumerate(chosen):
            self.random = Random(f"{self.seed}/{number}")  # so that what one step draws changes no other
            self.told.append(self.tried(step))
            if features.random() < 0.2:
                self.random = features
                self.told.append(self.tried(self._feature))
                self.features += 1
        self.unknown = features.choice(UNKNOWN) if features.random() < 0.12 else None
        return self.table

    def hide(self, *, is_read_by_server: bool = False) -> Table:
        """Give the table the feature that Packhouse refuses, if this story has one; return it.

        `is_read_by_server`: a server sends the metadata as it understands it, without fields that it does not know.
        """
        if self.unknown is not None and is_read_by_server and self.unknown.is_field:
            self.unknown = None
        if self.unknown is not None:
            edit_metadata(self.table, self.unknown.change)
            self.told.append(f"unknown: {self.unknown.refusal}")
        return self.table

    def _feature(self) -> str:
        return give(self.table, self.pens, self._insert, self.random)

    def _insert(self, pens: Pens) -> str:
        return write(self.table, pens, ids=self._ids(3), random=self.random, only_spark=True)

    def tried(self, step: Callable[[], str]) -> str:
        """Do a step; what a writer's own library can't do to this table is no part of the story."""
        try:
            return step()
        except Exception as error:  # noqa: BLE001 - told, and the story goes on
            self.refused += 1
            return f"{step.__name__.strip('_')} was refused: {type(error).__name__} {str(error)[:200]}"

    def _create(self) -> Table:
        random, schema = self.random, random_schema(self.random)
        version = random.choices(("1", "2", "3"), (3, 14, 1))[0]
        properties = {name: random.choice(values) for name, values in _PROPERTIES.items() if random.random() < 0.35}
        modes = ("copy-on-write", "merge-on-read")
        properties |= {mode: random.choices(modes, (1, 3))[0] if version != "1" else modes[0] for mode in MODES}
        properties["format-version"] = "2" if version == "3" else version
        spec = _random_spec(schema, random) if random.random() < 0.6 else PartitionSpec()
        self.catalog.create_table((NAMESPACE, self.name), schema, partition_spec=spec, properties=properties)
        self.told.append(f"create v{version} {schema} by {spec} with {properties}")
        if version == "3" or (self.is_of_version_three and random.random() < 0.6):
            self.told.append(self._upgrade())
        return self.table

    def _upgrade(self) -> str:
        self._sql(f"ALTER TABLE {self.pens.name} SET TBLPROPERTIES ('format-version' = '3')")
        return "upgrade to version 3"

    def write_rows(self) -> str:
        """Append rows; return what was done."""
        return write(self.table, self.pens, ids=self._ids(self.random.choice((1, 10, 40))), random=self.random)

    def _write_more(self) -> str:
        return "; ".join(self.write_rows() for _ in range(3))

    def change_rows(self) -> str:
        """Delete, update or merge rows by Spark; return what was done."""
        return change_rows(self.table, self.pens, self.random) if self.next_id else "nothing to change"

    def _positions(self) -> str:
        table = self.table
        if table.metadata.format_version != 2 or table.current_snapshot() is None:
            return "no position deletes in this version"
        return delete_positions(table, self.random)

    def _delete(self) -> str:
        if self.table.metadata.format_version > 2 or not self.next_id:
            return "no delete by pyiceberg"
        return delete_by_pyiceberg(self.table, list(range(self.next_id)), self.random)

    def _equality(self) -> str:
        told = delete_by_equality(self.table, list(range(self.next_id)), self.random)
        self.has_equality_deletes = told.startswith("equality")
        return told

    def _evolve(self) -> str:
        if self.table.metadata.format_version > 2:
            self._sql(f"ALTER TABLE {self.pens.name} ADD COLUMN late{len(self.told)} BIGINT")
            return "add a column by spark"
        return evolve(self.table, self.random)

    def _respec(self) -> str:
        table = self.table
        if table.metadata.format_version > 2:
            return self._respec_by_spark(table)
        with table.update_spec() as update:
            if table.spec().fields and self.random.random() < 0.6:
                gone = self.random.choice(table.spec().fields)
                update.remove_field(gone.name)
                return f"remove partition field {gone}"
            for made in _random_spec(table.schema(), self.random).fields:
                name = f"p{len(table.specs())}_{made.name}"
                taken = {(each.source_id, str(each.transform)) for each in table.spec().fields}
                if (made.source_id, str(made.transform)) not in taken:
                    column = table.schema().find_column_name(made.source_id)
                    update.add_field(column, made.transform, name)
                    return f"partition by {made.transform} of {column} too"
        return "no partition field could change"

    def _respec_by_spark(self, table: Table) -> str:
        if table.spec().fields and self.random.random() < 0.6:
            gone = self.random.choice(table.spec().fields).name
            self._sql(f"ALTER TABLE {self.pens.name} DROP PARTITION FIELD `{gone}`")
            return f"remove partition field {gone} by spark"
        self._sql(f"ALTER TABLE {self.pens.name} ADD PARTITION FIELD bucket(3, id) AS p{len(table.specs())}_id")
        return "partition by a bucket of id too by spark"

    def _order(self) -> str:
        columns = [each.name for each in plain_fields(self.table.schema())] or ["id"]
        name = self.random.choice([each for each in columns if each in self.table.schema().column_names] or columns)
        order = self.random.choice(("ASC", "DESC"))
        self._sql(f"ALTER TABLE {self.pens.name} WRITE LOCALLY ORDERED BY `{name}` {order}")
        return f"order by {name} {order}"

    def _ref(self) -> str:
        table = self.table
        head = table.current_snapshot()
        if head is None:
            return "no snapshot to name"
        name = f"r{len(table.refs())}"
        if table.metadata.format_version > 2:
            kind = self.random.choice(("TAG", "BRANCH"))
            self._sql(f"ALTER TABLE {self.pens.name} CREATE {kind} {name}")
            return f"{kind} {name} by spark"
        if self.random.random() < 0.5:
            table.manage_snapshots().create_tag(head.snapshot_id, name).commit()
            return f"tag {name}"
        table.manage_snapshots().create_branch(head.snapshot_id, name).commit()
        branch = Pens(self.pens.spark, f"{self.pens.name}.branch_{name}")
        write(table, branch, ids=self._ids(5), random=self.random, only_spark=True)
        return f"branch {name} with 5 rows"

    def _ids(self, count: int) -> range:
        self.next_id += count
        return range(self.next_id - count, self.next_id)

    def _sql(self, statement: str) -> None:
        self.pens.spark.sql(statement).collect()


def _random_spec(schema: Schema, random: Random) -> PartitionSpec:
    """Return one or two partition fields of columns that can be partitioned by."""
    fields = [each for each in (*plain_fields(schema), schema.find_field(ID)) if _transforms(each)]
    chosen = random.sample(fields, min(len(fields), random.choice((1, 1, 2))))
    return PartitionSpec(
        *(
            PartitionField(each.field_id, 1000 + at, random.choice(_transforms(each)), f"part_{at}")
            for at, each in enumerate(chosen)
        )
    )


def _transforms(field: NestedField) -> list[Transform]:
    if field.field_id == ID:
        return [BucketTransform(2), TruncateTransform(1000)]
    match field.field_type:
        case BinaryType():
            return [IdentityTransform(), BucketTransform(2), TruncateTransform(1)]
        case DateType() | TimestampType() | TimestamptzType():
            return [DayTransform(), MonthTransform()]
        case IntegerType() | LongType():
            return [IdentityTransform(), BucketTransform(3), TruncateTransform(100)]
        case StringType() | DecimalType():
            return [IdentityTransform(), BucketTransform(2)]
    return [IdentityTransform()]  # of zeros too: -0.0 and +0.0 are partitions of their own
