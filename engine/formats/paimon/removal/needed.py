"""Find out which of many files the snapshots, tags, branches and changelogs of a table need, by the files' names.

Names of files are unique in a table. A file that has the name of a needed one in another folder is kept too.

A snapshot needs its manifest lists, the manifests in them, its index manifest with the index files, its statistics, its
changelog files while their list exists, the files that are live in it, and those that its own changes added: streaming
readers read these. A data file needs its extra files. A tag needs neither changelog files nor what the changes of its
snapshot added: Paimon deletes the changelog files of a snapshot when it expires, and never those of a tag.

Manifests are read once, and of their entries only those of files in question are kept.
"""

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.overlapping import overlapped
from engine.formats.paimon.manifests.entries import ADD
from engine.formats.paimon.manifests.lists import ManifestRef
from engine.formats.paimon.removal.entries import FILES, live_entries, read_files, read_indexes
from engine.formats.paimon.removal.roots import Root, SeenRoots, changelog_manifests
from engine.formats.paimon.view import TableView

_READERS = 8


class NeededFiles:
    """The needed ones of some files; a file that was found to be needed once stays so.

    `names` are those of the files in question, without null. `has_content`: whether one of them is named by a manifest.
    """

    def __init__(self, names: pa.Array, *, has_content: bool) -> None:
        self._names = names.unique()
        self._has_content = has_content
        self._needed: set[str] = set()
        self._seen = SeenRoots()
        self._entries: dict[str, pa.Table] = {}

    def are_needed(self, names: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
        """Return for each name whether it is needed."""
        return pc.is_in(names, value_set=pa.array(sorted(self._needed), pa.string()))

    def look(self, view: TableView, roots: Sequence[Root]) -> None:
        """Mark the files that roots need. Those that were looked at before are not read again.

        Raises:
            Malformed: a manifest or list of a root that is still there can't be read; the message names it.
            OSError: the store does not answer.
        """
        self._seen.look(view.files, roots, lambda root: self._look_at(view, root))

    def _look_at(self, view: TableView, root: Root) -> None:
        snapshot, reader = root.snapshot, view.reader
        changes = None if root.is_tag else snapshot.changelog
        lists = [each for each in (snapshot.base, snapshot.delta, changes) if each is not None]
        self._mark(each.name for each in lists)
        self._mark(each for each in (snapshot.index_manifest, snapshot.statistics) if each is not None)
        base, delta = list(reader.listed(snapshot.base)), list(reader.listed(snapshot.delta))
        changelog = [] if changes is None else list(changelog_manifests(reader, snapshot))
        self._mark(each.name for each in (*base, *delta, *changelog))
        if snapshot.index_manifest is not None:
            indexes = reader.decoded(snapshot.index_manifest, None, read_indexes)
            self._mark_table(indexes["name"])
        if self._has_content:
            self._mark_files(live_entries(self._read(view, [*base, *delta])))
            if not root.is_tag:
                self._mark_files(_added(self._read(view, [*delta, *changelog])))

    def _read(self, view: TableView, manifests: Sequence[ManifestRef]) -> pa.Table:
        """Return the entries of files in question."""
        new = [each for each in dict.fromkeys(manifests) if each.name not in self._entries]

        def read(each: ManifestRef) -> pa.Table:
            return self._concerning(view.reader.decoded(each.name, each.file_bytes, read_files))

        for each, entries in zip(new, overlapped(read, new, at_once=_READERS), strict=True):
            self._entries[each.name] = entries
        some = [each for name in dict.fromkeys(m.name for m in manifests) if (each := self._entries[name]).num_rows]
        return pa.concat_tables([FILES.empty_table(), *some])

    def _concerning(self, entries: pa.Table) -> pa.Table:
        is_named = pc.is_in(entries["name"], value_set=self._names)
        extras = entries["extra_files"].combine_chunks()
        flat = pc.list_flatten(extras)
        if len(flat):
            rows = pc.list_parent_indices(extras).filter(pc.is_in(flat, value_set=self._names))
            numbers = pa.array(range(entries.num_rows), pa.int64())
            is_named = pc.or_(is_named, pc.is_in(numbers, value_set=rows.cast(pa.int64())))
        return entries.filter(is_named)

    def _mark_files(self, entries: pa.Table) -> None:
        self._mark_table(entries["name"])
        self._mark_table(pc.list_flatten(entries["extra_files"]))

    def _mark_table(self, names: pa.ChunkedArray | pa.Array) -> None:
        self._needed.update(names.filter(pc.is_in(names, value_set=self._names)).to_pylist())

    def _mark(self, names: Iterable[str]) -> None:
        self._mark_table(pa.array(list(names), pa.string()))


def _added(entries: pa.Table) -> pa.Table:
    return entries.filter(pc.equal(entries["kind"], ADD))
