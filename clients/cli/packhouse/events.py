"""Server-sent events as the API streams them, resumed after a drop.

A stream that breaks is opened again with `Last-Event-ID`, so that no event is missed or seen twice; a server that is
away longer than the retries last ends the stream with the last error.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import httpx

_RETRIES: Final = 5
_READ_TIMEOUT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name (`message` when unnamed), its data as text, and the id to resume after."""

    name: str
    data: str
    id: str | None


_NO_MORE: Final = ServerEvent("no more", "", None)


def parse(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """Read events out of lines without their ends; comments (heartbeats) and unknown fields are passed over."""
    name, data, last_id = "message", list[str](), None
    for line in lines:
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data), last_id)
            name, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "event":
                name = value
            case "data":
                data.append(value)
            case "id":
                last_id = value


def follow(client: httpx.Client, url: str, *, pause: Callable[[float], None] = time.sleep) -> Iterator[ServerEvent]:
    """Yield events until the server says with 204 that there will be no more; a stream that ends otherwise is reopened.

    Raises:
        httpx.HTTPStatusError: the server refused.
        httpx.TransportError: it stayed away, or went on ending streams without an event.
    """
    last_id: str | None = None
    failures = 0
    error: httpx.TransportError
    while True:
        try:
            for event in _one_stream(client, url, last_id):
                if event is _NO_MORE:
                    return
                last_id, failures = event.id or last_id, 0
                yield event
        except httpx.TransportError as broken:
            error = broken
        else:
            error = httpx.RemoteProtocolError("the stream ended too early")
        failures += 1
        if failures > _RETRIES:
            raise error
        if failures > 1:
            pause(min(0.25 * 2**failures, 5))


def _one_stream(client: httpx.Client, url: str, last_id: str | None) -> Iterator[ServerEvent]:
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
    timeout = httpx.Timeout(10, read=_READ_TIMEOUT_SECONDS)
    with client.stream("GET", url, headers=headers, timeout=timeout) as response:
        if response.status_code == httpx.codes.NO_CONTENT:
            yield _NO_MORE
        elif response.is_error:
            response.read()
            response.raise_for_status()
        else:
            yield from parse(response.iter_lines())
