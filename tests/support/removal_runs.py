"""Runs that delete files of a world's table: tables that have something to delete, orphans, and what must stay."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.formats.removal.batches import Batch
from tests.support.attempts import append_files, snapshot_ids
from tests.support.expired_files import needed, stored
from tests.support.moved_clock import MovedClock
from tests.support.orphans import named
from tests.support.watching import DAY
from tests.support.world import World

ADDRESS: Final = "lake.lake.events"
EXPIRY: Final = {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True}
COMPACTIONS: Final = {"grace": "1h", "interval": "1h"}
RECLAIM: Final = {"retention": "2h", "interval": "1h"}
ORPHANS: Final = {"older_than": "1d", "quarantine": "0s", "interval": "1h"}
LONG_AGO: Final = 1_600_000_000


def root_of(world: World) -> Path:
    """Return the folder of the table."""
    return Path("/" + world.lake.table.location().removeprefix("file:").lstrip("/"))


def write_orphan(world: World, name: str) -> Path:
    """Write an old data file that nothing refers to; `name` is a folder and a number."""
    folder, _, number = name.rpartition("/")
    path = root_of(world) / (named(folder, int(number)) if number.isdigit() else name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"orphan")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def grow_old(world: World) -> list[Path]:
    """Make all files of the table old, and return them."""
    files = [path for path in root_of(world).rglob("*") if path.is_file() and "packhouse-deletions" not in str(path)]
    for path in files:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return files


def gone(world: World, was: set[str]) -> set[str]:
    """Return the files that are deleted, but for metadata files: their deletion is a setting of the table."""
    return {path for path in was - stored(world.lake.table) if not path.endswith(".metadata.json")}


def leftovers(world: World) -> set[str]:
    """Return the files that no snapshot needs, but for metadata files."""
    table = world.lake.table
    return {path for path in stored(table) - needed(table) if not path.endswith(".metadata.json")}


def nothing_needed_is_missing(world: World) -> bool:
    """Return whether every file that a retained snapshot needs is stored."""
    table = world.lake.table
    return needed(table) <= stored(table)


def count_requests(monkeypatch: Any) -> None:
    """Let each file count as one request: a store on this machine takes none."""
    monkeypatch.setattr(Batch, "requests", property(lambda batch: len(batch.files)))


async def rewrite_and_untag(world: World) -> None:
    """Rewrite the table; only old snapshots need the files that it had before."""
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    table = world.lake.table
    for name in [each for each in table.refs() if each != "main"]:  # the protected parent
        table.manage_snapshots().remove_tag(name).commit()


async def two_rewrites(world: World) -> list[int]:
    """Rewrite, append and rewrite again: returns the ids of the snapshots before each rewrite."""
    parents = snapshot_ids(world)[-1:]
    await world.rewrite()
    append_files(world.lake, DAY)
    parents += snapshot_ids(world)[-1:]
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    return parents


async def confirmed_purge(world: World) -> RunRequest:
    """Return a request that confirms the purge which a dry run shows now."""
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.PURGE)
    return RunRequest(Operation.PURGE, plan_hash=plan["details"]["plan_hash"], confirm=ADDRESS)


async def look_for_orphans(world: World, **setting: Any) -> Any:
    """Set the policy for removal of orphans, and return its first run, which deletes nothing."""
    await world.set_policy({"maintenance": {"remove_orphans": ORPHANS | setting}})
    return await world.finish((await world.submit(RunRequest(Operation.REMOVE_ORPHANS))).id)


async def write_inventory(world: World) -> str:
    """Write an inventory of the table's files, now old, which its catalog allows; return where it is."""
    files, folder = grow_old(world), root_of(world).parent.parent
    location = folder / "inventories" / "all.csv"
    location.parent.mkdir()
    lines = [f"{path},{path.stat().st_size},2020-09-13T12:26:40Z\n" for path in files]
    location.write_text("path,size,modified\n" + "".join(lines))
    catalog = await world.container.catalogs.get(SYSTEM, "lake")
    await world.allow(catalog.outside_files, str(folder))
    return str(location)


async def expirable(world: World, clock: MovedClock) -> RunRequest:
    await rewrite_and_untag(world)
    await clock.pass_by(hours=1)
    await world.set_policy({"maintenance": SETTINGS["expiry"]})
    return RunRequest(Operation.EXPIRE_SNAPSHOTS)


async def compacted(world: World, clock: MovedClock) -> RunRequest:
    await two_rewrites(world)
    await clock.pass_by(hours=2)
    await world.set_policy({"maintenance": {"delete_old_compactions": COMPACTIONS}})
    return RunRequest(Operation.DELETE_OLD_COMPACTIONS)


async def reclaimable(world: World, clock: MovedClock) -> RunRequest:
    await world.rewrite()
    await clock.pass_by(hours=3)
    await world.set_policy({"maintenance": SETTINGS["reclaim"]})
    return RunRequest(Operation.RECLAIM)


async def purgeable(world: World, _clock: MovedClock) -> RunRequest:
    return await confirmed_purge(world)


async def orphaned(world: World, _clock: MovedClock) -> RunRequest:
    live = next(root_of(world).rglob("*.parquet")).read_bytes()
    for number in range(3):
        write_orphan(world, f"data/{number}").write_bytes(live)
    grow_old(world)
    await look_for_orphans(world)
    return RunRequest(Operation.REMOVE_ORPHANS)


async def inventoried(world: World, _clock: MovedClock) -> RunRequest:
    for number in range(3):
        write_orphan(world, f"data/{number}")
    await look_for_orphans(world, inventory=await write_inventory(world))
    return RunRequest(Operation.REMOVE_ORPHANS)


SETTINGS: Final = {"expiry": {"expire_snapshots": EXPIRY}, "reclaim": {"reclaim": RECLAIM}}
PREPARED: Final[dict[str, Callable[[World, MovedClock], Any]]] = {
    "expiry": expirable,
    "old compactions": compacted,
    "reclaim": reclaimable,
    "purge": purgeable,
    "orphans": orphaned,
    "inventory": inventoried,
}
"""By name: gives a table something to delete; returns the request of the run that deletes it."""
