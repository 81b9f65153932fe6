"""Limits on connections, over sockets: clients that are slow, that send too much, or that are too many."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from api.server.connections import ConnectionLimits, proxies_of
from api.server.parts import BoundedServer
from engine.domain.errors import InvalidInput
from engine.settings.model import Settings
from tests.support.eventually import seen_when
from tests.support.fake_clock import FakeClock

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENT = ConnectionLimits(most=8)


class Client:
    """One connection; `head` and `rest` read with a limit far above every time limit under test."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def answer(self) -> tuple[int, str]:
        """Read one answer; return its status and its headers and body as text."""
        head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 30)
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        body = await asyncio.wait_for(self._reader.readexactly(length), 30)
        return int(head.split()[1]), (head + body).decode()

    async def get(self) -> str:
        """Send a request that succeeds, and return its answer."""
        await self.send(GET)
        status, text = await self.answer()
        assert status == 200
        return text

    async def rest(self) -> bytes:
        """Read until the server closes the connection."""
        try:
            return await asyncio.wait_for(self._reader.read(), 30)
        except ConnectionError:
            return b""

    def close(self) -> None:
        self._writer.close()


async def root(request: Request) -> Response:
    client = request.client
    return PlainTextResponse(f"{client.host if client else None} {request.url.scheme}")


async def big(_request: Request) -> Response:
    return Response(b"x" * 2**24)


@asynccontextmanager
async def running(
    tmp_path: Path,
    limits: ConnectionLimits | None = None,
    *,
    trusted_proxies: str = "",
    clock: FakeClock | None = None,
) -> AsyncIterator[tuple[BoundedServer, Callable[[], "asyncio.Task[Client]"]]]:
    routes = [Route("/", root, methods=["GET", "POST"]), Route("/big", big)]
    settings = Settings(data_dir=tmp_path, trusted_proxies=trusted_proxies)
    server = BoundedServer(Starlette(routes=routes), settings, limits=limits, clock=clock)
    listener = socket.create_server(("127.0.0.1", 0))
    clients: list[Client] = []

    async def connect() -> Client:
        clients.append(Client(*await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])))
        return clients[-1]

    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await seen_when(lambda: _value(server.started))
    try:
        yield server, lambda: asyncio.create_task(connect())
    finally:
        for client in clients:
            client.close()
        server.should_exit = True
        await serving


async def _value(value: bool) -> bool:
    return value


async def trickle(server: BoundedServer, clock: FakeClock, client: Client, piece: bytes) -> None:
    """Send pieces, each received before the next, until just more than the time for headers is over."""
    for _ in range(3):
        (connection,) = server.server_state.connections
        received = connection._unparsed
        await client.send(piece)
        await seen_when(lambda connection=connection, received=received: _value(connection._unparsed > received))
        clock.advance(PATIENT.header_seconds * 0.4)
        await server.on_tick(0)


async def test_headers_that_do_not_end_are_given_up(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(tmp_path, PATIENT, clock=clock) as (server, connect):
        client = await connect()
        await client.send(b"GET / HTTP/1.1\r\nHost: x\r\n")
        await seen_when(lambda: _value(any(each._unparsed for each in server.server_state.connections)))
        await trickle(server, clock, client, b"X-Slow: y\r\n")
        told = (await client.rest()).decode()
    assert told.startswith("HTTP/1.1 408 ")
    assert '"code": "request_timeout"' in told


@pytest.mark.parametrize("is_used", [False, True])
async def test_a_connection_that_sends_no_request_is_closed(tmp_path: Path, *, is_used: bool) -> None:
    clock = FakeClock()
    async with running(tmp_path, PATIENT, clock=clock) as (server, connect):
        client = await connect()
        await seen_when(lambda: _value(bool(server.server_state.connections)))
        if is_used:
            await client.get()
        await trickle(server, clock, client, b"\r\n")  # the parser skips empty lines before a request
        assert await client.rest() == b""


@pytest.mark.parametrize("piece", [33_000, 1_000])
async def test_headers_that_are_too_large_are_refused(tmp_path: Path, piece: int) -> None:
    async with running(tmp_path, PATIENT) as (_server, connect):
        client = await connect()
        await client.send(b"GET / HTTP/1.1\r\n")
        with suppress(ConnectionError):
            for _ in range(40_000 // piece):
                await client.send(b"X-Large: " + b"y" * piece + b"\r\n")
            await client.send(b"\r\n")
        assert (await client.answer())[0] == 431
        await client.rest()


async def test_trailers_that_do_not_end_are_cut_off(tmp_path: Path) -> None:
    async with running(tmp_path, PATIENT) as (_server, connect):
        client = await connect()
        await client.send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
        assert (await client.answer())[0] == 200
        with suppress(ConnectionError):
            for _ in range(40):
                await client.send(b"X-Trailer: " + b"y" * 1_000 + b"\r\n")
        await client.rest()


async def test_a_client_that_does_not_take_its_answer_is_cut_off(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(tmp_path, PATIENT, clock=clock) as (server, connect):
        client = await connect()
        await client.send(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
        await seen_when(
            lambda: _value(any(each._stalled_since is not None for each in server.server_state.connections))
        )
        clock.advance(PATIENT.stalled_seconds + 1)
        await seen_when(lambda: _value(not server.server_state.connections))


async def test_an_answer_comes_before_a_body_that_nothing_reads(tmp_path: Path) -> None:
    async with running(tmp_path, PATIENT) as (_server, connect):
        client = await connect()
        await client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        assert (await client.answer())[0] == 200
        await client.send(b"x" * 1_000_000 + GET)
        assert (await client.answer())[0] == 200


async def test_a_body_that_nothing_reads_is_not_discarded_for_ever(tmp_path: Path) -> None:
    async with running(tmp_path, PATIENT) as (_server, connect):
        client = await connect()
        await client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
        await client.answer()
        with suppress(ConnectionError):
            for _ in range(200):
                await client.send(b"x" * 2**16)
        await client.rest()


async def test_one_address_holds_at_most_half_of_the_connections(tmp_path: Path) -> None:
    async with running(tmp_path, PATIENT) as (server, connect):
        held = [await connect() for _ in range(4)]
        for client in held:
            await client.get()
        status, told = await (await connect()).answer()
        assert status == 503
        assert "127.0.0.1 has 4 open connections" in told
        held[0].close()
        await seen_when(lambda: _value(len(server.server_state.connections) == 3))
        await (await connect()).get()


async def test_a_proxy_holds_all_connections_and_no_more(tmp_path: Path) -> None:
    limits = ConnectionLimits(most=4, proxies=proxies_of("127.0.0.0/8"))
    async with running(tmp_path, limits) as (_server, connect):
        for _ in range(4):
            await (await connect()).get()
        assert "this process has 4 open connections" in (await (await connect()).answer())[1]


async def test_what_is_not_http_is_answered_as_a_problem_without_a_banner(tmp_path: Path) -> None:
    async with running(tmp_path) as (_server, connect):
        client = await connect()
        await client.send(b"nonsense\r\n\r\n")
        status, told = await client.answer()
        assert "server:" not in (await (await connect()).get()).lower()
    assert status == 400
    assert "application/problem+json" in told


@pytest.mark.parametrize(
    ("trusted", "seen"),
    [
        ("", "127.0.0.1 http"),
        ("10.0.0.0/8", "127.0.0.1 http"),
        ("127.0.0.1", "203.0.113.9 https"),
        ("127.0.0.0/8, 203.0.113.9", "198.51.100.7 https"),
    ],
)
async def test_forwarded_headers_count_from_configured_proxies_only(
    tmp_path: Path, trusted: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    forwarded = b"X-Forwarded-For: 198.51.100.7, 203.0.113.9\r\nX-Forwarded-Proto: https\r\n"
    async with running(tmp_path, trusted_proxies=trusted) as (_server, connect):
        client = await connect()
        await client.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + forwarded + b"\r\n")
        assert (await client.answer())[1].endswith(seen)


@pytest.mark.parametrize("text", ["*", "proxy.internal", "10.0.0.1/8", "10.0.0.1 10.0.0.2"])
def test_a_proxy_that_is_not_an_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_TRUSTED_PROXIES"):
        proxies_of(text)
