"""How often tables are looked at: by their own interval and by the budget of their catalog."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.ids import TableId
from engine.domain.tables.watches import (
    LONGEST_SECONDS,
    SHORTEST_SECONDS,
    CatalogPace,
    Watch,
    longer,
    phase_of,
    shorter,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tables", "looks_per_second", "longest"),
    [(1, 500, 40), (10_000, 500, 40), (100_000, 500, 200), (800, 20, 40), (10_000, 20, 500), (10_000, 0.5, 20_000)],
)
def test_tables_that_never_change_take_no_more_than_the_budget_of_their_catalog(
    tables: int, looks_per_second: float, longest: int
) -> None:
    pace = CatalogPace.of(tables, looks_per_second)
    assert pace.longest_seconds == longest
    assert tables / pace.longest_seconds <= looks_per_second


@pytest.mark.parametrize("interval", [SHORTEST_SECONDS, LONGEST_SECONDS, 500])
def test_a_look_is_never_more_than_an_interval_away(interval: int) -> None:
    watches = [Watch(TableId(str(n)), phase_of(TableId(str(n))), NOW, interval) for n in range(1000)]
    waits = sorted((watch.next_look(NOW) - NOW).total_seconds() for watch in watches)
    assert waits[0] > 0
    assert waits[-1] <= interval
    assert waits[500] == pytest.approx(interval / 2, rel=0.1)


def test_the_interval_doubles_and_halves_within_bounds_and_time_that_changes_the_answer_comes_before_it() -> None:
    assert [longer(10, 500), longer(300, 500), longer(500, 500)] == [20, 500, 500]
    assert [shorter(500), shorter(15), shorter(10)] == [250, 10, 10]
    watch = Watch(TableId("a"), 0.5, NOW, 40, reconsider_at=NOW + timedelta(seconds=1))
    assert watch.next_look(NOW) == watch.reconsider_at
