"""Values of rows between JSON and the Java objects of Paimon's core."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import jpype

from tests.support.paimon.core_changes import java

_EPOCH = date(1970, 1, 1)


def type_of(written: str) -> Any:
    return java("types.DataTypeJsonParser").parseDataType(
        java("utils.JsonSerdeUtil").fromJson(json.dumps(written), jpype.JClass(_NODE))
    )


_NODE = "org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode"


def generic_row(values: Sequence[Any], types: Sequence[Any]) -> Any:
    row = java("data.GenericRow")(len(values))
    for place, (value, kind) in enumerate(zip(values, types, strict=True)):
        row.setField(place, java_value(value, kind))
    return row


def java_value(value: Any, kind: Any) -> Any:
    """Return a value of a column as the core has it: lists for arrays, pairs for maps, lists for rows."""
    root = str(kind.getTypeRoot())
    if value is None or root not in ("ARRAY", "MAP", "ROW"):
        return shown(value, str(kind))
    if root == "ARRAY":
        made = [java_value(each, kind.getElementType()) for each in value]
        return java("data.GenericArray")(jpype.JArray(jpype.JObject)(made))
    if root == "MAP":
        entries = jpype.java.util.LinkedHashMap()
        for key, each in value:
            entries.put(java_value(key, kind.getKeyType()), java_value(each, kind.getValueType()))
        return java("data.GenericMap")(entries)
    row = java("data.GenericRow")(len(value))
    for at, each in enumerate(value):
        row.setField(at, java_value(each, kind.getFields().get(at).type()))
    return row


def plain_field(row: Any, types: Sequence[Any], at: int) -> Any:
    return _plain(java("data.InternalRow").createFieldGetter(types[at], at).getFieldOrNull(row), types[at])


def _plain(value: Any, kind: Any) -> Any:  # noqa: PLR0911 - one line a type
    if value is None:
        return None
    match str(kind.getTypeRoot()):
        case "ARRAY":
            return _plain_list(value, kind.getElementType())
        case "MAP":
            keys, values = value.keyArray(), value.valueArray()
            pairs = zip(_plain_list(keys, kind.getKeyType()), _plain_list(values, kind.getValueType()), strict=True)
            return sorted(map(list, pairs), key=str)
        case "ROW":
            types = [each.type() for each in kind.getFields()]
            return [plain_field(value, types, at) for at in range(len(types))]
        case "BINARY" | "VARBINARY":
            return bytes(value).hex()
        case "FLOAT" | "DOUBLE":
            return str(float(value))  # NaN is no JSON
        case "BOOLEAN":
            return bool(value)
        case _:
            return str(value)


def _plain_list(values: Any, kind: Any) -> list[Any]:
    getter = java("data.InternalArray").createElementGetter(kind)
    return [_plain(getter.getElementOrNull(values, at), kind) for at in range(int(values.size()))]


def shown(value: Any, written: str) -> Any:  # noqa: PLR0911 - one line a type
    if value is None:
        return None
    kind = written.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    if kind in ("STRING", "VARCHAR", "CHAR"):
        return java("data.BinaryString").fromString(value)
    if kind in ("BINARY", "VARBINARY", "BYTES"):
        return jpype.JArray(jpype.JByte)(bytes.fromhex(value))
    if kind == "TIMESTAMP":
        return java("data.Timestamp").fromLocalDateTime(jpype.java.time.LocalDateTime.parse(value))
    if kind == "DATE":
        return jpype.JInt((date.fromisoformat(value) - _EPOCH).days)
    if kind == "DECIMAL":
        precision, scale = map(int, written.split("(")[1].split(")", maxsplit=1)[0].split(","))
        number = jpype.java.math.BigDecimal(value)
        return java("data.Decimal").fromBigDecimal(number, precision, scale)
    makers: Mapping[str, Callable[[Any], Any]] = {
        "BIGINT": jpype.JLong,
        "INT": jpype.JInt,
        "SMALLINT": jpype.JShort,
        "TINYINT": jpype.JByte,
        "TIME": jpype.JInt,
        "FLOAT": lambda given: jpype.JFloat(float(given)),
        "DOUBLE": lambda given: jpype.JDouble(float(given)),
        "BOOLEAN": jpype.JBoolean,
    }
    return makers[kind](value)


def partition_of(row: Any, kinds: Sequence[str]) -> list[Any]:
    return [None if row.isNullAt(at) else field_of(row, at, kind) for at, kind in enumerate(kinds)]


def field_of(row: Any, at: int, written: str) -> Any:  # noqa: PLR0911 - one line a type
    kind = written.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    match kind:
        case "STRING" | "VARCHAR" | "CHAR":
            return str(row.getString(at))
        case "DATE":
            return date.fromordinal(_EPOCH.toordinal() + int(row.getInt(at))).isoformat()
        case "BOOLEAN":
            return bool(row.getBoolean(at))
        case "TIMESTAMP":
            digits = int(written.split("(")[1].split(")", maxsplit=1)[0])
            return datetime.fromisoformat(str(row.getTimestamp(at, digits).toLocalDateTime())).isoformat()
        case "BIGINT":
            return int(row.getLong(at))
        case "SMALLINT":
            return int(row.getShort(at))
        case "TINYINT":
            return int(row.getByte(at))
        case "DOUBLE":
            return float(row.getDouble(at))
        case "DECIMAL":
            precision, scale = map(int, written.split("(")[1].split(")", maxsplit=1)[0].split(","))
            return str(row.getDecimal(at, precision, scale).toBigDecimal().toPlainString())
        case _:
            return int(row.getInt(at))
