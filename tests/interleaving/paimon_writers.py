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


def compact_too(world: World[TwinLake]) -> None:
    """Compact all buckets by the core, as a second compactor."""
    if world.lake.kind.keys:
        world.lake.both("compact", full=True, options={"write-only": "false"})
    else:
        world.lake.both("compact_unaware")


def _delete_by_key(lake: TwinLake) -> None:
    """Delete some keys, and one that the table does not have."""
    lake.write(DAY, first=10, rows=8, kinds="D" * 8)
    lake.write(DAYS[0], first=5000, rows=1, kinds="D")


def _recreate(lake: TwinLake) -> None:
    """Drop the table and make another one under its name."""
    lake.both("drop")
    lake.create()
    lake.write(DAY, first=7)


def _change(lake: TwinLake, name: str, /, *, first: int | None = 2000, **arguments: str) -> None:
    """Change the schema, and add rows with it."""
    lake.both(name, **arguments)
    if first is not None:
        lake.write(DAY, first=first)


def _rescale(lake: TwinLake, *days: str) -> None:
    """Change the number of buckets, and write partitions again."""
    lake.both("set_option", name="bucket", value="3")
    for day in days:
        lake.write(day, first=2, rows=30, overwrite={"day": day})


def _append_and_expire(lake: TwinLake) -> None:
    """Move the head first, so that the snapshot that a plan was made on is expired."""
    lake.write(DAY, first=1000)
    lake.both("expire", retained=1)


def _roll_back_and_write(lake: TwinLake) -> None:
    """Roll back, then write, so that ids of snapshots are used again."""
    lake.roll_back()
    for turn in range(3):
        lake.write(DAY, first=turn)


def _write_and_compact(lake: TwinLake) -> None:
    """Write as a writer that compacts its buckets itself."""
    options = {"write-only": "false", "num-sorted-run.compaction-trigger": "2"}
    for turn in range(2):
        lake.write(DAY, first=turn, options=options)


def _commit_nothing(lake: TwinLake) -> None:
    """Commit snapshots without changes."""
    for _ in range(2):
        lake.both("commit_nothing")


def _tag(lake: TwinLake) -> None:
    """Tag the newest snapshot, then expire all but it."""
    lake.both("tag", name=f"tag-{uuid4().hex[:6]}")
    _append_and_expire(lake)


_ANY: Final[Mapping[str, Callable[[TwinLake], None]]] = {
    "overwrite": lambda lake: lake.write(DAY, first=3, rows=4, overwrite={"day": DAY}),
    "truncate": lambda lake: lake.both("truncate"),
    "truncate_partition": lambda lake: lake.both("truncate", partition={"day": DAY}),
    "recreate": _recreate,
    "add_column": lambda lake: _change(lake, "add_column", name=f"late_{uuid4().hex[:6]}", kind="INT"),
    "rename_column": lambda lake: _change(lake, "rename_column", first=None, name="value", new_name="amount"),
    "drop_column": lambda lake: _change(lake, "drop_column", name="count"),
    "widen_type": lambda lake: _change(lake, "change_type", first=4, name="count", kind="BIGINT"),
    "expire": lambda lake: lake.both("expire", retained=1),
    "append_and_expire": _append_and_expire,
    "roll_back": lambda lake: lake.roll_back(),
    "roll_back_and_write": _roll_back_and_write,
    "commit_nothing": _commit_nothing,
    "tag": _tag,
}
_OF_KEYS: Final[Mapping[str, Callable[[TwinLake], None]]] = {
    "delete_by_key": _delete_by_key,
    "write_and_compact": _write_and_compact,
}


def actions_on(kind: Kind) -> Mapping[str, Act]:
    """Return the actions on tables of a kind, by name."""
    acts = {**_ANY, **(_OF_KEYS if kind.keys else {})}
    if int(kind.options["bucket"]) > 0:
        acts["rescale"] = lambda lake: _rescale(lake, *DAYS)
        if not kind.reading:  # the core compacts no partition that has another number of buckets
            acts["rescale_halfway"] = lambda lake: _rescale(lake, DAY)
    of_keys = {"upsert": upsert} if kind.keys else {}
    return {
        "append": append,
        "compact_too": compact_too,
        **of_keys,
        **{name: _on_lake(act) for name, act in acts.items()},
    }


def _on_lake(act: Callable[[TwinLake], None]) -> Act:
    return lambda world: act(world.lake)
