"""Mutants of a file: flipped and replaced bytes, moved, doubled and missing parts, huge numbers and lengths."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

_HUGE = (
    b"\xff" * 4,
    b"\xff" * 8,
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x20\x00",
    b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # the greatest number of 64 bits as a varint
    b"\x80\x80\x80\x80\x10",
    b"\x00" * 16,
)
_VALUES: tuple[Any, ...] = (None, -1, 0, 2**31, 2**63, 1e308, "", "x" * 3000, [], {}, [[]], True, "../../x", "%2e%2e/x")


def mutant(seeds: Sequence[bytes], chance: Random) -> bytes:
    """Return a changed copy of one of the seeds."""
    body = bytearray(chance.choice(seeds))
    if chance.random() < 0.3 and (edited := _edited_json(bytes(body), chance)) is not None:
        return edited
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        if not body:
            break
        chance.choice(_CHANGES)(body, seeds, chance)
    return bytes(body)


def _flip(body: bytearray, _seeds: Sequence[bytes], chance: Random) -> None:
    body[chance.randrange(len(body))] ^= 1 << chance.randrange(8)


def _replace(body: bytearray, _seeds: Sequence[bytes], chance: Random) -> None:
    body[chance.randrange(len(body))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))


def _remove(body: bytearray, _seeds: Sequence[bytes], chance: Random) -> None:
    start = chance.randrange(len(body))
    del body[start : start + chance.choice((1, 4, 64, len(body)))]


def _double(body: bytearray, _seeds: Sequence[bytes], chance: Random) -> None:
    start = chance.randrange(len(body))
    part = body[start : start + chance.choice((1, 16, 256, 4096))]
    body[start:start] = part * chance.choice((1, 2, 100))


def _insert_huge(body: bytearray, _seeds: Sequence[bytes], chance: Random) -> None:
    start, huge = chance.randrange(len(body)), chance.choice(_HUGE)
    body[start : start + chance.choice((0, len(huge)))] = huge


def _splice(body: bytearray, seeds: Sequence[bytes], chance: Random) -> None:
    other = chance.choice(seeds)
    start, at = chance.randrange(len(body)), chance.randrange(len(other))
    body[start : start + 64] = other[at : at + chance.choice((16, 64, 1024))]


_CHANGES: Sequence[Callable[[bytearray, Sequence[bytes], Random], None]] = (
    _flip,
    _flip,
    _replace,
    _remove,
    _double,
    _insert_huge,
    _splice,
)


def _edited_json(body: bytes, chance: Random) -> bytes | None:
    """Return a JSON document with another value at a random place; None if the body is none."""
    if not body.startswith(b"{"):
        return None
    document = json.loads(body)
    parent: Any = document
    while True:
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        if not keys:
            break
        key = chance.choice(keys)
        if chance.random() < 0.3 or not isinstance(parent[key], dict | list):
            parent[key] = [parent[key]] * 1000 if chance.random() < 0.1 else chance.choice(_VALUES)
            break
        parent = parent[key]
    return json.dumps(document).encode()
