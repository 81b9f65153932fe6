"""What lost races leave behind: partitions that cool down, smaller groups, and figures; on real tables."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from pyiceberg.types import StringType

from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.errors import Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import HotPartitions
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.iceberg.connection import IcebergConnection
from engine.services.operations.rewrite import group_tasks
from engine.services.operations.tasks import waiting_groups
from engine.spark.dispatch import Ticket
from tests.support.attempts import append_files, content, die_at, events_of, explained, raising, replaced_by_another
from tests.support.eventually import eventually
from tests.support.statements import texts_of
from tests.support.watching import Watching, finish_live, runs_of, set_policy
from tests.support.world import World

HOT, COLD, OTHER = (f"2026-11-0{day}" for day in (1, 2, 3))


def place(day: str) -> tuple[int, str]:
    return (0, f'{{"day":"{day}"}}')


async def hot(world: World) -> HotPartitions:
    async with world.container.database.read() as unit:
        return await unit.hot_partitions.at(world.table_id)


async def lose(world: World, day: str = HOT) -> Run:
    """Run a rewrite that loses one partition to another writer."""
    world.at("before_commit", replaced_by_another(world, day))
    run = await world.submit(RunRequest(include_cooling=True), allow_duplicate=True)
    return await world.finish(run.id)


class Tasks:
    """Groups that travel alone, in one lane, with a look before each; `sent` has their payloads."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent = list[str]()
        self.before_each: Callable[[], object] = lambda: None
        self.after_first: Callable[[], object] = lambda: None
        self._send = world.dispatcher.run
        world.dispatcher.run = self._run  # type: ignore[method-assign]
        monkeypatch.setattr(group_tasks, "LOOK_SECONDS", 0)
        monkeypatch.setattr(waiting_groups, "BUNDLE_GROUPS", 1)
        monkeypatch.setattr(EffectivePolicy, "parallel_groups", 1)

    def _run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self.sent.extend(payloads)

        def rewrite(payload: str) -> str:
            self.before_each()
            return function(payload)

        answers = self._send(ticket, rewrite, payloads)
        after, self.after_first = self.after_first, lambda: None
        after()
        return answers


@pytest.fixture
def tasks(world: World, monkeypatch: pytest.MonkeyPatch) -> Tasks:
    return Tasks(world, monkeypatch)


async def test_a_lost_partition_cools_down_and_the_others_are_committed(world: World) -> None:
    """L9: lost races are counted."""
    run = await lose(world)
    assert (run.state, run.result.document["groups_dropped"]) == (RunState.SUCCEEDED, {"source_gone": 1})
    found = await hot(world)
    (one,) = found.by_place.values()
    assert (one.place, one.losses, one.run_id, one.reason) == (place(HOT), 1, run.id, "source_gone")
    assert one.wasted_bytes == run.result.wasted_bytes > 0
    assert run.result.document["races"] == {
        "groups_lost": 1,
        "groups_committed": 2,
        "conflict_rate": 1 / 3,
        "wasted_bytes": one.wasted_bytes,
    }


async def test_later_runs_leave_it_out_but_a_forced_run_takes_it_and_a_win_forgets_the_loss(world: World) -> None:
    await lose(world)
    append_files(world.lake, COLD)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 1)
    days = [path.split("day=")[1][:10] for path in world.lake.paths()]
    assert {day: days.count(day) for day in (HOT, COLD)} == {HOT: 6, COLD: 1}
    rows = content(world)
    forced = await world.finish((await world.submit(RunRequest(include_cooling=True), allow_duplicate=True)).id)
    assert (forced.state, forced.result.rewritten_files) == (RunState.SUCCEEDED, 6)
    assert forced.request == {"include_cooling": True}
    assert (await hot(world)).by_place == {}
    assert content(world) == rows


async def test_each_loss_in_a_row_counts_and_a_dry_run_shows_what_comes_of_it(world: World) -> None:
    for _ in range(3):
        append_files(world.lake, COLD)  # something else that is committed, or the run would try again
        await lose(world)
    one = (await hot(world)).by_place[place(HOT)]
    assert (one.losses, one.cools_until - one.lost_at) == (3, timedelta(minutes=20))
    plan = await world.container.tables.plan(SYSTEM, world.table_id, policy=None)
    left = [each for each in plan["skipped"] if each["reason"] == "cooling_down"]
    assert [(each["partition"], each["until"]) for each in left] == [(place(HOT)[1], one.cools_until)]
    forced = await world.container.tables.plan(
        SYSTEM, world.table_id, policy=None, request=RunRequest(include_cooling=True)
    )
    assert (forced["groups_total"], forced["shrunk_partitions"]) == (1, 0)  # small as it is


async def test_attempts_of_the_run_that_lost_do_not_wait_for_the_cool_down(world: World) -> None:
    world.at("before_commit", replaced_by_another(world, HOT, COLD, OTHER))
    run = await world.rewrite()
    assert (run.state, run.attempt, run.result.groups_committed) == (RunState.SUCCEEDED, 2, 3)
    assert run.result.races.groups_lost == 3  # of the first attempt, whose groups are not stored any more
    assert run.result.document["races"]["conflict_rate"] == 0.5
    assert run.result.wasted_bytes == run.result.races.wasted_bytes > 0
    assert (await hot(world)).by_place == {}


async def test_a_run_that_loses_every_time_fails_and_the_table_does_not_rest_but_its_partitions_do(
    world: World,
) -> None:
    await set_policy(world)
    for _ in range(3):
        world.at("before_commit", replaced_by_another(world, HOT, COLD, OTHER))
    run = await world.rewrite()
    assert (run.state, run.reason, run.attempt) == (RunState.FAILED, "conflict", 3)
    assert {each.losses for each in (await hot(world)).by_place.values()} == {3}
    found = await explained(world)
    assert [hold["code"] for hold in found["next_eligible"]["held_by"]] == ["cooling_down"]
    assert found["now"]["skipped_reasons"] == {"cooling_down": 3}
    assert found["conflicts"]["wasted_bytes"] == run.result.wasted_bytes > 0
    assert found["conflicts"]["conflict_rate"] == 1


def add_column(world: World) -> None:
    with world.lake.table.update_schema() as update:
        update.add_column("extra", StringType())


async def test_a_schema_change_is_a_lost_race_with_its_own_reason(world: World) -> None:
    world.at("before_commit", lambda: add_column(world))
    run = await world.submit()
    await world.container.worker.advance(run.id)
    (dropped,) = [event.details for event in await events_of(world, run.id) if event.kind == "group_dropped"]
    assert set(dropped["reasons"].values()) == {"table_changed"}
    assert "the schema changed" in dropped["detail"]
    world.make_due(run.id)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED


async def test_what_by_itself_begins_leaves_cooling_partitions_alone_until_they_have_cooled(
    world: World, watching: Watching
) -> None:
    await set_policy(world, maintenance={"rewrite_manifests": "off"})
    await lose(world)
    seen = await watching.look()
    until = (await hot(world)).by_place[place(HOT)].cools_until
    assert (seen.verdict, await runs_by_itself(world)) == (Verdict.NOT_DUE, [])
    assert seen.reconsider_at is not None
    assert abs(seen.reconsider_at - until) < timedelta(seconds=5)
    found = await explained(world)
    (hold,) = found["next_eligible"]["held_by"]
    assert (hold["code"], abs(hold["until"] - until) < timedelta(seconds=1)) == ("cooling_down", True)
    assert abs(found["starts_at"] - until) < timedelta(seconds=5)
    assert found["triggers"]["rules"][0]["held_back"] == {"cooling_down": 1}
    append_files(world.lake, COLD)  # another partition gets due: it does not wait
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.requested_by, run.result.groups_committed) == (COORDINATOR.subject, 1)
    assert run.request["cause"]["partition"] == place(COLD)[1]


async def test_a_run_with_only_cooling_partitions_is_skipped_and_a_resume_lets_every_partition_in_again(
    world: World,
) -> None:
    """The run and explain name the partitions, until when they cool down, and how small their groups will be."""
    run = await lose(world)
    found = await explained(world)
    (one,) = found["conflicts"]["hot_partitions"]
    assert (one["partition"], one["losses"], one["is_cooling"], one["run_id"]) == (place(HOT)[1], 1, True, run.id)
    assert one["max_group_bytes"] == 512 * 2**20
    assert (found["conflicts"]["hot_partitions_total"], found["conflicts"]["cooling_partitions_total"]) == (1, 1)
    assert "cools down after lost races" in " ".join(texts_of(found))
    skipped = await world.rewrite()
    until = (await hot(world)).by_place[place(HOT)].cools_until
    assert (skipped.state, skipped.reason) == (RunState.SKIPPED, "cooling_down")
    assert f"{until:%Y-%m-%d %H:%M:%S} UTC" in (skipped.detail or "")
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    assert (await hot(world)).by_place == {}
    assert (await world.rewrite()).result.groups_committed == 1


async def test_groups_that_are_lost_before_they_are_sent_are_never_sent(world: World, tasks: Tasks) -> None:
    lost: list[str] = []

    def rewrite_another() -> None:
        lost.append(next(day for day in (HOT, COLD, OTHER) if f"day={day}" not in tasks.sent[0]))
        replaced_by_another(world, lost[0])()

    tasks.after_first = rewrite_another
    rows = len(world.lake.ids())
    run = await world.rewrite()
    assert (run.state, run.result.document["groups_dropped"]) == (RunState.SUCCEEDED, {"source_gone": 1})
    assert (run.result.races.groups_lost, run.result.wasted_bytes, len(tasks.sent)) == (1, 0, 2)
    assert set((await hot(world)).by_place) == {place(lost[0])}
    assert len(world.lake.ids()) == len(set(world.lake.ids())) == rows - sum(50 + n for n in range(6)) + 300


async def test_a_changed_schema_ends_the_sending_and_the_run_plans_anew(world: World, tasks: Tasks) -> None:
    tasks.after_first = lambda: add_column(world)
    run = await world.rewrite()
    assert (run.state, run.attempt, run.result.groups_committed) == (RunState.SUCCEEDED, 2, 3)
    assert len(tasks.sent) == 1 + 3


async def test_appends_and_our_own_commits_are_no_losses(world: World, tasks: Tasks) -> None:
    tasks.after_first = lambda: world.lake.append(day=OTHER)
    run = await world.rewrite()
    assert (run.result.groups_committed, run.result.races.groups_lost, len(tasks.sent)) == (3, 0, 3)


async def test_groups_of_a_partition_that_lost_are_committed_as_soon_as_they_are_written(
    world: World, tasks: Tasks
) -> None:
    """L12: less time passes between read and commit after a lost race."""
    await lose(world)
    for day, rows in ((HOT, 900), (COLD, 90), (OTHER, 9)):  # the largest is sent first
        append_files(world.lake, day, rows=rows)
    before = len(world.lake.replaces())

    def wait_for_commit() -> None:
        if len(tasks.sent) == 2:
            eventually(lambda: len(world.lake.replaces()) > before)

    tasks.before_each = wait_for_commit
    run = await world.finish((await world.submit(RunRequest(include_cooling=True), allow_duplicate=True)).id)
    assert run.result.groups_committed == 3
    assert [each["packhouse.groups"].count(",") + 1 for each in world.lake.replaces()[before:]] == [1, 2]


async def test_a_worker_that_dies_before_it_notes_a_lost_race_leaves_it_to_its_successor(world: World) -> None:
    run = await world.submit()
    world.at("before_commit", replaced_by_another(world, HOT))
    await die_at(world, run, "after_commit")
    assert (await hot(world)).by_place == {}
    rows = content(world)
    run = await world.finish(run.id)
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3)  # the third: what the writer left
    assert (run.result.races.groups_lost, run.result.document["races"]["conflict_rate"]) == (1, 0.25)
    assert content(world) == rows
    assert (await hot(world)).by_place == {}


async def test_a_catalog_that_does_not_answer_a_look_stops_nothing(
    world: World, tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IcebergConnection, "pointers", raising(Transient("the catalog does not answer")))
    run = await world.rewrite()
    assert (run.state, len(tasks.sent)) == (RunState.SUCCEEDED, 3)


async def runs_by_itself(world: World) -> list[Run]:
    return [run for run in await runs_of(world) if run.is_automatic]
