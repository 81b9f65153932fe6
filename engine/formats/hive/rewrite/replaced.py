"""Lists of the files of replaced folders: `compaction_id=<n>/_replaced-<snapshot id>-<task>.json`.

A list is written before the partition gets its new folder, and again when files that writers added to the old one were
copied: its time is the last time at which the old folder was in use. Who can write to the table can change it, so that
only files in the table's location that still have the listed size and time are ever deleted.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from engine.formats.hive.rewrite.folders import COMPACTED, parent_of
from engine.formats.intake.limits import Malformed
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.stores.addresses import file_name

LARGEST: Final = 16 * 2**20
"""Limit of the bytes of one list."""

NAMES: Final = (
    rf"/{COMPACTED}/(?:[^/]+/)*_replaced-([0-9]{{1,19}})-((run_[0-9a-z]{{1,64}})-[0-9]{{5,}}-[0-9]+-[^/]*)\.json$"
)
"""A regular expression of the paths of lists: snapshot id, folder of the task, run."""

_NAME: Final = re.compile(NAMES)
_MOST: Final = 2**63

States = Mapping[str, tuple[int, int]]
"""Size and time in milliseconds of files, by name."""


@dataclass(frozen=True, slots=True)
class ListName:
    """The parts of a list's path: the snapshot id of the rewrite, its run, and the folder that it made."""

    path: str
    snapshot_id: int
    run_id: str
    folder: str

    @staticmethod
    def of(path: str) -> "ListName | None":
        """Parse a path; None if it is not that of a list."""
        found = _NAME.search(path)
        return None if found is None else ListName(path, int(found[1]), found[3], f"{parent_of(path)}/{found[2]}")


@dataclass(frozen=True, slots=True)
class ReplacedFolder:
    """A folder that a rewrite replaced.

    Attributes:
        partition: canonical JSON of the partition.
        location: the folder.
        files: those of its files whose rows the rewrite has, or that were copied.
        outputs: sizes of the files of the rewrite, by name.
    """

    partition: str
    location: str
    files: States
    outputs: Mapping[str, int]

    def body(self) -> bytes:
        """Return the content of its list."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @staticmethod
    def read(body: bytes) -> "ReplacedFolder":
        """Parse the content of a list.

        Raises:
            Malformed: it is not a list.
        """
        try:
            found = json.loads(body)
            is_whole = type(found) is dict and found.keys() == ReplacedFolder.__dataclass_fields__.keys()
            texts = is_whole and all(type(found[name]) is str for name in ("partition", "location"))
            if not texts or not all(map(_is_name, (*found["files"], *found["outputs"]))):
                raise Malformed("it is not a list of the files of a folder")
            for text in (found["partition"], found["location"], *found["files"], *found["outputs"]):
                text.encode()
            files = {name: (_count(size), _count(at)) for name, (size, at) in found["files"].items()}
            outputs = {name: _count(size) for name, size in found["outputs"].items()}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise Malformed("it is not a list of the files of a folder") from error
        return ReplacedFolder(found["partition"], found["location"], files, outputs)


def path_of_list(folder: str, snapshot_id: int) -> str:
    """Return the path of the list of the folder that a rewrite's folder replaces."""
    return f"{parent_of(folder)}/_replaced-{snapshot_id}-{file_name(folder)}.json"


def write_list(folder: str, snapshot_id: int, replaced: ReplacedFolder, storage: TableStorage) -> None:
    """Store the list of the folder that a rewrite's folder replaces. Raises OSError."""
    storage.write(path_of_list(folder, snapshot_id), replaced.body())


def _is_name(name: Any) -> bool:
    return type(name) is str and bool(name) and "/" not in name and name not in (".", "..")


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise Malformed("it has a size or time that is none")
    return value
