"""The pace channel: what is sent, what an answer does, and what happens without one."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine.rewriting.kernel.contract import Pace, TaskIdentity, WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.channel import PaceChannel
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Moved
from engine.rewriting.kernel.task import GroupRewrite
from tests.unit.kernel.building import field, left_behind, make_task, rewrite, write
from tests.unit.kernel.virtual_time import VirtualClock

SCHEMA = pa.schema([field(1, "id", pa.int64())])
FREE = {"bytes_per_second": None, "requests_per_second": None, "stop": False}
URL = "http://pace.test/report"


class Answers:
    """Stands in for the network: answers in turn (the last one for ever), or fails where an answer is None."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self.answers = list(answers)
        self.reports: list[dict[str, Any]] = []
        self.tokens: list[str] = []

    def __call__(self, url: str, headers: dict[str, str], body: bytes) -> bytes:
        self.reports.append(json.loads(body))
        self.tokens.append(headers["Authorization"].removeprefix("Bearer "))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise ConnectionRefusedError
        return json.dumps(answer).encode()


def share(rate: float | None, *, stop: bool = False) -> dict[str, Any]:
    return {"bytes_per_second": rate, "requests_per_second": 7, "stop": stop}


def channel(folder: Path, post: Answers, bucket: Bucket) -> PaceChannel:
    pace = Pace(bytes_per_second=100, channel_url=URL, channel_token="secret")
    task = make_task(folder, [], SCHEMA, pace=pace)
    return PaceChannel(
        identity=task.task.identity, pace=task.pace, bucket=bucket, moved=lambda: Moved(5, 6, 7), post=post
    )


def rate_of(bucket: Bucket) -> float | None:
    """Return the rate in force: a slice is a tenth of it."""
    return None if bucket.slice_bytes is None else bucket.slice_bytes * 10


def test_a_report_says_who_and_how_much(tmp_path: Path) -> None:
    post = Answers(FREE)
    channel(tmp_path, post, Bucket()).beat()
    assert post.reports == [
        {
            "run_id": "run",
            "attempt": 1,
            "group": 3,
            "bytes_read": 5,
            "bytes_written": 6,
            "requests": 7,
            "throttled_seconds": 0.0,
            "finished": False,
        }
    ]


def test_an_answer_is_the_new_share(tmp_path: Path) -> None:
    bucket = Bucket(bytes_per_second=10_000_000)
    pace = channel(tmp_path, Answers(share(50_000_000), FREE), bucket)
    pace.beat()
    assert rate_of(bucket) == 50_000_000
    pace.beat()
    assert rate_of(bucket) is None


def test_a_new_token_is_used_from_the_next_report_on(tmp_path: Path) -> None:
    post = Answers(FREE, {**FREE, "token": "second"}, None, {**FREE, "token": None})
    pace = channel(tmp_path, post, Bucket())
    for _ in range(5):
        pace.beat()
    assert post.tokens == ["secret", "secret", "second", "second", "second"]


@pytest.mark.parametrize(("failures", "rate"), [(2, 50_000_000), (3, 10_000_000), (9, 10_000_000)])
def test_three_failures_in_a_row_bring_back_the_static_share(tmp_path: Path, failures: int, rate: float) -> None:
    bucket = Bucket()
    task = make_task(tmp_path, [], SCHEMA, pace=Pace(bytes_per_second=10_000_000, channel_url=URL))
    post = Answers(share(50_000_000), *[None] * failures)
    pace = PaceChannel(identity=task.task.identity, pace=task.pace, bucket=bucket, moved=Moved, post=post)
    for _ in range(failures + 1):
        pace.beat()
    assert rate_of(bucket) == rate


def test_an_answer_after_failures_counts_again(tmp_path: Path) -> None:
    bucket = Bucket()
    pace = channel(tmp_path, Answers(None, None, None, share(30_000_000)), bucket)
    for _ in range(4):
        pace.beat()
    assert rate_of(bucket) == 30_000_000


@pytest.mark.parametrize("answer", [{}, share(0), share(-1), {**FREE, "bytes_per_second": "much"}])
def test_a_senseless_answer_is_a_failure(tmp_path: Path, answer: dict[str, Any]) -> None:
    bucket = Bucket(bytes_per_second=20_000_000)
    channel(tmp_path, Answers(answer), bucket).beat()
    assert rate_of(bucket) == 20_000_000


def test_the_last_report_says_finished(tmp_path: Path) -> None:
    post = Answers(FREE)
    pace = channel(tmp_path, post, Bucket())
    pace.start()
    pace.close()
    assert [report["finished"] for report in post.reports][-1] is True
    assert "packhouse-pace" not in {thread.name for thread in threading.enumerate()}


def test_without_a_url_nothing_is_sent(tmp_path: Path) -> None:
    post = Answers(FREE)
    pace = PaceChannel(identity=TaskIdentity("run", 1, 3), pace=Pace(), bucket=Bucket(), moved=Moved, post=post)
    pace.start()
    pace.close()
    assert post.reports == []


def task_of(folder: Path, url: str | None, **pace: Any) -> SentKernelTask:
    random = np.random.default_rng(1)
    tables = [pa.table([pa.array(random.integers(0, 2**62, 50_000))], schema=SCHEMA) for _ in range(3)]
    inputs = [write(folder / f"{i}.parquet", table, use_dictionary=False) for i, table in enumerate(tables)]
    settings = WriteSettings(target_file_bytes=100_000, row_group_bytes=10_000)
    given = Pace(channel_url=url, channel_token="secret", interval_seconds=0.01, **pace)
    return make_task(folder, inputs, SCHEMA, pace=given, settings=settings, file_count=12)


def test_a_task_told_to_stop_wakes_and_removes_its_output(tmp_path: Path) -> None:
    clock, told = VirtualClock(), threading.Event()

    def post(url: str, headers: dict[str, str], body: bytes) -> bytes:
        told.wait(20)
        return json.dumps(share(None, stop=True)).encode()

    def pause(changed: threading.Event, seconds: float) -> None:
        if any(path.stat().st_size for path in left_behind(tmp_path)):
            told.set()
            assert changed.wait(20)
        else:
            clock.pause(changed, seconds)

    task = task_of(tmp_path, URL, bytes_per_second=200_000)
    result = GroupRewrite(sent=task, clock=clock, pause=pause, post=post).run()
    assert (result.outcome, result.outputs) == ("stopped", ())
    assert result.bytes_written > 0
    assert left_behind(tmp_path) == []


@contextmanager
def server(answer: Callable[[dict[str, Any]], tuple[int, bytes]]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Serve a channel on a free port; yield its URL and what it got: (authorization, report)."""
    seen: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.headers["Authorization"], report))
            status, body = answer(report)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/pace", seen
        http.shutdown()
        thread.join()


def test_a_task_reports_over_http_with_its_token(tmp_path: Path) -> None:
    with server(lambda _: (200, json.dumps(FREE).encode())) as (url, seen):
        result = rewrite(task_of(tmp_path, url))
    assert result.outcome == "written"
    assert {authorization for authorization, _ in seen} == {"Bearer secret"}
    last = seen[-1][1]
    assert (last["finished"], last["bytes_read"], last["bytes_written"]) == (
        True,
        result.bytes_read,
        result.bytes_written,
    )


@pytest.mark.parametrize("answer", [(500, b""), (401, b"{}"), (200, b"not json")])
def test_a_channel_that_fails_does_not_fail_the_task(tmp_path: Path, answer: tuple[int, bytes]) -> None:
    with server(lambda _: answer) as (url, _):
        assert rewrite(task_of(tmp_path, url)).outcome == "written"


def test_a_channel_that_nobody_serves_does_not_fail_the_task(tmp_path: Path) -> None:
    assert rewrite(task_of(tmp_path, "http://127.0.0.1:9/pace")).outcome == "written"


def test_a_url_that_is_not_http_is_never_opened(tmp_path: Path) -> None:
    assert rewrite(task_of(tmp_path, (tmp_path / "secret").as_uri())).outcome == "written"
