"""`verification` of whole runs on a key table: a wrong merge fails its group before the commit."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import GroupState, RunState
from engine.formats.paimon.task import compaction
from engine.formats.paimon.task.checks import ComparedRows, compare_rows
from engine.formats.paimon.task.contract import MergeRules
from engine.formats.paimon.task.tables import Compacted
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.services.runs.row_checks import has_rows_checked
from tests.interleaving.checks import check
from tests.support.paimon.worlds import TwinLake
from tests.support.world import World

DAY = "day=2026-11-02/bucket-0"

pytestmark = pytest.mark.usefixtures("core_child", "redis")


async def verify_by(world: World[TwinLake], mode: str) -> None:
    policy = {"verification": mode, "rewrite": {"key_tables": {"sorted_run_trigger": 3}}}
    document = PolicyDocument.model_validate(policy)
    await world.container.policies.replace(SYSTEM, world.table_id, document, if_match=1, if_none_match=False)


async def test_content_compares_the_rows_of_every_bucket(world: World[TwinLake]) -> None:
    await verify_by(world, "content")
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    checked = run.result.document["checked"]
    assert (checked["mode"], checked["groups"], checked["limits"]) == ("content", 4, {})
    assert checked["bytes"] == run.result.rewritten_bytes + run.result.added_bytes
    check(world, run, world.lake.twin_rows())


async def test_sample_compares_the_rows_of_some_buckets(world: World[TwinLake]) -> None:
    await verify_by(world, "sample")
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    expected = sum(has_rows_checked("sample", run.id, ordinal) for ordinal in range(4))
    assert run.result.document["checked"]["groups"] == expected >= 1


async def test_a_bucket_that_the_core_merged_wrongly_is_never_committed(
    world: World[TwinLake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output of one bucket is replaced by the rows of its first input, as if the oldest of a key were kept."""

    def older(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        if DAY not in compacted.after[0].path:
            return compare_rows(rules, compacted, transfer)
        oldest = min(compacted.before, key=lambda one: Path(one.path).stat().st_mtime_ns)
        Path(compacted.after[0].path).write_bytes(Path(oldest.path).read_bytes())
        written = replace(oldest, path=compacted.after[0].path)
        return compare_rows(rules, replace(compacted, after=(written,)), transfer)

    monkeypatch.setattr(compaction, "compare_rows", older)
    await verify_by(world, "content")
    stored = {each for each in world.lake.stored_files() if DAY in each}
    run = await world.rewrite()
    assert (run.state, run.reason, run.result.groups_committed) == (RunState.FAILED, "groups_failed", 3)
    assert "Paimon's core merged rows wrongly (deduplicate)" in (run.detail or "")
    async with world.container.database.read() as unit:
        groups = await unit.groups.list(run.id)
    assert sorted(each.state for each in groups) == [*[GroupState.COMMITTED] * 3, GroupState.DROPPED]
    assert {each for each in world.lake.stored_files() if DAY in each} == stored
    check(world, run, world.lake.twin_rows())


async def test_what_is_not_compared_is_reported_by_plan_and_run(world: World[TwinLake]) -> None:
    for lake in (world.lake.ours, world.lake.twin):
        lake.call("set_option", name="file.format", value="avro")
    world.lake.write("2026-11-02")
    await verify_by(world, "content")
    plan = await world.container.explain.explain(SYSTEM, world.table_id)
    details = [each["detail"] for each in plan["conditions"] if each["name"] == "native_verification"]
    assert details == [
        "content; its tasks compare rows before the commit; files of format avro are not compared",
    ]
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    checked = run.result.document["checked"]
    assert checked["groups"] == 0
    assert checked["limits"] == {"not compared: files of format .avro, .parquet, only all .parquet or all .orc are": 4}
