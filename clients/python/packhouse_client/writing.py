"""Put one file into every folder of a partition that is, or is about to be, in use, until readers find its rows.

A rewrite of a Hive table gives a partition a new folder. Each round asks the server for the folders without the file;
the server looks at the catalog and the folders themselves, so that a round also proves what the one before has put.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from packhouse_client import models
from packhouse_client.errors import NotWritten
from packhouse_client.resources import Tables
from packhouse_client.senders import AsyncSender, Sender

ROUNDS: Final = 20
"""Most rounds; each needs a rewrite that began or ended since the one before."""


class Write:
    """State of one write: its file, and the addresses that it was put to."""

    def __init__(self, table_id: str, partition: Mapping[str, Any], file_name: str | None) -> None:
        self.table_id = table_id
        self.partition = [f"{key}={_text(value)}" for key, value in partition.items()]
        self.file_name = file_name
        self.done: list[str] = []

    def missing(self, answer: models.WriteLocations) -> Iterator[str]:
        """Yield the address of the file in each folder without it; each is recorded when the next is asked for."""
        self.file_name = answer.file_name
        for each in answer.locations:
            if not each.has_file:
                address = f"{each.location}/{answer.file_name}"
                yield address
                self.done.append(address)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name the file in every error of the block: a call without the name would write its rows a second time."""
        try:
            yield
        except BaseException as error:
            if self.file_name is not None:
                error.add_note(f"the file is {self.file_name}: call again with file_name={self.file_name!r} to go on")
            raise

    def unsettled(self) -> NotWritten:
        """Return the error after the last round."""
        written = self.done[-1] if self.done else "the address that it was given"
        return NotWritten(
            f"{self.file_name}: a folder of {', '.join(self.partition)} is still without it after {ROUNDS} rounds; "
            f"check that `put` has written to {written}"
        )


def write(
    sender: Sender,
    table_id: str,
    partition: Mapping[str, Any],
    put: Callable[[str], object],
    file_name: str | None = None,
) -> list[str]:
    """Put the file until no folder is without it; return its addresses.

    Raises:
        NotWritten: a folder is without it after the last round. ApiError: the server refused. NoAnswer: no answer.
            A note of each error has the name of the file: call again with it to go on.
    """
    state, tables = Write(table_id, partition, file_name), Tables(sender)
    with state.named():
        for _ in range(ROUNDS):
            answer = tables.write_locations(table_id, partition=state.partition, file_name=state.file_name)
            before = len(state.done)
            for address in state.missing(answer):
                put(address)
            if len(state.done) == before:
                return list(dict.fromkeys(state.done))
        raise state.unsettled()


async def write_async(
    sender: AsyncSender,
    table_id: str,
    partition: Mapping[str, Any],
    put: Callable[[str], Awaitable[object]],
    file_name: str | None = None,
) -> list[str]:
    """Put the file until no folder is without it; see `write`."""
    state, tables = Write(table_id, partition, file_name), Tables(sender)
    with state.named():
        for _ in range(ROUNDS):
            answer = await tables.write_locations(table_id, partition=state.partition, file_name=state.file_name)
            before = len(state.done)
            for address in state.missing(answer):
                await put(address)
            if len(state.done) == before:
                return list(dict.fromkeys(state.done))
        raise state.unsettled()


def _text(value: Any) -> str:
    """Return the value of a partition key as the API takes it: empty for null."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
