"""The pace channel: about once a second the task reports its transfers and receives its share, or the order to stop.

It uses only the standard library. An answer may have a new token, which later reports carry. After three failures in a
row the task returns to its static share; reports continue, and the next answer applies again. No failure of the channel
ends the task.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from engine.rewriting.kernel.contract import Pace, TaskIdentity
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.posts import Post, http_post
from engine.rewriting.kernel.storage.transfer import Moved

FAILURES_TO_STATIC: Final = 3


class PaceChannel:
    """Sends the reports of one task from a separate thread. Without a channel URL it does nothing."""

    def __init__(
        self,
        *,
        identity: TaskIdentity,
        pace: Pace,
        bucket: Bucket,
        moved: Callable[[], Moved],
        post: Post = http_post,
    ) -> None:
        self._identity = identity
        self._pace = pace
        self._bucket = bucket
        self._moved = moved
        self._post = post
        self._token = pace.channel_token or ""
        self._failures = 0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start reporting, immediately and then every `interval_seconds`."""
        if self._pace.channel_url is not None:
            self._thread = threading.Thread(target=self._run, name="packhouse-pace", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread and send the last report. Takes as long as one request, two in the worst case."""
        if self._thread is not None:
            self._closing.set()
            self._thread.join()
            self._thread = None
            self.beat(finished=True)

    def beat(self, *, finished: bool = False) -> None:
        """Send one report and apply the answer."""
        try:
            answer = self._exchange(finished)
            share = [_rate(answer[name]) for name in ("bytes_per_second", "requests_per_second")]
            stop, token = bool(answer["stop"]), answer.get("token")
        except (OSError, ValueError, KeyError, TypeError):
            self._failed()
            return
        self._failures = 0
        self._token = str(token or self._token)
        self._bucket.set_share(*share)
        if stop:
            self._bucket.stop()

    def _run(self) -> None:
        while not self._closing.is_set():
            self.beat()
            self._closing.wait(self._pace.interval_seconds)

    def _exchange(self, finished: bool) -> Any:
        moved = self._moved()
        report = {
            **asdict(self._identity),
            "bytes_read": moved.bytes_read,
            "bytes_written": moved.bytes_written,
            "requests": moved.requests,
            "throttled_seconds": round(self._bucket.throttled_seconds, 3),
            "finished": finished,
        }
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        return json.loads(self._post(self._pace.channel_url or "", headers, json.dumps(report).encode()))

    def _failed(self) -> None:
        self._failures += 1
        if self._failures == FAILURES_TO_STATIC:
            self._bucket.set_share(self._pace.bytes_per_second, self._pace.requests_per_second)


def _rate(value: Any) -> float | None:
    if value is None:
        return None
    rate = float(value)
    if not rate > 0:
        raise ValueError(f"a share of {value} per second")
    return rate
