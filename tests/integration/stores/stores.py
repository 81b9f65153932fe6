"""A database whose stores are called directly: `await stores.runs.get(id)` is a transaction of its own.

Calls that read run in a read-only transaction, so the database refuses one that writes.
"""

import re
from operator import attrgetter
from typing import Any, Final

from engine.stores.database import Database
from tests.support.databases import FreshDatabase

_WRITES: Final = re.compile(
    r"(add|append|begin|claim|delete|end|extend|finish|forget|hold|insert|lead|let|lock|lose|mark|park|prune|record"
    r"|reap|refuse|release|replace|request|resign|sample|settle|spread|switch|touch|transition|update|wake|win)(_|$)"
)
"""The names of calls that write."""


class Stores(Database):
    """Has the attributes of a `UnitOfWork`, too."""

    def __getattr__(self, name: str) -> "_Call":
        if name.startswith("_"):
            raise AttributeError(name)
        return _Call(self, name)


class FreshStores(FreshDatabase):
    """A fresh database whose connections are `Stores`."""

    def connect(self, *, busy_seconds: float = 10) -> Stores:
        database = Stores(self.url, busy_seconds=busy_seconds)
        self._connections.push_async_callback(database.close)
        return database


class _Call:
    def __init__(self, database: Database, path: str) -> None:
        self._database = database
        self._path = path

    def __getattr__(self, name: str) -> "_Call":
        return _Call(self._database, f"{self._path}.{name}")

    async def __call__(self, *given: Any, **named: Any) -> Any:
        is_write = _WRITES.match(self._path.rpartition(".")[2])
        async with self._database.begin() if is_write else self._database.read() as work:
            return await attrgetter(self._path)(work)(*given, **named)
