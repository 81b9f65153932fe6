"""Writers that act during upkeep: those of `tests/interleaving`, and others that move branches and tags."""

from collections.abc import Callable
from typing import Final
from uuid import uuid4

from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table import Table

from engine.formats.iceberg.catalog.paths import normalised
from tests.interleaving.writers import ACTIONS, DAY, append
from tests.support.expired_files import needed
from tests.support.world import NAME, SCHEMA, SPEC, World
from tests.upkeep.histories import local
from tests.upkeep.orphans import LONG_AGO, set_age

Rows = dict[int, list[str]]
_LATE: Final = "data/00000-8-0b9c1c4e-1111-4222-8333-444455556666.parquet"


def add_tag(world: World) -> None:
    """Name the oldest snapshot, which an expiry would remove."""
    table = world.lake.table
    table.manage_snapshots().create_tag(_oldest(table), f"tag-{uuid4().hex[:6]}").commit()


def add_branch(world: World) -> None:
    """Begin a branch at the oldest snapshot."""
    table = world.lake.table
    table.manage_snapshots().create_branch(_oldest(table), f"branch-{uuid4().hex[:6]}").commit()


def drop_references(world: World) -> None:
    """Remove every branch and tag except main."""
    table = world.lake.table
    for name, ref in table.refs().items():
        if name != "main":
            change = table.manage_snapshots()
            (change.remove_tag if ref.snapshot_ref_type == "tag" else change.remove_branch)(name).commit()
            table = world.lake.table


def replace(world: World) -> None:
    """Put another empty table into the same folder, under the same name, and write to it."""
    location = world.lake.table.location()
    world.lake.catalog.drop_table(NAME)
    world.lake.catalog.create_table(NAME, SCHEMA, location=location, partition_spec=SPEC)
    world.lake.append(day=DAY)


def put_late_file(world: World) -> str:
    """Write a file of rows without a commit, long ago; return its path, normalised."""
    folder = local(world.lake.table.location())
    path, live = folder / _LATE, local(world.lake.paths()[0])
    path.write_bytes(live.read_bytes())
    set_age(path, LONG_AGO)
    return normalised(str(path))


def commit_late_file(world: World) -> None:
    """Commit the file that was written long ago, if it is there."""
    table = world.lake.table
    if (local(table.location()) / _LATE).exists():
        table.add_files([f"{table.location()}/{_LATE}"])
    else:
        append(world)


OTHER_ACTIONS: Final[dict[str, Callable[[World], None]]] = {
    each.__name__: each for each in (add_tag, add_branch, drop_references, replace, commit_late_file)
}
EVERY_ACTION: Final = ACTIONS | OTHER_ACTIONS


def rows_of_snapshots(table: Table) -> Rows:
    """Return the rows of every snapshot of a table."""
    return {
        each.snapshot_id: sorted(map(repr, table.scan(snapshot_id=each.snapshot_id).to_arrow().to_pylist()))
        for each in table.snapshots()
    }


def missing(world: World) -> set[str]:
    """Return the files that some snapshot of the table needs and that do not exist, metadata files excepted."""
    try:
        table = world.lake.table
    except NoSuchTableError:
        return set()
    paths = {path for path in needed(table) if not path.endswith(".metadata.json")}
    return {path for path in paths if not local(path).exists()}


def _oldest(table: Table) -> int:
    return min(table.snapshots(), key=lambda each: each.timestamp_ms).snapshot_id
