"""Which attempts show how long a rewrite takes."""

from engine.domain.ids import TableId
from engine.domain.runs.times import RunKind, RunSize
from engine.services.operations.rewrite.tallies import AttemptTally

TABLE = TableId("tbl_1")


def a_tally(**given: float) -> AttemptTally:
    tally = AttemptTally(RunKind.SORT, lanes=4)
    tally.add(10, 1000)
    tally.add(5, 500)
    tally.waited_seconds = given.get("waited", 0.0)
    return tally


def test_groups_of_an_attempt_are_added_up_and_lanes_without_a_group_do_not_count() -> None:
    time = a_tally().time(TABLE, "m", 3.0)
    assert time is not None
    assert (time.kind, time.size, time.seconds) == (RunKind.SORT, RunSize(2, 15, 1500, lanes=2), 3.0)


def test_an_attempt_that_wrote_nothing_shows_nothing() -> None:
    assert AttemptTally().time(TABLE, "m", 3.0) is None


def test_an_attempt_that_waited_for_a_limit_shows_the_limit_only() -> None:
    assert a_tally(waited=0.5).time(TABLE, "m", 3.0) is None
    assert a_tally(waited=0.2).time(TABLE, "m", 3.0) is not None
