"""Field ids of the manifest entry fields that are read, from Iceberg's specification (section "Manifests").

Writers may use any field names: the schema in each manifest maps these ids to its names.
"""

from collections.abc import Mapping
from typing import Any, Final

STATUS: Final = 0
SNAPSHOT_ID: Final = 1
DATA_FILE: Final = 2
SEQUENCE_NUMBER: Final = 3
FILE_SEQUENCE_NUMBER: Final = 4

PATH: Final = 100
FORMAT: Final = 101
PARTITION: Final = 102
RECORDS: Final = 103
BYTES: Final = 104
LOWER: Final = 125
UPPER: Final = 128
KEY: Final = 131
SPLIT_OFFSETS: Final = 132
CONTENT: Final = 134
SORT_ORDER: Final = 140
FIRST_ROW: Final = 142
REFERENCED: Final = 143
CONTENT_OFFSET: Final = 144
CONTENT_SIZE: Final = 145

OF_ENTRY: Final = frozenset({STATUS, SNAPSHOT_ID, SEQUENCE_NUMBER, FILE_SEQUENCE_NUMBER})
"""Fields of entries that are read, without the data file."""
OF_FILE: Final = frozenset(
    {CONTENT, PATH, FORMAT, PARTITION, RECORDS, BYTES, KEY, SPLIT_OFFSETS, SORT_ORDER, FIRST_ROW}
)
"""Fields of data files that are read."""


def field_names(record: Mapping[str, Any] | None) -> dict[int, str]:
    """Return the field names of an Avro record by field id; empty for None."""
    return {field["field-id"]: field["name"] for field in (record or {}).get("fields", ()) if "field-id" in field}


def record_of(record: Mapping[str, Any], field_id: int) -> Mapping[str, Any] | None:
    """Return the record type of a field; None when it is not a required record."""
    types = [field["type"] for field in record.get("fields", ()) if field.get("field-id") == field_id]
    return types[0] if types and isinstance(types[0], dict) and types[0].get("type") == "record" else None
