"""The preset `artemis` on a table whose partitions have no time, beside a writer that never pauses."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from engine.domain.tables.watches import Verdict
from tests.integration.presets.conftest import Kept
from tests.support.eventually import seen_when

MISSION = "mission 1"
SEAL = {"after": "2s"}
ROWS = 5
PACE_SECONDS = 0.2


class Writer:
    """Appends one small file after the other, `commits` so far, until it is stopped."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._is_over = asyncio.Event()
        self.commits = 0

    @contextlib.asynccontextmanager
    async def writes(self) -> AsyncIterator[None]:
        """Write all the time, in the background; at the end the last commit is complete."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._write())
            try:
                yield
            finally:
                self._is_over.set()

    async def _write(self) -> None:
        while not self._is_over.is_set():
            await asyncio.to_thread(self._kept.lake.append, day=MISSION, rows=ROWS)
            self.commits += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), PACE_SECONDS)


async def begun(kept: Kept, writer: Writer) -> tuple[bool, int]:
    """Look at the table; return whether the look began a run, and how many commits there were before it."""
    before = writer.commits
    return (await kept.look()).verdict is Verdict.SUBMITTED, before


async def test_l15_a_partition_that_never_ends_is_rewritten_beside_its_writer(kept: Kept) -> None:
    """L15: there is no time to wait for, so one run at a time takes what came until it began, and loses nothing."""
    available = {"available_bandwidth": "400MB"}
    await kept.by(preset="artemis", limits=available, quiet_hours=[], seal=SEAL, schedule={"min_interval": "0s"})
    writer = Writer(kept)
    left: list[tuple[int, int]] = []
    async with writer.writes():
        for _ in range(3):  # the writer pauses for less than a second, and runs begin all the same
            _, before = await seen_when(lambda: begun(kept, writer), lambda seen: seen[0])
            await kept.rewritten()
            left.append((len(kept.files(MISSION)), writer.commits + 1 - before))
    for files, since in left:
        assert files <= 1 + since, "one output, and what was committed since the look"
    assert kept.lake.ids() == list(range(kept.lake.next_id))
