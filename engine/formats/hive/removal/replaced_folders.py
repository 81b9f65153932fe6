"""Contents of the folders that rewrites replaced: their lists, their files, and the copies of late files."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.hive.files.listing import is_hidden
from engine.formats.hive.files.stores import files_below
from engine.formats.hive.rewrite.copies import NAMES as COPIES
from engine.formats.hive.rewrite.copies import copied_file, mark_of
from engine.formats.hive.rewrite.folders import COMPACTED, normalise_folder, parent_of
from engine.formats.hive.rewrite.replaced import LARGEST, NAMES, ListName, ReplacedFolder, States
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.names import is_same
from engine.formats.intake.limits import LIVE_BYTES, Malformed, too_large
from engine.formats.intake.overlapping import overlapped
from engine.formats.removal.listings import FOUND
from engine.formats.removal.scopes import Scope

MOST_FILES: Final = 5_000_000
"""Limit of the files in all lists of a table that are read at once, about 200 bytes of memory each."""

_READERS: Final = 8
_LIST: Final = re.sub(r"\((?!\?)", "(?:", NAMES)
"""The paths of lists, without groups: Arrow matches it faster."""

_States = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class OldFolder:
    """A replaced folder with what was found of it.

    Attributes:
        name: what the path of its list says.
        used_us: when it was last in use, in microseconds since 1970.
        replaced: the content of its list.
        present: its files, with hidden and empty ones; those in a folder of it by `folder/name`.
        copied: those of its files that have a whole copy, as they were then.
    """

    name: ListName
    used_us: int
    replaced: ReplacedFolder
    present: States
    copied: States

    @property
    def late(self) -> States:
        """The files with rows that were added since the rewrite and that were not copied."""
        known = self.replaced.files
        return {
            name: state
            for name, state in self.present.items()
            if name not in known and name not in self.copied and state[0] and not is_hidden(name) and "/" not in name
        }

    @property
    def nested(self) -> Sequence[str]:
        """The files with rows in folders of it: some engines read them, and none was there at the rewrite."""
        return [
            name
            for name, state in self.present.items()
            if "/" in name and state[0] and not any(map(is_hidden, name.split("/")))
        ]

    @property
    def changed(self) -> int:
        """The number of files that were overwritten since they were rewritten or copied."""
        known = {**self.copied, **self.replaced.files}
        return sum(name in known and not is_same(name, state, known[name]) for name, state in self.present.items())

    @property
    def missing(self) -> int:
        """The number of files that were removed since they were rewritten or copied."""
        return sum(name not in self.present for name in self.replaced.files)

    @property
    def deletable(self) -> States:
        """The files that are as they were rewritten or copied."""
        known = {**self.copied, **self.replaced.files}
        return {
            name: state for name, state in self.present.items() if name in known and is_same(name, state, known[name])
        }


def is_read(folder: str, locations: AbstractSet[str]) -> bool:
    """Return whether a partition has this folder, or one above it: some engines read folders in that of a partition.

    No engine reads a hidden folder, such as that of the rewrites, as a part of the folder that it is in.
    """
    while folder:
        if folder in locations:
            return True
        folder, _, name = folder.rpartition("/")
        if is_hidden(name):
            return False
    return False


def lists_of(view: TableView, before_page: Callable[[int], None]) -> Iterator[tuple[ListName, int]]:
    """Yield the list of each replaced folder with its time, in microseconds since 1970. Raises as `files_below`."""
    for page in files_below(f"{view.entry.location}/{COMPACTED}", view.storage, before_page):
        lists = page.filter(pc.match_substring_regex(page["path"], _LIST))
        for path, at in zip(lists["path"].to_pylist(), lists["modified_us"].to_pylist(), strict=True):
            if (found := ListName.of(path)) is not None:
                yield found, at


def replaced_folders(
    view: TableView,
    names: Sequence[tuple[ListName, int]],
    scope: Scope,
    before_page: Callable[[int], None],
    unread: Callable[[str], None],
) -> Sequence[OldFolder]:
    """Return the replaced folders, with the files that are in them now.

    Args:
        view: the table; all files below its location are listed.
        names: the lists to read, with their times.
        scope: where replaced folders may be.
        before_page: called with the number of requests before they are sent; may wait, or raise to stop.
        unread: called with the path of a list that is none, or that names a folder in another place.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        Malformed: there are too many.
        OSError: the store does not answer.
    """
    keys = {key.name for key in view.entry.keys}
    read, files = list[tuple[ListName, int, ReplacedFolder]](), 0
    for (name, at), found in zip(
        names, overlapped(lambda one: _read(view, one[0], scope, keys), names, at_once=_READERS), strict=True
    ):
        if found is None:
            unread(name.path)
            continue
        files += len(found.files) + len(found.outputs)
        if files > MOST_FILES:
            raise Malformed(f"the lists of its replaced folders have more than {MOST_FILES} files")
        read.append((name, at, found))
    present, copies = _found(view, {each.location for _, _, each in read}, before_page)
    return [
        OldFolder(name, at, replaced, states, _copied(replaced, states, copies.get(_partition_folder(name.path), {})))
        for name, at, replaced in read
        for states in (present.get(normalise_folder(replaced.location), {}),)
    ]


def _read(view: TableView, name: ListName, scope: Scope, keys: set[str]) -> ReplacedFolder | None:
    """Return a list; None if it is none, or its folder or partition can't be one of the table."""
    try:
        found = ReplacedFolder.read(view.files_of_table.read(name.path, LARGEST))
        partition = json.loads(found.partition)
    except (ValueError, RecursionError, FileNotFoundError):
        return None
    if type(partition) is not dict or partition.keys() != keys or not _is_canonical(view, partition, found.partition):
        return None
    is_own = scope.own.contains(found.location) and not scope.others.contains(found.location)
    return found if is_own else None


def _is_canonical(view: TableView, partition: Mapping[str, Any], text: str) -> bool:
    """Return whether a text names a partition as this version does, with values that the Metastore can be asked for."""
    if any(isinstance(each, dict | list | float) for each in partition.values()):
        return False
    try:
        texts = view.keys.texts(text)
        return view.keys.encode(texts) == text and all(each.encode() is not None for each in texts)
    except (ValueError, KeyError):
        return False


def _copied(replaced: ReplacedFolder, present: States, copies: Mapping[str, tuple[int, int]]) -> States:
    """Return the files that have a copy, by their names."""
    if not copies:
        return {}
    marks = {name: mark_of(f"{replaced.location}/{name}") for name in present}
    return {name: copies[mark] for name, mark in marks.items() if mark in copies}


def _found(
    view: TableView, locations: set[str], before_page: Callable[[int], None]
) -> tuple[Mapping[str, States], Mapping[str, Mapping[str, tuple[int, int]]]]:
    """Return the files directly in each of these folders; and what has a whole copy, by folder of rewrites and mark."""
    root, wanted = view.entry.location, sorted(map(normalise_folder, locations))
    files, copies = defaultdict[str, _States](dict), defaultdict[str, _States](dict)
    size = 0
    for page in files_below(root, view.storage, before_page):
        made = page.filter(pc.match_substring_regex(page["path"], COPIES))
        for path, file_bytes in zip(made["path"].to_pylist(), made["file_bytes"].to_pylist(), strict=True):
            if (found := copied_file(path)) is not None and found[1][0] == file_bytes:
                copies[_partition_folder(parent_of(path))][found[0]] = found[1]
        for depth in (1, 2):
            mine = _in_folders(page, wanted, root=root, depth=depth)
            size += mine.nbytes
            if size > LIVE_BYTES:
                raise too_large("the files in replaced folders take", "of memory", LIVE_BYTES)
            for path, file_bytes, at in zip(*(mine[name].to_pylist() for name in FOUND.names), strict=True):
                folder, *names = path.rsplit("/", depth)
                files[normalise_folder(folder)]["/".join(names)] = (file_bytes, at // 1000)
    return files, copies


def _in_folders(page: pa.Table, wanted: Sequence[str], *, root: str, depth: int) -> pa.Table:
    """Return the files of a page at a depth below one of the folders, which are spelled as for comparison."""
    folder = pc.replace_substring_regex(page["path"], rf"(?:/[^/]*){{{depth}}}$", "")
    folder = pc.binary_join_element_wise(normalise_folder(root), pc.utf8_slice_codeunits(folder, len(root)), "")
    return page.filter(pc.is_in(folder, value_set=pa.array(wanted, pa.string())))


def _partition_folder(path: str) -> str:
    """Return the folder of all rewrites of a partition, by the path of a file or folder in one with a compaction id."""
    return parent_of(parent_of(path))
