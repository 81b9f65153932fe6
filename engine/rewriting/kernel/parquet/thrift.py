"""Thrift's compact protocol, limited to the needs of Parquet's footers and page headers.

A struct is `{field id: (wire type, value)}`. Values are int, bool, float, bytes, a nested struct, or `(element wire
type, [values])` for a list or set. Parquet has no maps (they are skipped, as None, and can't be written).

Input may be damaged: every length is checked against the available bytes, and depth is bounded.
"""

import struct
from collections.abc import Iterable
from typing import Any, Final

TRUE: Final = 1
FALSE: Final = 2
BYTE: Final = 3
I16: Final = 4
I32: Final = 5
I64: Final = 6
DOUBLE: Final = 7
BINARY: Final = 8
LIST: Final = 9
SET: Final = 10
MAP: Final = 11
STRUCT: Final = 12
UUID: Final = 13

_BOOLEANS: Final = frozenset({TRUE, FALSE})
_INTEGERS: Final = frozenset({I16, I32, I64})
_WIDTHS: Final = {BYTE: 1, DOUBLE: 8, UUID: 16}
_FORMATS: Final = {BYTE: "b", DOUBLE: "<d", UUID: "16s"}
_MOST_DEPTH: Final = 32
_MOST_SHIFT: Final = 63
_SHORT: Final = 64
"""Bytes of lists that are compared in any case; the others hold what differs in each footer."""

Struct = dict[int, tuple[int, Any]]


class MalformedStruct(ValueError):
    """The bytes are not a valid struct of the compact protocol."""


def read_struct(data: Any, at: int = 0) -> tuple[Struct, int]:
    """Return the struct that starts at byte `at` of `data` (bytes or a view of them), and its end offset.

    Raises:
        MalformedStruct: it ends too early, nests too deeply, or has a type that Parquet does not use.
    """
    try:
        return _struct(data, at, 0)
    except IndexError as error:
        raise MalformedStruct(f"ends inside the struct that begins at byte {at}") from error


def fields_as_stored(data: bytes) -> dict[int, bytes]:
    """Return the bytes of each value of the struct at the start of `data`, by number. Raises MalformedStruct."""
    found: dict[int, bytes] = {}
    at = number = 0
    try:
        while head := data[at]:
            kind, at = head & 15, at + 1
            number, at = (number + (head >> 4), at) if head >> 4 else _zigzag(data, at)
            end = at if kind in _BOOLEANS else _value(data, at, kind, 0)[1]
            found[number], at = data[at:end], end
    except IndexError as error:
        raise MalformedStruct("ends inside the struct that begins at byte 0") from error
    return found


class Recall:
    """Reads structs that have most of their lists in common, as footers of one table: equal bytes are read once.

    Lists are compared with those at the same place among the lists of the struct before. Values are shared by the
    structs, so they must not be changed. Thread safe.

    Args:
        fields: fields of the outermost struct that are compared too, whatever their size.
    """

    def __init__(self, fields: Iterable[int] = ()) -> None:
        self._fields = frozenset(fields)
        self._known: dict[int, tuple[bytes, Any]] = {}

    def read_struct(self, data: bytes) -> Struct:
        """Return the struct at the start of `data`, as the function of this name does. Raises MalformedStruct."""
        try:
            return _Recalling(data, self._known, self._fields).struct(0, 0)[0]
        except IndexError as error:
            raise MalformedStruct("ends inside the struct that begins at byte 0") from error


class _Recalling:
    """One struct that is read with the lists of the struct before."""

    def __init__(self, data: bytes, known: dict[int, tuple[bytes, Any]], fields: frozenset[int]) -> None:
        self._data = data
        self._known = known
        self._fields = fields
        self._lists = 0

    def struct(self, at: int, depth: int) -> tuple[Struct, int]:
        """Return the struct at a byte, and its end offset."""
        if depth > _MOST_DEPTH:
            raise MalformedStruct(f"deeper than {_MOST_DEPTH} levels at byte {at}")
        found: Struct = {}
        data, number = self._data, 0
        while head := data[at]:
            at += 1
            kind = head & 15
            if head >> 4:
                number += head >> 4
            else:
                number, at = _zigzag(data, at)
            if kind in _INTEGERS:
                byte = data[at]
                at += 1
                if byte > 127:  # noqa: PLR2004 - seven bits a byte
                    byte, at = read_varint(data, at - 1)
                found[number] = (kind, (byte >> 1) ^ -(byte & 1))
            elif kind == LIST:
                found[number], at = self._list(at, depth, is_compared=depth == 0 and number in self._fields)
            elif kind == STRUCT:
                value, at = self.struct(at, depth + 1)
                found[number] = (kind, value)
            elif kind in _BOOLEANS:
                found[number] = (TRUE, kind == TRUE)
            else:
                value, at = _value(data, at, kind, depth)
                found[number] = (kind, value)
        return found, at + 1

    def _list(self, at: int, depth: int, *, is_compared: bool) -> tuple[tuple[int, Any], int]:
        data, place = self._data, self._lists
        self._lists += 1
        known = self._known.get(place)
        if known is not None and data.startswith(known[0], at):
            return known[1], at + len(known[0])
        if data[at] & 15 == STRUCT:
            value, end = self._structs(at, depth + 1)
        else:
            value, end = _list(data, at, depth + 1)
        entry = LIST, value
        if is_compared or end - at <= _SHORT:
            self._known[place] = data[at:end], entry
        return entry, end

    def _structs(self, at: int, depth: int) -> tuple[tuple[int, list[Any]], int]:
        if depth > _MOST_DEPTH:
            raise MalformedStruct(f"deeper than {_MOST_DEPTH} levels at byte {at}")
        length, begin = _length(self._data, at)
        at, values = begin, []
        for _ in range(length):
            value, at = self.struct(at, depth + 1)
            values.append(value)
        return (STRUCT, values), at


def write_struct(fields: Struct) -> bytes:
    """Return the bytes of a struct. Nested structs may be given as bytes that this function returned."""
    out = bytearray()
    _write_struct(out, fields)
    return bytes(out)


def write_rest(written: bytes, last: int, fields: Struct) -> bytes:
    """Return the bytes of a struct whose fields up to number `last` are given as result of `write_struct`."""
    out = bytearray(written)
    del out[-1]  # its end
    _write_struct(out, fields, last)
    return bytes(out)


def varint(value: int) -> bytes:
    """Return a non-negative number as a varint, seven bits per byte."""
    out = bytearray()
    _write_varint(out, value)
    return bytes(out)


def read_varint(data: Any, at: int) -> tuple[int, int]:
    """Return the varint at byte `at`, and its end offset. Raises MalformedStruct, or IndexError if it is incomplete."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:  # noqa: PLR2004 - the last byte
            return value, at
        shift += 7
        if shift > _MOST_SHIFT:
            raise MalformedStruct(f"a number without end at byte {at}")


def _struct(data: Any, at: int, depth: int) -> tuple[Struct, int]:
    if depth > _MOST_DEPTH:
        raise MalformedStruct(f"deeper than {_MOST_DEPTH} levels at byte {at}")
    found: Struct = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(data, at)
        if kind in _INTEGERS and data[at] < 128:  # noqa: PLR2004 - one byte, the usual case
            byte = data[at]
            found[number] = (kind, (byte >> 1) ^ -(byte & 1))
            at += 1
        elif kind in _BOOLEANS:
            found[number] = (TRUE, kind == TRUE)
        else:
            value, at = _value(data, at, kind, depth)
            found[number] = (kind, value)
    return found, at + 1


def _value(data: Any, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in _INTEGERS:
        return _zigzag(data, at)
    if kind == BINARY:
        length = data[at]
        at += 1
        if length > 127:  # noqa: PLR2004 - seven bits a byte
            length, at = read_varint(data, at - 1)
        return _piece(data, at, length), at + length
    if kind in _WIDTHS:
        return struct.unpack(_FORMATS[kind], _piece(data, at, _WIDTHS[kind]))[0], at + _WIDTHS[kind]
    if kind not in _NESTED:
        raise MalformedStruct(f"wire type {kind} at byte {at}")
    return _NESTED[kind](data, at, depth + 1)


def _list(data: Any, at: int, depth: int) -> tuple[tuple[int, list[Any]], int]:
    if depth > _MOST_DEPTH:
        raise MalformedStruct(f"deeper than {_MOST_DEPTH} levels at byte {at}")
    kind = data[at] & 15
    length, at = _length(data, at)
    values = []
    for _ in range(length):
        value, at = _element(data, at, kind, depth)
        values.append(value)
    return (kind, values), at


def _length(data: Any, at: int) -> tuple[int, int]:
    """Return the number of elements of the list at a byte, and the offset of the first."""
    length = data[at] >> 4
    at += 1
    if length == 15:  # noqa: PLR2004 - a length of its own follows
        length, at = read_varint(data, at)
    if length > len(data) - at:
        raise MalformedStruct(f"a list of {length} at byte {at} of {len(data)}")
    return length, at


def _element(data: Any, at: int, kind: int, depth: int) -> tuple[Any, int]:
    return (data[at] == TRUE, at + 1) if kind in _BOOLEANS else _value(data, at, kind, depth)


def _map(data: Any, at: int, depth: int) -> tuple[None, int]:
    length, at = read_varint(data, at)
    if length > len(data) - at:
        raise MalformedStruct(f"a map of {length} at byte {at} of {len(data)}")
    kinds, at = (data[at], at + 1) if length else (0, at)
    for _ in range(length):
        _, at = _element(data, at, kinds >> 4, depth)
        _, at = _element(data, at, kinds & 15, depth)
    return None, at


_NESTED: Final = {STRUCT: _struct, LIST: _list, SET: _list, MAP: _map}


def _piece(data: Any, at: int, length: int) -> bytes:
    if length > len(data) - at:
        raise MalformedStruct(f"{length} bytes at byte {at} of {len(data)}")
    return bytes(data[at : at + length])


def _zigzag(data: Any, at: int) -> tuple[int, int]:
    value, at = read_varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _write_struct(out: bytearray, fields: Struct, before: int = 0) -> None:
    for number in sorted(fields):
        kind, value = fields[number]
        if kind <= FALSE:
            kind = TRUE if value else FALSE
        if 0 < number - before <= 15:  # noqa: PLR2004 - four bits
            out.append((number - before) << 4 | kind)
        else:
            out.append(kind)
            _write_varint(out, number << 1 if number >= 0 else (-number << 1) - 1)
        before = number
        if kind > FALSE:
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _INTEGERS:
        _write_varint(out, value << 1 if value >= 0 else (-value << 1) - 1)
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind == STRUCT and isinstance(value, bytes):
        out += value
    elif kind == STRUCT:
        _write_struct(out, value)
    elif kind in {LIST, SET}:
        element, values = value
        if len(values) < 15:  # noqa: PLR2004 - four bits, all ones mean more
            out.append(len(values) << 4 | element)
        else:
            out.append(0xF0 | element)
            _write_varint(out, len(values))
        for one in values:
            if element <= FALSE:
                out.append(TRUE if one else FALSE)
            else:
                _write_value(out, element, one)
    else:
        out += struct.pack(_FORMATS[kind], value)


def _write_varint(out: bytearray, value: int) -> None:
    while value > 127:  # noqa: PLR2004 - seven bits a byte
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
