"""What other writers do to a Paimon table and to its twin, each in one commit or two, by Paimon's core."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import uuid4

from tests.support.paimon.worlds import DAYS, Kind, TwinLake
from tests.support.world import World

DAY: Final = DAYS[1]
Act = Callable[[World[TwinLake]], None]


def append(world: World[TwinLake]) -> None:
    """Add rows; those of a key table have new keys."""
    world.lake.write(DAY, first=1000)


def upsert(world: World[TwinLake]) -> None:
    """Write new values of keys that are being merged."""
    world.lake.write(DAY, first=5, rows=10)


def delete_by_key(world: World[TwinLake]) -> None:
    """Delete some keys, and one that the table does not have."""
    world.lake.write(DAY, first=10, rows=8, kinds="D" * 8)
    world.lake.write(DAYS[0], first=5000, rows=1, kinds="D")


def overwrite(world: World[TwinLake]) -> None:
    """Replace a partition."""
    world.lake.write(DAY, first=3, rows=4, overwrite={"day": DAY})


def truncate(world: World[TwinLake]) -> None:
    """Remove all rows."""
    world.lake.both("truncate")


def truncate_partition(world: World[TwinLake]) -> None:
    """Remove the rows of a partition."""
    world.lake.both("truncate", partition={"day": DAY})


def recreate(world: World[TwinLake]) -> None:
    """Drop the table and make another one under its name."""
    world.lake.both("drop")
    world.lake.create()
    world.lake.write(DAY, first=7)


def add_column(world: World[TwinLake]) -> None:
    """Add a column, and rows with it."""
    world.lake.both("add_column", name=f"late_{uuid4().hex[:6]}", kind="INT")
    world.lake.write(DAY, first=2000)


def rename_column(world: World[TwinLake]) -> None:
    """Rename a column."""
    world.lake.both("rename_column", name="value", new_name="amount")


def drop_column(world: World[TwinLake]) -> None:
    """Drop a column, and add rows without it."""
    world.lake.both("drop_column", name="count")
    world.lake.write(DAY, first=2000)


def widen_type(world: World[TwinLake]) -> None:
    """Change a column to a wider type, and add rows."""
    world.lake.both("change_type", name="count", kind="BIGINT")
    world.lake.write(DAY, first=4)


def rescale(world: World[TwinLake]) -> None:
    """Change the number of buckets, and write every partition again."""
    world.lake.both("set_option", name="bucket", value="3")
    for day in DAYS:
        world.lake.write(day, first=2, rows=30, overwrite={"day": day})


def rescale_halfway(world: World[TwinLake]) -> None:
    """Change the number of buckets, and write one of the partitions again."""
    world.lake.both("set_option", name="bucket", value="3")
    world.lake.write(DAY, first=2, rows=30, overwrite={"day": DAY})


def expire(world: World[TwinLake]) -> None:
    """Expire all snapshots but the newest."""
    world.lake.both("expire", retained=1)


def append_and_expire(world: World[TwinLake]) -> None:
    """Move the head first, so that the snapshot that a plan was made on is expired."""
    append(world)
    expire(world)


def roll_back(world: World[TwinLake]) -> None:
    """Roll back to an early snapshot."""
    world.lake.roll_back()


def roll_back_and_write(world: World[TwinLake]) -> None:
    """Roll back, then write, so that ids of snapshots are used again."""
    roll_back(world)
    for turn in range(3):
        world.lake.write(DAY, first=turn)


def compact_too(world: World[TwinLake]) -> None:
    """Compact all buckets by the core, as a second compactor."""
    if world.lake.kind.keys:
        world.lake.both("compact", full=True, options={"write-only": "false"})
    else:
        world.lake.both("compact_unaware")


def write_and_compact(world: World[TwinLake]) -> None:
    """Write as a writer that compacts its buckets itself."""
    options = {"write-only": "false", "num-sorted-run.compaction-trigger": "2"}
    for turn in range(2):
        world.lake.write(DAY, first=turn, options=options)


def commit_nothing(world: World[TwinLake]) -> None:
    """Commit snapshots without changes."""
    for _ in range(2):
        world.lake.both("commit_nothing")


def tag(world: World[TwinLake]) -> None:
    """Tag the newest snapshot, then expire all but it."""
    world.lake.both("tag", name=f"tag-{uuid4().hex[:6]}")
    append_and_expire(world)


_ANY: Final = (
    append,
    overwrite,
    truncate,
    truncate_partition,
    recreate,
    add_column,
    rename_column,
    drop_column,
    widen_type,
    expire,
    append_and_expire,
    roll_back,
    roll_back_and_write,
    compact_too,
    commit_nothing,
    tag,
)
_OF_KEYS: Final = (upsert, delete_by_key, write_and_compact)


def actions_on(kind: Kind) -> Mapping[str, Act]:
    """Return the actions on tables of a kind, by name."""
    has_buckets = int(kind.options["bucket"]) > 0
    can_stay = has_buckets and not kind.reading  # the core compacts no partition that has another number of buckets
    of_buckets = (rescale,) * has_buckets + (rescale_halfway,) * can_stay
    actions = (*_ANY, *(_OF_KEYS if kind.keys else ()), *of_buckets)
    return {action.__name__: action for action in actions}
