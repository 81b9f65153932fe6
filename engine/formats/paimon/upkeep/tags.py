"""Remove the tags of a Paimon table that are past the time for which they were to be retained, as Paimon's expire does.

Only tags of the main branch, and only those that have such a time: their creator has set it. Paimon's writers remove
them with a commit, unless they have `write-only`. Before a tag is removed, its files are listed and stored, as those of
expired snapshots.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from engine.domain.runs.expiry import Expiry, Needed, instant
from engine.formats.base import Condition
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.metadata.documents import Documents, read_document
from engine.formats.paimon.metadata.known_options import Activity
from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.metadata.tags import Tag, parse_tag
from engine.formats.paimon.view import TableView

_PREFIX: Final = "tag-"

AnnounceTags = Callable[[TableView, Sequence[Tag]], None]


def tags_over(view: TableView, expiry: Expiry) -> Mapping[str, datetime]:
    """Return the tags that may be removed, with the end of their time, earliest first.

    A purge, whose rule overrides the retention of the table, removes no tags. Raises `Malformed`.
    """
    if expiry.rule.overrides or expiry.only is not None:
        return {}
    over = [(each.retained_until, each.name) for each in _over(view, read_tags(view.files), expiry)]
    return {name: until for until, name in sorted(over) if until is not None}


def read_tags(files: TableFiles, names: Sequence[str] | None = None) -> Sequence[Tag]:
    """Return tags of the main branch, by default all; those that are removed at the same time are left out.

    Raises:
        Malformed: one can't be read, or there are too many, or they are too large.
        Transient: one is being written.
        OSError: the store does not answer.
    """
    if names is None:
        found = (each for each in files.storage.files(f"{files.location}/tag") if each.startswith(_PREFIX))
        names = [each.removeprefix(_PREFIX) for each in found]
    return Documents(files).read([_path_of(files, each) for each in names], _parsed)


def expire_tags(
    load: Callable[[], TableView],
    names: Sequence[str],
    expiry: Expiry,
    *,
    before_try: Callable[[], None],
    announce: AnnounceTags | None = None,
) -> Sequence[Condition]:
    """Remove those of the tags whose time is over; see `formats.base.SnapshotExpiry.expire_tags`.

    `announce` is called once before the first is removed, with the view and the tags.

    Raises:
        Malformed: a tag can't be read.
        OSError: the store does not answer; some may be gone.
    """
    view, wanted = load(), frozenset(names)
    gone = [each for each in _over(view, read_tags(view.files), expiry) if each.name in wanted]
    if not gone:
        return ()
    if announce is not None:
        announce(view, gone)
    for each in gone:
        before_try()
        if read_document(view.files, each.path, partial(_parsed, each.path)) == each:
            try:
                view.files.storage.delete(each.path)
            except FileNotFoundError:
                continue
    left = [each for each in read_tags(view.files, [each.name for each in gone]) if each in gone]
    return (Condition("expired_tags_are_gone", not left, f"{len(gone) - len(left)} of {len(gone)} are gone"),)


def retained_tags(files: TableFiles, names: Sequence[str]) -> frozenset[str]:
    """Return those of the tags that the table has now. Raises OSError."""
    stored = files.storage.files(f"{files.location}/tag")
    return frozenset(names) & {each.removeprefix(_PREFIX) for each in stored if each.startswith(_PREFIX)}


def _over(view: TableView, tags: Sequence[Tag], expiry: Expiry) -> Iterator[Tag]:
    if view.option_problems(Activity.TAGS):  # the core would do more (`AbstractFileStore.createTagCallbacks`)
        return
    read_since = _read_since(tags, expiry.needed)
    for each in tags:
        is_over = each.retained_until is not None and expiry.now > each.retained_until
        if is_over and not _is_needed(each.snapshot, expiry.needed, read_since):
            yield each


def _read_since(tags: Sequence[Tag], needed: Needed) -> datetime | None:
    """Return from which commit on readers need tags: from the last one before the time since when they read."""
    if needed.readers_since is None:
        return None
    times = [instant(each.snapshot.committed_at_ms) for each in tags]
    return max((each for each in times if each <= needed.readers_since), default=needed.readers_since)


def _is_needed(snapshot: Snapshot, needed: Needed, read_since: datetime | None) -> bool:
    """Return whether a run or a reader needs the snapshot of a tag; a reader needs all newer ones as well."""
    is_read = bool(needed.reader_ids) and snapshot.id >= min(needed.reader_ids)
    is_late = read_since is not None and instant(snapshot.committed_at_ms) >= read_since
    return is_read or is_late or snapshot.id in needed.ids


def _path_of(files: TableFiles, name: str) -> str:
    return f"{files.location}/tag/{_PREFIX}{name}"


def _parsed(path: str, body: bytes) -> Tag:
    return parse_tag(body, name=path.rpartition("/")[2].removeprefix(_PREFIX), path=path)
