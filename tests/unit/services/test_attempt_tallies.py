"""Which attempts show how long a rewrite takes."""

from engine.domain.ids import TableId
from engine.domain.runs.times import RunKind, RunSize
from engine.services.operations.rewrite.tallies import AttemptTally

TABLE = TableId("tbl_1")


def a_tally(**given: float) -> AttemptTally:
    tally = AttemptTally(RunKind.SORT, lanes=4).with_group(10, 1000).with_group(5, 500)
    return tally.with_wait(given.get("waited", 0.0))


def test_groups_of_an_attempt_are_added_up_and_what_it_waited_for_without_writing_is_shown() -> None:
    time = a_tally().time(TABLE, "m", 3.0)
    assert (time.kind, time.size, time.seconds) == (RunKind.SORT, RunSize(2, 15, 1500, lanes=2), 3.0)
    assert AttemptTally().time(TABLE, "m", 3.0) is None
    assert a_tally(waited=0.5).time(TABLE, "m", 3.0) is None
    assert a_tally(waited=0.2).time(TABLE, "m", 3.0) is not None
