"""Batch many small requests of one kind: those that arrive while a batch is under way form the next one.

A single request on an idle service is its own batch and does not wait; under load the cost of a batch is shared by its
requests. No request is delayed on purpose.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Outcome: TypeAlias = Result | Exception


class Batcher(Generic[Item, Result]):
    """Passes items to `do` in order of arrival, at most `largest` at once and one batch at a time.

    `do` returns one outcome for each item: its result, or the error to raise where it was submitted. If `do` itself
    raises, every submitter in the batch gets that error.
    """

    def __init__(self, do: Callable[[Sequence[Item]], Awaitable[Sequence[Outcome[Result]]]], *, largest: int) -> None:
        self._do = do
        self._largest = largest
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._working: asyncio.Task[None] | None = None

    async def submit(self, item: Item) -> Result:
        """Return the item's result. An item whose submitter is cancelled may still be executed."""
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._working is None:
            self._working = asyncio.create_task(self._work(), name="batches")
        return await result

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[: self._largest], self._waiting[self._largest :]
                await self._one(batch)
        finally:
            self._working = None

    async def _one(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            outcomes = await self._do([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is raised where the items were submitted
            outcomes = [error] * len(batch)
        for (_, result), outcome in zip(batch, outcomes, strict=True):
            if result.done():  # its submitter was cancelled
                continue
            if isinstance(outcome, Exception):
                result.set_exception(outcome)
            else:
                result.set_result(outcome)
