"""Who is next: priority, worth, fair shares, and an end to every wait."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import AGEING, Operation, Priority, ReadyRun
from engine.domain.runs.turns import in_turn

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def run(number: int, *, team: str | None = "a", minutes: float = 0, **changes: object) -> ReadyRun:
    at = NOON - timedelta(minutes=minutes)
    given = {"priority": Priority.NORMAL, "catalog": "lake", "owner_team": team} | changes
    return ReadyRun(RunId(f"run_{number:05}"), TableId(f"tbl_{number}"), created_at=at, **given)  # type: ignore[arg-type]


def numbers(ready: list[ReadyRun], held: dict[str, int] | None = None) -> list[int]:
    return [int(each.id[4:]) for each in in_turn(ready, held or {})]


def test_of_equals_the_one_worth_most_goes_first_unless_another_waited_half_an_hour_longer() -> None:
    assert numbers([run(1), run(2, benefit_per_cost=0.5), run(3, benefit_per_cost=8.0)]) == [3, 2, 1]
    assert numbers([run(1, benefit_per_cost=1e9), run(2, minutes=31)]) == [2, 1]


def test_p15_of_key_tables_that_with_most_files_of_level_0_goes_first() -> None:
    ready = [run(1), run(2, level0_file_count=3), run(3, level0_file_count=40), run(4, benefit_per_cost=0.1)]
    assert numbers(ready) == [3, 2, 4, 1]


@pytest.mark.parametrize("others", [{"benefit_per_cost": 1e9}, {"level0_file_count": 10**6}, {}])
def test_p15_a_table_whose_readers_skip_level_0_goes_before_all_others_of_its_priority(others: dict[str, float]):
    hidden = run(2, level0_file_count=1, hides_level0=True)
    assert numbers([run(1, **others), hidden, run(3, priority=Priority.HIGH, minutes=40)]) == [3, 2, 1]


def test_p15_hidden_files_of_level_0_never_outweigh_an_hour_of_waiting_and_without_files_none_are_hidden() -> None:
    assert numbers([run(1), run(2, hides_level0=True)]) == [1, 2]
    assert numbers([run(1, level0_file_count=10**6, hides_level0=True), run(2, minutes=60)]) == [2, 1]


def test_a_team_with_one_run_waits_neither_for_anothers_thousand_nor_for_a_backlog_of_hours() -> None:
    """With one worker: the team that was served a minute ago has nothing at work, and thousands that waited all day."""
    storm = [run(number, team="big", minutes=60) for number in range(1000)]
    assert numbers([*storm, run(5000, team="small")]).index(5000) == 3  # two for the hour that they waited, and a tie
    just_now = NOON - timedelta(minutes=1)
    storm = [run(number, team="big", minutes=720, served_at=just_now) for number in range(1000)]
    assert numbers([*storm, run(5000, team="small", minutes=2)])[0] == 5000
    assert numbers([*storm, run(5000, team="small", minutes=2, served_at=NOON)])[:2] == [0, 5000]


def test_what_a_team_has_at_work_counts_and_tables_without_a_team_share_with_those_of_their_catalog() -> None:
    ready = [run(1, team="a", minutes=1), run(2, team="b")]
    assert numbers(ready) == [1, 2]
    assert numbers(ready, {"team a": 1}) == [2, 1]
    ready = [run(1, team=None, catalog="x"), run(2, team=None, catalog="x"), run(3, team=None, catalog="y")]
    assert numbers(ready) == [1, 3, 2]


def test_urgent_runs_go_before_all_others_and_in_turn_among_themselves() -> None:
    others = [run(number, minutes=600, priority=Priority.HIGH, team=f"t{number}") for number in range(20)]
    urgent = [run(50 + number, priority=Priority.LOW, is_urgent=True) for number in range(3)]
    small = run(60, team="small", priority=Priority.LOW, is_urgent=True)
    assert numbers([*others, *urgent, small])[:4] == [50, 60, 51, 52]


def test_a_rewrite_does_not_wait_for_the_upkeep_of_its_team_and_both_alternate_while_they_wait() -> None:
    expiries = [run(number, minutes=600, operation=Operation.EXPIRE_SNAPSHOTS) for number in range(1000)]
    at_work = {"upkeep of team a": 3}
    assert numbers([*expiries, run(5000, minutes=1)], at_work).index(5000) == 17
    just_now = NOON - timedelta(minutes=2)
    served = [replace(each, served_at=just_now) for each in expiries]
    assert numbers([*served, run(5000, minutes=1)], at_work)[0] == 5000
    both = [run(number, operation=Operation.RECLAIM if number % 2 else Operation.REWRITE) for number in range(8)]
    assert numbers([*both[::2], *both[1::2]]) == [0, 1, 2, 3, 4, 5, 6, 7]


_RUNS = st.builds(
    run,
    st.integers(0, 10**4),
    team=st.sampled_from(["a", "b", None]),
    minutes=st.integers(0, 600),
    priority=st.sampled_from(list(Priority)),
    benefit_per_cost=st.floats(0, 1e6),
    level0_file_count=st.integers(0, 10**6),
    hides_level0=st.booleans(),
)


@given(
    st.lists(_RUNS, unique_by=lambda each: each.id, max_size=30), st.dictionaries(st.just("team a"), st.integers(0, 9))
)
def test_all_get_their_turn_and_priority_holds_within_a_team(ready: list[ReadyRun], held: dict[str, int]) -> None:
    order = list(in_turn(ready, held))
    assert sorted(order, key=lambda each: each.id) == sorted(ready, key=lambda each: each.id)
    for sharer in {each.sharer for each in ready}:
        own = [each for each in order if each.sharer == sharer]
        for earlier, later in pairwise(own):
            assert earlier.created_at - earlier.priority.head_start <= (
                later.created_at - later.priority.head_start + AGEING * (2 if earlier.hides_level0 else 1)
            )


@pytest.mark.parametrize("backlog", [1, 10, 200])
def test_every_wait_has_an_end(backlog: int) -> None:
    """However many newer runs of high priority come, an old one of low priority is first after a bounded time."""
    waited = run(0, team="b", priority=Priority.LOW, minutes=4 * 30 + 1)
    best = {"priority": Priority.HIGH, "benefit_per_cost": 9.0, "level0_file_count": 90, "hides_level0": True}
    newer = [run(number, team="a", **best) for number in range(1, backlog + 1)]
    assert numbers([waited, *newer])[0] == 0
