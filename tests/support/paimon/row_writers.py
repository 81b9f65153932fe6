"""A writer that commits rows without pause through the catalog of a table, while the table is compacted."""

import threading
from dataclasses import dataclass, field
from typing import Any, Self

from engine.domain.errors import CommitConflict
from engine.formats.base import CommitRequest
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import opened, rewritten
from tests.support.paimon.s3_lakes import S3Lake

_FEWEST = 3


@dataclass
class RowWriter:
    """Commits rows, one at a time, until the block ends; a few more if it was slow."""

    lake: PaimonLake | S3Lake
    rows: list[list[Any]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._thread.join()

    def _write(self) -> None:
        try:
            while not self.stopped.wait(0.05) or len(self.rows) <= _FEWEST:
                row = [1000 + len(self.rows), "2026-11-03", float(len(self.rows))]
                self.lake.write([row])
                self.rows.append(row)
        except Exception as error:  # noqa: BLE001 - the test fails with it
            self.errors.append(error)


MOST_TURNS = 20


def compacted_beside_writers(lake: PaimonLake | S3Lake, turns: int) -> int:
    """Compact and commit as often as told, and on until one is committed: each can lose every race.

    Returns how many were committed, 0 after `MOST_TURNS` lost ones.
    """
    made = 0
    for turn in range(MOST_TURNS):
        made += _compacted(lake, f"run_{turn}")
        if made and turn + 1 >= turns:
            break
    return made


def _compacted(lake: PaimonLake | S3Lake, run_id: str) -> bool:
    table = opened(lake)
    groups = rewritten(table, full=True, run_id=run_id)
    asked = CommitRequest(run_id, 1, table.head_snapshot_id or 0, table.schema_id, groups)
    try:
        return opened(lake).commits.commit(asked, before_try=lambda: None).snapshot_id is not None
    except CommitConflict:
        return False


def check_rows(lake: PaimonLake | S3Lake, rows: list[Any], writer: RowWriter, made: int) -> None:
    """Check that a table has the first rows and those of a writer, and a snapshot for each commit, after three."""
    assert writer.errors == []
    assert made > 0
    assert len(writer.rows) > _FEWEST
    assert sorted(lake.call("values")) == sorted([*rows, *writer.rows])
    found = sorted(each["id"] for each in lake.call("snapshots"))
    assert found == list(range(1, 3 + len(writer.rows) + made + 1))
