"""Iceberg tables of format version 3 without Spark: upgraded by hand, appended to by Packhouse's own writers.

PyIceberg (0.12) writes no table of version 3.
"""

import io
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile, ManifestContent, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table.snapshots import Operation, Summary

from engine.formats.base import WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot
from engine.formats.iceberg.commits.tries import Proposal
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.lineage import first_row_id
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.puffin_files import VectorBlob, puffin_of, vector_files
from tests.support.deletion_vectors import blob_of
from tests.support.iceberg_tables import Lake, edit_metadata, group_of, nothing
from tests.support.kernel_groups import written_by_kernel

STRANGER = "run_0000000000000000000stranger"
FOREIGN = {"a-field-of-the-future": {"kept": [1, 2.5, None]}}


def upgrade(lake: Lake, name: str = "orders", **fields: Any) -> None:
    """Give a table format version 3, as an upgrade does: its files have no row ids yet."""
    edit_metadata(lake.load(name), lambda body: body.update({"format-version": 3, "next-row-id": 0, **fields}))


def document_of(lake: Lake, name: str = "orders") -> dict[str, Any]:
    """Return a table's metadata file."""
    found: dict[str, Any] = json.loads(Path(lake.load(name).metadata_location.removeprefix("file://")).read_text())
    return found


Listing = Callable[[SnapshotFiles, list[ManifestFile]], list[ManifestFile]]


def touch(opened: IcebergTable, change: Listing = lambda _, manifests: manifests) -> int:
    """Commit a snapshot that changes no file, as a stranger would; return its id. `change`: of its manifest list."""

    def stage(view: TableView) -> Any:
        files = SnapshotFiles(view, STRANGER, 1)
        return files.write_list(change(files, view.manifests(view.head)), Summary(Operation.APPEND))

    done = opened._tries().commit(lambda view: Proposal(None, lambda: stage(view)), before_try=nothing)
    assert done.snapshot is not None
    return done.snapshot.snapshot_id


def commit_vectors(
    opened: IcebergTable,
    deleted: Mapping[str, Sequence[int]],
    *,
    sequence_number: int | None = None,
    change: Callable[[DataFile], None] = lambda _: None,
) -> None:
    """Commit deletion vectors of data files of one spec in one Puffin file, as a writer with merge-on-read does.

    `change`: makes the files in the manifest's entries wrong.
    """
    rows = {row["path"]: row for row in opened.digest().to_pylist()}
    (spec_id,) = {rows[path]["spec_id"] for path in deleted}

    def stage(view: TableView) -> StagedSnapshot:
        files, codec = SnapshotFiles(view, STRANGER, 1), view.codecs[spec_id]
        blobs = [VectorBlob(blob_of(positions), path, len(positions)) for path, positions in deleted.items()]
        puffin = puffin_of(blobs, created_by="a test")
        path = f"{view.metadata.location}/data/{uuid.uuid4()}-deletes.puffin"
        with view.table.io.new_output(path).create() as output:
            output.write(puffin.body)
        partitions = [codec.decode(rows[each.target]["partition"]) for each in blobs]
        with files.delete_manifest_writer(spec_id) as writer:
            for file in vector_files(blobs, puffin, path=path, spec_id=spec_id, partitions=partitions):
                change(file)
                entry = {"status": ManifestEntryStatus.ADDED, "snapshot_id": files.snapshot_id, "data_file": file}
                writer.add(ManifestEntry.from_args(**entry, sequence_number=sequence_number))
        manifests = [writer.to_manifest_file(), *view.manifests(view.head)]
        return files.write_list(manifests, Summary(Operation.DELETE))

    opened._tries().commit(lambda view: Proposal(None, lambda: stage(view)), before_try=nothing)


def entries_of(opened: IcebergTable, *, content: ManifestContent = ManifestContent.DATA) -> list[ManifestEntry]:
    """Return all entries of a table's head, with resolved first row ids."""
    view = opened._view
    manifests = [each for each in view.manifests(view.head) if each.content == content]
    return [each for _, entries in view.full_entries(manifests, discard_deleted=False) for each in entries]


def row_ids(opened: IcebergTable) -> Mapping[str, int | None]:
    """Return the first row id of each live data file, by path."""
    live = [each for each in entries_of(opened) if each.status != ManifestEntryStatus.DELETED]
    return {each.data_file.file_path: first_row_id(each.data_file) for each in live}


def listed_ids(opened: IcebergTable) -> list[int | None]:
    """Return the first row ids in the manifest list of the head, in order."""
    return [first_row_id_of(each) for each in opened._view.manifests(opened._view.head)]


def written_group(opened: IcebergTable, paths: Sequence[str], *, ordinal: int = 0) -> WrittenGroup:
    """Run the kernel on these files as one group, and return it."""
    return written_by_kernel(opened, group_of(opened, paths, ordinal=ordinal))


def lineage(opened: IcebergTable) -> Mapping[int, tuple[int, int]]:
    """Return the row id and sequence number of each stored row by its `id`, those of deleted rows included."""
    found: dict[int, tuple[int, int]] = {}
    view = opened._view
    for row in view.reader.live([each for each in view.manifests(view.head) if not each.content]).to_pylist():
        with view.table.io.new_input(row["path"]).open() as file:
            stored = pq.read_table(io.BytesIO(file.read()))
        for at, each in enumerate(stored.to_pylist()):
            inherited = row["first_row_id"] + at, row["sequence_number"]
            own = each.get("_row_id"), each.get("_last_updated_sequence_number")
            found[each["id"]] = tuple(b if a is None else a for a, b in zip(own, inherited, strict=True))  # type: ignore[assignment]
    return found
