"""What has to hold after any interleaving."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pyarrow.compute as pc
import pytest
from _pytest.mark import ParameterSet
from pyiceberg.expressions import GreaterThanOrEqual, LessThan
from pyiceberg.expressions.visitors import bind
from pyiceberg.io.pyarrow import expression_to_pyarrow

from engine.domain.runs.run import Run, RunState
from tests.support.predicates import check_statistics
from tests.support.world import NAME, Lake, OneLake, World


def cells(actions: Iterable[str], steps: Sequence[str], also: Sequence[tuple[str, str]] = ()) -> list[ParameterSet]:
    """Return every action at every step as parameters; deep are all but one of each action, in turn, and `also`."""
    return [
        pytest.param(
            action, step, marks=[] if at % len(steps) == turn or (action, step) in also else [pytest.mark.deep]
        )
        for at, action in enumerate(actions)
        for turn, step in enumerate(steps)
    ]


async def check_rewrite_while(world: World[OneLake], step: str, act: Callable[[World[OneLake]], object]) -> Run:
    """Rewrite while somebody acts once, when the run reaches a step; check the table by its rows after that."""
    rows: list[list[Any]] = []

    def acted() -> None:
        act(world)
        rows.append(world.lake.rows())

    world.at(step, acted)
    run = await world.rewrite()
    assert len(rows) == 1, "the step was not reached"
    check(world, run, rows[0])
    return run


async def check_rewrite_while_many(
    world: World[OneLake], actions: Mapping[str, Callable[[World[OneLake]], None]], seed: int, steps: Sequence[str]
) -> Run:
    """Rewrite while a random sequence of actions is played at random steps; a failure names the sequence."""
    random, rows, told = Random(seed), [world.lake.rows()], list[str]()

    def act(action: str, step: str) -> None:
        told.append(f"{action} at {step}")
        try:
            actions[action](world)
        except Exception as error:  # noqa: BLE001 - a writer whose table went away under it has its own troubles
            told.append(f"which failed: {error!r}")
        rows.append(world.lake.rows())

    for _ in range(random.randint(2, 5)):
        action, step = random.choice(list(actions)), random.choice(steps)
        world.at(step, lambda action=action, step=step: act(action, step))  # type: ignore[misc]
    try:
        run = await world.rewrite()
        check(world, run, rows[-1])
    except BaseException as error:
        error.add_note(f"seed {seed}: {', '.join(told)}")
        raise
    return run


def check(world: World[OneLake], run: Run, rows: list[Any]) -> None:
    """Compare the table, its files and the run's outcome. `rows` are those that the table should have."""
    assert run.is_terminal, run
    assert world.lake.rows() == rows, "rows were lost, doubled or changed"
    alive = world.lake.reached()
    gone = [path for path in alive if not Path(path).exists()]
    assert not gone, f"files of retained snapshots were deleted: {gone}"
    if run.intent.table_uuid not in (None, world.lake.uuid):  # what we wrote belongs to a table that was dropped
        assert not [path for path in alive if run.id in path], "our files came into another table"
        return
    if isinstance(world.lake, Lake):
        check_predicates(world.lake)
    ours = {path for path in world.lake.stored_files() if run.id in path}
    orphans = ours - alive - world.lake.left_by_rollbacks()
    assert not orphans, f"orphans of the run: {sorted(orphans)}"
    check_outcome(world, run)


def check_predicates(lake: Lake) -> None:
    """Compare what readers find and delete by predicates with the rows, which whole scans read whatever bounds say."""
    table = lake.table
    check_statistics(table)
    rows = table.scan().to_arrow()
    edges = pc.min_max(rows["value"]).as_py()
    for value in (each for each in (0.0, *edges.values()) if each is not None):
        for condition in (LessThan("value", value), GreaterThanOrEqual("value", value)):
            matching = rows.filter(expression_to_pyarrow(bind(table.schema(), condition, case_sensitive=True)))
            assert table.scan(row_filter=condition).count() == len(matching), f"rows with {condition} are not found"
    copy = lake.catalog.register_table((NAME[0], f"copy_{uuid4().hex}"), table.metadata_location)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Merge on read is not yet supported")  # it copies on write, which serves here
        copy.delete(condition)
    assert copy.scan().count() == len(rows) - len(matching), f"rows without {condition} are deleted"
    lake.catalog.drop_table(copy.name())


def check_outcome(world: World[OneLake], run: Run) -> None:
    """Compare what the run says with the table's history (I5)."""
    said = [int(each) for each in run.result.snapshot_ids]
    committed = run.result.groups_committed
    found = world.lake.snapshots_of(run.id)
    told = {*said, *(int(each["snapshot_id"]) for each in run.result.verifications)}  # also of failed proofs
    assert found <= told, f"the run does not tell of its snapshots {found - told}"
    assert bool(said) == bool(committed), run.result
    assert run.reason != "invariant_broken", run.detail  # whatever others did, we broke nothing
    if run.state is RunState.SUCCEEDED:
        assert committed, run
    if run.state in (RunState.SKIPPED, RunState.CANCELLED):
        assert not committed, run
