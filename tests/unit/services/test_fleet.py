"""The arithmetic of the fleet's figures."""

from engine.domain.fleet.figures import EndedRunCounts
from engine.domain.runs.run import RunState
from engine.services.fleet.service import backlog, budget_use, races


def test_the_backlog_ends_at_the_rate_at_which_it_shrinks() -> None:
    found = backlog(1000, made=100, removed=600)
    assert found.eta_seconds == 2 * 86_400


def test_a_backlog_that_grows_has_no_end() -> None:
    found = backlog(1000, made=600, removed=600)
    assert found.eta_seconds is None
    assert "600 small files were made" in found.detail


def test_nothing_left_takes_no_time() -> None:
    assert backlog(0, made=5, removed=0).eta_seconds == 0


def test_lost_groups_are_told_as_a_share_of_all_that_raced() -> None:
    found = races(EndedRunCounts({RunState.SUCCEEDED: 3}, 12, 4, 0))
    assert (found.groups_lost, found.conflict_rate) == (4, 0.25)


def test_without_groups_there_is_no_rate() -> None:
    assert races(EndedRunCounts({}, 0, 0, 0)).conflict_rate is None


def test_each_rewritten_byte_is_read_and_written() -> None:
    found = budget_use(86_400 * 50, 400)
    assert (found.moved_bytes_limit, found.used_share) == (86_400 * 400, 0.25)


def test_without_a_limit_no_share_is_used() -> None:
    assert budget_use(5, None).used_share is None
