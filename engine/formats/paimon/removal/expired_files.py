"""Delete the files that only expired snapshots of a Paimon table needed; the steps can be repeated by another process.

1. `announce`, before snapshots are removed: stores the list of the files that nothing needs without them.
2. `record`, after the last snapshot: takes from these lists what nothing needs now, and stores the result.
3. `unneeded`: looks at all snapshots, tags, branches and changelogs before each part of the list.
4. `prove`: looks at them after the deletion.

A step after the first only ever removes files from a list: a file that is not in a list that was stored while the
metadata was complete is never deleted. A list that is read again is untrusted: each path is checked by `places`, and
the names of needed files are looked for again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.removals import FileCount, RemovalPlan
from engine.formats.base import Condition
from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.metadata.tags import Tag
from engine.formats.paimon.removal.expired_candidates import Candidates
from engine.formats.paimon.removal.needed import NeededFiles
from engine.formats.paimon.removal.places import DeletablePlaces
from engine.formats.paimon.removal.records import check_same, origin_of, records_of
from engine.formats.paimon.removal.roots import Root, read_roots
from engine.formats.paimon.view import TableView
from engine.formats.removal.file_lists import CONTENT, LISTED, FileList, ListWriter
from engine.formats.removal.path_keys import SeenKeys, keys_of
from engine.formats.removal.plans import Unread, plan_of
from engine.formats.removal.scopes import RefusedFiles
from engine.formats.removal.unneeded import UnneededFiles

_CONTENT: Final = pa.array(sorted(each.value for each in CONTENT))


@dataclass(frozen=True, slots=True)
class Unneeded:
    """Files referenced only by expired snapshots, and those excluded by path."""

    files: FileList
    refused: RefusedFiles
    still_needed: int
    needed: NeededFiles


def find_unneeded(
    view: TableView, batches: Iterator[pa.Table], roots: Sequence[Root], places: DeletablePlaces | None
) -> Unneeded:
    """Return those of some files that may be deleted and that no root needs; without places, by the roots only.

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
    return Unneeded(free.finish(), refused, kept, needed)


def preview(
    view: TableView,
    expired: Sequence[Snapshot],
    following: Snapshot | None,
    places: DeletablePlaces | None,
    tags: Sequence[Tag] = (),
) -> tuple[Unneeded, Unread]:
    """Return which files would be deleted if these snapshots, the oldest, and tags expired now. Nothing is written.

    `following` is the oldest snapshot that stays; None if no snapshot expires. Raises as `find_unneeded`.
    """
    unread, gone, tagged = Unread(), {each.id for each in expired}, {each.path for each in tags}
    roots = [each for each in read_roots(view.files) if not (each.is_main and each.snapshot.id in gone)]
    roots = [each for each in roots if each.path not in tagged]
    candidates = Candidates(view, unread)
    of_snapshots = iter(()) if following is None else candidates.find(expired, following)
    batches = chain(of_snapshots, candidates.find_of_tags([each.snapshot for each in tags]))
    return find_unneeded(view, batches, roots, places), unread


class ExpiredFiles:
    """The deletion for one run of a table; `load` returns the current version of the table."""

    def __init__(self, *, load: Callable[[], TableView], run_id: str, places: DeletablePlaces, unread: Unread) -> None:
        """Take the run; `unread` gets the files of expiring snapshots that `announce` can't read."""
        self._load = load
        self._run_id = run_id
        self._places = places
        self._unread = unread
        self._unneeded: UnneededFiles | None = None

    def announce(self, view: TableView, expired: Sequence[Snapshot], following: Snapshot) -> None:
        """Store the files that nothing needs without these snapshots. Raises as `preview`; none may be removed then."""
        self._announce(view, *preview(view, expired, following, None))

    def announce_tags(self, view: TableView, tags: Sequence[Tag]) -> None:
        """Store the files that nothing needs without these tags. Raises as `announce`."""
        self._announce(view, *preview(view, (), None, None, tags))

    def _announce(self, view: TableView, found: Unneeded, unread: Unread) -> None:  # `record` applies the places
        self._unread.include(unread)
        records_of(view.files, self._run_id).write_roots(found.files)

    def is_pending(self) -> bool:
        """Return whether something is stored that is not deleted yet. Raises OSError."""
        return records_of(self._load().files, self._run_id).has_roots()

    def looking(self, before_page: Callable[[int], None]) -> Iterator[None]:  # noqa: ARG002 - nothing is listed
        """Yield nothing: the files are found in the metadata."""
        return iter(())

    def gone(self) -> Mapping[str, FileCount]:
        """Return nothing: an attempt that follows another continues with its list."""
        return {}

    def record(self) -> RemovalPlan:
        """Store the list of files that are deleted.

        Raises:
            TableReplaced: another table has this name now.
            Malformed, OSError: as `find_unneeded`.
        """
        view = self._load()
        records = records_of(view.files, self._run_id)
        lists = records.roots()
        for each in lists:
            check_same(view, each.origin)
        batches = (batch for each in lists for batch in each.batches())
        found = find_unneeded(view, batches, read_roots(view.files), self._places)
        self._unneeded = UnneededFiles(found.files, _TableReferences(found, self._load))
        path = records.write_files(found.files) if lists else ""
        return plan_of(found.files, self._unread, found.refused, found.still_needed, path=path)

    def unneeded(self) -> Iterator[pa.Table]:
        """Yield the recorded files that nothing needs now; see `UnneededFiles.batches`. Raises as `record`."""
        return self._recorded.batches()

    def prove(self) -> Sequence[Condition]:
        """Return whether anything needs a file that was sent for deletion. Raises as `record`."""
        return self._recorded.prove()

    def close(self) -> None:
        """Remove the records that only a repetition needs; the list of deleted files stays. Raises OSError."""
        records_of(self._load().files, self._run_id).remove_roots()

    @property
    def _recorded(self) -> UnneededFiles:
        if self._unneeded is None:
            raise ValueError("nothing is recorded yet")
        return self._unneeded


class _TableReferences:
    """The files of a list that the roots of a table need, a `References`; `load` returns its current version."""

    def __init__(self, found: Unneeded, load: Callable[[], TableView]) -> None:
        self._found = found
        self._load = load

    def refresh(self, *, deletes: bool) -> None:  # noqa: ARG002 - no option of a table forbids it
        """Read all roots that are new. Raises as `ExpiredFiles.record`."""
        view = self._load()
        check_same(view, self._found.files.origin)
        self._found.needed.look(view, read_roots(view.files))

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each file whether a root needs one of its name."""
        return np.asarray(self._found.needed.are_needed(_names(files)), np.bool_)


def _names(files: pa.Table) -> pa.Array:
    """Return the name of each file: what follows the last slash of its path."""
    return pc.replace_substring_regex(files["path"].combine_chunks(), "(?s)^.*/", "")
