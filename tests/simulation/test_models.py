"""The models keep the contracts of what they stand for: the same tests run on the model and on the real thing."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.integration.queue import test_run_queue as queue_tests
from tests.simulation.world import Machine, open_ground, open_machine, open_world

QUEUE_TESTS = [
    queue_tests.test_takes_runs_in_the_order_of_enqueueing_and_none_when_nothing_comes,
    queue_tests.test_an_entry_goes_to_one_consumer_only_and_ensure_keeps_a_group_that_exists,
    queue_tests.test_acknowledged_entries_leave_nothing_behind_and_what_redis_has_lost_does_nothing,
    queue_tests.test_idle_entries_of_a_dead_consumer_are_reclaimed_and_counted,
    queue_tests.test_reclaim_takes_no_more_than_its_limit_and_passes_over_entries_deleted_behind_our_back,
    queue_tests.test_dead_letters_keep_run_and_reason_and_leave_the_queue_as_do_entries_without_a_run,
    queue_tests.test_every_reader_of_the_group_survives_a_flush_and_works_on,
    queue_tests.test_consumers_with_nothing_pending_are_forgotten,
]


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened


@pytest.mark.parametrize("test", QUEUE_TESTS, ids=lambda test: test.__name__)
def test_the_model_of_streams_passes_the_tests_of_the_queue(
    machine: Machine, test: Callable[[Any], Coroutine[Any, Any, None]]
):
    with open_world(machine, seed=1) as world:
        world.run(test(world.redis.client()))


def test_processes_beside_each_other_share_no_ledger():
    with open_ground() as ground:
        one, other = Machine(ground, number=0), Machine(ground, number=1)
        ask = "return redis.call('INCR', KEYS[1])"
        assert [one.scripts.run(ask, ["runs"], []), one.scripts.run(ask, ["runs"], [])] == [1, 2]
        other.scripts.flush()
        assert other.scripts.run(ask, ["runs"], []) == 1
        assert one.scripts.run(ask, ["runs"], []) == 3
        one.scripts.close()
        other.scripts.close()
