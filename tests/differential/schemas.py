"""Random schemas and their evolution. Column 1 is always a required long, unique over the table: what deletes go by.

Left out: types that Spark cannot write (time, fixed); uuid, which PyIceberg cannot partition by
(`tests/spark/test_partition_bounds_peer.py`); and names with dots, which PyIceberg takes for paths.
"""

from collections.abc import Callable, Iterator
from random import Random

from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)

ID = 1
_NAMES = ("a", "b", "c", "d", "price", "odd name", "select", "größe", "UPPER", "x-y", "day", "note", "_u", "9th")
PLAIN: tuple[Callable[[Random], IcebergType], ...] = (
    lambda _: BooleanType(),
    lambda _: IntegerType(),
    lambda _: LongType(),
    lambda _: FloatType(),
    lambda _: DoubleType(),
    lambda _: DateType(),
    lambda _: TimestampType(),
    lambda _: TimestamptzType(),
    lambda _: StringType(),
    lambda _: BinaryType(),
    lambda random: DecimalType(precision := random.choice((4, 9, 15, 18, 28)), random.randrange(0, precision)),
)


def random_schema(random: Random) -> Schema:
    """Return a schema of 3 to 8 columns; PyIceberg gives fields ids of its own when the table is made."""
    numbers = iter(range(2, 1000))
    names = random.sample(_NAMES, random.randint(2, 7))
    fields = [
        NestedField(next(numbers), name, _type(random, numbers), required=random.random() < 0.1) for name in names
    ]
    return Schema(NestedField(ID, "id", LongType(), required=True), *fields)


def plain_fields(schema: Schema) -> list[NestedField]:
    """Return the top-level columns that are not nested, without the id."""
    return [field for field in schema.fields if field.field_type.is_primitive and field.field_id != ID]


def evolve(table: Table, random: Random) -> str:
    """Change the schema in one random way through PyIceberg; return what was done."""
    changes = [_add, _add, _add_nested, _rename, _promote, _promote, _drop, _move, _make_optional]
    random.shuffle(changes)
    for change in changes:
        with table.update_schema() as update:
            told = change(table, update, random)
        if told is not None:
            return told
    return "nothing could evolve"


def _type(random: Random, numbers: Iterator[int], depth: int = 0) -> IcebergType:
    kind = random.random() + depth * 0.15
    if kind < 0.08:
        return ListType(next(numbers), _type(random, numbers, depth + 1), element_required=False)
    if kind < 0.15:
        key = random.choice((StringType(), LongType()))
        return MapType(next(numbers), key, next(numbers), _type(random, numbers, depth + 1), value_required=False)
    if kind < 0.26:
        names = random.sample(_NAMES, random.randint(1, 3))
        return StructType(*(NestedField(next(numbers), name, _type(random, numbers, depth + 1)) for name in names))
    return random.choice(PLAIN)(random)


def _add(table: Table, update: UpdateSchema, random: Random) -> str | None:
    name = next(name for name in random.sample(_NAMES, len(_NAMES)) if name not in table.schema().column_names)
    of = _type(random, iter(range(2000, 3000)))
    update.add_column(name, of)
    return f"add {name} {of}"


def _add_nested(table: Table, update: UpdateSchema, random: Random) -> str | None:
    for field in table.schema().fields:
        path, of = (field.name,), field.field_type
        while isinstance(of, ListType | MapType):  # into the elements, into the values
            path, of = (
                (*path, "element" if isinstance(of, ListType) else "value"),
                (of.element_type if isinstance(of, ListType) else of.value_type),
            )
        if isinstance(of, StructType):
            added = f"new{len(of.fields)}"
            if added not in (each.name for each in of.fields):
                update.add_column((*path, added), random.choice(PLAIN)(random))
                return f"add {'.'.join((*path, added))}"
    return None


def _rename(table: Table, update: UpdateSchema, random: Random) -> str | None:
    field = random.choice(table.schema().fields)
    to = next(name for name in random.sample(_NAMES, len(_NAMES)) if name not in table.schema().column_names)
    update.rename_column(field.name, to)
    return f"rename {field.name} to {to}"


def _promote(table: Table, update: UpdateSchema, random: Random) -> str | None:
    for field in random.sample(table.schema().fields, len(table.schema().fields)):
        wider = _wider(field.field_type)
        if wider is not None and field.field_id not in sources(table):
            update.update_column(field.name, field_type=wider)
            return f"promote {field.name} to {wider}"
        if isinstance(field.field_type, StructType):
            for child in field.field_type.fields:
                if (wider := _wider(child.field_type)) is not None:
                    update.update_column((field.name, child.name), field_type=wider)
                    return f"promote {field.name}.{child.name} to {wider}"
    return None


def _drop(table: Table, update: UpdateSchema, random: Random) -> str | None:
    kept = sources(table) | {ID}
    fields = [field for field in table.schema().fields if field.field_id not in kept]
    if len(fields) < 2:
        return None
    gone = random.choice(fields)
    update.delete_column(gone.name)
    return f"drop {gone.name}"


def _move(table: Table, update: UpdateSchema, random: Random) -> str | None:
    names = [field.name for field in table.schema().fields]
    moved = random.choice(names)
    update.move_first(moved)
    return f"move {moved} first"


def _make_optional(table: Table, update: UpdateSchema, random: Random) -> str | None:
    fields = [field for field in table.schema().fields if field.required and field.field_id != ID]
    if not fields:
        return None
    update.make_column_optional(fields[0].name)
    return f"make {fields[0].name} optional"


def _wider(of: IcebergType) -> IcebergType | None:
    match of:
        case IntegerType():
            return LongType()
        case FloatType():
            return DoubleType()
        case DecimalType() if of.precision < 28:
            return DecimalType(of.precision + 8, of.scale)
    return None


def sources(table: Table) -> set[int]:
    """Return the columns that any spec is made of: Iceberg cannot read its files without them."""
    return {field.source_id for spec in table.specs().values() for field in spec.fields}
