"""Redis: streams and hints modelled by virtual time, scripts run by a real server.

Idle times of stream entries go by the server's clock, which nobody can turn; so streams are a model with the few
commands that `queue/streams.py` uses (the same contract tests run on both: `test_models.py`). The script of budgets
takes the time as an argument and runs in a real Redis, called in-line.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, Self

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from tests.simulation.loop import VirtualLoop
from tests.simulation.processes import present
from tests.simulation.scripts import ScriptServer


@dataclass
class _Pending:
    consumer: str
    at: float
    times: int = 1


@dataclass
class _Stream:
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    group: str | None = None
    delivered: int = 0
    pending: dict[str, _Pending] = field(default_factory=dict)
    consumers: dict[str, float] = field(default_factory=dict)


@dataclass
class Faults:
    """How likely an entry is lost, sent twice or late, and how many were."""

    lost: float = 0.0
    doubled: float = 0.0
    late: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class RedisServer:
    """One server. `away`: it answers nobody. `server` runs the scripts; its database is the simulation's own."""

    def __init__(self, *, loop: VirtualLoop, random: Random, server: ScriptServer) -> None:
        self.loop = loop
        self.random = random
        self.server = server
        self.away = False
        self.faults = Faults()
        self.streams: dict[str, _Stream] = {}
        self.watches: dict[str, list[PubSub]] = defaultdict(list)
        self._ids = count(1_000_000)
        self._takers: list[asyncio.Future[None]] = []
        server.flush()

    def client(self) -> "Client":
        """Return what a process speaks to it by."""
        return Client(self)

    def flush(self) -> None:
        """Lose everything."""
        self.streams.clear()
        self.server.flush()
        self.wake()

    def wake(self) -> None:
        """Let those look again who wait for entries."""
        takers, self._takers = self._takers, []
        for taker in takers:
            if not taker.done():
                taker.set_result(None)

    def add(self, name: str, fields: Mapping[str, Any]) -> str:
        """Append an entry, unless a fault befalls it."""
        luck = self.random.random()
        faults = self.faults
        if luck < faults.lost:
            faults.counts["lost"] += 1
        elif luck < faults.lost + faults.late:
            faults.counts["late"] += 1
            self.loop.call_later(self.random.uniform(0.1, 20), self._append, name, fields)
        else:
            self._append(name, fields)
            if luck > 1 - faults.doubled:
                faults.counts["doubled"] += 1
                self._append(name, fields)
        return "0-0"

    async def until_added(self, seconds: float) -> None:
        """Wait until something was added, or for so long."""
        taker: asyncio.Future[None] = self.loop.create_future()
        self._takers.append(taker)
        timer = self.loop.call_later(seconds, lambda: taker.done() or taker.set_result(None))
        try:
            await taker
        finally:
            timer.cancel()

    def _append(self, name: str, fields: Mapping[str, Any]) -> None:
        stream = self.streams.setdefault(name, _Stream())
        stream.entries[f"{next(self._ids)}-0"] = {key: str(value) for key, value in fields.items()}
        self.wake()


class Client:
    """The commands of `redis.asyncio.Redis` that Packhouse uses."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    async def xgroup_create(self, name: str, group: str, **_options: Any) -> bool:
        await self._reach()
        stream = self._server.streams.setdefault(name, _Stream())
        if stream.group is not None:
            raise ResponseError("BUSYGROUP Consumer Group name already exists")
        stream.group = group
        return True

    async def xreadgroup(
        self, _group: str, consumer: str, streams: Mapping[str, str], *, block: int | None = None, **_options: Any
    ) -> list[Any]:
        await self._reach()
        (name,) = streams
        until = self._server.loop.time() + (block or 0) / 1000
        while True:
            stream = self._group(name)
            stream.consumers[consumer] = now = self._server.loop.time()
            for entry_id, fields in stream.entries.items():
                if _order(entry_id) > stream.delivered:
                    stream.delivered = _order(entry_id)
                    stream.pending[entry_id] = _Pending(consumer, now)
                    return [[name, [(entry_id, dict(fields))]]]
            if now >= until:
                return []
            await self._server.until_added(until - now)
            await self._reach()

    async def xautoclaim(
        self, name: str, _group: str, consumer: str, idle: int, *, count: int, **_options: Any
    ) -> list[Any]:
        await self._reach()
        stream, now = self._group(name), self._server.loop.time()
        stale = [key for key, each in stream.pending.items() if (now - each.at) * 1000 >= idle]
        found = []
        for entry_id in sorted(stale, key=_order)[:count]:
            if entry_id not in stream.entries:
                del stream.pending[entry_id]
                continue
            stream.pending[entry_id] = _Pending(consumer, now, stream.pending[entry_id].times + 1)
            found.append((entry_id, dict(stream.entries[entry_id])))
        return ["0-0", found, []]

    async def xpending(self, name: str, _group: str) -> dict[str, Any]:
        await self._reach()
        return {"pending": len(self._group(name).pending)}

    async def xadd(self, name: str, fields: Mapping[str, Any]) -> str:
        await self._reach()
        return self._server.add(name, fields)

    async def xdel(self, name: str, entry_id: str) -> int:
        await self._reach()
        return int(self._group(name).entries.pop(entry_id, None) is not None)

    async def xtrim(self, name: str, *, maxlen: int) -> int:
        await self._reach()
        entries = self._group(name).entries
        gone = list(entries)[: max(0, len(entries) - maxlen)]
        return len([entries.pop(each) for each in gone])

    async def xrange(self, name: str) -> list[tuple[str, dict[str, str]]]:
        await self._reach()
        entries = self._server.streams.get(name, _Stream()).entries
        return [(at, {field: str(value) for field, value in fields.items()}) for at, fields in entries.items()]

    async def flushall(self) -> bool:
        self._server.flush()
        return True

    async def xlen(self, name: str) -> int:
        await self._reach()
        return len(self._server.streams[name].entries) if name in self._server.streams else 0

    async def xinfo_consumers(self, name: str, _group: str) -> list[dict[str, Any]]:
        await self._reach()
        stream, now = self._group(name), self._server.loop.time()
        owners = [each.consumer for each in stream.pending.values()]
        return [
            {"name": consumer, "pending": owners.count(consumer), "idle": int((now - at) * 1000)}
            for consumer, at in stream.consumers.items()
        ]

    async def xgroup_delconsumer(self, name: str, _group: str, consumer: str) -> int:
        await self._reach()
        stream = self._group(name)
        gone = [key for key, each in stream.pending.items() if each.consumer == consumer]
        for key in gone:
            del stream.pending[key]
        stream.consumers.pop(consumer, None)
        return len(gone)

    async def publish(self, channel: str, _message: str) -> int:
        await self._reach()
        for pubsub in list(self._server.watches[channel]):
            self._server.loop.call_later(self._server.random.uniform(0.0005, 0.01), pubsub.hear)
        return len(self._server.watches[channel])

    def pubsub(self) -> "PubSub":
        return PubSub(self._server)

    def pipeline(self, **_options: Any) -> "Pipeline":
        return Pipeline(self._server, self._reach)

    def register_script(self, text: str) -> Callable[..., Any]:
        server = self._server.server

        async def run(*, keys: Sequence[str], args: Sequence[Any]) -> Any:
            await self._reach()
            return server.run(text, keys, args)

        return run

    def _group(self, name: str) -> _Stream:
        stream = self._server.streams.get(name)
        if stream is None or stream.group is None:
            raise ResponseError(f"NOGROUP No such key '{name}' or consumer group")
        return stream

    async def _reach(self) -> None:
        present()
        server = self._server
        if server.random.random() < 0.1:
            await asyncio.sleep(server.random.uniform(0.0005, 0.01))
            present()
        if server.away:
            await asyncio.sleep(server.random.choice((0.001, 2.0)))
            raise RedisConnectionError("the server is away")


class Pipeline:
    """Commands sent together."""

    def __init__(self, server: RedisServer, reach: Callable[[], Any]) -> None:
        self._server = server
        self._reach = reach
        self._commands: list[Callable[[], Any]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._commands.clear()

    def xadd(self, name: str, fields: Mapping[str, Any], **_options: Any) -> None:
        self._commands.append(lambda: self._server.add(name, fields))

    def xack(self, name: str, _group: str, entry_id: str) -> None:
        self._commands.append(lambda: self._stream(name).pending.pop(entry_id, None))

    def xdel(self, name: str, entry_id: str) -> None:
        self._commands.append(lambda: self._stream(name).entries.pop(entry_id, None))

    def xpending_range(self, name: str, _group: str, *, min: str, **_options: Any) -> None:  # noqa: A002 - redis-py's
        def ask() -> list[dict[str, Any]]:
            found = self._stream(name).pending.get(min)
            return [] if found is None else [{"message_id": min, "times_delivered": found.times}]

        self._commands.append(ask)

    async def execute(self) -> list[Any]:
        await self._reach()
        return [command() for command in self._commands]

    def _stream(self, name: str) -> _Stream:
        return self._server.streams.get(name, _Stream())


class PubSub:
    """One listener to hints."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._channels: list[str] = []
        self._heard = 0
        self._waiting: asyncio.Future[None] | None = None

    @property
    def subscribed(self) -> bool:
        return bool(self._channels)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        for channel in self._channels:
            self._server.watches[channel].remove(self)

    async def subscribe(self, channel: str) -> None:
        present()
        if self._server.away:
            raise RedisConnectionError("the server is away")
        self._server.watches[channel].append(self)
        self._channels.append(channel)
        self.hear()

    async def get_message(self, *, timeout: float) -> dict[str, Any] | None:  # noqa: ASYNC109 - redis-py's
        present()
        if not self._heard and timeout > 0:
            self._waiting = self._server.loop.create_future()
            timer = self._server.loop.call_later(timeout, self._end)
            try:
                await self._waiting
            finally:
                timer.cancel()
            present()
        if not self._heard:
            return None
        self._heard -= 1
        return {"type": "message"}

    def hear(self) -> None:
        self._heard += 1
        self._end()

    def _end(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _order(entry_id: str) -> int:
    return int(entry_id.partition("-")[0])
