"""Orphans of Paimon tables: files of every kind that nothing refers to, and runs that look for them."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from engine.domain.runs.removals import OrphanRule, RemovalFigures
from engine.formats.base import FileDeletion
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.expiries import RUN
from tests.support.paimon.lakes import PaimonLake
from tests.upkeep.orphans import LONG_AGO, grow_old, pass_quarantine, set_age

RULE: Final = OrphanRule(older_than=timedelta(days=3), quarantine=timedelta(days=7))
IN_BUCKETS: Final = (
    "data-{}-0.parquet",
    "data-{}-1.orc",
    "data-{}-2.zstd.avro",
    "data-{}-0.parquet.index",
    "data-{}-0.parquet-1.index",
    "changelog-{}-0.parquet",
    "index-{}-3",
    "data--u-7d8c1f34-s-2147483646-w-{}-0.avro",
    "run_0gone-00001-1-17.parquet",
    "run_0gone-00001-1-2-{}-0.parquet",
    "run_0gone-00001-1-2-changelog-{}-1.orc",
)
"""Names of files in the folder of a bucket; `{}` is a UUID."""

IN_TABLE: Final = (
    "manifest/manifest-{}-0",
    "manifest/manifest-list-{}-0",
    "manifest/index-manifest-{}-0",
    "index/index-{}-0",
    "statistics/stat-{}-0",
    "snapshot/.snapshot-7.{}.tmp",
    "snapshot/.LATEST.{}.tmp",
    "snapshot/{}-EARLIEST.temp",
    "changelog/.changelog-2.{}.tmp",
)
"""Paths of other files of a table."""

OF_OTHERS: Final = (
    "bucket-0/notes.txt",
    "bucket-0/data-{}-0.parquet.bak",
    "bucket-0/.data-{}-0.parquet.crc",
    "bucket-0/deeper/data-{}-0.parquet",
    "bucket-x/data-{}-0.parquet",
    "data-{}-0.parquet",
    "other/bucket-0/data-{}-0.parquet",
    "manifest/manifest-backup",
    "manifest/deeper/manifest-{}-0",
    "index/mine",
    "statistics/readme.md",
)
"""Paths of files that are none of Paimon's; in a table without partitions."""

DOCUMENTS: Final = (
    "consumer/consumer-c",
    "consumer/.consumer-c.{}.tmp",
    "schema/.schema-3.{}.tmp",
    "tag/.tag-x.{}.tmp",
    "service/service-primary-key-lookup",
    "branch/readme",
    "snapshot/notes",
)
"""Paths in folders of documents, where nothing but what is left of writing a snapshot is an orphan."""


def place(folder: Path, name: str, body: bytes = b"orphan") -> Path:
    """Put an old file into a table's folder; return its path."""
    path = folder / name.format(uuid4())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    set_age(path, LONG_AGO)
    return path


def looked(
    table: PaimonTable,
    *,
    rule: OrphanRule = RULE,
    others: Sequence[str] = (),
    open_runs: Sequence[str] = (),
    run_id: str = RUN,
) -> FileDeletion:
    """Return a deletion that has looked."""
    deletion = table.orphan_removal.deletion(run_id, rule, others, open_runs)
    while deletion.look(lambda _: None, 60.0):
        pass
    return deletion


def deleted(deletion: FileDeletion) -> RemovalFigures:
    """Delete what was found, and prove it."""
    plan = deletion.record()
    while deletion.advance(lambda _: None, 60.0):
        pass
    proof = deletion.prove()
    assert all(each.holds for each in proof), proof
    deletion.close()
    figures = deletion.figures()
    assert figures.failed == {}
    assert figures.total.files <= plan.total.files
    return figures


def removed(lake: PaimonLake, **more: Any) -> RemovalFigures:
    """Make the files of a table old, look, wait for the quarantine, look again and delete."""
    grow_old(lake.folder)
    assert looked(lake.open(), **more).record().total.files == 0
    pass_quarantine(lake.folder, RULE.quarantine)
    return deleted(looked(lake.open(), **more))
