"""The arithmetic of the fleet's figures."""

from datetime import timedelta

from engine.domain.fleet.figures import EndedRunCounts
from engine.domain.runs.run import RunState
from engine.services.fleet.service import DAY, backlog, budget_use, races


def test_the_backlog_ends_at_the_rate_at_which_it_shrinks_or_never_when_it_grows() -> None:
    found = backlog(1000, made=100, removed=600, recorded=DAY)
    assert found.eta_seconds == 2 * 86_400
    found = backlog(1000, made=600, removed=600, recorded=DAY)
    assert found.eta_seconds is None
    assert "600 small files were made" in found.detail
    assert backlog(0, made=5, removed=0, recorded=DAY).eta_seconds == 0
    young = backlog(1000, made=0, removed=600, recorded=timedelta(minutes=5))
    assert (young.eta_seconds, young.detail) == (None, "no estimate yet: 5m of 6h are recorded")


def test_lost_groups_are_a_share_of_all_that_raced_and_used_bytes_one_of_the_limit() -> None:
    found = races(EndedRunCounts({RunState.SUCCEEDED: 3}, 12, 4, 0))
    assert (found.groups_lost, found.conflict_rate) == (4, 0.25)
    assert races(EndedRunCounts({}, 0, 0, 0)).conflict_rate is None
    found = budget_use(86_400 * 50, 400)
    assert (found.moved_bytes_limit, found.used_share) == (86_400 * 400, 0.25)
    assert budget_use(5, None).used_share is None
