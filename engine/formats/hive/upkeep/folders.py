"""What is in the folders that rewrites replaced: their lists, their files, and the copies of files that came late."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.hive.compaction.copies import copied_file, mark_of
from engine.formats.hive.compaction.folders import COMPACTED, parent_of, plain
from engine.formats.hive.compaction.replaced import LARGEST, NAMES, ListName, ReplacedFolder
from engine.formats.hive.view import TableView
from engine.formats.intake.limits import LIVE_BYTES, Malformed, too_large
from engine.formats.intake.overlapping import overlapped
from engine.formats.orphans.listings import FOUND, files_below
from engine.rewriting.kernel.storage.stores.addresses import file_name

_READERS: Final = 8
_COPIES: Final = r"/late-[0-9a-f]{12}-[0-9]+-[0-9]+-[^/]*$"
_LIST: Final = re.sub(r"\((?!\?)", "(?:", NAMES)
"""The paths of lists, without groups: Arrow matches it faster."""

States = Mapping[str, tuple[int, int]]
"""Size and time in milliseconds of files, by name."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A replaced folder with what was found of it.

    Attributes:
        name: what the path of its list says.
        used_us: when it was last in use, in microseconds since 1970.
        replaced: the content of its list.
        present: its files, with hidden and empty ones.
        copied: those of its files that have a copy, as they were then.
        is_abandoned: whether the folder of the rewrite has no file any more.
    """

    name: ListName
    used_us: int
    replaced: ReplacedFolder
    present: States
    copied: States
    is_abandoned: bool

    @property
    def late(self) -> States:
        """The files with rows that were added since the rewrite and that were not copied."""
        known = self.replaced.files
        return {
            name: state
            for name, state in self.present.items()
            if name not in known and name not in self.copied and state[0] and name[0] not in "._"
        }

    @property
    def changed(self) -> int:
        """The number of files that were overwritten since they were rewritten or copied."""
        known = {**self.copied, **self.replaced.files}
        return sum(name in known and known[name] != state for name, state in self.present.items())

    @property
    def deletable(self) -> States:
        """The files that are as they were rewritten or copied."""
        known = {**self.copied, **self.replaced.files}
        return {name: state for name, state in self.present.items() if known.get(name) == state}


def lists_of(view: TableView, before_page: Callable[[int], None]) -> Iterator[tuple[ListName, int]]:
    """Yield the list of each replaced folder with its time, in microseconds since 1970. Raises as `files_below`."""
    for page in files_below(f"{view.entry.location}/{COMPACTED}", view.storage, before_page):
        lists = page.filter(pc.match_substring_regex(page["path"], _LIST))
        for path, at in zip(lists["path"].to_pylist(), lists["modified_us"].to_pylist(), strict=True):
            if (found := ListName.of(path)) is not None:
                yield found, at


def replaced_folders(
    view: TableView, before_page: Callable[[int], None], unread: Callable[[str, str], None]
) -> Sequence[Listed]:
    """Return the replaced folders, with the files that are in them now.

    Args:
        view: the table; all files below its location are listed.
        before_page: called with the number of requests before they are sent; may wait, or raise to stop.
        unread: called with the path of a list that is none or names a folder in another place, and the reason.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        Malformed: there are too many.
        OSError: the store does not answer.
    """
    names = list(lists_of(view, before_page))
    before_page(len(names) if "://" in view.entry.location else 0)
    read = [each for each in overlapped(lambda one: _read(view, one, unread), names, at_once=_READERS) if each]
    folders = {folder for name, _, each in read for folder in (each.location, name.folder)}
    files, copies = _found(view, folders, before_page)
    return [
        Listed(
            name,
            at,
            replaced,
            files.get(plain(replaced.location), {}),
            copies.get((_partition_folder(name.path), mark_of(replaced.location)), {}),
            plain(name.folder) not in files,
        )
        for name, at, replaced in read
    ]


def _read(
    view: TableView, found: tuple[ListName, int], unread: Callable[[str, str], None]
) -> tuple[ListName, int, ReplacedFolder] | None:
    name, at = found
    try:
        replaced = ReplacedFolder.read(view.files_of_table.read(name.path, LARGEST))
    except (Malformed, FileNotFoundError) as error:
        unread(name.path, str(error))
        return None
    if not view.places.cover(replaced.location):
        unread(name.path, "it names a folder in another place than the table's")
        return None
    return name, at, replaced


def _found(
    view: TableView, locations: set[str], before_page: Callable[[int], None]
) -> tuple[Mapping[str, States], Mapping[tuple[str, str], States]]:
    """Return the files directly in each of these folders; and those with copies, by folder of rewrites and mark."""
    root, wanted = view.entry.location, sorted(map(plain, locations))
    files, copies = defaultdict[str, dict[str, tuple[int, int]]](dict), dict[tuple[str, str], dict[str, Any]]()
    outside = [each for each in locations if not plain(each).startswith(f"{plain(root)}/")]
    size = 0
    for top in (root, *outside):
        for page in files_below(top, view.storage, before_page):
            for path in page.filter(pc.match_substring_regex(page["path"], _COPIES))["path"].to_pylist():
                if (found := copied_file(path)) is not None:
                    mark, name, state = found
                    copies.setdefault((_partition_folder(parent_of(path)), mark), {})[name] = state
            mine = _in_folders(page, wanted, root=top)
            size += mine.nbytes
            if size > LIVE_BYTES:
                raise too_large("the files in replaced folders take", "of memory", LIVE_BYTES)
            for path, file_bytes, at in zip(*(mine[name].to_pylist() for name in FOUND.names), strict=True):
                files[plain(parent_of(path))][file_name(path)] = (file_bytes, at // 1000)
    return files, copies


def _in_folders(page: pa.Table, wanted: Sequence[str], *, root: str) -> pa.Table:
    """Return the files of a page that are directly in one of the folders, which are spelled as for comparison."""
    folder = pc.replace_substring_regex(page["path"], r"/[^/]*$", "")
    if (spelled := plain(root)) != root:
        folder = pc.binary_join_element_wise(spelled, pc.utf8_slice_codeunits(folder, len(root)), "")
    return page.filter(pc.is_in(folder, value_set=pa.array(wanted, pa.string())))


def _partition_folder(path: str) -> str:
    """Return the folder of all rewrites of a partition, by the path of a file or folder in one with a compaction id."""
    return parent_of(parent_of(path))
