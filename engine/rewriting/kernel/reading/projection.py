"""Projection of an input's columns to the target schema: by field id, at every level.

Columns of files without ids get them by name before (`column_numbers`).

PyIceberg's projection is not used because it reads null lists and maps as empty once a field inside them was added or
promoted. Here offsets and validity of a list or map are kept unchanged (same buffers, same offset) and only their
content is projected, so that null, empty, and null elements can't be confused.

A plan is computed once per input schema (`Projection`), in time that grows with its fields, and applied to each row
group; arrays that already have the type
and ids are passed unchanged. Top-level dictionary arrays of strings stay dictionary arrays: the writer decides.

Added fields are null, unless the table's metadata has their value (`Constants`): that of a partition, or a default.
Changes of type that are not listed promotions are refused.
"""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.errors import (
    DUPLICATE_FIELD_IDS,
    MISSING_REQUIRED_FIELD,
    NO_FIELD_IDS,
    NULL_IN_REQUIRED_FIELD,
    TYPE_NOT_PROMOTABLE,
    Refused,
)

FIELD_ID_KEY: Final = b"PARQUET:field_id"

Step = Callable[[pa.Array], pa.Array]
"""Array of the source type → array of the target type; same length."""

Pick = tuple[int | None, Step | None]
"""Position of the input's field, None if it has none, and the conversion, None when none is needed."""

Constants = Mapping[int, pa.Scalar]
"""Values of top-level columns that inputs can lack, by field id; in the target's types."""

_NOT_FOUND: Final = (None, None)
_NO_CONSTANTS: Final[Constants] = {}


def field_id(field: pa.Field) -> int | None:
    """Return the Parquet field id of an Arrow field, None when it has none."""
    raw = (field.metadata or {}).get(FIELD_ID_KEY)
    return None if raw is None else int(raw)


def without_ids(fields: Iterable[pa.Field]) -> list[pa.Field]:
    """Return the fields without field ids, at every level."""
    return [one.remove_metadata().with_type(with_children(one.type, without_ids)) for one in fields]


def with_children(of: pa.DataType, change: Callable[[list[pa.Field]], list[pa.Field]]) -> pa.DataType:
    """Return a type with changed fields in it; a type without fields as it is."""
    if pt.is_struct(of):
        return pa.struct(change(child_fields(of)))
    if pt.is_map(of):
        key, item = change(child_fields(of))
        return pa.map_(key, item, of.keys_sorted)
    if not _is_list(of):
        return of
    (element,) = change(child_fields(of))
    if pt.is_fixed_size_list(of):
        return pa.list_(element, of.list_size)
    return pa.large_list(element) if pt.is_large_list(of) else pa.list_(element)


def leaf_ids(fields: Sequence[pa.Field]) -> list[int | None]:
    """Return the field ids of the leaves, in the order of the Parquet columns of such a schema."""
    found: list[int | None] = []
    for field in fields:
        children = child_fields(field.type)
        found += leaf_ids(children) if children else [field_id(field)]
    return found


def all_ids(fields: Iterable[pa.Field]) -> Iterator[int | None]:
    """Yield the field ids of fields and of those inside them."""
    for field in fields:
        yield field_id(field)
        yield from all_ids(child_fields(field.type))


def child_fields(data_type: pa.DataType) -> list[pa.Field]:
    """Return the fields inside a struct, list or map; none for anything else."""
    if pt.is_struct(data_type):
        return [data_type.field(i) for i in range(data_type.num_fields)]
    if pt.is_map(data_type):
        return [data_type.key_field, data_type.item_field]
    if _is_list(data_type):
        return [data_type.value_field]
    return []


class Projection:
    """The projection of one input schema to the target schema, with constants in place of absent columns.

    Raises:
        Refused: the schema can't be projected; with the name of the reason.
    """

    def __init__(self, *, source: pa.Schema, target: pa.Schema, constants: Constants = _NO_CONSTANTS) -> None:
        by_id = _by_id(list(source), "schema")
        self._constants = constants
        picks: list[Pick] = []
        for wanted in target:
            number = _wanted_id(wanted, wanted.name)
            index, found = by_id.get(number, _NOT_FOUND)
            is_constant = found is None and number in constants
            picks.append((index, None if is_constant else _step(found, wanted, wanted.name)))
        self._use(list(target), picks)

    def _use(self, target: Sequence[pa.Field], picks: Sequence[Pick]) -> None:
        self._target = target
        self._picks = picks
        self.source_columns = sorted({index for index, _ in picks if index is not None})
        """Positions of the top-level input fields that are needed, ascending."""
        self._place = {index: i for i, index in enumerate(self.source_columns)}

    def part(self, fields: Sequence[int]) -> "Projection":
        """Return the projection to some fields of the target only, by position; as fast as they are few."""
        made = copy(self)
        made._use([self._target[at] for at in fields], [self._picks[at] for at in fields])  # noqa: SLF001 - of this class
        return made

    def apply(self, columns: Sequence[pa.ChunkedArray], rows: int) -> list[pa.ChunkedArray]:
        """Return the target's columns. `columns` are the `source_columns`, in that order, each `rows` long."""
        made: list[pa.ChunkedArray] = []
        for field, (index, step) in zip(self._target, self._picks, strict=True):
            if index is None:
                constant = self._constants.get(_wanted_id(field, field.name))
                made.append(pa.chunked_array([_absent(field, rows) if constant is None else repeated(constant, rows)]))
            elif step is None:
                made.append(columns[self._place[index]])
            else:
                source = columns[self._place[index]]
                chunks = [step(chunk) for chunk in source.chunks]
                made.append(pa.chunked_array(chunks) if chunks else pa.chunked_array([], type=field.type))
        return made


def repeated(constant: pa.Scalar, rows: int) -> pa.Array:
    """Return an array of one value."""
    if isinstance(constant.type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(constant.type, pa.repeat(constant.value, rows))
    return pa.repeat(constant, rows)


def _by_id(fields: list[pa.Field], where: str) -> dict[int, tuple[int, pa.Field]]:
    """Return position and field by field id."""
    found: dict[int, tuple[int, pa.Field]] = {}
    for index, field in enumerate(fields):
        number = field_id(field)
        if number is None:
            raise Refused(NO_FIELD_IDS, f"{where}: field {field.name!r} has no id")
        if number in found:
            raise Refused(DUPLICATE_FIELD_IDS, f"{where}: id {number} is there twice")
        found[number] = index, field
    return found


def _wanted_id(field: pa.Field, where: str) -> int:
    number = field_id(field)
    if number is None:
        raise Refused(NO_FIELD_IDS, f"target field {where!r} has no id")
    return number


def _step(source: pa.Field | None, target: pa.Field, where: str) -> Step | None:
    """Return the conversion of arrays of `source` to `target`; None when none is needed."""
    convert = _child_step(source, target, where)
    if source is not None and source.nullable and not target.nullable:
        return _no_nulls(convert, where)
    return convert


def _child_step(source: pa.Field | None, target: pa.Field, where: str) -> Step | None:
    """Return the conversion without a check for nulls, which a struct judges where it is not null itself."""
    if source is not None:
        return _conversion(source.type, target.type, where)
    if not target.nullable:
        raise Refused(MISSING_REQUIRED_FIELD, f"{where} (id {field_id(target)}) is not in the input")
    return None


def _no_nulls(convert: Step | None, where: str) -> Step:
    def checked(array: pa.Array) -> pa.Array:
        if array.null_count:
            raise Refused(NULL_IN_REQUIRED_FIELD, f"{where} has {array.null_count} nulls")
        return convert(array) if convert else array

    return checked


def _conversion(source: pa.DataType, target: pa.DataType, where: str) -> Step | None:
    if isinstance(source, pa.BaseExtensionType) or isinstance(target, pa.BaseExtensionType):
        return _extension(source, target, where)
    if pt.is_dictionary(source):
        return _dictionary(source, target, where)
    if pt.is_struct(target) and pt.is_struct(source):
        return _struct(source, target, where)
    if pt.is_map(target) and pt.is_map(source):
        return _map(source, target, where)
    if _is_list(target) and _is_list(source):
        return _list(source, target, where)
    return _primitive(source, target, where)


def _extension(source: pa.DataType, target: pa.DataType, where: str) -> Step | None:
    """Convert between a uuid and its sixteen bytes, or remove an extension type that the target does not have."""
    if source == target:
        return None
    if isinstance(source, pa.BaseExtensionType):
        inner = _conversion(source.storage_type, target, where)
        return lambda array: _then(inner, array.storage)
    bare = _conversion(source, target.storage_type, where)
    return lambda array: pa.ExtensionArray.from_storage(target, _then(bare, array))


def _then(step: Step | None, array: pa.Array) -> pa.Array:
    return step(array) if step else array


def _dictionary(source: pa.DictionaryType, target: pa.DataType, where: str) -> Step | None:
    """Convert the dictionary, not the rows; types other than string and binary are decoded."""
    inner = _conversion(source.value_type, target, where)
    keep = pt.is_string(target) or pt.is_binary(target) or pt.is_large_string(target) or pt.is_large_binary(target)
    if keep and source == pa.dictionary(pa.int32(), target):
        return None

    def convert(array: pa.DictionaryArray) -> pa.Array:
        if not keep:
            return _then(inner, array.dictionary_decode())
        return pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), _then(inner, array.dictionary))

    return convert


def _struct(source: pa.StructType, target: pa.StructType, where: str) -> Step | None:
    by_id = _by_id(child_fields(source), where)
    wanted = child_fields(target)
    picks: list[Pick] = []
    strict: list[str | None] = []
    for field in wanted:
        name = f"{where}.{field.name}"
        index, found = by_id.get(_wanted_id(field, name), _NOT_FOUND)
        picks.append((index, _child_step(found, field, name)))
        strict.append(name if found is not None and found.nullable and not field.nullable else None)
    in_place = [index for index, step in picks if step is None] == list(range(source.num_fields))
    if in_place and source == target and not any(strict):
        return None

    def convert(array: pa.StructArray) -> pa.Array:
        mask = array.is_null() if array.null_count else None
        children = []
        for (index, step), field, name in zip(picks, wanted, strict, strict=True):
            child = _absent(field, len(array)) if index is None else _decoded(_then(step, array.field(index)))
            children.append(child if name is None else _required(child, array, name))
        return pa.StructArray.from_arrays(children, fields=wanted, mask=mask)

    return convert


def _required(child: pa.Array, parent: pa.Array, where: str) -> pa.Array:
    """Refuse a null whose parent is not null; under a null parent a child has no value at all."""
    if not child.null_count:
        return child
    if pc.any(pc.and_(child.is_null(), parent.is_valid())).as_py():
        raise Refused(NULL_IN_REQUIRED_FIELD, f"{where} has nulls")
    return _without_validity(child)


def _absent(field: pa.Field, rows: int) -> pa.Array:
    """Return nulls for a field that the input lacks, or placeholder values where it is required (under nulls)."""
    if pt.is_struct(field.type):
        inner = child_fields(field.type)
        mask = pa.repeat(pa.scalar(field.nullable), rows)
        return pa.StructArray.from_arrays([_absent(one, rows) for one in inner], fields=inner, mask=mask)
    nulls = pa.nulls(rows, field.type)
    return nulls if field.nullable else _without_validity(nulls)


def _without_validity(array: pa.Array) -> pa.Array:
    """Return the array without its validity; the writer accepts no null in a required field, even under a null."""
    if isinstance(array.type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(array.type, _without_validity(array.storage))
    if pt.is_struct(array.type):
        inner = child_fields(array.type)
        return pa.StructArray.from_arrays([array.field(i) for i in range(len(inner))], fields=inner)
    children = []
    if pt.is_map(array.type):
        fields = child_fields(array.type)
        children = [pa.StructArray.from_arrays([array.keys, array.items], fields=fields)]
    elif _is_list(array.type):
        children = [array.values]
    own = array.buffers()[: array.type.num_buffers]
    return pa.Array.from_buffers(
        array.type, len(array), [None, *own[1:]], null_count=0, offset=array.offset, children=children
    )


def _list(source: pa.DataType, target: pa.DataType, where: str) -> Step | None:
    """Project the elements under the same offsets and validity."""
    name = f"{where}.element"
    inner_source, inner_target = source.value_field, target.value_field
    _same_id(inner_source, inner_target, name)
    step = _conversion(inner_source.type, inner_target.type, name)
    strict = name if inner_source.nullable and not inner_target.nullable else None
    plain = _plain_list(source, target)
    if step is None and strict is None and plain is None and source == target:
        return None

    def convert(array: pa.Array) -> pa.Array:
        if plain is not None:
            array = array.cast(plain)
        if strict is not None and array.flatten().null_count:
            raise Refused(NULL_IN_REQUIRED_FIELD, f"{strict} has nulls")
        return _rebuilt(array, target, _decoded(_then(step, array.values)))

    return convert


def _plain_list(source: pa.DataType, target: pa.DataType) -> pa.DataType | None:
    """Return the list type to cast to first, so that offsets have the target's width; None if they already have it."""
    large = pt.is_large_list(target)
    if pt.is_large_list(source) if large else pt.is_list(source):
        return None
    return pa.large_list(source.value_field) if large else pa.list_(source.value_field)


def _map(source: pa.MapType, target: pa.MapType, where: str) -> Step | None:
    """Project keys and values under the same offsets and validity."""
    _same_id(source.key_field, target.key_field, f"{where}.key")
    _same_id(source.item_field, target.item_field, f"{where}.value")
    key = _conversion(source.key_type, target.key_type, f"{where}.key")
    item = _conversion(source.item_type, target.item_type, f"{where}.value")
    strict = source.item_field.nullable and not target.item_field.nullable
    if key is None and item is None and not strict and source == target:
        return None

    def convert(array: pa.MapArray) -> pa.Array:
        if strict and _rebuilt(array, pa.list_(source.item_field), array.items).flatten().null_count:
            raise Refused(NULL_IN_REQUIRED_FIELD, f"{where}.value has nulls")
        columns = [_decoded(_then(key, array.keys)), _decoded(_then(item, array.items))]
        entries = pa.StructArray.from_arrays(columns, fields=[target.key_field, target.item_field])
        return _rebuilt(array, target, entries)

    return convert


def _rebuilt(array: pa.Array, target: pa.DataType, child: pa.Array) -> pa.Array:
    """Return the list or map with the same validity and offsets (`array` may be a slice) and another child."""
    return pa.Array.from_buffers(
        target, len(array), array.buffers()[:2], null_count=array.null_count, offset=array.offset, children=[child]
    )


def _decoded(array: pa.Array) -> pa.Array:
    """Return the values of a dictionary array, as nested types may not contain dictionaries."""
    return array.dictionary_decode() if pt.is_dictionary(array.type) else array


def _same_id(source: pa.Field, target: pa.Field, where: str) -> None:
    if field_id(source) is None:
        raise Refused(NO_FIELD_IDS, f"{where} has no id")
    if field_id(source) != field_id(target):
        raise Refused(TYPE_NOT_PROMOTABLE, f"{where}: id {field_id(source)} is not {field_id(target)}")


def _is_list(data_type: pa.DataType) -> bool:
    return bool(
        pt.is_list(data_type) or pt.is_large_list(data_type) or pt.is_fixed_size_list(data_type)
    )  # a map is not one of them for pyarrow


def _primitive(source: pa.DataType, target: pa.DataType, where: str) -> Step | None:
    if source == target:
        return None
    if not _promotable(source, target):
        raise Refused(TYPE_NOT_PROMOTABLE, f"{where}: {source} can't become {target}")
    return lambda array: _cast(array, target, where)


def _cast(array: pa.Array, target: pa.DataType, where: str) -> pa.Array:
    try:
        return array.cast(target)
    except pa.ArrowInvalid as error:  # a date of a year that timestamps do not have
        raise Refused(TYPE_NOT_PROMOTABLE, f"{where}: a value of {array.type} is out of range for {target}") from error


def _promotable(source: Any, target: Any) -> bool:
    """Return whether every value of `source` is a value of `target`, and the table format allows the promotion."""
    if pt.is_integer(source) and pt.is_signed_integer(target):
        spare = target.bit_width - source.bit_width
        return bool(spare > 0 or (spare == 0 and pt.is_signed_integer(source)))
    if pt.is_float32(source) and pt.is_float64(target):
        return True
    if pt.is_decimal(source) and pt.is_decimal(target):
        return bool(source.scale == target.scale and source.precision <= target.precision)
    if pt.is_timestamp(target) and (pt.is_date32(source) or pt.is_timestamp(source)):
        zone, unit = (None, "s") if pt.is_date32(source) else (source.tz, source.unit)
        return (zone is None) is (target.tz is None) and _finer(unit, target.unit)
    if pt.is_time(source) and pt.is_time(target):
        return _finer(source.unit, target.unit)
    is_bytes = _is_binary(source) or pt.is_fixed_size_binary(source)
    return bool((_is_text(source) and _is_text(target)) or (is_bytes and _is_binary(target)))


def _finer(source: str, target: str) -> bool:
    units = ("s", "ms", "us", "ns")
    return units.index(source) <= units.index(target)


def _is_text(data_type: pa.DataType) -> bool:
    return bool(pt.is_string(data_type) or pt.is_large_string(data_type) or pt.is_string_view(data_type))


def _is_binary(data_type: pa.DataType) -> bool:
    return bool(pt.is_binary(data_type) or pt.is_large_binary(data_type) or pt.is_binary_view(data_type))


def read_constants(encoded: str) -> Constants:
    """Return the values of columns that a file can lack by their ids, from a base 64 IPC stream of one row."""
    if not encoded:
        return {}
    row = pa.ipc.open_stream(base64.b64decode(encoded)).read_all()
    return {int(one.metadata[FIELD_ID_KEY]): column[0] for one, column in zip(row.schema, row.columns, strict=True)}
