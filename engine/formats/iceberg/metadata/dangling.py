"""Find delete files and deletion vectors that no longer apply to any live data file once a rewrite is committed.

Readers needlessly open such a file for every data file it might apply to. Iceberg's procedure uses only data sequence
numbers, so it keeps deletes of its own starting snapshot until the next rewrite. Here a delete file that is older than
the committing run's files does not count as applying to them: it can't reference them. Computed for each try of a
commit, on its parent snapshot, and only for partitions whose files the commit replaces.

Equality-delete files and encrypted manifests are left unchanged.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.output_names import in_paths_of
from engine.formats.iceberg.manifests.decoding import (
    DELETED,
    ENTRIES,
    FIRST_WITH_VECTORS,
    POSITION_DELETES,
    are_vectors,
    identity_keys,
)
from engine.formats.iceberg.manifests.reading import live as live_entries
from engine.formats.iceberg.metadata.deletes import apply_to_nothing
from engine.formats.iceberg.metadata.views import TableView

_COLUMNS: Final = ["path", "spec_id", "partition", "sequence_number", "file_sequence_number"]
_DATA: Final = pa.schema([ENTRIES.field(name) for name in _COLUMNS])


def leaving_deletes(
    view: TableView, places: AbstractSet[Place], *, run_id: str, going: Sequence[str], drops_dangling: bool
) -> Mapping[ManifestFile, pa.Table]:
    """Return the delete entries to remove with data files, by the manifest that lists them.

    These are the deletion vectors of the data files, which the specification requires to go in the same snapshot, and
    on request the delete files of these partitions that will apply to nothing.

    Args:
        view: the head that the commit is based on.
        places: partitions whose data files are replaced.
        run_id: the committing run; no delete file references its new files yet.
        going: paths of the data files to be removed.
        drops_dangling: whether delete files that will apply to nothing are requested too.
    """
    manifests = view.manifests(view.head)
    listed = [each for each in manifests if each.content == ManifestContent.DELETES and each.key_metadata is None]
    if not listed or not (drops_dangling or view.metadata.format_version >= FIRST_WITH_VECTORS):
        return {}
    removed = pa.array(going, pa.string())
    live = {each: live_entries(entries) for each, entries in zip(listed, view.reader.each(listed), strict=True)}
    useless = pa.array([], pa.string())
    if drops_dangling:
        deletes = [_of_places(each, places) for each in live.values()]
        useless = _dangling(view, manifests=manifests, places=places, deletes=deletes, run_id=run_id, going=removed)
    leaving = {
        manifest: entries.filter(pc.or_(_are_vectors_of(entries, removed), pc.is_in(identity_keys(entries), useless)))
        for manifest, entries in live.items()
    }
    return {manifest: entries for manifest, entries in leaving.items() if entries.num_rows}


def _are_vectors_of(entries: pa.Table, paths: pa.Array) -> pa.ChunkedArray:
    return pc.and_(are_vectors(entries), pc.is_in(entries["target"], value_set=paths))


def _dangling(
    view: TableView,
    *,
    manifests: Sequence[ManifestFile],
    places: AbstractSet[Place],
    deletes: Sequence[pa.Table],
    run_id: str,
    going: pa.Array,
) -> pa.Array:
    """Return the identities (`identity_keys`) of those of the delete files that will apply to nothing."""
    every = pa.concat_tables([ENTRIES.empty_table(), *deletes]).unify_dictionaries()
    if not every.num_rows:
        return pa.array([], pa.string())
    data = _data(view, manifests, places, targets=every["target"].drop_null(), going=going)
    is_ours = is_of_run(data, run_id)
    is_dangling = apply_to_nothing(data.filter(pc.invert(is_ours)), every, new=data.filter(is_ours))
    return identity_keys(every).filter(pa.array(is_dangling)).combine_chunks()


def is_of_run(entries: pa.Table, run_id: str) -> pa.ChunkedArray:
    """Return a mask of the data files that a run wrote, by their names, which are never reused."""
    return pc.match_substring(entries["path"], in_paths_of(run_id))


def _of_places(entries: pa.Table, places: AbstractSet[Place]) -> pa.Table:
    return entries.filter(pc.and_(pc.equal(entries["content"], POSITION_DELETES), _is_in_places(entries, places)))


def _data(
    view: TableView,
    manifests: Sequence[ManifestFile],
    places: AbstractSet[Place],
    *,
    targets: pa.ChunkedArray,
    going: pa.Array,
) -> pa.Table:
    """Return the remaining live data files of the partitions, and those of others that a delete file references."""
    parts = []
    for entries in view.reader.each([each for each in manifests if each.content == ManifestContent.DATA]):
        may_count = pc.or_(_is_in_places(entries, places), pc.is_in(entries["path"], value_set=targets))
        stays = pc.invert(pc.is_in(entries["path"], value_set=going))
        is_live = pc.not_equal(entries["status"], DELETED)
        parts.append(entries.select(_COLUMNS).filter(pc.and_(is_live, pc.and_(stays, may_count))))
    return pa.concat_tables([_DATA.empty_table(), *parts])


def _is_in_places(entries: pa.Table, places: AbstractSet[Place]) -> pa.ChunkedArray:
    """Return a mask of the entries in these partitions; compares each distinct partition text once."""
    spec_ids = set(entries["spec_id"].unique().to_pylist())  # a manifest has one spec
    texts = pa.array([partition for spec_id, partition in places if spec_id in spec_ids], pa.string())
    column = entries["partition"]
    found = [pc.is_in(chunk.dictionary, value_set=texts).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(found, pa.bool_())
