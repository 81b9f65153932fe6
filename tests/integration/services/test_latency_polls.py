"""Query latency that is asked for: a server over HTTP, and what comes of it for a table's policy."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import InvalidInput, Transient
from engine.domain.tables.signals import QueryLatency, Signal, SignalKind
from engine.metrics import WorkMetrics
from engine.prometheus import queries
from engine.prometheus.queries import Unreadable
from engine.services.watching.latency_polls import LatencyPolls
from engine.services.watching.latency_sources import LatencySource
from engine.services.watching.leadership import Leadership
from engine.stores.database import Database
from engine.stores.watching.leadership import LATENCY
from tests.integration.stores.samples import registered
from tests.support.databases import FreshDatabase
from tests.support.eventually import eventually
from tests.support.fake_clock import FakeClock
from tests.support.prometheus_server import PrometheusServer, prometheus_server, refusal, vector

QUERY = 'quantile(0.95, query_seconds{engine="trino"})'


@pytest.fixture
def server() -> Iterator[PrometheusServer]:
    with prometheus_server() as running:
        yield running


@pytest.fixture
def database(sqlite_database: Database) -> Database:
    """The statements are tested on both databases by `tests/integration/stores`; here only those of the leader are."""
    return sqlite_database


class Poller:
    """One coordinator's polls, each when the test says so."""

    def __init__(self, database: Database, server: PrometheusServer, folder: Path, **more: Any) -> None:
        holder, environ = more.pop("holder", "first"), more.pop("environ", {})
        source = LatencySource(more.pop("url", server.url), QUERY, **more)
        self.clock, self.metrics, self.database = FakeClock(), WorkMetrics(), database
        self.leadership = Leadership(database=database, clock=self.clock, name=LATENCY, holder=holder)
        self.polls = LatencyPolls(
            database=database,
            query=source.open_query(environ=environ, own_folder=folder),
            leadership=self.leadership,
            clock=self.clock,
            metrics=self.metrics,
            seconds=source.seconds,
            of_tables=source.table_label is not None,
        )

    async def poll(self) -> int:
        """Let the time for a poll come."""
        await self.polls.lead_polls()
        self.clock.elapsed += 30
        self.leadership._until = self.clock.elapsed + 15  # the database's time stands still meanwhile
        return await self.polls.poll()

    async def signals(self, table_id: Any = None) -> list[Signal]:
        async with self.database.read() as unit:
            return await unit.signals.list(table_id, SignalKind.QUERY_LATENCY)

    def counted(self, outcome: str) -> float:
        return float(self.metrics.latency_polls.labels(outcome)._value.get())


@asynccontextmanager
async def polling(database: Database, server: PrometheusServer, folder: Path, **more: Any) -> AsyncIterator[Poller]:
    poller = Poller(database, server, folder, **more)
    yield poller
    await poller.polls.close()


@pytest.fixture
async def poller(database: Database, server: PrometheusServer, tmp_path: Path) -> AsyncIterator[Poller]:
    async with polling(database, server, tmp_path) as opened:
        yield opened


async def test_an_answer_is_kept_as_a_signal_about_the_fleet_no_more_often_than_the_settings_say(
    poller: Poller, server: PrometheusServer
) -> None:
    assert await poller.poll() == 1
    (signal,) = await poller.signals()
    assert (signal.table_id, signal.sent_by) == (None, "prometheus")
    assert signal.value == QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=0.5)
    assert server.paths == ["/api/v1/query"]
    assert server.asked[0]["query"] == [QUERY]
    assert server.tokens == [None]
    for _ in range(29):
        poller.clock.elapsed += 1
        assert await poller.polls.poll() == 0
    assert len(server.asked) == 1


async def test_only_the_leader_asks(database: Database, server: PrometheusServer, tmp_path: Path) -> None:
    async with (
        polling(database, server, tmp_path) as first,
        polling(database, server, tmp_path, holder="second") as second,
    ):
        await first.poll()
        await second.polls.lead_polls()
        assert await second.polls.poll() == 0
        await first.polls.close()
        await second.polls.lead_polls()
        assert await second.polls.poll() == 1
    assert len(server.asked) == 2


async def test_a_leader_that_was_followed_while_it_waited_for_the_answer_keeps_nothing(
    fresh_database: FreshDatabase, server: PrometheusServer, tmp_path: Path
) -> None:
    async with polling(fresh_database.connect(), server, tmp_path) as poller:
        server.gate.clear()
        poll = asyncio.create_task(poller.poll())
        await asyncio.to_thread(eventually, lambda: bool(server.asked))
        async with fresh_database.connect().begin() as unit:
            token = poller.leadership.token
            assert token is not None
            await unit.leadership.resign(LATENCY, token)
            assert await unit.leadership.lead(LATENCY, "other", 60) == token + 1
        server.gate.set()
        assert await poll == 0
        assert await poller.signals() == []


@pytest.mark.parametrize(
    ("samples", "outcome"),
    [
        ([], "empty"),
        ([({}, "NaN")], "not_a_number"),
        ([({"job": "a"}, "1"), ({"job": "b"}, "2")], "several"),
    ],
)
async def test_an_answer_that_says_nothing_leaves_the_last_measurement(
    poller: Poller, server: PrometheusServer, samples: list[Any], outcome: str
) -> None:
    await poller.poll()
    before = await poller.signals()
    server.says(vector(*samples))
    assert await poller.poll() == 0
    assert await poller.signals() == before
    assert poller.counted(outcome) == max(1, len(samples))


@pytest.mark.parametrize(
    ("status", "document", "said"),
    [
        (400, refusal('invalid parameter "query": 1:1: parse error'), "parse error"),
        (401, {"message": "who are you?"}, "PACKHOUSE_PROMETHEUS_TOKEN"),
        (503, refusal("query timed out in expression evaluation"), "timed out"),
        (502, "Bad gateway", "502"),
        (200, {"hello": "world"}, "something other"),
    ],
)
async def test_a_refusal_is_told_and_counted(
    poller: Poller, server: PrometheusServer, status: int, document: Any, said: str
) -> None:
    server.says(document, status=status)
    with pytest.raises(Unreadable, match=said):
        await poller.poll()
    assert (poller.counted("refused"), await poller.signals()) == (1, [])
    server.says(vector(({}, "1")))
    assert await poller.poll() == 1


async def test_a_redirect_is_not_followed_and_its_target_never_sees_the_token(
    database: Database, server: PrometheusServer, tmp_path: Path
) -> None:
    with prometheus_server() as elsewhere:
        server.status, server.headers = 307, {"Location": f"{elsewhere.url}/api/v1/query"}
        async with polling(database, server, tmp_path, token="env:TOKEN", environ={"TOKEN": "s3cret"}) as poller:
            with pytest.raises(Unreadable, match="not followed"):
                await poller.poll()
        assert (server.tokens, elsewhere.asked) == (["Bearer s3cret"], [])


async def test_a_token_is_read_anew_for_each_question(
    database: Database, server: PrometheusServer, tmp_path: Path, secret_folder: Path
) -> None:
    file = secret_folder / "token"
    async with polling(database, server, tmp_path / "own", token=f"file:{file}") as poller:
        for token in ("first", "second"):
            file.write_text(f"{token}\n")
            await poller.poll()
        assert server.tokens == ["Bearer first", "Bearer second"]
        for bad in ("two words", "", "a\x00b"):
            file.write_text(bad)
            with pytest.raises(InvalidInput, match="PACKHOUSE_PROMETHEUS_TOKEN"):
                await poller.poll()
        file.unlink()
        with pytest.raises(InvalidInput, match="PACKHOUSE_PROMETHEUS_TOKEN"):
            await poller.poll()
        assert len(server.tokens) == 2


async def test_an_answer_without_an_end_is_given_up(
    poller: Poller, server: PrometheusServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "ANSWER_SECONDS", 0.2)
    server.gate.clear()
    with pytest.raises(Transient, match="PACKHOUSE_PROMETHEUS_URL"):
        await poller.poll()
    assert poller.counted("unreachable") == 1


async def test_an_answer_that_is_too_long_or_compressed_is_given_up(poller: Poller, server: PrometheusServer) -> None:
    server.body = b" " * (queries.MOST_BYTES + 1)
    with pytest.raises(Unreadable, match="longer than"):
        await poller.poll()
    server.headers = {"Content-Encoding": "gzip"}
    server.body = gzip.compress(b" " * 2**24)
    with pytest.raises(Unreadable, match="compressed"):
        await poller.poll()


async def test_a_server_that_is_not_there_is_told_of(database: Database, server: PrometheusServer, tmp_path: Path):
    async with polling(database, server, tmp_path, url="http://127.0.0.1:1") as poller:
        with pytest.raises(Transient, match="did not answer"):
            await poller.poll()


async def test_series_of_tables_are_kept_for_each_by_id_or_address(
    database: Database, server: PrometheusServer, tmp_path: Path
) -> None:
    by_address, by_id = await registered(database, "orders"), await registered(database, "visits")
    tables = [str(by_address.ref), by_id.id, "lake.nope", "nope"]
    server.says(vector(*(({"table": name}, str(number)) for number, name in enumerate(tables))))
    async with polling(database, server, tmp_path, table_label="table") as poller:
        assert await poller.poll() == 2
        for number, table in enumerate((by_address, by_id)):
            (signal,) = await poller.signals(table.id)
            assert signal.value == QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=float(number))
        assert await poller.signals() == []
        assert (poller.counted("kept"), poller.counted("unknown_table")) == (2, 2)
