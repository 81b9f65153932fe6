"""Iceberg tables of format version 3 without Spark: upgraded by hand, appended to by Packhouse's own writers.

PyIceberg (0.12) writes no table of version 3.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestEntryStatus
from pyiceberg.table.snapshots import Operation, Summary

from engine.formats.base import WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles
from engine.formats.iceberg.commits.tries import Proposal
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.lineage import first_row_id
from engine.formats.iceberg.metadata.views import TableView
from tests.support.iceberg_tables import Lake, edit_metadata, group_of, nothing, write_group

FOREIGN = {"a-field-of-the-future": {"kept": [1, 2.5, None]}}


def upgrade(lake: Lake, name: str = "orders", **fields: Any) -> None:
    """Give a table format version 3, as an upgrade does: its files have no row ids yet."""
    edit_metadata(lake.load(name), lambda body: body.update({"format-version": 3, "next-row-id": 0, **fields}))


def document_of(lake: Lake, name: str = "orders") -> dict[str, Any]:
    """Return a table's metadata file."""
    found: dict[str, Any] = json.loads(Path(lake.load(name).metadata_location.removeprefix("file://")).read_text())
    return found


def touch(opened: IcebergTable) -> int:
    """Commit a snapshot that changes no file, as a stranger would; return its id."""

    def stage(view: TableView) -> Any:
        files = SnapshotFiles(view, "run_0000000000000000000stranger", 1)
        return files.write_list(view.manifests(view.head), Summary(Operation.APPEND))

    done = opened._tries().commit(lambda view: Proposal(None, lambda: stage(view)), before_try=nothing)
    assert done.snapshot is not None
    return done.snapshot.snapshot_id


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
    """Return a group whose plan has the row ids of the table as it is opened, written by a task without row ids."""
    ids = row_ids(opened)
    group = group_of(opened, paths, ordinal=ordinal)
    inputs = tuple(replace(each, first_row_id=ids[each.path]) for each in group.inputs)
    return write_group(opened, replace(group, inputs=inputs))
