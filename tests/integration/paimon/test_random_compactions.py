"""Random tables are compacted by Packhouse and, on a copy, by Paimon's core alone: every row has the same value then.

Tables have options of the list, formats and codecs, sometimes an option that forbids an operation: nothing is done, and
the refusal names it. Another writer may add the same rows to both while ours is between plan and commit. Pypaimon
writes some of the rows, and finds the same ones at the end, also by predicates. `PACKHOUSE_FUZZ_TABLES` and
`PACKHOUSE_FUZZ_SEED` play more and other tables (`make fuzz-paimon`).
"""

import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import pytest

from engine.domain.errors import TableUnreadable
from engine.formats.base import Engine
from engine.formats.paimon.metadata.known_options import KNOWN, OPTIONS, Activity
from engine.formats.paimon.rewrite.conditions import CODECS
from engine.formats.paimon.table import PaimonTable
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import SortedRuns
from tests.integration.paimon.test_against_the_core import PARTITIONS, SHORT, Shape, rows_of
from tests.integration.paimon.test_options import OF_TABLES
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json
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
    "file-index.bloom-filter.columns": ({"file-index.bloom-filter.columns": "id"}, (Activity.KERNEL,)),
    "metadata.iceberg.storage": (
        {"metadata.iceberg.storage": "table-location", "metadata.iceberg.manifest-compression": "deflate"},
        (Activity.EXPIRY, Activity.TAGS),
    ),
}
"""Options that tables have from the start, and the operations that they forbid: others are done with them."""

MANAGED: Final = {KNOWN[Activity.CORE].find(each) for each in ("bucket", "ignore-delete", "snapshot.expire.limit")}
LISTED: Final = [
    each.parameter.name
    for each in OPTIONS
    if not each.concerns and each.parameter.meaning not in {one.meaning for one in MANAGED if one is not None}
]
"""Options that change nothing for a rewrite, of which tables have some: those that `KINDS` has are not among them."""

NOT_DRAWN: Final = (
    *("auto-create", "clustering.incremental", "log.scan", "query-auth.enabled", "scan.mode"),
    *("streaming-read-overwrite", "table-read.sequence-number.enabled"),
    "tag.default-time-retained",
)
"""Options of the list with which the core refuses to create, open or read these tables itself.

The last one: tests of expiry are a day ahead of the core's clock.
"""

_EXPIRES: Final = "partition.expiration-time"
_COMPACTS_IN_FULL: Final = "full-compaction.delta-commits"
"""Options that the core refuses without partitions, and of tables without keys."""

FORBIDDING: Final = [
    "dq.rule",
    *(
        each.parameter.name.replace("*", "x")
        for each in OPTIONS
        if each.concerns and each.parameter.name not in REFUSED
    ),
]
"""Options that forbid an operation with the value `x`, or `true`, or all; that of manifests has a test of its own."""

FOREIGN: Final = (*BY_KERNEL, "append, unaware", "key, fixed", "key, partial update", "key, aggregation")
"""Kinds of which pypaimon writes some commits. It has other folders for partitions of nulls and blanks."""

NOT_FOREIGN: Final = {"parquet": ("uncompressed", "lz4_raw"), "orc": ("lzo", "none"), "avro": ()}
"""Codecs that pypaimon does not write."""

ARROW: Final = {
    "BIGINT": "int64()",
    "INT": "int32()",
    "SMALLINT": "int16()",
    "TINYINT": "int8()",
    "BOOLEAN": "bool_()",
    "STRING": "string()",
    "VARCHAR(40)": "string()",
    "DATE": "date32()",
    "DOUBLE": "float64()",
    "TIMESTAMP(0)": "timestamp('s')",
    "TIMESTAMP(3)": "timestamp('ms')",
    "TIMESTAMP(6)": "timestamp('us')",
    "DECIMAL(9, 2)": "decimal128(9, 2)",
    "DECIMAL(38, 3)": "decimal128(38, 3)",
}
HIDES_NEW_ROWS: Final = ("key, vectors", "key, first row")
"""Kinds whose readers skip files of level 0: rows become visible with a compaction."""
NO_DELETES: Final = ("key, first row", "key, partial update", "key, aggregation")


def shape_of(chance: Random, number: int, core: PaimonCore) -> Shape:
    kind = list(KINDS)[number % len(KINDS)]
    options, buckets = KINDS[kind]
    names = chance.sample(list(PARTITIONS), chance.choice([0, 1, 1, 2]))
    values, is_foreign = {name: PARTITIONS[name][1] for name in names}, kind in FOREIGN and chance.random() < 0.7
    if "s" in values:  # the core names local files after partitions: not longer than allowed
        words = [each for each in SHORT if each.strip()] if is_foreign else SHORT
        values["s"] = lambda chance: chance.choice(words)
    features, refused = features_of(Random(f"{SEED}/{number}"), kind, names, core.call("options", classes=OF_TABLES))
    options = {**options, **features}
    if options.get("file.format") == "orc" and {"w", "x"} & values.keys():
        is_foreign = False  # the core moves fractions of a second before 1970, which pypaimon wrote, by a second
    columns = [(name, PARTITIONS[name][0]) for name in names]
    return Shape(kind, columns, options, buckets, values, refused, is_foreign)


def features_of(
    chance: Random, kind: str, partitions: Collection[str], values: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, str], str]:
    """Return options for a table of a kind, and one that forbids something, which the table has or gets later.

    With partitions by SMALLINT, TINYINT or TIMESTAMP(0), the core can't write or read its metadata of Iceberg: its
    commits fail after the snapshot.
    """
    unfit = {
        *NOT_DRAWN,
        *(() if partitions else (_EXPIRES,)),
        *(() if kind.startswith("key") else (_COMPACTS_IN_FULL,)),
    }
    listed = [name for name in LISTED if name not in unfit and values.get(name)]
    found = {name: chance.choice(values[name]) for name in chance.sample(listed, chance.randrange(6))}
    found["file.format"] = "parquet" if kind in BY_KERNEL else chance.choice(("parquet", "parquet", "orc", "avro"))
    if chance.random() < 0.6:
        codecs = CODECS[found["file.format"]].difference(NOT_FOREIGN[found["file.format"]] if kind in FOREIGN else ())
        found["file.compression"] = chance.choice(sorted(codecs))
        found["changelog-file.compression"] = "zstd"
    found |= {name: chance.choice(HANDLED[name]) for name in chance.sample(list(HANDLED), chance.randrange(4))}
    found |= {name: value for name, value in OF_KIND.get(kind, {}).items() if chance.random() < 0.4}
    if chance.random() > 0.3:
        return found, ""
    if chance.random() < 0.7 or {"h", "t", "z"} & set(partitions):
        return found, chance.choice([each for each in FORBIDDING if each != "manifest.format"])
    refused = chance.choice(list(REFUSED))
    return {**found, **REFUSED[refused][0]}, refused


def forbids(shape: Shape, work: Activity, lake: PaimonLake | None = None) -> bool:
    """Return whether an option of the table forbids an operation; a lake gets an option that it lacks then."""
    if not shape.refused:
        return False
    if shape.refused in REFUSED:
        return work in REFUSED[shape.refused][1]
    rows = [each for each in OPTIONS if each.parameter.name.replace("*", "x") == shape.refused]
    is_forbidden = not rows or any(work in each.concerns for each in rows)
    if is_forbidden and lake is not None:
        value = "true" if any("false" in (each.parameter.accepted or ()) for each in rows) else "x"
        path = max((lake.folder / "schema").iterdir())
        edit_json(path, options={**json.loads(path.read_text())["options"], shape.refused: value})
    return is_forbidden


class Game:
    """A random table and its copy."""

    def __init__(
        self, chance: Random, shape: Shape, core: PaimonCore, folder: Path, pypaimon: PyPaimon | None = None
    ) -> None:
        self._chance = chance
        self._pypaimon = pypaimon if shape.is_foreign else None
        self._shape = shape
        self.ours = PaimonLake(core, folder / "ours")
        self.twin = PaimonLake(core, folder / "twin")
        self._partitions = [
            [None if shape.has_nulls and chance.random() < 0.2 else value(chance) for value in shape.values.values()]
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
        if self._pypaimon is not None and not is_lost and self._chance.random() < 0.5:
            columns = [(name, ARROW[kind.removesuffix(" NOT NULL")]) for name, kind in self._shape.columns]
            for lake in lakes:
                self._pypaimon.do(lake, "write", columns=columns, rows=rows)
            return
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
    refused = {each for each in pypaimon.refused if not each.startswith("key, partial update: merge-engine")}
    assert refused <= {BLANK_PARTITION}
    assert pypaimon.tables.total() >= 0.8 * played
    assert played < 4 * len(KINDS) or sorted(pypaimon.tables) == sorted(KINDS)
    assert pypaimon.predicates > 5 * pypaimon.tables.total()


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("core_child")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_random_table_has_the_same_rows_as_after_the_cores_own_compaction(
    paimon_core: PaimonCore, second_reader: PyPaimon, tmp_path: Path, number: int
) -> None:
    chance = Random(1000 * SEED + number)
    shape = shape_of(chance, number, paimon_core)
    game = Game(chance, shape, paimon_core, tmp_path, second_reader)
    game.play()
    is_full = chance.random() < 0.7
    engine = Engine.ARROW if shape.kind in BY_KERNEL else Engine.NATIVE
    is_forbidden = forbids(shape, Activity.KERNEL if engine is Engine.ARROW else Activity.CORE, game.ours)
    table = opened(game.ours)
    told = [each.detail for each in table.engines[engine].conditions() if not each.holds]
    if is_forbidden:
        assert any(each.startswith(shape.refused) for each in told), told
        return
    assert told == []
    groups = rewritten(table, full=is_full, engine=engine, checks_rows=True)
    # a full compaction forgets deletions: a row that comes later, with a lower sequence field, is there again
    has_company = chance.random() < 0.4 and "sequence.field" not in shape.options
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


_SIZES: Final = ("file.block-size", "target-file-size", "manifest.target-file-size")
_NUMBERS: Final = ("num-sorted-run.compaction-trigger", "commit.max-retries", "sort-spill-threshold")
ODD: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(_SIZES, ("1 kb", "x")),
    **dict.fromkeys(_NUMBERS, ("1", "x")),
    **dict.fromkeys(("record-level.expire-time", "partition.expiration-time"), ("1 d", "x")),
    **dict.fromkeys(("deletion-vectors.enabled", "write-only", "parquet.enable.dictionary"), ("true", "x")),
    **dict.fromkeys(("file.compression.zstd-level", "parquet.compression.codec.zstd.level"), ("22", "99", "x")),
    "file.compression": ("brotli", "lzo", "lz4", "snappy", "gzip", "none", "x"),
    "file.compression.per.level": ("0:lz4,5:zstd", "0:snappy", "x"),
    "file.format": ("avro", "orc", "PARQUET", "x"),
    "manifest.compression": ("zstd", "x"),
    "bucket": ("4", "-2", "0", "x"),
    "merge-engine": ("deduplicate", "first-row", "x"),
    "changelog-producer": ("input", "lookup", "x"),
    "sequence.field": ("v", "nowhere"),
}
"""Options that another program may set on a table with files, with values that its own library may refuse."""


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("core_child")
@pytest.mark.parametrize("number", range(TABLES or 4))
def test_f49_what_the_conditions_of_an_odd_table_offer_a_compaction_does(
    paimon_core: PaimonCore, tmp_path: Path, number: int
) -> None:
    """F49: options that the core can't take made every run fail. A condition that does not hold names its reason."""
    chance = Random(f"{SEED}/odd/{number}")
    shape = shape_of(chance, number, paimon_core)
    kept = {name: value for name, value in shape.options.items() if not name.startswith("metadata.iceberg")}
    (game := Game(chance, replace(shape, options=kept), paimon_core, tmp_path)).play()
    given = {name: chance.choice(ODD[name]) for name in chance.sample(list(ODD), chance.choice((1, 1, 2)))}
    schemas = sorted(game.ours.folder.glob("schema/schema-*"), key=lambda path: int(path.name.partition("-")[2]))
    edit_json(schemas[-1], options=json.loads(schemas[-1].read_text())["options"] | given)
    try:
        engines = opened(game.ours).engines
    except TableUnreadable as error:
        assert "repair" not in error.message  # noqa: PT017 - a table that is opened is as good
        return
    failed = {at: [each for each in engines[at].conditions() if not each.holds] for at in (Engine.ARROW, Engine.NATIVE)}
    engine = next((at for at, conditions in failed.items() if not conditions), None)
    if engine is not None and (groups := rewritten(opened(game.ours), full=True, engine=engine, checks_rows=True)):
        proof = committed(game.ours, opened(game.ours), groups)
        assert proof.ok, f"{given}: {[each for each in proof.checks if not each.holds]}"
