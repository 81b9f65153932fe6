"""Load over HTTP/1.1 from one process: keep-alive connections that each wait for an answer before the next request.

Written for this: an ordinary client library costs more CPU per request than the servers under test.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Load:
    """What a load came to: status and seconds of each answer, and the seconds of all together."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    elapsed: float = 0.0

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.seconds) / self.elapsed

    def percentile(self, share: float) -> float:
        """Return the seconds that this share of the answers did not pass."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def request(method: str, path: str, *, key: str = "", body: bytes = b"") -> bytes:
    """Return one request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Authorization: Bearer {key}"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def apply(port: int, requests: Sequence[bytes], *, connections: int, rate: float | None = None) -> Load:
    """Send every request once and return what came back.

    Args:
        port: on 127.0.0.1.
        requests: the wire form of each.
        connections: how many are open at once.
        rate: requests per second, evenly spaced, with waiting counted from the moment a request was due (so that a slow
            answer does not hide those behind it); None: as fast as the answers come.
    """
    return asyncio.run(_apply(port, requests, connections, rate))


async def _apply(port: int, requests: Sequence[bytes], connections: int, rate: float | None) -> Load:
    load = Load()
    started = time.perf_counter()
    due = iter((started + at / rate if rate else 0.0, one) for at, one in enumerate(requests))
    async with asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(_connection(port, due, load))
    load.elapsed = time.perf_counter() - started
    return load


async def _connection(port: int, due: Iterator[tuple[float, bytes]], load: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for at, one in due:
        if (wait := at - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        begun = at or time.perf_counter()
        writer.write(one)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, found, after = head.partition(b"content-length:")
        if found:
            await reader.readexactly(int(after.split(b"\r\n", 1)[0]))
        load.seconds.append(time.perf_counter() - begun)
        load.statuses.append(int(head.split(b" ", 2)[1]))
    writer.close()
