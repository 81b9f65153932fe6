"""List the data files of partitions, by the rules of Hive and Spark for which files of a folder are data.

Names that begin with `_` or `.` are hidden, whether they are files or folders, and Spark skips files without bytes.
Folders below the table's location are listed at once, and each location elsewhere on its own.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.hive.files.stores import files_below
from engine.formats.hive.metadata.partitions import Partitions
from engine.formats.intake.limits import LIVE_BYTES, too_large
from engine.formats.intake.other_formats import MARKS, marks_in
from engine.formats.intake.overlapping import overlapped
from engine.formats.removal.listings import FOUND
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.uris.locations import UNCLEAR
from engine.uris.schemes import FILE

FILES: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("partition", pa.int64(), nullable=False),  # the row of the partition
        pa.field("file_bytes", pa.int64(), nullable=False),
        pa.field("modified_us", pa.int64(), nullable=False),  # since 1970, by the store's clock
        pa.field("is_nested", pa.bool_(), nullable=False),  # in a folder of the partition's folder
    ]
)
"""Columns of the data files of a table."""

_LISTERS: Final = 8
_DEEPEST: Final = 32
_HIDDEN: Final = r"(?:_[^/=]*|\.[^/]*)"
_COPYING: Final = "._COPYING_"

Lister = Callable[[str], Iterator[pa.Table]]
"""Yields all files below a location; see `stores.files_below`."""


@dataclass(frozen=True, slots=True)
class TableListing:
    """The files of a table.

    `files`: data files ordered by path, with the columns `FILES`. `marks`: folders that files of other formats mark, at
    any depth of the listed ones, with the columns `other_formats.MARKS`.
    """

    files: pa.Table
    marks: pa.Table


def data_files(partitions: Partitions, root: str, storage: Mapping[str, str]) -> TableListing:
    """List the data files of the partitions that may be opened, and the marks of other formats.

    Args:
        partitions: the partitions of a table.
        root: the table's location.
        storage: properties of file access.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        Malformed: there are too many.
        OSError: the store does not answer.
    """
    inside = partitions.table.filter(pc.invert(partitions.table["is_outside"]))
    found, marks, size = [FILES.empty_table()], [MARKS.empty_table()], 0
    for listed, marked in overlapped(
        lambda each: _listed(each, storage), _folders(inside["location"].to_pylist(), root), at_once=_LISTERS
    ):
        files = _of_partitions(listed, partitions)
        marks.append(marked)
        size += files.nbytes
        if size > LIVE_BYTES:
            raise too_large("its files take", "of memory", LIVE_BYTES)
        found.append(files)
    whole = pa.concat_tables(found).combine_chunks()
    return TableListing(whole.sort_by("path") if whole.num_rows else whole, pa.concat_tables(marks))


def files_directly_in(folder: str, storage: Mapping[str, str]) -> Mapping[str, tuple[int, int]]:
    """Return size and time in milliseconds, by path, of the files of one folder that no engine hides.

    Raises:
        NotEligible, Malformed, OSError: as `data_files`.
    """
    return _direct(folder, _listed(folder, storage)[0])


def every_file_in(folder: str, storage: Mapping[str, str]) -> Mapping[str, tuple[int, int]]:
    """Return the files of one folder as `files_directly_in` does, if no engine finds others there.

    Raises:
        Unlisted: an engine could find rows in a deeper folder, behind a link, or in a file with control characters in
            its name.
        NotEligible, Malformed, OSError: as `data_files`.
    """
    if (link := _link_in(folder)) is not None:
        raise Unlisted(f"{link[-300:]} is a link")
    every = pa.concat_tables([FOUND.empty_table(), *files_below(folder, storage)])
    every = every.filter(pc.and_not(pc.greater(every["file_bytes"], 0), _are_hidden_below(every["path"], len(folder))))
    found = _direct(folder, every.filter(pc.invert(pc.match_substring_regex(every["path"], UNCLEAR))))
    if others := every.num_rows - len(found):
        raise Unlisted(f"{others} files in {folder[-300:]} are in folders, or have control characters in their names")
    return found


def is_hidden(name: str) -> bool:
    """Return whether engines hide a file or folder of this name."""
    return re.fullmatch(_HIDDEN, name) is not None or name.endswith(_COPYING)


class Unlisted(Exception):
    """A folder can have rows that Packhouse does not list."""


def _direct(folder: str, found: pa.Table) -> Mapping[str, tuple[int, int]]:
    below = pc.match_substring(pc.utf8_slice_codeunits(found["path"], len(folder) + 1), "/")
    direct = found.filter(pc.invert(pc.or_(below, _are_hidden(found["path"], depth=0))))
    modified_ms = pc.divide(direct["modified_us"], 1000).to_pylist()
    return dict(
        zip(direct["path"].to_pylist(), zip(direct["file_bytes"].to_pylist(), modified_ms, strict=True), strict=True)
    )


def _link_in(folder: str) -> str | None:
    """Return a link directly in a folder of this machine's disks, which no listing follows; None without one."""
    address = address_of(folder)
    if address.kind != FILE:
        return None
    with suppress(FileNotFoundError), os.scandir(address.path) as entries:
        return next((each.path for each in entries if each.is_symlink() and each.name[:1] not in "._"), None)
    return None


def _are_hidden_below(paths: pa.ChunkedArray, start: int) -> pa.ChunkedArray:
    """Return for each path whether engines hide it by a name after its first `start` characters."""
    hidden = pc.match_substring_regex(pc.utf8_slice_codeunits(paths, start), rf"/{_HIDDEN}(?:/|$)")
    return pc.or_(hidden, pc.ends_with(paths, _COPYING))


def _folders(locations: Sequence[str], root: str) -> list[str]:
    """Return the folders to list: the root, if it has partitions, and the other locations, without those in others."""
    below = [each for each in locations if f"{each}/".startswith(f"{root}/") and "//" not in each[len(root) :]]
    chosen: list[str] = []
    for each in sorted(f"{each}/" for each in set(locations).difference(below)):
        if not chosen or not each.startswith(chosen[-1]):
            chosen.append(each)
    return [*([root] if below else []), *(each[:-1] for each in chosen)]


def _listed(folder: str, storage: Mapping[str, str]) -> tuple[pa.Table, pa.Table]:
    """Return the files with bytes below a folder whose paths are clear, with the schema `FOUND`, and its marks."""
    kept, marks, size = [FOUND.empty_table()], [MARKS.empty_table()], 0
    for page in files_below(folder, storage):
        if (marked := marks_in(page["path"])).num_rows:
            marks.append(marked)
        below = pc.utf8_slice_codeunits(page["path"], len(folder.rstrip("/")))
        unclear = pc.match_substring_regex(page["path"], UNCLEAR)
        unclear = pc.or_(unclear, pc.match_substring(below, "//"))  # engines leave one slash out and find no file
        kept.append(page.filter(pc.and_not(pc.greater(page["file_bytes"], 0), unclear)))
        size += kept[-1].nbytes
        if size > LIVE_BYTES:
            raise too_large("its files take", "of memory", LIVE_BYTES)
    return pa.concat_tables(kept), pa.concat_tables(marks)


def _of_partitions(listed: pa.Table, partitions: Partitions) -> pa.Table:
    """Return the listed files that are in the folder of a partition, or in folders of it; see `FILES`."""
    locations = partitions.table["location"].combine_chunks()
    found, folder = [FILES.empty_table()], listed["path"]
    for depth in range(_DEEPEST):
        if not listed.num_rows:
            break
        folder = pc.replace_substring_regex(folder, r"/[^/]*$", "")
        row = pc.index_in(folder, value_set=locations)
        owned = pc.is_valid(row)
        shown = pc.and_(owned, pc.invert(_are_hidden(listed["path"], depth)))
        mine = listed.filter(shown)
        columns = [mine["path"], row.filter(shown).cast(pa.int64()), mine["file_bytes"], mine["modified_us"]]
        found.append(pa.table([*columns, pa.repeat(depth > 0, mine.num_rows)], schema=FILES))
        listed, folder = listed.filter(pc.invert(owned)), folder.filter(pc.invert(owned))
    return pa.concat_tables(found)


def _are_hidden(paths: pa.ChunkedArray, depth: int) -> pa.ChunkedArray:
    """Return for each path whether engines hide the file, or one of the `depth` folders that it is in."""
    hidden = pc.match_substring_regex(paths, rf"/{_HIDDEN}(?:/[^/]*){{0,{depth}}}$")
    return pc.or_(hidden, pc.ends_with(paths, _COPYING))
