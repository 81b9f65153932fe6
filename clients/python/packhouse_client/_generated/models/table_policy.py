# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.policy_document_output import PolicyDocumentOutput


T = TypeVar("T", bound="TablePolicy")


@_attrs_define
class TablePolicy:
    """A table's own policy as stored."""

    message: None | str
    """ Reason for this version as its author gave it; null without one. """
    notes: list[str]
    """ Notes for its author: settings without effect yet, and checks that were not made. """
    policy: PolicyDocumentOutput
    """ A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
    """
    table_id: str
    """ Id of the registered table. """
    updated_at: datetime.datetime
    """ Time of its last change. """
    updated_by: str
    """ Caller that changed it last. """
    version: int
    """ Grows with each write, deletions too; the ETag is this in quotes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        message: None | str
        message = self.message

        notes = self.notes

        policy = self.policy.to_dict()

        table_id = self.table_id

        updated_at = self.updated_at.isoformat()

        updated_by = self.updated_by

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "message": message,
                "notes": notes,
                "policy": policy,
                "table_id": table_id,
                "updated_at": updated_at,
                "updated_by": updated_by,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.policy_document_output import PolicyDocumentOutput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_message(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message = _parse_message(d.pop("message"))

        notes = cast(list[str], d.pop("notes"))

        policy = PolicyDocumentOutput.from_dict(d.pop("policy"))

        table_id = d.pop("table_id")

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        updated_by = d.pop("updated_by")

        version = d.pop("version")

        table_policy = cls(
            message=message,
            notes=notes,
            policy=policy,
            table_id=table_id,
            updated_at=updated_at,
            updated_by=updated_by,
            version=version,
        )

        table_policy.additional_properties = d
        return table_policy

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
