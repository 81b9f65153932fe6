"""The preset `upsolver` deletes the copies that its rewrites replaced."""

from engine.domain.runs.run import Operation
from engine.domain.tables.watches import Verdict
from tests.integration.presets.conftest import Kept

DAY = "2026-11-01"


async def test_u12_the_copy_that_a_rewrite_replaced_is_deleted_after_its_grace(kept: Kept) -> None:
    await kept.by(preset="upsolver")
    await kept.has(DAY, 2)
    await kept.time.clock.pass_by(days=36)
    assert (await kept.look()).verdict is Verdict.SUBMITTED
    await kept.rewritten()
    before, rows = len(kept.lake.table.snapshots()), kept.rows(DAY)
    assert (await kept.look()).verdict is Verdict.SUBMITTED, "writers' clocks are 36 days behind: the grace is over"
    run = await kept.rewritten()
    assert run.operation is Operation.DELETE_OLD_COMPACTIONS
    assert (len(kept.lake.table.snapshots()), kept.rows(DAY)) == (before - 1, rows)
    await kept.is_left_alone()
