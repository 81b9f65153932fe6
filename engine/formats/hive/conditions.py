"""Conditions of a rewrite of partitions, which moves each of them to a new folder."""

from collections.abc import Iterator
from typing import Final

from engine.formats.base import Condition
from engine.formats.hive.view import TableView
from engine.formats.intake.parameters import listed
from engine.planning.plans.candidates import SkipReason

_OF_PARTITIONS: Final = {
    "known_partitions": SkipReason.UNKNOWN_STORAGE,
    "no_other_format": SkipReason.OTHER_FORMAT,
    "separate_locations": SkipReason.SHARED_LOCATION,
    "partitions_differ": SkipReason.REPEATED_VALUES,
    "flat_partitions": SkipReason.NESTED_FILES,
    "inside_location": SkipReason.OUTSIDE_LOCATION,
    "short_names": SkipReason.LONG_NAMES,
}
"""Conditions of each partition: those that do not meet one are left out, the others are rewritten."""

_MOST_NAMED: Final = 3


def partition_conditions(view: TableView) -> Iterator[Condition]:
    """Yield the conditions that depend on the table's entry, its partitions and their files. Lists the files."""
    entry, partitions = view.entry, view.partitions
    keys = ", ".join(each.name for each in entry.keys)
    lacking = (
        "no partition keys: a rewrite would change the location of the table itself, by which Packhouse, readers and "
        "writers know it; create it with a partition key (CREATE TABLE … PARTITIONED BY … AS SELECT), or convert it to "
        "a table format such as Iceberg"
    )
    yield Condition("partitioned", bool(entry.keys), keys[:200] or lacking)
    is_kept = entry.keeps_dropped_files
    dropped = (
        "engines delete the folder of a dropped partition, but not a replaced one, whose rows would return: "
        "make the table external, without external.table.purge"
    )
    yield Condition("external", is_kept, "files of dropped partitions stay" if is_kept else dropped)
    storage, parameters = (
        listed(each) for each in (entry.storage_problems(view.meaningless), entry.parameter_problems(view.meaningless))
    )
    yield Condition("known_storage", not storage, storage or "plain Parquet files")
    yield Condition("known_parameters", not parameters, parameters or "no parameter changes what readers find")
    yield Condition("not_bucketed", not entry.buckets, f"buckets: {entry.buckets[:200] or 'none'}")
    outside, count = partitions.outside, partitions.table.num_rows
    elsewhere = f"{_left_out(outside, count)}: outside of the table's location"
    yield Condition("locations_allowed", not count or outside < count, elsewhere if outside else "all are allowed")
    yield from (_of_partitions(view, name, reason) for name, reason in _OF_PARTITIONS.items())


def _of_partitions(view: TableView, name: str, reason: SkipReason) -> Condition:
    """Return a condition that holds if some partition meets it; its detail names the first of the others."""
    rows = [row for row, refusal in view.refusals.items() if refusal.reason is reason]
    if not rows:
        return Condition(name, True, "all partitions meet it")
    names, count = view.partitions.table["partition"], view.partitions.table.num_rows
    shown = "; ".join(f"{names[row].as_py()[:200]}: {view.refusals[row].detail}" for row in rows[:_MOST_NAMED])
    return Condition(name, len(rows) < count, f"{_left_out(len(rows), count)}: {shown}")


def _left_out(rows: int, count: int) -> str:
    return f"{rows} of {count} partitions are left out"
