"""Files that are deleted together, and what became of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.rewriting.kernel.storage.stores.files import Files

SINGLE_AT_ONCE: Final = 50
"""Files that a thread deletes one after the other."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to delete: its path as listed and within its store, its size, and its time if it is known."""

    uri: str
    path: str
    size: int | None
    time_us: int | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Files of one kind in one store. `was_sent`: an earlier request may have deleted some of them."""

    store: Files
    kind: str
    files: list[File]
    is_bulk: bool
    was_sent: bool = False

    @property
    def requests(self) -> int:
        """The least number of requests that deleting the files takes, with those that compare them."""
        if not self.store.is_remote:
            return 0
        return (1 if self.is_bulk else len(self.files)) * (1 + self.is_compared)

    @property
    def is_compared(self) -> bool:
        """Whether the time of the files is known, by which they are compared."""
        return self.files[0].time_us is not None

    def one_by_one(self, *, was_sent: bool = False) -> Iterator["Batch"]:
        """Yield the same files in smaller batches whose files are deleted one by one."""
        for start in range(0, len(self.files), SINGLE_AT_ONCE):
            part = self.files[start : start + SINGLE_AT_ONCE]
            yield Batch(self.store, self.kind, part, is_bulk=False, was_sent=was_sent)


class Fate(Enum):
    """The result for a file of a deletion; one that the store refused has the reason as text instead."""

    DELETED = "deleted"
    GONE = "gone"
    CHANGED = "changed"
    REFUSED_TOGETHER = "refused together with others"


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The result for each file of a batch, and the number of requests beyond those that it was expected to take."""

    fates: list[Fate | str]
    more_requests: int = 0


def fates_of(batch: Batch, answer: BatchAnswer) -> Iterator[tuple[File, Fate | str]]:
    """Yield each file of a batch with what became of it."""
    return zip(batch.files, answer.fates, strict=True)
