"""Store first row ids in the entries of data manifests that are bytes (`entry_bytes`).

Before its ids are explicit, an entry must not move: readers derive its ids from the entries before it. Iceberg's
writers put the field behind the statistics, with only optional fields after it that data files do not use. So its place
is known from the end of an entry, and no statistics are decoded. Manifests that were written before the table was
upgraded do not have the field; there it becomes the last one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.entry_bytes import EntryLayout, encoded_long

_NAME: Final = "first_row_id"
_FIELD: Final[Mapping[str, Any]] = {
    "name": _NAME,
    "type": ["null", "long"],
    "default": None,
    "field-id": ids.FIRST_ROW,
}


@dataclass(frozen=True, slots=True)
class RowIdPlace:
    """The place of the first row id in a data file's record, by its Avro schema.

    Attributes:
        layout: of the entries that `stored` returns.
        is_new: the schema of the entries given to it does not have the field.
        prefix: the bytes that precede an id.
        nulls: the bytes of the field and of all after it, if none has a value.
    """

    layout: EntryLayout
    is_new: bool
    prefix: bytes
    nulls: bytes

    @classmethod
    def of(cls, layout: EntryLayout) -> "RowIdPlace | None":
        """Return the place in entries of a layout; None if it is not known from their end."""
        *before, last = layout.schema["fields"]
        fields = last["type"]["fields"]
        at = next((at for at, each in enumerate(fields) if each.get("field-id") == ids.FIRST_ROW), None)
        if at is None:
            if any(each["name"] == _NAME for each in fields):
                return None
            record = {**last["type"], "fields": [*fields, _FIELD]}
            schema = {**layout.schema, "fields": [*before, {**last, "type": record}]}
            return cls(replace(layout, schema=schema), True, encoded_long(1), encoded_long(0))
        kinds = [each["type"] for each in fields[at:]]
        if not all(isinstance(kind, list) and "null" in kind for kind in kinds) or "long" not in kinds[0]:
            return None
        nulls = b"".join(encoded_long(kind.index("null")) for kind in kinds)
        return cls(layout, False, encoded_long(kinds[0].index("long")), nulls)

    def stored(
        self, files: Sequence[bytes], had: Sequence[int | None], has: Sequence[int | None]
    ) -> list[bytes] | None:
        """Return data files with their first row ids; None if an entry is not as expected at its end.

        Bytes that only look like the fields are told from them by decoding the result.

        Args:
            files: the data file of each entry, as bytes.
            had: the id that each has stored.
            has: the id that each is to have.
        """
        found, rest = list[bytes](), self.nulls[1:]
        for file, old, new in zip(files, had, has, strict=True):
            if self.is_new:
                found.append(file + (self.nulls if new is None else self.prefix + encoded_long(new)))
            elif old == new:
                found.append(file)
            elif old is None and new is not None and file.endswith(self.nulls):
                found.append(file[: -len(self.nulls)] + self.prefix + encoded_long(new) + rest)
            else:
                return None
        return found
