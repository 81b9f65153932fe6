"""Append tables with deletion vectors are merged by the core, which applies the vectors of the inputs."""

from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import CommitConflict
from engine.formats.base import CommitRequest, WrittenGroup
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.rewrites import RUN, committed, opened, rewritten

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """Return a table of three files in each of two partitions, with every third row of each file deleted."""

    def make(lake: PaimonLake) -> None:
        lake.create([("id", "BIGINT"), ("day", "STRING")], partition_keys=["day"], deletion_vectors__enabled="true")
        for number in range(3):
            lake.write([[10 * number + at, day] for at in range(10) for day in "ab"])
        lake.call("delete", every=3)

    return made_once(paimon_core, tmp_path / "ours", "append vectors", make)


def vectors(table: PaimonTable) -> dict[str, int]:
    rows = table._view.live.vectors.to_pylist()
    return {row["name"]: row["deleted_rows"] for row in rows}


def commit(lake: PaimonLake, table: PaimonTable, groups: tuple[WrittenGroup, ...]) -> Any:
    request = CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)
    return opened(lake).commits.commit(request, before_try=lambda: None)


def test_p9_vectors_are_applied_and_proven(lake: PaimonLake) -> None:
    before = lake.call("values")
    assert len(before) == 60 - 6 * 4
    table = opened(lake)
    groups = rewritten(table, full=False)
    assert [(len(group.inputs), group.rows_deleted) for group in groups] == [(3, 12), (3, 12)]
    proof = committed(lake, table, groups)
    held = {each.name: (each.holds, each.detail) for each in proof.checks}
    assert proof.ok, held
    assert held["vectors_applied"] == (True, "vectors deleted 24 rows of the inputs, 24 are gone")
    assert lake.call("values") == before
    assert vectors(opened(lake)) == {}
    assert rewritten(opened(lake), full=False) == ()


def test_p9_a_single_file_with_a_vector_is_rewritten_and_vectors_of_others_stay(lake: PaimonLake) -> None:
    table = opened(lake)
    groups = rewritten(table, full=False)[:1]  # of one partition
    before, own = lake.call("values"), {each.path.rpartition("/")[2] for each in groups[0].inputs}
    kept = {name: rows for name, rows in vectors(table).items() if name not in own}
    proof = committed(lake, table, groups)
    assert proof.ok, proof.checks
    assert (lake.call("values"), vectors(opened(lake))) == (before, kept)
    lake.call("delete", every=2)
    alone = rewritten(opened(lake), full=False)
    assert sorted(len(group.inputs) for group in alone) == [1, 3]
    before, table = lake.call("values"), opened(lake)
    assert committed(lake, table, alone).ok
    assert lake.call("values") == before


def test_rows_deleted_after_the_task_are_not_brought_back(lake: PaimonLake) -> None:
    table = opened(lake)
    groups = rewritten(table, full=False)
    lake.call("delete", every=2)
    before, newest = lake.call("values"), lake.open().head_snapshot_id
    with pytest.raises(CommitConflict):
        commit(lake, table, groups)
    assert (lake.call("values"), lake.open().head_snapshot_id) == (before, newest)


def test_a_vector_of_another_file_that_is_lost_is_found_by_the_proof(lake: PaimonLake) -> None:
    table = opened(lake)
    groups = rewritten(table, full=False)[:1]
    outcome = commit(lake, table, groups)
    snapshot = lake.folder / "snapshot" / f"snapshot-{outcome.snapshot_id}"
    edit_json(snapshot, indexManifest=None)
    proof = opened(lake).commits.prove(outcome.snapshot_id, groups)
    assert [each.name for each in proof.checks if not each.holds] == ["other_vectors_unchanged"]
