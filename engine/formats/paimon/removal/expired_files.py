"""Facts of Paimon about the files of expired snapshots and tags: what an expiry announces, and what is needed of them.

The list of an announcement has all files that nothing needs without the snapshots. A later step only ever removes files
from it: a file that is not in a list that was stored while the metadata was complete is never deleted. A list that is
read again is untrusted: each path is checked by `places`, and the names of needed files are looked for again.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.metadata.tags import Tag
from engine.formats.paimon.removal.expired_candidates import Candidates
from engine.formats.paimon.removal.needed import NeededFiles
from engine.formats.paimon.removal.places import DeletablePlaces
from engine.formats.paimon.removal.records import check_same, origin_of, records_of
from engine.formats.paimon.removal.roots import Root, read_roots
from engine.formats.paimon.view import TableView
from engine.formats.removal.expired_files import FoundFiles, Unread
from engine.formats.removal.file_lists import CONTENT, LISTED, FileList, ListWriter, Origin, batches_of
from engine.formats.removal.path_keys import SeenKeys, keys_of
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles

_CONTENT: Final = pa.array(sorted(each.value for each in CONTENT))


def find_unneeded(
    view: TableView,
    batches: Iterator[pa.Table],
    roots: Sequence[Root],
    places: DeletablePlaces | None,
    unread: Unread,
) -> tuple[FoundFiles, NeededFiles]:
    """Return those of some files that may be deleted and that no root needs; without places, by the roots only.

    `unread` are the files whose content is not known; they are part of the answer, and so is what is needed.

    Raises:
        Malformed: a manifest or list of a root can't be read.
        OSError: the store does not answer.
    """
    refused, seen = RefusedFiles(), SeenKeys()
    allowed = [LISTED.empty_table()]
    for batch in batches:
        some = batch if places is None else places.allowed(batch, refused)
        allowed.append(some.filter(pa.array(seen.add(keys_of(some["path"])))))
    files = pa.concat_tables(allowed)
    names, is_content = _names(files), pc.is_in(files["kind"], value_set=_CONTENT)
    needed = NeededFiles(names, has_content=bool(pc.any(is_content).as_py()))
    needed.look(view, roots)
    is_needed = needed.are_needed(names)
    free = ListWriter(origin_of(view))
    free.add(files.filter(pc.invert(is_needed)))
    kept = pc.sum(pc.and_(is_needed, is_content)).as_py() or 0
    return FoundFiles(free.finish(), refused, kept, unread), needed


def preview(
    view: TableView,
    expired: Sequence[Snapshot],
    following: Snapshot | None,
    places: DeletablePlaces | None,
    tags: Sequence[Tag] = (),
) -> FoundFiles:
    """Return which files would be deleted if these snapshots, the oldest, and tags expired now. Nothing is written.

    `following` is the oldest snapshot that stays; None if no snapshot expires. Raises as `find_unneeded`.
    """
    unread, gone, tagged = Unread(), {each.id for each in expired}, {each.path for each in tags}
    roots = [each for each in read_roots(view.files) if not (each.is_main and each.snapshot.id in gone)]
    roots = [each for each in roots if each.path not in tagged]
    candidates = Candidates(view, unread)
    of_snapshots = iter(()) if following is None else candidates.find(expired, following)
    batches = chain(of_snapshots, candidates.find_of_tags([each.snapshot for each in tags]))
    return find_unneeded(view, batches, roots, places, unread)[0]


class PaimonExpired:
    """Facts of Paimon about the files of one run, an `ExpirySource`; `load` returns the table's current version."""

    def __init__(self, *, load: Callable[[], TableView], run_id: str, places: DeletablePlaces, unread: Unread) -> None:
        """Take the run; `unread` gets the files of expiring snapshots that `announce` can't read."""
        self._load = load
        self._run_id = run_id
        self._places = places
        self._unread = unread
        self._view: TableView
        self._needed: NeededFiles

    def announce(self, view: TableView, expired: Sequence[Snapshot], following: Snapshot) -> None:
        """Store the files that nothing needs without these snapshots. Raises as `preview`; none may be removed then."""
        self._announce(view, preview(view, expired, following, None))

    def announce_tags(self, view: TableView, tags: Sequence[Tag]) -> None:
        """Store the files that nothing needs without these tags. Raises as `announce`."""
        self._announce(view, preview(view, (), None, None, tags))

    def _announce(self, view: TableView, found: FoundFiles) -> None:  # `find` applies the places
        self._unread.include(found.unread)
        records_of(view.files, self._run_id).write_roots(found.files)

    def records(self) -> Records:
        """Return the lists of the run. Raises OSError."""
        return records_of(self._load().files, self._run_id)

    def begin(self) -> Records:
        """Load the table, and return the lists of the run: no option of a table forbids to delete files."""
        self._view = self._load()
        return records_of(self._view.files, self._run_id)

    def check_same(self, origin: Origin) -> None:
        """Raise `TableReplaced` unless the table is that of a stored list."""
        check_same(self._view, origin)

    def find(self, roots: Sequence[FileList]) -> FoundFiles:
        """Return the announced files that may be deleted and that nothing needs. Raises as `find_unneeded`."""
        found, self._needed = find_unneeded(
            self._view, batches_of(roots), read_roots(self._view.files), self._places, self._unread
        )
        return found

    def check(self, stored: FileList) -> FoundFiles:
        """Return the files of a stored list that may be deleted and that nothing needs. Raises as `find_unneeded`."""
        return self.find([stored])

    def references(self, files: FileList) -> "_TableReferences":
        """Return what the table needs of these files from now on."""
        return _TableReferences(files.origin, self._needed, self._load)


class _TableReferences:
    """The files of a list that the roots of a table need, a `References`; `load` returns its current version."""

    def __init__(self, origin: Origin, needed: NeededFiles, load: Callable[[], TableView]) -> None:
        self._origin = origin
        self._needed = needed
        self._load = load

    def refresh(self, *, deletes: bool) -> None:  # noqa: ARG002 - no option of a table forbids it
        """Read all roots that are new. Raises as `find_unneeded`, and `TableReplaced`."""
        view = self._load()
        check_same(view, self._origin)
        self._needed.look(view, read_roots(view.files))

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether a root needs one of its name."""
        return np.asarray(self._needed.are_needed(_names(files)), np.bool_)


def _names(files: pa.Table) -> pa.Array:
    """Return the name of each file: what follows the last slash of its path."""
    return pc.replace_substring_regex(files["path"].combine_chunks(), "(?s)^.*/", "")
