"""Find position-delete files that no longer apply to any live data file once a rewrite is committed on a head.

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
from engine.formats.iceberg.manifests.decoding import DELETED, ENTRIES, POSITION_DELETES
from engine.formats.iceberg.metadata.deletes import apply_to_nothing
from engine.formats.iceberg.metadata.views import TableView

_COLUMNS: Final = ["path", "spec_id", "partition", "sequence_number", "file_sequence_number"]
_DATA: Final = pa.schema([ENTRIES.field(name) for name in _COLUMNS])


def dangling_deletes(
    view: TableView, places: AbstractSet[Place], *, run_id: str, going: Sequence[str]
) -> Mapping[ManifestFile, pa.Table]:
    """Return the delete files of these partitions that will apply to nothing, by the manifest that lists them.

    Args:
        view: the head that the commit is based on.
        places: partitions whose data files are replaced.
        run_id: the committing run; no delete file references its new files yet.
        going: paths of the data files to be removed.
    """
    manifests = view.manifests(view.head)
    listed = [each for each in manifests if each.content == ManifestContent.DELETES and each.key_metadata is None]
    deletes = {
        manifest: found
        for manifest, entries in zip(listed, view.reader.each(listed), strict=True)
        if (found := _of_places(entries, places)).num_rows
    }
    if not deletes:
        return {}
    every = pa.concat_tables(deletes.values()).unify_dictionaries()
    data = _data(view, manifests, places, targets=every["target"].drop_null(), going=pa.array(going, pa.string()))
    is_ours = is_of_run(data, run_id)
    is_dangling = apply_to_nothing(data.filter(pc.invert(is_ours)), every, new=data.filter(is_ours))
    names = every["path"].filter(pa.array(is_dangling))
    dangling = {
        manifest: entries.filter(pc.is_in(entries["path"], value_set=names)) for manifest, entries in deletes.items()
    }
    return {manifest: entries for manifest, entries in dangling.items() if entries.num_rows}


def is_of_run(entries: pa.Table, run_id: str) -> pa.ChunkedArray:
    """Return a mask of the data files that a run wrote, by their names, which are never reused."""
    return pc.match_substring(entries["path"], in_paths_of(run_id))


def _of_places(entries: pa.Table, places: AbstractSet[Place]) -> pa.Table:
    wanted = pc.and_(pc.equal(entries["content"], POSITION_DELETES), pc.not_equal(entries["status"], DELETED))
    return entries.filter(pc.and_(wanted, _is_in_places(entries, places)))


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
