"""The digest and the figures of the reader are those of Paimon's Java core, on tables that the core wrote."""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.planning.measures.digest import FILE_DIGEST
from tests.support.paimon.lakes import PaimonLake

TABLES = 60 if "PACKHOUSE_DEEP" in os.environ else 4
SEED = 20_261_125
ASCII = "".join(map(chr, range(1, 128)))
SPACES = ["\xa0", "\x85", "\u2003", "\u202f\t", "\x1c"]
SHORT = ["a", "", " ", *SPACES, "seven77", "eight888", "ünï/cödé 日本", "x=y", "__DEFAULT_PARTITION__", "%2F"]
WORDS = [*SHORT, ASCII, "a" * 90]


@dataclass
class Shape:
    """A random table: its columns, keys and options, and how many buckets of a dynamic table are written.

    `refused`: one of the options, by which Packhouse refuses some operations; empty if it knows how to follow all.
    `is_foreign`: another library writes some of the rows.
    """

    kind: str
    partitions: Sequence[tuple[str, str]]
    options: Mapping[str, str]
    buckets: int = 0
    values: Mapping[str, Callable[[Random], Any]] = field(default_factory=dict)
    refused: str = ""
    is_foreign: bool = False

    @property
    def has_nulls(self) -> bool:
        return not self.is_keyed and not self.is_foreign

    @property
    def is_keyed(self) -> bool:
        return self.kind.startswith("key")

    @property
    def columns(self) -> list[tuple[str, str]]:
        suffix = " NOT NULL" if self.is_keyed else ""
        return [("id", f"BIGINT{suffix}"), *((name, kind + suffix) for name, kind in self.partitions), ("v", "DOUBLE")]


MOMENTS = ["1969-12-31T23:59:59.999999", "2026-11-01T10:00:00", "2026-11-01T10:00:01", "2026-11-01T10:00:01.120000"]
PARTITIONS: dict[str, tuple[str, Callable[[Random], Any]]] = {
    "s": ("STRING", lambda chance: chance.choice(WORDS)),
    "c": ("VARCHAR(40)", lambda chance: chance.choice(["", "b", "0123456789abcdef"])),
    "i": ("INT", lambda chance: chance.choice([0, -1, 7, 2**31 - 1, -(2**31)])),
    "l": ("BIGINT", lambda chance: chance.choice([0, -(2**63), 2**63 - 1])),
    "h": ("SMALLINT", lambda chance: chance.choice([-(2**15), 5])),
    "t": ("TINYINT", lambda chance: chance.choice([-128, 5])),
    "b": ("BOOLEAN", lambda chance: chance.random() < 0.5),
    "d": ("DATE", lambda chance: (date(1969, 12, 30) + timedelta(days=chance.choice([0, 2, 20_000]))).isoformat()),
    "w": ("TIMESTAMP(3)", lambda chance: chance.choice(["1969-12-31T23:59:59.999", "2026-11-01T10:00:00"])),
    "x": ("TIMESTAMP(6)", lambda chance: chance.choice(MOMENTS)),
    "z": ("TIMESTAMP(0)", lambda chance: chance.choice(["1969-12-31T23:59:59", "2026-11-01T10:00:00"])),
    "m": ("DECIMAL(9, 2)", lambda chance: chance.choice(["-1.50", "0.00", "1234567.89"])),
    "n": ("DECIMAL(38, 3)", lambda chance: chance.choice(["-1.500", "12345678901234567890123456789012345.678"])),
}
KINDS: dict[str, tuple[Mapping[str, str], int]] = {
    "append, fixed": ({"bucket": "3", "bucket-key": "id"}, 0),
    "append, unaware": ({"bucket": "-1"}, 0),
    "append, vectors": ({"bucket": "-1", "deletion-vectors.enabled": "true"}, 0),
    "key, fixed": ({"bucket": "2", "num-sorted-run.compaction-trigger": "3"}, 0),
    "key, write-only": ({"bucket": "2", "write-only": "true"}, 0),
    "key, dynamic": ({"bucket": "-1"}, 3),
    "key, vectors": ({"bucket": "2", "deletion-vectors.enabled": "true"}, 0),
    "key, lookup": ({"bucket": "1", "changelog-producer": "lookup"}, 0),
    "key, first row": ({"bucket": "1", "merge-engine": "first-row"}, 0),
    "key, postponed": ({"bucket": "-2"}, 0),
}


def shape_of(chance: Random, number: int) -> Shape:
    kind = list(KINDS)[number % len(KINDS)]
    options, buckets = KINDS[kind]
    names = chance.sample(list(PARTITIONS), chance.choice([0, 1, 1, 2, 3]))
    more = {"manifest.merge-min-count": "2"} if chance.random() < 0.4 else {}
    if chance.random() < 0.3:
        more |= {"partition.legacy-name": "false"}
    if chance.random() < 0.3:
        more |= {"file.format": chance.choice(["orc", "avro"])}
    if chance.random() < 0.2:
        more |= {"data-file.path-directory": "data/here"}
    if chance.random() < 0.2:
        more |= {"manifest.compression": chance.choice(["null", "deflate"])}
    values = {name: PARTITIONS[name][1] for name in names}
    if kind == "key, lookup" and "s" in values:  # the core names local files after partitions: not longer than allowed
        values["s"] = lambda chance: chance.choice(SHORT)
    return Shape(kind, [(name, PARTITIONS[name][0]) for name in names], {**options, **more}, buckets, values)


def rows_of(chance: Random, shape: Shape, partitions: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [
        [chance.randrange(100), *chance.choice(partitions), chance.random()] for _ in range(chance.randrange(1, 40))
    ]


def play(chance: Random, shape: Shape, lake: PaimonLake) -> None:
    """Write a random history."""
    lake.call(
        "create",
        columns=shape.columns,
        partition_keys=[name for name, _ in shape.partitions],
        primary_keys=["id", *(name for name, _ in shape.partitions)] if shape.is_keyed else [],
        options=shape.options,
    )
    partitions = [
        [None if not shape.is_keyed and chance.random() < 0.2 else value(chance) for value in shape.values.values()]
        for _ in range(4)
    ]
    is_wide = False
    for _ in range(chance.randrange(2, 7)):
        rows = rows_of(chance, shape, partitions)
        if is_wide:
            rows = [[*row, None] for row in rows]
        deletes = shape.is_keyed and shape.kind != "key, first row"
        kinds = "".join(chance.choice("IID") for _ in rows) if deletes else ""
        lake.write(rows, kinds=kinds, buckets=shape.buckets)
        step = chance.random()
        if step < 0.25:
            compact(chance, shape, lake)
        elif step < 0.35 and shape.kind == "append, vectors":
            lake.call("delete", every=chance.randrange(2, 5))
        elif step < 0.45:
            lake.call("expire", retained=chance.randrange(1, 3))
        elif step < 0.52 and not is_wide:
            lake.call("add_column", name="more", kind="INT")
            is_wide = True
        elif step < 0.57:
            lake.call("truncate")
        elif step < 0.65 and shape.kind in ("append, unaware", "key, fixed"):
            lake.write([[*row[:1], *partitions[0], *row[1 + len(partitions[0]) :]] for row in rows], overwrite={})


def compact(chance: Random, shape: Shape, lake: PaimonLake) -> None:
    if shape.kind in ("append, unaware", "append, vectors"):
        lake.call("compact_unaware")
    elif shape.kind != "key, postponed":
        lake.call("compact", full=chance.random() < 0.5, options={"write-only": "false"})


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", range(TABLES))
def test_a_random_table_is_read_as_the_core_reads_it(lake: PaimonLake, number: int) -> None:
    chance = Random(SEED + number)
    shape = shape_of(chance, number)
    play(chance, shape, lake)
    compare(lake, [name for name, _ in shape.partitions])


def compare(lake: PaimonLake, partition_keys: Sequence[str]) -> None:
    """Compare every file, bucket and sum with those of the core."""
    truth, table = lake.call("inspect"), lake.open()
    digest = table.digest()
    assert digest.schema.equals(FILE_DIGEST)
    digest.validate(full=True)
    rows = digest.to_pylist()
    true = [_true(one, partition_keys) for one in truth["files"]]
    assert sorted(map(_seen, rows), key=repr) == sorted(true, key=repr)
    assert len({row["path"] for row in rows}) == len(rows)
    assert all(Path(row["path"]).stat().st_size == row["file_bytes"] for row in rows)
    assert not any(row["is_outside"] for row in rows)
    assert table.head_snapshot_id == truth["snapshot"]
    assert table.schema_id == truth["schema"]
    assert sum(row["record_count"] for row in rows) == truth["rows"]
    assert _buckets(rows) == {
        (_json(partition, partition_keys), f"bucket-{bucket if bucket >= 0 else 'postpone'}"): (count, records, size)
        for partition, bucket, count, records, size in truth["buckets"]
    }
    vectors = Counter(_json(one["partition"], partition_keys) for one in truth["files"] if one["vector"] is not None)
    assert table.figures().delete_files == {(0, partition): count for partition, count in vectors.items()}


def _seen(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        row["path"],
        row["partition"],
        row["bucket"],
        row["level"],
        row["file_bytes"],
        row["record_count"],
        row["sequence_number"],
        row["file_format"],
        row["deleted_rows"] if row["delete_files"] else None,
    )


def _true(file: Mapping[str, Any], partition_keys: Sequence[str]) -> tuple[Any, ...]:
    path, partition = file["path"].removeprefix("file:"), _json(file["partition"], partition_keys)
    numbers = (file["bucket"], file["level"], file["file_bytes"], file["record_count"], max(0, file["min_sequence"]))
    return (path, partition, *numbers, file["file_format"], file["vector"])


def _json(values: Sequence[Any], names: Sequence[str]) -> str:
    return json.dumps(dict(zip(names, values, strict=True)), separators=(",", ":"), ensure_ascii=False)


def _buckets(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], tuple[int, int, int]]:
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for row in rows:
        key = row["partition"], Path(row["path"]).parent.name
        count, records, size = found.get(key, (0, 0, 0))
        found[key] = count + 1, records + row["record_count"], size + row["file_bytes"]
    return found
