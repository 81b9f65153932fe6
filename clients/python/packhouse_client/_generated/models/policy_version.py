# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.leaf_change import LeafChange
    from ..models.policy_document_output import PolicyDocumentOutput


T = TypeVar("T", bound="PolicyVersion")


@_attrs_define
class PolicyVersion:
    """One write of a policy: author, time, message, its settings, and its changes from the version before."""

    changes: list[LeafChange]
    """ Settings that differ from the version before. """
    is_deletion: bool
    """ Whether the policy was deleted by this version. """
    message: None | str
    """ Reason for this version as its author gave it; null without one. """
    policy: PolicyDocumentOutput
    """ A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
    """
    version: int
    """ Grows with each write, deletions too; the ETag is this in quotes. """
    written_at: datetime.datetime
    """ Time at which it was written. """
    written_by: str
    """ Caller that wrote it. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)

        is_deletion = self.is_deletion

        message: None | str
        message = self.message

        policy = self.policy.to_dict()

        version = self.version

        written_at = self.written_at.isoformat()

        written_by = self.written_by

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "changes": changes,
                "is_deletion": is_deletion,
                "message": message,
                "policy": policy,
                "version": version,
                "written_at": written_at,
                "written_by": written_by,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.leaf_change import LeafChange  # noqa: PLC0415
        from ..models.policy_document_output import PolicyDocumentOutput  # noqa: PLC0415

        d = dict(src_dict)
        changes = []
        _changes = d.pop("changes")
        for changes_item_data in _changes:
            changes_item = LeafChange.from_dict(changes_item_data)

            changes.append(changes_item)

        is_deletion = d.pop("is_deletion")

        def _parse_message(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message = _parse_message(d.pop("message"))

        policy = PolicyDocumentOutput.from_dict(d.pop("policy"))

        version = d.pop("version")

        written_at = datetime.datetime.fromisoformat(d.pop("written_at"))

        written_by = d.pop("written_by")

        policy_version = cls(
            changes=changes,
            is_deletion=is_deletion,
            message=message,
            policy=policy,
            version=version,
            written_at=written_at,
            written_by=written_by,
        )

        policy_version.additional_properties = d
        return policy_version

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
