"""Conditions of a rewrite of partitions, which moves each of them to a new folder."""

from collections.abc import Iterator

import pyarrow.compute as pc

from engine.formats.base import Condition
from engine.formats.hive.view import TableView


def partition_conditions(view: TableView) -> Iterator[Condition]:
    """Yield the conditions that depend on the table's entry, its partitions and their files. Lists the files."""
    entry, partitions = view.entry, view.partitions
    keys = ", ".join(each.name for each in entry.keys)
    yield Condition("partitioned", bool(entry.keys), keys[:200] or "no partition keys")
    is_kept = entry.keeps_dropped_files
    dropped = (
        "the Metastore deletes the folder of a dropped partition, but not a replaced one, whose rows would return: "
        "make the table external, without external.table.purge"
    )
    yield Condition("external", is_kept, "files of dropped partitions stay" if is_kept else dropped)
    nested = partitions.nested
    shared = f"{nested and nested[:300]} is inside of another partition's location, or that of two partitions"
    yield Condition("separate_locations", nested is None, shared if nested else "each partition has its own folder")
    alike = partitions.alike
    repeated = f"{alike} partitions repeat the values of another, such as 1 and 01"
    yield Condition("partitions_differ", not alike, repeated if alike else "no two partitions have the same values")
    outside = partitions.outside
    elsewhere = f"{outside} partitions are outside of the table's location"
    yield Condition("locations_allowed", not outside, elsewhere if outside else "all are in allowed locations")
    below = pc.sum(view.files["is_nested"]).as_py() or 0
    deeper = f"{below} files are in folders below their partition's"
    yield Condition("flat_partitions", not below, deeper if below else "no file is deeper than its partition's folder")
    buckets = ", ".join(entry.bucket_columns)
    yield Condition("not_bucketed", not buckets, f"bucket columns: {buckets[:200] or 'none'}")
