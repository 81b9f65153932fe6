"""A run's events, as a page and as a stream."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import Any

import pytest
import pytest_asyncio

from api.http import streaming
from api.http.streaming import run_frames
from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId
from tests.integration.api.conftest import ADDRESS, READS_ONLY, Api, make_registered_lake

STREAM = {"Accept": "text/event-stream"}
Frame = dict[str, Any]


def frames_of(text: str) -> list[Frame]:
    """Read frames; comments and `retry` are passed over."""
    return [frame for part in text.split("\n\n") if (frame := frame_of(part)) is not None]


def frame_of(part: str) -> Frame | None:
    fields = dict(line.split(": ", 1) for line in part.splitlines() if not line.startswith(":"))
    return fields | {"data": json.loads(fields["data"])} if "data" in fields else None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ended(shared_api: Api, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the events of a run that has ended."""
    await make_registered_lake(shared_api, tmp_path_factory.mktemp("ended"))
    table = await shared_api.post("/v1/tables", ADDRESS, status=201)
    return f"/v1/runs/{(await shared_api.rewrite(table['id'])).id}/events"


@pytest.fixture
async def queued(api: Api, table_id: str) -> RunId:
    return RunId((await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202))["id"])


@READS_ONLY
@pytest.mark.parametrize("accept", ["application/json", "*/*", "", "application/*", "text/event-stream;q=0.1, */*"])
async def test_events_come_as_a_page_unless_a_stream_is_asked_for(shared_api: Api, ended: str, accept: str) -> None:
    page = await shared_api.get(ended, headers={"Accept": accept})
    sequences = [event["sequence"] for event in page["items"]]
    assert sequences == sorted(set(sequences))
    assert page["items"][-1]["to_state"] == "succeeded"


@READS_ONLY
@pytest.mark.parametrize("accept", ["text/html", "text/plain", "application/json;q=0, text/event-stream;q=0"])
async def test_what_is_neither_is_not_acceptable(shared_api: Api, ended: str, accept: str) -> None:
    assert (await shared_api.get(ended, status=406, headers={"Accept": accept}))["code"] == "not_acceptable"


@READS_ONLY
async def test_a_stream_has_every_event_with_its_id_and_ends_with_the_run(shared_api: Api, ended: str) -> None:
    response = await shared_api.call("GET", ended, status=200, headers=STREAM)
    assert response.headers["content-type"].startswith("text/event-stream")
    frames, events = frames_of(response.text), (await shared_api.get(ended))["items"]
    assert [frame["data"] for frame in frames] == events
    assert [int(frame["id"]) for frame in frames] == [event["sequence"] for event in events]


@READS_ONLY
async def test_a_stream_is_resumed_after_the_last_event_and_not_opened_again_after_its_end(
    shared_api: Api, ended: str
) -> None:
    response = await shared_api.call("GET", ended, status=200, headers=STREAM | {"Last-Event-ID": "2"})
    assert frames_of(response.text)[0]["id"] == "3"
    last = (await shared_api.get(ended))["items"][-1]["sequence"]
    await shared_api.call("GET", ended, status=204, headers=STREAM | {"Last-Event-ID": str(last)})


@READS_ONLY
@pytest.mark.parametrize("last", ["x", "-1", "1.5", "", "9" * 40, "٣"])
async def test_an_id_that_is_none_is_refused(shared_api: Api, ended: str, last: str) -> None:
    header: dict[str, Any] = STREAM | {"Last-Event-ID": last.encode()}
    answer = await shared_api.get(ended, status=422, headers=header)
    assert answer["errors"][0]["pointer"] == "header:Last-Event-ID"


@READS_ONLY
async def test_a_caller_holds_a_limited_number_of_streams(shared_api: Api, ended: str) -> None:
    slots = shared_api.app.state.stream_slots
    with ExitStack() as held:
        for _ in range(streaming.MAX_STREAMS_PER_CALLER):
            held.enter_context(slots.held("key:admin"))
        response = await shared_api.call("GET", ended, status=429, headers=STREAM)
    assert response.headers["retry-after"]
    await shared_api.call("GET", ended, status=200, headers=STREAM)


@READS_ONLY
async def test_a_stream_of_an_unknown_run_is_not_found(shared_api: Api) -> None:
    await shared_api.call("GET", "/v1/runs/run_nope/events", status=404, headers=STREAM)


async def test_events_arrive_while_the_run_goes_on(api: Api, queued: RunId) -> None:
    frames = run_frames(api.app.state.services, SYSTEM, queued, after=0)
    first = await _next(frames, lambda frame: "id" in frame)
    assert (first["id"], first["data"]["kind"]) == ("1", "submitted")
    task = asyncio.create_task(api.container.worker.advance(queued))
    last = await _next(frames, lambda frame: frame["data"].get("to_state") == "succeeded")
    assert last["event"] == "event"
    assert await task
    with pytest.raises(StopAsyncIteration):
        await anext(frames)


async def test_a_running_run_shows_progress_without_an_id(api: Api, queued: RunId) -> None:
    async with api.container.database.begin() as unit:
        claimed = await unit.runs.claim(queued, "a worker", 30)
    assert claimed
    frames = run_frames(api.app.state.services, SYSTEM, queued, after=0)
    progress = await _next(frames, lambda frame: frame["event"] == "progress")
    assert "id" not in progress
    assert progress["data"]["bytes_total"] == 0
    await frames.aclose()  # type: ignore[attr-defined]


async def test_silence_is_filled_with_heartbeats(api: Api, queued: RunId, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.0)
    monkeypatch.setattr(streaming, "POLL_SECONDS", 0.01)
    frames = run_frames(api.app.state.services, SYSTEM, queued, after=0)
    seen = [await anext(frames) for _ in range(3)]
    assert seen[-1] == ": heartbeat\n\n"
    await frames.aclose()  # type: ignore[attr-defined]


async def _next(frames: AsyncIterator[str], wanted: Callable[[Frame], bool]) -> Frame:
    async with asyncio.timeout(60):
        async for text in frames:
            frame = frame_of(text.strip())
            if frame is not None and wanted(frame):
                return frame
    message = "the stream ended first"
    raise AssertionError(message)
