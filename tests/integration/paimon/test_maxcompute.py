"""MaxCompute's services on Paimon tables: clustering by levels, compaction of deltas into the base, reclamation."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from tests.support.paimon.kept import APPEND, KEY, KEY_VECTORS, VECTORS, Kept, Opener, rule_of
from tests.support.paimon.worlds import Kind
from tests.support.removal_runs import RECLAIM
from tests.support.statements import texts_of
from tests.support.watching import finish_live

pytestmark = pytest.mark.usefixtures("core_child")

PRESET = {"preset": "maxcompute-tiered", "schedule": {"min_interval": "0s"}}
SECRET = "a value that was replaced, longer than what statistics keep of it"


def policy(**reclaim: Any) -> dict[str, Any]:
    """Return a policy in which nothing but `maintenance.reclaim` makes a table due."""
    return {
        "preset": "balanced",
        "triggers": [],
        "rewrite": {"full": {"size_amplification_percent": "off"}},
        "schedule": {"min_interval": "0s"},
        "maintenance": {"reclaim": RECLAIM | reclaim, "rewrite_manifests": "off"},
    }


def files_with(kept: Kept, text: str) -> int:
    """Return the number of stored files that have a text."""
    folder = kept.lakes.ours.folder
    return sum(text.encode() in path.read_bytes() for path in folder.rglob("bucket-*/*") if path.is_file())


async def reclaimed(kept: Kept) -> Run:
    run = await kept.world.finish((await kept.world.submit(RunRequest(Operation.RECLAIM))).id)
    assert await asyncio.to_thread(kept.lakes.rows) == await asyncio.to_thread(kept.lakes.twin_rows)
    return run


def told(explained: dict[str, Any]) -> list[str]:
    """Return what explain says about the rule of reclaim: when it is due, or what holds it back."""
    return [line for line in texts_of(explained) if "maintenance.reclaim" in line]


def stored_as_it_is(kind: Kind) -> Kind:
    """Return a kind of table whose files a test can search for a text."""
    return replace(kind, options={**kind.options, "file.compression": "none"})


@pytest.mark.parametrize("kind", [KEY, KEY_VECTORS], ids=["key", "key with vectors"])
async def test_m11_m15_m17_deltas_older_than_the_retention_are_compacted_and_then_what_they_replaced_is_gone(
    opener: Opener, kind: Kind
) -> None:
    async with opener(stored_as_it_is(kind)) as kept:
        await kept.world.set_policy(policy(compact_blocking=False))
        await kept.call("write", rows=[[1, SECRET], [2, "-"], [3, "-"]])
        await kept.requested(force_full=True)
        await kept.call("write", rows=[[1, "new"], [2, "-"]], kinds="+D")
        await kept.time.clock.pass_by(hours=3)
        assert (await reclaimed(kept)).state is RunState.SUCCEEDED
        assert len(kept.lakes.ours.call("snapshots")) == 1
        assert files_with(kept, SECRET) == 1, "blocked: the head needs the base, whose row the delta replaces"

        await kept.world.set_policy(policy(), replaces=1)
        said = " ".join(texts_of(await kept.time._explained()))
        assert ("blocking_age 3h (wanted: at least 2h)" in said) is (kind is KEY), said
        assert "'maintenance.reclaim'" in said
        run = await kept.begun()
        assert rule_of(run) == ("maintenance.reclaim", True)
        assert [level for _, level in kept.files()] == [5]
        await kept.time.clock.pass_by(hours=3)
        assert (await reclaimed(kept)).state is RunState.SUCCEEDED
        assert files_with(kept, SECRET) == 0
        await kept.is_left_alone()


async def test_m15_m17_deleted_rows_of_an_append_table_go_with_their_vectors(opener: Opener) -> None:
    async with opener(stored_as_it_is(VECTORS)) as kept:
        await kept.world.set_policy(policy())
        await kept.call("write", rows=[[1, SECRET], *([at, "-"] for at in range(2, 9))])
        await kept.call("delete", every=8)
        assert kept.vectors() == 1
        assert (await kept.look()).verdict is Verdict.NOT_DUE
        await kept.time.clock.pass_by(hours=3)
        assert rule_of(await kept.begun()) == ("maintenance.reclaim", False)
        assert kept.vectors() == 0
        await kept.time.clock.pass_by(hours=3)
        assert (await reclaimed(kept)).state is RunState.SUCCEEDED
        assert files_with(kept, SECRET) == 0


@pytest.mark.parametrize("kind", [KEY, APPEND], ids=["key", "append"])
async def test_m15_an_overwrite_frees_history_without_a_compaction(opener: Opener, kind: Kind) -> None:
    async with opener(stored_as_it_is(kind)) as kept:
        await kept.world.set_policy(policy())
        await kept.call("write", rows=[[1, SECRET], [2, "-"]])
        await kept.call("write", rows=[[1, "new"]])
        await kept.call("write", rows=[[2, "-"]], overwrite={})
        assert files_with(kept, SECRET) == 1
        await kept.time.clock.pass_by(hours=3)
        run = await reclaimed(kept)
        assert run.state is RunState.SUCCEEDED
        found = run.result.document["reclaimed"]
        assert found["predicted"] == found["actual"]
        assert files_with(kept, SECRET) == 0


async def test_m12_advice_has_the_share_of_updates_and_what_compactions_store_until_history_is_reclaimed(
    opener: Opener,
) -> None:
    async with opener(KEY) as kept:
        await kept.world.set_policy(policy())
        await kept.has("LLs")
        stored = sum(kept.lakes.ours.open().digest()["file_bytes"].to_pylist())
        run = await kept.requested(force_full=True)
        advice = await kept.world.container.advice.advise(SYSTEM, kept.world.table_id)
        assert (advice.expiry_seconds, advice.expiry_is_assumed) == (7200, False)
        assert advice.upkeep.update_share == 1, "any write to a key table can replace rows"
        assert any("delete or replace rows" in each for each in advice.upkeep.because)
        assert (advice.writes.ingested_bytes, advice.writes.rewritten_bytes) == (stored, run.result.rewritten_bytes)
        assert advice.upkeep.extra_storage_bytes == pytest.approx(advice.upkeep.rewritten_bytes_per_day / 12)


async def test_m1_clustering_compaction_and_reclamation_follow_rules_of_their_own_on_one_table(opener: Opener) -> None:
    """Sorted runs are merged, then deltas into the base, then history goes: each by itself. The past stays the same."""
    async with opener(KEY) as kept:
        await kept.world.set_policy(PRESET | {"rewrite": {"exclude_above_bytes": "off"}})  # the core chooses files
        await kept.has("L")
        await kept.requested(force_full=True)
        await kept.has("ssssss")
        await kept.is_left_alone()
        await kept.has("s")
        before = await history(kept)
        assert rule_of(await kept.begun()) == ("a tier is full", False)
        assert sorted(level for _, level in kept.files()) == [4, 5]
        assert await history(kept) == before

        await kept.has("LL")
        await kept.is_left_alone()  # below five sorted runs
        await kept.has("L")
        before = await history(kept)
        assert rule_of(await kept.begun()) == ("rewrite.full.size_amplification_percent", True)
        assert {level for _, level in kept.files()} == {5}
        assert await history(kept) == before
        await kept.is_left_alone()

        await kept.time.clock.pass_by(days=8)
        assert (await kept.look()).verdict is Verdict.SUBMITTED
        assert (await finish_live(kept.world)).operation is Operation.RECLAIM
        assert len(kept.lakes.ours.call("snapshots")) == 1
        assert kept.lakes.rows() == kept.lakes.twin_rows()


async def history(kept: Kept) -> list[list[Any]]:
    """Return the rows at each snapshot that a writer made, and those that it changed (incremental queries)."""
    made = sorted(each["id"] for each in kept.lakes.ours.call("snapshots") if not each["is_compaction"])
    wanted = [{"scan.snapshot-id": str(each)} for each in made]
    wanted += [{"incremental-between": f"{first},{last}"} for first, last in pairwise(made)]
    call = kept.lakes.ours.call
    return [await asyncio.to_thread(call, "values", options=each) for each in wanted]


async def test_m3_m5_files_of_an_append_table_rise_from_level_to_level_and_the_largest_are_left_alone(
    opener: Opener,
) -> None:
    """In small: four files below 9 kB make one of level 1, two of these one of level 2; above 1 MB they have none."""
    async with opener(stored_as_it_is(APPEND)) as kept:
        tiers = [{"below_bytes": 9_000, "files": 4}, {"below_bytes": 15_000, "files": 2}]
        await kept.world.set_policy(PRESET | {"rewrite": {"tiers": tiers, "exclude_above_bytes": 1_000_000}})
        await kept.has("LLLLLLLLL")
        large, levels = set(kept.names()), []
        for at in range(8):
            rows = [[1000 * at + each, Random(1000 * at + each).randbytes(10).hex()] for each in range(200)]
            await kept.call("write", rows=rows)
            while (await kept.look()).verdict is Verdict.SUBMITTED:
                assert (await finish_live(kept.world)).state is RunState.SUCCEEDED
            sizes = kept.lakes.ours.open().digest()["file_bytes"].to_pylist()
            bounds = ((0, 9_000), (9_000, 15_000), (15_000, 1_000_000))
            levels.append([sum(low <= size < high for size in sizes) for low, high in bounds])
        assert levels == [[1, 0, 0], [2, 0, 0], [3, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [3, 1, 0], [0, 0, 1]]
        assert large < set(kept.names())
        assert kept.lakes.rows() == kept.lakes.twin_rows()
