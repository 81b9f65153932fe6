"""Check the Avro types of the fields that are read in a manifest, so that readers can calculate with their values.

The writer of a manifest chooses its schema: any field id may have any type, such as numbers for a path. Types are those
of Iceberg's specification (section "Manifests"); an `int` counts as a `long`. The id of the sort order is not checked
(one of another type counts as unknown), nor is the key of an encrypted file (any value counts).
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.intake.limits import Malformed

_NUMBERS: Final = frozenset({"int", "long"})
_KINDS: Final = {
    **dict.fromkeys((ids.STATUS, ids.SNAPSHOT_ID, ids.SEQUENCE_NUMBER, ids.FILE_SEQUENCE_NUMBER), _NUMBERS),
    **dict.fromkeys((ids.CONTENT, ids.RECORDS, ids.BYTES), _NUMBERS),
    **dict.fromkeys((ids.PATH, ids.FORMAT, ids.REFERENCED), frozenset({"string"})),
    ids.SPLIT_OFFSETS: frozenset({"array of int", "array of long"}),
    **dict.fromkeys((ids.LOWER, ids.UPPER), frozenset({"array of record"})),
    **dict.fromkeys((ids.DATA_FILE, ids.PARTITION), frozenset({"record"})),
}
_REQUIRED: Final = frozenset({ids.STATUS, ids.DATA_FILE, ids.PATH, ids.FORMAT, ids.PARTITION, ids.RECORDS, ids.BYTES})
_NESTED: Final = frozenset({"record", "array", "map", "null"})


def check_types(written: Mapping[str, Any]) -> None:
    """Check the schema of the entries of a manifest.

    Raises:
        Malformed: a field has another type than in the specification, or is optional although each entry must have it,
            or a field of the partition is a record, an array or a map.
    """
    if written.get("type") != "record":
        raise Malformed("its entries have no fields")
    _check_fields(written)
    if (file := ids.record_of(written, ids.DATA_FILE)) is None:
        raise Malformed(f"its entries have no field {ids.DATA_FILE}")
    _check_fields(file)
    for field in (ids.record_of(file, ids.PARTITION) or {}).get("fields", ()):
        if (kind := _kind(field["type"])).partition(" ")[0] in _NESTED:
            raise Malformed(
                f"the partition field {field['name'][:80]!r} is of type {kind}; it must be a primitive type"
            )


def _check_fields(record: Mapping[str, Any]) -> None:
    for field in record["fields"]:
        number, kind = field.get("field-id"), field["type"]
        allowed = _KINDS.get(number) if type(number) is int else None
        if allowed is None:
            continue
        if _kind(kind) not in allowed:
            raise Malformed(f"its field {number} is of type {_kind(kind)}; it must be {' or '.join(sorted(allowed))}")
        if isinstance(kind, list) and number in _REQUIRED:
            raise Malformed(f"its field {number} is optional; each entry must have it")


def _kind(kind: Any) -> str:
    """Return the name of an Avro type without null; for an array with that of its items."""
    match kind:
        case str():
            return kind[:80]
        case list():
            others = [each for each in kind if each != "null"]
            return _kind(others[0]) if len(others) == 1 else "union"
        case {"type": "array", "items": items}:
            return f"array of {_kind(items)}"
        case {"type": str() as of, "logicalType": logical}:
            return f"{of} as {logical}"[:80]
        case {"type": of}:
            return _kind(of)
        case _:
            return "unknown"
