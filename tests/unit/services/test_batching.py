"""Requests that come together are done together, and each gets its own outcome."""

import asyncio
from collections.abc import Sequence

import pytest

from engine.services.runs.batching import Batcher, Outcome


class Desk:
    """Does batches when it is told to; remembers them."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = asyncio.Event()

    async def do(self, items: Sequence[int]) -> Sequence[Outcome[int]]:
        self.batches.append(list(items))
        await self.gate.wait()
        return [ValueError(str(item)) if item < 0 else item * 10 for item in items]


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_lone_item_waits_for_nobody_and_a_batch_has_a_largest_size() -> None:
    desk = Desk()
    desk.gate.set()
    batcher = Batcher(desk.do, largest=2)
    assert await batcher.submit(1) == 10
    assert desk.batches == [[1]]
    assert await asyncio.gather(*(batcher.submit(item) for item in range(5))) == [0, 10, 20, 30, 40]
    assert [len(batch) for batch in desk.batches[1:]] == [2, 2, 1]


async def test_one_item_fails_alone() -> None:
    desk = Desk()
    desk.gate.set()
    batcher = Batcher(desk.do, largest=10)
    good, bad = await asyncio.gather(batcher.submit(1), batcher.submit(-1), return_exceptions=True)
    assert (good, type(bad)) == (10, ValueError)


async def test_what_comes_meanwhile_is_one_batch_in_order() -> None:
    desk = Desk()
    batcher = Batcher(desk.do, largest=10)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(batcher.submit(1))]
        await _settled()
        tasks += [group.create_task(batcher.submit(item)) for item in (2, 3, 4)]
        await _settled()
        desk.gate.set()
    assert [task.result() for task in tasks] == [10, 20, 30, 40]
    assert desk.batches == [[1], [2, 3, 4]]


async def test_a_broken_batch_fails_for_all_and_the_next_one_goes_on() -> None:
    calls = 0

    async def do(items: Sequence[int]) -> Sequence[Outcome[int]]:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0)
        if calls == 1:
            raise ConnectionError
        return list(items)

    batcher = Batcher(do, largest=10)
    assert all(
        isinstance(one, ConnectionError)
        for one in await asyncio.gather(batcher.submit(1), batcher.submit(2), return_exceptions=True)
    )
    assert await batcher.submit(3) == 3


async def test_a_cancelled_submitter_harms_nobody_else() -> None:
    desk = Desk()
    batcher = Batcher(desk.do, largest=10)
    first, second = asyncio.create_task(batcher.submit(1)), asyncio.create_task(batcher.submit(2))
    await _settled()
    first.cancel()
    desk.gate.set()
    assert await second == 20
    with pytest.raises(asyncio.CancelledError):
        await first
