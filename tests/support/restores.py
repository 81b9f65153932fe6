"""A table and its record, which is backed up and restored by the steps of docs/how-to/backup.md."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Generic

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.factory.container import open_container
from engine.factory.dependencies import ServedFormats
from engine.settings.model import Settings
from tests.support.backups import Backup, commands
from tests.support.local_dispatch import LocalDispatcher
from tests.support.postgres_server import PostgresServer
from tests.support.server_command import server_command
from tests.support.settings import settings_of
from tests.support.world import OneLake, World, register_lake


@dataclass
class Drill(Generic[OneLake]):
    """A table and a record that is backed up; each `open` is a new set of processes."""

    lake: OneLake
    settings: Settings
    backup: Backup
    database_url: str
    formats: ServedFormats | None = None
    table_id: TableId | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[World[OneLake]]:
        """Start the parts; the first time the table is registered."""
        dispatcher, worlds = LocalDispatcher(), list[World[OneLake]]()
        step = lambda name: worlds[0].on_step(name) if worlds else None  # noqa: E731
        async with open_container(self.settings, step=step, dispatcher=dispatcher, formats=self.formats) as container:
            self.table_id = self.table_id or (await register_lake(container, self.lake)).id
            worlds.append(World(container, self.lake, self.table_id, dispatcher, self.database_url))
            yield worlds[0]

    async def command(self, *words: str) -> CompletedProcess[str]:
        """Run `packhouse-server` with the settings of the deployment."""
        state = {"database_url": self.database_url, "data_dir": self.settings.data_dir}
        return await asyncio.to_thread(server_command, *words, **state)

    @asynccontextmanager
    async def restored(self, *, is_resumed: bool = True) -> AsyncIterator[World[OneLake]]:
        """Restore the backup and start again, with the fleet resumed."""
        self.backup.restore()
        program, *words = commands()[-1].split()
        assert program == "packhouse-server"
        done = await self.command(*words)
        assert (done.returncode, "the fleet is paused" in done.stdout) == (0, True), done.stderr
        async with self.open() as world:
            if is_resumed:
                await world.container.pauses.resume_fleet(SYSTEM)
            yield world


def make_drill(
    lake: OneLake,
    folder: Path,
    database_url: str,
    redis_url: str,
    *,
    server: PostgresServer | None = None,
    formats: ServedFormats | None = None,
) -> Drill[OneLake]:
    """Return a drill on a migrated database; `server` has it, None: it is a file of SQLite."""
    settings = settings_of(
        folder / "state", database_url=database_url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    return Drill(lake, settings, Backup(database_url, folder, server), database_url, formats)
