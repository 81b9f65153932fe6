"""What the plan of an odd table offers, a run does; what it refuses, the run refuses for the same reason.

No Spark is needed. `make test` makes a few tables; `make fuzz-tables TABLES=500 SEED=1` makes many, from a first seed.
A failure prints what was done to its table; `TABLES=1 SEED=<it>` makes it again.
"""

import os
from random import Random
from typing import Any, Final

import pytest

from engine.domain.errors import InvalidInput, Rejected
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.domain.tables.table import Table
from tests.differential.odd_tables import OddTable
from tests.support.mirrored_world import MirroredWorld, kind_of
from tests.support.plan_and_run import planned_and_run

FIRST: Final = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "1"))
TABLES: Final = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "10"))
UPKEEP: Final = (Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.EXPIRE_SNAPSHOTS)

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # PyIceberg's, of tables that it half supports
]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
async def test_a_run_does_what_the_plan_of_an_odd_table_offers(mirrored_world: MirroredWorld, seed: int) -> None:
    world, mirrored_world.kind = mirrored_world, kind_of(seed)
    odd = OddTable(world.lake.catalog, Random(seed), f"odd{seed}")
    try:
        if odd.make() and (table := await _registered(world, odd)) is not None:
            rows = odd.rows()
            for operation in (Operation.REWRITE, *UPKEEP):
                odd.told.append(await planned_and_run(world, table.id, operation, passing=odd.footer_refusals))
                assert rows is None or odd.rows() == rows, f"other rows after {operation}"
    except Exception as error:
        error.add_note("\n".join([f"seed {seed}, in {world.kind}:", *odd.told]))
        raise


async def _registered(world: MirroredWorld, odd: OddTable) -> Table | None:
    """Register the table with a policy; None if it is refused at once, in words that do not blame its metadata."""
    maintenance = {each.value: OPERATIONS[each].example for each in UPKEEP}
    policy: dict[str, Any] = {"rewrite": odd.settings(), "maintenance": maintenance}
    odd.told.append(str(policy))
    try:
        table = await world.register(odd.name)
    except Rejected as error:
        told = f"{error.message} {getattr(error, 'problems', '')}"
        assert "repair" not in told, told
        return None
    try:
        await world.set_policy(policy, table.id)
    except InvalidInput:  # the order is by a column that has none, or that the table lost
        await world.set_policy({"rewrite": {"min_input_files": 2}, "maintenance": maintenance}, table.id)
    return table
