"""Upkeep of random tables: the same snapshots stay as with Iceberg's procedures, no needed file goes, all rows stay.

Every operation that Iceberg has a procedure for is compared with it: delete files, manifests, expiry, orphans. In
`make test` one seed, which has all of them, and in `make test-deep` four; `make fuzz-upkeep TABLES=300 SEED=1` plays
many, from a first seed. A failure prints the story of its table; `TABLES=1 SEED=<it>` plays it again.
"""

import os

import pytest

from tests.support.sittings import MARKS, Sitting, sittings
from tests.upkeep.arena import Arena

FIRST = int(os.environ.get("PACKHOUSE_FUZZ_SEED", "4"))
TABLES = int(os.environ.get("PACKHOUSE_FUZZ_TABLES", "4" if os.environ.get("PACKHOUSE_DEEP") else "1"))
LEAST_SITTING = 20

pytestmark = MARKS


@pytest.mark.parametrize("seeds", sittings(FIRST, TABLES))
async def test_upkeep_of_random_tables_keeps_what_iceberg_keeps(
    sitting: Sitting, capsys: pytest.CaptureFixture[str], seeds: range
) -> None:
    """U11, U12, L21: no needed file is deleted, and every kept snapshot has its rows."""
    arena = Arena(sitting.world, sitting.spark)
    await sitting.judge(arena, seeds, capsys)
    if len(seeds) >= LEAST_SITTING:
        arena.check()
