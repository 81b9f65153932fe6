"""The folders into which a writer puts a dual file: where the partition is, and where a rewrite will put it.

The Metastore says where a partition is now. A folder has the rows of a dual file if the file is in it, or if a rewrite
merged the file: then it is in the list of the folder that was replaced, or of one before.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from engine.domain.errors import FieldProblem, InvalidInput, NotEligible, NotFound
from engine.domain.runs.open_groups import OpenGroup
from engine.domain.tables.write_locations import LocationRole, NamedFile, WriteLocation, WriteLocations
from engine.formats.hive.files.stores import files_below
from engine.formats.hive.metadata.partition_keys import PartitionKeys
from engine.formats.hive.metadata.partitions import location_of
from engine.formats.hive.rewrite.folders import COMPACTED, is_same_folder, normalise_folder, parent_of
from engine.formats.hive.rewrite.records import PARAMETER, CompactionRecord
from engine.formats.hive.rewrite.replaced import LARGEST, ListName, ReplacedFolder
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import SKEW_SECONDS, VALID_SECONDS, given_at, new_name
from engine.formats.intake.guards import Reading, reads
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of

_SHOWN: Final = 200


def partition_name(keys: PartitionKeys, given: str) -> str:
    """Return the canonical JSON of a partition; see `WriteGuide.partition_name`."""
    names = [key.name for key in keys.columns]
    if not names:
        raise NotEligible("the table has no partition keys: no rewrite changes its folder, so write to its location")
    values = None
    try:
        values = json.loads(given)
        problem = _problem_of(values, names)
        if not problem:
            texts = keys.texts(given)
            _ = [text.encode() for text in texts]
            return keys.encode(texts)
    except UnicodeEncodeError:
        problem = "a value has characters that no text can have"
    except (ValueError, RecursionError):
        problem = "it is not JSON"
    hint = f"give a value for each key: {', '.join(f'partition={name}=…' for name in names)}"
    shown = [f"{name}={value or ''}"[:_SHOWN] for name, value in values.items()] if isinstance(values, dict) else given
    raise InvalidInput(
        f"partition can't be read: {problem}", problems=(FieldProblem("query:partition", problem, shown, hint),)
    )


def _problem_of(values: Any, names: Sequence[str]) -> str:
    if not isinstance(values, dict):
        return "it is not a JSON object"
    if values.keys() != set(names):
        return f"it has other keys than the table, which has {', '.join(names)}"
    if "" in values.values():
        return "a value is empty; a Metastore has null in its place, so write null"
    wrong = [name for name, value in values.items() if isinstance(value, dict | list | float)]
    return f"the value of {wrong[0]} is not a text, whole number, boolean or null" if wrong else ""


def written_file(given: str | None) -> NamedFile:
    """Return a file by its name, or a new one; see `WriteGuide.written_file`."""
    name = new_name() if given is None else given
    at, now, problem = given_at(name), time.time(), ""
    if at is None:
        problem = "it is not a name that an answer has given"
    elif at > now + SKEW_SECONDS:
        problem = "its time is in the future"
    elif at < now - VALID_SECONDS:
        problem = f"it was given more than {VALID_SECONDS / 60:.0f} minutes ago"
    if at is None or problem:
        hint = "ask without file_name for a new one; look first whether the table has the rows of the old file"
        raise InvalidInput(
            f"file_name can't be used: {problem}",
            problems=(FieldProblem("query:file_name", problem, name[:_SHOWN], hint),),
        )
    return NamedFile(name, given is None, datetime.fromtimestamp(at + VALID_SECONDS, UTC))


def write_locations(view: TableView, partition: str, file: NamedFile, groups: Sequence[OpenGroup]) -> WriteLocations:
    """Return the folders of a partition to write a file to; see `WriteGuide.write_locations`."""
    stored = view.partition_of(partition)
    if stored is None:
        raise NotFound(
            f"{view.ref} has no partition {partition[:_SHOWN]}: add it in the Metastore "
            "(ALTER TABLE … ADD PARTITION), then ask again"
        )
    location = location_of(stored)
    if not view.places.contains(location):
        raise NotEligible(
            f"partition {partition[:_SHOWN]} is outside of the table's location and of the allowed locations: "
            "no rewrite changes its folder"
        )
    has_file = not file.is_new and (
        _exists(view, location, file.name) or _is_merged(view, partition, location, file.name)
    )
    found = {normalise_folder(location): WriteLocation(location, LocationRole.CURRENT, has_file)}
    for group in groups:
        folder = "" if group.output_path is None else parent_of(group.output_path)
        if is_same_folder(parent_of(group.input_path), location) and view.places.contains(folder):
            has_file = group.has_input or (not file.is_new and _exists(view, folder, file.name))
            found.setdefault(normalise_folder(folder), WriteLocation(folder, LocationRole.NEXT, has_file))
    record = CompactionRecord.of((stored.parameters or {}).get(PARAMETER))
    return WriteLocations(tuple(found.values()), None if record is None else record.number)


def _exists(view: TableView, folder: str, name: str) -> bool:
    address = address_of(f"{folder}/{name}")
    try:
        files_of(address.kind, address.place, view.storage).open(address.path, None).close()
    except FileNotFoundError:
        return False
    return True


def _is_merged(view: TableView, partition: str, location: str, name: str) -> bool:
    """Return whether a rewrite merged a file, and the partition has the outputs of that rewrite or of a later one.

    Lists that are older than the name can't have it. Raises `Malformed` for one that can't be read: it could have it.
    """
    since_us = ((given_at(name) or 0) - SKEW_SECONDS) * 1e6
    folder, seen = location, set[str]()
    while normalise_folder(folder) not in seen:
        seen.add(normalise_folder(folder))
        previous = ""
        for replaced in _lists_of(view, folder, since_us):
            if replaced.partition != partition:
                continue
            if name in replaced.files:
                return True
            previous = replaced.location
        folder = previous or folder
    return False


def _lists_of(view: TableView, folder: str, since_us: float) -> Iterator[ReplacedFolder]:
    """Yield the lists of what a folder of a rewrite replaced, if they were written since a time."""
    parent = parent_of(folder)
    if not view.places.contains(parent) or f"/{COMPACTED}/" not in parent:
        return
    found: Mapping[str, int] = {
        path: at
        for page in files_below(parent, view.storage)
        for path, at in zip(page["path"].to_pylist(), page["modified_us"].to_pylist(), strict=True)
    }
    for path, at in found.items():
        name = ListName.of(path)
        if name is None or not is_same_folder(name.folder, folder) or at < since_us:
            continue
        with suppress(FileNotFoundError):
            yield ReplacedFolder.read(view.files_of_table.read(path, LARGEST))


@dataclass(frozen=True, slots=True)
class HiveWriteGuide:
    """Folders of a view's partitions."""

    view: TableView
    reading: Reading

    def partition_name(self, given: str) -> str:
        """Return the canonical JSON of a partition; see `WriteGuide.partition_name`."""
        return partition_name(self.view.keys, given)

    def written_file(self, given: str | None) -> NamedFile:
        """Return a file by its name, or a new one; see `WriteGuide.written_file`."""
        return written_file(given)

    @reads("read a partition of")
    def write_locations(self, partition: str, file: NamedFile, groups: Sequence[OpenGroup]) -> WriteLocations:
        """Return the folders of a partition to write a file to; see `WriteGuide.write_locations`."""
        return write_locations(self.view, partition, file, groups)
