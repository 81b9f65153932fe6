"""Partitions that can't be rewritten although others of the table can, each with the reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from engine.formats.hive.files.listing import TableListing
from engine.formats.hive.metadata.partitions import Partitions
from engine.formats.hive.rewrite.folders import always_fitting, names_problem
from engine.planning.plans.candidates import SkipReason
from engine.rewriting.kernel.storage.places import AllowedFolders, normalise_uri


@dataclass(frozen=True, slots=True)
class PartitionRefusal:
    """The reason why a partition is skipped: a reason code of plans, and a clause with the finding."""

    reason: SkipReason
    detail: str


def refusals_of(
    partitions: Partitions, listing: TableListing, location: str, keys: Sequence[str]
) -> Mapping[int, PartitionRefusal]:
    """Return the partitions that can't be rewritten by their row in `partitions`, the strongest reason of each.

    `location`: the table's. `keys`: names of its partition keys.
    """
    found: dict[int, PartitionRefusal] = {}
    for row, refusal in (*_each(partitions, listing, location), *_with_long_names(partitions, location, keys)):
        found.setdefault(row, refusal)
    return found


def _each(partitions: Partitions, listing: TableListing, location: str) -> Iterator[tuple[int, PartitionRefusal]]:
    """Yield rows with their reasons, the strongest first."""
    for row, name in _marked(partitions, listing):
        yield row, PartitionRefusal(SkipReason.OTHER_FORMAT, f"its folder has the metadata of {name}")
    for row, problem in partitions.problems():
        yield row, PartitionRefusal(SkipReason.UNKNOWN_STORAGE, problem)
    shared = PartitionRefusal(
        SkipReason.SHARED_LOCATION, "its folder is another partition's, is inside of it, or contains it"
    )
    yield from ((row, shared) for row in partitions.overlapping())
    alike = PartitionRefusal(SkipReason.REPEATED_VALUES, "another partition has the same values, such as 1 and 01")
    yield from ((row, alike) for row in partitions.alike())
    nested = listing.files.filter(listing.files["is_nested"])
    for each in pc.value_counts(nested["partition"].combine_chunks()).to_pylist():
        yield (
            each["values"],
            PartitionRefusal(SkipReason.NESTED_FILES, f"{each['counts']} files are in folders below its own"),
        )
    elsewhere = PartitionRefusal(
        SkipReason.OUTSIDE_LOCATION,
        "its folder is outside of the table's location: what writers add to it after a rewrite could not be copied",
    )
    inside = AllowedFolders([location])
    columns = (partitions.table[name].to_pylist() for name in ("location", "is_outside"))
    for row, (folder, is_unlisted) in enumerate(zip(*columns, strict=True)):
        if not is_unlisted and not inside.contains(folder):
            yield row, elsewhere


def _with_long_names(
    partitions: Partitions, location: str, keys: Sequence[str]
) -> Iterator[tuple[int, PartitionRefusal]]:
    folders, values = partitions.table["location"], partitions.table["values"]
    is_long = pc.greater(pc.utf8_length(folders), always_fitting(location, len(keys)))
    for row in pc.indices_nonzero(is_long).to_pylist():
        if problem := names_problem(location, keys, values[row].as_py(), folders[row].as_py()):
            yield row, PartitionRefusal(SkipReason.LONG_NAMES, problem)


def _marked(partitions: Partitions, listing: TableListing) -> Iterator[tuple[int, str]]:
    """Yield the rows of partitions in, around or at a folder with a mark of another format, with its name."""
    if not listing.marks.num_rows:
        return
    marked = {_spelled(each["folder"]): str(each["format"]) for each in listing.marks.to_pylist()}
    at = dict[str, list[int]]()
    for row, location in enumerate(map(_spelled, partitions.table["location"].to_pylist())):
        at.setdefault(location, []).append(row)
        yield from ((row, marked[each]) for each in _upwards(location) if each in marked)
    for folder, name in marked.items():
        yield from ((row, name) for each in _upwards(folder) for row in at.get(each, ()))


def _spelled(folder: str) -> str:
    return normalise_uri(folder).rstrip("/")


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those that it is in."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
