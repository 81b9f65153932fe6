"""Change metadata documents of format version 3, which PyIceberg (0.12) does not write.

Updates are applied to the JSON document that was read: fields that no library here knows stay unchanged. The rules
are those of Iceberg's own `TableMetadata`: its catalogs make the same document of the same updates.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Self

from pydantic import PrivateAttr
from pydantic_core import from_json
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import TableProperties
from pyiceberg.table.metadata import TableMetadataV3
from pyiceberg.table.refs import MAIN_BRANCH
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update import (
    AddSnapshotUpdate,
    RemovePartitionStatisticsUpdate,
    RemovePropertiesUpdate,
    RemoveSnapshotRefUpdate,
    RemoveSnapshotsUpdate,
    RemoveStatisticsUpdate,
    SetPropertiesUpdate,
    SetSnapshotRefUpdate,
    TableUpdate,
)
from pyiceberg.utils.properties import property_as_int

from engine.domain.errors import Fatal
from engine.formats.iceberg.intake.newer_types import readable_metadata

_NO_SNAPSHOT: Final = -1
_SNAPSHOT: Final = "snapshot-id"
_STATISTICS: Final = ("statistics", "partition-statistics")


class DocumentMetadata(TableMetadataV3):
    """Metadata whose JSON is a document, not what PyIceberg's model has of it."""

    _text: str = PrivateAttr()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the metadata in a document. Raises `ValueError` if it is not metadata of format version 3."""
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        readable, _ = readable_metadata(text.encode())
        made = cls.model_validate_json(readable)
        made._text = text  # noqa: SLF001 - of this class
        return made

    def model_dump_json(self, *_options: Any, **_named: Any) -> str:
        """Return the document."""
        return self._text


def updated_document(
    document: Mapping[str, Any], updates: Sequence[TableUpdate], *, replaces: str
) -> Mapping[str, Any]:
    """Return a metadata document with these updates; the given one does not change.

    Args:
        document: of format version 3.
        updates: those that Packhouse sends.
        replaces: location of the metadata file that has the given document.

    Raises:
        CommitFailedException: another commit took the sequence number or the row ids of a new snapshot.
    """
    made = dict(document)
    now = max(int(time.time() * 1000), document["last-updated-ms"])
    made["last-updated-ms"] = next((e.snapshot.timestamp_ms for e in updates if isinstance(e, AddSnapshotUpdate)), now)
    for each in updates:
        _applied(made, each)
    kept = property_as_int(
        made.get("properties") or {},
        TableProperties.METADATA_PREVIOUS_VERSIONS_MAX,
        TableProperties.METADATA_PREVIOUS_VERSIONS_MAX_DEFAULT,
    )
    entry = {"metadata-file": replaces, "timestamp-ms": document["last-updated-ms"]}
    made["metadata-log"] = [*_list(made, "metadata-log"), entry][-max(1, kept or 1) :]
    return made


def _applied(made: dict[str, Any], update: TableUpdate) -> None:
    match update:
        case AddSnapshotUpdate():
            _add_snapshot(made, update.snapshot)
        case SetSnapshotRefUpdate():
            _set_ref(made, update)
        case RemoveSnapshotRefUpdate():
            _remove_refs(made, lambda name, _: name == update.ref_name)
        case RemoveSnapshotsUpdate():
            _remove_snapshots(made, frozenset(update.snapshot_ids))
        case SetPropertiesUpdate():
            made["properties"] = {**(made.get("properties") or {}), **update.updates}
        case RemovePropertiesUpdate():
            gone = set(update.removals)
            made["properties"] = {k: v for k, v in (made.get("properties") or {}).items() if k not in gone}
        case RemoveStatisticsUpdate():
            _remove_where(made, "statistics", partial(_is_of, frozenset({update.snapshot_id})))
        case RemovePartitionStatisticsUpdate():
            _remove_where(made, "partition-statistics", partial(_is_of, frozenset({update.snapshot_id})))
        case _:
            raise Fatal(f"no metadata of format version 3 is written with the update {update.action}")


def _add_snapshot(made: dict[str, Any], snapshot: Snapshot) -> None:
    number, last = snapshot.sequence_number or 0, made.get("last-sequence-number") or 0
    following = made.get("next-row-id")
    if any(_is_of(frozenset({snapshot.snapshot_id}), each) for each in _list(made, "snapshots")):
        raise CommitFailedException(f"snapshot {snapshot.snapshot_id} was added before")
    if number <= last:
        raise CommitFailedException(f"sequence number {number} is taken: the last one is {last}")
    if following is None or snapshot.first_row_id != following or snapshot.added_rows is None:
        raise CommitFailedException(f"row ids from {snapshot.first_row_id} are taken: the next one is {following}")
    made["snapshots"] = [*_list(made, "snapshots"), from_json(snapshot.model_dump_json())]
    made["last-sequence-number"] = number
    made["next-row-id"] = following + snapshot.added_rows


def _set_ref(made: dict[str, Any], update: SetSnapshotRefUpdate) -> None:
    ref = {
        _SNAPSHOT: update.snapshot_id,
        "type": str(update.type),
        "min-snapshots-to-keep": update.min_snapshots_to_keep,
        "max-snapshot-age-ms": update.max_snapshot_age_ms,
        "max-ref-age-ms": update.max_ref_age_ms,
    }
    if not any(_is_of(frozenset({update.snapshot_id}), each) for each in _list(made, "snapshots")):
        raise CommitFailedException(f"{update.ref_name} can't be set to snapshot {update.snapshot_id}, which is gone")
    refs = _refs(made)
    before = refs.get(update.ref_name, {})
    known = {name: value for name, value in ref.items() if value is not None}
    made["refs"] = {**refs, update.ref_name: {**{k: v for k, v in before.items() if k not in ref}, **known}}
    if update.ref_name == MAIN_BRANCH and made.get("current-snapshot-id") != update.snapshot_id:
        made["current-snapshot-id"] = update.snapshot_id
        entry = {"timestamp-ms": made["last-updated-ms"], _SNAPSHOT: update.snapshot_id}
        made["snapshot-log"] = [*_list(made, "snapshot-log"), entry]


def _remove_refs(made: dict[str, Any], is_gone: Callable[[str, Any], bool]) -> None:
    refs = _refs(made)
    kept = {name: ref for name, ref in refs.items() if not is_gone(name, ref)}
    if MAIN_BRANCH in refs and MAIN_BRANCH not in kept:
        raise Fatal("the branch main is not removed")
    made["refs"] = kept


def _remove_snapshots(made: dict[str, Any], snapshot_ids: frozenset[int]) -> None:
    is_gone = partial(_is_of, snapshot_ids)
    for name in ("snapshots", *_STATISTICS):
        _remove_where(made, name, is_gone)
    _remove_refs(made, lambda _, ref: is_gone(ref))
    log = _list(made, "snapshot-log")
    # the log answers which snapshot was current at a time: with a gap it would answer wrongly for earlier times
    after_gap = max((at for at, each in enumerate(log) if is_gone(each)), default=-1) + 1
    if log:
        made["snapshot-log"] = log[after_gap:]


def _refs(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the references; a document without any has the branch main if it has a current snapshot."""
    found = made.get("refs")
    current = made.get("current-snapshot-id")
    if found is None and current is not None and current != _NO_SNAPSHOT:
        return {MAIN_BRANCH: {_SNAPSHOT: current, "type": "branch"}}
    return dict(found or {})


def _remove_where(made: dict[str, Any], name: str, is_gone: Callable[[Any], bool]) -> None:
    if name in made:
        made[name] = [each for each in _list(made, name) if not is_gone(each)]


def _is_of(snapshot_ids: frozenset[int], found: Any) -> bool:
    return found.get(_SNAPSHOT) in snapshot_ids


def _list(made: Mapping[str, Any], name: str) -> list[Any]:
    return made.get(name) or []
