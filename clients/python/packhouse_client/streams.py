"""A run's events as they happen: Server-Sent Events, resumed after a drop.

A broken stream is opened again with `Last-Event-ID`, so that no event is missed or seen twice. A stream that ends
normally is opened once more: the server then answers 204 if there are no more events.

Events are parsed here instead of by `httpx-sse`, because it drops comments, which are the heartbeats, makes an empty
message of each blank line once an event had an id, and reads a line of any length into memory.
"""

import io
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import Final

import httpx

from packhouse_client import errors
from packhouse_client.senders import AsyncSender, Sender, no_answer

HEARTBEAT: Final = "heartbeat"
"""Name of the event for the server's periodic heartbeats."""
MOST_CHARACTERS: Final = 2**20
"""Limit of one event."""
_FAILURES: Final = 5
_TIMEOUT: Final = httpx.Timeout(10.0, read=45.0)  # the server beats every 15 s


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name (`message` when unnamed), its data as text, and the id to resume after."""

    name: str
    data: str
    id: str | None


class Parser:
    """Parses the text of the stream at `url` into events. Comments become heartbeats; unknown fields are ignored."""

    def __init__(self, url: httpx.URL) -> None:
        self._url = url
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._line, self._characters = list[str](), 0
        self._name, self._data = "message", list[str]()
        self._id: str | None = None

    def feed(self, text: str) -> Iterator[ServerEvent]:
        """Yield the events that a part of the stream completes.

        Raises:
            UnreadableAnswer: an event has more than `MOST_CHARACTERS`.
        """
        first, *others = self._newlines.decode(text).split("\n")
        self._add(first)
        for start in others:
            line = "".join(self._line)
            self._line.clear()
            if event := self._read(line):
                yield event
            self._add(start)

    def _add(self, piece: str) -> None:
        self._characters += len(piece) + 1
        if self._characters > MOST_CHARACTERS:
            limit = f"{MOST_CHARACTERS} characters"
            message = f"{self._url} gave an event of more than {limit}: give the address of a Packhouse"
            raise errors.UnreadableAnswer(message)
        self._line.append(piece)

    def _read(self, line: str) -> ServerEvent | None:
        """Read a line without its end; return the event that it completes, None if it completes none."""
        field, _, value = line.partition(":")
        match field if line else None:
            case None:
                found = ServerEvent(self._name, "\n".join(self._data), self._id) if self._data else None
                self._name, self._data, self._characters = "message", [], 0
                return found
            case "":
                return ServerEvent(HEARTBEAT, "", None)
            case "event":
                self._name = value.removeprefix(" ")
            case "data":
                self._data.append(value.removeprefix(" "))
            case "id":
                self._id = value.removeprefix(" ")
        return None


class Position:
    """Position in a stream, and the number of consecutive breaks."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self.failures = 0

    def request(self, http: httpx.Client | httpx.AsyncClient, run_id: str) -> httpx.Request:
        """Return the request that continues after the last event."""
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self.last_id} if self.last_id else {})
        path = f"/v1/runs/{httpx.URL(path='/' + run_id).raw_path.decode()[1:]}/events"
        return http.build_request("GET", path, headers=headers, timeout=_TIMEOUT)

    def reached(self, event: ServerEvent) -> ServerEvent:
        """Record an event as the new position, and return it."""
        self.last_id, self.failures = event.id or self.last_id, 0
        return event

    def broke(self, request: httpx.Request, error: httpx.TransportError | None) -> float:
        """Return seconds to wait before the stream is opened again.

        Raises:
            NoAnswer: it broke too often in a row without an event.
        """
        self.failures += 1
        if self.failures > _FAILURES:
            error = error or httpx.RemoteProtocolError("the stream ended too early")
            raise no_answer(request, error) from error
        return 0.0 if self.failures == 1 else min(0.25 * 2**self.failures, 5.0)


def follow(sender: Sender, run_id: str) -> Generator[ServerEvent, None, None]:
    """Yield events and heartbeats until the run has ended and all its events were yielded.

    Raises:
        ApiError: the server refused. NoAnswer: it did not answer repeatedly. UnreadableAnswer: it is not Packhouse.
    """
    position = Position()
    while True:
        request, broken = position.request(sender.http, run_id), None
        parser = Parser(request.url)
        try:
            with closing(sender.open(request)) as response:
                if _is_over(response):
                    return
                for text in response.iter_text():
                    for event in parser.feed(text):
                        yield position.reached(event)
        except httpx.TransportError as error:
            broken = error
        if pause := position.broke(request, broken):
            sender.sleep(pause)


async def follow_async(sender: AsyncSender, run_id: str) -> AsyncGenerator[ServerEvent, None]:
    """Yield events and heartbeats; see `follow`."""
    position = Position()
    while True:
        request, broken = position.request(sender.http, run_id), None
        parser = Parser(request.url)
        try:
            async with aclosing(await sender.open(request)) as response:
                if _is_over(response):
                    return
                async for text in response.aiter_text():
                    for event in parser.feed(text):
                        yield position.reached(event)
        except httpx.TransportError as error:
            broken = error
        if pause := position.broke(request, broken):
            await sender.sleep(pause)


def _is_over(response: httpx.Response) -> bool:
    """Return whether there are no more events; raises UnreadableAnswer if the answer is not a stream."""
    if response.status_code == httpx.codes.NO_CONTENT:
        return True
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        raise errors.UnreadableAnswer(f"{response.request.url} did not answer with an event stream")
    return False
