"""A Spark task that reports on its executor: Python, packages, the clock, and whether it reaches an api."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.spark.dispatch import SparkDispatcher, limited
from engine.spark.sessions import SparkSessions

PACKAGES: Final = ("pyarrow", "numpy", "obstore", "hdfs-native")

TASK_SECONDS: Final = 60.0
"""Time for the task; less than the lease of a probe."""

_TAG: Final = "packhouse-doctor"


@dataclass(frozen=True, slots=True)
class Executor:
    """The executor of one task.

    `packages`: versions of those of `PACKAGES` that it has. `seconds`: its clock, since 1970. `answer`: the status and
    the text with which the listener for tasks answered a request; without an answer the status is None, and the text
    says why. None: none was sent.
    """

    host: str
    python: str
    packages: Mapping[str, str]
    seconds: float
    answer: tuple[int | None, str] | None


def ask_executor(sessions: SparkSessions, *, url: str | None, token: str, seconds: float = TASK_SECONDS) -> Executor:
    """Run a task that reports on its executor and sends `{}` to the URL with a token, as those of runs send reports.

    Raises:
        Transient: no server.
        SparkFailed: the task could not run, such as for another Python than that of this process.
        Interrupted: it did not end within `seconds`, such as while every executor is busy; it was stopped.
    """
    dispatcher = SparkDispatcher(sessions=sessions)
    request = json.dumps({"packages": PACKAGES, "url": url, "token": token})
    with limited(dispatcher, sessions, _TAG, seconds) as ticket:
        (answer,) = dispatcher.run(ticket, _look_around(), [request])
    found = json.loads(answer)
    sent = found.pop("answer")
    return Executor(**found, answer=None if sent is None else (sent[0], sent[1]))


def _look_around() -> Callable[[str], str]:
    """Return the function of the task. A nested one is sent by value: this module does not exist on executors."""

    def work(request: str) -> str:
        import json  # noqa: PLC0415 - in a Spark task
        import platform  # noqa: PLC0415
        import time  # noqa: PLC0415
        import urllib.error  # noqa: PLC0415
        from importlib import metadata  # noqa: PLC0415

        from engine.rewriting.kernel.storage.posts import http_post  # noqa: PLC0415 - from the session's zip

        seconds, asked = time.time(), json.loads(request)
        packages = {}
        for name in asked["packages"]:
            try:
                packages[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        answer: tuple[int | None, str] | None = None
        if asked["url"] is not None:
            headers = {"Authorization": f"Bearer {asked['token']}", "Content-Type": "application/json"}
            try:
                answer = (200, http_post(asked["url"], headers, b"{}").decode(errors="replace")[:2000])
            except urllib.error.HTTPError as error:
                answer = (error.code, error.read(2000).decode(errors="replace"))
            except (OSError, ValueError) as error:
                answer = (None, str(error) or type(error).__name__)
        found = {"host": platform.node(), "python": platform.python_version(), "packages": packages}
        return json.dumps({**found, "seconds": seconds, "answer": answer})

    return work
