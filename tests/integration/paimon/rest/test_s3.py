"""REST catalogs of tables in S3: the server makes snapshots visible, so that no commit waits for the last one."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from engine.formats.base import CommitRequest, Engine
from engine.formats.paimon.task.publishing import ConditionalCommit
from tests.support.format_subjects import LocalTasks
from tests.support.paimon.commits import ids, values
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.rest_lakes import NAME, TOKEN
from tests.support.paimon.rewrites import RUN, committed, opened, rewritten
from tests.support.paimon.s3_lakes import S3Lake, start_child
from tests.support.s3_server import S3Server

pytestmark = pytest.mark.usefixtures("core_child")


@dataclass(frozen=True)
class S3RestLake(S3Lake):
    """A table in S3 of a REST catalog at `url`."""

    url: str = ""

    @property
    def properties(self) -> dict[str, str]:
        return {**super().properties, "type": "rest", "warehouse": NAME, "uri": self.url, "token": TOKEN}


@pytest.fixture
def lake(paimon_core: PaimonCore, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3RestLake]:
    """An append table with four files in each of two partitions."""

    def never(_: ConditionalCommit) -> None:
        raise AssertionError("the catalog makes it unnecessary")

    monkeypatch.setattr(ConditionalCommit, "settle", never)
    start_child()
    root, access = S3Lake(paimon_core, s3).root, S3Lake(paimon_core, s3).access()
    url = paimon_core.call("start_server", warehouse=root, name=NAME, token=TOKEN, prefix="paimon", store=access)
    given = {"metastore": "rest", "uri": url, "warehouse": NAME, "token": TOKEN, "token.provider": "bear", **access}
    paimon_core.call("use_store", warehouse=root, options=given)
    lake = S3RestLake(paimon_core, s3, url=url).make(partition_keys=["day"])
    for number in range(4):
        lake.write([[number, "a", 1.5], [number, "b", 2.5]])
    yield lake
    paimon_core.call("close", warehouse=root)
    paimon_core.call("stop_server", warehouse=root)


@pytest.mark.parametrize("engine", [pytest.param(Engine.ARROW, marks=pytest.mark.deep), Engine.NATIVE])
def test_a_table_is_compacted_by_both_engines(
    lake: S3RestLake, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a store without conditional requests."""
    monkeypatch.setattr(lake.server, "has_conditions", False)
    table, rows = opened(lake), values(lake)
    assert table.location == f"{lake.root}/lake.db/events"
    proof = committed(lake, table, rewritten(table, full=True, engine=engine))
    assert proof.ok, proof.checks
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4, 5])
    lake.write([[9, "c", 9.5]])
    assert opened(lake).head_snapshot_id == 6


@pytest.mark.deep
def test_a_writer_that_commits_first_keeps_its_rows(lake: S3RestLake, monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows, late, real = opened(lake), values(lake), iter([[9, "a", 9.5]]), LocalTasks.run
    groups = rewritten(table, full=True)

    def run(self: LocalTasks, request: str) -> str:
        answer = real(self, request)
        if row := next(late, None):
            lake.write([row])
        return answer

    monkeypatch.setattr(LocalTasks, "run", run)
    outcome = opened(lake).commits.commit(CommitRequest(RUN, 1, 4, table.schema_id, groups), before_try=lambda: None)
    assert (outcome.snapshot_id, outcome.tries) == (6, 2)
    assert (values(lake), ids(lake)) == (sorted([*rows, [9, "a", 9.5]]), [1, 2, 3, 4, 5, 6])
