"""REST catalogs of tables in S3: the server makes snapshots visible, so that no commit waits for the last one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import pytest

from engine.domain.errors import NotEligible, StateConflict
from engine.formats.base import CommitRequest, Engine
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.task.publishing import ConditionalCommit
from tests.support.format_subjects import LocalTasks
from tests.support.paimon.commits import ids, values
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.rest_lakes import NAME, TOKEN
from tests.support.paimon.rewrites import RUN, committed, opened, rewritten
from tests.support.paimon.s3_lakes import WRITER, S3Lake, start_child
from tests.support.s3_server import S3Server

pytestmark = pytest.mark.usefixtures("core_child")


@dataclass(frozen=True)
class S3RestLake(S3Lake):
    """A table in S3 of a REST catalog at `url`."""

    url: str = ""
    without: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> dict[str, str]:
        own = {**super().properties, "type": "rest", "warehouse": NAME, "uri": self.url, "token": TOKEN, **self.more}
        return {name: value for name, value in own.items() if name not in self.without}

    def vended(self, seconds: float = 7200, **more: str) -> "S3RestLake":
        """Let the server give a token for the files, which Packhouse has no other keys for."""
        keys = ("s3.access-key-id", "s3.secret-access-key")
        self.vend({**VENDED, **more}, seconds)
        return replace(self, without=keys, more={"data-token.enabled": "true"})

    def vend(self, token: Mapping[str, str], seconds: float = 7200) -> None:
        self.core.call("set_data_token", warehouse=self.root, table=self.name, token=dict(token), seconds=seconds)

    def signers(self) -> set[str]:
        """Return who asked for files of the table, except for its writers."""
        return {each.access_key for each in self.server.asked} - {WRITER, "watcher"}


VENDED = {"s3.access-key": "vended-1", "s3.secret-key": "vended-secret", "fs.s3a.session.token": "for-a-while"}


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


@pytest.mark.parametrize("engine", [Engine.ARROW, pytest.param(Engine.NATIVE, marks=pytest.mark.deep)])
def test_a_table_is_compacted_with_tokens_of_the_server(lake: S3RestLake, engine: Engine) -> None:
    """Each part of a run gets the newest one: the first has ended when the commit is prepared."""
    rows, vended = values(lake), lake.vended(seconds=60)
    lake.server.asked.clear()
    table = opened(vended)
    groups = rewritten(table, full=True, engine=engine)
    assert lake.signers() == {"vended-1"}
    lake.vend({**VENDED, "s3.access-key": "vended-2"})
    lake.server.expired.add("vended-1")
    outcome = table.commits.commit(CommitRequest(RUN, 1, 4, table.schema_id, groups), before_try=lambda: None)
    assert (outcome.snapshot_id, lake.signers()) == (5, {"vended-1", "vended-2"})
    assert opened(vended).commits.prove(5, groups).ok
    assert values(lake) == rows


def test_a_token_is_kept_until_an_hour_before_its_end(lake: S3RestLake) -> None:
    connection = PaimonFormat().connect("lake", lake.vended().properties)
    first = connection.open_table(lake.ref)
    lake.vend({**VENDED, "s3.access-key": "vended-2"})
    lake.server.asked.clear()
    assert connection.pointers([lake.ref]) == {lake.ref: first.pointer}
    assert lake.signers() == {"vended-1"}
    assert [step.ok for step in connection.check()] == [True, True, True]


OF_OSS = {"fs.oss.accessKeyId": "x", "fs.oss.accessKeySecret": "y", "fs.oss.endpoint": "oss-cn-hangzhou.aliyuncs.com"}


@pytest.mark.parametrize(
    ("token", "kind", "reason"),
    [
        (OF_OSS, NotEligible, "a token for OSS, whose files this version does not read"),
        ({"akId": "x", "akSecret": "y"}, NotEligible, "a token without keys for S3, but akId, akSecret"),
        ({"s3.access-key": "x"}, StateConflict, "incomplete credentials for S3"),
    ],
)
def test_a_token_that_is_of_no_use_is_refused_by_name(
    lake: S3RestLake, token: dict[str, str], kind: type[Exception], reason: str
) -> None:
    vended = lake.vended()
    lake.vend(token)
    with pytest.raises(kind, match=reason):
        opened(vended)


def test_a_token_names_only_hosts_that_the_owner_allows(lake: S3RestLake) -> None:
    vended = lake.vended(**{"s3.endpoint": lake.server.url})
    without = replace(vended, without=(*vended.without, "s3.endpoint"))
    with pytest.raises(StateConflict, match=r"list it in packhouse\.vended-hosts"):
        opened(without)
    host = lake.server.url.removeprefix("http://")
    allowed = replace(without, more={**without.more, "packhouse.vended-hosts": host})
    assert opened(allowed).digest().num_rows == 8
    lake.server.asked.clear()
    assert opened(vended).digest().num_rows == 8
    assert lake.signers() == {"vended-1"}
