"""Whole rewrites of a Paimon table by Packhouse in this process, without a record and without Spark."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine.domain.policies import Strategy
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.requests import RunRequest
from engine.domain.tables.table import TableRef
from engine.formats.base import CommitRequest, Engine, Verification, WrittenGroup
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.table import PaimonTable
from engine.formats.paimon.task.contract import CORE, CoreTask
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.operations.rewrite.task_path import rewrite_settings
from engine.services.planning.engines import choose_engine
from engine.services.planning.planner import plan_run
from tests.support.format_subjects import local_core
from tests.support.kernel_groups import written_group
from tests.support.kernel_tasks import received
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.s3_lakes import S3Lake
from tests.support.planning import policy_of

RUN: Final = "run_1"


def opened(lake: PaimonLake | S3Lake) -> PaimonTable:
    """Open the table with access to the core."""
    connection = PaimonFormat(core=local_core()).connect("lake", lake.properties)
    return connection.open_table(TableRef("lake", ("lake",), lake.name))


def planned(
    table: PaimonTable,
    *,
    full: bool,
    engine: Engine = Engine.NATIVE,
    rewrite: Mapping[str, Any] | None = None,
    run_id: str = RUN,
    checks_rows: bool = False,
    asked: str | None = None,
) -> list[tuple[FileGroup, CoreTask | SentKernelTask]]:
    """Plan as a run does under a policy with these rewrite settings, and return the groups with their tasks.

    `asked`: the policy's `rewrite.engine`, by which `engine` has to be chosen; by default it names that.
    """
    wanted = {"strategy": Strategy.BINPACK.value, "engine": asked or engine.value}
    policy = policy_of({"rewrite": {**wanted, **(rewrite or {})}})
    chosen = choose_engine(table, policy)
    assert chosen.is_possible, chosen.conditions
    assert chosen.traits.name is engine, chosen.conditions
    plan = plan_run(chosen, RunRequest(force_full=full), NO_STATISTICS, NONE_HOT)
    write = WriteSettings(target_file_bytes=2**27)
    settings = replace(rewrite_settings(policy, plan, full=full), write=write, checks_rows=checks_rows)
    by = chosen.engine

    def task(group: FileGroup) -> CoreTask | SentKernelTask:
        made = by.task(group, run_id=run_id, attempt=1, settings=settings)
        if made.engine == CORE:
            return replace(CoreTask.from_json(made.body), storage=dict(by.task_storage()))
        return received(made, by.task_storage())

    return [(group, task(group)) for group in plan.groups]


def rewritten(table: PaimonTable, *, full: bool, **given: Any) -> tuple[WrittenGroup, ...]:
    """Plan as a run does, and run every task; more arguments are those of `planned`."""
    tasks = planned(table, full=full, **given)
    return tuple(written_group(group, run_task(task.to_json())) for group, task in tasks)


def committed(
    lake: PaimonLake | S3Lake, planned: PaimonTable, groups: tuple[WrittenGroup, ...], *, run_id: str = RUN
) -> Verification:
    """Commit groups of a planned view, and return the proof."""
    request = CommitRequest(run_id, 1, planned.head_snapshot_id or 0, planned.schema_id, groups)
    outcome = opened(lake).commits.commit(request, before_try=lambda: None)
    assert (len(outcome.committed), dict(outcome.dropped)) == (len(groups), {})
    assert outcome.snapshot_id is not None
    return opened(lake).commits.prove(outcome.snapshot_id, groups)


def compacted_by_packhouse(lake: PaimonLake, *, engine: Engine = Engine.NATIVE, run_id: str = RUN) -> Verification:
    """Plan, rewrite, commit and prove a full rewrite."""
    table = opened(lake)
    groups = rewritten(table, full=True, engine=engine, run_id=run_id)
    proof = committed(lake, table, groups, run_id=run_id)
    assert proof.ok, proof.checks
    return proof
