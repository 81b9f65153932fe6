"""Compaction and commit of tables in S3, with credentials of the catalog."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import OutcomeUnknown
from engine.formats.base import CommitRequest, Engine, WrittenGroup
from engine.formats.paimon.rewrite import table_commits
from engine.formats.paimon.task.contract import CoreTask
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from engine.formats.paimon.task.places import upload_folder
from engine.formats.paimon.task.publishing import SETTLE_SECONDS, ConditionalCommit
from engine.formats.paimon.task.tables import open_table, unpack_message
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult
from tests.support.kernel_groups import written_group
from tests.support.paimon.commits import keyed, values
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import made_once
from tests.support.paimon.rewrites import RUN, committed, opened, planned, rewritten
from tests.support.paimon.s3_lakes import WRITER, S3Lake, start_child, upload
from tests.support.s3_server import Asked, S3Server

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.fixture
def lake(paimon_core: PaimonCore, s3: S3Server, tmp_path: Path) -> S3Lake:
    """A key table of one bucket with three sorted runs."""
    start_child()
    upload(s3, made_once(paimon_core, tmp_path / "warehouse", "key table", keyed))
    lake = S3Lake(paimon_core, s3)
    paimon_core.call("use_store", warehouse=lake.root, options=lake.access())
    return lake


def task_of(lake: S3Lake, **given: Any) -> CoreTask:
    """Return the task of the only bucket."""
    ((_, task),) = planned(opened(lake), full=True, **given)
    assert isinstance(task, CoreTask)
    return task


def compact(task: CoreTask, **changes: Any) -> GroupResult:
    return GroupResult.from_json(run_task(replace(task, **changes).to_json()))


def request(lake: S3Lake, groups: tuple[WrittenGroup, ...]) -> CommitRequest:
    table = lake.open()
    return CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)


@pytest.mark.deep
def test_a_scheme_of_hadoop_is_the_same_store(lake: S3Lake) -> None:
    named = replace(lake, root=lake.root.replace("s3://", "s3a://"))
    table = opened(named)
    proof = committed(named, table, rewritten(table, full=True))
    assert proof.ok, proof.checks


def test_refused_credentials_are_named_without_secrets(
    lake: S3Lake, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, groups = task_of(lake), rewritten(opened(lake), full=True)
    table, asked = opened_with(lake, lake.key, monkeypatch), request(lake, groups)
    lake.server.forbidden.add(lake.key)
    with caplog.at_level(logging.DEBUG, "engine"):
        result = compact(task)
        with pytest.raises(OutcomeUnknown) as failure:
            table.commits.commit(asked, before_try=lambda: None)
    assert (result.outcome, result.storage_fault) == ("failed", "AccessRefused"), result.reason
    assert "403" in str(result.reason)
    for text in (result.to_json(), str(failure.value), caplog.text):
        assert lake.secret not in text


def opened_with(lake: S3Lake, key: str, patch: pytest.MonkeyPatch) -> Any:
    """Return the table as it is read with the writer's key, whose commits have the options for another."""
    real = table_commits.core_storage

    def storage(location: str, properties: Mapping[str, str]) -> dict[str, str]:
        return real(location, {**properties, "s3.access-key-id": key})

    patch.setattr(table_commits, "core_storage", storage)
    return opened(replace(lake, key=WRITER))


def test_expired_credentials_are_refused(lake: S3Lake) -> None:
    """S3 answers 400, and a HEAD has no body with the reason."""
    task = task_of(lake)
    lake.server.expired.add(lake.key)
    result = compact(task)
    assert (result.storage_fault, "Status Code: 400" in str(result.reason)) == ("AccessRefused", True), result.reason


def test_a_store_that_is_away_is_a_fault_of_the_storage(lake: S3Lake) -> None:
    task = task_of(lake)
    few = dict.fromkeys(("s3.retry.limit", "s3.attempts.maximum", "s3.retry.throttle.limit"), "1")
    task = replace(task, storage={**task.storage, **few})
    lake.server.is_away = True
    assert compact(task).storage_fault == "StorageFault"
    nowhere = {**task.storage, "s3.endpoint": "http://127.0.0.1:9"}
    result = compact(task, storage=nowhere)
    assert result.storage_fault == "StorageFault", result.reason
    lake.server.is_away = False
    assert compact(task).outcome == "written"


def test_a_store_without_conditional_requests_is_refused(lake: S3Lake) -> None:
    before = lake.server.stored()
    task, lake.server.has_conditions = task_of(lake), False
    with CORE_PROCESSES.lend(task.jar, task.heap_bytes, task.store_jar) as child:
        child.conditional_stores.clear()  # a bucket of this name, of another server, has been seen before
    result = compact(task)
    assert (result.outcome, result.storage_fault) == ("refused", None)
    assert str(result.reason).startswith("unsupported_storage: ")
    assert "If-None-Match" in str(result.reason)
    assert lake.server.stored() == before


def test_a_writer_that_commits_the_same_snapshot_first_keeps_its_rows(lake: S3Lake) -> None:
    """The other one commits between the look for a free number and the request with the snapshot."""
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    numbers: list[int] = []

    def compete(asked: Asked) -> None:
        if asked.method == "PUT" and asked.access_key == lake.key and asked.key.endswith("/snapshot/snapshot-4"):
            lake.server.on_request = lambda _: None
            lake.write([[100, "2026-11-02", 7.5]])
            numbers.append(lake.open().head_snapshot_id or 0)

    lake.server.on_request = compete
    outcome = table.commits.commit(request(lake, groups), before_try=lambda: None)
    assert (numbers, outcome.snapshot_id, outcome.tries) == ([4], 5, 2)
    assert values(lake) == sorted([*rows, [100, "2026-11-02", 7.5]])
    assert opened(lake).commits.prove(5, groups).ok


@pytest.mark.deep
def test_the_cores_own_commit_would_replace_the_snapshot_of_a_writer(lake: S3Lake) -> None:
    """The reason why Packhouse publishes snapshots with a conditional request."""
    task, before = task_of(lake), values(lake)
    result = compact(task)

    def compete(asked: Asked) -> None:
        if asked.method == "PUT" and asked.access_key == lake.key and asked.key.endswith("/snapshot/snapshot-4"):
            lake.server.on_request = lambda _: None
            lake.write([[100, "2026-11-02", 7.5]])

    lake.server.on_request = compete
    with CORE_PROCESSES.lend(task.jar, task.heap_bytes, task.store_jar) as child:
        java = open_table(child.jvm, task.table, {"write-only": "true"}, task.storage)
        committable = child.jvm.org.apache.paimon.manifest.ManifestCommittable(1)
        committable.addFileCommittable(unpack_message(child.jvm, result.message))
        assert java.newCommit("other").ignoreEmptyCommit(True).filterAndCommitMultiple([committable]) == 1
    assert values(lake) == before, "the row of the writer, whose commit succeeded, is lost"


def test_a_commit_whose_answer_is_lost_is_found(lake: S3Lake) -> None:
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    lake.server.lost.add("warehouse/lake.db/events/snapshot/snapshot-4")
    outcome = table.commits.commit(request(lake, groups), before_try=lambda: None)
    assert (outcome.snapshot_id, outcome.tries, lake.server.lost) == (4, 1, set())
    assert lake.open().head_snapshot_id == 4
    assert values(lake) == rows


def test_a_second_snapshot_in_a_row_waits_until_the_first_has_settled(lake: S3Lake) -> None:
    """The time is that of the first snapshot, and 10 s later, and when a writer's snapshot is the newest."""
    table, task = opened(lake), task_of(lake)
    committed(lake, table, rewritten(table, full=True))
    waits: list[float] = []
    with CORE_PROCESSES.lend(task.jar, task.heap_bytes, task.store_jar) as child:
        java = open_table(child.jvm, task.table, {}, task.storage)
        begun = int(java.snapshotManager().latestSnapshot().timeMillis()) / 1000
        for passed in (0, 10, 60):
            ConditionalCommit(child, java, clock=lambda at=begun + passed: at, pause=waits.append).settle()
        lake.write([[1, "2026-11-02", 7.5]])
        ConditionalCommit(child, java, clock=lambda: begun, pause=waits.append).settle()
    assert waits == [SETTLE_SECONDS, SETTLE_SECONDS - 10, 0.0]


def test_a_writer_that_replaces_a_compaction_loses_nothing(lake: S3Lake) -> None:
    """Paimon's own commit has a gap before its copy: a compaction that is published there is undone, and reported."""
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    published: list[int] = []

    def compete(asked: Asked) -> None:
        if asked.method == "PUT" and asked.access_key == WRITER and asked.key.endswith("/snapshot/snapshot-4"):
            lake.server.on_request = lambda _: None
            outcome = table.commits.commit(request(lake, groups), before_try=lambda: None)
            published.append(outcome.snapshot_id or 0)

    lake.server.on_request = compete
    lake.write([[100, "2026-11-02", 7.5]])
    assert published == [4]
    assert values(lake) == sorted([*rows, [100, "2026-11-02", 7.5]])
    assert not opened(lake).commits.prove(4, groups).ok
    assert opened(lake).commits.find(RUN) == []


def test_a_key_table_is_compacted_compared_and_proven(lake: S3Lake) -> None:
    rows, table = values(lake), opened(lake)
    assert all(each.holds for each in table.engines[Engine.NATIVE].conditions())
    lake.server.asked.clear()
    ((group, task),) = planned(table, full=True, checks_rows=True)
    assert isinstance(task, CoreTask)
    result = compact(task)
    assert (result.outcome, result.check_limit) == ("written", ""), result.reason
    assert int(result.row_digest.split("-")[0]) == result.rows_written > 0
    assert result.bytes_checked == sum(each.file_bytes for each in (*task.inputs, *result.outputs))
    proof = committed(lake, table, (written_group(group, result.to_json()),))
    assert proof.ok, proof.checks
    assert values(lake) == rows
    assert lake.open().digest().num_rows == 1
    assert upload_folder().is_dir()
    CORE_PROCESSES.close()
    assert not upload_folder().exists()
    assert not [key for key in lake.server.stored() if key.endswith(".tmp")]
    assert {each.access_key for each in lake.server.asked} == {lake.key, WRITER, "watcher"}
