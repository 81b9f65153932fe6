"""Compaction of tables in REST catalogs: the core prepares commits, and the catalog makes them visible."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import accumulate, count, cycle
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.domain.errors import Away, CommitConflict, OutcomeUnknown, StateConflict, Transient
from engine.formats.base import CommitRequest, Engine
from engine.formats.paimon.catalog.rest.tables import RestTable
from tests.integration.paimon.catalog_commits import LATE, CatalogCommits
from tests.support.faulty_proxy import LOST, FaultyProxy, Request
from tests.support.format_subjects import LocalTasks
from tests.support.paimon.commits import ids, keyed, sent, values
from tests.support.paimon.rest_lakes import TOKEN, RestLake
from tests.support.paimon.rewrites import RUN, compacted_by_packhouse, opened, rewritten
from tests.support.paimon.worlds import rewritten_beside_a_twin

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.fixture
def lake(rest_lake: RestLake) -> RestLake:
    return keyed(rest_lake)


def partitions(lake: RestLake) -> list[tuple[Any, ...]]:
    """Return the partitions with their counts, as the server has added them up from every commit."""
    path = f"{lake.url}/v1/paimon/databases/lake/tables/{lake.name}/partitions"
    found = httpx.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).json()["partitions"]
    names = ("recordCount", "fileCount", "fileSizeInBytes", "totalBuckets")
    return sorted((each["spec"]["day"], *(each[name] for name in names)) for each in found)


@pytest.mark.parametrize("engine", [Engine.ARROW, Engine.NATIVE])
def test_an_append_table_is_compacted_by_both_engines(rest_lake: RestLake, engine: Engine) -> None:
    """The catalog counts rows and files by partition from what a commit tells it; a lie would be seen here."""
    lake = rest_lake.create(partition_keys=["day"], metastore__partitioned_table="true")
    for number in range(4):
        lake.write([[number, "a", 1.5], [number, "b/c", 2.5]])
    rows = values(lake)
    compacted_by_packhouse(lake, engine=engine)
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4, 5])
    live = {each["partition"][0]: each for each in lake.call("inspect")["files"]}
    assert partitions(lake) == [
        (day, 4, 1, live[day]["file_bytes"], live[day]["total_buckets"]) for day in sorted(live)
    ]


def test_a_writer_that_commits_while_the_commit_is_sent_keeps_its_rows(lake: RestLake) -> None:
    """The catalog answers that the commit had no success."""
    table, rows, writes = opened(lake), values(lake), iter([LATE])
    groups = rewritten(table, full=True)

    def write(request: Request) -> None:
        if request.is_commit and (row := next(writes, None)):
            lake.write([row])

    proxy = FaultyProxy(lake.url, before=write)
    with lake.behind(proxy) as asked:
        outcome = sent(asked, table, groups, tried := [])
    assert (outcome.snapshot_id, outcome.tries, len(tried), proxy.commits) == (5, 2, 2, 2)
    assert (values(lake), ids(lake)) == (sorted([*rows, LATE]), [1, 2, 3, 4, 5])


def test_f62_f14_a_commit_that_took_effect_is_found_although_the_catalog_answers_that_it_did_not(
    lake: RestLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F14: as behind a proxy that sends a request twice; its groups would be taken for lost to another writer."""
    table, rows, commit = opened(lake), values(lake), RestTable.commit
    groups = rewritten(table, full=True)
    monkeypatch.setattr(RestTable, "commit", lambda *given: commit(*given) and False)
    outcome = sent(lake, table, groups)
    assert (outcome.snapshot_id, outcome.tries, outcome.dropped) == (4, 1, {})
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4])


class TestCommits(CatalogCommits):
    """As in every catalog whose snapshots the worker publishes."""


def recreate(lake: RestLake) -> None:
    lake.call("drop")
    keyed(lake)


def test_a_table_that_was_created_again_is_not_committed_to(lake: RestLake) -> None:
    table = opened(lake)
    groups = rewritten(table, full=True)
    recreate(lake)
    asked = CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)
    with pytest.raises(CommitConflict, match="was dropped and created again"):
        table.commits.commit(asked, before_try=lambda: None)
    assert ids(lake) == [1, 2, 3]


def test_the_catalog_refuses_the_commit_to_a_table_that_is_created_again_at_last(lake: RestLake) -> None:
    """After every look of Packhouse: the commit names the identity of the table."""
    table = opened(lake)
    groups = rewritten(table, full=True)
    recreated = iter([lambda: recreate(lake)])
    proxy = FaultyProxy(lake.url, before=lambda request: next(recreated, lambda: None)() if request.is_commit else None)
    with lake.behind(proxy) as asked, pytest.raises(CommitConflict, match="no table of this identity any more"):
        sent(asked, table, groups)
    assert ids(lake) == [1, 2, 3]


def test_files_that_the_catalog_does_not_name_yet_delay_the_commit(lake: RestLake) -> None:
    """A server that stopped between the file of a snapshot and its own record of it."""
    table = opened(lake)
    groups = rewritten(table, full=True)
    fourth = json.loads((lake.folder / "snapshot" / "snapshot-3").read_text()) | {"id": 4}
    (lake.folder / "snapshot" / "snapshot-4").write_text(json.dumps(fourth))
    assert opened(lake).head_snapshot_id == 3
    with pytest.raises(Transient, match="has snapshot 4 and the catalog names 3 as the newest"):
        sent(lake, table, groups, tried := [])
    assert tried == []
    (lake.folder / "snapshot" / "snapshot-4").unlink()
    (lake.folder / "snapshot" / "LATEST").write_text("3")
    assert sent(lake, table, groups).snapshot_id == 4


def test_outputs_in_a_snapshot_that_the_catalog_does_not_name_are_kept(lake: RestLake) -> None:
    table = opened(lake)
    groups = rewritten(table, full=True)
    assert sent(lake, table, groups).snapshot_id == 4
    lake.write([LATE])
    named = [Path(each.path).name for group in groups for each in group.outputs]
    proxy = FaultyProxy(lake.url)
    with lake.behind(proxy) as asked:
        old = opened(asked)
        with pytest.MonkeyPatch.context() as patched:
            third = old._view.files.snapshot(3)
            patched.setattr(RestTable, "newest", lambda _self: third)
            assert opened(asked).head_snapshot_id == 3
            opened(asked).commits.remove_outputs(RUN, frozenset(), up_to_attempt=1, is_settled=True)
    left = {path.name for path in lake.folder.rglob("bucket-*/*")}
    assert set(named) <= left


class TestAway:
    """The server does not answer, or answers with an error, at the commit."""

    @pytest.mark.parametrize(
        "status", [LOST, 302, *(pytest.param(each, marks=pytest.mark.deep) for each in (500, 503))]
    )
    def test_an_answer_that_is_lost_after_the_commit_is_looked_up(self, lake: RestLake, status: int) -> None:
        table, rows = opened(lake), values(lake)
        groups = rewritten(table, full=True)
        proxy = FaultyProxy(lake.url, after=lambda request: status if request.is_commit else None)
        with lake.behind(proxy) as asked:
            assert sent(asked, table, groups).snapshot_id == 4
        assert (values(lake), ids(lake), proxy.commits) == (rows, [1, 2, 3, 4], 1)

    def test_a_commit_that_did_not_arrive_is_not_known(self, lake: RestLake) -> None:
        table = opened(lake)
        groups, status = rewritten(table, full=True), LOST
        proxy = FaultyProxy(lake.url, before=lambda request: status if request.is_commit else None)
        with lake.behind(proxy) as asked:
            for status in (LOST, 500, 503):  # noqa: B007 - the proxy answers it
                with pytest.raises(OutcomeUnknown, match="the commit has no answer"):
                    sent(asked, table, groups)
                assert (ids(lake), opened(lake).commits.find(RUN)) == ([1, 2, 3], [])
        assert sent(lake, table, groups).snapshot_id == 4

    def test_a_server_that_ends_with_the_commit_leaves_the_outcome_to_be_found(self, lake: RestLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        ended: list[int] = []

        def after(request: Request) -> int | None:
            ended.extend([1] * request.is_commit)
            return LOST if ended else None

        with lake.behind(FaultyProxy(lake.url, after=after)) as asked, pytest.raises(OutcomeUnknown):
            sent(asked, table, groups)
        assert [each.snapshot_id for each in opened(lake).commits.find(RUN)] == [4]

    def test_a_failure_of_the_server_after_the_commit(self, lake: RestLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        lake.core.call("lose_answers", is_on=True)
        assert sent(lake, table, groups).snapshot_id == 4

    def test_a_server_that_can_not_be_reached_at_the_commit_was_sent_nothing(self, lake: RestLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        with FaultyProxy(lake.url).running() as proxy:
            away = opened(RestLake(lake.core, lake.root, lake.name, lake.url, proxy.url))
        request = CommitRequest(RUN, 1, 3, table.schema_id, groups)
        with pytest.raises(Away):
            away.commits.commit(request, before_try=lambda: None)
        assert (ids(lake), sent(lake, table, groups).snapshot_id) == ([1, 2, 3], 4)

    def test_a_refusal_leaves_no_doubt(self, lake: RestLake) -> None:
        table = opened(lake)
        groups, status = rewritten(table, full=True), 0
        proxy = FaultyProxy(lake.url, before=lambda request: status if request.is_commit else None)
        refusals = {401: StateConflict, 403: StateConflict, 429: Away, 400: StateConflict}
        with lake.behind(proxy) as asked:
            for status, error in refusals.items():
                with pytest.raises(error, match=f"answers {status}") as failure:
                    sent(asked, table, groups)
                assert TOKEN not in failure.value.message
                assert ids(lake) == [1, 2, 3]


def test_no_task_gets_the_token(lake: RestLake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = list[str](), LocalTasks.run

    def run(self: LocalTasks, request: str) -> str:
        asked.append(request)
        return real(self, request)

    monkeypatch.setattr(LocalTasks, "run", run)
    compacted_by_packhouse(lake)
    assert len(asked) == 1
    assert not any(TOKEN in each or lake.url in each for each in asked)


@dataclass
class Trouble:
    """Does nothing to the answers of a server until it begins; then, by request, it loses some or answers others."""

    after: Callable[[Request], int | None] = lambda _request: None
    before: Callable[[Request], int | None] = lambda _request: None
    is_on: bool = False

    def begin(self) -> None:
        self.is_on = True

    def proxy(self, url: str) -> FaultyProxy:
        return FaultyProxy(
            url,
            before=lambda request: self.before(request) if self.is_on else None,
            after=lambda request: self.after(request) if self.is_on else None,
        )


WholeRun = Callable[[Trouble], Awaitable[FaultyProxy]]


@pytest.fixture
async def whole_run(
    rest_lake: RestLake, sqlite_url: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> WholeRun:
    """Register a table, get into trouble, rewrite it, and compare it with its twin."""

    async def play(trouble: Trouble) -> FaultyProxy:
        monkeypatch.setenv("CATALOG_TOKEN", TOKEN)
        proxy = trouble.proxy(rest_lake.url)
        with replace(rest_lake, more={"token": "env:CATALOG_TOKEN"}).behind(proxy) as lake:
            await rewritten_beside_a_twin(
                lake, tmp_path, database_url=sqlite_url, redis_url=redis_url, begin=trouble.begin
            )
        return proxy

    return play


@pytest.mark.usefixtures("redis")
async def test_a_whole_run_registers_measures_and_compacts(whole_run: WholeRun) -> None:
    proxy = await whole_run(Trouble())
    assert proxy.commits == 1
    assert {each.headers["Authorization"] for each in proxy.requests} == {f"Bearer {TOKEN}"}


@pytest.mark.usefixtures("redis")
async def test_a_run_whose_commit_has_no_answer_finds_it(whole_run: WholeRun) -> None:
    """Neither the commit nor the look for it is answered; it is not sent again."""
    lost = iter(range(4))
    seen: list[Request] = []

    def after(request: Request) -> int | None:
        seen.extend([request] * (request.is_commit or bool(seen)))
        return LOST if seen and next(lost, None) is not None else None

    assert (await whole_run(Trouble(after=after))).commits == 1
    assert len(seen) > 4


@pytest.mark.usefixtures("redis")
async def test_a_run_waits_for_a_server_that_is_away_again_and_again(whole_run: WholeRun) -> None:
    """Some requests get no answer, or that of a busy server, each time after one more that is answered."""
    faulty, turns, faults, met = set(accumulate(range(1, 40))), count(1), cycle([LOST, 503, 429]), list[str]()

    def before(request: Request) -> int | None:
        if request.is_commit or next(turns) not in faulty:
            return None
        met.append(request.path)
        return next(faults)

    proxy = await whole_run(Trouble(before=before))
    assert proxy.commits == 1
    assert len(met) > 3
    assert {each.rpartition("/")[2] for each in met} == {"events", "snapshot"}
