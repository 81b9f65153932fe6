"""The socket that the api listens on."""

import asyncio
import socket
from pathlib import Path

from api.serving import _listening
from engine.settings import Settings


async def test_answers_do_not_wait_for_acknowledgements(tmp_path: Path) -> None:
    delays: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delays.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with _listening(Settings(data_dir=tmp_path, port=0)) as listener:
        async with await asyncio.start_server(connected, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            assert await delays
            writer.close()
            await writer.wait_closed()
