"""Checks of an installation, from the process that runs them: settings, data folder, database, Redis, Spark, clocks.

Each is bounded in time and says what it found. A server that is away fails its own check and those that need it, and
hides no other. No text has a secret: not those of drivers either, which name host, port and user.
"""

import asyncio
import json
import platform
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from engine.domain.errors import PackhouseError, Rejected, SchemaUnsupported, SparkFailed
from engine.domain.ids import RunId
from engine.extras import SPARK, require
from engine.factory.dependencies import identities_of
from engine.factory.secret_keys import secret_keys
from engine.queue.connection import connect_redis, reaching_redis
from engine.services.operations.tasks.executors import Executor, ask_executor
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.settings.model import Settings
from engine.settings.values import reveal
from engine.spark.sessions import SparkSessions
from engine.stores.database import Database

SERVER_SECONDS: Final = 15.0
"""The most seconds for the database and for Redis."""

SPARK_SECONDS: Final = 120.0
"""The most seconds for Spark: a cluster without idle executors starts one first."""

APART_SECONDS: Final = 5.0
"""The most seconds that clocks may be apart: leases, tokens and signatures of requests tolerate no more everywhere."""

T = TypeVar("T")
_REACHED: Final = 422
_FORGED: Final = 401
_ABSENT: Final = 404
_OLDEST_REDIS: Final = (6, 2)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check, a sentence without its end, and what to do about it; no remedy: it is in order."""

    check: str
    found: str
    remedy: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the check found no fault."""
        return self.remedy is None


class CheckFailed(Exception):
    """Ends a check with what it found and the remedy."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.finding = (found, remedy)


@dataclass(slots=True)
class Examination:
    """The checks of one installation, and what they learn for one another."""

    settings: Settings
    _clocks: dict[str, tuple[float, float]] = field(default_factory=dict)  # least and most seconds ahead of this one
    _executor: Executor | None = None

    async def findings(self) -> AsyncIterator[Finding]:
        """Yield the findings, in a fixed order, each when it is known."""
        yield await self._finding("settings", self._settings, SERVER_SECONDS)
        yield await self._finding("data folder", self._data_folder, SERVER_SECONDS)
        servers = [
            asyncio.create_task(self._finding("database", self._database, SERVER_SECONDS)),
            asyncio.create_task(self._finding("redis", self._redis, SERVER_SECONDS)),
            asyncio.create_task(self._finding("spark", self._spark, SPARK_SECONDS)),
        ]
        for each in servers:
            yield await each
        for check, look in (("executor", self._packages), ("pace", self._pace), ("clocks", self._apart)):
            yield await self._finding(check, look, SERVER_SECONDS)

    async def _finding(self, check: str, look: Callable[[], Awaitable[str]], seconds: float) -> Finding:
        try:
            async with asyncio.timeout(seconds):
                return Finding(check, await look())
        except CheckFailed as failure:
            return Finding(check, *failure.finding)
        except TimeoutError:
            return Finding(check, f"no answer within {seconds:g} s", _REMEDIES[check])
        except SchemaUnsupported as error:
            return Finding(check, *_as_failure(error).finding)
        except (PackhouseError, OSError) as error:
            return Finding(check, str(error), _REMEDIES[check])
        except Exception as error:  # noqa: BLE001 - of a library, for a URL that it can't read; its text may have the URL
            return Finding(check, f"it failed with {type(error).__name__}", _REMEDIES[check])

    async def _settings(self) -> str:
        secret_keys(self.settings)
        identities = identities_of(self.settings)
        if identities is not None:
            identities.close()
        mode = "production" if self.settings.is_production else "embedded"
        return f"{len(self.settings.model_fields_set)} are set; the mode is {mode}"

    async def _data_folder(self) -> str:
        folder = self.settings.data_dir
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"packhouse")
            file.flush()
        return f"{folder} can be written"

    async def _database(self) -> str:
        database = Database(_given("PACKHOUSE_DATABASE_URL", reveal(self.settings.database_url)))
        try:
            number = await database.check_schema()
            async with database.read() as unit:
                began = time.time()
                self._note("database", (await unit.now()).timestamp(), began)
        finally:
            await database.close()
        return f"{'SQLite' if database.is_file else 'Postgres'} is at schema {number}, which this version can use"

    async def _redis(self) -> str:
        try:
            client = connect_redis(_given("PACKHOUSE_REDIS_URL", reveal(self.settings.redis_url)))
        except ValueError:  # its text may have the URL
            raise CheckFailed(
                "PACKHOUSE_REDIS_URL is not a URL of Redis", "it begins with redis:// or rediss://"
            ) from None
        async with aclosing(client):
            with reaching_redis():
                version = str((await client.info("server"))["redis_version"])
                began = time.time()
                seconds, microseconds = await client.time()
        self._note("Redis", float(seconds) + float(microseconds) / 1e6, began)
        if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_REDIS:
            raise CheckFailed(f"Redis is version {version}", "use 7 or newer (6.2 works)")
        return f"Redis {version} answers"

    async def _spark(self) -> str:
        url = _given("PACKHOUSE_SPARK_URL", reveal(self.settings.spark_url))
        require("pyspark", purpose="Spark", install=SPARK)
        sessions = SparkSessions(url=url, user_id="packhouse")
        try:
            version = await _in_thread(sessions.version)
            self._executor = await _in_thread(lambda: self._ask(sessions))
        except Rejected as error:  # too old, or with settings that are unsafe
            raise _as_failure(error) from None
        finally:
            threading.Thread(target=sessions.close, daemon=True).start()  # which ends a task that still runs
        return f"Spark {version} answers, and ran a task on {self._executor.host}"

    def _ask(self, sessions: SparkSessions) -> Executor:
        try:
            sessions.warm_up(1)  # starts Python there, which would blur the comparison of clocks
            began = time.time()
            token = PaceTokens(secret_keys=secret_keys(self.settings)).issue(RunId("doctor"), 0)
            found = ask_executor(sessions, url=self.settings.pace_url, token=token, seconds=SPARK_SECONDS)
        except SparkFailed as error:
            raise CheckFailed(f"a task did not run: {error}", _PYTHON_REMEDY) from None
        self._note("executor", found.seconds, began)
        return found

    async def _packages(self) -> str:
        found = self._found_executor()
        ours, theirs = (_minor(each) for each in (platform.python_version(), found.python))
        if ours != theirs:
            raise CheckFailed(f"{found.host} has Python {theirs}, this process {ours}", _PYTHON_REMEDY)
        missing = [name for name in ("pyarrow", "numpy") if name not in found.packages]
        if self.settings.is_production and not {"obstore", "hdfs-native"} & set(found.packages):
            missing.append("obstore (object stores) or hdfs-native (HDFS)")
        if missing:
            raise CheckFailed(
                f"{found.host} lacks {', '.join(missing)}", "install them for the Python of the executors"
            )
        listed = ", ".join(f"{name} {version}" for name, version in found.packages.items())
        return f"{found.host} has Python {found.python}, {listed}"

    async def _pace(self) -> str:
        url = self.settings.pace_url
        if url is None:
            return "PACKHOUSE_PACE_URL is not set: each task keeps its first share of the limits and its credentials"
        found = self._found_executor()
        status, text = found.answer or (None, "")
        if status is None:
            raise CheckFailed(f"{found.host} does not reach {url}: {text}", _REMEDIES["pace"])
        if status == _FORGED and _code(text) == "unauthenticated":
            raise CheckFailed(
                f"{url} refuses this installation's token", "set the same PACKHOUSE_SECRET_KEY on every process"
            )
        if status != _REACHED or _code(text) != "invalid_input":
            what = "the public listener of an api, or another path" if status == _ABSENT else "another server"
            raise CheckFailed(f"{url} is not a listener for tasks but {what}: it answers {status}", _REMEDIES["pace"])
        return f"{found.host} reaches the listener for tasks, which has the same secret key"

    async def _apart(self) -> str:
        apart = [
            f"that of {name} is {abs(least + most) / 2:.0f} s {'ahead' if least > 0 else 'behind'}"
            for name, (least, most) in self._clocks.items()
            if least > APART_SECONDS or most < -APART_SECONDS
        ]
        if apart:
            raise CheckFailed(f"compared with this clock, {' and '.join(apart)}", _REMEDIES["clocks"])
        if not self._clocks:
            raise CheckFailed("no server told its time", "make the checks above pass first")
        return f"within {APART_SECONDS:g} s of this one: {', '.join(self._clocks)}"

    def _found_executor(self) -> Executor:
        if self._executor is None:
            raise CheckFailed("not checked, as no task ran", "make the check `spark` pass first")
        return self._executor

    def _note(self, name: str, theirs: float, began: float) -> None:
        """Note a clock that was read at an unknown instant since `began`, by this process's clock."""
        self._clocks[name] = (theirs - time.time(), theirs - began)


def _as_failure(error: PackhouseError) -> CheckFailed:
    """Return a failure for an error whose message ends with its remedy."""
    found, _, remedy = error.message.rpartition(": ")
    return CheckFailed(found, remedy)


def _given(name: str, url: str | None) -> str:
    if url is None:
        raise CheckFailed(f"{name} is not set", "set it: processes of their own share this server")
    return url


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _code(problem: str) -> Any:
    """Return the code of a problem document, None of any other text."""
    try:
        return json.loads(problem)["code"]
    except (ValueError, KeyError, TypeError):
        return None


async def _in_thread(work: Callable[[], T]) -> T:
    """Return what a blocking call returns; cancelled, leave it to a thread that does not outlive the process."""
    loop, future = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not future.done():
            future.set_result(result) if error is None else future.set_exception(error)

    def run() -> None:
        try:
            settled: tuple[T | None, BaseException | None] = (work(), None)
        except BaseException as error:  # noqa: BLE001 - it is raised in the loop
            settled = (None, error)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, *settled)

    threading.Thread(target=run, daemon=True).start()
    found: T = await future
    return found


_PYTHON_REMEDY: Final = (
    f"executors need Python {_minor(platform.python_version())}, pyarrow and numpy: set spark.pyspark.python or their "
    "image, or use a Packhouse of their Python"
)
_REMEDIES: Final[Mapping[str, str]] = {
    "settings": "docs/reference/settings.md has every setting",
    "data folder": "set PACKHOUSE_DATA_DIR to a folder that this user can write",
    "database": "check host, port, user and password of PACKHOUSE_DATABASE_URL, and rules of the network",
    "redis": "check host, port and password of PACKHOUSE_REDIS_URL, and rules of the network",
    "spark": "check host, port and token of PACKHOUSE_SPARK_URL, and that executors can start",
    "pace": "set PACKHOUSE_TASKS_PORT and PACKHOUSE_TASKS_HOST on an api, and PACKHOUSE_PACE_URL to `/internal/pace` "
    "there, at an address that executors reach",
    "clocks": "run NTP on every machine",
}
