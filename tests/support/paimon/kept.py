"""A Paimon table of one partition that a policy keeps, beside a twin, and a coordinator whose time a test lets pass."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict, Watch
from tests.support.moved_clock import MovedClock
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.worlds import KINDS, Kind, TwinLake, served
from tests.support.passing_time import PassingTime
from tests.support.settings import settings_of
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import World, open_on

LARGE: Final = 2_000_000
"""Characters of a text that makes a file of about 1 MB, at least 70 % of the target."""

Files = list[tuple[str, int]]


@dataclass
class Kept:
    """A table of one partition and bucket that a policy keeps; `made`: names of its files by the order of their ids."""

    world: World[TwinLake]
    time: PassingTime
    written: int = 0

    @property
    def lakes(self) -> TwinLake:
        return self.world.lake

    async def by(self, *, full: Mapping[str, Any], **rewrite: Any) -> None:
        """Keep the table by the preset with a target of 1 MiB; `full`: settings of `rewrite.full`."""
        document = {
            "preset": "paimon-universal",
            "rewrite": {"target_file_bytes": "1MiB", "full": full, **rewrite},
            "schedule": {"min_interval": "0s"},
        }
        await self.world.set_policy(document)

    async def has(self, files: str, **given: Any) -> None:
        """Commit a file of a row for each letter: s a small one, L a large one; in key tables each has a new key."""
        for kind in files:
            self.written += 1
            text = Random(self.written).randbytes(LARGE // 2).hex() if kind == "L" else "-"
            await self.call("write", rows=[[self.written, text]], **given)

    async def call(self, name: str, **given: Any) -> None:
        await asyncio.to_thread(self.lakes.both, name, **given)

    def files(self) -> Files:
        """Return name and level of the files in the order of arrival."""
        table = self.lakes.ours.open()
        columns = table.digest().select(["sequence_number", "path", "level"]).sort_by("sequence_number").to_pylist()
        return [(each["path"].rpartition("/")[2], each["level"]) for each in columns]

    def names(self) -> list[str]:
        return [name for name, _ in self.files()]

    def vectors(self) -> int:
        return sum(self.lakes.ours.open().digest()["delete_files"].to_pylist())

    async def look(self) -> Watch:
        return await self.time.watching.look(wake=True)

    async def begun(self) -> Run:
        """Look, and let the run that begins end; the rows stay."""
        assert (await self.look()).verdict is Verdict.SUBMITTED
        return await self._succeeded(await finish_live(self.world))

    async def requested(self, **given: Any) -> Run:
        run = await self.world.submit(RunRequest(**given))
        return await self._succeeded(await self.world.finish(run.id))

    async def _succeeded(self, run: Run) -> Run:
        assert run.state is RunState.SUCCEEDED, (run.reason, run.detail)
        assert await asyncio.to_thread(self.lakes.ours.call, "values") == await asyncio.to_thread(self.lakes.twin_rows)
        return run

    async def is_left_alone(self) -> None:
        before = len(await runs_of(self.world))
        assert (await self.look()).verdict is Verdict.NOT_DUE
        assert len(await runs_of(self.world)) == before


Opener = Callable[[Kind], AbstractAsyncContextManager[Kept]]
APPEND: Final = Kind((), {"bucket": "-1"})
BUCKET: Final = Kind((), {"bucket": "1", "bucket-key": "id", "write-only": "true"})
ORC: Final = Kind((), {**BUCKET.options, "file.format": "orc"})
VECTORS: Final = Kind((), {"bucket": "-1", "deletion-vectors.enabled": "true"})
KEY: Final = Kind(("id",), {"bucket": "1", "write-only": "true"})
KEY_VECTORS: Final = Kind(("id",), {**KINDS["vectors"].options}, reading=KINDS["vectors"].reading)


@pytest.fixture
def opener(paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opener:
    @asynccontextmanager
    async def opened(kind: Kind) -> AsyncIterator[Kept]:
        lakes = TwinLake(kind, PaimonLake(paimon_core, tmp_path / "ours"), PaimonLake(paimon_core, tmp_path / "twin"))
        columns: Sequence[tuple[str, str]] = [("id", "BIGINT NOT NULL" if kind.keys else "BIGINT"), ("text", "STRING")]
        given = {"columns": columns, "partition_keys": [], "primary_keys": list(kind.keys)}
        await asyncio.to_thread(lakes.both, "create", options=dict(kind.options), **given)
        settings = settings_of(
            tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False
        )
        async with open_on(lakes, settings, formats=served) as world:
            watching = Watching(world)
            yield Kept(world, PassingTime(watching, await MovedClock.of(world.container.database)))
            await watching.service.close()

    return opened


def rule_of(run: Run) -> tuple[str, bool]:
    return run.request["cause"]["rule"], bool(run.request.get("force_full"))
