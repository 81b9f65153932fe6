"""The matrix of actions of other writers at steps of a rewrite, and random sequences of them, on Paimon tables.

Each action is done to a twin of the table too, which Packhouse never touches: both have the same rows at the end.
`make fuzz-paimon-writers RUNS=500 SEED=1` plays every action at every step on every kind of table, and many sequences.
"""

import os
from collections.abc import AsyncIterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest

from engine.domain.runs.run import Run, RunState
from tests.interleaving.checks import check_rewrite_while, check_rewrite_while_many
from tests.interleaving.paimon_writers import actions_on, compact_too
from tests.interleaving.test_matrix import STEPS
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.worlds import KINDS, TwinLake, open_twins
from tests.support.world import World

EVERY_STEP: Final = (*STEPS, "commit_made", "commit_marked", "before_end")
RUNS: Final = int(os.environ.get("PACKHOUSE_FUZZ_RUNS", "0"))
FIRST: Final = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
FEW: Final = [("key", "group_written"), ("append", "commit_marked")]
BY_OTHERS: Final = [
    (kind, step, action)
    for kind in ("foreign key", "foreign append")
    for step in EVERY_STEP
    for action in ("append", "upsert", "overwrite", "append_and_expire")
    if action in actions_on(KINDS[kind])
]
"""Commits of pypaimon at every step."""

MANY: Final = [(kind, step) for kind in KINDS for step in EVERY_STEP]
EXPIRED: Final = [("key", step, "append_and_expire") for step in ("commit_made", "commit_marked", "after_commit")]
ONCE: Final = [
    *zip(cycle(["key"]), cycle(EVERY_STEP), actions_on(KINDS["key"])),
    *zip(
        cycle(["append"]), cycle(EVERY_STEP), ("compact_too", "overwrite", "recreate", "roll_back_and_write", "append")
    ),
    ("key", "after_commit", "append_and_expire"),
    ("foreign key", "group_written", "upsert"),
    ("foreign key", "commit_made", "append_and_expire"),
    ("foreign append", "commit_marked", "append"),
]
"""Every action on a key table, at the steps in turn, and some on others: what is played without a deep run."""

CELLS: Final = [
    *((kind, step, action) for kind, step in (MANY if RUNS else FEW) for action in actions_on(KINDS[kind])),
    *([] if RUNS else [*EXPIRED, *BY_OTHERS]),
]
SEQUENCES: Final = [(list(KINDS)[seed % len(KINDS)], seed) for seed in range(FIRST, FIRST + (RUNS or 5))]


def with_deep(once: Sequence[tuple[Any, ...]], every: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the cases that are always played, and all others as deep ones."""
    return [*once, *(pytest.param(*each, marks=() if RUNS else pytest.mark.deep) for each in every if each not in once)]


HARMLESS: Final = (
    "append",
    "upsert",
    "delete_by_key",
    "add_column",
    "rename_column",
    "expire",
    "tag",
    "commit_nothing",
)


@pytest.fixture
async def world(
    request: pytest.FixtureRequest, paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TwinLake]]:
    """Two partitions of four small files each, or of four sorted runs in each bucket."""
    kind = KINDS[request.param]
    foreign = request.getfixturevalue("pypaimon") if kind.is_foreign else None
    urls = {"database_url": sqlite_url, "redis_url": redis_url}
    async with open_twins(tmp_path, paimon_core, kind, pypaimon=foreign, **urls) as opened:
        yield opened


pytestmark = pytest.mark.usefixtures("core_child", "redis")


@pytest.mark.parametrize(("world", "step", "action"), with_deep(ONCE, CELLS), indirect=["world"])
async def test_an_action_of_another_writer_at_a_step(world: World[TwinLake], action: str, step: str) -> None:
    """P5: at every step readers find all rows and writers commit."""
    run = await check_rewrite_while(world, step, actions_on(world.lake.kind)[action])
    check_twins(world)
    check_reason(run)
    if action in HARMLESS:
        assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail


@pytest.mark.parametrize(("world", "seed"), with_deep(SEQUENCES[:1], SEQUENCES), indirect=["world"])
async def test_many_actions_during_one_run(world: World[TwinLake], seed: int) -> None:
    run = await check_rewrite_while_many(world, actions_on(world.lake.kind), seed, EVERY_STEP)
    check_twins(world)
    check_reason(run)


def check_twins(world: World[TwinLake]) -> None:
    """Compare the table with its twin, which had the same writers and no rewrite, also after a full compaction."""
    lake = world.lake
    assert lake.rows() == lake.twin_rows(), "rows differ from those of a table without a rewrite"
    if lake.kind.reading:  # what every reader sees is complete after a compaction
        compact_too(world)
        assert lake.ours.call("values") == lake.twin.call("values"), "rows differ after a compaction"


def check_reason(run: Run) -> None:
    """Check that the run ended with a reason that names what another writer did."""
    assert run.reason not in (None, "internal_error"), run.detail
