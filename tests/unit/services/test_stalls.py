"""F41: tasks that move nothing are noticed, and their run ends instead of holding its slot for ever."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from engine.domain.errors import Interrupted, StateConflict
from engine.queue.budgets import LiveProgress
from engine.services.operations.tasks import lanes as sending
from engine.services.operations.tasks.pacing import STALL_SECONDS, StallWatch
from engine.spark.dispatch import Ticket
from tests.support.eventually import until
from tests.support.fake_clock import FakeClock
from tests.unit.services.test_lanes import Spark, a_group, lanes_of


@pytest.mark.parametrize(
    ("reports", "is_stalled"),
    [
        ([LiveProgress(5, 0, 0.0, 1, 0.0)] * 2, True),
        ([LiveProgress(5, 0, 0.0, 1, 0.0), LiveProgress(6, 0, 0.0, 1, 0.0)], False),
        ([LiveProgress(5, 0, 0.0, 1, 0.0), LiveProgress(5, 0, 2.0, 1, 0.0)], False),
        ([LiveProgress(5, 0, 0.0, 0, 0.0)] * 2, False),
    ],
    ids=["nothing moved", "a byte moved", "held back by its budget", "not started"],
)
def test_f41_tasks_that_move_nothing_are_stalled(reports: Sequence[LiveProgress], is_stalled: bool) -> None:
    clock = FakeClock()
    watch = StallWatch(clock)
    assert not watch.is_stalled(reports[0])
    clock.advance(STALL_SECONDS - 1)
    assert not watch.is_stalled(reports[0])
    clock.advance(1)
    assert watch.is_stalled(reports[1]) is is_stalled


class Hanging(Spark):
    """Spark whose tasks hang until they are interrupted."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.stopped = threading.Event()

    def run(self, _ticket: Ticket, _function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self.sent.append([len(payloads)])
        assert self.stopped.wait(30)
        raise Interrupted("the operation was stopped")

    def interrupt(self, tag: str, *, session_id: str) -> None:
        self.stopped.set()

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        return True


async def test_f41_lanes_that_are_given_up_end_with_the_reason_and_send_no_group_again() -> None:
    clock = FakeClock()
    spark = Hanging(clock)
    lanes = lanes_of(spark, clock, [a_group(at, 64) for at in range(4)], 2)
    error = StateConflict("its tasks moved nothing")

    async def take() -> list[Any]:
        return [outcome async for outcome in lanes.outcomes()]

    taking = asyncio.create_task(take())
    await until(lambda: len(spark.sent) == 2)
    await lanes.give_up(error)
    with pytest.raises(StateConflict, match="its tasks moved nothing"):
        await taking
    assert len(spark.sent) == 2


async def test_f41_tasks_that_take_far_longer_than_estimated_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """F41: also those that report nothing, such as Paimon's core, hold the slot of their run for a limited time."""
    monkeypatch.setattr(sending, "LONGEST_SECONDS", 0.2)
    monkeypatch.setattr(sending, "MOST_OF_ESTIMATE", 0.0)
    clock = FakeClock()
    spark = Hanging(clock)
    with pytest.raises(StateConflict, match=r"tasks did not end within .* h and were stopped"):
        async for _ in lanes_of(spark, clock, [a_group(0, 64)]).outcomes():
            pass
    assert (len(spark.sent), spark.stopped.is_set()) == (1, True)
