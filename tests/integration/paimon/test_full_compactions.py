"""Full compactions that a coordinator begins, on append and key tables that Paimon's core wrote, beside a twin."""

import asyncio
from typing import Any

import pytest

from engine.domain.tables.watches import Verdict
from tests.support.paimon.kept import APPEND, BUCKET, KEY, KEY_VECTORS, LARGE, ORC, VECTORS, Kept, Opener, rule_of
from tests.support.paimon.worlds import Kind
from tests.support.statements import texts_of

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.mark.parametrize("kind", [APPEND, BUCKET], ids=["append", "bucket"])
async def test_p8_p10_p11_a_full_rewrite_of_an_append_table_leaves_files_of_the_right_size(
    opener: Opener, kind: Kind
) -> None:
    """Large files before the first small one do not count; of the others, small ones must be more, and three in all."""
    async with opener(kind) as kept:
        await kept.by(full={"interval": "1d"}, min_input_files=100)
        await kept.has("LLss")
        assert (await kept.look()).verdict is Verdict.NOT_DUE  # fewer than three
        evaluation = (await kept.time.facts()).sight.evaluation
        assert evaluation is not None
        assert [dict(rule.held_back) for rule in evaluation.full if rule.name == "rewrite.full.interval"] == [
            {"not_eligible_for_full": 1}
        ]
        await kept.has("s")
        before = kept.names()
        assert rule_of(await kept.begun()) == ("rewrite.full.interval", True)
        after = kept.names()
        assert (after[:2], len(after)) == (before[:2], 3)
        await kept.time.clock.pass_by(days=2)
        await kept.is_left_alone()
        every = await kept.requested(force_full=True, every_file=True)
        assert every.result.rewritten_files == 3
        assert not {*kept.names()} & {*after}


@pytest.mark.parametrize("kind", [BUCKET, ORC], ids=["kernel", "core"])
async def test_p4_p7_p12_p13_p26_windows_of_neighbours_in_a_bucket_begin_by_themselves(
    opener: Opener, kind: Kind
) -> None:
    """Five small neighbours make a window, which large files end; the file that it leaves waits for four more."""
    async with opener(kind) as kept:
        await kept.by(full={"interval": "off"})
        await kept.has("ssssLs")
        assert (await kept.look()).verdict is Verdict.NOT_DUE
        await kept.has("ssss")
        *first, large, _, _, _, _, _ = kept.names()
        assert rule_of(await kept.begun())[1] is False
        *same, after, left = kept.names()
        assert (same, after) == (first, large)
        await kept.is_left_alone()
        await kept.has("sss")
        assert (await kept.look()).verdict is Verdict.NOT_DUE
        await kept.has("s")
        await kept.begun()
        assert len(kept.names()) == 6
        assert left not in kept.names()
        (order,) = await asyncio.to_thread(kept.lakes.ours.call, "in_order")
        assert [row[0] for row in order] == list(range(1, kept.written + 1))


async def test_p9_a_full_rewrite_with_vectors_takes_files_of_any_size_and_number(opener: Opener) -> None:
    async with opener(VECTORS) as kept:
        await kept.by(full={"interval": "1d"}, min_input_files=100, deletes={"files": 100, "ratio": 1.0})
        await kept.has("Ls")
        await kept.call("write", rows=[[100 + at, "-"] for at in range(9)])
        await kept.call("delete", every=8)
        await kept.has("LL")  # without a vector, and of the right size
        assert kept.vectors() == 3
        before = kept.names()
        assert rule_of(await kept.begun()) == ("rewrite.full.interval", True)
        assert not {*kept.names()} & {*before}
        assert kept.vectors() == 0


@pytest.mark.parametrize(
    ("setting", "days"),
    [
        pytest.param({"interval": "1d"}, 1, id="p17"),
        pytest.param({"always_below_bytes": "1GiB"}, 0, id="p18"),
        pytest.param({"when_increment_above_bytes": "1kB"}, 0, id="p19"),
    ],
)
async def test_p11_p17_p18_p19_a_full_compaction_of_a_key_table_begins_by_its_setting_whatever_the_sizes_of_files(
    opener: Opener, setting: dict[str, str], days: int
) -> None:
    """Half of the files are large, and there are two of them only; minor compactions change nothing about it."""
    async with opener(KEY) as kept:
        await kept.by(full=setting, key_tables={"sorted_run_trigger": 3})
        await kept.has("L")
        await kept.call("compact", full=True, options={"write-only": "false"})
        await kept.has("s")
        ((rule, _),) = setting.items()
        assert rule_of(await kept.begun()) == (f"rewrite.full.{rule}", True)
        assert {level for _, level in kept.files()} == {5}
        await kept.is_left_alone()
        assert await read_optimized(kept) == (kept.lakes.rows(), None)
        await kept.has("ss")
        assert await kept.requested()  # of the two new files, to a level that the view does not read
        assert min(level for _, level in kept.files()) in (1, 2, 3, 4)
        view, until = await read_optimized(kept)
        assert (len(view), len(kept.lakes.rows())) == (2, 4)
        assert until is not None
        if days:
            await kept.is_left_alone()
            await kept.time.clock.pass_by(days=days)
            explained = await kept.time._explained()
            assert "Read-optimized views lack rows committed since" in " ".join(texts_of(explained))
        assert rule_of(await kept.begun()) == (f"rewrite.full.{rule}", True)
        assert await read_optimized(kept) == (kept.lakes.rows(), None)
        await kept.is_left_alone()


async def read_optimized(kept: Kept) -> tuple[list[Any], Any]:
    """Return the rows of the table's read-optimized view, and the time until which it has all rows."""
    ours = kept.lakes.ours
    rows = await asyncio.to_thread(ours.core.call, "values", warehouse=ours.warehouse, table=f"{ours.name}$ro")
    health = (await kept.time.facts()).sight.health
    assert health is not None
    return rows, health.read_optimized_until


async def test_p16_p8_increments_of_twice_the_base_begin_a_full_compaction_that_moves_large_files(
    opener: Opener,
) -> None:
    """A large file whose keys no other file has only moves to the last level: the core does not write it again."""
    async with opener(KEY) as kept:
        await kept.by(full={})
        await kept.has("s")
        await kept.call("compact", full=True, options={"write-only": "false"})
        await kept.has("Lss")
        assert (await kept.look()).verdict is Verdict.NOT_DUE  # four sorted runs
        await kept.has("s")
        large = kept.names()[1]
        run = await kept.begun()
        assert rule_of(run) == ("rewrite.full.size_amplification_percent", True)
        assert {level for _, level in kept.files()} == {5}
        assert large in kept.names()
        assert 0 < run.result.rewritten_bytes < LARGE // 10, "without the file that moved"
        assert 0 < run.result.added_bytes < LARGE // 10


async def test_p9_a_full_compaction_applies_vectors_of_the_last_level(opener: Opener) -> None:
    """A deleted row leaves a vector in a bucket of one sorted run, with which nothing is merged."""
    async with opener(KEY_VECTORS) as kept:
        await kept.by(full={"interval": "1d"}, key_tables={"lookup": "eager"})
        await kept.has("ss")
        await kept.requested(force_full=True)
        await kept.call("write", rows=[[1, "-"]], kinds="D")
        await kept.requested()
        assert ([level for _, level in kept.files()], kept.vectors()) == ([5], 1)
        await kept.time.clock.pass_by(days=1)
        assert rule_of(await kept.begun()) == ("rewrite.full.interval", True)
        assert ([level for _, level in kept.files()], kept.vectors()) == ([5], 0)
        await kept.is_left_alone()
