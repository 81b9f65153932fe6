"""What is said before anything runs, and the socket that the api listens on."""

import asyncio
import socket
from pathlib import Path

import pytest

from api.server.parts import Parts, _listening, serve
from engine.settings.model import Settings


class Heard(Exception):
    """What was said first."""


@pytest.mark.parametrize(
    ("given", "named"),
    [({}, "Starting Redis and Spark on"), ({"redis_url": "redis://127.0.0.1:1"}, "Starting Spark on")],
)
async def test_what_takes_a_while_is_told_before_it_begins(tmp_path: Path, given: dict[str, str], named: str) -> None:
    def hear(line: str) -> None:
        raise Heard(line)

    everything = Parts(api=True, worker=True, coordinator=True)
    with pytest.raises(Heard, match=named):
        await serve(Settings(data_dir=tmp_path, port=0, **given), everything, say=hear)
    assert list(tmp_path.iterdir()) == []


async def test_answers_do_not_wait_for_acknowledgements(tmp_path: Path) -> None:
    delays: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delays.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with _listening("127.0.0.1", 0, "PACKHOUSE_PORT") as listener:
        async with await asyncio.start_server(connected, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            assert await delays
            writer.close()
            await writer.wait_closed()


def test_a_port_is_kept_from_the_start_of_a_process_on() -> None:
    with _listening("127.0.0.1", 0, "PACKHOUSE_TASKS_PORT") as listener, socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            other.bind(listener.getsockname())
