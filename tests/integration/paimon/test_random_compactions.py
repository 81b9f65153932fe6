"""Random tables are compacted by Packhouse and, on a copy, by Paimon's core alone: every row has the same value then.

Tables have options of all kinds, sometimes one that forbids an operation: nothing is done, and the refusal names it.
Another writer may add the same rows to both while ours is between plan and commit. A second reader,
pypaimon, finds the same rows, also by predicates. `PACKHOUSE_FUZZ_TABLES` and `PACKHOUSE_FUZZ_SEED` play more and other
tables (`make fuzz-paimon`).
"""

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

import pytest

from engine.formats.base import Engine
from engine.formats.paimon.metadata.known_options import Activity
from engine.formats.paimon.table import PaimonTable
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import SortedRuns
from tests.integration.paimon.test_against_the_core import PARTITIONS, SHORT, Shape, rows_of
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import RUN, committed, opened, rewritten
from tests.support.paimon.second_reader import BLANK_PARTITION, PyPaimon

TABLES: Final = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "12" if "PACKHOUSE_DEEP" in os.environ else "0"))
NUMBERS: Final = range(TABLES) if TABLES else (1, 4, 7)
"""Of the tables that are played: without a deep run those of the kernel, of a plain key table and with a changelog."""

SEED: Final = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
KINDS: Final[dict[str, tuple[Mapping[str, str], int]]] = {
    "append, unaware": ({"bucket": "-1"}, 0),
    "append, by the kernel": ({"bucket": "-1"}, 0),
    "append, fixed": ({"bucket": "2", "bucket-key": "id", "write-only": "true"}, 0),
    "append, vectors": ({"bucket": "-1", "deletion-vectors.enabled": "true"}, 0),
    "key, fixed": ({"bucket": "2", "write-only": "true"}, 0),
    "key, dynamic": ({"bucket": "-1", "write-only": "true"}, 3),
    "key, vectors": ({"bucket": "2", "deletion-vectors.enabled": "true", "write-only": "true"}, 0),
    "key, lookup": ({"bucket": "1", "changelog-producer": "lookup", "write-only": "true"}, 0),
    "key, full changelog": ({"bucket": "1", "changelog-producer": "full-compaction", "write-only": "true"}, 0),
    "key, first row": ({"bucket": "1", "merge-engine": "first-row", "write-only": "true"}, 0),
    "key, partial update": ({"bucket": "1", "merge-engine": "partial-update", "write-only": "true"}, 0),
    "key, aggregation": (
        {"bucket": "2", "merge-engine": "aggregation", "fields.v.aggregate-function": "max", "write-only": "true"},
        0,
    ),
}
BY_KERNEL: Final = ("append, by the kernel", "append, fixed")
HANDLED: Final[Mapping[str, Sequence[str]]] = {
    "manifest.merge-min-count": ("2", "30"),
    "manifest.compression": ("null", "deflate"),
    "manifest.delete-file-drop-stats": ("true",),
    "partition.legacy-name": ("false",),
    "data-file.path-directory": ("data/here",),
    "data-file.prefix": ("part-",),
    "changelog-file.prefix": ("log-",),
    "file.compression": ("zstd",),
    "file.suffix.include.compression": ("true",),
    "metadata.stats-mode": ("full", "none", "counts", "truncate(3)"),
    "metadata.stats-dense-store": ("false",),
    "target-file-size": ("1 mb",),
    "commit.force-create-snapshot": ("true",),
    "snapshot.num-retained.min": ("1",),
    "fields.v.default-value": ("1.5",),
    "sink.parallelism": ("2",),
    "owner": ("sales",),
}
"""Options that every table may have."""

OF_KIND: Final[Mapping[str, Mapping[str, str]]] = {
    "key, fixed": {"sequence.field": "v", "data-file.thin-mode": "true", "ignore-delete": "true"},
    "key, dynamic": {"data-file.thin-mode": "true"},
    "key, vectors": {"deletion-vectors.bitmap64": "true"},
    "append, vectors": {"deletion-vectors.bitmap64": "true"},
    "key, lookup": {"changelog-producer.row-deduplicate": "true", "changelog-file.format": "avro"},
    "key, full changelog": {"full-compaction.delta-commits": "2"},
    "key, partial update": {"partial-update.remove-record-on-delete": "true"},
}
"""Options of some kinds only."""

REFUSED: Final[Mapping[str, tuple[Mapping[str, str], Collection[Activity]]]] = {
    "dq.rule": ({"dq.rule": "x"}, tuple(Activity)),
    "row-tracking.enabled": ({"row-tracking.enabled": "true"}, (Activity.KERNEL, Activity.CORE)),
    "file-index.bloom-filter.columns": ({"file-index.bloom-filter.columns": "id"}, (Activity.KERNEL,)),
    "changelog.num-retained.min": ({"changelog.num-retained.min": "90"}, (Activity.EXPIRY, Activity.ORPHANS)),
    "metadata.iceberg.storage": (
        {"metadata.iceberg.storage": "table-location", "metadata.iceberg.manifest-compression": "deflate"},
        (Activity.EXPIRY, Activity.TAGS),
    ),
}
"""Options with their values, and the operations that they forbid."""

HIDES_NEW_ROWS: Final = ("key, vectors", "key, first row")
"""Kinds whose readers skip files of level 0: rows become visible with a compaction."""
NO_DELETES: Final = ("key, first row", "key, partial update", "key, aggregation")


def shape_of(chance: Random, number: int) -> Shape:
    kind = list(KINDS)[number % len(KINDS)]
    options, buckets = KINDS[kind]
    names = chance.sample(list(PARTITIONS), chance.choice([0, 1, 1, 2]))
    more = {"file.format": chance.choice(["orc", "avro"])} if chance.random() < 0.3 and kind not in BY_KERNEL else {}
    values = {name: PARTITIONS[name][1] for name in names}
    if "s" in values:  # the core names local files after partitions: not longer than allowed
        values["s"] = lambda chance: chance.choice(SHORT)
    features, refused = features_of(Random(f"{SEED}/{number}"), kind, names)
    options = {**options, **more, **features}
    return Shape(kind, [(name, PARTITIONS[name][0]) for name in names], options, buckets, values, refused)


def features_of(chance: Random, kind: str, partitions: Collection[str]) -> tuple[Mapping[str, str], str]:
    """Return options for a table of a kind, and the one of them that forbids something.

    With partitions by SMALLINT or TINYINT, the core can't read the metadata of Iceberg that it has written: its commits
    fail after the snapshot.
    """
    found = {name: chance.choice(HANDLED[name]) for name in chance.sample(list(HANDLED), chance.randrange(4))}
    found |= {name: value for name, value in OF_KIND.get(kind, {}).items() if chance.random() < 0.4}
    if chance.random() > 0.2:
        return found, ""
    names = [each for each in REFUSED if each != "row-tracking.enabled" or kind in ("append, unaware", BY_KERNEL[0])]
    if {"h", "t"} & set(partitions):
        names.remove("metadata.iceberg.storage")
    refused = chance.choice(names)
    return {**found, **REFUSED[refused][0]}, refused


def forbids(shape: Shape, work: Activity) -> bool:
    """Return whether an option of the table forbids an operation."""
    return bool(shape.refused) and work in REFUSED[shape.refused][1]


class Game:
    """A random table and its copy."""

    def __init__(self, chance: Random, shape: Shape, core: PaimonCore, folder: Path) -> None:
        self._chance = chance
        self._shape = shape
        self.ours = PaimonLake(core, folder / "ours")
        self.twin = PaimonLake(core, folder / "twin")
        self._partitions = [
            [None if not shape.is_keyed and chance.random() < 0.2 else value(chance) for value in shape.values.values()]
            for _ in range(3)
        ]

    def play(self) -> None:
        """Write a random history, and copy the table."""
        shape, chance = self._shape, self._chance
        self.ours.call(
            "create",
            columns=shape.columns,
            partition_keys=[name for name, _ in shape.partitions],
            primary_keys=["id", *(name for name, _ in shape.partitions)] if shape.is_keyed else [],
            options=shape.options,
        )
        for _ in range(chance.randrange(2, 9)):
            self.write(self.ours)
            if chance.random() < 0.4 and shape.kind == "append, vectors":
                self.ours.call("delete", every=chance.randrange(2, 5))
            if chance.random() < 0.2 and shape.is_keyed:
                self.compact(self.ours, full=chance.random() < 0.5)
        shutil.copytree(self.ours.root, self.twin.root)

    def write(self, *lakes: PaimonLake, is_lost: bool = False) -> None:
        """Commit the same random rows to each of these; `is_lost`: the writers end before they commit."""
        rows = rows_of(self._chance, self._shape, self._partitions)
        deletes = self._shape.is_keyed and self._shape.kind not in NO_DELETES
        kinds = "".join(self._chance.choice("IID") for _ in rows) if deletes else ""
        for lake in lakes:
            lake.write(rows, kinds=kinds, buckets=self._shape.buckets, is_lost=is_lost)

    def compact(self, lake: PaimonLake, *, full: bool) -> None:
        """Compact a table by the core alone."""
        if self._shape.is_keyed or self._shape.kind == "append, fixed":
            lake.call("compact", full=full, options={"write-only": "false"})
        else:
            lake.call("compact_unaware")


def sorted_runs(table: PaimonTable) -> list[int]:
    found: list[int] = SortedRuns.of(partition_files(table.digest())).sorted_run_count.tolist()
    return found


@pytest.fixture(scope="module")
def second_reader(pypaimon: PyPaimon) -> Iterator[PyPaimon]:
    """Pypaimon, which must have read nearly all tables in the end; one kind of partition is all that it may refuse."""
    yield pypaimon
    played = pypaimon.tables.total() + pypaimon.refused.total()
    assert set(pypaimon.refused) <= {BLANK_PARTITION}
    assert pypaimon.tables.total() >= 0.8 * played
    assert played < 2 * len(KINDS) or sorted(pypaimon.tables) == sorted(KINDS)
    assert pypaimon.predicates > 5 * pypaimon.tables.total()


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("core_child")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_random_table_has_the_same_rows_as_after_the_cores_own_compaction(
    paimon_core: PaimonCore, second_reader: PyPaimon, tmp_path: Path, number: int
) -> None:
    chance = Random(1000 * SEED + number)
    shape = shape_of(chance, number)
    game = Game(chance, shape, paimon_core, tmp_path)
    game.play()
    is_full = chance.random() < 0.7
    table = opened(game.ours)
    engine = Engine.ARROW if shape.kind in BY_KERNEL else Engine.NATIVE
    if forbids(shape, Activity.KERNEL if engine is Engine.ARROW else Activity.CORE):
        told = [each.detail for each in table.engines[engine].conditions() if not each.holds]
        assert any(each.startswith(shape.refused) for each in told), told
        return
    groups = rewritten(table, full=is_full, engine=engine, checks_rows=True)
    has_company = chance.random() < 0.4
    if has_company:
        game.write(game.ours, game.twin)
    if groups:
        proof = committed(game.ours, table, groups)
        assert proof.ok, [each for each in proof.checks if not each.holds]
        (found,) = opened(game.ours).commits.find(RUN)
        assert (found.snapshot_id, len(found.groups)) == (proof.snapshot_id, len(groups))
    if shape.is_keyed and not has_company:
        assert max(sorted_runs(opened(game.ours)), default=0) <= (1 if is_full else 5)
    game.compact(game.twin, full=True)
    if shape.kind in HIDES_NEW_ROWS:
        game.compact(game.ours, full=True)
    values = game.ours.call("values")
    assert values == game.twin.call("values")
    assert opened(game.ours).commits.list_outputs("run_2") == []
    second_reader.check(game.ours, shape.kind, values)
