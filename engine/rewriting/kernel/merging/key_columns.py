"""The columns of a key: which types they can have, and versions as whole numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import MergeKey
from engine.rewriting.kernel.errors import UNSUPPORTED_KEY, Refused
from engine.rewriting.kernel.parquet.int96 import BYTES, int96_days
from engine.rewriting.kernel.reading.projection import field_id


@dataclass(frozen=True, slots=True)
class KeyColumns:
    """The fields of a task's schema that decide which rows stay."""

    key: Sequence[pa.Field]
    version: pa.Field
    deleted: pa.Field | None

    @staticmethod
    def of(schema: pa.Schema, key: MergeKey) -> "KeyColumns":
        """Return the fields of a key. Raises Refused if a type can't be compared as it needs to be."""
        by_id = {field_id(one): one for one in schema}
        found = KeyColumns(
            key=[by_id[number] for number in key.columns],
            version=by_id[key.version],
            deleted=None if key.deleted is None else by_id[key.deleted],
        )
        for one in found.key:
            if not _has_equality(one.type):
                raise Refused(UNSUPPORTED_KEY, f"column {one.name!r} is {one.type}, which can't be part of a key")
        if not _is_whole(found.version.type):
            detail = f"column {found.version.name!r} is {found.version.type}, which is not a version"
            raise Refused(UNSUPPORTED_KEY, f"{detail}: that is a whole number, a date or a timestamp")
        if found.deleted is not None and not pt.is_boolean(found.deleted.type):
            detail = f"column {found.deleted.name!r} is {found.deleted.type}"
            raise Refused(UNSUPPORTED_KEY, f"{detail}; whether a row is deleted is a boolean")
        return found

    @property
    def target(self) -> pa.Schema:
        """The fields in this order: key, version, deleted."""
        return pa.schema([*self.key, self.version, *([] if self.deleted is None else [self.deleted])])


def _has_equality(of: pa.DataType) -> bool:
    """Return whether equal values have one form: not floats, where readers differ on NaN and the sign of zero."""
    texts = (pt.is_string, pt.is_large_string, pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary)
    others = (pt.is_signed_integer, pt.is_boolean, pt.is_date32, pt.is_timestamp, pt.is_decimal)
    return any(kind(of) for kind in (*texts, *others))


def _is_whole(of: pa.DataType) -> bool:
    return bool(pt.is_signed_integer(of) or pt.is_date32(of) or pt.is_timestamp(of) or _is_int96(of))


def _is_int96(of: pa.DataType) -> bool:
    return bool(pt.is_fixed_size_binary(of) and of.byte_width == BYTES)


def version_numbers(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return versions as two columns of 64 bits that compare as they do, one after the other; nulls stay null.

    Timestamps are numbers of their own unit, which all files of a task have.
    """
    if _is_int96(column.type):
        parts = [int96_days(chunk) for chunk in column.chunks]
        days = pa.chunked_array([each[0] for each in parts], type=pa.int64())
        return days, pa.chunked_array([each[1] for each in parts], type=pa.int64())
    plain = column.cast(pa.int32()) if pt.is_date32(column.type) else column
    return pa.chunked_array([pa.nulls(len(column), pa.int64())]), plain.cast(pa.int64())
