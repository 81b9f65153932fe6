"""One random table that Packhouse and Iceberg's procedures work on, from the same bytes.

The folder of the table is copied before one of them works in place, and put back for the other.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from pyiceberg.table import Table

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.iceberg.catalog.paths import normalised
from tests.differential.stories import NAMESPACE, Story
from tests.support.acknowledging import acknowledged
from tests.upkeep.histories import local
from tests.upkeep.readings import Seen

if TYPE_CHECKING:
    from tests.upkeep.arena import Arena

_REFUSED = ("not_eligible", "nothing_to_do")


class Match:
    """The table of a story, as all operations of upkeep need it."""

    def __init__(self, arena: "Arena", story: Story, random: Random) -> None:
        self.arena, self.story, self.random = arena, story, random
        self.name, self.spark, self.counts = story.pens.name, arena.spark, arena.counts
        self._table_id: TableId

    @property
    def table(self) -> Table:
        """The table as its catalog has it now."""
        return self.story.table

    @property
    def folder(self) -> Path:
        """The folder of the table."""
        return local(self.table.location())

    async def register(self, policy: Mapping[str, Any]) -> None:
        """Register the table, under a policy of its own."""
        self._table_id = (await self.arena.world.register(self.story.name, policy=dict(policy))).id

    async def take(self, table_id: TableId, policy: Mapping[str, Any]) -> None:
        """Take the table as it is registered, and replace its first policy."""
        self._table_id = table_id
        await self.arena.world.set_policy(dict(policy), table_id, replaces=1)

    async def run(self, request: RunRequest) -> Run:
        """Run an operation to its end; it succeeds, or is refused for a known reason."""
        world = self.arena.world
        await world.share(self._table_id)
        run, _ = await acknowledged(world.container.runs.submit, SYSTEM, self._table_id, request)
        run = await world.finish(run.id)
        self.story.told.append(f"{request.operation.value}: {run.state.value} {run.reason}, {run.detail}")
        self.counts[f"{request.operation.value} {run.state.value}"] += 1
        if request.operation is not Operation.REWRITE:
            is_known = run.state in (RunState.SUCCEEDED, RunState.SKIPPED) or run.reason in _REFUSED
            assert is_known, f"{run.state} {run.reason}: {run.detail}"
        return run

    async def deleted_files(self, run: Run) -> set[str]:
        """Return the files that a run lists as deleted."""
        listed = await self.arena.world.container.upkeep.deleted_files(SYSTEM, run.id)
        return {normalised(path) for batch in listed for path in batch["path"].to_pylist()}

    def look(self) -> Seen:
        """Read the table by every reader."""
        return Seen.of(self.spark, self.name, self.table, self.random)

    def compare(self, seen: Seen, *, asks: bool = True) -> None:
        """Compare the table with what was read of it; `asks`: also answers to predicates at boundary values."""
        seen.compare(self.spark, self.name, self.table, self.counts, asks=asks)

    def copy_aside(self, label: str) -> Path:
        """Copy the folder of the table; return the copy."""
        copy = self.folder.with_name(f"{self.folder.name}-{label}")
        shutil.copytree(self.folder, copy)
        return copy

    def put_back(self, copy: Path) -> None:
        """Put a copy in place of the folder of the table."""
        folder = self.folder
        shutil.rmtree(folder)
        shutil.move(copy, folder)

    def register_copy(self, table: Table, label: str) -> Table:
        """Register a version of the table under another name, for Iceberg's procedures."""
        return self.arena.catalog.register_table((NAMESPACE, f"{self.story.name}_{label}"), table.metadata_location)

    def call(self, procedure: str, copy: Table, arguments: str = "") -> None:
        """Call one of Iceberg's procedures on a copy, and refresh it."""
        table = f"table => 'lake.{NAMESPACE}.{copy.name()[1]}'"
        self.spark.sql(f"CALL lake.system.{procedure}({', '.join(filter(None, (table, arguments)))})").collect()
        copy.refresh()
