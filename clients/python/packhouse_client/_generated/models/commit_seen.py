# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CommitSeen")


@_attrs_define
class CommitSeen:
    """A writer committed to the table."""

    kind: Literal["commit"]
    """ Kind of the signal. """
    added_bytes: int | None | Unset = UNSET
    """ Their bytes. """
    added_files: int | None | Unset = UNSET
    """ Data files that it added. """
    snapshot_id: None | str | Unset = UNSET
    """ The snapshot that it made. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        added_bytes: int | None | Unset
        if isinstance(self.added_bytes, Unset):
            added_bytes = UNSET
        else:
            added_bytes = self.added_bytes

        added_files: int | None | Unset
        if isinstance(self.added_files, Unset):
            added_files = UNSET
        else:
            added_files = self.added_files

        snapshot_id: None | str | Unset
        if isinstance(self.snapshot_id, Unset):
            snapshot_id = UNSET
        else:
            snapshot_id = self.snapshot_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
            }
        )
        if added_bytes is not UNSET:
            field_dict["added_bytes"] = added_bytes
        if added_files is not UNSET:
            field_dict["added_files"] = added_files
        if snapshot_id is not UNSET:
            field_dict["snapshot_id"] = snapshot_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["commit"], d.pop("kind"))
        if kind != "commit":
            raise ValueError(f"kind must match const 'commit', got '{kind}'")

        def _parse_added_bytes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        added_bytes = _parse_added_bytes(d.pop("added_bytes", UNSET))

        def _parse_added_files(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        added_files = _parse_added_files(d.pop("added_files", UNSET))

        def _parse_snapshot_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        snapshot_id = _parse_snapshot_id(d.pop("snapshot_id", UNSET))

        commit_seen = cls(
            kind=kind,
            added_bytes=added_bytes,
            added_files=added_files,
            snapshot_id=snapshot_id,
        )

        return commit_seen
