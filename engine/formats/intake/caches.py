"""A cache of content that was read from immutable files, shared by the tables of a format."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol, TypeVar

from engine.domain.tables.table import TableRef


class CacheableValue(Protocol):
    """A cacheable value: any object with its size in bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""


T = TypeVar("T", bound=CacheableValue)


class Cache(Protocol):
    """Cache of content read from immutable files."""

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return the cached value, or cache and return the result of `read`. A key always has values of one type."""

    def holds(self, key: tuple[str, int]) -> bool:
        """Return whether a value is cached."""


class ManifestCache:
    """LRU cache of content read from immutable files, by path and length.

    Contains the entries of manifests, and the live files of whole snapshots by their manifest list; the default size
    is enough for two million files. Thread-safe and shared by all tables. Values larger than half of the bound are not
    cached, so that one huge table does not evict all others.
    """

    def __init__(self, *, max_bytes: int = 512 * 2**20) -> None:
        self._max_bytes = max_bytes
        self._held: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def of(self, owner: TableRef) -> "OwnedCache":
        """Return the part of the cache that belongs to one table."""
        return OwnedCache(self, repr(owner))  # dotted addresses of two tables can be the same text

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return the cached value; on a miss, call `read` and cache its result. A key always stands for one type."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                kept: T = self._held[key]
                return kept
        value = read()
        with self._lock:
            if key not in self._held and value.nbytes <= self._max_bytes // 2:
                self._held[key] = value
                self._bytes += value.nbytes
            while self._bytes > self._max_bytes and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= dropped.nbytes
        return value

    def holds(self, key: tuple[str, int]) -> bool:
        """Return whether a value is cached."""
        return key in self._held


@dataclass(frozen=True, slots=True)
class OwnedCache:
    """One table's part of a cache. Tables share nothing: one may list another's manifests with its own specs."""

    whole: ManifestCache
    owner: str

    def get(self, key: tuple[str, int], read: Callable[[], T]) -> T:
        """Return the cached value; on a miss, call `read` and cache its result. A key always stands for one type."""
        return self.whole.get(self._whole_key(key), read)

    def holds(self, key: tuple[str, int]) -> bool:
        """Return whether a value is cached."""
        return self.whole.holds(self._whole_key(key))

    def _whole_key(self, key: tuple[str, int]) -> tuple[str, int]:
        return f"{self.owner}\n{key[0]}", key[1]
