"""Waiting for a run: streamed, resumed after a drop, polled where there is no stream, bounded in time."""

import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from packhouse_client import AsyncPackhouse, NoAnswer, Packhouse, RunFailed, WaitTimedOut
from packhouse_client.errors import NotFound, UnreadableAnswer
from packhouse_client.models import Progress, RunDetail, RunState, RunTime
from packhouse_client.streams import Parser, ServerEvent
from packhouse_client.testing import MockPackhouse
from packhouse_client.testing.documents import filled

EVENTS = {"content-type": "text/event-stream"}
PROGRESS = json.dumps(filled(Progress, {"groups_total": 4, "groups_finished": 1}))


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.now += seconds


class Script:
    """A server that answers streams with what is scripted, then with 204; and a run that ends after some questions."""

    def __init__(self, *streams: httpx.Response | Exception, questions: int = 1, ends_as: str = "succeeded") -> None:
        self.streams = list(streams)
        self.questions = questions
        self.ends_as = ends_as
        self.resumed_from: list[str | None] = []
        self.clock = Clock()

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            self.resumed_from.append(request.headers.get("last-event-id"))
            found = self.streams.pop(0) if self.streams else httpx.Response(204)
            if isinstance(found, Exception):
                raise found
            return found
        self.questions -= 1
        has_ended = self.questions <= 0
        state = self.ends_as if has_ended else "rewriting"
        progress = filled(Progress, {"groups_total": 4})
        run = {"id": "run_1", "table_id": "tbl_1", "operation": "rewrite", "state": state, "is_terminal": has_ended}
        at = "2026-11-01T09:30:00+00:00"
        run |= {"detail": "the table was dropped", "progress": progress, "created_at": at, "updated_at": at}
        run |= {"time": filled(RunTime, {})}
        return httpx.Response(200, json=filled(RunDetail, run))

    def client(self) -> Packhouse:
        transport = httpx.MockTransport(self.answer)
        return Packhouse("http://server", transport=transport, sleep=self.clock.sleep, clock=self.clock)

    def async_client(self) -> AsyncPackhouse:
        transport = httpx.MockTransport(self.answer)
        return AsyncPackhouse("http://server", transport=transport, sleep=self.clock.sleep_async, clock=self.clock)


class BrokenStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """One whole event, half of another, and the connection is gone."""

    parts = (b"id: 1\nevent: progress\ndata: " + PROGRESS.encode() + b"\n\nid: 2\nda",)

    def __iter__(self) -> Iterator[bytes]:
        yield from self.parts
        raise httpx.ReadError("connection reset")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        raise httpx.ReadError("connection reset")


def broken() -> httpx.Response:
    return httpx.Response(200, headers=EVENTS, stream=BrokenStream())


def progress_stream() -> httpx.Response:
    return httpx.Response(200, headers=EVENTS, text=f"id: 2\nevent: progress\ndata: {PROGRESS}\n\n")


def parsed(*lines: str) -> list[ServerEvent]:
    return list(Parser(httpx.URL("http://server")).feed("\n".join([*lines, ""])))


def test_events_have_name_data_and_id() -> None:
    lines = ("event: state", "id: 7", 'data: {"to": "planning"}', "")
    assert parsed(*lines) == [ServerEvent("state", '{"to": "planning"}', "7")]


def test_comments_are_heartbeats_and_data_lines_are_joined() -> None:
    found = parsed(": heartbeat", "", "retry: 1000", "data: a", "data: b", "")
    assert [(event.name, event.data) for event in found] == [("heartbeat", ""), ("message", "a\nb")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("length", [1, 2, 7])
def test_events_do_not_depend_on_line_ends_and_parts(end: str, length: int) -> None:
    text = end.join([": heartbeat", "", "id: 1", "data: größer\u2028🗜", "", "data:two", "data: lines", "", "", ""])
    parser = Parser(httpx.URL("http://server"))
    parts = [text[at : at + length] for at in range(0, len(text), length)]
    found = [event for part in parts for event in parser.feed(part)]
    assert [(event.data, event.id) for event in found] == [("", None), ("größer\u2028🗜", "1"), ("two\nlines", "1")]


@pytest.mark.parametrize("line", ["data: x", "data: x\n"])
def test_an_event_without_an_end_is_not_read_to_its_end(line: str) -> None:
    parser = Parser(httpx.URL("http://server"))
    with pytest.raises(UnreadableAnswer, match="http://server gave an event of more than"):
        list(itertools.chain.from_iterable(parser.feed(line * 1000) for _ in range(1000)))


async def test_a_broken_stream_is_resumed_after_the_last_whole_event() -> None:
    script, seen = Script(broken(), progress_stream()), list[int]()
    run = script.client().wait_for_run("run_1", on_progress=lambda p: seen.append(p.groups_finished))
    assert (run.state, seen, script.resumed_from) == (RunState.SUCCEEDED, [1, 1], [None, "1", "2"])
    assert script.clock.now == 0
    script, seen = Script(broken(), progress_stream()), list[int]()
    async with script.async_client() as client:
        run = await client.wait_for_run("run_1", on_progress=lambda p: seen.append(p.groups_finished))
    assert (run.state, seen, script.resumed_from) == (RunState.SUCCEEDED, [1, 1], [None, "1", "2"])


@pytest.mark.parametrize(
    "stream",
    [
        lambda: httpx.Response(429, json={"title": "no", "code": "too_many_streams"}),
        lambda: httpx.Response(200, text="<html>a proxy</html>"),
        lambda: httpx.Response(406, json={"title": "no", "code": "not_acceptable"}),
    ],
)
async def test_where_there_is_no_stream_the_run_is_asked_for(stream: Callable[[], httpx.Response]) -> None:
    seen: list[int] = []
    sync, asynchronous = Script(stream(), questions=3), Script(stream(), questions=3)
    assert sync.client().wait_for_run("run_1", on_progress=lambda p: seen.append(p.groups_total)).is_terminal
    assert (await asynchronous.async_client().wait_for_run("run_1")).is_terminal
    assert seen == [4, 4]
    assert sync.clock.now == asynchronous.clock.now == 4.0


def test_a_stream_that_ends_without_an_event_again_and_again_is_given_up_for_questions() -> None:
    empty = [httpx.Response(200, headers=EVENTS) for _ in range(20)]
    script = Script(*empty)
    assert script.client().wait_for_run("run_1").is_terminal
    assert len(script.resumed_from) == 6


@pytest.mark.parametrize("ends_as", ["failed", "cancelled"])
async def test_a_run_that_did_not_succeed_is_raised_with_the_run(ends_as: str) -> None:
    with pytest.raises(RunFailed, match="the table was dropped") as caught:
        Script(ends_as=ends_as).client().wait_for_run("run_1")
    assert caught.value.run.state == ends_as
    with pytest.raises(RunFailed):
        await Script(ends_as=ends_as).async_client().wait_for_run("run_1")


def test_a_run_that_was_skipped_has_ended_well() -> None:
    assert Script(ends_as="skipped").client().wait_for_run("run_1").state is RunState.SKIPPED


@pytest.mark.parametrize("seconds", [0.0, 5.0, 90.0])
async def test_waiting_ends_in_time_and_the_run_goes_on(seconds: float) -> None:
    script, other = Script(questions=10_000), Script(questions=10_000)
    with pytest.raises(TimeoutError, match="it goes on"):
        script.client().wait_for_run("run_1", timeout=seconds)
    with pytest.raises(WaitTimedOut):
        await other.async_client().wait_for_run("run_1", timeout=seconds)
    for clock in (script.clock, other.clock):
        assert seconds <= clock.now <= seconds + 0.05


def test_heartbeats_do_not_hold_a_wait_past_its_time() -> None:
    script = Script(questions=10_000)

    def beats() -> Iterator[bytes]:
        while True:
            script.clock.now += 15
            yield b": heartbeat\n\n"

    script.streams = [httpx.Response(200, headers=EVENTS, content=beats())]
    with pytest.raises(WaitTimedOut):
        script.client().wait_for_run("run_1", timeout=60)
    assert 60 <= script.clock.now <= 60.05


def test_a_run_that_is_not_there_is_not_waited_for() -> None:
    with pytest.raises(NotFound):
        MockPackhouse().client().wait_for_run("run_none")


def away_between(clock: Clock, end: float, script: Script) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        if clock.now < end:
            raise httpx.ConnectError("refused", request=request)
        return script.answer(request)

    return answer


@pytest.mark.parametrize(("seconds", "ends"), [(60.0, True), (10_000.0, False)])
def test_a_server_that_is_started_anew_is_waited_for_and_a_lost_one_is_not(seconds: float, ends: bool) -> None:
    script: Any = Script()
    clock = script.clock
    transport = httpx.MockTransport(away_between(clock, seconds, script))
    client = Packhouse("http://server", transport=transport, sleep=clock.sleep, clock=clock)
    if ends:
        assert client.wait_for_run("run_1").is_terminal
    else:
        with pytest.raises(NoAnswer):
            client.wait_for_run("run_1")
        assert clock.now < 300
