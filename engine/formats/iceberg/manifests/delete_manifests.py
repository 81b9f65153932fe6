"""Rewrite a manifest of delete files without some of them.

Entries are copied unchanged: the Avro schema of the original writer, its header and every field, including those that
PyIceberg does not support (it writes no delete manifests, and reads them without `referenced_data_file`). Only status,
snapshot and sequence numbers change: kept files become EXISTING with their inherited numbers, removed files become
DELETED by our snapshot.
"""

import io
import json
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import fastavro
from pyiceberg.manifest import UNASSIGNED_SEQ, ManifestContent, ManifestFile

from engine.domain.errors import Fatal
from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.decoding import ADDED, DELETED, EXISTING, DeleteIdentity
from engine.formats.intake.avro.blocks import schema_of, with_schema


@dataclass
class DeleteManifest:
    """The new manifest: its bytes, and the figures for its entry in the manifest list."""

    body: bytes
    existing: list[int]
    """Row counts of the kept files."""

    deleted: list[int]
    """Row counts of the removed files."""

    least_number: int
    """The least data sequence number of the kept files; `UNASSIGNED_SEQ` if there are none."""

    def listed(self, old: ManifestFile, *, path: str, snapshot_id: int) -> ManifestFile:
        """Return its entry in the manifest list; keeps the old partition bounds, which are valid for fewer files."""
        return ManifestFile.from_args(
            manifest_path=path,
            manifest_length=len(self.body),
            partition_spec_id=old.partition_spec_id,
            content=ManifestContent.DELETES,
            sequence_number=UNASSIGNED_SEQ,
            min_sequence_number=self.least_number,
            added_snapshot_id=snapshot_id,
            added_files_count=0,
            existing_files_count=len(self.existing),
            deleted_files_count=len(self.deleted),
            added_rows_count=0,
            existing_rows_count=sum(self.existing),
            deleted_rows_count=sum(self.deleted),
            partitions=old.partitions,
            key_metadata=None,
        )


def without(
    body: bytes, gone: AbstractSet[DeleteIdentity], *, manifest: ManifestFile, snapshot_id: int, codec: str
) -> DeleteManifest:
    """Return a manifest with the live entries of another, those in `gone` marked as deleted by a snapshot.

    Args:
        body: the manifest's file, as returned by `avro_blocks.readable`.
        gone: the identities of live delete files and deletion vectors in it.
        manifest: its entry in the manifest list, which entries inherit from.
        snapshot_id: the id of the new snapshot.
        codec: codec of the blocks, `deflate` or `null`.

    Raises:
        Fatal: one of them is not live in it.
    """
    written = schema_of(body)
    plain = _without_logical_types(json.loads(written))  # values are copied as stored: no year is out of range
    reader = fastavro.reader(io.BytesIO(with_schema(body, json.dumps(plain).encode())))
    entries, made = _Entries(json.loads(written), manifest, snapshot_id), DeleteManifest(b"", [], [], UNASSIGNED_SEQ)
    records = [entries.kept(entry, gone, made) for entry in reader if entries.is_live(entry)]
    if len(made.deleted) != len(gone):
        raise Fatal(f"{len(gone)} delete files are to go, {len(made.deleted)} are live in {manifest.manifest_path}")
    target = io.BytesIO()
    header = {name: value for name, value in reader.metadata.items() if not name.startswith("avro.")}
    fastavro.writer(target, fastavro.parse_schema(plain), records, codec=codec, metadata=header)
    made.body = with_schema(target.getvalue(), written)
    return made


class _Entries:
    """Names of an entry's fields in one manifest, and the conversion of its entries."""

    def __init__(self, written: Any, manifest: ManifestFile, snapshot_id: int) -> None:
        self._names = ids.field_names(written)
        self._file = ids.field_names(ids.record_of(written, ids.DATA_FILE))
        self._manifest = manifest
        self._snapshot_id = snapshot_id

    def is_live(self, entry: Any) -> bool:
        return bool(entry[self._names[ids.STATUS]] != DELETED)

    def kept(self, entry: Any, gone: AbstractSet[DeleteIdentity], made: DeleteManifest) -> Any:
        names, inherited = self._names, self._manifest
        file = entry[names[ids.DATA_FILE]]
        path, *place = (file.get(self._file.get(of, "")) for of in (ids.PATH, ids.CONTENT_OFFSET, ids.CONTENT_SIZE))
        is_gone = (path, *place) in gone
        self._fill(entry, ids.SEQUENCE_NUMBER, inherited.sequence_number)
        if entry[names[ids.STATUS]] == ADDED:
            self._fill(entry, ids.FILE_SEQUENCE_NUMBER, inherited.sequence_number)
        self._fill(entry, ids.SNAPSHOT_ID, inherited.added_snapshot_id)
        if is_gone:
            entry[names[ids.SNAPSHOT_ID]] = self._snapshot_id
        else:
            number = entry[names[ids.SEQUENCE_NUMBER]]
            made.least_number = number if not made.existing else min(made.least_number, number)
        entry[names[ids.STATUS]] = DELETED if is_gone else EXISTING
        (made.deleted if is_gone else made.existing).append(file[self._file[ids.RECORDS]])
        return entry

    def _fill(self, entry: Any, field: int, value: int | None) -> None:
        if entry[self._names[field]] is None:
            entry[self._names[field]] = value


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(each) for each in schema]
    if isinstance(schema, dict):
        return {name: _without_logical_types(value) for name, value in schema.items() if name != "logicalType"}
    return schema
