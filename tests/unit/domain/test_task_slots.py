"""The limit of rewrite tasks over all runs: who gets the next slot."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from engine.domain.fleet.task_slots import SlotHolder, slots_granted

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def holder(held: int, waits: int | None = None) -> SlotHolder:
    """Return a run that has waited since a second after noon, or that does not wait."""
    return SlotHolder(held, None if waits is None else NOON + timedelta(seconds=waits))


@pytest.mark.parametrize(
    ("own", "others", "granted"),
    [
        pytest.param(holder(3, 0), [], 1, id="a lone run gets all slots"),
        pytest.param(holder(4, 0), [], 0, id="and no more than the limit"),
        pytest.param(holder(2, 0), [holder(1)], 1, id="what others do not ask for is free"),
        pytest.param(holder(2, 0), [holder(1, 5)], 0, id="a run with fewer slots goes first"),
        pytest.param(holder(1, 5), [holder(2, 0)], 1, id="however long the other has waited"),
        pytest.param(holder(1, 5), [holder(1, 0), holder(1)], 0, id="of equal runs the one that waited longer"),
        pytest.param(holder(0, 5), [holder(1, 0), holder(0, 1)], 1, id="each that goes first is left one slot"),
        pytest.param(holder(0, 0), [holder(7)], 0, id="tasks beyond a lowered limit have to end first"),
    ],
)
def test_the_next_of_four_slots(own: SlotHolder, others: list[SlotHolder], granted: int) -> None:
    assert slots_granted(4, 1, own, others) == granted


@pytest.mark.parametrize(("others", "granted"), [([], 4), ([holder(1)], 2), ([holder(3)], 1), ([holder(0, 1)] * 4, 0)])
def test_a_call_that_needs_several_slots_at_once_gets_at_most_an_equal_share(
    others: list[SlotHolder], granted: int
) -> None:
    assert slots_granted(4, 4, holder(0, 5), others) == granted


@pytest.mark.parametrize(("limit", "runs"), [(4, 3), (4, 4), (2, 3), (1, 3)])
def test_no_run_starves_and_the_limit_holds_whichever_tasks_end(limit: int, runs: int) -> None:
    """Also while more runs are at work than slots, after the limit was lowered."""
    random, held, since, served = Random(limit), [0] * runs, list(range(runs)), Counter[int]()
    for now in range(runs, 2000):
        asking = random.randrange(runs)
        others = [SlotHolder(held[at], NOON + timedelta(seconds=since[at])) for at in range(runs) if at != asking]
        if slots_granted(limit, 1, SlotHolder(held[asking], NOON + timedelta(seconds=since[asking])), others):
            held[asking], since[asking] = held[asking] + 1, now
            served[asking] += 1
        elif sum(held) == limit:
            ending = random.choice([at for at in range(runs) if held[at]])
            held[ending] -= 1
        assert sum(held) <= limit
    assert min(served.values()) > 0.8 * max(served.values())
